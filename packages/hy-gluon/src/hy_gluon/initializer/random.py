"""Initializers that draw from hy's random generator, so that ``mx.random.seed`` repeats them."""

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hy_gluon.initializer.base import Initializer, InitializerError, register
from hy_ndarray import NDArray, ShapeError, nd

__all__ = ["MSRAPrelu", "Normal", "Orthogonal", "Uniform", "Xavier"]


def _fill_uniform(arr: NDArray, low: float, high: float) -> None:
    arr[:] = nd.random.uniform(low, high, shape=arr.shape, ctx=arr.context)


def _fill_normal(arr: NDArray, sigma: float) -> None:
    arr[:] = nd.random.normal(0.0, sigma, shape=arr.shape, ctx=arr.context)


@register
class Uniform(Initializer):
    """Draws uniformly between ``-scale`` and ``scale``.

    Args:
        scale: The bound.

    Example:
        >>> weight = nd.zeros((100, 100))
        >>> Uniform(0.5)("fc_weight", weight)
        >>> float(abs(weight).max().asscalar()) <= 0.5
        True
    """

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _fill_uniform(arr, -self.scale, self.scale)


@register
class Normal(Initializer):
    """Draws from a normal distribution around 0.

    Args:
        sigma: The standard deviation.

    Example:
        >>> weight = nd.zeros((200, 200))
        >>> Normal(0.1)("fc_weight", weight)
        >>> round(float(weight.asnumpy().std()), 2)
        0.1
    """

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _fill_normal(arr, self.sigma)


@register
class Orthogonal(Initializer):
    """Draws a matrix of orthogonal rows (or columns, if there are fewer) of norm ``scale``.

    Args:
        scale: Length of each row or column.
        rand_type: Distribution of the matrix that is orthogonalized: ``"uniform"`` or ``"normal"``.

    Example:
        >>> weight = nd.zeros((2, 3))
        >>> Orthogonal(scale=1)("fc_weight", weight)
        >>> nd.dot(weight, weight.T).asnumpy().round(3) + 0
        array([[1., 0.],
               [0., 1.]], dtype=float32)

    Source:
        Saxe, McClelland, Ganguli 2014, arXiv:1312.6120.
    """

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        if rand_type not in ("uniform", "normal"):
            raise InitializerError(
                f"Orthogonal: rand_type {rand_type!r} is not 'uniform' or 'normal'"
            )
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, _: str, arr: NDArray) -> None:
        rows = arr.shape[0]
        columns = math.prod(arr.shape[1:])
        draw = nd.random.uniform if self.rand_type == "uniform" else nd.random.normal
        first = -1.0 if self.rand_type == "uniform" else 0.0
        source = draw(first, 1.0, shape=(rows, columns)).asnumpy()
        # Saxe et al. 2013: the singular vectors of a random matrix are orthonormal; the wide or the
        # tall factor has its shape.
        left, _values, right = np.linalg.svd(source, full_matrices=False)
        matrix: npt.NDArray[Any] = left if left.shape == source.shape else right
        arr[:] = nd.array(self.scale * matrix.reshape(arr.shape), dtype=arr.dtype)


@register
class Xavier(Initializer):
    """Xavier (Glorot) initializer: keeps the variance of activations about equal across layers.

    Uniform between ``-s`` and ``s``, or normal with the standard deviation ``s``, where
    ``s = sqrt(magnitude / fan)``.

    Args:
        rnd_type: ``"uniform"`` or ``"gaussian"``.
        factor_type: Value of ``fan``: number of inputs (``"in"``), of outputs (``"out"``), or the
            mean of both (``"avg"``).
        magnitude: Factor in the formula above.

    Raises:
        InitializerError: ``rnd_type`` or ``factor_type`` is another string.
        ShapeError: When called: the array has fewer than two axes.

    Example:
        >>> weight = nd.zeros((200, 100))
        >>> Xavier("gaussian", "in", magnitude=1)("fc_weight", weight)
        >>> round(float(weight.asnumpy().std()), 1)
        0.1

    Source:
        Glorot, Bengio 2010, "Understanding the difficulty of training deep feedforward neural
        networks".
    """

    _FAN: ClassVar[dict[str, Callable[[float, float], float]]] = {
        "avg": lambda fan_in, fan_out: (fan_in + fan_out) / 2.0,
        "in": lambda fan_in, _: fan_in,
        "out": lambda _, fan_out: fan_out,
    }

    def __init__(
        self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3
    ) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        if rnd_type not in ("uniform", "gaussian"):
            raise InitializerError(f"Xavier: rnd_type {rnd_type!r} is not 'uniform' or 'gaussian'")
        if factor_type not in self._FAN:
            raise InitializerError(f"Xavier: factor_type {factor_type!r} is not in, out or avg")
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        if len(arr.shape) < 2:  # noqa: PLR2004
            raise ShapeError(
                f"{type(self).__name__} needs two axes or more: parameter {name!r} is {arr.shape}; "
                "give it another initializer"
            )
        window = math.prod(arr.shape[2:])
        # Each output is a sum of fan_in products, each input's gradient one of fan_out (Glorot and
        # Bengio 2010).
        fan = self._FAN[self.factor_type](arr.shape[1] * window, arr.shape[0] * window)
        scale = math.sqrt(self.magnitude / fan)
        if self.rnd_type == "uniform":
            _fill_uniform(arr, -scale, scale)
        else:
            _fill_normal(arr, scale)


@register
class MSRAPrelu(Xavier):
    """He initializer (2015) for layers followed by PReLU, leaky ReLU, or ReLU (``slope=0``).

    Args:
        factor_type: See :class:`Xavier`.
        slope: Slope for negative inputs.

    Example:
        >>> weight = nd.zeros((100, 200))
        >>> MSRAPrelu("in", slope=0)("fc_weight", weight)
        >>> round(float(weight.asnumpy().std()), 1)
        0.1

    Source:
        He, Zhang, Ren, Sun 2015, arXiv:1502.01852, eq. 15.
    """

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        # He et al. 2015, equation 15: a leaky ReLU keeps (1 + slope**2) / 2 of the variance.
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}
