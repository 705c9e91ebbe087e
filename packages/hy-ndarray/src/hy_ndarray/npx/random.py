"""Random numbers beyond numpy's: ``npx.random``."""

from typing import Any

from hy_ndarray import random
from hy_ndarray.devices.context import Context
from hy_ndarray.devices.device_argument import takes_device
from hy_ndarray.np.calls import A, call
from hy_ndarray.np.random import sampling

__all__ = ["bernoulli", "categorical", "normal_n", "seed", "uniform_n"]


@takes_device
def seed(seed: int, ctx: Context | str = "all") -> None:
    """Seed the random generators, of one context or of all."""
    random.seed(seed, ctx)


bernoulli = sampling.bernoulli
normal_n = sampling.normal_n
uniform_n = sampling.uniform_n


def categorical(data: A, shape: Any = (), get_prob: bool = False, dtype: Any = "int32") -> Any:
    """Return classes drawn with given probabilities; MXNet 1.9's ``nd.random.multinomial``.

    Args:
        data: ``[*S, K]``, for each distribution the probabilities of 0 to K - 1.
        shape: How many classes of each distribution: a number or a shape; one, without an axis,
            if it is empty.
        get_prob: Return the logarithms of their probabilities, too.
        dtype: Of the classes.

    Returns:
        ``[*S, *shape]`` classes; with ``get_prob`` a list of these and the logarithms.

    Example:
        >>> from hy_ndarray import np
        >>> categorical(np.array([[0.0, 1], [1, 0]]), shape=2)
        array([[1, 1],
               [0, 0]], dtype=int32)
    """
    options = {"shape": shape, "get_prob": get_prob, "dtype": dtype}
    return call("_sample_multinomial", data, **options)
