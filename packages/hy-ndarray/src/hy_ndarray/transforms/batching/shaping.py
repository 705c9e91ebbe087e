"""Batching rules of operators that reshape, broadcast, slice or pad."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray.transforms._calls import Inner, apply, reshaped
from hy_ndarray.transforms.batching.rule import BatchedCall, rule

__all__ = ["viewed"]


def viewed(call: BatchedCall) -> Sequence[Inner] | None:
    """Reshape each sample to the output shape that the operator's type rule gives."""
    sizes = call.types[0].sizes
    x = call.full(0)
    if sizes is None or x is None or not call.op.traits.view:
        return None
    return (apply("_np_reshape", x, newshape=(call.size, *sizes)),)


@rule("broadcast_to", "_npi_broadcast_to", "broadcast_axis", "broadcast_like")
def _spread(call: BatchedCall) -> Sequence[Inner] | None:
    sizes = call.types[0].sizes
    x = call.full(0)
    if sizes is None or x is None:
        return None
    aligned = reshaped(x, (call.size, *(1,) * (len(sizes) - x.ndim + 1), *x.shape[1:]))
    result: Inner = apply("_npi_broadcast_to", aligned, shape=(call.size, *sizes))
    return (result,)


@rule("tile")
def _tile(call: BatchedCall) -> Sequence[Inner]:
    reps = tuple(call.params["reps"])
    x = call.inputs[0]
    assert x is not None
    rank = max(len(reps), call.rank())
    aligned = reshaped(x, (call.size, *(1,) * (rank - call.rank()), *x.shape[1:]))
    return call.run([aligned], reps=(1,) * (rank + 1 - len(reps)) + reps)


@rule("slice")
def _slice(call: BatchedCall) -> Sequence[Inner]:
    begin, end, step = (tuple(call.params[name] or ()) for name in ("begin", "end", "step"))
    return call.run(
        call.inputs,
        begin=(None, *begin),
        end=(None, *end),
        step=(None, *step) if step else step,
    )


@rule("_slice_backward")
def _slice_backward(call: BatchedCall) -> Sequence[Inner]:
    begin, end, step = (tuple(call.params[name] or ()) for name in ("begin", "end", "step"))
    return call.run(
        call.all_full(),
        begin=(None, *begin),
        end=(None, *end),
        step=(None, *step) if step else step,
    )


@rule("Pad", "_pad_backward")
def _pad(call: BatchedCall) -> Sequence[Inner] | None:
    width = tuple(call.params["pad_width"])
    # Modes "edge" and "reflect" support only 4 or 5 axes: samples become further images.
    if call.params["mode"] != "constant" and call.rank() >= 4:  # noqa: PLR2004 - axes of a batch
        return _on_merged_rows(call)
    return _on_merged_rows(call) if width[:2] == (0, 0) else None


def _on_merged_rows(call: BatchedCall) -> Sequence[Inner] | None:
    """Run the operator on the rows of all samples as one batch, and split the results."""
    inputs: list[Any] = []
    for x in call.all_full():
        assert x is not None
        inputs.append(reshaped(x, (x.shape[0] * x.shape[1], *x.shape[2:])))
    rows = call.shape()[0]
    return [reshaped(y, (call.size, rows, *y.shape[1:])) for y in call.run(inputs)]


@rule("_sum_like")
def _summed(call: BatchedCall) -> Sequence[Inner] | None:
    """Sum over the axes along which the second input was broadcast to the first."""
    sizes, x = call.types[0].sizes, call.full(0)
    if sizes is None or x is None:
        return None
    extra = x.ndim - 1 - len(sizes)
    axes = tuple(
        i + 1
        for i in range(x.ndim - 1)
        if i < extra or (sizes[i - extra] == 1 and x.shape[i + 1] != 1)
    )
    total = apply("_np_sum", x, axis=axes, keepdims=True) if axes else apply("_copy", x)
    return (reshaped(total, (call.size, *sizes)),)


@rule("_np_diagonal")
def _diagonal(call: BatchedCall) -> Sequence[Inner] | None:
    rank = call.rank()
    if rank < 2:  # noqa: PLR2004 - of a vector it makes a matrix
        return None
    one, other = call.params["axis1"] % rank + 1, call.params["axis2"] % rank + 1
    return call.shaped(call.run(call.inputs, axis1=one, axis2=other))


@rule("_npi_tril")
def _tril(call: BatchedCall) -> Sequence[Inner] | None:
    return call.run(call.inputs) if call.rank() > 1 else None
