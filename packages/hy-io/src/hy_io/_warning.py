"""Warnings attributed to the line of the user's program, however deep in the packages."""

import sys
import warnings

__all__ = ["warn"]

_WITHIN = frozenset(
    ("hy_gluon", "hy_io", "hy_kernels", "hy_ndarray", "hy_onnx", "hy_symbol", "mxnet")
)
"""Packages whose frames are passed over."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning attributed to the innermost line outside of these packages.

    ``hy_ndarray.warning.warn`` does the same, and this package imports none of the others.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals["__name__"].partition(".")[0] in _WITHIN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
