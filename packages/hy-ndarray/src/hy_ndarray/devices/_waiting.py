"""Synchronization after each kernel, so that the failing call itself raises its error."""

import os
from collections.abc import Callable
from typing import Any

from hy_ndarray.devices._protocols import Kernel, KernelFunction, Params
from hy_ndarray.devices._wrapping import wrapped


def is_asked_for() -> bool:
    """Return whether ``HY_DEBUG`` contains ``sync``."""
    return "sync" in os.environ.get("HY_DEBUG", "").split(",")


def waiting(record: Kernel, wait: Callable[[], None]) -> Kernel:
    """Return a kernel that calls ``wait`` after each call."""

    def ended(function: KernelFunction, _: Params) -> KernelFunction:
        def run(*inputs: Any, **params: Any) -> Any:
            results = function(*inputs, **params)
            wait()
            return results

        return run

    return wrapped(record, ended)
