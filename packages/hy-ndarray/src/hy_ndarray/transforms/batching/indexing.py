"""Operators that select by indices: those of all samples are indices into one longer array."""

from collections.abc import Sequence

from hy_ndarray.transforms._calls import Inner, apply, reshaped
from hy_ndarray.transforms.batching.rule import BatchedCall, rule

__all__: list[str] = []


@rule("Embedding")
def _embedding(call: BatchedCall) -> Sequence[Inner] | None:
    """Indices of any shape into rows that all samples share."""
    if call.mapped[1]:
        return None
    return call.run(call.inputs)


@rule("take")
def _take(call: BatchedCall) -> Sequence[Inner] | None:
    axis, rank = call.params["axis"], call.rank()
    if call.params["mode"] == "raise" or rank == 0:
        return None
    axis %= rank
    if not call.mapped[1]:
        return call.run(call.inputs, axis=axis + 1)
    if not call.mapped[0]:
        (found,) = call.run(call.inputs, axis=axis)
        order = (axis, *(i for i in range(found.ndim) if i != axis))
        moved: Inner = apply("transpose", found, axes=order)
        return (moved,)
    return _take_rows(call) if axis == 0 else None


def _take_rows(call: BatchedCall) -> Sequence[Inner]:
    """Rows of each sample by indices of its own: rows of one array, counted on from its first."""
    data, index = call.inputs
    assert data is not None
    assert index is not None
    rows = data.shape[1]
    dtype = "int64"
    whole: Inner = apply("Cast", apply("floor", index), dtype=dtype) if _floats(index) else index
    whole = apply("Cast", whole, dtype=dtype)
    if call.params["mode"] == "wrap":
        whole = apply("_npi_mod_scalar", whole, scalar=float(rows), is_int=True)
    else:
        whole = apply("clip", whole, a_min=0.0, a_max=float(rows - 1))
    first = apply("_npi_arange", start=0.0, stop=float(call.size), step=1.0, dtype=dtype)
    first = apply("_npi_multiply_scalar", first, scalar=float(rows), is_int=True)
    first = reshaped(first, (call.size, *(1,) * (index.ndim - 1)))
    places = apply("_npi_add", whole, first)
    flat = reshaped(data, (call.size * rows, *data.shape[2:]))
    found: Inner = apply("take", flat, places, axis=0, mode="clip")
    return (found,)


def _floats(array: Inner) -> bool:
    return "float" in array._device.memory.dtype(array._data)
