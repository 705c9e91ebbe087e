"""Batching rules of operators that concatenate or stack arrays."""

from collections.abc import Sequence

from hy_ndarray.transforms._calls import Inner
from hy_ndarray.transforms.batching.rule import BatchedCall, rule


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
