"""Random numbers: ``np.random``, from the generator of each device (see ``npx.random.seed``).

Example:
    >>> from hy_ndarray import np, npx
    >>> npx.random.seed(1)
    >>> first = np.random.normal(size=(2, 3))
    >>> npx.random.seed(1)
    >>> bool((np.random.normal(size=(2, 3)) == first).all())
    True
"""

from typing import Any

import numpy as onp

from hy_ndarray.devices.context import Context
from hy_ndarray.np.calls import call, call_on
from hy_ndarray.np.linalg import cholesky
from hy_ndarray.np.multiarray import ndarray
from hy_ndarray.np.products import dot, matmul
from hy_ndarray.np.sampling import Sampling
from hy_ndarray.suggestion import suggest_members as _suggest_members

__all__ = [
    "beta",
    "chisquare",
    "choice",
    "exponential",
    "gamma",
    "gumbel",
    "logistic",
    "lognormal",
    "multinomial",
    "multivariate_normal",
    "normal",
    "pareto",
    "power",
    "rand",
    "randint",
    "randn",
    "rayleigh",
    "shuffle",
    "uniform",
    "weibull",
]


def _drawn(name: str, operands: list[Any], ctx: Context | None, out: Any, **params: Any) -> ndarray:
    context_params = {} if operands or name in ("_npi_powerd", "_npi_multinomial") else {"ctx": ctx}
    drawn: ndarray = call_on(ndarray, name, operands, {"out": out, **context_params, **params})
    return drawn


sampling = Sampling(_drawn)
beta = sampling.beta
chisquare = sampling.chisquare
choice = sampling.choice
exponential = sampling.exponential
gamma = sampling.gamma
gumbel = sampling.gumbel
logistic = sampling.logistic
lognormal = sampling.lognormal
multinomial = sampling.multinomial
normal = sampling.normal
pareto = sampling.pareto
power = sampling.power
rand = sampling.rand
randint = sampling.randint
randn = sampling.randn
rayleigh = sampling.rayleigh
uniform = sampling.uniform
weibull = sampling.weibull


def shuffle(x: ndarray) -> None:
    """Shuffle the slices along the first axis of ``x`` in place."""
    x[...] = call("_npi_shuffle", x)


def multivariate_normal(
    mean: ndarray, cov: ndarray, size: Any = None, check_valid: Any = None, tol: Any = None
) -> ndarray:
    """Draw vectors from a multivariate normal distribution.

    Args:
        mean: ``[*B, N]``.
        cov: ``[*B, N, N]``, symmetric and positive definite, of any floating dtype.
        size: The number of vectors per distribution, or a shape; one if None.
        check_valid: No effect.
        tol: No effect.

    Returns:
        ``[*size, *B, N]``, where the batch axes ``B`` of both parameters broadcast.
    """
    count = () if size is None else (size,) if isinstance(size, int) else tuple(size)
    batch = onp.broadcast_shapes(mean.shape[:-1], cov.shape[:-2])
    kind = str(mean.dtype)
    wide = "float32" if kind == "float16" else kind
    noise = normal(size=(*count, *batch, mean.shape[-1]), dtype=wide, ctx=mean.context)
    factor = cholesky(cov.astype(wide))
    if batch:
        drawn = mean.astype(wide) + matmul(factor, noise.expand_dims(-1)).squeeze(-1)
    else:
        drawn = mean.astype(wide) + dot(noise, factor.T)
    return drawn.astype(kind, copy=False)


_suggest_members(globals())
