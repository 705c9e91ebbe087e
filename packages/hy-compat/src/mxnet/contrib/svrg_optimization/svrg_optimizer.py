"""Optimizers for stores that keep full gradients beside weights."""

from typing import Any

from hy_gluon.optimizer import Optimizer, create, register
from hy_ndarray import NDArray

__all__: list[str] = []


@register
class _AssignmentOptimizer(Optimizer):
    """Replaces a weight by its gradient: a store with it keeps sums."""

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:  # noqa: ARG002
        """Replace the weight."""
        weight[:] = grad


@register
class _SVRGOptimizer(Optimizer):
    """Updates weights with another optimizer, and assigns what has a name that ends in ``_full``.

    Args:
        default_optimizer: The other optimizer, or its name.
        kwargs: Its arguments, and those of every optimizer.
    """

    def __init__(self, default_optimizer: Any, **kwargs: Any) -> None:
        common = ("rescale_grad", "param_idx2name", "wd", "learning_rate", "lr_scheduler")
        super().__init__(**{name: kwargs[name] for name in common if name in kwargs})
        by_name = isinstance(default_optimizer, str)
        self.default_opt = create(default_optimizer, **kwargs) if by_name else default_optimizer
        self.aux_opt = _AssignmentOptimizer()

    def _chosen(self, index: Any) -> Optimizer:
        name = index if isinstance(index, str) else self.idx2name.get(index, "")
        found: Optimizer = self.aux_opt if str(name).endswith("_full") else self.default_opt
        return found

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """What the optimizer of this weight keeps."""
        return self._chosen(index).create_state(index, weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update or assign."""
        self._chosen(index).update(index, weight, grad, state)
