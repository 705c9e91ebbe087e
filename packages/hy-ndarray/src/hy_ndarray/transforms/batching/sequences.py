"""Rules of operators on batches of sequences, whose batch is often axis 1."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hy_ndarray.transforms._calls import Inner
from hy_ndarray.transforms.batching.channels import merged, split
from hy_ndarray.transforms.batching.rule import RULES, BatchedCall, rule

__all__: list[str] = []


class _Layout(NamedTuple):
    """The axis of the batch in each input (the last one's in all further inputs) and output."""

    inputs: tuple[int, ...]
    output: int


_LAYOUTS: Mapping[str, _Layout] = {
    "_contrib_interleaved_matmul_selfatt_qk": _Layout((1,), 0),
    "_contrib_interleaved_matmul_selfatt_valatt": _Layout((1, 0), 1),
    "_contrib_interleaved_matmul_encdec_qk": _Layout((1, 1), 0),
    "_contrib_interleaved_matmul_encdec_valatt": _Layout((1, 0), 1),
    "_head_part": _Layout((1,), 0),
    "_place_head_part": _Layout((0, 1), 1),
    "_join_head_parts": _Layout((0,), 1),
}
"""Attention over ``[time, batch, channels]``, the heads of each sample one after another."""


def _with_merged_batch(call: BatchedCall, layout: _Layout) -> Sequence[Inner] | None:
    """Merge samples with the axis of the batch, run, and split that of the result."""
    inputs: list[Inner | None] = []
    for i, x in enumerate(call.all_full()):
        axis = layout.inputs[min(i, len(layout.inputs) - 1)]
        if x is not None and x.ndim <= axis + 1:
            return None
        inputs.append(None if x is None else merged(x, axis))
    (result,) = call.run(inputs)
    return (split(result, layout.output, call.size),)


def _attention(call: BatchedCall) -> Sequence[Inner] | None:
    return _with_merged_batch(call, _LAYOUTS[call.op.name])


for _name in _LAYOUTS:
    RULES[_name] = _attention


@rule("SequenceMask", "SequenceReverse")
def _same_layout(call: BatchedCall) -> Sequence[Inner] | None:
    batch = 1 - call.params["axis"]
    return _with_merged_batch(call, _Layout((batch, 0), batch))


@rule("SequenceLast")
def _last(call: BatchedCall) -> Sequence[Inner] | None:
    return _with_merged_batch(call, _Layout((1 - call.params["axis"], 0), 0))


@rule("_sequence_last_backward")
def _last_backward(call: BatchedCall) -> Sequence[Inner] | None:
    batch = 1 - call.params["axis"]
    return _with_merged_batch(call, _Layout((0, batch, 0), batch))
