"""Switches and decorators of MXNet's ``util``."""

import os
from pathlib import Path
from typing import Any

from hy_ndarray.core.semantics import (
    is_np_array,
    is_np_shape,
    np_array,
    np_shape,
    reset_np,
    set_np,
    set_np_shape,
    use_np,
    use_np_array,
    use_np_shape,
)
from hy_ndarray.devices.context import num_gpus

__all__ = [
    "get_gpu_count",
    "getenv",
    "is_np_array",
    "is_np_shape",
    "makedirs",
    "np_array",
    "np_shape",
    "reset_np",
    "set_np",
    "set_np_shape",
    "setenv",
    "use_np",
    "use_np_array",
    "use_np_shape",
]


def makedirs(d: Any) -> None:
    """Make a folder and those above it; no effect where it exists."""
    Path(d).mkdir(parents=True, exist_ok=True)


def get_gpu_count() -> int:
    """How many GPUs the installed kernels can use."""
    return num_gpus()


def getenv(name: str) -> str | None:
    """An environment variable, None if it is not set."""
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Set an environment variable of this process; None removes it."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
