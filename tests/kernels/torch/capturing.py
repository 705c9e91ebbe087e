"""CapturingTable: the torch table on the CPU, whose captures run again what reads no number."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from hy_kernels.torch import table

__all__ = ["CapturingTable", "NoHost"]

Run = Callable[[list[torch.Tensor]], tuple[torch.Tensor, ...]]


class NoHost(TorchDispatchMode):  # type: ignore[misc,unused-ignore]  # Any without torch
    """Refuses what waits for a GPU, and so cannot be captured."""

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        names = ("_local_scalar_dense", "is_nonzero", "equal", "nonzero", "_to_copy.cpu")
        if function.__name__.split(".")[0] in names:
            raise RuntimeError(f"{function.__name__} reads on the host")
        return function(*args, **(kwargs or {}))


class CapturingTable:
    """The torch table, which runs again what reads nothing on the host."""

    capture_types = ("cpu",)
    captures_draws = True

    def __init__(self) -> None:
        self.again = 0
        """Replays of all captures."""

    def __getattr__(self, name: str) -> Any:
        return getattr(table(), name)

    def capture(
        self,
        run: Run,
        inputs: Sequence[torch.Tensor],
        fixed: Collection[int],
        lent: Collection[int],
        device: torch.device,
        draws: Any = None,
    ) -> Callable[[Sequence[torch.Tensor]], tuple[torch.Tensor, ...]]:
        del lent, device, draws
        own = [x if k in fixed else x.clone() for k, x in enumerate(inputs)]
        with NoHost():  # on copies: what is captured has no effect
            run([x.clone() for x in own])

        def again(tensors: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
            self.again += 1
            for mine, x in zip(own, tensors, strict=True):
                mine.copy_(x)
            return run([*own])

        return again
