"""Operators that join arrays along an axis, and those that divide a gradient into parts again."""

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
    return (_joined(call, range(len(call.inputs)), whole, last),)


@rule("_np_join_like")
def _join_like(call: BatchedCall) -> Sequence[Inner]:
    """``(whole, *parts)``: the parts in the shape of the whole, joined."""
    parts = range(1, len(call.inputs))
    return (_joined(call, parts, call.shape(), _axis(call)),)


@rule("_np_join_backward")
def _join_backward(call: BatchedCall) -> Sequence[Inner]:
    """``(dy, *parts)``: parts of ``dy`` in the shapes of the others."""
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
    """The axis of the whole, which is the second one, if there is one, where none is named."""
    axis, rank = call.params["axis"], call.rank()
    return min(1, rank - 1) if axis is None else int(axis) % rank


def _joined(call: BatchedCall, positions: Sequence[int], whole: Sequence[int], axis: int) -> Inner:
    """Inputs joined along an axis of a whole, in whose shape each is laid out first."""
    each = prod(whole[:axis]) * prod(whole[axis + 1 :])
    parts: list[Inner] = []
    for i in positions:
        x = call.full(i)
        assert x is not None
        count = prod(call.shape(i)) // each if each else 0
        parts.append(reshaped(x, (call.size, *whole[:axis], count, *whole[axis + 1 :])))
    result: Inner = apply("Concat", *parts, dim=axis + 1)
    return result
