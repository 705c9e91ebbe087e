"""Initializers with fixed values."""

from typing import Any

import numpy as np

from hy_gluon.initializer.base import Initializer, alias, register
from hy_ndarray import NDArray

__all__ = ["Bilinear", "Constant", "LSTMBias", "One", "Zero"]


@register
@alias("zeros")
class Zero(Initializer):
    """Fills with zeros.

    Example:
        >>> from hy_ndarray import nd
        >>> weight = nd.ones((2, 1))
        >>> Zero()("fc_weight", weight)
        >>> weight.asnumpy()
        array([[0.],
               [0.]], dtype=float32)
    """

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 0.0


@register
@alias("ones")
class One(Initializer):
    """Fills with ones.

    Example:
        >>> from hy_ndarray import nd
        >>> weight = nd.zeros((2, 1))
        >>> One()("fc_weight", weight)
        >>> weight.asnumpy()
        array([[1.],
               [1.]], dtype=float32)
    """

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 1.0


@register
class Constant(Initializer):
    """Fills with one value, or an array of the parameter's shape.

    Args:
        value: The value.

    Example:
        >>> from hy_ndarray import nd
        >>> weight = nd.zeros((2, 1))
        >>> Constant(0.5)("fc_weight", weight)
        >>> weight.asnumpy()
        array([[0.5],
               [0.5]], dtype=float32)
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, _: str, arr: NDArray) -> None:
        value = np.asarray(self.value) if isinstance(self.value, list | tuple) else self.value
        arr[:] = value

    def dumps(self) -> str:
        """Return JSON of the initializer; an array becomes lists, also in ``_kwargs``."""
        if hasattr(self.value, "tolist"):
            self._kwargs["value"] = self.value.tolist()
        return super().dumps()


@register
class Bilinear(Initializer):
    """Fills a transposed convolution's weight with bilinear interpolation, for upsampling.

    Example:
        >>> from hy_ndarray import nd
        >>> weight = nd.zeros((1, 1, 2, 4))
        >>> Bilinear()("up_weight", weight)
        >>> weight.asnumpy()
        array([[[[0.0625, 0.1875, 0.1875, 0.0625],
                 [0.1875, 0.5625, 0.5625, 0.1875]]]], dtype=float32)
    """

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, name: str, arr: NDArray) -> None:
        self._init_bilinear(name, arr)


@register
class LSTMBias(Initializer):
    """Fills an LSTM's bias with zeros, and ``forget_bias`` for the forget gate (second quarter).

    Args:
        forget_bias: Values above 0 let the cell remember at the beginning of training.

    Example:
        >>> from hy_ndarray import nd
        >>> from hy_gluon.initializer import InitDesc
        >>> bias = nd.ones((4,))
        >>> LSTMBias(1.0)(InitDesc("lstm_bias", {"__init__": LSTMBias(1.0).dumps()}), bias)
        >>> bias.asnumpy()
        array([0., 1., 0., 0.], dtype=float32)

    Source:
        Jozefowicz, Zaremba, Sutskever 2015, "An empirical exploration of recurrent network
        architectures", section 2.2.
    """

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, _: str, arr: NDArray) -> None:
        # Gates are stored as input, forget, cell, output. A forget gate that starts open keeps
        # gradients alive (Jozefowicz et al. 2015).
        hidden = arr.shape[0] // 4
        arr[:] = 0.0
        arr[hidden : 2 * hidden] = self.forget_bias
