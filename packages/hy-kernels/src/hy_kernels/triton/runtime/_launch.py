"""Launching: the one way by which host parts start device parts; it can be watched and recorded."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np
import torch
from triton import knobs
from triton.errors import TritonError

from hy_kernels.torch._tensor import Tensor

__all__ = [
    "Launch",
    "LaunchError",
    "capability",
    "compile_ahead",
    "interpreting",
    "launch",
    "on_device",
    "recorded",
    "runs_on",
    "watched",
]


class LaunchError(RuntimeError):
    """A device part cannot be compiled or started; the message names it and the reason."""


@dataclass(frozen=True)
class Launch:
    """One start of a device part."""

    kernel: Any
    """The function in Triton's language."""
    grid: tuple[int, ...]
    """How many programs there are along each axis."""
    arguments: tuple[Any, ...]
    constants: dict[str, Any]
    """What it is compiled for."""
    warps: int
    stages: int

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(self.kernel.fn.__name__)


_NEWEST = 90  # compute capability
_capabilities: list[int] = []
"""Of the GPUs for which launches are recorded."""


def capability(x: Tensor) -> int:
    """Return what the GPU of a tensor can do: 80 of an A100, 90 of an H100 or H200."""
    if x.device.type == "cuda":
        return _capability(x.device)
    return _capabilities[-1] if _capabilities else _NEWEST


@cache
def _capability(device: torch.device) -> int:
    major, minor = torch.cuda.get_device_capability(device)
    return int(10 * major + minor)


_watchers: list[list[Launch]] = []
_recorders: list[list[Launch]] = []


@cache
def interpreting() -> bool:
    """Return whether device parts run on the CPU, element by element: ``TRITON_INTERPRET=1``.

    Triton reads that when device parts are defined, and so it is read once here.
    """
    return bool(knobs.runtime.interpret)


_READ = frozenset(
    {
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool),
        *(torch.int8, torch.uint8, torch.int32, torch.int64),
    }
)
"""The dtypes of tensors that device parts read; torch's kernels compute on others."""


_ON_META, _ON_CPU, _ON_CUDA = map(attrgetter, ("is_meta", "is_cpu", "is_cuda"))


def runs_on(*tensors: Tensor | None) -> bool:
    """Return whether device parts can read these tensors where they are."""
    # One attribute takes a fifth of the time of a device and its type; there are some in each call.
    is_there = _ON_META if _recorders else _ON_CPU if interpreting() else _ON_CUDA
    for x in tensors:  # noqa: SIM110  # a generator takes half as long again
        if x is not None and (not is_there(x) or x.dtype not in _READ):
            return False
    return True


def launch(
    kernel: Any,
    grid: tuple[int, ...],
    *arguments: Any,
    warps: int = 4,
    stages: int = 2,
    **constants: Any,
) -> None:
    """Start a device part on ``grid``; where that is empty there is nothing to do.

    Args:
        kernel: The function in Triton's language.
        grid: How many programs there are along each axis.
        arguments: Tensors and numbers, by position; the first one is a tensor.
        warps: Warps of a program.
        stages: Stages of pipelined loops.
        constants: What it is compiled for, by name.

    Raises:
        LaunchError: It cannot be compiled or started.
    """
    if 0 in grid:
        return
    collected = getattr(_thread, "collected", None)
    if collected is not None:
        collected.append(Launch(kernel, grid, arguments, constants, warps, stages))
        return
    if _watchers or _recorders:
        values = Launch(kernel, grid, arguments, constants, warps, stages)
        for each in (*_watchers, *_recorders):
            each.append(values)
        if _recorders:
            return
    try:
        with on_device(arguments[0].device):
            kernel[grid](
                # Fused multiply-adds round once: more exact than torch's separate steps, never
                # less.
                *arguments,
                num_warps=warps,
                num_stages=stages,
                enable_fp_fusion=True,
                **constants,
            )
    except (TritonError, RuntimeError, NotImplementedError) as error:
        if not _is_of_launch(error):
            raise
        reason = f"{type(error).__name__}: {error}"
        raise LaunchError(f"Triton kernel {kernel.fn.__name__}: {reason}") from error


_BY_DRIVER = "Triton Error [CUDA]"
_EARLIER = ("illegal", "misaligned", "unspecified launch failure", "assert", "ECC")
"""Parts of the driver's messages on what went wrong in a kernel that ran before."""


def _is_of_launch(error: Exception) -> bool:
    """Return whether an error says that this kernel cannot be compiled or started.

    Others are those of whoever calls, or of memory, or of a kernel that ran before and has left the
    device unusable: computing by torch instead would hide them, or fail at another place.
    """
    if isinstance(error, TritonError | NotImplementedError):
        return True
    text = str(error)
    of_compiler = "PassManager" in text or "failed to translate" in text
    of_driver = _BY_DRIVER in text and not any(each in text for each in _EARLIER)
    return of_compiler or of_driver


_thread = threading.local()
_MAX_COMPILERS = 16  # threads


def compile_ahead(calls: Sequence[Callable[[], Any]]) -> None:
    """Compile what calls launch, several kernels at a time, and start nothing.

    Compilation spends its time in LLVM and ptxas, beside which other threads run. What does not
    compile is reported where it is launched.
    """
    _thread.collected = launches = list[Launch]()
    try:
        for call in calls:
            call()
    finally:
        _thread.collected = None
    if len(launches) > 1:
        workers = min(len(launches), os.cpu_count() or 1, _MAX_COMPILERS)
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(_compile, launches))


def _compile(launch: Launch) -> None:
    where = launch.arguments[0].device
    options: dict[str, Any] = {"num_warps": launch.warps, "num_stages": launch.stages}
    with suppress(TritonError, RuntimeError), on_device(where):
        launch.kernel.warmup(
            *launch.arguments,
            grid=launch.grid,
            enable_fp_fusion=True,
            **options,
            **launch.constants,
        )


_NOTHING = nullcontext()


def on_device(device: torch.device) -> AbstractContextManager[Any]:
    """Return the context of a launch: Triton starts it on torch's current device."""
    if device.type != "cuda":  # the interpreter computes with numpy, which would warn
        return np.errstate(all="ignore")
    if device.index == torch.cuda.current_device():
        return _NOTHING
    entered: AbstractContextManager[Any] = torch.cuda.device(device)
    return entered


@contextmanager
def watched() -> Iterator[list[Launch]]:
    """Within ``with``, the launches of all threads as they happen."""
    yield from _listening(_watchers)


@contextmanager
def recorded(capability: int = _NEWEST) -> Iterator[list[Launch]]:
    """Within ``with``, the launches on tensors of the device ``meta``, which have no content.

    That is how kernels are compiled ahead of time.

    Args:
        capability: Compute capability of the GPU for which launches are chosen: 80 for A100, 90
            for H100 and H200.
    """
    _capabilities.append(capability)
    try:
        yield from _listening(_recorders)
    finally:
        _capabilities.pop()


def _listening(listeners: list[list[Launch]]) -> Iterator[list[Launch]]:
    values: list[Launch] = []
    listeners.append(values)
    try:
        yield values
    finally:
        del listeners[next(i for i, each in enumerate(listeners) if each is values)]
