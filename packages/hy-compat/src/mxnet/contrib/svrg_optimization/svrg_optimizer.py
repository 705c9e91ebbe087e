"""Optimizers for parameter stores that contain weights and full gradients."""

from collections.abc import Mapping
from typing import Any

from hy_gluon.optimizer import Optimizer, create, register
from hy_ndarray import NDArray

__all__: list[str] = []


@register
class _AssignmentOptimizer(Optimizer):
    """Optimizer that replaces a weight by its gradient, so that a store contains sums."""

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:  # noqa: ARG002
        """Replace the weight."""
        weight[:] = grad


@register
class _SVRGOptimizer(Optimizer):
    """Optimizer that updates weights by another one, and assigns keys that end in ``_full``.

    Args:
        default_optimizer: The other optimizer, or its name.
        kwargs: Arguments of the other optimizer, and of this one.
    """

    default_opt: Any = None  # until the constructor of all optimizers has set the factors

    def __init__(self, default_optimizer: Any, **kwargs: Any) -> None:
        common = (
            "rescale_grad",
            "param_idx2name",
            "wd",
            "learning_rate",
            "lr_scheduler",
            "multi_precision",
        )
        super().__init__(**{name: kwargs[name] for name in common if name in kwargs})
        by_name = isinstance(default_optimizer, str)
        self.default_opt = create(default_optimizer, **kwargs) if by_name else default_optimizer
        self.aux_opt = _AssignmentOptimizer()

    def _optimizer_of(self, index: Any) -> Optimizer:
        name = index if isinstance(index, str) else self.idx2name.get(index, "")
        return self.aux_opt if str(name).endswith("_full") else self.default_opt

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate of both optimizers."""
        super().set_learning_rate(lr)
        self.default_opt.set_learning_rate(lr)

    def set_lr_mult(self, args_lr_mult: Mapping[Any, float]) -> None:
        """Set the factors of the other optimizer's learning rate."""
        super().set_lr_mult(args_lr_mult)
        if self.default_opt is not None:
            self.default_opt.set_lr_mult(args_lr_mult)

    def set_wd_mult(self, args_wd_mult: Mapping[Any, float]) -> None:
        """Set the factors of the other optimizer's weight decay."""
        super().set_wd_mult(args_wd_mult)
        if self.default_opt is not None:
            self.default_opt.set_wd_mult(args_wd_mult)

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the other optimizer's state of a weight."""
        return self._optimizer_of(index).create_state(index, weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update the weight by the other optimizer, or assign it."""
        self._optimizer_of(index).update(index, weight, grad, state)
