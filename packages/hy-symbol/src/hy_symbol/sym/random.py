"""Random numbers: ``sym.random.uniform`` and the like.

The parameters of a distribution are numbers, to draw one array of a given shape, or symbols, to
draw from one distribution per element.
"""

from numbers import Number
from typing import TYPE_CHECKING, Any

from hy_ndarray import ArgumentError, namespaces
from hy_symbol._errors import brief
from hy_symbol.sym._functions import add_node, symbol_function
from hy_symbol.symbol.symbol import Symbol

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


def _draw(
    kind: str, parameters: dict[str, Any], shape: Any, dtype: object, **kwargs: Any
) -> Symbol:
    """Return a node of ``_random_<kind>`` for numbers, or of ``_sample_<kind>`` for symbols.

    Raises:
        ArgumentError: Symbols and numbers are mixed, or a parameter is neither.
    """
    options = {"shape": shape, "dtype": dtype, **kwargs}
    present = {name: value for name, value in options.items() if value is not None}
    if all(isinstance(value, Symbol) for value in parameters.values()):
        return add_node(f"_sample_{kind}", *parameters.values(), **present)
    for name, value in parameters.items():
        if not isinstance(value, Number):
            raise ArgumentError(
                f"{kind}: {name}={brief(value)}; the parameters must be numbers, or Symbols all "
                "of them"
            )
    return add_node(f"_random_{kind}", **parameters, **present)


def uniform(
    low: Any = 0, high: Any = 1, shape: Any = None, dtype: object = None, **kwargs: Any
) -> Symbol:
    """Draw uniformly distributed numbers from ``[low, high)``.

    Args:
        low: Lower bound, inclusive; a number or a symbol ``[*S]``.
        high: Upper bound, exclusive; a number or a symbol ``[*S]``.
        shape: Shape of the draws from each distribution; one number if None. With numbers as
            parameters, sizes of 0 are inferred from how the result is used.
        dtype: Floating dtype; float32 if None.
        kwargs: ``name`` and ``attr`` of the node, ``ctx``.

    Returns:
        ``[*shape]``, or ``[*S, *shape]``.

    Raises:
        ArgumentError: One parameter is a number and the other a symbol.

    Example:
        >>> uniform(shape=(2, 3)).infer_shape()
        ([], [(2, 3)], [])
    """
    return _draw("uniform", {"low": low, "high": high}, shape, dtype, **kwargs)


def normal(
    loc: Any = 0, scale: Any = 1, shape: Any = None, dtype: object = None, **kwargs: Any
) -> Symbol:
    """Draw normally distributed numbers with mean ``loc`` and standard deviation ``scale``.

    The arguments beside these are those of :func:`uniform`.
    """
    return _draw("normal", {"loc": loc, "scale": scale}, shape, dtype, **kwargs)


def randn(*shape: int, **kwargs: Any) -> Symbol:
    """Return normally distributed numbers.

    Args:
        shape: Sizes of the result.
        kwargs: ``loc``, ``scale``, ``dtype``, ``name`` and ``attr``, as for :func:`normal`.
    """
    return normal(shape=shape or None, **kwargs)


def gamma(
    alpha: Any = 1, beta: Any = 1, shape: Any = None, dtype: object = None, **kwargs: Any
) -> Symbol:
    """Draw gamma-distributed numbers with shape parameter ``alpha`` and scale ``beta``.

    The arguments beside these are those of :func:`uniform`.
    """
    return _draw("gamma", {"alpha": alpha, "beta": beta}, shape, dtype, **kwargs)


def exponential(scale: Any = 1, shape: Any = None, dtype: object = None, **kwargs: Any) -> Symbol:
    """Draw exponentially distributed numbers with mean ``scale``.

    The arguments beside it are those of :func:`uniform`.

    Raises:
        ArgumentError: ``scale`` is neither a positive number nor a symbol.
    """
    if not isinstance(scale, Symbol) and not (isinstance(scale, int | float) and scale > 0):
        raise ArgumentError(f"exponential: scale={brief(scale)} must be a positive number")
    return _draw("exponential", {"lam": 1.0 / scale}, shape, dtype, **kwargs)


def poisson(lam: Any = 1, shape: Any = None, dtype: object = None, **kwargs: Any) -> Symbol:
    """Draw Poisson-distributed counts with mean ``lam``, in a floating dtype.

    The arguments beside it are those of :func:`uniform`.
    """
    return _draw("poisson", {"lam": lam}, shape, dtype, **kwargs)


def negative_binomial(
    k: Any = 1, p: Any = 1, shape: Any = None, dtype: object = None, **kwargs: Any
) -> Symbol:
    """Draw counts of failures before the ``k``-th success, with success probability ``p``.

    The arguments beside these are those of :func:`uniform`.
    """
    return _draw("negative_binomial", {"k": k, "p": p}, shape, dtype, **kwargs)


def generalized_negative_binomial(
    mu: Any = 1, alpha: Any = 1, shape: Any = None, dtype: object = None, **kwargs: Any
) -> Symbol:
    """Draw negative binomial counts with mean ``mu`` and dispersion ``alpha``.

    The arguments beside these are those of :func:`uniform`.
    """
    parameters = {"mu": mu, "alpha": alpha}
    return _draw("generalized_negative_binomial", parameters, shape, dtype, **kwargs)


def multinomial(
    data: Symbol, shape: Any = None, get_prob: bool = True, dtype: object = "int32", **kwargs: Any
) -> Symbol:
    """Draw indices from categorical distributions.

    Args:
        data: ``[*S, K]``, the probabilities of the indices 0 … K-1 for each distribution.
        shape: Shape of the draws from each distribution; None: one, without a new axis.
        get_prob: Whether to return also the log probability of each drawn index.
        dtype: Dtype of the indices.
        kwargs: ``name`` and ``attr`` of the node.

    Returns:
        Indices ``[*S, *shape]``; with ``get_prob`` a group of these and the log probabilities.
    """
    more = {} if shape is None else {"shape": shape}
    return add_node("_sample_multinomial", data, get_prob=get_prob, dtype=dtype, **more, **kwargs)


def randint(low: int, high: int, shape: Any = None, dtype: object = None, **kwargs: Any) -> Symbol:
    """Draw uniformly distributed integers from ``low`` to ``high - 1``.

    Args:
        low: Lower bound, inclusive.
        high: Upper bound, exclusive, above ``low``.
        shape: Shape of the result; one number if None.
        dtype: int32 or int64; int32 if None.
        kwargs: ``name`` and ``attr`` of the node, ``ctx``.
    """
    options = {"shape": shape, "dtype": dtype, **kwargs}
    present = {name: value for name, value in options.items() if value is not None}
    return add_node("_random_randint", low=low, high=high, **present)


def shuffle(data: Symbol, **kwargs: Any) -> Symbol:
    """Shuffle the slices along the first axis.

    Args:
        data: ``[N, *rest]``.
        kwargs: ``name`` and ``attr`` of the node.
    """
    return add_node("_shuffle", data, **kwargs)


if TYPE_CHECKING:
    from hy_symbol.sym._operators.random import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), symbol_function, "random")
