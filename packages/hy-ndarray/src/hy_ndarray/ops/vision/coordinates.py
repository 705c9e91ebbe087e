"""Coordinates and flat indices of elements; counts of elements."""

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.params import Floats, Shape
from hy_ndarray.ops.record.rules import check_axis, expect_rank, same_dtype
from hy_ndarray.ops.record.schema import operator
from hy_ndarray.ops.record.traits import BY_TYPES
from hy_ndarray.ops.record.types import TensorType, show
from hy_ndarray.ops.shaping.creation import zero_gradient


@operator("_ravel_multi_index", "ravel_multi_index", grad=zero_gradient)
def ravel_multi_index(data: TensorType, *, shape: Shape | None = None) -> TensorType:
    """Return flat indices of coordinates in a row-major array.

    Args:
        data: ``[M, N]``: the coordinates of each of ``N`` elements, any dtype.
        shape: The ``M`` sizes of the array; the first one is not used.

    Returns:
        ``[N]``, the dtype of ``data``.

    Raises:
        ShapeError: ``data`` does not have a row for each axis.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.ravel_multi_index(nd.array([[1, 2], [3, 4]]), shape=(7, 6)).asnumpy()
        array([ 9., 16.], dtype=float32)
    """
    if shape is None:
        raise ArgumentError("_ravel_multi_index: required parameter shape is missing")
    expect_rank(data, 2)
    data.set_shape((len(shape), None))
    assert data.shape is not None
    return data.with_shape(data.shape[1:])


@operator("_unravel_index", "unravel_index", grad=zero_gradient)
def unravel_index(data: TensorType, *, shape: Shape | None = None) -> TensorType:
    """Return the coordinates of flat indices into a row-major array.

    Args:
        data: ``[*I]`` flat indices, any dtype.
        shape: The ``M`` sizes of the array; the first one is not used.

    Returns:
        ``[M, *I]``, the dtype of ``data``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.unravel_index(nd.array([9, 16]), shape=(7, 6)).asnumpy()
        array([[1., 2.],
               [3., 4.]], dtype=float32)
    """
    if shape is None:
        raise ArgumentError("_unravel_index: required parameter shape is missing")
    return data.with_shape(None if data.shape is None else (len(shape), *data.shape))


@operator("_contrib_index_array", grad=zero_gradient, traits=BY_TYPES)
def index_array(data: TensorType, *, axes: Shape | None = None) -> TensorType:
    """Return the index of each element along the axes.

    Args:
        data: ``[*sizes]``; only its shape is used.
        axes: The axes, in this order; negative ones count from the end. All if None.

    Returns:
        ``[*sizes, M]`` with the ``M`` coordinates of each element, int64.

    Raises:
        ShapeError: There is no such axis.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.index_array(nd.zeros((2, 2))).asnumpy().tolist()
        [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]
    """
    if data.shape is None:
        return TensorType(None, "int64")
    for axis in axes or ():
        check_axis(axis, data)
    count = len(data.shape) if axes is None else len(axes)
    return TensorType((*data.shape, count), "int64")


@operator("_contrib_getnnz")
def getnnz(data: TensorType, *, axis: int | None = None) -> TensorType:
    """Return the number of elements that are not 0.

    Args:
        data: ``[M, N]``, any dtype.
        axis: Count along this axis; over all elements if None.

    Returns:
        int64: ``[N]`` for axis 0, ``[M]`` for axis 1, ``[1]`` for all elements.

    Raises:
        ShapeError: ``data`` is not a matrix, or there is no axis ``axis``.
    """
    expect_rank(data, 2)
    if axis is None:
        return TensorType((1,), "int64")
    at = check_axis(axis, data)
    if data.shape is None or at is None:
        return TensorType((None,), "int64")
    return TensorType((data.shape[1 - at],), "int64")


def _histogram_inputs(params: Params) -> tuple[str, ...]:
    return ("data", "bins") if params["bin_cnt"] is None else ("data",)


@operator("_histogram", "_npi_histogram", active=_histogram_inputs, outputs=("output0", "output1"))
def histogram(
    data: TensorType,
    bins: TensorType | None = None,
    *,
    bin_cnt: int | None = None,  # decides the inputs
    range: Floats | None = None,
) -> tuple[TensorType, TensorType]:
    """Return the counts of elements in bins; the last bin includes its right edge.

    Args:
        data: ``[*sizes]``, numeric.
        bins: ``[B + 1]``, ascending edges, same dtype as ``data``; instead of ``bin_cnt``.
        bin_cnt: Number of bins of equal width.
        range: First and last edge, with ``bin_cnt``.

    Returns:
        ``[B]`` counts, int64, and ``[B + 1]`` edges, the dtype of ``data``.

    Raises:
        ShapeError: Neither ``bins`` nor both ``bin_cnt`` and ``range`` are given.

    Example:
        >>> from hy_ndarray import nd
        >>> counts, edges = nd.histogram(nd.array([1, 2, 2, 3]), bins=nd.array([0, 2, 4]))
        >>> counts.asnumpy(), edges.asnumpy()
        (array([1, 3]), array([0., 2., 4.], dtype=float32))
    """
    if bin_cnt is not None:
        if bin_cnt < 1 or range is None or len(range) != 2 or not range[0] < range[1]:
            raise ShapeError(
                f"bin_cnt={bin_cnt} must be positive, and range={range} a pair of increasing "
                "numbers"
            )
        return TensorType((bin_cnt,), "int64"), data.with_shape((bin_cnt + 1,))
    if bins is None:
        raise ShapeError("pass bins or bin_cnt")
    same_dtype(data, bins)
    expect_rank(bins, 1)
    edges = None if bins.shape is None else bins.shape[0]
    if edges == 0:
        raise ShapeError(f"bins {show(bins.shape)} must have at least one edge")
    return TensorType((None if edges is None else edges - 1,), "int64"), bins
