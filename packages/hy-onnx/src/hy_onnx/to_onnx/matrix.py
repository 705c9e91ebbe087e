"""Export of diagonals and triangles of matrices, and slice assignment."""

from collections.abc import Sequence

import numpy as np

from hy_onnx.model import Dim
from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []


def _matrix_of(call: Call, x: str, size: int, k: int, dims: Sequence[Dim]) -> str:
    """Return matrices, of shape ``dims``, with diagonal ``k`` from the last axis of ``x``."""
    whole = size + abs(k)
    indices = np.arange(size) * (whole + 1) + (k if k > 0 else -k * whole)
    # A diagonal is put in by a product with a matrix of ones and zeros.
    selection = np.zeros((size, whole * whole))
    selection[np.arange(size), indices] = 1
    flat = call.op("MatMul", x, call.constant(selection, call.dtype()))
    return call.reshape(flat, dims)


@converter("diag", "_np_diag", "_np_diagonal")
def _diag(call: Call) -> str:
    params, rank = call.params, call.rank()
    k = params["k"] if "k" in params else params["offset"]
    if rank == 1:
        return _matrix_of(call, call.x, call.size(0, 0), k, call.out_dims())
    a, b = params.get("axis1", 0) % rank, params.get("axis2", 1) % rank
    x = call.transpose(call.x, *(i for i in range(rank) if i not in (a, b)), a, b)
    rows, columns = call.size(0, a), call.size(0, b)
    length = max(0, min(rows + min(k, 0), columns - max(k, 0)))
    indices = np.arange(length) * (columns + 1) + (k if k > 0 else -k * columns)
    # A diagonal is every (columns + 1)-th element of the flat matrix.
    flat = call.op("Reshape", x, call.ints(*[0] * (rank - 2), rows * columns))
    return call.op("Gather", flat, call.constant(indices, "int64"), axis=rank - 2)


@converter("_linalg_makediag")
def _make(call: Call) -> str:
    offset = call.params["offset"]
    return _matrix_of(call, call.x, call.size(0, call.rank() - 1), offset, call.out_dims())


@converter("_npi_tril")
def _lower(call: Call) -> str:
    if call.rank() == 1:
        raise call.refused("data of one axis; make a matrix of it first")
    rows, columns = call.shape_of(0, (call.rank() - 2, call.rank() - 1))
    # A mask instead of Trilu, which opset 13 lacks.
    inside = call.constant(np.tri(rows, columns, call.params["k"]), "bool")
    return call.op("Where", inside, call.x, call.like(0))


@converter("_linalg_triangle")
def _triangle(call: Call) -> str:
    size = call.size(0, call.rank() - 1)
    mask = np.tri(size) if call.params["lower"] else np.tri(size).T
    return call.op("Where", call.constant(mask, "bool"), call.x, call.like(0))


@converter("_linalg_trmm")
def _product_of_triangle(call: Call) -> str:
    params, rank = call.params, call.rank()
    size = call.size(0, rank - 1)
    mask = np.tri(size) if params["lower"] else np.tri(size).T
    a = call.op("Where", call.constant(mask, "bool"), call.x, call.like(0))
    if params["transpose"]:
        a = call.transpose(a, *range(rank - 2), rank - 1, rank - 2)
    pair = (call.name(1), a) if params["rightside"] else (a, call.name(1))
    y = call.op("MatMul", *pair)
    return y if params["alpha"] == 1 else call.op("Mul", y, call.like(params["alpha"]))


@converter("_slice_assign")
def _assigned(call: Call) -> str:
    params, shape = call.params, call.shape()
    steps = params["step"] or (None,) * len(params["begin"])
    cut = [slice(*ends) for ends in zip(params["begin"], params["end"], steps, strict=True)]
    cut += [slice(None)] * (len(shape) - len(cut))
    along = [np.arange(n)[part] for n, part in zip(shape, cut, strict=True)]
    indices = np.stack(np.meshgrid(*along, indexing="ij"), axis=-1)
    return call.op("ScatterND", call.x, call.constant(indices, "int64"), call.name(1))


@converter("_contrib_index_array")
def _index_array(call: Call) -> str:
    shape, axes = call.shape(), call.params["axes"]
    indices = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1)
    selected = indices if axes is None else indices[..., [i % len(shape) for i in axes]]
    return call.constant(selected, "int64")


@converter("_npi_diff")
def _difference(call: Call) -> str:
    axis = call.axis(call.params["axis"])
    x, size = call.x, call.size(0, axis)
    for step in range(call.params["n"]):
        # Each difference is one element shorter than the one before.
        left = call.slice(x, axis, 0, size - step - 1)
        x = call.op("Sub", call.slice(x, axis, 1, size - step), left)
    return x


@converter("_ravel_multi_index")
def _ravel(call: Call) -> str:
    shape = call.params["shape"]
    # The first size may be -1: it does not matter here, nor does its sign.
    strides = np.cumprod([1, *[abs(n) for n in shape[:0:-1]]])[::-1]
    transposed = call.transpose(call.x, *range(1, call.rank()), 0)
    # In float32 indices above 2²⁴ would be rounded.
    whole = call.cast_from(transposed, call.dtype(), "int64")
    column = call.constant(strides.reshape(-1, 1), "int64")
    y = call.squeeze(call.op("MatMul", whole, column), call.rank() - 1)
    return call.cast_from(y, "int64", call.out_dtype())


@converter("_unravel_index")
def _unravel(call: Call) -> str:
    """Export ``unravel_index``: coordinates ``[M, *I]`` by successive remainders."""
    left, parts = call.cast_from(call.x, call.dtype(), "int64"), []
    for size in call.params["shape"][:0:-1]:
        each = call.constant(abs(size), "int64")
        part = call.op("Mod", left, each)
        left = call.op("Div", call.op("Sub", left, part), each)
        parts.append(call.unsqueeze(part, 0))
    parts = [call.unsqueeze(left, 0), *parts[::-1]]
    y = parts[0] if len(parts) == 1 else call.op("Concat", *parts, axis=0)
    return call.cast_from(y, "int64", call.out_dtype())


@converter("softmax_cross_entropy")
def _cross_entropy(call: Call) -> str:
    logarithms = call.op("LogSoftmax", call.x, axis=-1)
    indices = call.unsqueeze(call.cast_from(call.name(1), call.dtype(1), "int64"), 1)
    picked = call.op("GatherElements", logarithms, indices, axis=1)
    total = call.reduce("ReduceSum", picked, [0, 1], keepdims=False)
    return call.op("Reshape", call.op("Neg", total), call.ints(1))
