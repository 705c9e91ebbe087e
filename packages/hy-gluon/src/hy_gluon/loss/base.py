"""Loss: the base of all losses, and what they share."""

from numbers import Real
from typing import Any

from hy_gluon._errors import LayerError
from hy_gluon.block import HybridBlock

__all__ = ["Loss"]


class Loss(HybridBlock):
    """Base of all losses.

    Args:
        weight: What the loss is multiplied with, or None.
        batch_axis: The axis of the examples; a loss has one value for each of them.
    """

    def __init__(self, weight: float | None, batch_axis: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._weight = weight
        self._batch_axis = batch_axis

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the loss; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define hybrid_forward")

    def _weighted(self, F: Any, loss: Any, sample_weight: Any, weight: object) -> Any:
        """``loss`` times the weights of the examples and ``weight``, where they are given.

        Raises:
            LayerError: ``weight`` is no number.
        """
        if sample_weight is not None:
            loss = F.broadcast_mul(loss, sample_weight)
        if weight is None:
            return loss
        if not isinstance(weight, Real):
            raise LayerError(f"{type(self).__name__}: weight must be a number, not {weight!r}")
        return loss * weight

    def _mean(self, F: Any, loss: Any) -> Any:
        """The mean over all axes but that of the examples."""
        return F.mean(loss, axis=self._batch_axis, exclude=True)

    def _sum(self, F: Any, loss: Any) -> Any:
        """The sum over all axes but that of the examples."""
        return F.sum(loss, axis=self._batch_axis, exclude=True)
