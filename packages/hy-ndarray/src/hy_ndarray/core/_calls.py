"""Calls of operators on arrays, as programs write them: MXNet's calling convention."""

from collections.abc import Sequence
from functools import lru_cache
from math import copysign
from typing import Any, TypeAlias

from hy_ndarray import limits
from hy_ndarray.core import _dispatch
from hy_ndarray.core._array import Array
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator

__all__ = ["call"]

Read: TypeAlias = tuple[Params, tuple[str, ...], Context | None]
"""What the arguments say that are no inputs: parameters, names of the inputs there are, a place."""

_LASTING = frozenset((bool, int, str, type, type(None), Context))
"""Classes of arguments that mean the same whenever they are equal and of one class."""
_IN_TUPLES = frozenset((bool, int, type(None)))
_LONGEST = 100  # of texts and tuples that are kept


def call(
    op: Operator, args: Sequence[Any], kwargs: dict[str, Any], kind: type[Array] | None = None
) -> Any:
    """Call ``op`` on arrays, with inputs cast as the policy in force says.

    Args:
        op: The operator.
        args: Inputs, then parameters, by position.
        kwargs: Inputs and parameters by name; ``out``, the array to write to; ``ctx``, the place,
            for operators that create. ``name``, ``attr`` and ``__layout__`` are for symbols and
            have no effect.
        kind: Class of the result of an operator without inputs.
    """
    out = None
    if kwargs:
        out = kwargs.pop("out", None)
        kwargs.pop("name", None)
    usual = _usual(op, args, kwargs)
    if usual is not None:
        inputs, (params, _, context) = usual
    else:
        kwargs.pop("attr", None)
        kwargs.pop("__layout__", None)
        inputs, params, _, ctx = op.bind(args, kwargs)
        context = Context.parse(ctx) if ctx else None
    return _dispatch.invoke(op, inputs, params, out=out, context=context, kind=kind, casts=True)


def _usual(
    op: Operator, args: Sequence[Any], given: dict[str, Any]
) -> tuple[Sequence[Any], Read] | None:
    """As :meth:`Operator.bind`, of inputs by position and parameters read before; else None."""
    missing = 0 if op.variadic else len(op.inputs) - len(args)
    if missing < 0:
        behind = dict(zip(op.params, args[missing:], strict=False))
        if len(behind) + missing or (given and not behind.keys().isdisjoint(given)):
            return None
        args, given = args[:missing], behind | given if given else behind
    read = _read_before(op, given)
    if read is None:
        return None
    if missing > 0:
        names, count = read[1], len(args)
        if names[:count] != op.inputs[:count]:
            return None
        args = (*args, *(None,) * missing)
    elif op.variadic and len(args) == 1 and isinstance(args[0], list | tuple):
        args = args[0]
    return args, read


def _read_before(op: Operator, given: dict[str, Any]) -> Read | None:
    """What arguments say that can be kept; else None."""
    parts: list[Any] = []
    for value in given.values():
        kind = value.__class__
        if kind is tuple:
            parts += value
        elif kind is float:
            if not value:
                parts.append(copysign(1.0, value))  # 0.0 equals -0.0
        elif kind not in _LASTING or (kind is str and len(value) > _LONGEST):
            return None
    try:
        return _read(op, limits.most, *parts, **given) if len(parts) <= _LONGEST else None
    except TypeError:  # what a tuple holds has no hash
        return None


@lru_cache(maxsize=4096, typed=True)
def _read(op: Operator, /, *_: Any, **given: Any) -> Read | None:
    """Parameters read once for all calls with the same values of the same classes.

    Elements of tuples are positional arguments, too, so that their classes count. None where an
    argument is no parameter, or may equal what it is not.
    """
    if not given.keys() <= op.params.keys():
        return None
    tuples = [value for value in given.values() if isinstance(value, tuple)]
    if not all(_IN_TUPLES.issuperset(map(type, value)) for value in tuples):
        return None
    ctx = None if op.ctx is None else given.get(op.ctx)
    params = op.parse(given)
    return params, op.active_inputs(params), Context.parse(str(ctx)) if ctx else None
