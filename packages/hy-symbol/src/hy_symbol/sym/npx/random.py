"""Random numbers beyond numpy's as nodes of a graph: ``sym.npx.random``."""

from hy_ndarray.npx.random import categorical
from hy_symbol.sym.np.random import sampling

__all__ = ["bernoulli", "categorical", "normal_n", "uniform_n"]

bernoulli = sampling.bernoulli
normal_n = sampling.normal_n
uniform_n = sampling.uniform_n
