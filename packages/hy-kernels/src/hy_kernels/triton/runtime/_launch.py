"""Launching of device functions; launches can be observed, and recorded without a GPU."""

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


class LaunchError(RuntimeError):
    """A kernel cannot be compiled or launched; the message names the kernel and the reason."""


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel: its function, grid, arguments and options."""

    kernel: Any
    """The function in Triton's language."""
    grid: tuple[int, ...]
    """Number of programs along each axis."""
    arguments: tuple[Any, ...]
    constants: dict[str, Any]
    """Compile-time constants."""
    warps: int
    stages: int

    @property
    def name(self) -> str:
        """Name of the kernel's function."""
        return str(self.kernel.fn.__name__)


_NEWEST = 90  # compute capability
_MULTIPROCESSORS = 132  # of an H100
_capabilities: list[int] = []
"""Compute capabilities of the nested :func:`recorded` scopes; the last one counts."""


def capability(x: Tensor) -> int:
    """Return the compute capability of a tensor's GPU: 80 for A100, 90 for H100 and H200.

    In :func:`recorded`, which has no GPU, the capability given there.
    """
    if x.device.type == "cuda":
        return _capability(x.device)
    return _capabilities[-1] if _capabilities else _NEWEST


def multiprocessors(x: Tensor) -> int:
    """Return the number of multiprocessors of a tensor's GPU; without a GPU that of an H100."""
    return _multiprocessors(x.device) if x.device.type == "cuda" else _MULTIPROCESSORS


@cache
def _multiprocessors(device: torch.device) -> int:
    return int(torch.cuda.get_device_properties(device).multi_processor_count)


@cache
def _capability(device: torch.device) -> int:
    major, minor = torch.cuda.get_device_capability(device)
    return int(10 * major + minor)


_watchers: list[list[Launch]] = []
_recorders: list[list[Launch]] = []


@cache
def interpreting() -> bool:
    """Return whether kernels run in Triton's interpreter on the CPU (``TRITON_INTERPRET=1``).

    Triton reads the variable when kernels are defined, so it is read only once here too.
    """
    return bool(knobs.runtime.interpret)


_READ = frozenset(
    {
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool),
        *(torch.int8, torch.uint8, torch.int32, torch.int64),
    }
)
"""Dtypes that Triton kernels read; tensors of others fall back to torch."""


_ON_META, _ON_CPU, _ON_CUDA = map(attrgetter, ("is_meta", "is_cpu", "is_cuda"))


def device_check() -> Callable[[Tensor], bool]:
    """Return the predicate of tensors that are where Triton kernels run."""
    # One attribute takes a fifth of the time of a device and its type; there are some in each call.
    return _ON_META if _recorders else _ON_CPU if interpreting() else _ON_CUDA


def runs_on(*tensors: Tensor | None) -> bool:
    """Return whether Triton kernels can read all tensors: their device and dtype are supported."""
    is_there = device_check()
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
    """Launch a kernel; does nothing if the grid is empty.

    Args:
        kernel: The function in Triton's language.
        grid: Number of programs along each axis.
        arguments: Tensors and numbers, by position; the first one is a tensor.
        warps: Warps per program.
        stages: Stages of pipelined loops.
        constants: Compile-time constants, by name.

    Raises:
        LaunchError: The kernel cannot be compiled or launched.
    """
    if 0 in grid:
        return
    # Of this thread alone: others launch as usual while one collects.
    collected = getattr(_thread, "collected", None)
    if collected is not None:
        collected.append(Launch(kernel, grid, arguments, constants, warps, stages))
        return
    if _watchers or _recorders:
        values = Launch(kernel, grid, arguments, constants, warps, stages)
        for each in (*_watchers, *_recorders):
            each.append(values)
        if _recorders:
            # Tensors of the device meta have no memory to run on.
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
"""Parts of driver messages about an error in a kernel that ran before."""


def _is_of_launch(error: Exception) -> bool:
    """Return whether an error means that this kernel cannot be compiled or launched.

    Other errors are the caller's, a lack of memory, or those of an earlier kernel that left the
    device unusable: a fallback to torch would hide them, or fail elsewhere.
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
    """Compile the kernels that calls would launch, in parallel, without running them.

    Compilation spends its time in LLVM and ptxas, which other threads run beside. A kernel that
    does not compile is reported when it is launched.
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
    """Return a context manager that makes ``device`` torch's current one, where Triton launches.

    On CPUs it silences the floating-point warnings of the interpreter's numpy.
    """
    if device.type != "cuda":  # the interpreter computes with numpy, which would warn
        return np.errstate(all="ignore")
    if device.index == torch.cuda.current_device():
        return _NOTHING
    entered: AbstractContextManager[Any] = torch.cuda.device(device)
    return entered


@contextmanager
def watched() -> Iterator[list[Launch]]:
    """Scope that yields a list of the launches of all threads, in order, as they happen."""
    yield from _listening(_watchers)


@contextmanager
def recorded(capability: int = _NEWEST) -> Iterator[list[Launch]]:
    """Scope that records launches on tensors of the device ``meta`` in a list, and runs none.

    Kernels are compiled ahead of time from such launches.

    Args:
        capability: Compute capability of the GPU to record for: 80 for A100, 90 for H100 and H200.
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
        # By identity: lists of nested scopes may be equal, as empty ones are.
        del listeners[next(i for i, each in enumerate(listeners) if each is values)]
