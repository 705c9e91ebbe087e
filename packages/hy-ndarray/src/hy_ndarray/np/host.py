"""Calls of numpy functions on the host with array arguments, without gradients."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as onp

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import AutogradError, ContextError, DTypeError
from hy_ndarray.array.ndarray import NDArray, array_from
from hy_ndarray.core import _state
from hy_ndarray.devices._context import Context

__all__ = ["arrays_in", "call", "lowered"]

A = TypeVar("A", bound=NDArray)


def call(
    function: Callable[..., Any],
    name: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    kind: type[NDArray],
) -> Any:
    """Call a numpy function with arrays converted to numpy; return arrays of class ``kind``.

    Results are on the context of the first array.

    Raises:
        AutogradError: An array is part of a recorded graph.
        ContextError: An array is not on the CPU.
    """
    operands = [lowered(x, name) for x in args]
    options = {key: lowered(x, name) for key, x in kwargs.items() if key != "out"}
    first = next(arrays_in([*args, *kwargs.values()], NDArray), None)
    context = None if first is None else first.context
    out = kwargs.get("out")
    if out is None:
        return _raised(function(*operands, **options), kind, context)
    written, targets = _written(out, name)
    result = function(*operands, **options, out=written)
    for target, values in targets:
        if isinstance(target, NDArray):
            target[...] = values
    # numpy returns the arrays passed as out; they are mapped back to the caller's.
    of = {id(values): target for target, values in targets}
    if not isinstance(result, tuple):
        return of[id(result)] if id(result) in of else _raised(result, kind, context)
    return tuple([of[id(x)] if id(x) in of else _raised(x, kind, context) for x in result])


def _written(out: Any, name: str) -> tuple[Any, list[tuple[Any, Any]]]:
    """Return numpy copies to pass as ``out``, and pairs of each output with its copy."""
    outs = out if isinstance(out, tuple) else (out,)
    values = [lowered(x, name).copy() if isinstance(x, NDArray) else x for x in outs]
    pairs = list(zip(outs, values, strict=True))
    return tuple(values) if isinstance(out, tuple) else values[0], pairs


def arrays_in(values: Sequence[Any], kind: type[A]) -> Iterator[A]:
    """Yield the arrays of class ``kind`` in nested lists and tuples."""
    for value in values:
        if isinstance(value, kind):
            yield value
        elif isinstance(value, list | tuple):
            yield from arrays_in(value, kind)


def lowered(value: Any, function: str) -> Any:
    """Return a value with arrays, also in nested lists and tuples, converted to numpy arrays."""
    if isinstance(value, NDArray):
        if _state.scope.recording and value.in_graph:
            raise AutogradError(
                f"{function} is computed by numpy, so no gradient flows through it; "
                "call it outside autograd.record(), or on x.detach()"
            )
        if not value.context.device_type.startswith("cpu"):
            raise ContextError(
                f"{function} is computed by numpy on the CPU, and an array {value.shape} is on "
                f"{value.context}; move it there with as_in_context(cpu())"
            )
        return value.asnumpy()
    if isinstance(value, list | tuple):
        return type(value)(lowered(x, function) for x in value)
    return value


def _raised(value: Any, kind: type[NDArray], context: Context | None) -> Any:
    """Return a value with numpy arrays of supported dtypes converted to class ``kind``."""
    if isinstance(value, onp.ndarray):
        # Arrays of strings, dates and other dtypes that hy lacks stay numpy's.
        try:
            dtype_name(value.dtype)
        except DTypeError:
            return value
        return array_from(value, context, kind)
    if isinstance(value, list):
        return [_raised(x, kind, context) for x in value]
    if isinstance(value, tuple):
        parts = [_raised(x, kind, context) for x in value]
        # Named tuples, such as numpy.linalg's results, take their fields as arguments.
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
