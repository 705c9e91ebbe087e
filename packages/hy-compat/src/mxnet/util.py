"""``mxnet.util``: settings and decorators for NumPy semantics, environment, GPUs."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from hy_ndarray import ArgumentError, ContextError
from hy_ndarray.core.semantics import (
    is_np_array,
    is_np_shape,
    np_array,
    np_shape,
    reset_np,
    set_np,
    set_np_shape,
    use_np,
    use_np_array,
    use_np_shape,
)
from hy_ndarray.devices.context import Context, gpu_compute_capability, gpu_memory_info, num_gpus
from hy_ndarray.suggestion import suggest_members as _suggest_members

__all__ = [
    "get_cuda_compute_capability",
    "get_gpu_count",
    "get_gpu_memory",
    "getenv",
    "is_np_array",
    "is_np_shape",
    "makedirs",
    "np_array",
    "np_shape",
    "np_ufunc_legal_option",
    "reset_np",
    "set_module",
    "set_np",
    "set_np_shape",
    "setenv",
    "use_np",
    "use_np_array",
    "use_np_shape",
    "wrap_np_binary_func",
    "wrap_np_unary_func",
]

_R = TypeVar("_R")
_Named = TypeVar("_Named", bound=Callable[..., Any] | type[Any])

_UFUNC_OPTIONS: dict[str, Any] = {
    "where": True,
    "casting": "same_kind",
    "order": "K",
    "dtype": None,
    "subok": True,
}
"""Options of NumPy's universal functions, with the values that make no difference."""

_CASTING = ("no", "equiv", "safe", "same_kind", "unsafe")
_ORDERS = ("C", "F", "A", "K")
_DTYPES = ("float16", "float32", "float64", "uint8", "int8", "int32", "int64")


def makedirs(d: Any) -> None:
    """Create a folder and its parents, unless it exists."""
    Path(d).mkdir(parents=True, exist_ok=True)


def get_gpu_count() -> int:
    """Return the number of GPUs that hy can use."""
    return num_gpus()


def get_gpu_memory(gpu_dev_id: int) -> tuple[int, int]:
    """Return free and total memory of a GPU in bytes.

    Raises:
        ContextError: There is no such GPU, or no driver.
    """
    return gpu_memory_info(gpu_dev_id)


def get_cuda_compute_capability(ctx: Context) -> int:
    """Return the compute capability of a GPU times ten: 90 for 9.0.

    Raises:
        ContextError: ``ctx`` is not a GPU, or there is no such GPU.
    """
    if ctx.device_type != "gpu":
        raise ContextError(
            f"Expecting a gpu context to get cuda compute capability, while received ctx {ctx}"
        )
    return gpu_compute_capability(ctx.device_id)


def getenv(name: str) -> str | None:
    """Return the value of an environment variable, or None if it is not set."""
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Set an environment variable of this process, or remove it if the value is None."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def set_module(module: str | None) -> Callable[[_Named], _Named]:
    """Return a decorator that sets the attribute ``__module__``, unless ``module`` is None.

    Example:
        >>> @set_module("mxnet.numpy")
        ... def double(x):
        ...     return 2 * x
        >>> double.__module__
        'mxnet.numpy'
    """

    def decorator(func: _Named) -> _Named:
        if module is not None:
            func.__module__ = module
        return func

    return decorator


def np_ufunc_legal_option(key: str, value: Any) -> bool:
    """Return whether an option of numpy's ufuncs exists and accepts a value.

    Example:
        >>> np_ufunc_legal_option("order", "C"), np_ufunc_legal_option("order", "Z")
        (True, False)
    """
    if key in ("where", "subok"):
        return isinstance(value, bool)
    if key == "casting":
        return value in _CASTING
    if key == "order":
        return isinstance(value, str) and value in _ORDERS
    if key == "dtype":
        try:
            return value is not None and np.dtype(value).name in _DTYPES
        except TypeError:
            return False
    return False


def _refuse_options(name: str, options: dict[str, Any]) -> None:
    for key, value in options.items():
        if key not in _UFUNC_OPTIONS:
            raise ArgumentError(f"{key} is an invalid keyword to function {name!r}")
        # NumPy's defaults change nothing, so programs may spell them out.
        if value != _UFUNC_OPTIONS[key]:
            raise NotImplementedError(
                f"{key}={value} is not implemented yet for operator {name}; leave {key} out"
            )


def wrap_np_unary_func(func: Callable[..., _R]) -> Callable[..., _R]:
    """Return a wrapper ``func(x, out=None, **kwargs)`` that accepts options of numpy's ufuncs.

    Options with other than default values raise NotImplementedError, and other keywords
    ArgumentError (a TypeError). The function gets ``x`` and ``out`` only.
    """

    @functools.wraps(func)
    def wrapped(x: Any, out: Any = None, **kwargs: Any) -> _R:
        _refuse_options(func.__name__, kwargs)
        return func(x, out=out)

    return wrapped


def wrap_np_binary_func(func: Callable[..., _R]) -> Callable[..., _R]:
    """Return a wrapper ``func(x1, x2, out=None, **kwargs)`` that accepts numpy's ufunc options."""

    @functools.wraps(func)
    def wrapped(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> _R:
        _refuse_options(func.__name__, kwargs)
        return func(x1, x2, out=out)

    return wrapped


_suggest_members(globals())
