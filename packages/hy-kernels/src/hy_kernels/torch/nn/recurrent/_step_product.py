"""StepProduct: product of one matrix with the states of a loop over time."""

from typing import Any

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.runtime._onednn import has_onednn, linear


class StepProduct:
    """Product ``state · weightᵀ`` for many states; oneDNN packs the weight once.

    Args:
        weight: ``[G, R]``.
        rows: Number of rows of the states.
        steps: Number of products to compute.
    """

    def __init__(self, weight: Tensor, rows: int, steps: int) -> None:
        costs = COSTS.recurrent
        is_profitable = steps >= costs.packed_steps and rows * weight.numel() >= costs.packed
        is_profitable = is_profitable and has_onednn(weight)
        is_profitable = (
            is_profitable and not torch.compiler.is_compiling()
        )  # exported programs pack no weights
        onednn: Any = torch.ops.mkldnn
        self._packed = (
            onednn._reorder_linear_weight(weight.contiguous(), rows) if is_profitable else None
        )
        self._transposed = weight.t()

    def __call__(self, state: Tensor) -> Tensor:
        """Return the product."""
        if self._packed is None:
            return torch.mm(state, self._transposed)
        return linear(state, self._packed, None, "none", ())

    def add_to(self, sums: Tensor, state: Tensor) -> Tensor:
        """Add the product to ``sums`` in place, and return ``sums``."""
        if self._packed is None:
            return sums.addmm_(state, self._transposed)
        return sums.add_(linear(state, self._packed, None, "none", ()))
