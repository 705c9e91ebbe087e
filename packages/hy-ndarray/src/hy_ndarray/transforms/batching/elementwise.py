"""Batching rule of pointwise operators, which broadcast the operands of each sample."""

from collections.abc import Sequence

from hy_ndarray._errors import HyError
from hy_ndarray.core._checks import type_of
from hy_ndarray.ops import TensorType
from hy_ndarray.transforms._calls import Inner, reshaped
from hy_ndarray.transforms.batching.rule import BatchedCall

__all__ = ["pointwise"]

_BROADCASTS: dict[str, bool] = {}


def pointwise(call: BatchedCall) -> Sequence[Inner] | None:
    """Run a pointwise operator with operands aligned after the leading sample axis."""
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
    # Broadcasting aligns trailing axes, but the sample axis must stay first.
    largest = max(ranks)
    return call.run([_aligned(x, call.rank(i), largest) for i, x in enumerate(inputs)])


def _aligned(x: Inner | None, own: int, rank: int) -> Inner | None:
    if x is None or own in (x.ndim, rank):
        return x
    return reshaped(x, (x.shape[0], *(1,) * (rank + 1 - x.ndim), *x.shape[1:]))


def _broadcasts(call: BatchedCall) -> bool:
    """Return whether the operator's type rule broadcasts its operands."""
    name = call.op.name
    # Found by trying the type rule, once per operator: there is no trait for it.
    known = _BROADCASTS.get(name)
    if known is None:
        known = _BROADCASTS[name] = _accepts(call, (1, 3), (2, 3)) and _accepts(
            call, (2, 3), (1, 3)
        )
    return known


def _accepts(call: BatchedCall, first: tuple[int, ...], others: tuple[int, ...]) -> bool:
    """Return whether the type rule accepts these operand shapes with a result of shape (2, 3)."""
    types: list[TensorType | None] = [
        None if x is None else TensorType(others if i else first, type_of(x).dtype)
        for i, x in enumerate(call.inputs)
    ]
    try:
        return call.op.infer(types, call.params)[0].sizes == (2, 3)
    except HyError:
        return False
