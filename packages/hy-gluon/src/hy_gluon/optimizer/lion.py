"""Lion: steps by the sign of a running mean of gradients (Chen et al., 2023)."""

from typing import Any, ClassVar

from hy_gluon.optimizer.optimizer import Index, Optimizer, State, register, zeros
from hy_ndarray import NDArray, nd

__all__ = ["Lion"]


@register
class Lion(Optimizer):
    """Lion: steps by the sign of a mean of gradients, the only state (Adam has two).

    A typical rate is a third to a tenth of Adam's, with a decay larger by the same factor.

    Args:
        learning_rate: The rate.
        beta1: Weight of the mean in the direction of a step.
        beta2: Decay rate of the mean.
        kwargs: See :class:`Optimizer`. Weight decay is decoupled from the gradient.

    Source:
        Chen et al. 2023, arXiv:2302.06675, algorithm 2.

    Example:
        >>> from hy_ndarray import nd
        >>> lion, weight = Lion(learning_rate=0.5), nd.array([1.0, 2.0])
        >>> lion.update(0, weight, nd.array([3.0, -0.1]), lion.create_state(0, weight))
        >>> weight.asnumpy()
        array([0.5, 2.5], dtype=float32)
    """

    rule_settings: ClassVar[tuple[str, ...]] = ("beta1", "beta2")

    def __init__(
        self, learning_rate: float = 1e-4, beta1: float = 0.9, beta2: float = 0.99, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2

    def create_state(self, index: Index, weight: NDArray) -> State:  # noqa: ARG002  # MXNet's signature
        """Return the mean, initially 0."""
        return zeros(weight)

    def rule_numbers(self, index: Index, lr: float, wd: float, t: int) -> dict[str, float]:  # noqa: ARG002  # others need it
        """Return the learning rate, the decay factor, and the weights of new gradients."""
        return {"lr": lr, "decay": 1 - lr * wd, "new1": 1 - self.beta1, "new2": 1 - self.beta2}

    def rule(self, weight: Any, grad: Any, state: State, n: Any) -> tuple[Any, State]:
        """Return weight and state after a step; see :class:`Lion`."""
        gradient = self._hy_rescaled(grad, n)
        # Chen et al. (2023): the step interpolates with beta1, the state with beta2.
        step = nd.sign(state * n.beta1 + gradient * n.new1)
        return weight * n.decay - step * n.lr, state * n.beta2 + gradient * n.new2
