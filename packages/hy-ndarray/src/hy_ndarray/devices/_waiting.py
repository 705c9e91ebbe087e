"""Waiting: kernels that are waited for, so that an error is one of the call that made it."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hy_ndarray.devices._protocols import BufferType, Kernel, KernelFunction

__all__ = ["is_asked_for", "waiting"]


def is_asked_for() -> bool:
    """Whether ``sync`` is among the words of the environment's ``HY_DEBUG``."""
    return "sync" in os.environ.get("HY_DEBUG", "").split(",")


@dataclass(frozen=True)
class _Waiting:
    """The record of such a kernel."""

    name: str
    function: KernelFunction
    out: Literal["none", "apart", "in place"]
    pointwise: bool
    threads: int | None
    specialize: (
        Callable[[Sequence[BufferType | None], Mapping[str, Any]], KernelFunction | None] | None
    )
    bind: None = None
    loads: tuple[str, ...] = ()


def waiting(record: Kernel, wait: Callable[[], None]) -> Kernel:
    """A kernel that calls ``wait`` when it has computed."""

    def ended(function: KernelFunction) -> KernelFunction:
        def run(*inputs: Any, **params: Any) -> Any:
            results = function(*inputs, **params)
            wait()
            return results

        return run

    made = record.specialize

    def specialize(
        types: Sequence[BufferType | None], params: Mapping[str, Any]
    ) -> KernelFunction | None:
        found = None if made is None else made(types, params)
        return None if found is None else ended(found)

    return _Waiting(
        record.name,
        ended(record.function),
        record.out,
        record.pointwise,
        record.threads,
        None if made is None else specialize,
    )
