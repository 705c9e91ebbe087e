"""Random numbers beyond numpy's: ``npx.random``."""

from hy_ndarray.np.random import sampling
from hy_ndarray.random import seed

__all__ = ["bernoulli", "normal_n", "seed", "uniform_n"]

bernoulli = sampling.bernoulli
normal_n = sampling.normal_n
uniform_n = sampling.uniform_n
