# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Mapping, Sequence
from hy_symbol.symbol.symbol import Symbol

def exponential_like(data: Symbol | None = None, lam: float = 1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of an exponential distribution."""
def gamma_like(data: Symbol | None = None, alpha: float = 1.0, beta: float = 1.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of a gamma distribution."""
def generalized_negative_binomial_like(data: Symbol | None = None, mu: float = 1.0,
        alpha: float = 1.0, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Whole numbers of a negative binomial distribution given by its mean."""
def multinomial_backward(dy: Symbol | None = None, data: Symbol | None = None,
        index: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the gradient of the log probabilities with respect to ``data``."""
def negative_binomial_like(data: Symbol | None = None, k: int = 1, p: float = 1.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Draw the number of failed trials before the ``k``-th success, in a floating dtype."""
def normal_like(data: Symbol | None = None, loc: float = 0.0, scale: float = 1.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of a normal distribution."""
def pdf_dirichlet(sample: Symbol | None = None, alpha: Symbol | None = None, is_log: bool = False,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the density of the Dirichlet distribution."""
def pdf_exponential(sample: Symbol | None = None, lam: Symbol | None = None, is_log: bool = False,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Density of the exponential distribution; 0 for negative numbers."""
def pdf_gamma(sample: Symbol | None = None, alpha: Symbol | None = None, beta: Symbol | None = None,
        is_log: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Density of the gamma distribution with a rate; 0 for negative numbers."""
def pdf_generalized_negative_binomial(sample: Symbol | None = None, mu: Symbol | None = None,
        alpha: Symbol | None = None, is_log: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Probability in the negative binomial distribution given by its mean; 0 for negative numbers."""
def pdf_negative_binomial(sample: Symbol | None = None, k: Symbol | None = None,
        p: Symbol | None = None, is_log: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Probability of so many failures before the ``k``-th success; 0 for negative numbers."""
def pdf_normal(sample: Symbol | None = None, mu: Symbol | None = None, sigma: Symbol | None = None,
        is_log: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Density of the normal distribution."""
def pdf_poisson(sample: Symbol | None = None, lam: Symbol | None = None, is_log: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Probability in the Poisson distribution; 0 for negative numbers."""
def pdf_uniform(sample: Symbol | None = None, low: Symbol | None = None, high: Symbol | None = None,
        is_log: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Density of the uniform distribution; 0 outside of it."""
def poisson_like(data: Symbol | None = None, lam: float = 1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Whole numbers of a Poisson distribution, in a floating dtype."""
def uniform_like(data: Symbol | None = None, low: float = 0.0, high: float = 1.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of equal probability from ``low`` up to ``high``."""
def unique_zipfian(range_max: int, shape: int | Sequence[int] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return rows of distinct integers from an approximately log-uniform (Zipfian) distribution."""
