"""What the kernels of this table share: the array type, sum dtypes, quiet inf and nan."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "accumulator", "quiet"]

Array: TypeAlias = npt.NDArray[Any]
P = ParamSpec("P")
R = TypeVar("R")


def quiet(kernel: Callable[P, R]) -> Callable[P, R]:
    """``kernel`` without numpy's warnings where inf and nan are ordinary results."""
    return np.errstate(all="ignore")(kernel)


def accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype sums of ``dtype`` are computed in: float32 for the 16-bit ones, else itself."""
    return np.dtype(np.float32) if dtype.itemsize == 2 and dtype.kind in "fV" else dtype
