"""Sampling functions that return random arrays, or graph nodes that draw them."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import ArgumentError
from hy_ndarray.devices.context import Context
from hy_ndarray.devices.device_argument import all_take_device
from hy_ndarray.np.calls import NumpyOperand, dtype_or_float32, is_number, sizes_of
from hy_ndarray.np.elementwise import exp

__all__ = ["Sampling"]


T = TypeVar("T", bound=NumpyOperand)
"""The class of the results, arrays or symbols."""


@all_take_device
class Sampling(Generic[T]):
    """Sampling functions such as ``uniform``; parameters are numbers, or operands that broadcast.

    Most functions take ``size``, the shape of the result (that of the parameters if None), ``ctx``,
    the context of the result if no parameter is an array, and ``out``, an array to write to.

    Args:
        make: Function ``(operator, operands, ctx, out, **params)`` that runs an operator, or adds a
            node for it.
    """

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make

    def _drawn(
        self,
        name: str,
        parameters: dict[str, Any],
        size: Any,
        ctx: Context | None,
        out: Any,
        **more: Any,
    ) -> T:
        operands = [x for x in parameters.values() if not is_number(x)]
        numbers = {key: float(x) if is_number(x) else None for key, x in parameters.items()}
        options = {"size": _as_shape(size), **more}
        return self._make(f"_npi_{name}", operands, ctx, out, **numbers, **options)

    def uniform(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        size: Any = None,
        dtype: Any = None,
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Draw uniformly from ``low`` (inclusive) to ``high`` (exclusive), float32 by default."""
        parameters = {"low": low, "high": high}
        return self._drawn("uniform", parameters, size, ctx, out, dtype=dtype_or_float32(dtype))

    def normal(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        dtype: Any = None,
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Draw from a normal distribution with mean ``loc`` and standard deviation ``scale``."""
        parameters = {"loc": loc, "scale": scale}
        return self._drawn("normal", parameters, size, ctx, out, dtype=dtype_or_float32(dtype))

    def uniform_n(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        batch_shape: Any = None,
        dtype: Any = None,
        ctx: Context | None = None,
    ) -> T:
        """Draw ``batch_shape`` numbers for each pair of parameters, as :meth:`uniform`."""
        parameters = {"low": low, "high": high}
        return self._drawn(
            "uniform_n", parameters, batch_shape, ctx, None, dtype=dtype_or_float32(dtype)
        )

    def normal_n(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        batch_shape: Any = None,
        dtype: Any = None,
        ctx: Context | None = None,
    ) -> T:
        """Draw ``batch_shape`` numbers for each pair of parameters, as :meth:`normal`."""
        parameters = {"loc": loc, "scale": scale}
        return self._drawn(
            "normal_n", parameters, batch_shape, ctx, None, dtype=dtype_or_float32(dtype)
        )

    def lognormal(
        self,
        mean: Any = 0.0,
        sigma: Any = 1.0,
        size: Any = None,
        dtype: Any = None,
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Draw numbers whose logarithm has mean ``mean`` and standard deviation ``sigma``."""
        return exp(self.normal(mean, sigma, size, dtype, ctx), out)

    def logistic(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Draw from a logistic distribution."""
        return self._drawn("logistic", {"loc": loc, "scale": scale}, size, ctx, out)

    def gumbel(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Draw from a Gumbel distribution."""
        return self._drawn("gumbel", {"loc": loc, "scale": scale}, size, ctx, out)

    def gamma(
        self,
        shape: Any,
        scale: Any = 1.0,
        size: Any = None,
        dtype: Any = None,
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Draw from a gamma distribution with the given shape and scale parameters."""
        parameters = {"shape": shape, "scale": scale}
        return self._drawn("gamma", parameters, size, ctx, out, dtype=dtype_or_float32(dtype))

    def beta(
        self, a: Any, b: Any, size: Any = None, dtype: Any = None, ctx: Context | None = None
    ) -> T:
        """Draw from a beta distribution, as a ratio of gamma-distributed numbers."""
        gammas: list[Any] = [self.gamma(x, 1.0, size, "float64", ctx) for x in (a, b)]
        numbers: T = (gammas[0] / (gammas[0] + gammas[1])).astype(dtype_or_float32(dtype))
        return numbers

    def chisquare(
        self, df: Any, size: Any = None, dtype: Any = None, ctx: Context | None = None
    ) -> T:
        """Draw from a chi-square distribution with ``df`` degrees of freedom."""
        return self.gamma(df / 2, 2.0, size, dtype, ctx)

    def exponential(
        self, scale: Any = 1.0, size: Any = None, ctx: Context | None = None, out: Any = None
    ) -> T:
        """Draw from an exponential distribution with mean ``scale``."""
        return self._drawn("exponential", {"scale": scale}, size, ctx, out)

    def rayleigh(
        self, scale: Any = 1.0, size: Any = None, ctx: Context | None = None, out: Any = None
    ) -> T:
        """Draw from a Rayleigh distribution."""
        return self._drawn("rayleigh", {"scale": scale}, size, ctx, out)

    def pareto(self, a: Any, size: Any = None, ctx: Context | None = None, out: Any = None) -> T:
        """Draw from a Pareto II (Lomax) distribution, which begins at 0."""
        return self._drawn("pareto", {"a": a}, size, ctx, out)

    def weibull(self, a: Any, size: Any = None, ctx: Context | None = None, out: Any = None) -> T:
        """Draw from a Weibull distribution with shape parameter ``a``."""
        return self._drawn("weibull", {"a": a}, size, ctx, out)

    def power(self, a: Any, size: Any = None) -> T:
        """Draw from [0, 1] with density ``a * x ** (a - 1)``."""
        return self._drawn("powerd", {"a": a}, size, None, None)

    def rand(self, *size: int, **kwargs: Any) -> T:
        """Draw uniformly from [0, 1), in the shape given by the arguments."""
        return self.uniform(0.0, 1.0, size, **kwargs)

    def randn(self, *size: int, **kwargs: Any) -> T:
        """Draw from the standard normal distribution, in the shape given by the arguments."""
        return self.normal(0.0, 1.0, size, **kwargs)

    def randint(
        self,
        low: int,
        high: int | None = None,
        size: Any = None,
        dtype: Any = None,
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Draw integers from ``low`` to ``high - 1``, or 0 to ``low - 1``; int64 by default."""
        first, end = (0, low) if high is None else (low, high)
        kind = "int64" if dtype is None else dtype_name(dtype)
        params = {"low": first, "high": end, "shape": _as_shape(size) or (), "dtype": kind}
        return self._make("_npi_random_randint", [], ctx, out, **params)

    def bernoulli(
        self,
        prob: Any = None,
        logit: Any = None,
        size: Any = None,
        dtype: Any = None,
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Draw 1 with probability ``prob``, or ``sigmoid(logit)``, else 0.

        Raises:
            ArgumentError: Both ``prob`` and ``logit`` are given, or neither.
        """
        if (prob is None) == (logit is None):
            raise ArgumentError("bernoulli: pass exactly one of prob and logit")
        value = logit if prob is None else prob
        operands = [] if is_number(value) else [value]
        numbers = {
            "prob": float(prob) if is_number(prob) else None,
            "logit": float(logit) if is_number(logit) else None,
        }
        options = {
            "size": _as_shape(size),
            "dtype": dtype_or_float32(dtype),
            "is_logit": prob is None,
        }
        return self._make("_npi_bernoulli", operands, ctx, out, **numbers, **options)

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Draw random indices below ``a``, or random elements of the array ``a``."""
        operands = [] if p is None else [p]
        options = {"replace": replace, "weighted": p is not None, "size": _as_shape(size) or ()}
        if is_number(a):
            return self._make("_npi_choice", operands, ctx, out, a=int(a), **options)
        indices = self._make("_npi_choice", [a, *operands], ctx, None, a=None, **options)
        samples: T = a.take(indices, axis=0)
        return samples

    def multinomial(self, n: int, pvals: Any, size: Any = None) -> T:
        """Draw the int64 counts of each outcome in ``n`` trials."""
        if isinstance(pvals, list | tuple):
            params = {"pvals": tuple(pvals)}
            return self._make(
                "_npi_multinomial", [], None, None, n=n, size=_as_shape(size), **params
            )
        return self._make("_npi_multinomial", [pvals], None, None, n=n, size=_as_shape(size))


def _as_shape(size: Any) -> Any:
    return None if size is None else sizes_of(size)
