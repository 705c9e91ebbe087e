"""Tracing: a block called once with symbols, and what is kept of that."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hy_gluon._errors import StructureError
from hy_gluon.block.places import entered
from hy_gluon.block.structure import Format, flatten, regroup
from hy_ndarray import NDArray, autograd, dtype_name, np
from hy_symbol import Group, Symbol, Trace, sym

if TYPE_CHECKING:
    from hy_gluon.block.hybrid import HybridBlock
    from hy_gluon.block.inputs import Inputs
    from hy_gluon.cached_op import CachedOp

__all__ = ["Variant", "signature", "trace"]


@dataclass(frozen=True, slots=True)
class Variant:
    """A traced block for one signature, where the graph depends on shapes or on the mode."""

    op: "CachedOp"
    inputs: "Inputs"
    in_format: Format
    out_format: Format


def signature(block: "HybridBlock", args: Sequence[Any]) -> tuple[Any, ...]:
    """What tells one variant of a block from another: mode, structure, shapes and dtypes."""
    flat, form = flatten(args, "input")
    types = tuple(None if x is None else (x.shape, x.dtype) for x in flat)
    return (autograd.is_training() if block.is_plain else None, repr(form), types)


def trace(block: "HybridBlock", args: Sequence[Any]) -> tuple[list[Symbol], Symbol, Trace]:
    """Call ``block`` with symbols in the place of ``args``.

    Returns:
        The symbols of the arguments, the outputs as one group, and what was asked of shapes.

    Raises:
        StructureError: There is no argument.
    """
    flat, block._in_format = flatten(args, "input")
    count = sum(arg is not None for arg in flat)
    if count == 0:
        raise StructureError(f"{block.name}: all arguments are None")
    names = iter(["data"] if count == 1 else [f"data{i}" for i in range(count)])
    numpy = any(isinstance(arg, np.ndarray) for arg in flat)
    inputs = [None if arg is None else _variable(sym.var(next(names)), numpy) for arg in flat]
    scope = _known(block, flat, inputs)
    nested = regroup(inputs, block._in_format)
    with scope, block.name_scope(), entered(block, as_root=True):
        if block.is_plain:
            out = block.forward(*nested)
        else:
            registered = block._reg_params.items()
            params = {name: _variable(parameter.var(), numpy) for name, parameter in registered}
            out = block.hybrid_forward(sym, *nested, **params)
    outputs, block._out_format = flatten(out, "output")
    return [x for x in inputs if x is not None], Group(outputs), scope


def _variable(symbol: Symbol, numpy: bool) -> Symbol:
    """The symbol in the place of an array of ``mx.np``, or of a classic one."""
    found: Symbol = symbol.as_np_ndarray() if numpy else symbol
    return found


def _known(block: "HybridBlock", flat: Sequence[Any], inputs: Sequence[Symbol | None]) -> Trace:
    """A trace in which the types of the arguments and of the parameters are known."""
    scope = Trace({})
    for symbol, array in zip(inputs, flat, strict=True):
        if symbol is not None and isinstance(array, NDArray):
            scope.declare(symbol.graph.outputs[0][0], array.shape, dtype_name(array.dtype))
    for parameter in block.collect_params().values():
        node = parameter.var().graph.outputs[0][0]
        sizes = parameter.shape
        shape = None if sizes is None else tuple(n if n > 0 else None for n in sizes)
        scope.declare(node, shape, dtype_name(parameter.dtype))
    return scope
