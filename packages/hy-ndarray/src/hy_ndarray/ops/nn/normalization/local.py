"""L2 normalization of vectors, and local response normalization (LRN) across channels."""

from typing import Any, Literal, TypeAlias

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.record.ranges import Positive
from hy_ndarray.ops.record.rules import expect_axes, floating, same
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits, rows_of_batch
from hy_ndarray.ops.record.types import TensorType

Mode: TypeAlias = Literal["channel", "instance", "spatial"]


@operator(
    "L2Normalization",
    grad=gradient_by("_l2_normalization_backward", 0),
    traits=Traits(rows=rows_of_batch, outputs_in_files=2),
)
def l2_normalization(
    data: TensorType, *, eps: float = 1e-10, mode: Mode = "instance"
) -> TensorType:
    """Return each vector divided by its length, ``sqrt(sum of squares + eps)``.

    Args:
        data: ``[N, C, *space]``, floating.
        eps: Added to the squared length.
        mode: The axes of a vector: ``"instance"``, all but the first; ``"channel"``, axis 1; or
            ``"spatial"``, all axes after it.

    Raises:
        ShapeError: ``data`` has too few axes.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.L2Normalization(nd.array([[3, 4]])).asnumpy()
        array([[0.6, 0.8]], dtype=float32)
    """
    min_rank = {"instance": 2, "channel": 2, "spatial": 3}[mode]
    if data.rank is not None and data.rank < min_rank:
        raise ShapeError(f"{data!r} must have at least {min_rank} axes for mode={mode!r}")
    floating(data)
    return data


@operator("_l2_normalization_backward", params_of=l2_normalization)
def l2_normalization_backward(dy: TensorType, data: TensorType, **params: Any) -> TensorType:
    """Return the gradient of ``L2Normalization`` with respect to ``data``."""
    floating(dy, data)
    return same(dy, data)


@operator("_l2_total", grad=gradient_by("_l2_total"))
def l2_total(data: TensorType, *, mode: Mode = "instance") -> TensorType:
    """Return for each element the sum over its vector; vectors as in ``L2Normalization``."""
    return data


@operator(
    "LRN",
    grad=gradient_by("_lrn_backward", 0),
    traits=Traits(rows=rows_of_batch, outputs_in_files=2),
)
def lrn(
    data: TensorType,
    *,
    alpha: float = 1e-4,
    beta: float = 0.75,
    knorm: float = 2.0,
    nsize: Positive,
) -> TensorType:
    """Return ``data / (knorm + alpha / nsize · s) ** beta``, with ``s`` the sum of squares nearby.

    Args:
        data: ``[N, C, *space]``, floating.
        alpha: Weight of the sum of squares over neighbouring channels.
        beta: The exponent.
        knorm: The constant term.
        nsize: Number of channels in the sum, at least 1. An even number sums one channel less,
            as in oneDNN, but still divides by ``nsize``.

    Raises:
        ShapeError: ``data`` has no axis of channels.

    Source:
        Krizhevsky, Sutskever and Hinton, ImageNet Classification with Deep Convolutional Neural
        Networks, 2012.
    """
    if data.rank is not None and data.rank < 2:
        raise ShapeError(f"{data!r} must have at least 2 axes")
    floating(data)
    return data


def _grad_lrn_backward(saved: Saved, ddata: Any) -> tuple[Any, Any]:
    dy, data = saved.inputs
    alpha, beta, knorm, nsize = (saved.params[p] for p in ("alpha", "beta", "knorm", "nsize"))
    # With s = knorm + alpha / nsize window(data²) the gradient is dy s**-beta - slope beta data
    # window(dy data s**(-beta - 1)).
    slope = 2 * alpha / nsize
    s = channel_window(data * data, nsize=nsize) * (alpha / nsize) + knorm
    lower = s ** (-beta - 1)
    around = channel_window(ddata * data, nsize=nsize)
    seen = dy * lower
    to_data = (ddata * channel_window(seen * data, nsize=nsize) + around * seen) * (-slope * beta)
    to_s = around * seen * data / s * (slope * beta * (beta + 1)) - ddata * seen * beta
    return (
        (ddata * s - around * data * (slope * beta)) * lower,
        to_data + data * channel_window(to_s, nsize=nsize) * slope,
    )


@operator("_lrn_backward", grad=_grad_lrn_backward, params_of=lrn)
def lrn_backward(dy: TensorType, data: TensorType, **params: Any) -> TensorType:
    """Return the gradient of ``LRN`` with respect to ``data``."""
    floating(dy, data)
    return same(dy, data)


@operator("_channel_window", grad=gradient_by("_channel_window"))
def channel_window(data: TensorType, *, nsize: Positive) -> TensorType:
    """Return for each channel the sum over a window of ``nsize`` channels around it."""
    expect_axes(data, 2)
    return data
