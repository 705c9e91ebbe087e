"""Products of arrays: ``dot``, ``matmul``, ``tensordot``, ``einsum``.

Each product is linear in every operand, so each gradient is again a product.
"""

from typing import Any

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.ops.adjoints import Bilinear
from hy_ndarray.ops.np._einsum import einsum_shape
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.ranges import NonNegative
from hy_ndarray.ops.record.rules import broadcast_shapes, like_result, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType, show


def _unify_sizes(a: TensorType, i: int, b: TensorType, j: int) -> None:
    """Unify the size of axis ``i`` of ``a`` with that of axis ``j`` of ``b``."""
    assert a.shape is not None
    assert b.shape is not None
    left, right = a.shape[i], b.shape[j]
    if left is not None and right is not None and left != right:
        raise ShapeError(
            f"inner dimensions differ: {a.label}{show(a.shape)} has {left}, "
            f"{b.label}{show(b.shape)} has {right}"
        )
    for t, axis, size in ((a, i, right), (b, j, left)):
        assert t.shape is not None
        at = axis % len(t.shape)
        t.set_shape((*(None for _ in t.shape[:at]), size, *(None for _ in t.shape[at + 1 :])))


_DOT = Bilinear()


@operator("_np_dot", grad=_DOT.grad)
def np_dot(a: TensorType, b: TensorType) -> TensorType:
    """Return the dot product: sums of products over the last axis of ``a``, as ``np.dot``.

    The sum runs over the second-to-last axis of ``b``, or over its only axis.

    Args:
        a: ``[*I, K]``; or 0-dimensional, for a multiple of ``b``.
        b: ``[*J, K, N]`` or ``[K]``, same dtype as ``a``; or 0-dimensional.

    Returns:
        ``[*I, *J, N]``; 0-dimensional for two vectors.

    Raises:
        ShapeError: The contracted axes differ in size.
    """
    same_dtype(a, b)
    if a.shape is None or b.shape is None:
        return a.with_shape(None)
    if not a.shape or not b.shape:
        return a.with_shape(a.shape or b.shape)
    _unify_sizes(a, -1, b, max(len(b.shape) - 2, 0))
    return a.with_shape((*a.shape[:-1], *b.shape[:-2], *b.shape[1:][-1:]))


np_dot_backward_a, np_dot_backward_b = _DOT.gradients_of(np_dot, "np_dot")
_MATMUL = Bilinear()


@operator("_npi_matmul", outputs=("out",), grad=_MATMUL.grad)
def np_matmul(a: TensorType, b: TensorType) -> TensorType:
    """Return the matrix product, with broadcasting over batch axes.

    Args:
        a: ``[*batch, M, K]``, or ``[K]`` for one row.
        b: ``[*batch, K, N]``, or ``[K]`` for one column; same dtype as ``a``.

    Returns:
        ``[*batch, M, N]``, without the axis of a single row or column.

    Raises:
        ShapeError: The sizes of the matrices do not match, or an operand is 0-dimensional.
    """
    same_dtype(a, b)
    if a.shape is None or b.shape is None:
        return a.with_shape(None)
    if not a.shape or not b.shape:
        raise ShapeError(
            f"a {show(a.shape)} and b {show(b.shape)} must have at least one axis; use multiply "
            "for scalars"
        )
    rows, columns = a.shape[-2:-1], b.shape[-1:] if len(b.shape) > 1 else ()
    _unify_sizes(a, -1, b, max(len(b.shape) - 2, 0))
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return a.with_shape((*(batch or ()), *rows, *columns))


np_matmul_backward_a, np_matmul_backward_b = _MATMUL.gradients_of(np_matmul, "np_matmul")
_TENSORDOT = Bilinear()


def _normalized_axes(axes: Shape, data: TensorType) -> tuple[int, ...]:
    assert data.shape is not None
    rank = len(data.shape)
    if any(not -rank <= axis < rank for axis in axes):
        raise ShapeError(f"axes={axes} are outside the {rank} axes of {data!r}")
    return tuple(axis % rank for axis in axes)


def _tensordot(a: TensorType, b: TensorType, a_axes: Shape, b_axes: Shape) -> TensorType:
    assert a.shape is not None
    assert b.shape is not None
    if len(a_axes) != len(b_axes):
        raise ShapeError(f"axes {a_axes} of a and {b_axes} of b must have the same length")
    left, right = _normalized_axes(a_axes, a), _normalized_axes(b_axes, b)
    for i, j in zip(left, right, strict=True):
        _unify_sizes(a, i, b, j)
    remaining: PartialShape = tuple(n for i, n in enumerate(a.shape) if i not in left)
    return a.with_shape((*remaining, *(n for i, n in enumerate(b.shape) if i not in right)))


@operator("_npi_tensordot", grad=_TENSORDOT.grad)
def np_tensordot(
    a: TensorType, b: TensorType, *, a_axes_summed: Shape, b_axes_summed: Shape
) -> TensorType:
    """Return the sum of products over pairs of axes (tensor contraction).

    Args:
        a: ``[*shape]``.
        b: ``[*shape]``, same dtype as ``a``.
        a_axes_summed: Contracted axes of ``a``.
        b_axes_summed: The corresponding axes of ``b``.

    Returns:
        The other axes of ``a``, then those of ``b``.
    """
    same_dtype(a, b)
    if a.shape is None or b.shape is None:
        return a.with_shape(None)
    return _tensordot(a, b, a_axes_summed, b_axes_summed)


np_tensordot_backward_a, np_tensordot_backward_b = _TENSORDOT.gradients_of(
    np_tensordot, "np_tensordot"
)
_INT_AXES = Bilinear()


@operator("_npi_tensordot_int_axes", grad=_INT_AXES.grad)
def np_tensordot_int_axes(a: TensorType, b: TensorType, *, axes: int) -> TensorType:
    """Return the sum of products over the last ``axes`` axes of ``a`` and the first of ``b``.

    Args:
        a: ``[*I, *K]``.
        b: ``[*K, *J]``, the dtype of ``a``.
        axes: Number of axes in ``K``.

    Returns:
        ``[*I, *J]``.
    """
    same_dtype(a, b)
    if a.shape is None or b.shape is None:
        return a.with_shape(None)
    if not 0 <= axes <= min(len(a.shape), len(b.shape)):
        raise ShapeError(f"axes={axes} exceeds the axes of a {show(a.shape)} or b {show(b.shape)}")
    return _tensordot(a, b, tuple(range(len(a.shape) - axes, len(a.shape))), tuple(range(axes)))


np_tensordot_int_axes_backward_a, np_tensordot_int_axes_backward_b = _INT_AXES.gradients_of(
    np_tensordot_int_axes, "np_tensordot_int_axes"
)


def _grad_einsum(saved: Saved, dy: Any) -> tuple[Any, ...]:
    subscripts = saved.params["subscripts"]
    return tuple(
        einsum_backward(dy, *saved.inputs, subscripts=subscripts, position=i)
        for i in range(len(saved.inputs))
    )


@operator("_npi_einsum", count="num_args", grad=_grad_einsum)
def np_einsum(*data: TensorType, subscripts: str = "", optimize: int = 0) -> TensorType:
    """Return sums of products in Einstein summation notation.

    Args:
        data: The operands, of one dtype.
        subscripts: As in NumPy, such as ``"ij,jk->ik"``; ``...`` stands for axes that broadcast.
        optimize: Choose the contraction order by cost.

    Raises:
        ShapeError: The subscripts do not match the operands.
    """
    same_dtype(*data)
    shapes = [t.shape for t in data]
    return data[0].with_shape(einsum_shape(subscripts, shapes))


def _grad_einsum_backward(saved: Saved, dx: Any) -> tuple[Any, ...]:
    dy, *data = saved.inputs
    subscripts, position = saved.params["subscripts"], saved.params["position"]
    moved = [dx if i == position else x for i, x in enumerate(data)]
    others = (
        None if i == position else einsum_backward(dy, *moved, subscripts=subscripts, position=i)
        for i in range(len(data))
    )
    return np_einsum(*moved, subscripts=subscripts), *others


@operator("_np_einsum_backward", grad=_grad_einsum_backward)
def einsum_backward(
    dy: TensorType, *data: TensorType, subscripts: str, position: NonNegative
) -> TensorType:
    """Return the gradient of ``einsum`` with respect to operand ``position``.

    Only the shape of that operand is used.
    """
    same_dtype(dy, *data)
    if not 0 <= position < len(data):
        raise ArgumentError(f"position={position} is outside the {len(data)} operands")
    like_result(dy, np_einsum, *data, subscripts=subscripts)
    return data[position]
