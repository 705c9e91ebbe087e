"""Schedule-free optimizers: averaged weights instead of a decaying rate (Defazio et al., 2024)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

from hy_gluon.optimizer.checks import Check, by_index, count, number, of_parts
from hy_gluon.optimizer.optimizer import Index, Optimizer, State, register, zeros
from hy_ndarray import NDArray, nd

__all__ = ["ScheduleFreeAdamW", "ScheduleFreeSGD"]


class _ScheduleFree(Optimizer):
    """Base class: parameters interpolate between the newest weights (states) and their average.

    Gradients are computed at the parameters; :meth:`averaged` replaces these by the average for
    predictions.
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("momentum",)
    saved_checks: ClassVar[Mapping[str, Check]] = {
        "_totals": by_index(of_parts(count, number, number)),
    }

    def __init__(self, learning_rate: float, momentum: float, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum = momentum
        self._totals: dict[Index, tuple[int, float, float]] = {}

    def _averaging_weight(self, index: Index, lr: float, t: int) -> float:
        """Return the weight of the newest values in the average."""
        last, largest, total = self._totals.get(index, (0, 0.0, 0.0))
        if t > last:  # another device's copy of the parameter may have come here before
            largest = max(largest, lr)
            total += largest**2
            self._totals[index] = (t, largest, total)
        # Defazio et al. (2024): weights c_t by the squares of the largest rate, which lets a
        # warm-up count less.
        return largest**2 / total if total else 0.0

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:
        """Return learning rate, decay, and the interpolation weights of a step."""
        share = self._averaging_weight(index, lr, t)
        return {
            "lr": lr,
            "wd": wd,
            "share": share,
            "rest": 1 - share,
            "by_gradient": lr * (1 - self.momentum * (1 - share)),
        }

    def rule_variant(self, index: Index, wd: float) -> bool:  # noqa: ARG002  # others need them
        """Return whether the state is the mean, as the parameter itself has the newest values."""
        return self.momentum == 0

    # y is the point of the gradient, z the newest iterate, x their mean. The parameter is y; the
    # state is z, from which and y follows x: only without momentum, where y is z, it is x.
    def _stepped(self, weight: Any, state: Any, gradient: Any, n: Any) -> tuple[Any, Any]:
        if n.variant:
            newest = weight - gradient * n.lr
            return newest, state * n.rest + newest * n.share
        between = weight * n.rest + state * n.share
        return between - gradient * n.by_gradient, state - gradient * n.lr

    @contextmanager
    def averaged(self, trainer: Any) -> Iterator[None]:
        """Scope in which a trainer's parameters have their average values.

        All workers of a sharded store enter and leave it together.

        Args:
            trainer: The trainer of this optimizer; steps within the block are discarded.

        Raises:
            KVStoreError: A user-defined store updates the weights, and does not show its states.
        """
        before = []
        for index, mean in trainer._from_states(self._mean).items():
            parameter = trainer._params[index]
            for data in parameter.list_data():
                before.append((parameter, data, data.copy()))
                data[:] = mean.as_in_context(data.context)
        try:
            yield
        finally:
            for parameter, data, values in before:
                parameter.list_data()  # gathers it, if there was a step
                data[:] = values

    def _mean(self, weight: NDArray, state: State) -> NDArray:
        """Return the average values of a weight."""
        copy, states = self._hy_copy_of(weight, state)
        stored: NDArray = states[0] if isinstance(states, list | tuple) else states
        if self.momentum == 0:
            return stored.astype(weight.dtype)
        # y = momentum x + (1 - momentum) z, solved for x.
        share = 1 / self.momentum
        current = weight if copy is None else copy
        return (current * share + stored * (1 - share)).astype(weight.dtype)


@register
class ScheduleFreeSGD(_ScheduleFree):
    """SGD with averaged weights, without a learning-rate schedule except for a warm-up.

    Args:
        learning_rate: The rate, larger than for SGD.
        momentum: Interpolation of parameters between base weights (0) and average (1).
        kwargs: See :class:`Optimizer`. Weight decay is added to the gradient.

    Source:
        Defazio et al. 2024, arXiv:2405.15682, eqs. 1 to 3, weighted by the squared rate.

    Example:
        >>> from hy_gluon import Trainer, nn
        >>> net = nn.Dense(1, in_units=2)
        >>> net.initialize()
        >>> trainer = Trainer(net.collect_params(), ScheduleFreeSGD(0.1))
        >>> with trainer.optimizer.averaged(trainer):
        ...     y = net(nd.ones((1, 2)))
    """

    def __init__(self, learning_rate: float = 1.0, momentum: float = 0.9, **kwargs: Any) -> None:
        super().__init__(learning_rate, momentum, **kwargs)

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return the newest weights, or their mean without momentum."""
        return weight.copy()

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`ScheduleFreeSGD`."""
        gradient = self._hy_rescaled(grad, n) + weight * n.wd
        return self._stepped(weight, state, gradient, n)


@register
class ScheduleFreeAdamW(_ScheduleFree):
    """AdamW with averaged weights, without a learning-rate schedule except for a warm-up.

    Args:
        learning_rate: The rate.
        momentum: Interpolation of parameters between base weights (0) and average (1).
        beta2: Decay rate of the mean square.
        epsilon: Added to the root.
        kwargs: See :class:`Optimizer`. Weight decay is decoupled from the gradient.

    Example:
        >>> from hy_gluon.optimizer import get_updater
        >>> weight, grad = nd.array([1.0, -2.0]), nd.array([0.5, 0.1])
        >>> update = get_updater(ScheduleFreeAdamW(learning_rate=0.1))
        >>> update(0, grad, weight)
        >>> weight.asnumpy().round(3)
        array([ 0.9, -2.1], dtype=float32)

    Source:
        Defazio et al. 2024, arXiv:2405.15682, algorithm 1.
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("momentum", "beta2", "epsilon")

    def __init__(
        self,
        learning_rate: float = 0.0025,
        momentum: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, momentum, **kwargs)
        self.beta2 = beta2
        self.epsilon = epsilon

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return the newest weights, or their mean without momentum, and the mean square."""
        # Two states beside y, as Adam has: the mean is implied.
        return weight.copy(), zeros(weight)

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:
        """Return the numbers of a step, including those of the mean square."""
        more = {"new2": 1 - self.beta2, "whole2": 1 - self.beta2**t}
        return super().rule_numbers(index, lr, wd, t) | more

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`ScheduleFreeAdamW`."""
        newest, square = state
        gradient = self._hy_rescaled(grad, n)
        square = square * n.beta2 + nd.square(gradient) * n.new2
        gradient = gradient / (nd.sqrt(square / n.whole2) + n.epsilon) + weight * n.wd
        weight, newest = self._stepped(weight, newest, gradient, n)
        return weight, (newest, square)
