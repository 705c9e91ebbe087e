"""Matrix and tensor products of arrays and of symbols."""

from collections.abc import Sequence
from typing import Any, overload

from hy_ndarray._errors import ArgumentError
from hy_ndarray.np.calls import A, call, check_options, is_number
from hy_ndarray.np.pairwise import multiply
from hy_ndarray.np.shaping import reshape

__all__ = ["dot", "einsum", "inner", "matmul", "outer", "tensordot", "vdot"]


@overload
def dot(a: A, b: Any, out: Any = ..., **unknown: Any) -> A: ...
@overload
def dot(a: Any, b: A, out: Any = ..., **unknown: Any) -> A: ...
def dot(a: Any, b: Any, out: Any = None, **unknown: Any) -> Any:
    """Return the dot product: sums over the last axis of ``a`` and the second to last of ``b``.

    Example:
        >>> from hy_ndarray import np
        >>> np.dot(np.array([1, 2]), np.array([3, 4]))
        array(11.)
    """
    if is_number(a) or is_number(b):
        return multiply(a, b, out)
    return call("_np_dot", a, b, out=out, **unknown)


def matmul(a: A, b: Any, out: Any = None, **kwargs: Any) -> A:
    """Return matrix products, broadcast over the leading axes."""
    check_options("matmul", kwargs)
    return call("_npi_matmul", a, b, out=out)


def tensordot(a: A, b: Any, axes: Any = 2) -> A:
    """Return the tensor dot product: sums of products over some axes of both operands.

    Args:
        a: An array.
        b: An array.
        axes: The number of last axes of ``a`` and first axes of ``b`` to sum over, or a pair of
            lists of axes.

    Raises:
        ArgumentError: ``axes`` is neither a number nor a pair.
    """
    if isinstance(axes, int):
        return call("_npi_tensordot_int_axes", a, b, axes=axes)
    if len(axes) != 2:  # noqa: PLR2004  # one for each operand
        raise ArgumentError(f"tensordot: axes={axes!r} must be an integer or a pair of axis lists")
    left, right = (tuple(x) if isinstance(x, Sequence) else (x,) for x in axes)
    return call("_npi_tensordot", a, b, a_axes_summed=left, b_axes_summed=right)


@overload
def inner(a: A, b: Any) -> A: ...
@overload
def inner(a: Any, b: A) -> A: ...
def inner(a: Any, b: Any) -> Any:
    """Return the inner product: sums of products over the last axes of both operands."""
    if is_number(a) or is_number(b) or not _has_axes(a) or not _has_axes(b):
        return multiply(a, b)
    return tensordot(a, b, ((-1,), (-1,)))


def _has_axes(operand: Any) -> bool:
    """Return whether an operand has axes; True for a symbol, whose shape is unknown."""
    try:
        return bool(operand.ndim)
    except AttributeError:
        return True


def outer(a: A, b: Any) -> A:
    """Return the outer product of the flattened operands."""
    return tensordot(reshape(a, (-1,)), reshape(b, (-1,)), 0)


def vdot(a: A, b: Any) -> A:
    """Return the dot product of the flattened operands."""
    return tensordot(reshape(a, (-1,)), reshape(b, (-1,)), 1)


@overload
def einsum(subscripts: str, first: A, /, *operands: A, **kwargs: Any) -> A: ...
@overload
def einsum(*operands: Any, **kwargs: Any) -> Any: ...
def einsum(*operands: Any, **kwargs: Any) -> Any:
    """Evaluate a sum of products given by Einstein subscripts.

    Args:
        operands: The subscripts, such as ``"ij,jk->ik"``, then the operands.
        kwargs: ``out``; ``optimize``, whether to order the products by their cost.

    Raises:
        ArgumentError: The first argument is not a string, or an argument is unknown.
    """
    out, optimize = kwargs.pop("out", None), kwargs.pop("optimize", False)
    check_options("einsum", kwargs)
    if not operands or not isinstance(operands[0], str):
        raise ArgumentError("einsum: the first argument must be the subscripts, a string")
    subscripts, *arrays = operands
    options = {"subscripts": subscripts, "optimize": int(bool(optimize))}
    return call("_npi_einsum", *arrays, out=out, **options)
