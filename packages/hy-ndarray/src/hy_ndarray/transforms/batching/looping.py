"""Fallback of vmap: one call of the operator per sample."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from hy_ndarray.transforms._calls import Inner, apply
from hy_ndarray.transforms.batching.rule import BatchedCall
from hy_ndarray.warning import warn

__all__ = ["each_sample", "looped"]

_warned: set[str] = set()


def looped(call: BatchedCall) -> Sequence[Inner]:
    """Call the operator once per sample; warn the first time for each operator."""
    name = call.op.name
    if name not in _warned:
        _warned.add(name)
        warn(
            f"vmap: {name} has no batching rule for these operands, so it runs once per sample, "
            "which may be slow",
            UserWarning,
        )
    return each_sample(call, lambda _, run: run())


def each_sample(
    call: BatchedCall, around: Callable[[int, Callable[[], Any]], Sequence[Inner]]
) -> Sequence[Inner]:
    """Call the operator once per sample, by ``around(sample, run)``, and stack the results."""
    rows: list[Sequence[Inner]] = []
    for i in range(call.size):
        inputs = [_sample(x, i) if m else x for x, m in zip(call.inputs, call.mapped, strict=True)]
        rows.append(around(i, partial(call.run, inputs)))
    return [apply("stack", *column, axis=0) for column in zip(*rows, strict=True)]


def _sample(array: Inner | None, index: int) -> Inner:
    assert array is not None
    result: Inner = apply("slice_axis", array, axis=0, begin=index, end=index + 1)
    squeezed: Inner = apply("_np_reshape", result, newshape=array.shape[1:])
    return squeezed
