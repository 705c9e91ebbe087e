"""Normalization: statistics of samples are those of further channels."""

from collections.abc import Sequence

from hy_ndarray.transforms._calls import Inner, apply, reshaped
from hy_ndarray.transforms.batching.rule import BatchedCall, rule

__all__: list[str] = []


def _joined(array: Inner, axis: int) -> Inner:
    order = (*range(1, axis + 1), 0, *range(axis + 1, array.ndim))
    moved: Inner = apply("transpose", array, axes=order) if axis else array
    sizes = array.shape[1:]
    return reshaped(moved, (*sizes[:axis], array.shape[0] * sizes[axis], *sizes[axis + 1 :]))


@rule("BatchNorm", "BatchNorm_v1", "_contrib_BatchNormWithReLU", "_contrib_SyncBatchNorm")
def _batch_norm(call: BatchedCall) -> Sequence[Inner] | None:
    rank = call.rank()
    axis = call.params.get("axis", 1) % rank
    data, *vectors = call.all_full()
    assert data is not None
    flat = [None if x is None else reshaped(x, (-1,)) for x in vectors]
    results = call.run([_joined(data, axis), *flat])
    sizes = results[0].shape
    wide = reshaped(results[0], (*sizes[:axis], call.size, -1, *sizes[axis + 1 :]))
    order = (axis, *range(axis), *range(axis + 1, wide.ndim))
    first: Inner = apply("transpose", wide, axes=order)
    return [first, *(reshaped(x, (call.size, -1)) for x in results[1:])]


@rule("LayerNorm")
def _layer_norm(call: BatchedCall) -> Sequence[Inner] | None:
    if any(call.mapped[1:]):
        return None
    return call.run(call.inputs, axis=call.params["axis"] % call.rank() + 1)


@rule("_normalize_backward")
def _normalize_backward(call: BatchedCall) -> Sequence[Inner] | None:
    return None
