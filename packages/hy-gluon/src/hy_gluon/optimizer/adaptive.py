"""Optimizers that divide each element's step by the size of its past gradients."""

from typing import Any

from hy_gluon.optimizer.optimizer import (
    Index,
    Optimizer,
    OptimizerError,
    State,
    register,
    zeros,
)
from hy_ndarray import NDArray, nd

__all__ = ["AdaDelta", "AdaGrad", "Ftrl", "GroupAdaGrad", "RMSProp"]


@register
class AdaGrad(Optimizer):
    """Divides by the root of the sum of all squared gradients.

    Args:
        eps: Added to the sum, under the root.
        kwargs: As for :class:`Optimizer`. Weight decay stands apart from the gradient.

    Source:
        Duchi, Hazan, Singer 2011, "Adaptive subgradient methods".
    """

    def __init__(self, eps: float = 1e-7, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """The sum of squares."""
        return zeros(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Change ``weight`` by one step."""
        lr, wd, _ = self._begin(index)
        grad = self._rescaled(grad)
        state[:] = state + grad * grad
        slope = grad / nd.sqrt(state + self.float_stable_eps)
        weight[:] = weight - (slope + weight * wd) * lr


@register
class GroupAdaGrad(Optimizer):
    """AdaGrad with one sum for each row of a matrix, such as an embedding.

    Args:
        eps: Added to the sum, under the root.
        kwargs: As for :class:`Optimizer`; weight decay is not supported.
    """

    def __init__(self, eps: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The sum of squares of each row.

        Raises:
            OptimizerError: The weight is no matrix.
        """
        if len(weight.shape) != 2:  # noqa: PLR2004
            raise OptimizerError(f"GroupAdaGrad: weight {index} {weight.shape} is no matrix")
        return nd.zeros((weight.shape[0], 1), ctx=weight.context, dtype=weight.dtype)

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Change ``weight`` by one step.

        Raises:
            OptimizerError: There is weight decay.
        """
        lr, wd, _ = self._begin(index)
        if wd != 0:
            raise OptimizerError("GroupAdaGrad has no weight decay; set wd to 0")
        grad = self._rescaled(grad)
        state[:] = state + nd.mean(grad * grad, axis=1, keepdims=True)
        weight[:] = weight - grad / nd.sqrt(state + self.float_stable_eps) * lr


@register
class AdaDelta(Optimizer):
    """Divides by the root of the mean square of gradients, times that of the past steps.

    Args:
        rho: How much of both means is kept.
        epsilon: Added under both roots.
        kwargs: As for :class:`Optimizer`; the learning rate has no effect.

    Source:
        Zeiler 2012, arXiv:1212.5701, algorithm 1.
    """

    def __init__(self, rho: float = 0.90, epsilon: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rho = rho
        self.epsilon = epsilon

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Mean squares of gradients and of steps."""
        return zeros(weight), zeros(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Change ``weight`` by one step."""
        _, wd, _ = self._begin(index)
        of_grads, of_steps = state
        grad = self._rescaled(grad)
        of_grads[:] = of_grads * self.rho + grad * grad * (1.0 - self.rho)
        ratio = nd.sqrt(of_steps + self.epsilon) / nd.sqrt(of_grads + self.epsilon)
        step = ratio * grad
        of_steps[:] = of_steps * self.rho + step * step * (1.0 - self.rho)
        weight[:] = weight - step - weight * wd


@register
class RMSProp(Optimizer):
    """Divides by the root of the mean square of gradients, or of their variance.

    Args:
        learning_rate: The rate.
        gamma1: How much of the means is kept.
        gamma2: How much of the velocity is kept; only where ``centered``.
        epsilon: Added under the root.
        centered: Use the variance, and a velocity.
        clip_weights: Bound of each weight; none if None.
        kwargs: As for :class:`Optimizer`. Weight decay is added to the gradient.

    Source:
        Tieleman, Hinton 2012 ("lecture 6.5"); centered: Graves 2013, arXiv:1308.0850, eq. 38-45.
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        gamma1: float = 0.9,
        gamma2: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.centered = centered
        self.epsilon = epsilon
        self.clip_weights = clip_weights

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """The mean square; where ``centered`` also the mean and the velocity."""
        return tuple(zeros(weight) for _ in range(3 if self.centered else 1))

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Change ``weight`` by one step."""
        lr, wd, _ = self._begin(index)
        common = self._common()
        common |= {"lr": lr, "wd": wd, "gamma1": self.gamma1, "epsilon": self.epsilon}
        if self.clip_weights is not None:
            common["clip_weights"] = self.clip_weights
        if self.centered:
            n, g, delta = state
            nd.rmspropalex_update(
                weight, grad, n, g, delta, out=weight, gamma2=self.gamma2, **common
            )
        else:
            (n,) = state
            nd.rmsprop_update(weight, grad, n, out=weight, **common)


@register
class Ftrl(Optimizer):
    """Follow the regularized leader: steps that keep unimportant weights at exactly 0.

    Args:
        lamda1: L1 regularization.
        learning_rate: The rate.
        beta: Added to the root of the sum of squares.
        kwargs: As for :class:`Optimizer`; ``wd`` is the L2 regularization.

    Source:
        McMahan et al. 2013, "Ad click prediction: a view from the trenches", algorithm 1.
    """

    def __init__(
        self, lamda1: float = 0.01, learning_rate: float = 0.1, beta: float = 1, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.lamda1 = lamda1
        self.beta = beta

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """``z`` and ``n`` of the algorithm."""
        return zeros(weight), zeros(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:
        """Change ``weight`` by one step."""
        lr, wd, _ = self._begin(index)
        common = {"lr": lr, "wd": wd, "lamda1": self.lamda1, "beta": self.beta, **self._common()}
        z, n = state
        nd.ftrl_update(weight, grad, z, n, out=weight, **common)
