"""Operators MXNet keeps under ``nd.contrib``, and its tests for special numbers."""

import math
from typing import TYPE_CHECKING, Any

from hy_ndarray.nd import _functions
from hy_ndarray.nd._control_flow import cond, foreach, while_loop
from hy_ndarray.ndarray import NDArray

__all__ = ["cond", "foreach", "isfinite", "isinf", "isnan", "while_loop"]


def isnan(data: NDArray) -> Any:
    """1 where an element is not a number, else 0, in the dtype of ``data``."""
    return data != data  # noqa: PLR0124  # nan alone differs from itself


def isinf(data: NDArray) -> Any:
    """1 where an element is infinite, else 0, in the dtype of ``data``."""
    return data.abs() == math.inf


def isfinite(data: NDArray) -> Any:
    """1 where an element is neither infinite nor nan, else 0, in the dtype of ``data``.

    Example:
        >>> from hy_ndarray import nd
        >>> isfinite(nd.array([1.0, math.inf, math.nan])).asnumpy()
        array([1., 0., 0.], dtype=float32)
    """
    return 1 - isinf(data) - isnan(data)


if TYPE_CHECKING:
    from hy_ndarray.nd._operators.contrib import *  # noqa: F403  # written by `hatch run stubs`
else:

    def __getattr__(name: str) -> Any:
        """The operator function of that name, made when first asked for."""
        return _functions.attribute(__name__, globals(), name, "contrib")


def __dir__() -> list[str]:
    return sorted({*globals(), *_functions.names("contrib")})
