"""Batching rules of operators with an axis parameter, which the sample axis shifts by one."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from hy_ndarray.transforms._calls import Inner, reshaped
from hy_ndarray.transforms.batching.rule import BatchedCall, rule

__all__ = ["along"]


def along(call: BatchedCall, name: str = "axis", of: int = 0) -> Sequence[Inner] | None:
    """Run the operator with its axis parameter shifted by one, past the leading sample axis.

    Args:
        call: The call.
        name: The name of the parameter.
        of: The position of the input whose axes the parameter counts.
    """
    params: dict[str, Any] = dict(call.params)
    axis, rank = params[name], call.rank(of)
    inputs = call.all_full()
    if params.get("exclude"):
        named = () if axis is None else (axis,) if isinstance(axis, int) else axis
        selected = {a % rank for a in named}
        axis, params["exclude"] = tuple(a for a in range(rank) if a not in selected), False
        if not axis:
            return None
    # No axes means all axes of a sample, so each sample is flattened: axis None would also reduce
    # over the samples. For np operators () means no axis.
    if axis is None or (axis == () and not call.op.name.startswith("_np")):
        inputs = [
            None if x is None else reshaped(x, (x.shape[0], prod(x.shape[1:]))) for x in inputs
        ]
        params[name] = 1 if axis is None and name in _SINGLE.get(call.op.name, ()) else (1,)
    elif rank == 0:
        return None
    elif isinstance(axis, int):
        params[name] = axis % rank + 1
    else:
        params[name] = tuple(a % rank + 1 for a in axis)
    return call.shaped(call.run(inputs, **params))


_SINGLE: Mapping[str, tuple[str, ...]] = dict.fromkeys(
    (
        *("argmax", "argmin", "_npi_argmax", "_npi_argmin", "_np_cumsum", "_cumsum_backward"),
        *("sort", "argsort", "topk", "repeat", "_repeat_backward"),
    ),
    ("axis",),
)
"""Operators whose axis parameter is a single axis, never several."""


@rule(
    *("sum", "mean", "prod", "nansum", "nanprod", "max", "min", "_square_sum"),
    *("_np_sum", "_np_prod", "_np_max", "_np_min", "_np_all", "_np_any"),
    *("_npi_mean", "_npi_std", "_npi_var"),
    *("argmax", "argmin", "_npi_argmax", "_npi_argmin"),
    *("_np_cumsum", "_cumsum_backward", "sort", "argsort", "topk"),
    *("softmin", "_softmax_backward", "_log_softmax_backward"),
    *("slice_axis", "_slice_axis_backward", "SliceChannel", "_split_v2"),
    *("repeat", "_repeat_backward", "_npi_diff", "_np_diff_backward"),
    *("pick", "_axis_total", "_product_of_others"),
)
def _along_axis(call: BatchedCall) -> Sequence[Inner] | None:
    return along(call)


@rule("_pick_backward")
def _pick_backward(call: BatchedCall) -> Sequence[Inner] | None:
    return along(call, of=1)


@rule("transpose", "_np_transpose")
def _transpose(call: BatchedCall) -> Sequence[Inner]:
    rank = call.rank()
    axes = call.params["axes"] or tuple(range(rank))[::-1]
    return call.run(call.inputs, axes=(0, *(a % rank + 1 for a in axes)))
