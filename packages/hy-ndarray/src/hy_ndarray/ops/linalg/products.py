"""Products of matrices, and of arrays treated as matrices."""

from math import prod
from typing import Any, Literal

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import Bilinear
from hy_ndarray.ops.record.rules import expect_rank, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType, merge_shapes, show

_DOT = Bilinear()


@operator("dot", "_sparse_dot", grad=_DOT.grad)
def dot(
    lhs: TensorType,
    rhs: TensorType,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal["csr", "default", "row_sparse"] | None = None,  # storage of the result
) -> TensorType:
    """Return the sum of products over the last axis of ``lhs`` and the first axis of ``rhs``.

    Args:
        lhs: ``[*I, K]``; ``[K, *I]`` with ``transpose_a``.
        rhs: ``[K, *J]``, the dtype of ``lhs``; ``[*J, K]`` with ``transpose_b``.
        transpose_a: Sum over the first axis of ``lhs`` instead of the last.
        transpose_b: Sum over the last axis of ``rhs`` instead of the first.
        forward_stype: Storage format of the result if an operand is sparse.

    Returns:
        ``[*I, *J]``; ``(1,)`` for two vectors.

    Raises:
        ShapeError: The contracted axes differ in size.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.dot(nd.array([[1, 2], [3, 4]]), nd.array([[1, 0], [1, 1]])).asnumpy()
        array([[3., 2.],
               [7., 4.]], dtype=float32)
    """
    same_dtype(lhs, rhs)
    if lhs.shape is None or rhs.shape is None:
        return lhs.with_shape(None)
    if not lhs.shape or not rhs.shape:
        raise ShapeError(
            f"lhs {show(lhs.shape)} and rhs {show(rhs.shape)} must have at least one axis"
        )
    i, k = (lhs.shape[1:], lhs.shape[0]) if transpose_a else (lhs.shape[:-1], lhs.shape[-1])
    j, n = (rhs.shape[:-1], rhs.shape[-1]) if transpose_b else (rhs.shape[1:], rhs.shape[0])
    if k is not None and n is not None and k != n:
        raise ShapeError(
            f"inner dimensions differ: lhs {show(lhs.shape)} has {k}, rhs {show(rhs.shape)} has {n}"
            f" (transpose_a={transpose_a}, transpose_b={transpose_b})"
        )
    return lhs.with_shape(i + j or (1,))


dot_backward_lhs, dot_backward_rhs = _DOT.gradients_of(dot, "dot", left_out=("forward_stype",))


def _grad_batch_dot(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    a, b = saved.params["transpose_a"], saved.params["transpose_b"]
    return (
        batch_dot(rhs, dy, transpose_a=b, transpose_b=True)
        if a
        else batch_dot(dy, rhs, transpose_b=not b),
        batch_dot(dy, lhs, transpose_a=True, transpose_b=a)
        if b
        else batch_dot(lhs, dy, transpose_a=not a),
    )


@operator("batch_dot", "_npx_batch_dot", grad=_grad_batch_dot)
def batch_dot(
    lhs: TensorType,
    rhs: TensorType,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal["csr", "default", "row_sparse"] | None = None,  # storage of the result
) -> TensorType:
    """Return the matrix product of each pair of matrices.

    Args:
        lhs: ``[*batch, M, K]``, at least one batch axis; ``[*batch, K, M]`` with ``transpose_a``.
        rhs: ``[*batch, K, N]``, the dtype of ``lhs``; ``[*batch, N, K]`` with ``transpose_b``.
        transpose_a: Take the transpose of each matrix of ``lhs``.
        transpose_b: Take the transpose of each matrix of ``rhs``.
        forward_stype: Storage format of the result if an operand is sparse.

    Returns:
        ``[*batch, M, N]``.

    Raises:
        ShapeError: Ranks or batch sizes differ, or the matrices do not match.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.batch_dot(nd.ones((5, 2, 3)), nd.ones((5, 3, 4))).shape
        (5, 2, 4)
    """
    same_dtype(lhs, rhs)
    for side in (lhs, rhs):
        if side.rank is not None and side.rank < 3:
            raise ShapeError(f"{side.label}{show(side.shape)} must have at least 3 axes")
    if lhs.shape is None or rhs.shape is None:
        return lhs.with_shape(None)
    *_, m, k = _transposed(lhs.shape, transpose_a)
    *_, n, q = _transposed(rhs.shape, not transpose_b)
    try:
        batch = merge_shapes((*lhs.shape[:-2], k), (*rhs.shape[:-2], q))
    except ShapeError:
        raise ShapeError(
            f"inner dimensions or batch shapes of lhs {show(lhs.shape)} and rhs {show(rhs.shape)} "
            f"differ (transpose_a={transpose_a}, transpose_b={transpose_b})"
        ) from None
    assert batch is not None
    return lhs.with_shape((*batch[:-1], m, n))


def _transposed(shape: PartialShape, turn: bool) -> PartialShape:
    return (*shape[:-2], shape[-1], shape[-2]) if turn else shape


@operator("khatri_rao", count="num_args")
def khatri_rao(*args: TensorType) -> TensorType:
    """Return the Khatri-Rao product: the column-wise Kronecker product.

    Args:
        args: Matrices ``[M1, C]``, ``[M2, C]``, … of one dtype.

    Returns:
        ``[M1 * M2 * …, C]``.

    Raises:
        ShapeError: Numbers of columns differ.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.khatri_rao(nd.array([[1], [2]]), nd.array([[3], [4]])).asnumpy().ravel()
        array([3., 4., 6., 8.], dtype=float32)
    """
    same_dtype(*args)
    columns = None
    for matrix in args:
        expect_rank(matrix, 2)
        matrix.set_shape((None, columns))
        columns = columns if matrix.shape is None else matrix.shape[1]
    rows = [None if m.shape is None else m.shape[0] for m in args]
    known = [n for n in rows if n is not None]
    return args[0].with_shape((prod(known) if len(known) == len(rows) else None, columns))
