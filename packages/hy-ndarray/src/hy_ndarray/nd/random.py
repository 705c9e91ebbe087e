"""Random numbers: ``nd.random.uniform`` and other samplers.

The parameters of a distribution are either numbers, and the result has the given shape, or arrays,
and the result has numbers of the given shape for each element of the parameters.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from hy_ndarray import namespaces
from hy_ndarray._errors import ArgumentError, DTypeError
from hy_ndarray.array._functions import function_named
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.core._calls import create
from hy_ndarray.devices.context import Context
from hy_ndarray.devices.device_argument import takes_device
from hy_ndarray.foreign import conversion, kind_of
from hy_ndarray.nd._creation import check_known
from hy_ndarray.ops import Operator, find
from hy_ndarray.sparse.failed import raised_late, undrawn

__all__ = [
    "exponential",
    "gamma",
    "generalized_negative_binomial",
    "multinomial",
    "negative_binomial",
    "normal",
    "poisson",
    "randint",
    "randn",
    "shuffle",
    "uniform",
]


_NUMBERS = frozenset((bool, int, float))


@cache
def _sampler(kind: str) -> Operator:
    """Return the operator ``_random_<kind>``."""
    return find(f"_random_{kind}")


@cache
def _late(kind: str) -> Callable[..., NDArray]:
    """Return ``_random_<kind>`` as a function whose sampling errors are raised on reading."""
    op = _sampler(kind)
    return raised_late(op, op.name)


_OF_ARRAYS = {"loc": "mu", "scale": "sigma"}
"""Parameters that have another name if they are arrays."""


def _draw(
    kind: str,
    numbers: dict[str, Any],
    shape: Any,
    dtype: object,
    ctx: Context | None,
    out: NDArray | None,
    more: dict[str, Any],
) -> NDArray:
    """Call ``_random_<kind>`` if all parameters are numbers, or ``_sample_<kind>`` if arrays."""
    values = numbers.values()
    if out is None and _NUMBERS.issuperset(map(type, values)):  # fast path for most calls
        if shape is not None:
            check_known(kind, shape)
        params = numbers | more if more else numbers
        params["shape"], params["dtype"] = shape, dtype
        try:
            drawn: NDArray = create(_sampler(kind), params, NDArray, ctx)
        except (ArgumentError, DTypeError) as error:
            drawn = undrawn(_sampler(kind), (), {**params, "ctx": ctx}, error)
        return drawn
    options = {"dtype": dtype, "out": out, **more}
    if all(isinstance(value, NDArray) for value in values):
        shape = () if shape is None else shape
        arrays = {_OF_ARRAYS.get(name, name): value for name, value in numbers.items()}
        sample: Callable[..., NDArray] = function_named(f"_sample_{kind}")
        return sample(**arrays, shape=shape, **options)
    for name, value in numbers.items():
        if not isinstance(value, int | float | np.number):
            remedy = "" if isinstance(value, NDArray) else conversion(value)
            raise ArgumentError(
                f"{kind}: {name} is {kind_of(value)}; parameters must be all numbers or all "
                f"NDArrays{remedy}"
            )
    if shape is not None:
        check_known(kind, shape)
    if out is not None:
        shape = out.shape if shape is None else shape
        options["dtype"] = out.dtype if dtype is None else dtype
    return _late(kind)(**numbers, shape=shape, ctx=ctx, **options)


@takes_device
def uniform(
    low: Any = 0,
    high: Any = 1,
    shape: Any = None,
    dtype: object = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Draw uniformly from ``low`` (inclusive) to ``high`` (exclusive).

    Args:
        low: The lower bound, a number or an array ``[*S]``.
        high: The upper bound, a number or an array ``[*S]``.
        shape: The shape of the result, ``(1,)`` if None; for array parameters, the shape of the
            numbers for each of their elements.
        dtype: A floating dtype; float32 if None.
        ctx: The context of the result, if parameters are numbers; the current one if None.
        out: An array to fill, which also gives ``shape`` and ``dtype`` if these are None.
        kwargs: ``name``, which has no effect.

    Returns:
        ``[*shape]``, or ``[*S, *shape]``.

    Raises:
        ArgumentError: One parameter is a number and the other an array, or ``low`` exceeds
            ``high``.
        ShapeError: ``shape`` has no axes or a size of 0 outside of ``np_shape``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.random.uniform(nd.array([0, 10]), nd.array([1, 11]), shape=3).shape
        (2, 3)
    """
    parameters = {"low": low, "high": high}
    return _draw("uniform", parameters, shape, dtype, ctx, out, kwargs)


@takes_device
def normal(
    loc: Any = 0,
    scale: Any = 1,
    shape: Any = None,
    dtype: object = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Draw from a normal distribution with mean ``loc`` and standard deviation ``scale``.

    The other arguments are those of :func:`uniform`.

    Example:
        >>> from hy_ndarray import nd
        >>> abs(float(nd.random.normal(5, 1, shape=10000).mean().asscalar()) - 5) < 0.1
        True
    """
    return _draw("normal", {"loc": loc, "scale": scale}, shape, dtype, ctx, out, kwargs)


def randn(*shape: int, **kwargs: Any) -> NDArray:
    """Draw from the normal distribution, by default the standard one.

    Args:
        shape: Sizes of the result.
        kwargs: ``loc``, ``scale``, ``dtype``, ``ctx`` and ``out``, as for :func:`normal`.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.random.randn(2, 3).shape
        (2, 3)
    """
    return normal(shape=shape or None, **kwargs)


@takes_device
def gamma(
    alpha: Any = 1,
    beta: Any = 1,
    shape: Any = None,
    dtype: object = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Draw from a gamma distribution with shape ``alpha`` and scale ``beta``.

    The other arguments are those of :func:`uniform`.
    """
    parameters = {"alpha": alpha, "beta": beta}
    return _draw("gamma", parameters, shape, dtype, ctx, out, kwargs)


@takes_device
def exponential(
    scale: Any = 1,
    shape: Any = None,
    dtype: object = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Draw from an exponential distribution with mean ``scale``.

    The other arguments are those of :func:`uniform`.
    """
    if not isinstance(scale, int | float | np.number | NDArray):
        raise ArgumentError(f"exponential: scale must be a number, got {type(scale).__name__}")
    if not isinstance(scale, NDArray) and scale == 0:
        raise ArgumentError(f"exponential: scale={scale} must be positive")
    parameters = {"lam": 1.0 / scale}
    return _draw("exponential", parameters, shape, dtype, ctx, out, kwargs)


@takes_device
def poisson(
    lam: Any = 1,
    shape: Any = None,
    dtype: object = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Draw counts from a Poisson distribution with mean ``lam``, in a floating dtype.

    The other arguments are those of :func:`uniform`.
    """
    parameters = {"lam": lam}
    return _draw("poisson", parameters, shape, dtype, ctx, out, kwargs)


@takes_device
def negative_binomial(
    k: Any = 1,
    p: Any = 1,
    shape: Any = None,
    dtype: object = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Draw the number of failures before the ``k``-th success, of probability ``p`` each.

    The other arguments are those of :func:`uniform`.
    """
    parameters = {"k": k, "p": p}
    return _draw("negative_binomial", parameters, shape, dtype, ctx, out, kwargs)


@takes_device
def generalized_negative_binomial(
    mu: Any = 1,
    alpha: Any = 1,
    shape: Any = None,
    dtype: object = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Draw from a negative binomial distribution with mean ``mu`` and dispersion ``alpha``.

    The other arguments are those of :func:`uniform`.
    """
    parameters = {"mu": mu, "alpha": alpha}
    return _draw("generalized_negative_binomial", parameters, shape, dtype, ctx, out, kwargs)


def multinomial(
    data: NDArray,
    shape: Any = None,
    get_prob: bool = False,
    out: NDArray | None = None,
    dtype: object = "int32",
    **kwargs: Any,
) -> Any:
    """Draw indices with given probabilities (a categorical distribution).

    Args:
        data: ``[*S, K]``, the probabilities of the indices 0 … K-1 for each distribution.
        shape: The shape of the indices per distribution; a single index, without an axis, if None.
        get_prob: Also return the log probability of each index, whose gradient is that of
            REINFORCE.
        out: An array to fill.
        dtype: The dtype of the indices.
        kwargs: ``name``, which has no effect.

    Returns:
        Indices ``[*S, *shape]``; with ``get_prob`` a list of indices and log probabilities.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.random.multinomial(nd.array([0, 1, 0]), shape=2).asnumpy()
        array([1, 1], dtype=int32)
    """
    function = function_named("_sample_multinomial")
    shape = () if shape is None else shape
    return function(data, shape=shape, get_prob=get_prob, out=out, dtype=dtype, **kwargs)


@takes_device
def randint(
    low: int,
    high: int,
    shape: Any = None,
    dtype: object = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    **kwargs: Any,
) -> NDArray:
    """Draw integers uniformly from ``low`` to ``high - 1``.

    Args:
        low: The smallest number.
        high: The exclusive upper bound.
        shape: The shape of the result; one number if None.
        dtype: int32 or int64; int32 if None.
        ctx: The context of the result; the current one if None.
        out: An array to fill, which also gives ``shape`` and ``dtype`` if these are None.
        kwargs: ``name``, which has no effect.

    Raises:
        ArgumentError: ``low`` is not below ``high``, or a bound is not an integer.
    """
    if shape is not None:
        check_known("randint", shape)
    if out is not None:
        shape = out.shape if shape is None else shape
        dtype = out.dtype if dtype is None else dtype
    return _late("randint")(
        low=low, high=high, shape=shape, dtype=dtype, ctx=ctx, out=out, **kwargs
    )


def shuffle(data: NDArray, **kwargs: Any) -> NDArray:
    """Return a copy with the slices along the first axis in random order.

    Args:
        data: ``[N, *rest]``.
        kwargs: ``out``, an array to fill.
    """
    function: Callable[..., NDArray] = function_named("_shuffle")
    return function(data, **kwargs)


if TYPE_CHECKING:
    from hy_ndarray.nd._operators.random import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), raised_late, "random")
