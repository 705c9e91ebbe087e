"""Batching rules of matrix products: samples become a batch, or further rows of a matrix."""

from collections.abc import Sequence
from math import prod

from hy_ndarray.transforms._calls import Inner, apply, reshaped
from hy_ndarray.transforms.batching.rows import fold_inputs
from hy_ndarray.transforms.batching.rule import BatchedCall, rule

__all__ = ["product"]

_MATRIX_RANK = 2


def product(call: BatchedCall, i: int, j: int, *, ta: bool = False, tb: bool = False) -> Inner:
    """Return the matrix product of inputs ``i`` and ``j`` by sample; ``ta``, ``tb`` transpose."""
    a, b = call.inputs[i], call.inputs[j]
    assert a is not None
    assert b is not None
    return _product(a, b, call.mapped[i], call.mapped[j], ta, tb)


def _product(a: Inner, b: Inner, a_mapped: bool, b_mapped: bool, ta: bool, tb: bool) -> Inner:
    result: Inner
    if not a_mapped and not b_mapped:
        result = apply("dot", a, b, transpose_a=ta, transpose_b=tb)
        return result
    if a_mapped and b_mapped:
        result = apply("batch_dot", a, b, transpose_a=ta, transpose_b=tb)
        return result
    # One large product is faster than a batch of small ones.
    if a_mapped and not ta:
        flat = reshaped(a, (a.shape[0] * a.shape[1], a.shape[2]))
        result = apply("dot", flat, b, transpose_b=tb)
        return reshaped(result, (*a.shape[:2], result.shape[1]))
    if a_mapped:
        transposed: Inner = apply("transpose", a, axes=(0, 2, 1))
        return _product(transposed, b, a_mapped=True, b_mapped=False, ta=False, tb=tb)
    # A B = (Bᵀ Aᵀ)ᵀ
    transposed = _product(b, a, a_mapped=True, b_mapped=False, ta=not tb, tb=not ta)
    result = apply("transpose", transposed, axes=(0, 2, 1))
    return result


def _as_matrices(call: BatchedCall, rows: Sequence[int]) -> BatchedCall:
    """Return the call with each input reshaped to a matrix.

    Args:
        call: The call.
        rows: For each input, the number of leading axes that become the rows.
    """
    inputs = list(call.inputs)
    for i, count in enumerate(rows):
        x = inputs[i]
        assert x is not None
        shape = call.shape(i)
        leading = (call.size,) if call.mapped[i] else ()
        inputs[i] = reshaped(x, (*leading, prod(shape[:count]), prod(shape[count:])))
    return BatchedCall(call.op, inputs, call.mapped, call.params, call.size, call.is_train)


@rule("dot")
def _dot(call: BatchedCall) -> Sequence[Inner] | None:
    ta, tb = call.params["transpose_a"], call.params["transpose_b"]
    a, b = call.rank(0), call.rank(1)
    if a == 0 or b == 0 or (a == 1 and ta) or (b == 1 and tb):
        return None
    rows_a = 1 if ta else a - 1
    rows_b = b - 1 if tb else 1
    flat = _as_matrices(call, (rows_a, rows_b))
    return call.shaped((product(flat, 0, 1, ta=ta, tb=tb),))


@rule("_dot_backward_lhs", "_dot_backward_rhs")
def _dot_backward(call: BatchedCall) -> Sequence[Inner] | None:
    ta, tb = call.params["transpose_a"], call.params["transpose_b"]
    if any(call.rank(i) != _MATRIX_RANK for i in range(3)):
        return None
    if call.op.name == "_dot_backward_lhs":  # (dy, rhs, lhs)
        result = product(call, 1, 0, ta=tb, tb=True) if ta else product(call, 0, 1, tb=not tb)
    else:  # (dy, lhs, rhs)
        result = product(call, 0, 1, ta=True, tb=ta) if tb else product(call, 1, 0, ta=not ta)
    return (_with_samples(call, result),)


def _with_samples(call: BatchedCall, array: Inner) -> Inner:
    """Return a product with the sample axis; broadcast along it if all samples share it."""
    if array.ndim == _MATRIX_RANK + 1:
        return array
    result: Inner = apply("_npi_broadcast_to", array, shape=(call.size, *array.shape))
    return result


def _in_shape_of(call: BatchedCall, index: int, result: Inner) -> Inner:
    """Return a product of all samples in the shape of input ``index``."""
    return reshaped(_with_samples(call, result), (call.size, *call.shape(index)))


@rule("_npi_matmul")
def _matmul(call: BatchedCall) -> Sequence[Inner] | None:
    a, b = call.rank(0), call.rank(1)
    if (a, b) == (_MATRIX_RANK, _MATRIX_RANK):
        return (product(call, 0, 1),)
    if a < _MATRIX_RANK or b < _MATRIX_RANK:
        return None
    inputs: list[Inner | None] = []
    largest = max(a, b)
    for i in range(2):
        x = call.inputs[i]
        assert x is not None
        if call.mapped[i]:
            x = reshaped(x, (x.shape[0], *(1,) * (largest - call.rank(i)), *x.shape[1:]))
        inputs.append(x)
    return call.run(inputs)


@rule("FullyConnected", "_fully_connected_project")
def _dense(call: BatchedCall) -> Sequence[Inner] | None:
    if not any(call.mapped[1:]):
        return fold_inputs(call, (0,))
    data, weight = call.inputs[0], call.inputs[1]
    if data is None or weight is None or call.rank() == 0:
        return None
    shape = call.shape()
    rows = 1 if call.params["flatten"] else len(shape) - 1
    flat = _as_matrices(call, (rows, 1))
    result = _with_samples(call, product(flat, 0, 1, tb=True))
    if len(call.inputs) > _MATRIX_RANK and call.inputs[2] is not None:
        bias = call.inputs[2]
        leading = (call.size, 1) if call.mapped[2] else (1, 1)
        result = apply("broadcast_add", result, reshaped(bias, (*leading, bias.shape[-1])))
    return call.shaped((result,))


@rule("_fully_connected_backward_data")
def _dense_backward_data(call: BatchedCall) -> Sequence[Inner] | None:
    """Return ``dy · weight`` in the shape of ``data``; the inputs are (dy, weight, data)."""
    if call.rank(0) < 1:
        return None
    flat = _as_matrices(call, (call.rank(0) - 1, 1))
    return (_in_shape_of(call, 2, product(flat, 0, 1)),)


@rule("_fully_connected_backward_weight")
def _dense_backward_weight(call: BatchedCall) -> Sequence[Inner] | None:
    """Return ``dyᵀ · data`` in the shape of ``weight``; the inputs are (dy, data, weight)."""
    rows = 1 if call.params["flatten"] else call.rank(1) - 1
    flat = _as_matrices(call, (call.rank(0) - 1, rows))
    return (_in_shape_of(call, 2, product(flat, 0, 1, ta=True)),)
