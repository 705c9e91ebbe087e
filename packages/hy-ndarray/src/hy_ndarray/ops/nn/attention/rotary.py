"""Rotation of vectors by angles, as rotary embeddings of positions do."""

from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.elementwise.broadcast import broadcast_mul, sum_like
from hy_ndarray.ops.record.rules import broadcast_shapes, expect_axes, floating
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType
from hy_ndarray.ops.shaping.joining import concat, slice_channel


def _swapped(x: Any) -> Any:
    """Return ``x`` with the two halves of each vector in the other order."""
    first, second = slice_channel(x, num_outputs=2, axis=-1)
    return concat(second, first, dim=-1)


def _grad(saved: Saved, dy: Any) -> tuple[Any, Any, Any]:
    data, cos, sin = saved.inputs
    return (
        rotary_embedding(dy, cos, _swapped(sin)),
        sum_like(broadcast_mul(dy, data), cos),
        sum_like(broadcast_mul(dy, _swapped(data)), sin),
    )


def _check_factor(factor: TensorType, shape: PartialShape) -> None:
    if factor.shape is None:
        return
    is_whole = bool(factor.shape) and factor.shape[-1] in (shape[-1], None)
    if not is_whole or broadcast_shapes(shape, factor.shape) != shape:
        raise ShapeError(f"{factor} must broadcast to {shape}, with {shape[-1]} as its last size")


@operator("_contrib_rotary_embedding", "_npx_rotary_embedding", grad=_grad)
def rotary_embedding(data: TensorType, cos: TensorType, sin: TensorType) -> TensorType:
    """Return vectors that are rotated: ``data cos + swapped sin``, with swapped halves of ``data``.

    With the cosines and sines of ``D / 2`` angles, twice, and the first sines negated, elements
    ``i`` and ``i + D / 2`` of a vector are rotated as a pair.

    Args:
        data: ``[*shape, D]``, floating, with an even ``D``.
        cos: ``[*, D]``, which broadcasts to the shape of ``data``.
        sin: Likewise.

    Raises:
        ShapeError: ``D`` is odd, or a factor does not broadcast to the shape of ``data``.

    Source:
        Su et al. 2021, arXiv:2104.09864; pairs as in GPT-NeoX and Hugging Face's Llama.

    Example:
        >>> from hy_ndarray import nd
        >>> x, cos, sin = nd.array([[3, 4]]), nd.array([0, 0]), nd.array([-1, 1])
        >>> nd.contrib.rotary_embedding(x, cos, sin).asnumpy()  # by a right angle
        array([[-4.,  3.]], dtype=float32)
    """
    floating(data, cos, sin)
    expect_axes(data, 1)
    if data.shape is not None and data.shape[-1] is not None:
        if data.shape[-1] % 2:
            raise ShapeError(f"{data} must have vectors of an even size")
        for factor in (cos, sin):
            _check_factor(factor, data.shape)
    return data
