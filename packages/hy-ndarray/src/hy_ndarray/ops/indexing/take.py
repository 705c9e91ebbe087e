"""Elements and rows selected by arrays of indices, or by a condition."""

from collections.abc import Sequence
from typing import Any, Literal

from hy_ndarray._errors import ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.record.indices import Indices, along, clips, sized
from hy_ndarray.ops.record.params import DType
from hy_ndarray.ops.record.ranges import NonNegative, Positive
from hy_ndarray.ops.record.rules import check_axis, expect_rank, same_dtype, same_shape
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Quantized, Traits
from hy_ndarray.ops.record.types import PartialShape, TensorType, show
from hy_ndarray.ops.shaping.creation import zero_gradient, zeros_like

Outside = Literal["clip", "wrap"]
OutsideOrRaise = Literal["clip", "raise", "wrap"]
OF_ROWS = Traits(indices=(Indices("data", sized("input_dim")),))
"""Traits of operators that read rows of a weight."""


def check_filled(data: TensorType, axis: int, indices: TensorType) -> None:
    """Raise :class:`ShapeError` if ``data`` is indexed along an empty axis."""
    sizes = indices.sizes
    if data.shape is not None and data.shape[axis] == 0 and sizes is not None and 0 not in sizes:
        raise ShapeError(
            f"cannot take {indices!r} from {data.label}{show(data.shape)}: axis {axis} is empty"
        )


def _taken(a: TensorType, indices: TensorType, axis: int) -> PartialShape | None:
    at = check_axis(axis, a)
    if a.shape is None or at is None or indices.shape is None:
        return None
    check_filled(a, at, indices)
    return (*a.shape[:at], *indices.shape, *a.shape[at + 1 :])


@operator(
    "take",
    "_npi_take",
    grad=gradient_by("_take_backward", 0, 1),
    traits=Traits(indices=(Indices("indices", clips(along("a", "axis"))),)),
)
def take(
    a: TensorType, indices: TensorType, *, axis: int = 0, mode: OutsideOrRaise = "clip"
) -> TensorType:
    """Return the slices of ``a`` at the given indices along an axis.

    Args:
        a: ``[*left, N, *right]`` with ``N`` at ``axis``, any dtype.
        indices: ``[*I]``, any dtype; fractions are truncated.
        axis: The axis; a negative one counts from the end.
        mode: Whether indices outside of 0 … N-1 are clipped (``"clip"``), taken modulo N
            (``"wrap"``) or an error (``"raise"``).

    Returns:
        ``[*left, *I, *right]``.

    Raises:
        ShapeError: There is no axis ``axis``.
        IndexingError: An index is out of range, with ``mode="raise"``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.take(nd.array([[1, 2], [3, 4]]), nd.array([1, 0, 1])).asnumpy()
        array([[3., 4.],
               [1., 2.],
               [3., 4.]], dtype=float32)
    """
    return a.with_shape(_taken(a, indices, axis))


def _grad_take_backward(saved: Saved, da: Any) -> tuple[Any, None, None]:
    params = {name: saved.params[name] for name in ("axis", "mode")}
    return take(da, saved.inputs[2], **params), None, None


def _stored_rows(params: Params) -> str:
    return "row_sparse" if params["sparse_grad"] else "default"


@operator("_take_backward", grad=_grad_take_backward, stores=_stored_rows)
def take_backward(
    dy: TensorType,
    a: TensorType,
    indices: TensorType,
    *,
    axis: int = 0,
    mode: OutsideOrRaise = "clip",
    sparse_grad: bool = False,
) -> TensorType:
    """Return the gradient of ``take``: ``dy`` scattered to where its slices were taken, and summed.

    With ``sparse_grad``, for rows of a matrix, the gradient is row_sparse, of the taken rows.
    """
    dy.set_shape(_taken(a, indices, axis))
    same_dtype(dy, a)
    return a.with_dtype(dy.dtype)


def _grad_embedding(saved: Saved, dy: Any) -> tuple[None, Any]:
    data, weight = saved.inputs
    return None, take_backward(dy, weight, data, sparse_grad=saved.params["sparse_grad"])


def _rows(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    return (0,) if axis < ranks[0] else ()


@operator(
    "Embedding",
    "_npx_embedding",
    "_sparse_Embedding",
    grad=_grad_embedding,
    traits=Traits(
        rows=_rows,
        quantized=Quantized(
            "_contrib_quantized_embedding", inputs=("weight",), weights=("weight",)
        ),
        indices=OF_ROWS.indices,
    ),
)
def embedding(
    data: TensorType,
    weight: TensorType,
    *,
    input_dim: Positive,
    output_dim: Positive,
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
    sparse_grad: bool = False,
) -> TensorType:
    """Return the row of ``weight`` for each index.

    Args:
        data: ``[*I]``, any dtype; indices are clipped to 0 … ``input_dim`` - 1.
        weight: ``[input_dim, output_dim]``.
        input_dim: Number of rows.
        output_dim: Length of a row.
        dtype: Dtype of ``weight`` if it is not known otherwise.
        sparse_grad: Make the gradient of ``weight`` a row_sparse array of the rows that were read.

    Returns:
        ``[*I, output_dim]``.

    Raises:
        ShapeError: ``weight`` is not ``[input_dim, output_dim]``.

    Example:
        >>> from hy_ndarray import nd
        >>> w = nd.array([[1, 2], [3, 4], [5, 6]])
        >>> nd.Embedding(nd.array([2, 0]), w, input_dim=3, output_dim=2).asnumpy()
        array([[5., 6.],
               [1., 2.]], dtype=float32)
    """
    return _embedded(data, weight, (input_dim, output_dim), dtype)


def _embedded(
    data: TensorType, weight: TensorType, sizes: tuple[int, int], dtype: DType
) -> TensorType:
    weight.set_shape(sizes)
    if weight.dtype is None:
        weight.set_dtype(dtype)
    return weight.with_shape(None if data.shape is None else (*data.shape, sizes[1]))


def _grad_sparse_embedding(saved: Saved, dy: Any) -> tuple[None, Any]:
    data, weight = saved.inputs
    return None, take_backward(dy, weight, data, sparse_grad=True)


@operator("_contrib_SparseEmbedding", grad=_grad_sparse_embedding, traits=OF_ROWS)
def sparse_embedding(
    data: TensorType,
    weight: TensorType,
    *,
    input_dim: Positive,
    output_dim: Positive,
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
    deterministic: bool = False,
) -> TensorType:
    """Return the row of ``weight`` for each index; superseded by ``Embedding``.

    Args:
        data: ``[*I]``, as in ``Embedding``.
        weight: ``[input_dim, output_dim]``.
        input_dim: Number of rows.
        output_dim: Length of a row.
        dtype: Dtype of ``weight`` if it is not known otherwise.
        deterministic: Accepted and ignored; the gradient is always deterministic.
    """
    return _embedded(data, weight, (input_dim, output_dim), dtype)


@operator(
    "_sparse_retain",
    grad=gradient_by("_sparse_retain", 1),
    traits=Traits(indices=(Indices("indices", along("data", 0)),)),
)
def retain(data: TensorType, indices: TensorType) -> TensorType:
    """Return an array with the given rows kept and all other rows zero.

    In a row_sparse array the other rows are not stored.

    Args:
        data: ``[N, *rest]``, any dtype.
        indices: ``[M]``, integral values in any order; indices out of range are ignored.

    Returns:
        ``[N, *rest]``.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2], [3, 4], [5, 6]]).tostype("row_sparse")
        >>> nd.sparse.retain(x, nd.array([2, 0])).data.asnumpy()
        array([[1., 2.],
               [5., 6.]], dtype=float32)
    """
    return data


def picked_shape(
    data: TensorType, index: TensorType, axis: int | None, keepdims: bool
) -> PartialShape | None:
    """Return the shape of the result of ``pick``, and infer the shape of ``index``."""
    if axis is None:
        raise ShapeError("axis=None is not supported; pass the axis to pick along")
    at = check_axis(axis, data)
    if data.shape is None or at is None:
        return None
    keepdims_shape = (*data.shape[:at], 1, *data.shape[at + 1 :])
    left = data.shape[:at] + data.shape[at + 1 :]
    if index.sizes == data.sizes and index.sizes is not None and index.sizes != keepdims_shape:
        raise ShapeError(
            f"{index!r} has an index for each element of {data!r}, and must have one for each "
            f"position along the other axes; of one-hot labels take argmax(axis={axis}), or make "
            "the loss with sparse_label=False"
        )
    index.set_shape(keepdims_shape if index.rank == len(keepdims_shape) else left or (1,))
    check_filled(data, at, index)
    return keepdims_shape if keepdims else left or (1,)


@operator(
    "pick",
    "choose_element_0index",
    "_npx_pick",
    grad=gradient_by("_pick_backward", 0, 1),
    traits=Traits(indices=(Indices("index", clips(along("data", "axis"))),)),
)
def pick(
    data: TensorType,
    index: TensorType,
    *,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Outside = "clip",
) -> TensorType:
    """Return the element at ``index`` along an axis, for each position of the other axes.

    Args:
        data: ``[*left, N, *right]`` with ``N`` at ``axis``, any dtype.
        index: ``[*left, *right]`` or ``[*left, 1, *right]``, any dtype; fractions are truncated.
        axis: The axis; a negative one counts from the end.
        keepdims: Keep the axis, with size 1.
        mode: Whether indices outside of 0 … N-1 are clipped (``"clip"``) or taken modulo N
            (``"wrap"``).

    Returns:
        ``[*left, *right]``, or ``[*left, 1, *right]`` with ``keepdims``.

    Raises:
        ShapeError: ``index`` does not match, or there is no axis ``axis``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.pick(nd.array([[1, 2], [3, 4]]), nd.array([1, 0])).asnumpy()
        array([2., 3.], dtype=float32)
    """
    return data.with_shape(picked_shape(data, index, axis, keepdims))


@operator("_pick_backward", grad=gradient_by("pick", 2), params_of=pick)
def pick_backward(dy: TensorType, data: TensorType, index: TensorType, **params: Any) -> TensorType:
    """Return the gradient of ``pick``: zeros with ``dy`` at the picked elements."""
    dy.set_shape(picked_shape(data, index, params["axis"], params["keepdims"]))
    return data.with_dtype(dy.dtype)


@operator(
    "one_hot",
    "_npx_one_hot",
    grad=zero_gradient,
    traits=Traits(indices=(Indices("indices", sized("depth")),)),
)
def one_hot(
    indices: TensorType,
    *,
    depth: NonNegative,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return a one-hot vector for each index.

    Args:
        indices: ``[*I]``, any dtype; the vector of an index out of range is all ``off_value``.
        depth: Length of the vectors.
        on_value: The value at the position of the index.
        off_value: The value elsewhere.
        dtype: Dtype of the result.

    Returns:
        ``[*I, depth]``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.one_hot(nd.array([1, 0]), depth=3).asnumpy()
        array([[0., 1., 0.],
               [1., 0., 0.]], dtype=float32)
    """
    return TensorType(None if indices.shape is None else (*indices.shape, depth), dtype)


@operator("_onehot_encode", traits=Traits(indices=(Indices("lhs", along("rhs", 1)),)))
def onehot_encode(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return a one-hot row for each index, in the shape of ``rhs``.

    Args:
        lhs: ``[N]`` indices, any dtype.
        rhs: ``[N, D]``; only its shape and dtype are used.

    Returns:
        ``[N, D]``.
    """
    expect_rank(rhs, 2)
    if rhs.shape is not None:
        lhs.set_shape(rhs.shape[:1])
    return rhs


@operator("fill_element_0index", traits=Traits(indices=(Indices("rhs", along("lhs", 1)),)))
def fill_element_0index(lhs: TensorType, mhs: TensorType, rhs: TensorType) -> TensorType:
    """Return ``lhs`` with one element of each row replaced: ``lhs[i, rhs[i]] = mhs[i]``.

    Args:
        lhs: ``[N, D]``, any dtype.
        mhs: ``[N]``, the new values.
        rhs: ``[N]``, the column of each new value; clipped to 0 … D-1.

    Example:
        >>> from hy_ndarray import nd
        >>> x, values, columns = nd.zeros((2, 2)), nd.array([5, 6]), nd.array([1, 0])
        >>> nd.fill_element_0index(x, values, columns).asnumpy()
        array([[0., 5.],
               [6., 0.]], dtype=float32)
    """
    expect_rank(lhs, 2)
    if lhs.shape is not None:
        mhs.set_shape(lhs.shape[:1])
        rhs.set_shape(lhs.shape[:1])
    return lhs


def _grad_where(saved: Saved, dy: Any) -> tuple[None, Any, Any]:
    condition = saved.inputs[0]
    zeros = zeros_like(dy)
    return None, where(condition, dy, zeros), where(condition, zeros, dy)


@operator("where", "_sparse_where", grad=_grad_where)
def where(condition: TensorType, x: TensorType, y: TensorType) -> TensorType:
    """Return elements of ``x`` where the condition is not 0, else elements of ``y``.

    Args:
        condition: ``[*sizes]``, or ``[N]``, where ``N`` is the first size of ``x``, to choose rows.
        x: ``[*sizes]``, any dtype.
        y: Same shape and dtype as ``x``.

    Raises:
        ShapeError: The shapes do not match.
        DTypeError: ``x`` and ``y`` differ in dtype.

    Example:
        >>> from hy_ndarray import nd
        >>> x, y = nd.array([[1, 2], [3, 4]]), nd.array([[5, 6], [7, 8]])
        >>> nd.where(nd.array([1, 0]), x, y).asnumpy()
        array([[1., 2.],
               [7., 8.]], dtype=float32)
    """
    same_shape(x, y)
    same_dtype(x, y)
    if condition.shape is None or x.shape is None:
        return x
    if len(condition.shape) == 1 and len(x.shape) != 1:
        if not x.shape:
            raise ShapeError(
                f"condition {show(condition.shape)} selects rows, but x () has no axes"
            )
        condition.set_shape(x.shape[:1])
    else:
        condition.set_shape(x.shape)
    return x
