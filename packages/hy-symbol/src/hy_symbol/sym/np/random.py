"""Random numbers as nodes of a graph: ``sym.np.random``."""

from typing import Any

from hy_ndarray import ArgumentError, Context, current_context
from hy_ndarray.np.calls import call_on
from hy_ndarray.np.sampling import Sampling
from hy_symbol.sym.np._fallback import multivariate_normal
from hy_symbol.symbol.np_symbol import NumpySymbol

__all__ = [
    "beta",
    "chisquare",
    "choice",
    "exponential",
    "gamma",
    "gumbel",
    "logistic",
    "lognormal",
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


def _new_symbol(
    name: str,
    operands: list[Any],
    ctx: Context | None,
    out: Any,
    **params: Any,
) -> Any:
    if name not in ("_npi_powerd", "_npi_multinomial"):
        params["ctx"] = str(ctx or current_context())
    return call_on(NumpySymbol, name, operands, {"out": out, **params})


sampling = Sampling(_new_symbol)
beta = sampling.beta
chisquare = sampling.chisquare
choice = sampling.choice
exponential = sampling.exponential
gamma = sampling.gamma
gumbel = sampling.gumbel
logistic = sampling.logistic
lognormal = sampling.lognormal
normal = sampling.normal
pareto = sampling.pareto
power = sampling.power
rand = sampling.rand
randint = sampling.randint
randn = sampling.randn
rayleigh = sampling.rayleigh
uniform = sampling.uniform
weibull = sampling.weibull


def shuffle(x: NumpySymbol) -> None:
    """Refuse to shuffle: ``np.random.shuffle`` works in place, which a graph cannot.

    Raises:
        ArgumentError: Always.
    """
    raise ArgumentError(
        f"sym.np.random.shuffle: a graph cannot change {x.name!r} in place; sym.random.shuffle(x) "
        "gives a shuffled copy"
    )
