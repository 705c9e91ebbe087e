"""Loss, Torch, Caffe: metrics that average losses."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_gluon.metric.base import EvalMetric, register, to_numpy
from hy_ndarray import NDArray

__all__ = ["Caffe", "Loss", "Torch"]


@register
class Loss(EvalMetric):
    """Mean of all predictions, which are taken as losses; labels are ignored.

    Args:
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Has no effect.

    Example:
        >>> loss = Loss()
        >>> loss.update(None, [nd.array([1, 2]), nd.array([6])])
        >>> loss.get()
        ('loss', 3.0)
    """

    def __init__(
        self,
        name: str = "loss",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def update(self, _: Any, preds: Any) -> None:
        """Add the losses."""
        for pred in [preds] if isinstance(preds, NDArray | np.ndarray) else preds:
            values = to_numpy(pred)
            # In float64: a sum of many 16-bit losses would overflow, or stop growing.
            self._hy_count(float(values.sum(dtype=np.float64)), values.size)


@register
class Torch(Loss):
    """Another name of :class:`Loss`.

    Args:
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Has no effect.
    """

    def __init__(
        self,
        name: str = "torch",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)


@register
class Caffe(Loss):
    """Another name of :class:`Loss`.

    Args:
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Has no effect.
    """

    def __init__(
        self,
        name: str = "caffe",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)
