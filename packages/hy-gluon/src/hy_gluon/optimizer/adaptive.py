"""Optimizers that scale each element's step by the size of its past gradients."""

from typing import Any, ClassVar

from hy_gluon.optimizer.optimizer import (
    Index,
    Optimizer,
    OptimizerError,
    State,
    register,
    zeros,
)
from hy_ndarray import NDArray, nd
from hy_ndarray.ops.optimizer import adaptive_rules

__all__ = ["AdaDelta", "AdaGrad", "Ftrl", "GroupAdaGrad", "RMSProp"]


@register
class AdaGrad(Optimizer):
    """AdaGrad: divides the gradient by the root of the sum of squared gradients.

    Args:
        eps: Added to the sum, under the root.
        kwargs: See :class:`Optimizer`. Weight decay is decoupled from the gradient.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(AdaGrad(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.9, -2.1], dtype=float32)

    Source:
        Duchi, Hazan, Singer 2011, "Adaptive subgradient methods".
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("float_stable_eps",)

    def __init__(self, eps: float = 1e-7, **kwargs: Any) -> None:
        # Duchi et al. (2011): the sum never shrinks, so rates only fall.
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return the sum of squares, initially 0."""
        return zeros(weight)

    def rule_by_rows(self, weight: NDArray, n: Any) -> bool:  # noqa: ARG002  # others need it
        """Return whether there is no weight decay, so that rows are independent."""
        # With decay every row changes, so rows without a gradient cannot be left out.
        return not n.wd

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`AdaGrad`."""
        common = {"epsilon": n.float_stable_eps, **self._hy_common(n, "lr", "wd")}
        return adaptive_rules.adagrad_update(weight, grad, state, **common), state


@register
class GroupAdaGrad(Optimizer):
    """AdaGrad with one sum per row of a matrix, such as an embedding.

    Args:
        eps: Added to the sum, under the root.
        kwargs: See :class:`Optimizer`; weight decay is not supported.
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("float_stable_eps",)

    def __init__(self, eps: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Index, weight: NDArray) -> State:
        """Return the sum of squares of each row, initially 0.

        Raises:
            OptimizerError: The weight is not a matrix.
        """
        if len(weight.shape) != 2:  # noqa: PLR2004
            raise OptimizerError(f"GroupAdaGrad: weight {index} {weight.shape} must be a matrix")
        sums = nd.zeros((weight.shape[0], 1), ctx=weight.context, dtype=weight.dtype)
        return sums.tostype(weight.stype)

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need them
        """Return the learning rate.

        Raises:
            OptimizerError: There is weight decay.
        """
        # The operator has no decay, and silently ignoring it would train another model.
        if wd != 0:
            raise OptimizerError("GroupAdaGrad has no weight decay; set wd to 0")
        return {"lr": lr}

    def rule_by_rows(self, weight: NDArray, n: Any) -> bool:  # noqa: ARG002  # others need them
        """Return True: rows are independent."""
        return True

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`GroupAdaGrad`."""
        common = {"epsilon": n.float_stable_eps, **self._hy_common(n, "lr")}
        return adaptive_rules.group_adagrad_update(weight, grad, state, **common), state


@register
class AdaDelta(Optimizer):
    """AdaDelta: steps scaled by the ratio of root mean squares of steps and gradients.

    Args:
        rho: Decay rate of both means.
        epsilon: Added under both roots.
        kwargs: See :class:`Optimizer`; the learning rate has no effect.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(AdaDelta(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.99, -2.01], dtype=float32)

    Source:
        Zeiler 2012, arXiv:1212.5701, algorithm 1.
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("rho", "epsilon")

    def __init__(self, rho: float = 0.90, epsilon: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rho = rho
        self.epsilon = epsilon

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return mean squares of gradients and of steps, initially 0."""
        return zeros(weight), zeros(weight)

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need them
        """Return the decay, and the weight of new values in both means."""
        return {"wd": wd, "new": 1.0 - self.rho}

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`AdaDelta`."""
        of_grads, of_steps = state
        grad = self._hy_rescaled(grad, n)
        of_grads = of_grads * n.rho + grad * grad * n.new
        ratio = nd.sqrt(of_steps + n.epsilon) / nd.sqrt(of_grads + n.epsilon)
        step = ratio * grad
        of_steps = of_steps * n.rho + step * step * n.new
        # Zeiler (2012) has no rate; MXNet decays the weight by wd beside the step.
        return weight - step - weight * n.wd, (of_grads, of_steps)


@register
class RMSProp(Optimizer):
    """RMSProp: divides the gradient by its root mean square, or by its standard deviation.

    Args:
        learning_rate: The rate.
        gamma1: Decay rate of the means.
        gamma2: Decay rate of the velocity, if ``centered``.
        epsilon: Added under the root.
        centered: Use the standard deviation, and a velocity.
        clip_weights: Bound of each weight; None, 0 or less for none.
        kwargs: See :class:`Optimizer`. Weight decay is added to the gradient.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(RMSProp(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.684, -2.316], dtype=float32)

    Source:
        Tieleman, Hinton 2012 ("lecture 6.5"); centered: Graves 2013, arXiv:1308.0850, eq. 38-45.
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("gamma1", "gamma2", "epsilon", "clip_weights")

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
        """Return the mean square; if ``centered`` also the mean and the velocity."""
        return tuple(zeros(weight) for _ in range(3 if self.centered else 1))

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`RMSProp`."""
        common = self._hy_common(n, "lr", "wd", "gamma1", "epsilon", "clip_weights")
        # One state: Tieleman and Hinton (2012); three: the centered form with momentum of Graves
        # (2013).
        if len(state) == 1:
            return nd.rmsprop_update(weight, grad, *state, **common), state
        common["gamma2"] = n.gamma2
        return nd.rmspropalex_update(weight, grad, *state, **common), state


@register
class Ftrl(Optimizer):
    """FTRL: follow the regularized leader, which keeps unimportant weights at exactly 0.

    Args:
        lamda1: Factor of the L1 regularization.
        learning_rate: The rate without a schedule; a schedule uses its ``base_lr``.
        beta: Added to the root of the sum of squares.
        kwargs: See :class:`Optimizer`; ``wd`` is the factor of the L2 regularization.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(Ftrl(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.299, -0.19 ], dtype=float32)

    Source:
        McMahan et al. 2013, "Ad click prediction: a view from the trenches", algorithm 1.
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("lamda1", "beta")

    def __init__(
        self, lamda1: float = 0.01, learning_rate: float = 0.1, beta: float = 1, **kwargs: Any
    ) -> None:
        # As in MXNet, where the constructor does not pass the rate on: a schedule keeps its own
        # base_lr.
        super().__init__(**kwargs)  # not the rate: a schedule begins at its own, as in MXNet
        self.lr = learning_rate
        self.lamda1 = lamda1
        self.beta = beta

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return the states ``z`` and ``n`` of the algorithm, initially 0."""
        return zeros(weight), zeros(weight)

    def rule_by_rows(self, weight: NDArray, n: Any) -> bool:  # noqa: ARG002  # others need it
        """Return whether the weight is row_sparse, as in MXNet."""
        return weight.stype == "row_sparse"

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`Ftrl`."""
        common = self._hy_common(n, "lr", "wd", "lamda1", "beta")
        return nd.ftrl_update(weight, grad, *state, **common), state
