"""Calls: counts the functions of torch that a block of code calls, each of which is a launch."""

from collections import Counter
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

__all__ = ["Calls"]

_NO_LAUNCH = (
    *("detach", "select", "reshape", "view", "transpose", "permute", "alias", "t"),
    *("empty", "empty_like", "empty_strided", "new_empty"),
)
"""Views and memory without content."""


class Calls(TorchDispatchMode):  # type: ignore[misc,unused-ignore]  # Any without torch
    """Counts what would be launched, by name."""

    def __init__(self) -> None:
        super().__init__()
        self.of: Counter[str] = Counter()

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        name = function.__name__.split(".")[0]
        if name not in _NO_LAUNCH:
            self.of[name] += 1
        return function(*args, **(kwargs or {}))
