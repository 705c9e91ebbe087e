# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Mapping
from collections.abc import Sequence
from hy_symbol.symbol import Symbol
from hy_symbol.sym._operators import random_pdf_dirichlet as pdf_dirichlet
from hy_symbol.sym._operators import random_pdf_exponential as pdf_exponential
from hy_symbol.sym._operators import random_pdf_gamma as pdf_gamma
from hy_symbol.sym._operators import random_pdf_generalized_negative_binomial as pdf_generalized_negative_binomial
from hy_symbol.sym._operators import random_pdf_negative_binomial as pdf_negative_binomial
from hy_symbol.sym._operators import random_pdf_normal as pdf_normal
from hy_symbol.sym._operators import random_pdf_poisson as pdf_poisson
from hy_symbol.sym._operators import random_pdf_uniform as pdf_uniform

def exponential_like(
    data: Symbol | None = None,
    lam: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Numbers of an exponential distribution.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        lam: Its rate, positive; the mean is ``1 / lam``.
    """

def gamma_like(
    data: Symbol | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Numbers of a gamma distribution.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        alpha: Its shape, positive.
        beta: Its scale, positive; the mean is ``alpha * beta``.
    """

def generalized_negative_binomial_like(
    data: Symbol | None = None,
    mu: float = 1.0,
    alpha: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Whole numbers of a negative binomial distribution given by its mean.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        mu: Its mean, not negative.
        alpha: Its dispersion, not negative; 0 is the Poisson distribution.
    """

def multinomial_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    index: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of the logarithms: ``dy / data`` summed where the indices say."""

def negative_binomial_like(
    data: Symbol | None = None,
    k: int = 1,
    p: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """How many trials fail before the ``k``-th succeeds, in a floating dtype.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        k: Number of successes, not negative.
        p: Probability of a success, above 0 and at most 1.
    """

def normal_like(
    data: Symbol | None = None,
    loc: float = 0.0,
    scale: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Numbers of a normal distribution.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        loc: Its mean.
        scale: Its standard deviation, not negative.
    """

def poisson_like(
    data: Symbol | None = None,
    lam: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Whole numbers of a Poisson distribution, in a floating dtype.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        lam: Its mean, not negative.
    """

def uniform_like(
    data: Symbol | None = None,
    low: float = 0.0,
    high: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Numbers of equal probability from ``low`` up to ``high``.

    Args:
        data: ``[*sizes]``, floating; only its shape and dtype are used.
        low: Least number.
        high: Bound of the numbers, not below ``low``.
    """

def unique_zipfian(
    range_max: int,
    shape: int | Sequence[int] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Rows of different whole numbers, small ones more often.

    ``k`` is drawn with probability ``log((k + 2) / (k + 1)) / log(range_max + 1)`` until a row
    has as many different ones as it needs.

    Args:
        range_max: Bound of the numbers.
        shape: ``[B, N]``: number of rows and their length.

    Returns:
        ``[B, N]`` numbers, int64, and ``[B]``: how many had to be drawn for each row, int64.
    """
