"""Random numbers of one distribution, its parameters given as numbers; shuffling."""

from hy_ndarray._errors import ArgumentError, DTypeError
from hy_ndarray.ops.record.params import Ctx, DType, Shape
from hy_ndarray.ops.record.ranges import NonNegative, NonNegativeFloat, PositiveFloat
from hy_ndarray.ops.record.schema import operator
from hy_ndarray.ops.record.types import TensorType

__all__ = [
    "random_exponential",
    "random_gamma",
    "random_generalized_negative_binomial",
    "random_negative_binomial",
    "random_normal",
    "random_poisson",
    "random_randint",
    "random_uniform",
    "shuffle",
]

_FLOATING = ("float16", "bfloat16", "float32", "float64")


def check_bounds(low: float, high: float) -> None:
    """The bounds of a uniform distribution are in order.

    Raises:
        ArgumentError: ``low`` is above ``high``.
    """
    if low > high:
        raise ArgumentError(f"low={low} must not be above high={high}")


def _drawn(shape: Shape | None, dtype: DType | None) -> TensorType:
    if dtype is not None and dtype not in _FLOATING:
        raise DTypeError(f"dtype={dtype} is not one of {', '.join(_FLOATING)}")
    return TensorType((1,) if shape is None else shape, dtype or "float32")


@operator("_random_uniform", "random_uniform", "uniform", needs=("rng",))
def random_uniform(
    *,
    low: float = 0.0,
    high: float = 1.0,
    shape: Shape | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Numbers of equal probability from ``low`` up to ``high``.

    Args:
        low: Least number.
        high: Bound of the numbers, not below ``low``.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Raises:
        ArgumentError: A parameter of the distribution is out of range.
        DTypeError: ``dtype`` is not floating.

    Example:
        >>> from hy_ndarray import nd
        >>> bool((nd.random_uniform(2, 3, shape=(100,)).asnumpy() >= 2).all())
        True
    """
    check_bounds(low, high)
    return _drawn(shape, dtype)


@operator("_random_normal", "random_normal", "normal", needs=("rng",))
def random_normal(
    *,
    loc: float = 0.0,
    scale: NonNegativeFloat = 1.0,
    shape: Shape | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Numbers of a normal distribution.

    Args:
        loc: Its mean.
        scale: Its standard deviation, not negative.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Raises:
        ArgumentError: A parameter of the distribution is out of range.
        DTypeError: ``dtype`` is not floating.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.random_normal(0, 1, shape=(2, 3)).shape
        (2, 3)
    """
    return _drawn(shape, dtype)


@operator("_random_gamma", "random_gamma", needs=("rng",))
def random_gamma(
    *,
    alpha: PositiveFloat = 1.0,
    beta: PositiveFloat = 1.0,
    shape: Shape | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Numbers of a gamma distribution.

    Args:
        alpha: Its shape, positive.
        beta: Its scale, positive; the mean is ``alpha * beta``.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Raises:
        ArgumentError: A parameter of the distribution is out of range.
        DTypeError: ``dtype`` is not floating.
    """
    return _drawn(shape, dtype)


@operator("_random_exponential", "random_exponential", needs=("rng",))
def random_exponential(
    *,
    lam: PositiveFloat = 1.0,
    shape: Shape | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Numbers of an exponential distribution.

    Args:
        lam: Its rate, positive; the mean is ``1 / lam``.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Raises:
        ArgumentError: A parameter of the distribution is out of range.
        DTypeError: ``dtype`` is not floating.
    """
    return _drawn(shape, dtype)


@operator("_random_poisson", "random_poisson", needs=("rng",))
def random_poisson(
    *,
    lam: NonNegativeFloat = 1.0,
    shape: Shape | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Whole numbers of a Poisson distribution, in a floating dtype.

    Args:
        lam: Its mean, not negative.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Raises:
        ArgumentError: A parameter of the distribution is out of range.
        DTypeError: ``dtype`` is not floating.
    """
    return _drawn(shape, dtype)


@operator("_random_negative_binomial", "random_negative_binomial", needs=("rng",))
def random_negative_binomial(
    *,
    k: NonNegative = 1,
    p: PositiveFloat = 1.0,
    shape: Shape | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Draw the number of failed trials before the ``k``-th success, in a floating dtype.

    Args:
        k: Number of successes, not negative.
        p: Probability of a success, above 0; one above 1 is 1.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Raises:
        ArgumentError: A parameter of the distribution is out of range.
        DTypeError: ``dtype`` is not floating.
    """
    return _drawn(shape, dtype)


@operator(
    "_random_generalized_negative_binomial", "random_generalized_negative_binomial", needs=("rng",)
)
def random_generalized_negative_binomial(
    *,
    mu: NonNegativeFloat = 1.0,
    alpha: NonNegativeFloat = 1.0,
    shape: Shape | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Whole numbers of a negative binomial distribution given by its mean.

    Args:
        mu: Its mean, not negative.
        alpha: Its dispersion, not negative; 0 is the Poisson distribution.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Raises:
        ArgumentError: A parameter of the distribution is out of range.
        DTypeError: ``dtype`` is not floating.
    """
    return _drawn(shape, dtype)


@operator("_random_randint", "random_randint", "_npi_random_randint", needs=("rng",))
def random_randint(
    *,
    low: int,
    high: int,
    shape: Shape | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Whole numbers of equal probability from ``low`` to ``high - 1``.

    Args:
        low: Least number.
        high: Bound of the numbers, above ``low``.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: int32 or int64; int32 if None.

    Raises:
        ArgumentError: ``low`` is not below ``high``.
        DTypeError: ``dtype`` is another one.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.random_randint(2, 5, shape=(100,)).asnumpy()
        >>> sorted({int(n) for n in x})
        [2, 3, 4]
    """
    if low >= high:
        raise ArgumentError(f"_random_randint: low={low} is not below high={high}")
    if dtype not in (None, "int32", "int64"):
        raise DTypeError(f"dtype={dtype} is neither int32 nor int64")
    return TensorType((1,) if shape is None else shape, dtype or "int32")


@operator("_shuffle", "shuffle", "_npi_shuffle", needs=("rng",))
def shuffle(data: TensorType) -> TensorType:
    """The slices along the first axis in a random order.

    Args:
        data: ``[N, *rest]``, any dtype.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.random.shuffle(nd.array([[1, 1], [2, 2]])).asnumpy()
        >>> x[:, 0].tolist() in ([1, 2], [2, 1])
        True
    """
    return data
