"""The line of the user's program that a call comes from."""

import sys
from types import FrameType

_OURS = ("hy_symbol", "hy_ndarray", "hy_gluon", "hy_kernels", "hy_onnx")


class _Modules(dict[str | None, bool]):
    """Cache by module name of whether the module belongs to a hy package."""

    def __missing__(self, module: str | None) -> bool:
        self[module] = is_own = module is not None and module.startswith(_OURS)
        return is_own


# A dict, as symbols look up each frame below the user for every node: a hit runs no Python code.
_is_ours = _Modules()


def user_line() -> str | None:
    """Return ``file:line`` of the innermost caller outside the hy packages.

    Example:
        >>> file, _, number = user_line().rpartition(":")
        >>> number.isdigit()
        True
    """
    # Not inspect.stack(), which reads the source file of each frame.
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours[frame.f_globals.get("__name__")]:
        frame = frame.f_back
    return None if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
