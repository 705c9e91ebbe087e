"""Lost: stand-in for the table of a device that a forked process cannot use."""

from typing import Any

from hy_ndarray._errors import ContextError


class Lost:
    """Stand-in for a lost device's table and memory: every attribute access raises an error.

    Args:
        why: The message of the error.
    """

    def __init__(self, why: str) -> None:
        self._why = why

    def __getattr__(self, name: str) -> Any:
        raise ContextError(self._why)
