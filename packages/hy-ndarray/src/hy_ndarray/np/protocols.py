"""NumPy's protocols for numpy's own functions on arrays, such as ``numpy.sin(x)``.

Results are numpy's. Functions of ``np`` are used where they agree with numpy: if all operands are
arrays of one floating dtype. They keep results on the device, and gradients flow through them. All
other calls are computed by numpy on the host, such as those on integers, which become float64, or
with numpy arrays. A numpy scalar counts as a number, as Python passes ``scalar * x`` to the ufunc
and ``x * scalar`` to the operator. While gradients are recorded nothing falls back to numpy, which
would lose them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as onp

from hy_ndarray._errors import HyError
from hy_ndarray.array.ndarray import NDArray, array_from
from hy_ndarray.core import _state
from hy_ndarray.np import host

__all__ = ["run_function", "run_ufunc"]

_WRITING = frozenset(("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"))
"""Numpy functions that write to an argument, which would only change a copy on the host."""
_OF_MXNET = frozenset(("delete", "eigh", "rint", "svd", "unique"))
"""Functions of ``np`` that follow MXNet and not numpy: 1.5 rounds to 1, factors differ in sign or
form, indices out of range are ignored."""
_OF_MEMORY = frozenset(("may_share_memory", "shares_memory"))
"""Functions that need the arrays themselves, not copies of their values."""
_REFUSALS = (HyError, TypeError, AttributeError, ValueError)


def run_ufunc(
    function: Callable[..., Any] | None,
    ufunc: onp.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any],
    kind: type[NDArray],
) -> Any:
    """Run a numpy ufunc on operands some of which are arrays.

    Args:
        function: The function of ``np`` with the same name, if there is one.
        ufunc: The numpy ufunc.
        method: ``__call__``; for others, such as ``reduce``, numpy raises a TypeError, as on MXNet.
        inputs: The operands.
        kwargs: The options; ``out`` is a tuple.
        kind: The class of the results.
    """
    if method != "__call__":
        return NotImplemented
    out = kwargs.get("out")
    if function is not None and (out is None or len(out) == 1):
        options = kwargs if out is None else kwargs | {"out": out[0]}
        if _is_tracked(inputs):
            return function(*_as_arrays(inputs, kind), **options)
        if not kwargs.keys() - {"out"} and _agrees(ufunc, inputs, out or ()):
            try:
                return function(*[_as_number(x) for x in inputs], **options)
            except _REFUSALS:
                pass
    return host.call(ufunc, ufunc.__name__, inputs, kwargs, kind)


def _agrees(ufunc: onp.ufunc, inputs: tuple[Any, ...], out: tuple[Any, ...]) -> bool:
    """Return whether the function of ``np`` agrees with numpy's ufunc on the operands."""
    types = {onp.dtype(x.dtype) for x in inputs if isinstance(x, NDArray)}
    if ufunc.__name__ in _OF_MXNET or len(types) != 1 or not _keeps_dtype(ufunc, types.pop()):
        return False
    return any(isinstance(x, onp.generic) for x in inputs) or _are_of_one_kind((*inputs, *out))


def _as_number(value: Any) -> Any:
    """Return a numpy scalar as a Python number, which leaves the dtype to the array."""
    return value.item() if isinstance(value, onp.generic) else value


def _keeps_dtype(ufunc: onp.ufunc, dtype: onp.dtype[Any]) -> bool:
    """Return whether numpy's result for operands of ``dtype`` has that dtype, or is bool."""
    dtypes: Any = (dtype,) * ufunc.nin + (None,) * ufunc.nout
    try:
        resolved = ufunc.resolve_dtypes(dtypes)
    except TypeError:  # bfloat16, which numpy has no loops for
        return True
    return resolved[0] == dtype and all(one in (dtype, onp.bool_) for one in resolved[ufunc.nin :])


def run_function(
    function: Callable[..., Any] | None,
    func: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    kind: type[NDArray],
) -> Any:
    """Run a numpy function, other than a ufunc, on arguments some of which are arrays.

    Args:
        function: The function of ``np`` with the same name, if there is one.
        func: The numpy function.
        args: The positional arguments.
        kwargs: The keyword arguments.
        kind: The class of the results.
    """
    name = func.__name__
    if function is not None and _is_tracked((args, kwargs)):
        return function(*_as_arrays(args, kind), **_as_arrays(kwargs, kind))
    if name in _OF_MEMORY and function is not None:
        return function(*args, **kwargs)
    if function is not None and name not in _OF_MXNET and _are_of_one_kind((args, kwargs)):
        try:
            return function(*args, **kwargs)
        except _REFUSALS:
            pass
    if name in _WRITING:
        return NotImplemented
    return host.call(func, name, args, kwargs, kind)


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the leaves of nested lists, tuples and dictionaries."""
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _is_tracked(values: Any) -> bool:
    """Return whether a value contains an array through which gradients are recorded."""
    recording = _state.scope.recording
    return recording and any(isinstance(x, NDArray) and x.in_graph for x in _leaves(values))


def _are_of_one_kind(values: Any) -> bool:
    """Return whether all arrays among nested values are hy's and of one non-integer dtype."""
    arrays = [x for x in _leaves(values) if isinstance(x, NDArray | onp.ndarray | onp.generic)]
    first = arrays[0] if arrays else None
    return isinstance(first, NDArray) and all(
        isinstance(x, NDArray) and x.dtype == first.dtype and onp.dtype(x.dtype).kind not in "biu"
        for x in arrays
    )


def _as_arrays(value: Any, kind: type[NDArray]) -> Any:
    """Return nested values with numpy arrays converted to arrays of class ``kind``."""
    if isinstance(value, onp.ndarray) and value.ndim:
        return array_from(value, None, kind)
    if isinstance(value, Mapping):
        return {key: _as_arrays(one, kind) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_as_arrays(one, kind) for one in value)
    return value
