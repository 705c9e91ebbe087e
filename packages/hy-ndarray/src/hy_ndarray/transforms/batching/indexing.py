"""Batching rules of indexing operators, on the rows of all samples as one array."""

from collections.abc import Sequence

from hy_ndarray.transforms._calls import Inner, apply, reshaped
from hy_ndarray.transforms.batching.rule import BatchedCall, rule

_INDEX = "int64"


@rule("take")
def _take(call: BatchedCall) -> Sequence[Inner] | None:
    axis, rank, mode = call.params["axis"], call.rank(), call.params["mode"]
    # An index out of range in one sample must raise the error of a call for that sample.
    if mode == "raise" or rank == 0:
        return None
    axis %= rank
    if not call.mapped[1]:
        return call.run(call.inputs, axis=axis + 1)
    if not call.mapped[0]:
        (result,) = call.run(call.inputs, axis=axis)
        order = (axis, *(i for i in range(result.ndim) if i != axis))
        moved: Inner = apply("transpose", result, axes=order)
        return (moved,)
    data, count = call.inputs[0], call.rank(1)
    assert data is not None
    axis_first = (0, axis + 1, *(i for i in range(1, data.ndim) if i != axis + 1))
    rows = _take_rows(apply("transpose", data, axes=axis_first), call.inputs[1], mode)
    # [samples, *indices, *axes before, *axes after]: the former go before the indices
    before = range(1 + count, 1 + count + axis)
    order = (0, *before, *range(1, 1 + count), *range(1 + count + axis, rows.ndim))
    return (apply("transpose", rows, axes=order),)


def _take_rows(data: Inner | None, index: Inner | None, mode: str) -> Inner:
    """Return rows of each sample by its own indices, taken from the concatenated rows."""
    assert data is not None
    flat = reshaped(data, (data.shape[0] * data.shape[1], *data.shape[2:]))
    result: Inner = apply(
        "take", flat, _flat_indices(index, data.shape[:2], mode), axis=0, mode="clip"
    )
    return result


def _flat_indices(index: Inner | None, sizes: Sequence[int], mode: str) -> Inner:
    """Return each sample's row indices as indices into the concatenated rows of all samples.

    Args:
        index: ``[samples, *S]``.
        sizes: The number of samples, and of rows in each.
        mode: ``"wrap"`` or ``"clip"``, for indices out of range.
    """
    assert index is not None
    count, rows = sizes
    flat: Inner = apply("Cast", index, dtype=_INDEX)
    # Clipped before the offset is added: otherwise an index out of range would select rows of
    # another sample.
    if mode == "wrap":
        flat = apply("_npi_mod_scalar", flat, scalar=float(rows), is_int=True)
    else:
        flat = apply("clip", flat, a_min=0.0, a_max=float(rows - 1))
    with index.context:
        stop, step = float(count * rows), float(rows)
        first = apply("_npi_arange", start=0.0, stop=stop, step=step, dtype=_INDEX)
    first = reshaped(first, (count, *(1,) * (index.ndim - 1)))
    result: Inner = apply("_npi_add", flat, first)
    return result


@rule("_take_backward")
def _take_backward(call: BatchedCall) -> Sequence[Inner] | None:
    """Return the gradient of ``take`` to ``a`` for each sample; only the shape of ``a`` matters."""
    rank, mode = call.rank(1), call.params["mode"]
    if rank == 0 or mode == "raise" or call.params["sparse_grad"]:
        return None
    axis = call.params["axis"] % rank
    dy, a, index = call.inputs
    if not call.mapped[2]:
        return call.run([call.full(0), call.full(1), index], axis=axis + 1)
    if axis:
        return None
    dy, a = call.full(0), call.full(1)
    assert a is not None
    flat = reshaped(a, (a.shape[0] * a.shape[1], *a.shape[2:]))
    (result,) = call.run([dy, flat, _flat_indices(index, a.shape[:2], mode)], axis=0, mode="clip")
    return (reshaped(result, a.shape),)


@rule("gather_nd")
def _gather(call: BatchedCall) -> Sequence[Inner]:
    return call.run([call.full(0), _coordinates(call, 1)])


@rule("_gather_nd_backward")
def _gather_backward(call: BatchedCall) -> Sequence[Inner]:
    return call.run([call.full(0), call.full(1), _coordinates(call, 2)])


@rule("scatter_nd")
def _scatter(call: BatchedCall) -> Sequence[Inner]:
    shape = (call.size, *call.params["shape"])
    return call.run([call.full(0), _coordinates(call, 1)], shape=shape)


def _coordinates(call: BatchedCall, position: int) -> Inner:
    """Return coordinates ``[axes, *S]`` of all samples as ``[1 + axes, samples, *S]``.

    The sample's number becomes the first coordinate.
    """
    index = call.full(position)
    assert index is not None
    order = (1, 0, *range(2, index.ndim))
    moved: Inner = apply("transpose", index, axes=order)
    dtype = index._device.memory.dtype(index._data)
    with index.context:
        own = apply("_npi_arange", start=0.0, stop=float(call.size), step=1.0, dtype=_INDEX)
    own = apply("Cast", own, dtype=dtype)
    own = reshaped(own, (1, call.size, *(1,) * (index.ndim - 2)))
    own = apply("_npi_broadcast_to", own, shape=(1, *moved.shape[1:]))
    result: Inner = apply("Concat", own, moved, dim=0)
    return result
