"""Similarity losses of pairs and triplets."""

from typing import Any

from hy_gluon.loss.base import Loss, _MarginLoss, apply_weighting, reshape_like
from hy_gluon.loss.classification import KLDivLoss

__all__ = ["CosineEmbeddingLoss", "SDMLLoss", "TripletLoss"]


class TripletLoss(_MarginLoss):
    """Triplet loss ``max(0, |positive - pred|² - |negative - pred|² + margin)``, per example.

    Args:
        margin: Required difference between the squared distances.
        weight: Factor of the loss, or None.
        batch_axis: Axis of the examples.

    Source:
        Schroff, Kalenichenko, Philbin, arXiv:1503.03832.

    Example:
        >>> anchor, near, far = nd.array([[0]]), nd.array([[1]]), nd.array([[3]])
        >>> TripletLoss(margin=10)(anchor, near, far).asnumpy()
        array([2.], dtype=float32)
    """

    def hybrid_forward(self, F: Any, pred: Any, positive: Any, negative: Any) -> Any:
        """Return the loss of each example.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            pred: The anchors.
            positive: Examples that should be near the anchors, with the same number of elements.
            negative: Examples that should be far from them, with the same number of elements.
        """
        positive = reshape_like(F, positive, pred)
        negative = reshape_like(F, negative, pred)
        gap = self._hy_sum(F, F.square(positive - pred) - F.square(negative - pred))
        return apply_weighting(F, F.relu(gap + self._margin), self._weight)


class CosineEmbeddingLoss(Loss):
    """Cosine loss: ``1 - cos`` for pairs labelled 1, ``max(0, cos - margin)`` for -1.

    The result has the shape ``[batch, 1]``.

    Args:
        weight: Factor of the loss, or None.
        batch_axis: Axis of the examples.
        margin: Cosine up to which pairs labelled -1 cost nothing.

    Example:
        >>> one, other = nd.array([[1, 0], [1, 0]]), nd.array([[0, 1], [1, 0]])
        >>> CosineEmbeddingLoss()(one, other, nd.array([1, -1])).asnumpy()
        array([[1.],
               [1.]], dtype=float32)
    """

    def __init__(
        self, weight: float | None = None, batch_axis: int = 0, margin: float = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(
        self, F: Any, input1: Any, input2: Any, label: Any, sample_weight: Any = None
    ) -> Any:
        """Return the loss of each pair.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            input1: ``[batch, size]``.
            input2: The other vectors, with the same number of elements.
            label: ``[batch]``: 1 for similar pairs, -1 for dissimilar ones.
            sample_weight: Factors, ``[batch, 1]``.
        """
        input1 = reshape_like(F, input1, input2)
        label = F.reshape(label, shape=(-1, 1))
        cosine = self._cosine(F, input1, input2)
        is_similar = label == 1
        other = label == -1
        loss = is_similar * (1 - cosine) + F.relu(other * (cosine - self._margin))
        return apply_weighting(F, loss, self._weight, sample_weight)

    def _cosine(self, F: Any, x: Any, y: Any) -> Any:
        x_norm = F.reshape(F.norm(x, axis=-1), shape=(-1, 1))
        y_norm = F.reshape(F.norm(y, axis=-1), shape=(-1, 1))
        product = F.reshape(F.sum(x * y, axis=-1), shape=(-1, 1))
        # A vector of zeros has the cosine 0, not nan.
        return product / F._internal._maximum_scalar(x_norm * y_norm, scalar=1e-12)


class SDMLLoss(Loss):
    """Smoothed deep metric learning: each row of ``x1`` should be nearest to its row of ``x2``.

    All other rows of the batch are negative examples. The loss is the divergence between softmax
    of negative squared distances and smoothed labels.

    Args:
        smoothing_parameter: Probability spread over the other rows.
        weight: Shown in the repr only; the loss has no weight.
        batch_axis: Shown in the repr only; the axis of the examples is 0.

    Source:
        Bonadiman, Kumar, Mittal, arXiv:1905.12786.

    Example:
        >>> rows = nd.array([[0, 9], [9, 0]])
        >>> SDMLLoss(smoothing_parameter=0)(rows, rows).asnumpy().round(4)
        array([0., 0.], dtype=float32)
    """

    def __init__(
        self,
        smoothing_parameter: float = 0.3,
        weight: float | None = 1.0,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self.kl_loss = KLDivLoss(from_logits=True)
        self.smoothing_parameter = smoothing_parameter

    def hybrid_forward(self, F: Any, x1: Any, x2: Any) -> Any:
        """Return the loss of each row.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            x1: ``[batch, size]``, at least two rows.
            x2: The row that belongs to each row of ``x1``; the same shape.
        """
        difference = F.broadcast_sub(F.expand_dims(x1, axis=1), F.expand_dims(x2, axis=0))
        distances = F.sum(F.square(difference), axis=2)
        log_probabilities = F.log_softmax(-distances, axis=1)
        return self.kl_loss(log_probabilities, self._labels(F, distances))

    def _labels(self, F: Any, distances: Any) -> Any:
        """Return a matrix of ``1 - smoothing`` on the diagonal, the rest spread over each row."""
        smoothing = self.smoothing_parameter
        columns = F.contrib.arange_like(distances, axis=1)
        rows = F.expand_dims(F.contrib.arange_like(distances, axis=0), axis=1)
        same = F.broadcast_equal(rows, columns)
        # Counted by operators, since a symbol does not know its shape.
        others = F.sum(F.ones_like(distances), axis=1, keepdims=True) - 1
        return same * (1 - smoothing) + F.broadcast_div((1 - same) * smoothing, others)
