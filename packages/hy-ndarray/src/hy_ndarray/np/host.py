"""Calling a function of numpy's on the host; no gradients flow through it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as onp

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import AutogradError, DTypeError
from hy_ndarray.array.ndarray import NDArray, array_from
from hy_ndarray.core import _state

__all__ = ["call", "lowered"]


def call(
    function: Callable[..., Any],
    name: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    kind: type[NDArray],
) -> Any:
    """The function's result for numpy arrays in place of arrays, with arrays of class ``kind``.

    Raises:
        AutogradError: A gradient would have to flow through.
    """
    given = [lowered(x, name) for x in args]
    options = {key: lowered(x, name) for key, x in kwargs.items()}
    return _raised(function(*given, **options), kind)


def lowered(value: Any, function: str) -> Any:
    """Numpy arrays in place of arrays, in lists and tuples, too."""
    if isinstance(value, NDArray):
        if _state.scope.recording and value.in_graph:
            raise AutogradError(
                f"{function} is computed by numpy, so no gradient flows through it; "
                "call it outside autograd.record(), or on x.detach()"
            )
        return value.asnumpy()
    if isinstance(value, list | tuple):
        return type(value)(lowered(x, function) for x in value)
    return value


def _raised(value: Any, kind: type[NDArray]) -> Any:
    """Arrays in place of numpy arrays, in lists and tuples, too; other dtypes stay numpy's."""
    if isinstance(value, onp.ndarray):
        try:
            dtype_name(value.dtype)
        except DTypeError:
            return value
        return array_from(value, None, kind)
    if isinstance(value, list):
        return [_raised(x, kind) for x in value]
    return tuple(_raised(x, kind) for x in value) if isinstance(value, tuple) else value
