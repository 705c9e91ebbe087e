"""Batching rules of normalizations: samples become further channels or rows."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray.transforms._calls import Inner, apply, reshaped
from hy_ndarray.transforms.batching.channels import merged, split
from hy_ndarray.transforms.batching.rule import BatchedCall, rule


@rule("BatchNorm", "BatchNorm_v1", "_contrib_BatchNormWithReLU", "_contrib_SyncBatchNorm")
def _batch_norm(call: BatchedCall) -> Sequence[Inner] | None:
    axis = call.params.get("axis", 1) % call.rank()
    data, *vectors = call.all_full()
    assert data is not None
    flat = [None if x is None else reshaped(x, (-1,)) for x in vectors]
    results = call.run([merged(data, axis), *flat])
    return [
        split(results[0], axis, call.size),
        *(reshaped(x, (call.size, -1)) for x in results[1:]),
    ]


@rule("LayerNorm")
def _layer_norm(call: BatchedCall) -> Sequence[Inner] | None:
    """Normalize the rows of all samples at once; then apply each sample's scale and shift."""
    rank = call.rank()
    axis = call.params["axis"] % rank
    data, gamma, beta = call.inputs
    assert gamma is not None
    assert beta is not None
    if not any(call.mapped[1:]):
        return call.run(call.inputs, axis=axis + 1)
    # The operator takes one gamma for all rows: it gets ones, and the samples' own are applied
    # afterwards.
    one = gamma if not call.mapped[1] else apply("slice_axis", gamma, axis=0, begin=0, end=1)
    one = reshaped(apply("ones_like", one), call.shape(1))
    inputs = [call.full(0), one, apply("zeros_like", one)]
    first, *rest = call.run(inputs, axis=axis + 1)
    shape = [1] * rank
    shape[axis] = call.shape(1)[0]
    scale, shift = (
        reshaped(x, (x.shape[0] if m else 1, *shape))
        for x, m in zip((gamma, beta), call.mapped[1:], strict=True)
    )
    scaled: Inner = apply("broadcast_add", apply("broadcast_mul", first, scale), shift)
    del data
    return [scaled, *rest]


@rule("_normalize_backward")
def _normalize_backward(call: BatchedCall) -> Sequence[Inner] | None:
    kind = call.params["kind"]
    if kind == "batch":
        return _batch_backward(call)
    if kind == "layer" and not call.mapped[2]:
        return _layer_backward(call)
    return None


def _batch_backward(call: BatchedCall) -> Sequence[Inner]:
    axis = call.params["axis"] % call.rank(1)
    dy, data, *vectors = call.all_full()
    assert dy is not None
    assert data is not None
    flat = [None if x is None else reshaped(x, (-1,)) for x in vectors]
    ddata, dgamma, dbeta = call.run([merged(dy, axis), merged(data, axis), *flat], axis=axis)
    rest = [reshaped(x, (call.size, -1)) for x in (dgamma, dbeta)]
    return [split(ddata, axis, call.size), *rest]


def _layer_backward(call: BatchedCall) -> Sequence[Inner]:
    """Return the gradient to data by one call, and those to gamma and beta as sums by sample."""
    rank = call.rank(1)
    axis = call.params["axis"] % rank
    dy, data, _, mean, deviation = call.all_full()
    assert mean is not None
    assert deviation is not None
    ddata, *_ = call.run([dy, data, call.inputs[2], mean, deviation], axis=axis + 1)
    # The operator would sum the gradients to gamma and beta over the samples, too.
    retained = [1 if i == axis else n for i, n in enumerate(call.shape(1))]
    centre, width = (reshaped(x, (call.size, *retained)) for x in (mean, deviation))
    scaled = apply("broadcast_div", apply("broadcast_sub", data, centre), width)
    others = tuple(i + 1 for i in range(rank) if i != axis)
    both = apply("broadcast_mul", dy, scaled)
    if call.params["fix_gamma"]:
        both = apply("zeros_like", both)
    sums: list[Any] = [apply("_np_sum", x, axis=others) if others else x for x in (both, dy)]
    return [ddata, *sums]
