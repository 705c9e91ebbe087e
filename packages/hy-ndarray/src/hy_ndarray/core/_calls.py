"""Calls of operators on arrays, as programs write them: MXNet's calling convention."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from math import copysign
from typing import Any, TypeAlias

from hy_ndarray import limits
from hy_ndarray.core import _dispatch, _state
from hy_ndarray.core._array import Array
from hy_ndarray.core._repeated import KeptParams
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._kernels import StaleTableError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator

__all__ = ["call", "create"]

Read: TypeAlias = tuple[KeptParams, int, Context | None]
"""What the arguments say that are no inputs: parameters, how many inputs are in their places where
others are left out, and where the result is made."""

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
    if len(args) == len(op.inputs) and not op.variadic:
        inputs, read = args, _read_before(op, (), kwargs)
    else:
        inputs, read = _usual(op, args, kwargs)
    params: Params
    if read is not None:
        params, _, context = read
    else:
        kwargs.pop("attr", None)
        kwargs.pop("__layout__", None)
        inputs, params, _, ctx = op.bind(args, kwargs)
        context = Context.parse(ctx) if ctx else None
    if out is None and context is None:
        return _dispatch.invoke(op, inputs, params, kind=kind, casts=True)
    return _dispatch.invoke(op, inputs, params, out=out, context=context, kind=kind, casts=True)


def create(op: Operator, kwargs: dict[str, Any], kind: type[Array]) -> Any:
    """As :func:`call`, of an operator without inputs that makes one array."""
    read = None if "out" in kwargs or _state.casts else _read_before(op, (), kwargs)
    if read is None:
        return call(op, (), kwargs, kind)
    params, _, context = read
    try:
        return _dispatch.made(op, params, context, kind)
    except StaleTableError:  # another thread chose another table meanwhile
        return call(op, (), kwargs, kind)


def _usual(
    op: Operator, args: Sequence[Any], given: dict[str, Any]
) -> tuple[Sequence[Any], Read | None]:
    """The inputs of a call, all of them, and what else it says; None where it has to be bound."""
    if op.variadic:
        is_list = len(args) == 1 and isinstance(args[0], list | tuple)
        return args[0] if is_list else args, _read_before(op, (), given)
    missing = len(op.inputs) - len(args)
    if missing < 0:
        return args[:missing], _read_before(op, args[missing:], given)
    read = _read_before(op, (), given)
    if read is None or len(args) > read[1]:  # the inputs left out are not the last ones
        return args, None
    return (*args, *(None,) * missing), read


def _read_before(op: Operator, behind: Sequence[Any], given: dict[str, Any]) -> Read | None:
    """What arguments say that can be kept; else None."""
    parts: list[Any] = []
    for value in (*behind, *given.values()) if behind else given.values():
        kind = value.__class__
        if kind is tuple:
            parts += value
        elif kind is float:
            if not value:
                parts.append(copysign(1.0, value))  # 0.0 equals -0.0
        elif kind not in _LASTING or (kind is str and len(value) > _LONGEST):
            return None
    try:
        if len(parts) > _LONGEST:
            return None
        return _read(op, limits.most, len(behind), *behind, *parts, **given)
    except TypeError:  # what a tuple holds has no hash
        return None


@lru_cache(maxsize=4096, typed=True)
def _read(op: Operator, most: int, count: int, /, *parts: Any, **given: Any) -> Read | None:  # noqa: ARG001
    """Parameters read once for all calls with the same values of the same classes.

    The first ``count`` are given by position. Elements of tuples follow them, so that their classes
    count. None where an argument is no parameter, or may equal what it is not.
    """
    behind = dict(zip(op.params, parts[:count], strict=False))
    if len(behind) < count or not behind.keys().isdisjoint(given):
        return None
    if not given.keys() <= op.params.keys():
        return None
    named = behind | given
    tuples = [value for value in named.values() if isinstance(value, tuple)]
    if not all(_IN_TUPLES.issuperset(map(type, value)) for value in tuples):
        return None
    ctx = None if op.ctx is None else named.get(op.ctx)
    params = KeptParams(op, op.parse(named))
    pairs = zip(op.inputs, op.active_inputs(params), strict=False)
    leading = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return params, leading, Context.parse(str(ctx)) if ctx else None
