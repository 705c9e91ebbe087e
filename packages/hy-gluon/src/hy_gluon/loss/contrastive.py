"""Contrastive loss: each vector should be more similar to its partner than to other vectors."""

from typing import Any

from hy_gluon.loss.base import Loss, apply_weighting

__all__ = ["ContrastiveLoss"]


class ContrastiveLoss(Loss):
    """InfoNCE loss: cross entropy of matching vectors and partners by cosine, both ways.

    Args:
        temperature: Divisor of the cosines.
        weight: Factor of the loss, or None.

    Source:
        van den Oord, Li, Vinyals 2018, arXiv:1807.03748, eq. 4; in both directions: Radford et al.
        2021, arXiv:2103.00020, figure 3.

    Example:
        >>> x = nd.array([[1, 0], [0, 1]])
        >>> ContrastiveLoss(1.0)(x, x).asnumpy().round(4)
        array([0.3133, 0.3133], dtype=float32)
    """

    def __init__(
        self, temperature: float = 0.07, weight: float | None = None, **kwargs: Any
    ) -> None:
        super().__init__(weight, 0, **kwargs)
        self._temperature = temperature

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each pair.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            pred: ``[batch, size]``.
            label: Partner of each vector, ``[batch, size]``, in the same order.
            sample_weight: Factors of the pairs, ``[batch, 1]``.
        """
        one, other = (F.L2Normalization(x) for x in (pred, label))
        scores = F.dot(one, other, transpose_b=True) / self._temperature
        # The diagonal of the scores, as sums of products: an operator for diagonals would need the
        # size.
        own = F.sum(one * other, axis=1, keepdims=True) / self._temperature
        # Each row of differences is minus the logarithm of its sum, the same in all places.
        rows = F.slice_axis(F.log_softmax(scores, axis=1) - scores, axis=1, begin=0, end=1)
        columns = F.slice_axis(F.log_softmax(scores, axis=0) - scores, axis=0, begin=0, end=1)
        loss = -own - (rows + F.transpose(columns)) / 2
        return self._hy_mean(F, apply_weighting(F, loss, self._weight, sample_weight))
