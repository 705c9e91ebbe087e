"""Capture: the same work again as one CUDA graph, without Python and without launches."""

from collections.abc import Callable, Collection, Sequence

import torch

from hy_kernels.torch._tensor import Tensor

__all__ = ["capture"]


def capture(
    run: Callable[[list[Tensor]], tuple[Tensor, ...]],
    inputs: Sequence[Tensor],
    fixed: Collection[int],
    device: torch.device,
) -> Callable[[Sequence[Tensor]], tuple[Tensor, ...]] | None:
    """A CUDA graph of ``run``; None on other devices.

    What is made while it is captured lives in memory of its own as long as the graph does.

    Args:
        run: Computes results from a list of tensors, which it empties.
        inputs: Tensors that it may be called with.
        fixed: Positions of those that are the same each time.
        device: Where they are.

    Raises:
        RuntimeError: Something is waited for, or copied to the host.
    """
    return _Graph(run, inputs, fixed, device) if device.type == "cuda" else None


class _Graph:
    """A captured graph, with memory for the inputs that differ from call to call."""

    def __init__(
        self,
        run: Callable[[list[Tensor]], tuple[Tensor, ...]],
        inputs: Sequence[Tensor],
        fixed: Collection[int],
        device: torch.device,
    ) -> None:
        self._own = [x if k in fixed else x.clone() for k, x in enumerate(inputs)]
        self._varying = [k for k in range(len(inputs)) if k not in fixed]
        self._graph = torch.cuda.CUDAGraph()
        others = "thread_local"  # what other threads do meanwhile is no fault of this one
        with (
            torch.cuda.device(device),
            torch.cuda.graph(self._graph, capture_error_mode=others),
        ):
            self._results = run([*self._own])

    def __call__(self, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        for k in self._varying:
            self._own[k].copy_(tensors[k])
        self._graph.replay()
        return tuple([result.clone() for result in self._results])
