"""Gradient descent and its variants with momentum, signs, noise or delay."""

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from hy_gluon.optimizer.checks import Check, array, by_index, optional
from hy_gluon.optimizer.optimizer import (
    Index,
    Optimizer,
    State,
    is_half,
    register,
    zeros,
)
from hy_ndarray import NDArray, nd

__all__ = ["DCASGD", "NAG", "SGD", "SGLD", "Signum", "Test", "ccSGD"]


class _Momentum(Optimizer):
    """Base class of optimizers whose only state is the velocity, if they have momentum."""

    rule_settings: ClassVar[tuple[str, ...]] = ("momentum",)

    def __init__(self, momentum: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return the velocity; None without momentum."""
        return zeros(weight) if self.momentum != 0.0 else None

    def create_state_multi_precision(self, index: Index, weight: NDArray) -> State:
        """Return the velocity, with a float32 copy of a 16-bit weight."""
        if self.multi_precision and is_half(weight):
            # MXNet's SGD and NAG have the state before the copy, other optimizers after it.
            copy = weight.astype("float32")
            return self.create_state(index, copy), copy
        if is_half(weight):
            self._hy_warn_of_half(weight)
        return self.create_state(index, weight)

    def _hy_wide_gradient(self, grad: Any) -> Any:
        # MXNet's operators that update a copy are not lazy: all its rows decay.
        return grad.tostype("default").astype("float32")

    def _hy_copy_of(self, weight: NDArray, state: State) -> tuple[NDArray | None, State]:
        if self.multi_precision and is_half(weight):
            velocity, copy = state
            return copy, velocity
        return None, state


@register
class SGD(_Momentum):
    """Stochastic gradient descent, optionally with momentum.

    ``v = momentum * v - lr * (grad + wd * weight)``, then ``weight += v``.

    Args:
        momentum: Decay rate of the velocity.
        lazy_update: A row_sparse gradient updates weights and velocity of its rows only; otherwise,
            all rows decay.
        kwargs: See :class:`Optimizer`.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(SGD(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.95, -2.01], dtype=float32)
    """

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **kwargs: Any) -> None:
        super().__init__(momentum, **kwargs)
        self.lazy_update = lazy_update
        self.aggregate_num = 4

    def create_state(self, index: Index, weight: NDArray) -> State:
        """Return the velocity, in the weight's storage if lazy; None without momentum."""
        state = super().create_state(index, weight)
        return state if state is None or self.lazy_update else state.tostype("default")

    def rule_by_rows(self, weight: NDArray, n: Any) -> bool:  # noqa: ARG002  # others need them
        """Return ``lazy_update``."""
        return self.lazy_update

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`SGD`."""
        common = {"lrs": (n.lr,), "wds": (n.wd,), "num_weights": 1, **self._hy_common(n)}
        if state is None:
            return nd.multi_sgd_update(weight, grad, **common), None
        common["momentum"] = n.momentum
        return nd.multi_sgd_mom_update(weight, grad, state, **common), state


@register
class ccSGD(SGD):  # noqa: N801  # MXNet's name
    """Another name of :class:`SGD`.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(ccSGD(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.95, -2.01], dtype=float32)
    """


@register
class NAG(_Momentum):
    """NAG: Nesterov's accelerated gradient, taken at the weight plus the velocity.

    Args:
        momentum: Decay rate of the velocity.
        kwargs: See :class:`Optimizer`.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(NAG(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.95, -2.01], dtype=float32)
    """

    def rule_by_rows(self, weight: NDArray, n: Any) -> bool:  # noqa: ARG002  # others need them
        """Return whether there is no momentum: the step is then that of a lazy :class:`SGD`."""
        return self.momentum == 0.0

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`NAG`."""
        common = self._hy_common(n, "lr", "wd")
        if state is None:
            return nd.sgd_update(weight, grad, **common), None
        common["momentum"] = n.momentum
        return nd.nag_mom_update(weight, grad, state, **common), state


@register
class Signum(Optimizer):
    """Signum: steps of fixed size by the sign of the momentum (Bernstein et al., 2018).

    Args:
        learning_rate: Size of the steps.
        momentum: Decay rate of the velocity; if 0, steps use the sign of the gradient.
        wd_lh: Decoupled weight decay (Loshchilov and Hutter).
        kwargs: See :class:`Optimizer`.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(Signum(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.9, -2.1], dtype=float32)

    Source:
        Bernstein et al. 2018, arXiv:1802.04434.
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("momentum", "wd_lh")

    def __init__(
        self,
        learning_rate: float = 0.01,
        momentum: float = 0.9,
        wd_lh: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum = momentum
        self.wd_lh = wd_lh

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return the velocity; None without momentum."""
        return zeros(weight) if self.momentum != 0.0 else None

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`Signum`."""
        common = self._hy_common(n, "lr", "wd")
        if state is None:
            return nd.signsgd_update(weight, grad, **common), None
        common |= {"momentum": n.momentum, "wd_lh": n.wd_lh}
        return nd.signum_update(weight, grad, state, **common), state


@register
class SGLD(Optimizer):
    """SGLD, stochastic gradient Langevin dynamics: half a gradient step, noise of variance ``lr``.

    Args:
        kwargs: See :class:`Optimizer`.

    Source:
        Welling, Teh 2011, "Bayesian learning via stochastic gradient Langevin dynamics", eq. 4.
    """

    def update(self, index: Any, weight: Any, grad: Any, state: State) -> None:  # noqa: ARG002  # it has no state
        """Update ``weight`` by one step."""
        lr, wd, _ = self._hy_begin(index)
        gradient = self._hy_rescaled(grad, self._hy_shared()) + weight * wd
        noise = _noise(weight) * math.sqrt(lr)
        # Welling and Teh (2011): half the rate for the gradient, variance lr for the noise.
        weight[:] = weight - gradient * (lr / 2) + noise.astype(weight.dtype)

    def _hy_pass(self, index: Index, weight: NDArray) -> None:
        super()._hy_pass(index, weight)
        # Workers draw from the same seed: without this, weights of two of them had the same noise.
        _noise(weight)


def _noise(weight: NDArray) -> NDArray:
    """Return an array like ``weight`` of standard normal numbers, in float32."""
    return nd.random.normal(0.0, 1.0, shape=weight.shape, ctx=weight.context)


@register
class DCASGD(Optimizer):
    """DCASGD: gradient descent with compensation of delayed gradients (Zheng et al., 2017).

    Args:
        momentum: Decay rate of the velocity.
        lamda: Factor of the compensation.
        kwargs: See :class:`Optimizer`.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(DCASGD(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.95, -2.01], dtype=float32)

    Source:
        Zheng et al. 2017, arXiv:1609.08326, eq. 10.
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("momentum", "lamda")
    saved_checks: ClassVar[Mapping[str, Check]] = {"weight_previous": by_index(optional(array))}

    def __init__(self, momentum: float = 0.0, lamda: float = 0.04, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.lamda = lamda
        self.weight_previous: dict[Index, NDArray] = {}

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return the velocity (None without momentum), and the weight before the last step."""
        return (zeros(weight) if self.momentum != 0.0 else None), weight.copy()

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need them
        """Return the negative learning rate, and the decay."""
        return {"rate": -lr, "wd": wd}

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`DCASGD`."""
        velocity, previous = state
        grad = self._hy_rescaled(grad, n)
        # Zheng et al. (2017): grad * grad approximates the Hessian's diagonal.
        delayed = grad * grad * (weight - previous) * n.lamda
        step = (grad + weight * n.wd + delayed) * n.rate
        if velocity is not None:
            step = velocity * n.momentum + step
            velocity = step
        return weight + step, (velocity, weight)


@register
class Test(Optimizer):
    """Optimizer that adds the rescaled gradient to the weight, for tests.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(Test(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 1.5, -1.9], dtype=float32)
    """

    __test__ = False  # pytest takes classes of this name for its own

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return a copy of the weight."""
        return zeros(weight)

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:  # noqa: ARG002  # the weight replaces it
        """Return weight and state after a step; see :class:`Test`."""
        new = weight + grad * n.rescale_grad
        return new, new
