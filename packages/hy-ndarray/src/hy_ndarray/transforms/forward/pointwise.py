"""Pointwise operators: their Jacobian is a diagonal, so their gradient rule is its product too."""

from collections.abc import Sequence

from hy_ndarray.core.casting import without_casting
from hy_ndarray.ops import Saved
from hy_ndarray.transforms._calls import Inner, apply
from hy_ndarray.transforms._recording import is_differentiable
from hy_ndarray.transforms.forward.rule import DualCall, total

__all__ = ["pointwise"]


def pointwise(call: DualCall) -> Sequence[Inner | None] | None:
    """Sum up what the gradient rule makes of the tangent of each operand, spread to the result."""
    op = call.op
    y = call.outputs[0]
    single = len(call.outputs) == 1 and op.updates is None
    if not single or not op.is_pointwise(call.params) or not is_differentiable(y):
        return None
    inputs = [None if x is None else _spread(x, y.shape) for x in call.primals]
    dtype = _dtype(y)
    terms: list[Inner | None] = []
    for i, t in enumerate(call.tangents):
        x = inputs[i]
        if t is None or x is None:
            continue
        if _dtype(x) != dtype:
            return None
        wanted = [True if j == i else None for j in range(len(inputs))]
        saved = Saved(tuple(inputs), (y,), call.params, bool(call.is_train), wanted)
        assert op.grad is not None
        with without_casting():
            terms.append(op.grad(saved, _spread(t, y.shape))[i])
    return (total(terms),)


def _spread(array: Inner, shape: tuple[int, ...]) -> Inner:
    if array.shape == shape:
        return array
    result: Inner = apply("_npi_broadcast_to", array, shape=shape)
    return result


def _dtype(array: Inner) -> str:
    return array._device.memory.dtype(array._data)
