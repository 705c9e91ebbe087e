"""Gather and scatter at coordinates; slices selected by a mask or by indices."""

from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.indexing.take import check_filled, pick_backward, take
from hy_ndarray.ops.record.indices import Indices, along
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.rules import check_axis, expect_axes, expect_rank, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import PartialShape, TensorType, show
from hy_ndarray.ops.shaping.creation import zeros_like


def _gathered(shape: PartialShape | None, indices: TensorType) -> PartialShape | None:
    """Return the shape of gathered elements or slices; ``indices`` is ``[M, *I]``."""
    if shape is None or indices.shape is None or indices.shape[:1] == (None,):
        return None
    if not indices.shape:
        raise ShapeError("indices () must have at least one axis, that of the coordinates")
    count = indices.shape[0]
    assert count is not None
    if count > len(shape):
        raise ShapeError(
            f"indices {show(indices.shape)} has {count} coordinates for the {len(shape)} axes "
            f"of {show(shape)}"
        )
    return (*indices.shape[1:], *shape[count:])


@operator(
    "gather_nd",
    "_npi_gather_nd",
    "_npx_gather_nd",
    grad=gradient_by("_gather_nd_backward", 0, 1),
)
def gather_nd(data: TensorType, indices: TensorType) -> TensorType:
    """Return the elements or slices of ``data`` at the given coordinates.

    Args:
        data: ``[*sizes]``, any dtype.
        indices: ``[M, *I]``: for each element of the result its coordinates on the first ``M``
            axes of ``data``; negative ones count from the end, fractions are truncated.

    Returns:
        ``[*I, *rest]``, where ``rest`` are the sizes of ``data`` after the first ``M``.

    Raises:
        ShapeError: There are more coordinates than axes.
        IndexingError: A coordinate is outside of its axis.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2], [3, 4]])
        >>> nd.gather_nd(x, nd.array([[0, 1], [1, 0]])).asnumpy()
        array([2., 3.], dtype=float32)
    """
    sizes = _gathered(data.shape, indices)
    if sizes is not None and indices.shape is not None:
        for axis in range(indices.shape[0] or 0):
            check_filled(data, axis, indices)
    return data.with_shape(sizes)


@operator("_gather_nd_backward", grad=gradient_by("gather_nd", 2))
def gather_nd_backward(dy: TensorType, data: TensorType, indices: TensorType) -> TensorType:
    """Return the gradient of ``gather_nd``: each slice of ``dy`` added where it was read."""
    dy.set_shape(_gathered(data.shape, indices))
    return data.with_dtype(dy.dtype)


@operator("scatter_nd", grad=lambda saved, dy: (gather_nd(dy, saved.inputs[1]), None))
def scatter_nd(data: TensorType, indices: TensorType, *, shape: Shape) -> TensorType:
    """Return zeros with the elements or slices of ``data`` written at coordinates.

    Args:
        data: ``[*I, *rest]``, any dtype.
        indices: ``[M, *I]``: for each slice its coordinates on the first ``M`` axes of the
            result; negative ones count from the end. If several slices have the same coordinates,
            it is unspecified which one is kept.
        shape: Shape of the result: ``M`` sizes, then ``rest``.

    Raises:
        ShapeError: ``data``, ``indices`` and ``shape`` do not match.
        IndexingError: A coordinate is outside of its axis.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.scatter_nd(nd.array([5, 6]), nd.array([[0, 1], [1, 0]]), shape=(2, 2)).asnumpy()
        array([[0., 5.],
               [6., 0.]], dtype=float32)
    """
    data.set_shape(_gathered(shape, indices))
    return data.with_shape(shape)


def _grad_scatter_set_nd(saved: Saved, dy: Any) -> tuple[Any, Any, None]:
    _, rhs, indices = saved.inputs
    left = scatter_set_nd(dy, zeros_like(rhs), indices, shape=saved.params["shape"])
    return left, gather_nd(dy, indices), None


@operator("_scatter_set_nd", "_npi_scatter_set_nd", grad=_grad_scatter_set_nd)
def scatter_set_nd(
    lhs: TensorType, rhs: TensorType, indices: TensorType, *, shape: Shape
) -> TensorType:
    """Return ``lhs`` with the slices at coordinates replaced by those of ``rhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: ``[*I, *rest]``, the dtype of ``lhs``.
        indices: ``[M, *I]``, as for ``scatter_nd``.
        shape: Shape of ``lhs``.

    Raises:
        ShapeError: The arguments do not match.
        IndexingError: A coordinate is outside of its axis.
    """
    same_dtype(lhs, rhs)
    lhs.set_shape(shape)
    rhs.set_shape(_gathered(shape, indices))
    return lhs


def _grad_set_slices(saved: Saved, dy: Any) -> tuple[Any, Any, None]:
    _, values, indices = saved.inputs
    return set_slices(dy, zeros_like(values), indices), gather_nd(dy, indices), None


@operator("_set_slices", grad=_grad_set_slices)
def set_slices(data: TensorType, values: TensorType, indices: TensorType) -> TensorType:
    """Return ``data`` with the slices at coordinates replaced by those of ``values``."""
    same_dtype(data, values)
    values.set_shape(_gathered(data.shape, indices))
    return data


def _grad_batch_take(saved: Saved, dy: Any) -> tuple[Any, None]:
    a, indices = saved.inputs
    return pick_backward(dy, a, indices, axis=1), None


@operator(
    "batch_take",
    grad=_grad_batch_take,
    traits=Traits(indices=(Indices("indices", along("a", 1)),)),
)
def batch_take(a: TensorType, indices: TensorType) -> TensorType:
    """Return one element of each row: ``a[i, indices[i]]``.

    Args:
        a: ``[N, C]``, any dtype.
        indices: ``[N]``, any dtype; clipped to 0 … C-1.

    Returns:
        ``[N]``.

    Raises:
        ShapeError: ``a`` is not a matrix, or ``indices`` does not match.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.batch_take(nd.array([[1, 2], [3, 4]]), nd.array([1, 0])).asnumpy()
        array([2., 3.], dtype=float32)
    """
    expect_rank(a, 2)
    if a.shape is not None:
        indices.set_shape(a.shape[:1])
        check_filled(a, 1, indices)
    return a.with_shape(indices.shape)


def _masked_shape(data: TensorType, index: TensorType, axis: int) -> PartialShape | None:
    expect_rank(index, 1)
    at = check_axis(axis, data)
    if data.shape is None or at is None:
        return None
    index.set_shape((data.shape[at],))
    return (*data.shape[:at], None, *data.shape[at + 1 :])


@operator(
    "_contrib_boolean_mask",
    "_npi_boolean_mask",
    grad=gradient_by("_boolean_mask_backward", 0, 1),
)
def boolean_mask(data: TensorType, index: TensorType, *, axis: int = 0) -> TensorType:
    """Return the slices along an axis where a mask is not 0.

    Their number depends on the values of the inputs, so shape inference leaves that size unknown.

    Args:
        data: ``[*left, N, *right]`` with ``N`` at ``axis``, any dtype.
        index: The mask, ``[N]``, any dtype.
        axis: The axis; a negative one counts from the end.

    Raises:
        ShapeError: ``index`` is not ``[N]``, or there is no axis ``axis``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.boolean_mask(nd.array([[1], [2], [3]]), nd.array([1, 0, 1])).asnumpy()
        array([[1.],
               [3.]], dtype=float32)
    """
    return data.with_shape(_masked_shape(data, index, axis))


@operator("_boolean_mask_backward", grad=gradient_by("_contrib_boolean_mask", 2))
def boolean_mask_backward(
    dy: TensorType, data: TensorType, index: TensorType, *, axis: int = 0
) -> TensorType:
    """Return the gradient of ``boolean_mask``: zeros with ``dy`` where the mask is not 0."""
    dy.set_shape(_masked_shape(data, index, axis))
    return data.with_dtype(dy.dtype)


def _grad_index_copy(saved: Saved, dy: Any) -> tuple[Any, None, Any]:
    _, index_vector, new_tensor = saved.inputs
    return (
        index_copy(dy, index_vector, zeros_like(new_tensor)),
        None,
        take(dy, index_vector, mode="raise"),
    )


@operator("_contrib_index_copy", grad=_grad_index_copy)
def index_copy(
    old_tensor: TensorType, index_vector: TensorType, new_tensor: TensorType
) -> TensorType:
    """Return a copy of ``old_tensor`` with some of its slices replaced.

    Args:
        old_tensor: ``[N, *rest]``, any dtype.
        index_vector: ``[I]``, indices along the first axis; of equal ones the last takes effect.
        new_tensor: ``[I, *rest]``, the dtype of ``old_tensor``.

    Raises:
        ShapeError: The shapes do not match.
        IndexingError: An index is outside of 0 … N-1.

    Example:
        >>> from hy_ndarray import nd
        >>> x, new = nd.zeros((3, 2)), nd.array([[1, 2]])
        >>> nd.contrib.index_copy(x, nd.array([1]), new).asnumpy()
        array([[0., 0.],
               [1., 2.],
               [0., 0.]], dtype=float32)
    """
    same_dtype(old_tensor, new_tensor)
    expect_rank(index_vector, 1)
    expect_axes(old_tensor, 1)
    expect_axes(new_tensor, 1)
    if new_tensor.shape is not None:
        index_vector.set_shape(new_tensor.shape[:1])
    if old_tensor.shape is not None:
        count = None if index_vector.shape is None else index_vector.shape[0]
        new_tensor.set_shape((count, *old_tensor.shape[1:]))
    return old_tensor
