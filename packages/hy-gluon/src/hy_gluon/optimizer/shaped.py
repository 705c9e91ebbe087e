"""Shaped: optimizers whose rule depends on the shape of a weight."""

from collections.abc import Mapping
from typing import Any, ClassVar

from hy_gluon.optimizer.checks import Check, by_index, count
from hy_gluon.optimizer.optimizer import Index, Optimizer, State
from hy_ndarray import NDArray

__all__ = ["Shaped"]


class Shaped(Optimizer):
    """Base class of optimizers that record the shapes of weights."""

    saved_checks: ClassVar[Mapping[str, Check]] = {
        "_shapes": by_index(lambda value: isinstance(value, tuple) and all(map(count, value))),
    }

    def __init__(self, learning_rate: float, **kwargs: Any) -> None:
        # Rules see no shapes while they are traced on symbols, so the optimizer keeps them by
        # index.
        super().__init__(learning_rate=learning_rate, **kwargs)
        self._shapes: dict[Index, tuple[int, ...]] = {}

    def create_state(self, index: Index, weight: NDArray) -> State:
        """Record the shape of a weight, and return None: there is no state."""
        self._shapes[index] = tuple(weight.shape)
        return None

    def _shape(self, index: Index) -> tuple[int, ...]:
        parameter = self.param_dict.get(index)
        return self._shapes[index] if parameter is None else tuple(parameter.shape)
