"""Rules of operators that concatenate arrays, and of their gradients."""

from collections.abc import Sequence
from math import prod

from hy_ndarray.transforms._calls import Inner, apply, reshaped
from hy_ndarray.transforms.batching.rule import BatchedCall, rule

__all__: list[str] = []


@rule("Concat", "_npi_concatenate", "_rnn_param_concat")
def _concat(call: BatchedCall) -> Sequence[Inner] | None:
    name = "axis" if "axis" in call.params else "dim"
    axis, rank = call.params[name], call.rank()
    if axis is None or not rank:
        return None
    return call.run(call.all_full(), **{name: axis % rank + 1})


@rule("stack", "_npi_stack")
def _stack(call: BatchedCall) -> Sequence[Inner]:
    axis, rank = call.params["axis"], call.rank()
    return call.run(call.all_full(), axis=axis % (rank + 1) + 1)


@rule("_concat_backward")
def _concat_backward(call: BatchedCall) -> Sequence[Inner]:
    return call.run(call.all_full(), dim=call.params["dim"] % call.rank() + 1)


@rule("_npi_vstack", "_npi_hstack", "_npi_dstack", "_npi_column_stack")
def _stacked(call: BatchedCall) -> Sequence[Inner] | None:
    whole = call.types[0].sizes
    if whole is None:
        return None
    last = {"_npi_vstack": 0, "_npi_dstack": 2}.get(call.op.name, min(1, len(whole) - 1))
    return (_concatenated(call, range(len(call.inputs)), whole, last),)


@rule("_np_join_like")
def _join_like(call: BatchedCall) -> Sequence[Inner]:
    """Concatenate the parts of ``(whole, *parts)``, in the shape of the whole."""
    parts = range(1, len(call.inputs))
    return (_concatenated(call, parts, call.shape(), _axis(call)),)


@rule("_np_join_backward")
def _join_backward(call: BatchedCall) -> Sequence[Inner]:
    """Split the ``dy`` of ``(dy, *parts)`` into the shapes of the parts."""
    whole, axis = call.shape(), _axis(call)
    each = prod(whole[:axis] + whole[axis + 1 :])
    dy, result, start = call.full(0), [], 0
    for i in range(1, len(call.inputs)):
        shape = call.shape(i)
        end = start + (prod(shape) // each if each else 0)
        part = apply("slice_axis", dy, axis=axis + 1, begin=start, end=end)
        result.append(reshaped(part, (call.size, *shape)))
        start = end
    return result


def _axis(call: BatchedCall) -> int:
    """Return the axis of concatenation; by default the second one, or the only one."""
    axis, rank = call.params["axis"], call.rank()
    return min(1, rank - 1) if axis is None else int(axis) % rank


def _concatenated(
    call: BatchedCall, positions: Sequence[int], whole: Sequence[int], axis: int
) -> Inner:
    """Return inputs concatenated along ``axis``, each in the other axes of ``whole``."""
    each = prod(whole[:axis]) * prod(whole[axis + 1 :])
    parts: list[Inner] = []
    for i in positions:
        x = call.full(i)
        assert x is not None
        count = prod(call.shape(i)) // each if each else 0
        parts.append(reshaped(x, (call.size, *whole[:axis], count, *whole[axis + 1 :])))
    result: Inner = apply("Concat", *parts, dim=axis + 1)
    return result
