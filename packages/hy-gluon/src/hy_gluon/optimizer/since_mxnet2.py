"""Optimizers introduced by MXNet 2: AdaBelief and LANS."""

import math
from typing import Any, ClassVar

from hy_gluon.optimizer.adam import TwoMeans
from hy_gluon.optimizer.large_batch import LAMB
from hy_gluon.optimizer.optimizer import Index, State, register
from hy_ndarray import nd

__all__ = ["LANS", "AdaBelief"]


@register
class AdaBelief(TwoMeans):
    """AdaBelief: Adam divided by the deviation of gradients from their mean.

    Args:
        learning_rate: The rate.
        beta1: Decay rate of the mean gradient.
        beta2: Decay rate of the mean square of the deviation.
        epsilon: Added to the mean square in each step, and to the root.
        correct_bias: Correct the bias of both means, which begin at 0.
        kwargs: See :class:`Optimizer`. Weight decay is added to the gradient.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(AdaBelief(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.889, -2.105], dtype=float32)

    Source:
        Zhuang et al. 2020, arXiv:2010.07468, algorithm 2.
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("beta1", "beta2", "epsilon")

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        correct_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)
        self.epsilon = epsilon
        self.correct_bias = correct_bias

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need it
        """Return the learning rate (optionally bias-corrected), decay, and weights of the means."""
        root = math.sqrt(1.0 - self.beta2**t) / (1.0 - self.beta1**t) if self.correct_bias else 1.0
        return {"rate": lr * root, "wd": wd, "new1": 1.0 - self.beta1, "new2": 1.0 - self.beta2}

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`AdaBelief`."""
        mean, distance = state
        gradient = self._hy_rescaled(grad, n) + weight * n.wd
        mean = mean * n.beta1 + gradient * n.new1
        # Zhuang et al. (2020): epsilon is inside of the mean as well, as their code has it.
        distance = distance * n.beta2 + nd.square(gradient - mean) * n.new2 + n.epsilon
        return weight - mean / (nd.sqrt(distance) + n.epsilon) * n.rate, (mean, distance)


@register
class LANS(LAMB):
    """LANS: LAMB with normalized gradients and Nesterov's momentum.

    Args:
        learning_rate: The rate.
        beta1: Decay rate of the mean gradient.
        beta2: Decay rate of the mean square.
        epsilon: Added to the root.
        lower_bound: Lower bound of the weight's norm; None, 0 or less for none.
        upper_bound: Upper bound of the weight's norm; None, 0 or less for none.
        kwargs: See :class:`Optimizer`.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(LANS(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.842, -2.158], dtype=float32)

    Source:
        Zheng et al. 2020, arXiv:2006.13484, algorithm 2.
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, lower_bound, upper_bound, **kwargs)
        self.aggregate_num = 0

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need it
        """Return the weights of both steps, the decay, weights of the means, and corrections."""
        return {
            "of_mean": lr * self.beta1,
            "of_gradient": lr * (1.0 - self.beta1),
            "wd": wd,
            "new1": 1.0 - self.beta1,
            "new2": 1.0 - self.beta2,
            "whole1": 1.0 / (1.0 - self.beta1**t),
            "whole2": 1.0 / (1.0 - self.beta2**t),
        }

    def rule_variant(self, index: Index, wd: float) -> bool:  # noqa: ARG002  # others need them
        """Return True: there is one graph for all weights."""
        return True

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`LANS`."""
        mean, square = state
        gradient = grad * n.rescale_grad
        length = nd.norm(gradient)
        # Zheng et al. (2020) divide each gradient by its norm; 0 stays 0.
        gradient = self._hy_clipped(nd.broadcast_div(gradient, length + (length == 0)), n)
        mean = mean * n.beta1 + gradient * n.new1
        square = square * n.beta2 + nd.square(gradient) * n.new2
        root = nd.sqrt(square * n.whole2) + n.epsilon
        size = nd.norm(weight)
        if n.lower_bound is not None:
            size = nd.broadcast_maximum(size, nd.ones_like(size) * n.lower_bound)
        if n.upper_bound is not None:
            size = nd.broadcast_minimum(size, nd.ones_like(size) * n.upper_bound)
        decay = weight * n.wd
        of_mean, of_gradient = mean * n.whole1 / root + decay, gradient / root + decay
        step = nd.broadcast_mul(of_mean, _trust_ratio(size, nd.norm(of_mean))) * n.of_mean
        step = (
            step
            + nd.broadcast_mul(of_gradient, _trust_ratio(size, nd.norm(of_gradient)))
            * n.of_gradient
        )
        return weight - step, (mean, square)


# 1 where a norm is 0: a new layer of zeros must be able to move.
def _trust_ratio(of_weight: Any, of_step: Any) -> Any:
    """Return the ratio of the norms of a weight and a step, ``[1]``; 1 if a norm is 0."""
    usable = (of_weight > 0) * (of_step > 0)
    return usable * of_weight / (of_step + (1 - usable)) + (1 - usable)
