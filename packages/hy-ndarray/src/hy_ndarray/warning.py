"""Warnings that are attributed to the user's line that called hy."""

import sys
import warnings

__all__ = ["warn"]

_WITHIN = frozenset(
    (
        "contextlib",
        "functools",
        "hy_gluon",
        "hy_io",
        "hy_kernels",
        "hy_ndarray",
        "hy_onnx",
        "hy_symbol",
        "mxnet",
    )
)
"""Packages whose frames are skipped, and modules of Python between these frames."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning attributed to the innermost line outside of hy's packages.

    Args:
        message: The text.
        category: The kind of warning.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as seen:
        ...     warnings.simplefilter("always")
        ...     warn("look out")
        >>> str(seen[0].message), seen[0].category.__name__
        ('look out', 'UserWarning')
    """
    frame = sys._getframe(1)
    level = 2
    while frame.f_globals.get("__name__", "").partition(".")[0] in _WITHIN:
        if frame.f_back is None:  # a thread of hy's own
            break
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
