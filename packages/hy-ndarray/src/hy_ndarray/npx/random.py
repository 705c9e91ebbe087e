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
    """Seed the random generators of one context, or of all."""
    random.seed(seed, ctx)


bernoulli = sampling.bernoulli
normal_n = sampling.normal_n
uniform_n = sampling.uniform_n


def categorical(data: A, shape: Any = (), get_prob: bool = False, dtype: Any = "int32") -> Any:
    """Draw classes with given probabilities; MXNet 1.9's ``nd.random.multinomial``.

    Args:
        data: ``[*S, K]``, the probabilities of the classes 0 to K - 1 for each distribution.
        shape: The shape of the classes per distribution; a single class, without an axis, if
            empty.
        get_prob: Also return the log probabilities of the classes.
        dtype: The dtype of the classes.

    Returns:
        Classes ``[*S, *shape]``; with ``get_prob`` a list of classes and log probabilities.

    Example:
        >>> from hy_ndarray import np
        >>> categorical(np.array([[0.0, 1], [1, 0]]), shape=2)
        array([[1, 1],
               [0, 0]], dtype=int32)
    """
    options = {"shape": shape, "get_prob": get_prob, "dtype": dtype}
    return call("_sample_multinomial", data, **options)
