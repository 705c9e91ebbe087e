"""Tangent rule of linear operators, which are applied to the tangents of their operands."""

from collections.abc import Mapping, Sequence

from hy_ndarray.transforms._calls import Inner
from hy_ndarray.transforms.forward.rule import RULES, DualCall

_LINEAR: Mapping[str, tuple[int, ...] | None] = {
    **dict.fromkeys(
        (
            *("_copy",),
            *("Reshape", "_np_reshape", "_npx_reshape", "Flatten", "expand_dims"),
            *("squeeze", "_np_squeeze", "transpose", "_np_transpose", "SwapAxis", "_np_moveaxis"),
            *("slice", "slice_axis", "SliceChannel", "_split_v2", "reverse", "_npi_flip"),
            *("sum", "mean", "_np_sum", "_npi_mean", "_axis_total"),
            *("broadcast_to", "_npi_broadcast_to", "broadcast_axis", "tile", "repeat"),
            *("_expand_reduced", "_mean_backward", "_np_cumsum", "_npi_diff", "_np_roll"),
            *("depth_to_space", "space_to_depth", "im2col", "diag", "_np_trace"),
        ),
        (0,),
    ),
    **dict.fromkeys(
        (
            *("reshape_like", "broadcast_like", "slice_like", "_sum_like", "_slice_backward"),
            *("_slice_axis_backward", "take", "gather_nd", "pick"),
            *("_take_backward", "_pick_backward", "_gather_nd_backward"),
        ),
        (0,),
    ),
    **dict.fromkeys(("Concat", "_npi_concatenate", "stack", "_npi_stack", "add_n"), None),
    "Embedding": (1,),
}
"""Positions of the inputs in which an operator is jointly linear; None: all inputs."""


def _linear(call: DualCall) -> Sequence[Inner | None] | None:
    # A sum with an initial value is affine, not linear.
    if call.params.get("initial") is not None:
        return None
    where = _LINEAR[call.op.name]
    positions = range(len(call.primals)) if where is None else where
    if any(t is not None and i not in positions for i, t in enumerate(call.tangents)):
        return None
    inputs = list(call.primals)
    for i in positions:
        inputs[i] = call.tangent(i)
    return call.run(inputs)


for _name in _LINEAR:
    RULES[_name] = _linear
