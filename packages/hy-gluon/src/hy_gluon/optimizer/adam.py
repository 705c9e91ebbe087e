"""Adam and its variants: running means of gradients and their squares."""

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from hy_gluon.optimizer.checks import Check, by_index, count, number, of_parts
from hy_gluon.optimizer.optimizer import Index, Optimizer, State, register, zeros
from hy_gluon.optimizer.rule import by_settings
from hy_ndarray import NDArray, nd

__all__ = ["FTML", "Adam", "AdamW", "Adamax", "Nadam"]


# Bounds the loop over missed steps: counts come from files, too.
_MAX_STEPS = 100_000


class TwoMeans(Optimizer):
    """Base class of optimizers with running means of gradients and of their size."""

    rule_settings: ClassVar[tuple[str, ...]] = ("beta1", "beta2")

    def __init__(
        self, learning_rate: float | None, beta1: float, beta2: float, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return both means, initially 0."""
        return zeros(weight), zeros(weight)


@register
class Adam(TwoMeans):
    """Adam: steps by the mean gradient over the root of the mean square (Kingma and Ba, 2014).

    Args:
        learning_rate: The rate.
        beta1: Decay rate of the mean gradient.
        beta2: Decay rate of the mean square.
        epsilon: Added to the root.
        lazy_update: A row_sparse gradient updates weights and means of its rows only; otherwise,
            weights and means of all rows decay.
        kwargs: See :class:`Optimizer`. Weight decay is added to the gradient.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(Adam(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.9, -2.1], dtype=float32)

    Source:
        Kingma, Ba 2015, arXiv:1412.6980, with the order of section 2's last remark.
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("beta1", "beta2", "epsilon")

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy_update: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)
        self.epsilon = epsilon
        self.lazy_update = lazy_update

    @by_settings
    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need it
        """Return the bias-corrected learning rate, and the decay."""
        # Kingma and Ba (2015): the correction of both means is folded into the rate, as in section
        # 2 of the paper; MXNet adds epsilon to the root that is not corrected.
        return {"lr": lr * (math.sqrt(1.0 - self.beta2**t) / (1.0 - self.beta1**t)), "wd": wd}

    def create_state(self, index: Index, weight: NDArray) -> State:
        """Return both means, in the weight's storage if updates are lazy."""
        means = super().create_state(index, weight)
        return means if self.lazy_update else tuple(x.tostype("default") for x in means)

    def rule_by_rows(self, weight: NDArray, n: Any) -> bool:  # noqa: ARG002  # others need them
        """Return ``lazy_update``."""
        return self.lazy_update

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`Adam`."""
        mean, square = state
        common = self._hy_common(n, "beta1", "beta2", "epsilon")
        # One operator for any number of weights, so that one call changes all of a dtype.
        common |= {"lrs": (n.lr,), "wds": (n.wd,), "num_weights": 1}
        return nd._internal._multi_adam_update(weight, grad, mean, square, **common), state


@register
class AdamW(TwoMeans):
    """AdamW: Adam with decoupled weight decay (Loshchilov and Hutter, 2017).

    MXNet 1.9.1 has the operator only.

    Args:
        learning_rate: The rate of steps and of weight decay.
        beta1: Decay rate of the mean gradient.
        beta2: Decay rate of the mean square.
        epsilon: Added to the root.
        kwargs: See :class:`Optimizer`.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(AdamW(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.9, -2.1], dtype=float32)

    Source:
        Loshchilov, Hutter 2019, arXiv:1711.05101, algorithm 2.
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)
        self.epsilon = epsilon

    @by_settings
    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need it
        """Return bias-corrected learning rate and epsilon, and the decay factor."""
        root = math.sqrt(1.0 - self.beta2**t)
        rate = lr * root / (1.0 - self.beta1**t)
        # Epsilon is multiplied by the same root, which makes it that of the corrected mean square,
        # as in Loshchilov and Hutter (2019) and PyTorch.
        return {"lr": rate, "corrected": self.epsilon * root, "decay": 1.0 - lr * wd}

    def rule_variant(self, index: Index, wd: float) -> bool:  # noqa: ARG002  # others need it
        """Return whether there is weight decay."""
        return wd != 0

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`AdamW`."""
        mean, square = state
        common = {"epsilon": n.corrected, **self._hy_common(n, "lr", "beta1", "beta2")}
        decayed = weight * n.decay if n.variant else weight
        return nd.adam_update(decayed, grad, mean, square, **common), state


@register
class Adamax(TwoMeans):
    """Adamax: Adam with the maximum of recent gradients instead of the root of the mean square.

    Args:
        learning_rate: The rate.
        beta1: Decay rate of the mean gradient.
        beta2: Decay rate of the maximum.
        kwargs: See :class:`Optimizer`. Weight decay is added to the gradient.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(Adamax(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.9, -2.1], dtype=float32)

    Source:
        Kingma, Ba 2015, arXiv:1412.6980, algorithm 2.
    """

    def __init__(
        self,
        learning_rate: float = 0.002,
        beta1: float = 0.9,
        beta2: float = 0.999,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)

    @by_settings
    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need it
        """Return the corrected learning rate, the decay, and the weight of the new gradient."""
        rate = lr / (1.0 - self.beta1**t)
        return {"rate": rate, "wd": wd, "new1": 1.0 - self.beta1}

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`Adamax`."""
        mean, largest = state
        grad = self._hy_clipped(grad * n.rescale_grad + weight * n.wd, n)
        mean = mean * n.beta1 + grad * n.new1
        largest = nd.broadcast_maximum(largest * n.beta2, nd.abs(grad))
        # Dividing by 1 where the largest gradient is 0: the mean is 0 there, and 0 / 0 would give
        # NaN.
        divisor = largest + (largest == 0.0)
        return weight - mean / divisor * n.rate, (mean, largest)


@register
class Nadam(TwoMeans):
    """Nadam: Adam with Nesterov's momentum, which increases by a schedule.

    Args:
        learning_rate: The rate.
        beta1: Limit of the decay rate of the mean gradient.
        beta2: Decay rate of the mean square.
        epsilon: Added to the root.
        schedule_decay: Rate at which the momentum increases.
        kwargs: See :class:`Optimizer`. Weight decay is added to the gradient.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(Nadam(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.894, -2.106], dtype=float32)

    Source:
        Dozat 2016, "Incorporating Nesterov momentum into Adam", section 2.
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("beta1", "beta2", "epsilon")
    saved_checks: ClassVar[Mapping[str, Check]] = {
        "_schedules": by_index(of_parts(count, number)),
        "schedule_decay": lambda value: number(value) and value >= 0,
    }

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)
        self.epsilon = epsilon
        self.schedule_decay = schedule_decay
        self._schedules: dict[Index, tuple[int, float]] = {}

    # Dozat (2016) multiplies the momenta of all steps. MXNet keeps one product for all parameters.
    def __setstate__(self, state: dict[str, Any]) -> None:
        # MXNet pickles one product for all parameters; their own follow from their steps.
        super().__setstate__(({"_schedules": {}} if "m_schedule" in state else {}) | state)

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:
        """Return learning rate, decay, and the weights of means and gradient at this step."""
        now, later = self._momentum(t), self._momentum(t + 1)
        product = self._product(index, t)
        return {
            "lr": lr,
            "wd": wd,
            "new1": 1.0 - self.beta1,
            "new2": 1.0 - self.beta2,
            "of_grad": (1.0 - now) / (1.0 - product),
            "of_mean": later / (1.0 - product * later),
            "of_square": 1.0 - self.beta2**t,
        }

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`Nadam`."""
        mean, square = state
        grad = self._hy_clipped(grad * n.rescale_grad + weight * n.wd, n)
        mean = mean * n.beta1 + grad * n.new1
        square = square * n.beta2 + grad * grad * n.new2
        ahead = grad * n.of_grad + mean * n.of_mean
        root = nd.sqrt(square / n.of_square) + n.epsilon
        return weight - ahead / root * n.lr, (mean, square)

    def _momentum(self, t: int) -> float:
        """Return the momentum of step ``t``."""
        return self.beta1 * (1.0 - 0.5 * math.pow(0.96, t * self.schedule_decay))

    def _product(self, index: Index, t: int) -> float:
        """Return the product of the momenta of all steps up to ``t``."""
        last, product = self._schedules.get(index, (0, 1.0))
        # A product is kept for each parameter and goes on from its last step; t may jump when
        # states are loaded.
        for n in range(last + 1, min(t, last + _MAX_STEPS) + 1):  # several, if MXNet took them
            product *= self._momentum(n)
        if t > last + _MAX_STEPS:  # as a file may say; 0.9 to that power is 0
            product *= self._momentum(t) ** (t - last - _MAX_STEPS)
        if t > last:  # another device's copy of the parameter may have come here before
            self._schedules[index] = (t, product)
        return product


@register
class FTML(Optimizer):
    """FTML: follow the moving leader (Zheng and Kwok, 2017).

    Args:
        beta1: Decay rate of the leader; between 0 and 1, near 0.5.
        beta2: Decay rate of the mean square.
        epsilon: Added to the root.
        kwargs: See :class:`Optimizer`. Weight decay is added to the gradient.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(FTML(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.9, -2.1], dtype=float32)

    Source:
        Zheng, Kwok 2017, "Follow the moving leader in deep learning", algorithm 1.
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("beta1", "beta2", "epsilon")

    def __init__(
        self, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-8, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return the three running sums of the algorithm, initially 0."""
        return zeros(weight), zeros(weight), zeros(weight)

    @by_settings
    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need it
        """Return learning rate, decay, and the number of the step."""
        # Zheng and Kwok (2017); the operator computes the corrections from t.
        return {"lr": lr, "wd": wd, "t": t}

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`FTML`."""
        common = self._hy_common(n, "lr", "wd", "t", "beta1", "beta2", "epsilon")
        if "clip_gradient" in common:
            common["clip_grad"] = common.pop("clip_gradient")
        return nd.ftml_update(weight, grad, *state, **common), state
