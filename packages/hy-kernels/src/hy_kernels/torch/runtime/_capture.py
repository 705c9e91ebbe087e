"""Capture: work repeated as one CUDA graph, without Python and without launches."""

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TypeAlias

import torch

from hy_kernels.torch._constants import captured_reads
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.runtime._capture_memory import capture_memory

__all__ = ["capture"]

Run: TypeAlias = Callable[[list[Tensor]], tuple[Tensor, ...]]
Draws: TypeAlias = tuple[torch.Generator, Callable[[], torch.Generator]]

_capturing = threading.Lock()
"""Torch captures one graph at a time in a process."""
_generator_lock = threading.Lock()
_streams: dict[torch.device, torch.cuda.Stream] = {}
"""For each device one that is captured: torch's own belongs to the device that is used first."""


def capture(
    run: Run,
    inputs: Sequence[Tensor],
    fixed: Collection[int],
    lent: Collection[int],
    device: torch.device,
    draws: Draws | None = None,
) -> Callable[[Sequence[Tensor]], tuple[Tensor, ...]] | None:
    """Return a CUDA graph of ``run``; None on other devices.

    What is made while it is captured lives in memory of the device's graphs, see
    :class:`~hy_kernels.torch.runtime._capture_memory.CaptureMemory`.

    Args:
        run: Computes results from a list of tensors, which it empties.
        inputs: Tensors that it may be called with.
        fixed: Positions of those that are the same each time.
        lent: Positions of the results that are given as they lie there, not copied.
        device: Where they are.
        draws: If it draws random numbers, the generator that it draws from, and what gives
            the one whose next numbers each call is to draw.

    Raises:
        RuntimeError: Something is waited for, or copied to the host; or graphs hold as much memory
            as they may.
    """
    return _Graph(run, inputs, fixed, lent, device, draws) if device.type == "cuda" else None


class _Graph:
    """Captured graph with memory for the inputs that vary from call to call."""

    def __init__(
        self,
        run: Run,
        inputs: Sequence[Tensor],
        fixed: Collection[int],
        lent: Collection[int],
        device: torch.device,
        draws: Draws | None,
    ) -> None:
        memory, shared = capture_memory(device), not lent
        self._varying = [k for k in range(len(inputs)) if k not in fixed]
        self._draws = draws
        self._queueing = memory.queueing if shared else nullcontext
        with _capturing:
            memory.check()
            # A graph holds addresses: what differs from call to call is copied to memory of its
            # own.
            operands = [x if k in fixed else x.clone() for k, x in enumerate(inputs)]
            self._own = [operands[k] for k in self._varying]
            self._graph = torch.cuda.CUDAGraph()
            if draws is not None:
                self._graph.register_generator_state(draws[0])
            pool = memory.pool() if shared else None
            with captured_reads() as self._reads, _captured(self._graph, device, pool):
                before = torch.cuda.memory_reserved(device)
                self._results = run([*operands])
                size = torch.cuda.memory_reserved(device) - before
            memory.add(self, max(size, 0), shared=shared)
        self._returned = [k for k in range(len(self._results)) if k not in lent]

    def __call__(self, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        _copy(self._own, [tensors[k] for k in self._varying])
        result = [*self._results]
        for k in self._returned:
            result[k] = torch.empty_like(result[k])
        with self._queueing():
            self._replay()
            _copy([result[k] for k in self._returned], [self._results[k] for k in self._returned])
        return tuple(result)

    def _replay(self) -> None:
        """Replay the graph, which draws from the context's generator and advances it.

        It has a generator of its own: one that is being captured draws for nobody else, and where
        that fails it never draws again.
        """
        if self._draws is None:
            self._graph.replay()
            return
        own, theirs = self._draws
        with _generator_lock:  # two of them would draw the same numbers
            stream = theirs()
            own.set_state(stream.get_state())
            self._graph.replay()
            stream.set_state(own.get_state())


@contextmanager
def _captured(
    graph: torch.cuda.CUDAGraph, device: torch.device, pool: object | None
) -> Iterator[None]:
    """Scope that captures work queued inside it, on the device's own stream.

    Where that fails, torch leaves that stream the current one and the generator of the device,
    which every graph takes part in, unable to draw: both are put back.
    """
    with torch.cuda.device(device):
        stream = _streams.get(device)
        if stream is None:
            stream = _streams.setdefault(device, torch.cuda.Stream(device))
        torch_s = torch.cuda.default_generators[torch.cuda.current_device()]
        state = torch_s.clone_state()
        others = "thread_local"  # what other threads do meanwhile is no fault of this one
        try:
            with (
                torch.cuda.stream(torch.cuda.current_stream(device)),
                torch.cuda.graph(graph, pool=pool, stream=stream, capture_error_mode=others),
            ):
                yield
        except BaseException:
            torch_s.graphsafe_set_state(state)
            raise


def _copy(targets: list[Tensor], sources: list[Tensor]) -> None:
    """Copy all sources to their targets in one launch per dtype."""
    if targets:
        torch._foreach_copy_(targets, sources)
