"""The numpy table without one of its optional parts."""

from typing import Any

from hy_ndarray import kernel_table

__all__ = ["lacking"]


class _Lacking:
    def __init__(self, part: str) -> None:
        self._table = kernel_table("numpy")
        self._part = part

    def __getattr__(self, name: str) -> Any:
        if name == self._part:
            raise AttributeError(name)
        return getattr(self._table, name)


def lacking(part: str) -> Any:
    """The table without ``part``."""
    return _Lacking(part)
