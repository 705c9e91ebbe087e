"""Focal loss: a cross entropy that gives easy examples little weight."""

from typing import Any

from hy_gluon.loss.base import Loss, apply_weighting, reshape_like

__all__ = ["FocalLoss"]


class FocalLoss(Loss):
    """Cross entropy of binary labels times ``(1 - p)^gamma``, averaged for each example.

    ``p`` is the probability that the prediction gives to the label.

    Args:
        alpha: Factor of positive labels, ``1 - alpha`` that of negative ones; None for neither.
        gamma: Exponent that reduces the weight of easy examples; 0 gives the cross entropy.
        weight: Factor of the loss, or None.
        batch_axis: Axis of the examples.

    Source:
        Lin et al. 2017, arXiv:1708.02002, eq. 5.

    Example:
        >>> FocalLoss()(nd.array([[0], [5]]), nd.array([[1], [1]])).asnumpy().round(4)
        array([0.0433, 0.    ], dtype=float32)
    """

    def __init__(
        self,
        alpha: float | None = 0.25,
        gamma: float = 2.0,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._alpha, self._gamma = alpha, gamma

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each example.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            pred: Scores, before the sigmoid.
            label: Labels 0 or 1, with the same number of elements.
            sample_weight: Factors that broadcast to ``pred``.
        """
        label = reshape_like(F, label, pred)
        towards = pred * (2 * label - 1)
        # log(1 - p) of the label is the logarithm of the sigmoid of the score away from it.
        missed = -F.relu(towards) - F.Activation(-F.abs(towards), act_type="softrelu")
        loss = (missed + towards) * -F.exp(missed * self._gamma)
        if self._alpha is not None:
            loss = loss * (label * self._alpha + (1 - label) * (1 - self._alpha))
        return self._hy_mean(F, apply_weighting(F, loss, self._weight, sample_weight))
