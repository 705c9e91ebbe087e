"""Transposed convolution (deconvolution) and its gradients."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.ops.adjoints import Bilinear
from hy_ndarray.ops.nn._window import (
    channel_axis,
    channels_first,
    channels_last,
    check_rank,
    from_channels_first,
    full,
)
from hy_ndarray.ops.nn.conv import Layout, Tune, channel_sum
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.ranges import NonNegatives, Positive, Positives
from hy_ndarray.ops.record.rules import expect_rank, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits, rows_of_windows
from hy_ndarray.ops.record.types import PartialShape, TensorType


def _grad(saved: Saved, dy: Any) -> tuple[Any, ...]:
    data, weight, bias = saved.inputs
    names = ("stride", "dilate", "pad", "adj", "target_shape", "num_group", "layout")
    options = {name: saved.params[name] for name in names}
    axis = channel_axis(saved.params["layout"])
    wants = saved.wants
    return (
        deconvolution_backward_data(dy, weight, data, **options) if wants(0) else None,
        deconvolution_backward_weight(dy, data, weight, **options) if wants(1) else None,
        channel_sum(dy, bias, axis=axis) if bias is not None and wants(2) else None,
    )


def _output_size(
    size: int | None, kernel: int, stride: int, dilate: int, pad: int, adj: int
) -> int | None:
    """Return the output size of a transposed convolution along one spatial axis.

    Raises:
        ShapeError: The size would not be positive.
    """
    if adj >= stride:
        raise ArgumentError(f"adj={adj} must be smaller than stride={stride}")
    if size is None:
        return None
    result = stride * (size - 1) + dilate * (kernel - 1) + 1 - 2 * pad + adj
    if result < 1:
        raise ShapeError(
            f"pad={pad} leaves no output: {size} inputs with kernel={kernel}, stride={stride} and "
            f"dilate={dilate} span {result + 2 * pad}"
        )
    return result


def _output_space(
    data: TensorType,
    kernel: Sequence[int],
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    adj: Shape,
    target: Shape,
    layout: str | None,
) -> PartialShape:
    """Return the sizes of the result along the spatial axes."""
    check_rank(data, kernel, layout)
    rank = len(kernel)
    stride, dilate = full("stride", stride, rank, 1), full("dilate", dilate, rank, 1)
    pad, adj = full("pad", pad, rank, 0), full("adj", adj, rank, 0)
    space: Sequence[int | None] = (None,) * rank
    if data.shape is not None:
        space = channels_first(data.shape, layout)[2:]
    if not any(target):
        return tuple(map(_output_size, space, kernel, stride, dilate, pad, adj))
    target = full("target_shape", target, rank, 0)
    for n, k, s, d, wanted in zip(space, kernel, stride, dilate, target, strict=True):
        full_size = _output_size(n, k, s, d, 0, 0)
        if full_size is not None and wanted > full_size:
            raise ShapeError(f"target_shape={target} exceeds the unpadded output size {full_size}")
        # The padding is half of what is cut off, rounded up, and adj the rest, which must be below
        # the stride.
        if full_size is not None and (full_size - wanted) % 2 >= s:
            raise ArgumentError(
                f"target_shape={target}: with stride={s} the number of cropped elements must be "
                f"even, got {full_size - wanted}"
            )
    return target


@operator(
    "Deconvolution",
    "_npx_deconvolution",
    active=lambda params: ("data", "weight") if params["no_bias"] else ("data", "weight", "bias"),
    grad=_grad,
    traits=Traits(rows=rows_of_windows),
)
def deconvolution(
    data: TensorType,
    weight: TensorType,
    bias: TensorType | None = None,
    *,
    kernel: Positives,
    stride: Positives = (),
    dilate: Positives = (),
    pad: NonNegatives = (),
    adj: NonNegatives = (),
    target_shape: Shape = (),
    num_filter: Positive,
    num_group: Positive = 1,
    workspace: int = 512,
    no_bias: bool = True,  # decides the inputs
    cudnn_tune: Tune | None = None,
    cudnn_off: bool = False,
    layout: Layout | None = None,
) -> TensorType:
    """Return the transposed convolution of ``data``, in 1, 2 or 3 dimensions.

    Args:
        data: ``[N, C, *space]``, floating; ``[N, *space, C]`` if the layout ends in ``C``.
        weight: ``[C, num_filter / num_group, *kernel]``; channels last if the layout ends in ``C``.
        bias: ``[num_filter]``; left out with ``no_bias=True``.
        kernel: Size of the window along each spatial axis.
        stride: Step between windows along each axis; 1 by default.
        dilate: Step between the elements of a window along each axis; 1 by default.
        pad: Elements removed at both ends of each spatial axis; none by default.
        adj: Elements added at the end of each spatial axis, fewer than the stride; none by default.
        target_shape: Sizes of the result along the spatial axes, instead of ``pad`` and ``adj``.
        num_filter: Number of output channels.
        num_group: Number of groups of channels and filters, which are treated separately.
        workspace: Accepted and ignored.
        no_bias: Whether there is no bias.
        cudnn_tune: Accepted and ignored.
        cudnn_off: Accepted and ignored.
        layout: Order of the axes, ``NCW``, ``NCHW`` or ``NCDHW`` by default.

    Returns:
        ``[N, num_filter, *sizes]``, or the layout's order, where along each axis the size is
        ``stride (size - 1) + dilate (kernel - 1) + 1 - 2 pad + adj``.

    Raises:
        ShapeError: The operands are incompatible, or the result would be empty.

    Example:
        >>> from hy_ndarray import nd
        >>> x, w = nd.array([[[1, 2]]]), nd.array([[[1, 10]]])
        >>> nd.Deconvolution(x, w, kernel=(2,), stride=(2,), num_filter=1).asnumpy()
        array([[[ 1., 10.,  2., 20.]]], dtype=float32)
    """
    if num_filter % num_group:
        raise ShapeError(f"num_filter={num_filter} is not a multiple of num_group={num_group}")
    each = num_filter // num_group
    return _deconvolution(
        data, weight, bias, kernel, stride, dilate, pad, adj, target_shape, each, num_group, layout
    )


def _deconvolution(
    data: TensorType,
    weight: TensorType,
    bias: TensorType | None,
    kernel: Shape,
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    adj: Shape,
    target_shape: Shape,
    each: int,
    num_group: int,
    layout: str | None,
) -> TensorType:
    """Return the type of a transposed convolution's result with ``each`` filters per group."""
    same_dtype(data, weight, bias)
    space = _output_space(data, kernel, stride, dilate, pad, adj, target_shape, layout)
    num_filter = each * num_group
    batch = channels = None
    if data.shape is not None:
        batch, channels, *_ = channels_first(data.shape, layout)
    if channels is not None and channels % num_group:
        raise ShapeError(
            f"{data!r} has {channels} channels, which is not a multiple of num_group={num_group}"
        )
    weight.set_shape(from_channels_first((channels, each, *kernel), layout))
    if bias is not None:
        bias.set_shape((num_filter,))
    return data.with_shape(from_channels_first((batch, num_filter, *space), layout))


_PROJECT = Bilinear()


@operator("_deconvolution_project", grad=_PROJECT.grad)
def deconvolution_project(
    data: TensorType,
    weight: TensorType,
    *,
    stride: Positives = (),
    dilate: Positives = (),
    pad: NonNegatives = (),
    adj: NonNegatives = (),
    target_shape: Shape = (),
    num_group: Positive = 1,
    layout: Layout | None = None,
) -> TensorType:
    """Return ``Deconvolution`` without bias; ``weight`` gives the kernel size."""
    same_dtype(data, weight)
    expect_rank(weight, 3, 4, 5)
    if data.shape is None or weight.sizes is None:
        return data.with_shape(None)
    rest = weight.sizes[1:]
    each, kernel = (rest[-1], rest[:-1]) if channels_last(layout) else (rest[0], rest[1:])
    return _deconvolution(
        data, weight, None, kernel, stride, dilate, pad, adj, target_shape, each, num_group, layout
    )


deconvolution_backward_data, deconvolution_backward_weight = _PROJECT.gradients_of(
    deconvolution_project, "deconvolution"
)
