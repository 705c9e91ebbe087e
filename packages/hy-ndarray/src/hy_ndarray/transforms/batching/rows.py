"""Batching rule of operators on batches: the batches of all samples become one batch."""

from collections.abc import Sequence

from hy_ndarray.transforms._calls import Inner, reshaped
from hy_ndarray.transforms.batching.rule import RULES, BatchedCall

__all__ = ["fold_inputs", "folded"]

_OF_BATCHES: dict[str, tuple[int, ...]] = {
    "_convolution_backward_data": (0, 2),
    "_convolution_project": (0,),
    "_deconvolution_backward_data": (0, 2),
    "_deconvolution_project": (0,),
    "_pooling_lp_backward": (0, 1, 2),
    "_pooling_max_backward": (0, 1),
    "_pooling_max_select": (0, 1),
    "_pooling_sum_backward": (0, 1),
    "BilinearSampler": (0, 1),
    "_bilinear_sampler_backward": (0, 1, 2),
    "GridGenerator": (0,),
    "UpSampling": (0,),
    "_lrn_backward": (0, 1),
    "_contrib_AdaptiveAvgPooling2D": (0,),
    "_adaptive_avg_pooling2d_backward": (0, 1),
    "_contrib_BilinearResize2D": (0, 1),
    "_bilinear_resize2d_backward": (0, 1),
    "_contrib_DeformableConvolution": (0, 1),
    "_contrib_ModulatedDeformableConvolution": (0, 1, 2),
    "im2col": (0,),
    "_im2col_backward": (0, 1),
    "col2im": (0,),
    "depth_to_space": (0,),
    "space_to_depth": (0,),
    "batch_dot": (0, 1),
    "SoftmaxActivation": (0,),
    "Correlation": (0, 1),
    "_l2_normalization_backward": (0, 1),
    "_regression_backward": (0, 1),
    "_svm_output_backward": (0, 1),
}
"""Operators without the trait ``rows``: positions of the inputs whose first axis is the batch."""


def folded(call: BatchedCall) -> Sequence[Inner] | None:
    """Merge the sample axis into the batch axis, if all mapped inputs have a batch axis."""
    op = call.op
    if op.variadic and len(call.inputs) > 1:
        return None
    if op.traits.rows is not None:
        # In training rows are not independent: normalisations reduce over the batch, and dropout
        # draws.
        if call.is_train:
            return None
        ranks = [call.rank(i) for i in range(len(call.inputs))]
        if ranks[0] == 0:
            return None
        where = tuple(op.traits.rows(call.params, 0, ranks))
    else:
        where = _OF_BATCHES[op.name]
    return fold_inputs(call, where)


def fold_inputs(call: BatchedCall, where: Sequence[int]) -> Sequence[Inner] | None:
    """Merge samples and rows of the inputs at positions ``where``, run, and split the results."""
    present = [i for i in where if i < len(call.inputs) and call.inputs[i] is not None]
    if any(m and i not in present for i, m in enumerate(call.mapped)):
        return None
    if not present or any(call.rank(i) == 0 for i in present):
        return None
    rows = call.shape(present[0])[0]
    if any(call.shape(i)[0] != rows for i in present):
        return None
    inputs = list(call.inputs)
    for i in present:
        x = call.full(i)
        assert x is not None
        inputs[i] = reshaped(x, (call.size * rows, *x.shape[2:]))
    results = call.run(inputs)
    if any(x.ndim == 0 or x.shape[0] != call.size * rows for x in results):
        return None
    return [reshaped(x, (call.size, rows, *x.shape[1:])) for x in results]


for _name in _OF_BATCHES:
    RULES[_name] = folded
