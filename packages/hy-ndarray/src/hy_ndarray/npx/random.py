"""Random numbers beyond numpy's: ``npx.random``."""

from hy_ndarray import random
from hy_ndarray.devices.context import Context
from hy_ndarray.devices.device_argument import takes_device
from hy_ndarray.np.random import sampling

__all__ = ["bernoulli", "normal_n", "seed", "uniform_n"]


@takes_device
def seed(seed: int, ctx: Context | str = "all") -> None:
    """Start the random numbers anew, on one context or on all."""
    random.seed(seed, ctx)


bernoulli = sampling.bernoulli
normal_n = sampling.normal_n
uniform_n = sampling.uniform_n
