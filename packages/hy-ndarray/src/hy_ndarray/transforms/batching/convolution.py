"""Batching rules of convolutions: samples with different weights become groups."""

from collections.abc import Sequence

from hy_ndarray.transforms._calls import Inner
from hy_ndarray.transforms.batching.channels import merged, split
from hy_ndarray.transforms.batching.rows import fold_inputs
from hy_ndarray.transforms.batching.rule import RULES, BatchedCall, rule


def _is_channel_first(call: BatchedCall) -> bool:
    layout = call.params.get("layout")
    return not layout or layout[:2] == "NC"


def _channels(call: BatchedCall, axes: Sequence[int], result: int) -> Sequence[Inner] | None:
    """Merge samples into channels, run with ``samples`` times as many groups, and split.

    Args:
        call: The call.
        axes: For each input, the axis that samples are merged with.
        result: The axis of the result that is split into samples.
    """
    # Samples are merged in front of the channels, which groups partition: only for channels first.
    if not _is_channel_first(call) or call.params.get("target_shape"):
        return None
    inputs: list[Inner | None] = []
    for x, axis in zip(call.all_full(), axes, strict=False):
        inputs.append(None if x is None else merged(x, axis))
    more = {"num_group": call.params["num_group"] * call.size}
    if "num_filter" in call.params:
        more["num_filter"] = call.params["num_filter"] * call.size
    (value,) = call.run(inputs, **more)
    return (split(value, result, call.size),)


@rule("Convolution", "Convolution_v1", "Deconvolution")
def _convolution(call: BatchedCall) -> Sequence[Inner] | None:
    if not any(call.mapped[1:]):
        return fold_inputs(call, (0,)) if _is_channel_first(call) else None
    return _channels(call, (1, 0, 0), 1)


@rule("_convolution_backward_weight", "_deconvolution_backward_weight")
def _weight(call: BatchedCall) -> Sequence[Inner] | None:
    return _channels(call, (1, 1, 0), 0)


def _data(call: BatchedCall) -> Sequence[Inner] | None:
    if not call.mapped[1]:
        return fold_inputs(call, (0, 2))
    return _channels(call, (1, 0, 1), 1)


def _project(call: BatchedCall) -> Sequence[Inner] | None:
    return fold_inputs(call, (0,)) if not call.mapped[1] else _channels(call, (1, 0), 1)


RULES["_convolution_backward_data"] = RULES["_deconvolution_backward_data"] = _data
RULES["_convolution_project"] = RULES["_deconvolution_project"] = _project
