"""RMS normalization, by the root mean square."""

from math import sqrt
from typing import Any

from hy_ndarray.ops.elementwise.broadcast import broadcast_mul, sum_like
from hy_ndarray.ops.elementwise.scalar import hypot_scalar
from hy_ndarray.ops.elementwise.unary import div_sqrt_dim
from hy_ndarray.ops.record.ranges import NonNegativeFloat
from hy_ndarray.ops.record.rules import expect_axes, floating, reduced, same
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits, rows_of_vectors
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.reduce.reductions import mean, norm


def _grad(saved: Saved, dy: Any) -> tuple[Any, ...]:
    return tuple(rms_norm_backward(dy, *saved.inputs, saved.outputs[1], **saved.params))


def _mean_product(a: Any, b: Any) -> Any:
    """Return the mean of ``a * b`` along the last axis."""
    return mean(a * b, axis=(-1,), keepdims=True)


def _grad_backward(saved: Saved, to_data: Any, to_gamma: Any) -> tuple[Any, ...]:
    """Return the gradients of :func:`rms_norm_backward` with respect to dy, data and gamma."""
    dy, data, gamma, _ = saved.inputs
    # hypot(|data| / sqrt(C), sqrt(eps)) is the deviation, without squares that overflow.
    size = norm(div_sqrt_dim(data), ord=2, axis=(-1,), keepdims=True)
    inverse = 1 / hypot_scalar(size, scalar=sqrt(saved.params["eps"]), is_int=False)
    # With n = data inverse and s = dy gamma the gradients are inverse (s - n mean(s n)) and dy n.
    normal, slope = broadcast_mul(data, inverse), broadcast_mul(dy, gamma)
    mixed, other, both = (
        _mean_product(to_data, normal),
        _mean_product(slope, normal),
        _mean_product(to_data, slope),
    )
    off = broadcast_mul(to_data - broadcast_mul(normal, mixed), inverse)
    again = broadcast_mul(normal, 3 * mixed * other - both)
    again = again - broadcast_mul(to_data, other) - broadcast_mul(slope, mixed)
    share = broadcast_mul(dy, to_gamma)
    share = share - broadcast_mul(normal, _mean_product(share, normal))
    return (
        broadcast_mul(off, gamma) + broadcast_mul(normal, to_gamma),
        broadcast_mul(broadcast_mul(again, inverse) + share, inverse),
        sum_like(dy * off, gamma),
        None,
    )


def _rule(data: TensorType, gamma: TensorType) -> TensorType:
    floating(data, gamma)
    expect_axes(data, 1)
    if data.shape is not None:
        gamma.set_shape(data.shape[-1:])
    return reduced(data, (-1,), keepdims=True)


@operator(
    "_contrib_rms_norm",
    "_npx_rms_norm",
    outputs=("output", "inverse"),
    visible=1,
    grad=_grad,
    traits=Traits(rows=rows_of_vectors),
)
def rms_norm(
    data: TensorType, gamma: TensorType, *, eps: NonNegativeFloat = 1e-6
) -> tuple[TensorType, TensorType]:
    """Return ``gamma data / sqrt(mean(data²) + eps)`` for each vector along the last axis.

    Sums of 16-bit data are float32.

    Args:
        data: ``[*shape, C]``, floating.
        gamma: ``[C]``.
        eps: Added to the mean square.

    Raises:
        ShapeError: ``data`` has no axes, or ``gamma`` does not match.

    Source:
        Zhang and Sennrich, Root Mean Square Layer Normalization, 2019, arXiv:1910.07467.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.rms_norm(nd.array([[3, 4]]), nd.array([1, 5])).asnumpy().round(2)
        array([[0.85, 5.66]], dtype=float32)
    """
    return data, _rule(data, gamma)


@operator("_rms_norm_backward", outputs=("data", "gamma"), grad=_grad_backward, params_of=rms_norm)
def rms_norm_backward(
    dy: TensorType, data: TensorType, gamma: TensorType, inverse: TensorType, **params: Any
) -> tuple[TensorType, TensorType]:
    """Return gradients of ``rms_norm`` with respect to data and gamma."""
    same(dy, data)
    inverse.set_shape(_rule(data, gamma).shape)
    return data, gamma
