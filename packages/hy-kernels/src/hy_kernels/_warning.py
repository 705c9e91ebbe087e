"""Warnings attributed to the line of the user's program that caused them."""

import sys
import warnings

_WITHIN = frozenset(
    ("hy_gluon", "hy_io", "hy_kernels", "hy_ndarray", "hy_onnx", "hy_symbol", "mxnet")
)
"""Packages whose stack frames are skipped."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning attributed to the innermost stack frame outside of hy's packages.

    The same as ``hy_ndarray.warning.warn``, because hy-kernels imports no other package of hy.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals["__name__"].partition(".")[0] in _WITHIN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
