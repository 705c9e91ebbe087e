"""Connectionist temporal classification by torch's CPU kernels, which require lengths.

Their gradient is that to the input of ``log_softmax``.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from hy_kernels.torch._tensor import Tensor

_aten: Any = torch.ops.aten


class Sequences(NamedTuple):
    """A batch of sequences as operands of torch's kernels."""

    log_p: Tensor
    """``[T, N, C]``."""
    labels: Tensor
    """``[N, L]``, int64."""
    steps: Sequence[int]
    counts: Sequence[int]
    """Number of labels of each sequence; ``steps``: number of steps."""
    blank: int

    @staticmethod
    def of(
        log_p: Tensor, labels: Tensor, lengths: Tensor | None, counts: Tensor, blank: int
    ) -> "Sequences | None":
        """Return the batch, or None if torch's kernels do not support it or differ in meaning."""
        whole, batch, classes = log_p.shape
        # Empty tensors have no paths, and torch's kernel refuses them.
        if not log_p.is_cpu or not log_p.numel() or not labels.numel():
            return None
        steps = [whole] * batch if lengths is None else lengths.tolist()
        # torch's kernel takes a sequence without steps for an error, hy's gives it a loss.
        if min(steps) < 1:
            return None
        sizes = counts.tolist()
        known = labels.clamp(0, classes - 1)
        positions = torch.arange(labels.shape[1])
        # torch's gradient is wrong if a label is the blank.
        if torch.any((known == blank) & (positions < counts[:, None])):
            return None
        return Sequences(log_p=log_p, labels=known, steps=steps, counts=sizes, blank=blank)

    def loss(self) -> tuple[Tensor, Tensor]:
        """Return the losses, and the probabilities of paths that the gradient needs.

        Returns:
            ``[N]``, the negative log probability of the labels, inf if they are impossible;
            ``[N, T, S]``, the log probability of the path prefixes that end at each step in each
            of ``S = 2 L + 1`` states.
        """
        result: tuple[Tensor, Tensor] = _aten._ctc_loss.default(
            self.log_p, self.labels, self.steps, self.counts, self.blank
        )
        return result

    def gradient(self, dy: Tensor) -> Tensor:
        """Return the gradient ``[T, N, C]``; 0 where the labels are impossible."""
        loss, paths = self.loss()
        # The forward pass again: its paths are not kept between the two operators.
        arguments = self.steps, self.counts, loss, paths, self.blank, True
        dx: Tensor = _aten._ctc_loss_backward.default(dy, self.log_p, self.labels, *arguments)
        return dx
