"""Default contexts, and tolerances by dtype."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray import Context, current_context
from hy_ndarray.devices.context import set_default_context

__all__ = [
    "Tolerance",
    "default_atols",
    "default_context",
    "default_dtype",
    "default_numeric_eps",
    "default_rtols",
    "effective_dtype",
    "get_atol",
    "get_etol",
    "get_rtol",
    "get_tolerance",
    "get_tols",
    "set_default_context",
]

Tolerance: TypeAlias = float | Mapping[np.dtype[Any], float]
"""One for all dtypes, or one by dtype."""

_INTEGERS = ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64")


def _by_dtype(half: float, single: float, double: float) -> dict[np.dtype[Any], float]:
    floats = {"float16": half, "float32": single, "float64": double}
    return {np.dtype(name): value for name, value in (floats | dict.fromkeys(_INTEGERS, 0)).items()}


def default_context() -> Context:
    """Return the current context, which checks use by default."""
    return current_context()


def default_dtype() -> type[np.float32]:
    """Return the default dtype of random arrays, float32."""
    return np.float32


def default_rtols() -> dict[np.dtype[Any], float]:
    """Return relative tolerances by dtype: float16 1e-2, float32 1e-4, float64 1e-5."""
    return _by_dtype(1e-2, 1e-4, 1e-5)


def default_atols() -> dict[np.dtype[Any], float]:
    """Return absolute tolerances by dtype: float16 0.1, float32 1e-3, float64 1e-20."""
    return _by_dtype(1e-1, 1e-3, 1e-20)


def default_numeric_eps() -> dict[np.dtype[Any], float]:
    """Return the step sizes of numerical gradients by dtype, as powers of 2."""
    # Powers of two, so that adding the step to a value rounds as little as can be.
    steps = {"float16": 2.0**-6, "float32": 2.0**-9, "float64": 2.0**-14}
    return {np.dtype(name): step for name, step in steps.items()}


def get_rtol(rtol: Any = None, dtype: npt.DTypeLike = np.dtype("float64")) -> Any:  # noqa: B008
    """Return ``rtol``, or the relative tolerance of a dtype if None."""
    return default_rtols()[np.dtype(dtype)] if rtol is None else rtol


def get_atol(atol: Any = None, dtype: npt.DTypeLike = np.dtype("float64")) -> Any:  # noqa: B008
    """Return ``atol``, or the absolute tolerance of a dtype if None."""
    return default_atols()[np.dtype(dtype)] if atol is None else atol


def get_etol(etol: float | None = None) -> float:
    """Return ``etol``, the share of elements that may differ, or 0 if None."""
    return 0 if etol is None else etol


def effective_dtype(dat: Any) -> np.dtype[Any]:
    """Return the dtype whose tolerances apply to an array or number."""
    return np.dtype(dat.dtype) if hasattr(dat, "dtype") else np.asarray(dat).dtype


def get_tolerance(
    dat: Any, tol: Tolerance | None, default_tol: Mapping[np.dtype[Any], float]
) -> float:
    """Return the tolerance of an array: ``tol``, its entry for the dtype, or the default."""
    if isinstance(tol, int | float):
        return tol
    table = default_tol if tol is None else tol
    return table.get(effective_dtype(dat), 0)


def get_tols(x: Any, y: Any, rtol: Tolerance | None, atol: Tolerance | None) -> tuple[float, float]:
    """Return the relative and absolute tolerance of two arrays: the larger of both.

    Example:
        >>> get_tols(np.ones(2, "float16"), np.ones(2, "float32"), None, None)
        (0.01, 0.1)
    """
    rtols, atols = default_rtols(), default_atols()
    return (
        max(get_tolerance(x, rtol, rtols), get_tolerance(y, rtol, rtols)),
        max(get_tolerance(x, atol, atols), get_tolerance(y, atol, atols)),
    )
