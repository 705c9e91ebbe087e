"""Pointwise operators: operands of one sample are broadcast from the right, as before."""

from collections.abc import Sequence

from hy_ndarray._errors import HyError
from hy_ndarray.core._checks import type_of
from hy_ndarray.ops import TensorType
from hy_ndarray.transforms._calls import Inner, reshaped
from hy_ndarray.transforms.batching.rule import BatchedCall

__all__ = ["pointwise"]

_BROADCASTS: dict[str, bool] = {}


def pointwise(call: BatchedCall) -> Sequence[Inner] | None:
    """Put axes of size 1 behind that of samples where an operand has fewer than others."""
    if not call.op.is_pointwise(call.params):
        return None
    inputs = call.inputs
    if len(inputs) == 1:
        return call.run(inputs)
    ranks = {call.rank(i) for i, x in enumerate(inputs) if x is not None}
    if all(call.mapped) and len(ranks) == 1:
        return call.run(inputs)
    if not _broadcasts(call):
        inputs = call.all_full()
    largest = max(ranks)
    return call.run([_aligned(x, call.rank(i), largest) for i, x in enumerate(inputs)])


def _aligned(x: Inner | None, own: int, rank: int) -> Inner | None:
    if x is None or own in (x.ndim, rank):
        return x
    return reshaped(x, (x.shape[0], *(1,) * (rank + 1 - x.ndim), *x.shape[1:]))


def _broadcasts(call: BatchedCall) -> bool:
    """Whether the operator broadcasts any of its operands; else some have the shape of others."""
    name = call.op.name
    known = _BROADCASTS.get(name)
    if known is None:
        known = _BROADCASTS[name] = _takes(call, (1, 3), (2, 3)) and _takes(call, (2, 3), (1, 3))
    return known


def _takes(call: BatchedCall, first: tuple[int, ...], others: tuple[int, ...]) -> bool:
    """Whether the type rule takes operands of these shapes, and gives the larger one."""
    types: list[TensorType | None] = [
        None if x is None else TensorType(others if i else first, type_of(x).dtype)
        for i, x in enumerate(call.inputs)
    ]
    try:
        return call.op.infer(types, call.params)[0].sizes == (2, 3)
    except HyError:
        return False
