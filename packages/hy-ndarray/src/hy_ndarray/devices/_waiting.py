"""Waiting: kernels that are waited for, so that an error is one of the call that made it."""

import os
from collections.abc import Callable
from typing import Any

from hy_ndarray.devices._protocols import Kernel, KernelFunction, Params
from hy_ndarray.devices._wrapping import wrapped

__all__ = ["is_asked_for", "waiting"]


def is_asked_for() -> bool:
    """Whether ``sync`` is among the words of the environment's ``HY_DEBUG``."""
    return "sync" in os.environ.get("HY_DEBUG", "").split(",")


def waiting(record: Kernel, wait: Callable[[], None]) -> Kernel:
    """A kernel that calls ``wait`` when it has computed."""

    def ended(function: KernelFunction, _: Params) -> KernelFunction:
        def run(*inputs: Any, **params: Any) -> Any:
            results = function(*inputs, **params)
            wait()
            return results

        return run

    return wrapped(record, ended)
