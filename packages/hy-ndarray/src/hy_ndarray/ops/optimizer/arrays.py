"""Optimizer operators besides steps: learning rates by layer (LARS), and zeroing of states."""

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.record.params import Count
from hy_ndarray.ops.record.rules import same_dtype, same_shape
from hy_ndarray.ops.record.schema import operator, pointwise
from hy_ndarray.ops.record.types import TensorType


@pointwise("multi_lars", same="type")
def multi_lars(
    lrs: TensorType,
    weights_sum_sq: TensorType,
    grads_sum_sq: TensorType,
    wds: TensorType,
    *,
    eta: float,
    eps: float,
    rescale_grad: float = 1.0,
) -> TensorType:
    """Return ``lr * eta * |weight| / (|grad| + wd * |weight| + eps)``, the rate of each layer.

    Args:
        lrs: ``[N]``, the common learning rates.
        weights_sum_sq: ``[N]``, squared norms of the weights.
        grads_sum_sq: ``[N]``, squared norms of the gradients.
        wds: ``[N]``, weight decays.
        eta: The trust coefficient.
        eps: Added to the divisor.
        rescale_grad: Factor of the gradients.

    Returns:
        ``[N]``; the common learning rate where a norm is 0.

    Raises:
        ShapeError: The shapes differ.

    Source:
        You, Gitman, Ginsburg 2017, arXiv:1708.03888.
    """
    same_shape(lrs, weights_sum_sq, grads_sum_sq, wds)
    same_dtype(lrs, weights_sum_sq, grads_sum_sq, wds)
    return lrs


@operator("reset_arrays", outputs=(), updates=lambda params, _: tuple(range(params["num_arrays"])))
def reset_arrays(*data: TensorType, num_arrays: Count) -> tuple[TensorType, ...]:
    """Overwrite arrays with zeros.

    Args:
        data: Arrays of any types, overwritten.
        num_arrays: The number of arrays.

    Raises:
        ShapeError: There are more or fewer arrays.
    """
    if len(data) != num_arrays:
        raise ShapeError(f"num_arrays={num_arrays}, but {len(data)} arrays were given")
    return ()
