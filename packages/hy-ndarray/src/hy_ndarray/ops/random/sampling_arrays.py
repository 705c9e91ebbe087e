"""Random numbers of many distributions at once, their parameters given as arrays."""

from typing import Any

from hy_ndarray._errors import ArgumentError, DTypeError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.params import DType, Shape
from hy_ndarray.ops.record.ranges import Positive
from hy_ndarray.ops.record.rules import floating, same_dtype, same_shape
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import TensorType, show
from hy_ndarray.ops.shaping.creation import zeros_like

__all__ = [
    "sample_exponential",
    "sample_gamma",
    "sample_generalized_negative_binomial",
    "sample_multinomial",
    "sample_multinomial_backward",
    "sample_negative_binomial",
    "sample_normal",
    "sample_poisson",
    "sample_uniform",
    "sample_unique_zipfian",
]

_FLOATING = ("float16", "bfloat16", "float32", "float64")


def _no_influence(saved: Saved, *dys: Any) -> tuple[Any, ...]:
    return tuple(zeros_like(x) for x in saved.inputs)


def _drawn(shape: Shape, dtype: DType | None, *parameters: TensorType) -> TensorType:
    """``shape`` numbers for each distribution."""
    same_shape(*parameters)
    same_dtype(*parameters)
    if dtype is not None and dtype not in _FLOATING:
        raise DTypeError(f"dtype={dtype} is not one of {', '.join(_FLOATING)}")
    sizes = parameters[0].shape
    return TensorType(None if sizes is None else (*sizes, *shape), dtype or "float32")


@operator("_sample_uniform", "sample_uniform", needs=("rng",), grad=_no_influence)
def sample_uniform(
    low: TensorType, high: TensorType, *, shape: Shape = (), dtype: DType | None = None
) -> TensorType:
    """Numbers of equal probability, some for each.

    Args:
        low: ``[*S]``, the least numbers.
        high: The bounds of the numbers, of the same shape and dtype.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Raises:
        ShapeError: The parameters differ in shape.
        DTypeError: They differ in dtype, or ``dtype`` is not floating.
    """
    return _drawn(shape, dtype, low, high)


@operator("_sample_normal", "sample_normal", needs=("rng",), grad=_no_influence)
def sample_normal(
    mu: TensorType, sigma: TensorType, *, shape: Shape = (), dtype: DType | None = None
) -> TensorType:
    """Numbers of normal distributions, some for each.

    Args:
        mu: ``[*S]``, the means.
        sigma: The standard deviations, of the same shape and dtype.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Raises:
        ShapeError: The parameters differ in shape.
        DTypeError: They differ in dtype, or ``dtype`` is not floating.
    """
    return _drawn(shape, dtype, mu, sigma)


@operator("_sample_gamma", "sample_gamma", needs=("rng",), grad=_no_influence)
def sample_gamma(
    alpha: TensorType, beta: TensorType, *, shape: Shape = (), dtype: DType | None = None
) -> TensorType:
    """Numbers of gamma distributions, some for each.

    Args:
        alpha: ``[*S]``, the shapes.
        beta: The scales, of the same shape and dtype.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Raises:
        ShapeError: The parameters differ in shape.
        DTypeError: They differ in dtype, or ``dtype`` is not floating.
    """
    return _drawn(shape, dtype, alpha, beta)


@operator("_sample_exponential", "sample_exponential", needs=("rng",), grad=_no_influence)
def sample_exponential(
    lam: TensorType, *, shape: Shape = (), dtype: DType | None = None
) -> TensorType:
    """Numbers of exponential distributions, some for each.

    Args:
        lam: ``[*S]``, the rates.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Raises:
        ShapeError: The parameters differ in shape.
        DTypeError: They differ in dtype, or ``dtype`` is not floating.
    """
    return _drawn(shape, dtype, lam)


@operator("_sample_poisson", "sample_poisson", needs=("rng",), grad=_no_influence)
def sample_poisson(lam: TensorType, *, shape: Shape = (), dtype: DType | None = None) -> TensorType:
    """Whole numbers of Poisson distributions, some for each.

    Args:
        lam: ``[*S]``, the means.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Raises:
        ShapeError: The parameters differ in shape.
        DTypeError: They differ in dtype, or ``dtype`` is not floating.
    """
    return _drawn(shape, dtype, lam)


@operator(
    "_sample_negative_binomial", "sample_negative_binomial", needs=("rng",), grad=_no_influence
)
def sample_negative_binomial(
    k: TensorType, p: TensorType, *, shape: Shape = (), dtype: DType | None = None
) -> TensorType:
    """Numbers of failures before the ``k``-th success, some for each.

    Args:
        k: ``[*S]``, the numbers of successes.
        p: The probabilities of a success, of the same shape and dtype.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Raises:
        ShapeError: The parameters differ in shape.
        DTypeError: They differ in dtype, or ``dtype`` is not floating.
    """
    return _drawn(shape, dtype, k, p)


@operator(
    "_sample_generalized_negative_binomial",
    "sample_generalized_negative_binomial",
    needs=("rng",),
    grad=_no_influence,
)
def sample_generalized_negative_binomial(
    mu: TensorType, alpha: TensorType, *, shape: Shape = (), dtype: DType | None = None
) -> TensorType:
    """Whole numbers of negative binomial distributions given by their means, some for each.

    Args:
        mu: ``[*S]``, the means.
        alpha: The dispersions, of the same shape and dtype.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Raises:
        ShapeError: The parameters differ in shape.
        DTypeError: They differ in dtype, or ``dtype`` is not floating.
    """
    return _drawn(shape, dtype, mu, alpha)


def _multinomial_outputs(params: Params) -> tuple[str, ...]:
    return ("output0", "output1") if params["get_prob"] else ("output",)


def _grad_multinomial(saved: Saved, *dys: Any) -> tuple[Any]:
    data = saved.inputs[0]
    if len(dys) == 1:
        return (zeros_like(data),)
    return (sample_multinomial_backward(dys[1], data, saved.outputs[0]),)


@operator(
    "_sample_multinomial",
    "sample_multinomial",
    outputs=_multinomial_outputs,
    needs=("rng",),
    grad=_grad_multinomial,
)
def sample_multinomial(
    data: TensorType,
    *,
    shape: Shape = (),
    get_prob: bool = False,
    dtype: DType = DType("int32"),  # noqa: B008  # a name, made once
) -> Any:
    """Indices drawn with given probabilities.

    Args:
        data: ``[*S, K]``: for each distribution the probabilities of 0 … K-1. Floating.
        shape: How many indices for each distribution, as a shape.
        get_prob: Also return the logarithm of the probability of each index.
        dtype: Of the indices.

    Returns:
        ``[*S, *shape]`` indices, ``[1]`` if both are empty; with ``get_prob`` a list of these
        and the logarithms.

    Raises:
        ShapeError: ``data`` is 0-dimensional or has no probabilities.
        DTypeError: ``data`` is not floating.

    Gradient:
        Through the logarithms; used as the score function of REINFORCE.

    Source:
        Williams 1992, Simple statistical gradient-following algorithms for connectionist
        reinforcement learning, Machine Learning 8.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.sample_multinomial(nd.array([[0, 1], [1, 0]]), shape=3).asnumpy()
        array([[1, 1, 1],
               [0, 0, 0]], dtype=int32)
    """
    floating(data)
    if data.shape is not None and data.shape[-1:] in ((), (0,)):
        raise ShapeError(f"{data.label}{show(data.shape)} has no probabilities")
    sizes = None if data.shape is None else (*data.shape[:-1], *shape) or (1,)
    index = TensorType(sizes, dtype)
    return (index, data.with_shape(sizes)) if get_prob else index


@operator("_sample_multinomial_backward")
def sample_multinomial_backward(dy: TensorType, data: TensorType, index: TensorType) -> TensorType:
    """Gradient of the logarithms: ``dy / data`` summed where the indices say."""
    same_shape(dy, index)
    same_dtype(dy, data)
    return data


@operator("_sample_unique_zipfian", outputs=("output0", "output1"), needs=("rng",))
def sample_unique_zipfian(
    *, range_max: Positive, shape: Shape | None = None
) -> tuple[TensorType, TensorType]:
    """Rows of different whole numbers, small ones more often.

    ``k`` is drawn with probability ``log((k + 2) / (k + 1)) / log(range_max + 1)`` until a row
    has as many different ones as it needs.

    Args:
        range_max: Bound of the numbers.
        shape: ``[B, N]``: number of rows and their length.

    Returns:
        ``[B, N]`` numbers, int64, and ``[B]``: how many had to be drawn for each row, int64.

    Raises:
        ArgumentError: ``shape`` does not have two sizes, or there are not ``N`` different numbers.
    """
    if shape is None or len(shape) != 2:
        raise ArgumentError(f"_sample_unique_zipfian: shape={shape} must have two sizes")
    if shape[1] > range_max:
        raise ArgumentError(
            f"_sample_unique_zipfian: there are no {shape[1]} different numbers below {range_max}"
        )
    return TensorType(shape, "int64"), TensorType(shape[:1], "int64")
