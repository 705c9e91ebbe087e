"""Tangent rule of pointwise operators, by their gradient rules."""

from collections.abc import Sequence

from hy_ndarray.core.casting import without_casting
from hy_ndarray.ops import Saved
from hy_ndarray.transforms._calls import Inner, apply
from hy_ndarray.transforms._recording import is_differentiable
from hy_ndarray.transforms.forward.rule import DualCall, total

__all__ = ["pointwise"]


def pointwise(call: DualCall) -> Sequence[Inner | None] | None:
    """Return the sum over operands of the gradient rule with the tangent as head gradient."""
    op = call.op
    y = call.outputs[0]
    single = len(call.outputs) == 1 and op.updates is None
    if not single or not op.is_pointwise(call.params) or not is_differentiable(y):
        return None
    # The Jacobian to an operand of the result's shape is diagonal, so it equals its transpose,
    # which the gradient rule applies. Operands are broadcast first, so that the rule sums over no
    # axes.
    inputs = [None if x is None else _broadcast_to(x, y.shape) for x in call.primals]
    dtype = _dtype_name(y)
    terms: list[Inner | None] = []
    for i, t in enumerate(call.tangents):
        x = inputs[i]
        if t is None or x is None:
            continue
        # With mixed dtypes the gradient rule returns the operand's dtype, not the result's.
        if _dtype_name(x) != dtype:
            return None
        wanted = [True if j == i else None for j in range(len(inputs))]
        saved = Saved(tuple(inputs), (y,), call.params, bool(call.is_train), wanted)
        assert op.grad is not None
        with without_casting():
            terms.append(op.grad(saved, _broadcast_to(t, y.shape))[i])
    return (total(terms),)


def _broadcast_to(array: Inner, shape: tuple[int, ...]) -> Inner:
    if array.shape == shape:
        return array
    result: Inner = apply("_npi_broadcast_to", array, shape=shape)
    return result


def _dtype_name(array: Inner) -> str:
    return array._device.memory.dtype(array._data)
