"""Rules of gradients of reductions, which take a reduced array and the array before it."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_ndarray.transforms._calls import Inner, apply, reshaped
from hy_ndarray.transforms.batching.rule import RULES, BatchedCall, rule

__all__: list[str] = []

_REDUCED: Mapping[str, tuple[int, ...]] = {
    "_mean_backward": (0,),
    "_extreme_backward": (0, 2),
    "_extreme_sum": (2,),
    "_norm_backward": (0, 2),
}
"""Positions of the inputs that were reduced; the array before reduction is input 1."""


def _reduced_axes(call: BatchedCall, rank: int) -> tuple[int, ...]:
    """Return the axes of one sample that were reduced."""
    axis = call.params["axis"]
    named = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    if not named and not call.params.get("exclude"):
        return tuple(range(rank))
    selected = {a % rank for a in named}
    if call.params.get("exclude"):
        selected = set(range(rank)) - selected
    return tuple(sorted(selected))


def _expanded(call: BatchedCall, x: Inner, axes: Sequence[int]) -> Inner:
    """Return a reduced input with axes of size 1 in place of ``axes``."""
    sizes = [1 if i in axes else n for i, n in enumerate(call.shape(1))]
    return reshaped(x, (call.size, *sizes))


@rule("_expand_reduced")
def _expand(call: BatchedCall) -> Sequence[Inner] | None:
    x, rank = call.full(0), call.rank(1)
    if x is None:
        return None
    wide = _expanded(call, x, _reduced_axes(call, rank))
    result: Inner = apply("_npi_broadcast_to", wide, shape=(call.size, *call.shape(1)))
    return (result,)


def _reduced_gradient(call: BatchedCall) -> Sequence[Inner] | None:
    rank = call.rank(1)
    inputs = call.all_full()
    # A sample without axes has none to reduce along: it gets one.
    if not rank:
        inputs = [None if x is None else reshaped(x, (call.size, 1)) for x in inputs]
        mapped = [True] * len(inputs)
        result = _reduced_gradient(
            BatchedCall(call.op, inputs, mapped, call.params, call.size, is_train=None)
        )
        return None if result is None else call.shaped(result)
    axes = _reduced_axes(call, rank)
    if not axes:
        return None
    for i in _REDUCED[call.op.name]:
        x = inputs[i]
        assert x is not None
        inputs[i] = _expanded(call, x, axes)
    params: dict[str, Any] = {"axis": tuple(a + 1 for a in axes), "keepdims": True}
    if "exclude" in call.params:
        params["exclude"] = False
    return call.shaped(call.run(inputs, **params))


for _name in _REDUCED:
    RULES[_name] = _reduced_gradient


@rule("_channel_sum")
def _channel_sum(call: BatchedCall) -> Sequence[Inner]:
    x, rank = call.full(0), call.rank()
    axis = call.params["axis"] % rank
    others = tuple(i + 1 for i in range(rank) if i != axis)
    total: Any = apply("_np_sum", x, axis=others) if others else apply("_copy", x)
    return call.shaped((total,))


@rule("_channel_spread")
def _channel_spread(call: BatchedCall) -> Sequence[Inner] | None:
    x, shape = call.full(0), call.shape(1)
    if x is None or call.rank() != 1:
        return None
    axis = call.params["axis"] % len(shape)
    wide = reshaped(x, (call.size, *(n if i == axis else 1 for i, n in enumerate(shape))))
    result: Inner = apply("_npi_broadcast_to", wide, shape=(call.size, *shape))
    return (result,)
