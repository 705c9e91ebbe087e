"""Type rules of normalizations and their gradients."""

from typing import Literal, TypeAlias

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.record.rules import check_axis, expect_axes, floating, reduced
from hy_ndarray.ops.record.types import PartialShape, TensorType

Kind: TypeAlias = Literal["batch", "group", "instance", "layer"]
Batch: TypeAlias = tuple[TensorType, TensorType, TensorType]


def parameter_shapes(
    data: TensorType, kind: Kind, axis: int, groups: int
) -> tuple[PartialShape | None, PartialShape | None]:
    """Return the shapes of gamma and of the statistics; None while unknown."""
    # MXNet 1 has one gamma for a group; the paper one for a channel.
    each: PartialShape | None = (groups,) if kind == "group" else None
    if data.shape is None:
        return each, None
    if kind in ("group", "instance"):
        expect_axes(data, 3)
        batch, channels = data.shape[:2]
        if each is None:
            return (channels,), (batch, channels)
        if channels is not None and channels % groups:
            raise ShapeError(
                f"{data!r} has {channels} channels, which is not a multiple of num_groups={groups}"
            )
        return each, (batch, groups)
    each = (data.shape[check_axis(axis, data) or 0],)
    return each, each if kind == "batch" else reduced(data, (axis,), keepdims=True).shape


def set_types(shape: PartialShape | None, dtype: str | None, *types: TensorType) -> None:
    """Set the shape and dtype of types; None leaves them unknown."""
    for t in types:
        t.set_shape(shape)
        t.set_dtype(dtype)


def statistics_dtype(data: TensorType, kind: Kind = "batch") -> str | None:
    """Return the dtype of parameters and statistics: float32 for 16-bit batch normalization."""
    dtype = floating(data)
    # As MXNet's BatchNorm of float16: moving averages in 16 bits would lose small updates.
    return "float32" if kind == "batch" and dtype in ("float16", "bfloat16") else dtype
