"""Random integers, permutations and samples of categories."""

from typing import Any

from hy_ndarray._errors import ArgumentError, DTypeError, ShapeError
from hy_ndarray.ops.record.params import Ctx, DType, Shape
from hy_ndarray.ops.record.ranges import Positive
from hy_ndarray.ops.record.rules import floating, same_dtype, same_shape
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import TensorType, show
from hy_ndarray.ops.shaping.creation import zeros_like


@operator("_random_randint", "random_randint", "_npi_random_randint", needs=("rng",))
def random_randint(
    *,
    low: int,
    high: int,
    shape: Shape | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType | None = None,
) -> TensorType:
    """Return integers drawn uniformly from ``low`` to ``high - 1``.

    Args:
        low: The least integer.
        high: Upper bound, exclusive; above ``low``.
        shape: Shape of the result; one number if None.
        ctx: Context of the result; the current context if empty.
        dtype: int32 or int64; int32 if None.

    Raises:
        ArgumentError: ``low`` is not below ``high``.
        DTypeError: ``dtype`` is neither int32 nor int64.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.random_randint(2, 5, shape=(100,)).asnumpy()
        >>> sorted({int(n) for n in x})
        [2, 3, 4]
    """
    if low >= high:
        raise ArgumentError(f"_random_randint: low={low} must be less than high={high}")
    if dtype not in (None, "int32", "int64"):
        raise DTypeError(f"dtype={dtype} must be int32 or int64")
    return TensorType((1,) if shape is None else shape, dtype or "int32")


@operator("_shuffle", "shuffle", "_npi_shuffle", needs=("rng",))
def shuffle(data: TensorType) -> TensorType:
    """Return the slices along the first axis in random order.

    Args:
        data: ``[N, *rest]``, any dtype.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.random.shuffle(nd.array([[1, 1], [2, 2]])).asnumpy()
        >>> x[:, 0].tolist() in ([1, 2], [2, 1])
        True
    """
    return data


def _grad_multinomial(saved: Saved, *dys: Any) -> tuple[Any]:
    data = saved.inputs[0]
    if len(dys) == 1:
        return (zeros_like(data),)
    return (sample_multinomial_backward(dys[1], data, saved.outputs[0]),)


@operator(
    "_sample_multinomial",
    "sample_multinomial",
    outputs=lambda params: ("output0", "output1") if params["get_prob"] else ("output",),
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
    """Return indices drawn from categorical distributions.

    Args:
        data: ``[*S, K]``, floating: for each distribution the probabilities of 0 … K-1.
        shape: Shape of the indices drawn from each distribution.
        get_prob: Also return the log probability of each index.
        dtype: Dtype of the indices.

    Returns:
        Indices ``[*S, *shape]``, or ``[1]`` if ``S`` and ``shape`` are empty; with ``get_prob`` a
        list of the indices and the log probabilities.

    Raises:
        ShapeError: ``data`` is 0-dimensional or has no probabilities.
        DTypeError: ``data`` is not floating.

    Gradient:
        Through the log probabilities; used as the score function of REINFORCE.

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
        raise ShapeError(
            f"{data.label}{show(data.shape)} must have at least one probability in its last axis"
        )
    sizes = None if data.shape is None else (*data.shape[:-1], *shape) or (1,)
    index = TensorType(sizes, dtype)
    return (index, data.with_shape(sizes)) if get_prob else index


@operator("_sample_multinomial_backward")
def sample_multinomial_backward(dy: TensorType, data: TensorType, index: TensorType) -> TensorType:
    """Return the gradient of the log probabilities with respect to ``data``."""
    same_shape(dy, index)
    same_dtype(dy, data)
    return data


@operator("_sample_unique_zipfian", outputs=("output0", "output1"), needs=("rng",))
def sample_unique_zipfian(
    *, range_max: Positive, shape: Shape | None = None
) -> tuple[TensorType, TensorType]:
    """Return rows of distinct integers from an approximately log-uniform (Zipfian) distribution.

    ``k`` is drawn with probability ``log((k + 2) / (k + 1)) / log(range_max + 1)``; draws repeat
    until a row has ``N`` distinct integers.

    Args:
        range_max: Upper bound of the integers, exclusive.
        shape: ``(B, N)``: number of rows and their length.

    Returns:
        The integers, ``[B, N]``, and the number of draws for each row, ``[B]``; both int64.

    Raises:
        ArgumentError: ``shape`` does not have two sizes, or ``N`` exceeds ``range_max``.
    """
    if shape is None or len(shape) != 2:
        raise ArgumentError(f"_sample_unique_zipfian: shape={shape} must have two sizes")
    if shape[1] > range_max:
        raise ArgumentError(
            f"_sample_unique_zipfian: cannot draw {shape[1]} different integers below "
            f"range_max={range_max}"
        )
    return TensorType(shape, "int64"), TensorType(shape[:1], "int64")
