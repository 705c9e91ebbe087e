"""Regression losses: L1, L2, Huber, Poisson."""

from math import pi
from typing import Any

from hy_gluon.loss.base import Loss, apply_weighting, reshape_like

__all__ = ["HuberLoss", "L1Loss", "L2Loss", "PoissonNLLLoss"]


class L2Loss(Loss):
    """Squared error ``weight / 2 (label - pred)²``, averaged for each example.

    Args:
        weight: Factor of the loss.
        batch_axis: Axis of the examples.

    Example:
        >>> L2Loss()(nd.array([[1, 2]]), nd.array([[3, 2]])).asnumpy()
        array([1.], dtype=float32)
    """

    def __init__(self, weight: float = 1.0, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each example.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            pred: Predictions.
            label: Targets, with the same number of elements.
            sample_weight: Factors that broadcast to ``pred``, such as ``[batch, 1]``.
        """
        label = reshape_like(F, label, pred)
        loss = F.square(label - pred)
        # MXNet's definition has the half, so that the gradient is the difference itself.
        weight = None if self._weight is None else self._weight / 2
        return self._hy_mean(F, apply_weighting(F, loss, weight, sample_weight))


class L1Loss(Loss):
    """Absolute error ``|label - pred|``, averaged for each example.

    Args:
        weight: Factor of the loss, or None.
        batch_axis: Axis of the examples.

    Example:
        >>> L1Loss()(nd.array([[1, 2]]), nd.array([[3, 2]])).asnumpy()
        array([1.], dtype=float32)
    """

    def __init__(self, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each example; see the arguments of :class:`L2Loss`."""
        label = reshape_like(F, label, pred)
        loss = F.abs(label - pred)
        return self._hy_mean(F, apply_weighting(F, loss, self._weight, sample_weight))


class HuberLoss(Loss):
    """Squared error up to ``rho``, absolute error beyond; averaged for each example.

    ``error² / (2 rho)`` where ``error = |label - pred| <= rho``, else ``error - rho / 2``.

    Args:
        rho: Error at which the loss changes from quadratic to linear.
        weight: Factor of the loss, or None.
        batch_axis: Axis of the examples.

    Source:
        Huber, Robust Estimation of a Location Parameter, 1964.

    Example:
        >>> HuberLoss()(nd.array([[1], [2]]), nd.array([[4], [3]])).asnumpy()
        array([2.5, 0.5], dtype=float32)
    """

    def __init__(
        self, rho: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._rho = rho

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss of each example; see the arguments of :class:`L2Loss`."""
        label = reshape_like(F, label, pred)
        error = F.abs(label - pred)
        linear = error - 0.5 * self._rho
        quadratic = (0.5 / self._rho) * F.square(error)
        loss = F.where(error > self._rho, linear, quadratic)
        return self._hy_mean(F, apply_weighting(F, loss, self._weight, sample_weight))


class PoissonNLLLoss(Loss):
    """Negative log likelihood of Poisson counts, averaged over all elements.

    ``exp(pred) - target pred``, or ``pred - target log(pred)`` where ``pred`` is no logarithm.

    Args:
        weight: Factor of the loss, or None.
        from_logits: Whether ``pred`` is the logarithm of the rate.
        batch_axis: Axis of the examples.
        compute_full: Add Stirling's approximation of ``log(target!)`` where ``target > 1``.

    Example:
        >>> PoissonNLLLoss(from_logits=False)(nd.array([[2]]), nd.array([[1]])).asnumpy().round(4)
        array([1.3069], dtype=float32)
    """

    def __init__(
        self,
        weight: float | None = None,
        from_logits: bool = True,
        batch_axis: int = 0,
        compute_full: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._compute_full = compute_full

    def hybrid_forward(
        self, F: Any, pred: Any, target: Any, sample_weight: Any = None, epsilon: float = 1e-08
    ) -> Any:
        """Return the mean loss.

        Args:
            F: Namespace of operators, ``nd`` or ``sym``.
            pred: Rates, or their logarithms.
            target: Counts, with the same number of elements.
            sample_weight: Factors that broadcast to ``pred``, such as ``[batch, 1]``.
            epsilon: Added to rates before their logarithm is taken.
        """
        target = reshape_like(F, target, pred)
        if self._from_logits:
            loss = F.exp(pred) - target * pred
        else:
            loss = pred - target * F.log(pred + epsilon)
        if self._compute_full:
            loss = loss + _log_factorial(F, target)
        return F.mean(apply_weighting(F, loss, self._weight, sample_weight))


def _log_factorial(F: Any, count: Any) -> Any:
    """Return Stirling's approximation of ``log(count!)``; 0 for counts up to 1."""
    # log(0) times 0 would be nan, in the gradient, too.
    safe = F.where(count > 1, count, F.ones_like(count))
    stirling = safe * F.log(safe) - safe + 0.5 * F.log(2 * safe * pi)
    return stirling * (count > 1)
