"""Capture of work as a CUDA graph, which is replayed without Python and kernel launches."""

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TypeAlias

import torch

from hy_kernels.torch._constants import captured_reads
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.runtime._capture_memory import capture_memory

Run: TypeAlias = Callable[[list[Tensor]], tuple[Tensor, ...]]
Draws: TypeAlias = tuple[torch.Generator, Callable[[], torch.Generator]]

_capturing = threading.Lock()
"""Torch captures one graph at a time in a process."""
_generator_lock = threading.Lock()
_streams: dict[torch.device, torch.cuda.Stream] = {}
"""Capture stream of each device: torch's default one belongs to the first device used."""


def capture(
    run: Run,
    inputs: Sequence[Tensor],
    fixed: Collection[int],
    lent: Collection[int],
    device: torch.device,
    draws: Draws | None = None,
) -> Callable[[Sequence[Tensor]], tuple[Tensor, ...]] | None:
    """Return a function that replays ``run`` as a CUDA graph; None for other devices.

    Memory allocated during the capture belongs to the device's graphs, see
    :class:`~hy_kernels.torch.runtime._capture_memory.CaptureMemory`.

    Args:
        run: Computes results from a list of tensors, which it empties.
        inputs: Example inputs.
        fixed: Positions of inputs that are the same tensors in each call.
        lent: Positions of results that are returned in the graph's own memory, without a copy.
        device: The device.
        draws: If ``run`` draws random numbers: the generator that it draws from, and a function
            that returns the generator whose state each call uses and advances.

    Raises:
        RuntimeError: The work synchronizes or copies to the host, or graphs have reached their
            memory limit.
    """
    return _Graph(run, inputs, fixed, lent, device, draws) if device.type == "cuda" else None


class _Graph:
    """Captured graph, with memory for the inputs that vary from call to call."""

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
        """Replay the graph with the state of the context's generator, and advance that generator.

        The graph has a generator of its own: one that takes part in a capture cannot draw
        elsewhere, and never again if the capture fails.
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
    """Scope that captures the work queued inside it, on the device's own stream.

    If it fails, torch leaves that stream current, and the device's default generator, which every
    graph registers, unable to draw: both are restored.
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
