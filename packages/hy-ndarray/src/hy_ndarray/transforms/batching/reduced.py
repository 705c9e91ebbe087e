"""Batching rule for the gradient of a sum, which expands a reduced array."""

from collections.abc import Sequence

from hy_ndarray.transforms._calls import Inner, apply, reshaped
from hy_ndarray.transforms.batching.rule import BatchedCall, rule


def _reduced_axes(call: BatchedCall, rank: int) -> set[int]:
    """Return the axes of one sample, of ``rank`` axes, that the sum reduced."""
    axis = call.params["axis"]
    named = () if axis is None else (axis,) if isinstance(axis, int) else axis
    selected = {a % rank for a in named}
    # None and () mean all axes.
    return set(range(rank)) - selected if not named or call.params["exclude"] else selected


@rule("_expand_reduced")
def _expand(call: BatchedCall) -> Sequence[Inner] | None:
    x, shape = call.full(0), call.shape(1)
    if x is None:
        return None
    axes = _reduced_axes(call, len(shape))
    wide = reshaped(x, (call.size, *(1 if i in axes else n for i, n in enumerate(shape))))
    result: Inner = apply("_npi_broadcast_to", wide, shape=(call.size, *shape))
    return (result,)
