"""Element-wise absolute value, sign, roots, small powers and similar functions."""

from typing import Any

from hy_ndarray.ops.adjoints import gradient_by, no_gradient
from hy_ndarray.ops.elementwise.arithmetic import elemwise_mul
from hy_ndarray.ops.elementwise.casting import cast
from hy_ndarray.ops.families import float_function, number_function
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import derived
from hy_ndarray.ops.record.schema import Saved, operator, pointwise
from hy_ndarray.ops.record.traits import POINTWISE
from hy_ndarray.ops.record.types import TensorType


def _grad_abs(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * sign(saved.inputs[0]),)


abs = number_function("abs", "_sparse_abs", text="The absolute value.", grad=_grad_abs)


sign = number_function(
    "sign",
    "_sparse_sign",
    text="-1 for negative elements, 1 for positive ones, 0 for 0 and nan.",
    grad=no_gradient,
)


negative = number_function(
    "negative", "_sparse_negative", text="``-data``.", grad=lambda saved, dy: (-dy,)
)


def _grad_reciprocal(saved: Saved, dy: Any) -> tuple[Any]:
    return (-(dy * square(saved.outputs[0])),)


reciprocal = float_function("reciprocal", text="``1 / data``.", grad=_grad_reciprocal)


def _grad_square(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * (2 * saved.inputs[0]),)


square = number_function("square", "_sparse_square", text="``data * data``.", grad=_grad_square)


def _grad_sqrt(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / (2 * saved.outputs[0]),)


sqrt = float_function(
    "sqrt", "_sparse_sqrt", text="The square root; nan for negative elements.", grad=_grad_sqrt
)


def _grad_rsqrt(saved: Saved, dy: Any) -> tuple[Any]:
    y = saved.outputs[0]
    return (dy * y * square(y) * -0.5,)


rsqrt = float_function("rsqrt", "_sparse_rsqrt", text="``1 / sqrt(data)``.", grad=_grad_rsqrt)


def _grad_cbrt(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / (3 * square(saved.outputs[0])),)


cbrt = float_function("cbrt", "_sparse_cbrt", text="The cube root.", grad=_grad_cbrt)


def _grad_rcbrt(saved: Saved, dy: Any) -> tuple[Any]:
    y = saved.outputs[0]
    return (dy * square(square(y)) * (-1 / 3),)


rcbrt = float_function("rcbrt", text="``1 / cbrt(data)``.", grad=_grad_rcbrt)


def _grad_clip(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    low, high = saved.params["a_min"], saved.params["a_max"]
    return (dy * ((data >= low) * (data <= high)),)


@pointwise("clip", "_npi_clip", "_sparse_clip", grad=_grad_clip)
def clip(data: TensorType, *, a_min: float, a_max: float) -> TensorType:
    """Return ``data`` with elements clipped to the interval from ``a_min`` to ``a_max``.

    Args:
        data: ``[*shape]``, any dtype.
        a_min: The lower bound.
        a_max: The upper bound.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.clip(nd.array([-2, 1, 5]), a_min=0, a_max=3).asnumpy()
        array([0., 1., 3.], dtype=float32)
    """
    return data


def _grad_smooth_l1(saved: Saved, dy: Any) -> tuple[Any]:
    scale = saved.params["scalar"] ** 2
    return (dy * clip(saved.inputs[0] * scale, a_min=-1.0, a_max=1.0),)


@pointwise("smooth_l1", "_npx_smooth_l1", grad=_grad_smooth_l1)
def smooth_l1(data: TensorType, *, scalar: float = 1.0) -> TensorType:
    """Return the smooth L1 loss: quadratic near 0, linear elsewhere.

    The loss is ``(scalar * data)² / 2`` where ``abs(data) < 1 / scalar²``, else
    ``abs(data) - 0.5 / scalar²``.

    Args:
        data: ``[*shape]``, floating.
        scalar: Inverse width of the quadratic part.

    Source:
        Girshick 2015, arXiv:1504.08083, eq. 3.
    """
    return data


def _same(data: TensorType, **_: Any) -> TensorType:
    return data


@derived("_contrib_quadratic", rule=_same, traits=POINTWISE)
def quadratic(data: Tracer, *, a: float = 0.0, b: float = 0.0, c: float = 0.0) -> Tracer:
    """Return ``a * data² + b * data + c``.

    Args:
        data: ``[*shape]``, any dtype.
        a: Coefficient of ``data²``.
        b: Coefficient of ``data``.
        c: The constant term.
    """
    is_half = data.dtype in ("float16", "bfloat16")  # rounded once, at the end
    x = cast(data, dtype="float32") if is_half else data
    value: Tracer = elemwise_mul(x * a + b, x) + c
    return cast(value, dtype=data.dtype) if is_half or data.dtype == "bool" else value


@operator("_contrib_div_sqrt_dim", grad=gradient_by("_contrib_div_sqrt_dim"))
def div_sqrt_dim(data: TensorType) -> TensorType:
    """Return ``data`` divided by the square root of the size of its last axis.

    Args:
        data: ``[*shape, D]``, floating.

    Source:
        Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1.
    """
    return data
