"""Lost: a device in a forked process that cannot use it."""

from typing import Any

from hy_ndarray._errors import ContextError

__all__ = ["Lost"]


class Lost:
    """Stand-in for a lost device's table and memory: every use raises an error.

    Args:
        why: What the error says.
    """

    def __init__(self, why: str) -> None:
        self._why = why

    def __getattr__(self, name: str) -> Any:
        raise ContextError(self._why)
