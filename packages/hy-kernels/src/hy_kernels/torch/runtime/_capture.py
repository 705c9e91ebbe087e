"""Capture: the same work again as one CUDA graph, without Python and without launches."""

import threading
from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.runtime._copies import copy_sources

__all__ = ["capture"]

Run: TypeAlias = Callable[[list[Tensor]], tuple[Tensor, ...]]
Draws: TypeAlias = tuple[torch.Generator, Callable[[], torch.Generator]]
_handing_over = threading.Lock()


def capture(
    run: Run,
    inputs: Sequence[Tensor],
    fixed: Collection[int],
    lent: Collection[int],
    device: torch.device,
    draws: Draws | None = None,
) -> Callable[[Sequence[Tensor]], tuple[Tensor, ...]] | None:
    """A CUDA graph of ``run``; None on other devices.

    What is made while it is captured lives in memory of its own as long as the graph does. Graphs
    of one device share no pool: in it one may write where another, captured before, has its
    results. That would be safe if each were read before any other runs; but threads run graphs
    between each other's, and what a forward pass lends is read after other graphs ran.

    Args:
        run: Computes results from a list of tensors, which it empties.
        inputs: Tensors that it may be called with.
        fixed: Positions of those that are the same each time.
        lent: Positions of the results that are given as they lie there, not copied.
        device: Where they are.
        draws: Of work that draws random numbers the generator that it draws from, and what gives
            the one whose next numbers each call is to draw.

    Raises:
        RuntimeError: Something is waited for, or copied to the host.
    """
    return _Graph(run, inputs, fixed, lent, device, draws) if device.type == "cuda" else None


class _Graph:
    """A captured graph, with memory for the inputs that differ from call to call."""

    def __init__(
        self,
        run: Run,
        inputs: Sequence[Tensor],
        fixed: Collection[int],
        lent: Collection[int],
        device: torch.device,
        draws: Draws | None,
    ) -> None:
        self._varying = [k for k in range(len(inputs)) if k not in fixed]
        operands = [x if k in fixed else x.clone() for k, x in enumerate(inputs)]
        self._own = [operands[k] for k in self._varying]
        self._graph = torch.cuda.CUDAGraph()
        self._draws = draws
        if draws is not None:
            self._graph.register_generator_state(draws[0])
        others = "thread_local"  # what other threads do meanwhile is no fault of this one
        with (
            copy_sources() as self._sources,
            torch.cuda.device(device),
            torch.cuda.graph(self._graph, capture_error_mode=others),
        ):
            self._results = run([*operands])
        self._returned = [k for k in range(len(self._results)) if k not in lent]

    def __call__(self, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        _copy(self._own, [tensors[k] for k in self._varying])
        self._replay()
        result = [*self._results]
        for k in self._returned:
            result[k] = torch.empty_like(result[k])
        _copy([result[k] for k in self._returned], [self._results[k] for k in self._returned])
        return tuple(result)

    def _replay(self) -> None:
        """Run it; it draws what the context's generator would have, which goes on behind that.

        It has a generator of its own: one that is being captured draws for nobody else, and where
        that fails it never draws again.
        """
        if self._draws is None:
            self._graph.replay()
            return
        own, theirs = self._draws
        with _handing_over:  # two of them would draw the same numbers
            stream = theirs()
            own.set_state(stream.get_state())
            self._graph.replay()
            stream.set_state(own.get_state())


def _copy(targets: list[Tensor], sources: list[Tensor]) -> None:
    """All in as few launches as there are dtypes."""
    if targets:
        torch._foreach_copy_(targets, sources)
