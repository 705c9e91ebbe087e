"""Private tables and functions of ``mxnet.numpy_dispatch_protocol``."""

from collections import Counter
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from hy_ndarray import np as mx_np
from mxnet._private.errors import ShapesError

_F = TypeVar("_F", bound=Callable[..., Any])

_NUMPY_ARRAY_FUNCTION_LIST = (
    "all any sometrue argmin argmax around round round_ argsort sort append broadcast_arrays "
    "broadcast_to clip concatenate copy cumsum diag diagonal diagflat dot expand_dims fix flip "
    "flipud fliplr inner insert max amax mean min amin nonzero ones_like atleast_1d atleast_2d "
    "atleast_3d prod product ravel repeat reshape roll split array_split hsplit vsplit dsplit "
    "squeeze stack std sum swapaxes take tensordot tile transpose unique unravel_index "
    "diag_indices_from delete var vdot vstack column_stack hstack dstack zeros_like linalg.norm "
    "linalg.cholesky linalg.inv linalg.solve linalg.tensorinv linalg.tensorsolve linalg.pinv "
    "linalg.eigvals linalg.eig linalg.eigvalsh linalg.eigh shape trace tril meshgrid outer einsum "
    "polyval shares_memory may_share_memory quantile percentile diff ediff1d resize where "
    "full_like bincount empty_like nan_to_num isnan isfinite isposinf isneginf isinf pad"
).split()
"""Functions of NumPy's that take ``mx.np`` arrays, by their names there."""

_NUMPY_ARRAY_UFUNC_LIST = (
    "abs fabs add arctan2 copysign degrees hypot lcm subtract multiply true_divide negative power "
    "mod matmul absolute rint sign exp log log2 log10 expm1 sqrt square cbrt reciprocal invert "
    "bitwise_not remainder sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh "
    "maximum minimum ceil trunc floor bitwise_and bitwise_xor bitwise_or logical_not equal "
    "not_equal less less_equal greater greater_equal"
).split()
"""Universal functions that do."""


def _member(module: Any, name: str) -> Any:
    try:
        return attrgetter(name)(module)
    except AttributeError:
        return None


def _functions() -> dict[Any, Any]:
    pairs = ((_member(np, name), _member(mx_np, name)) for name in _NUMPY_ARRAY_FUNCTION_LIST)
    # NumPy 2 has removed some of these, such as `product` and `sometrue`.
    return {theirs: own for theirs, own in pairs if theirs is not None and own is not None}


_NUMPY_ARRAY_FUNCTION_DICT = _functions()
"""``mx.np``'s functions by NumPy's: those that the NumPy at hand still has."""
_NUMPY_ARRAY_UFUNC_DICT = {name: _member(mx_np, name) for name in _NUMPY_ARRAY_UFUNC_LIST}
"""``mx.np``'s functions by the names of NumPy's universal ones."""


def _find_duplicate(strs: Iterable[str]) -> str | None:
    """Return the first text that occurs twice, or None."""
    return next((text for text, count in Counter(strs).items() if count > 1), None)


def _implements(numpy_function: Any) -> Callable[[_F], _F]:
    """Return a decorator that registers a function in ``_NUMPY_ARRAY_FUNCTION_DICT``."""

    def decorator(func: _F) -> _F:
        _NUMPY_ARRAY_FUNCTION_DICT[numpy_function] = func
        return func

    return decorator


def _register_array_function() -> None:
    """Fill ``_NUMPY_ARRAY_FUNCTION_DICT`` from the list of functions.

    Raises:
        ShapesError: The list has a name twice.
    """
    _check_names(_NUMPY_ARRAY_FUNCTION_LIST)
    _NUMPY_ARRAY_FUNCTION_DICT.update(_functions())


def _register_array_ufunc() -> None:
    """Fill ``_NUMPY_ARRAY_UFUNC_DICT`` from the list of ufuncs."""
    _check_names(_NUMPY_ARRAY_UFUNC_LIST)
    _NUMPY_ARRAY_UFUNC_DICT.update({n: _member(mx_np, n) for n in _NUMPY_ARRAY_UFUNC_LIST})


def _check_names(names: list[str]) -> None:
    double = _find_duplicate(names)
    if double is not None:
        raise ShapesError(f"Duplicate operator name {double} in the list of NumPy's functions")
