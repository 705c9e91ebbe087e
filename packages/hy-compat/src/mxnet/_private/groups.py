"""Private functions of ``mxnet.module.executor_group``."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray import Context, NDArray
from mxnet import _slices
from mxnet._private.errors import CheckError

_Groups = dict[str, Context]


def _load_general(data: Sequence[Any], targets: Sequence[Any], major_axis: Sequence[int]) -> None:
    """Copy arrays into those of executors, in slices along the given axes."""
    _slices.load_general(data, targets, major_axis)


def _load_data(batch: Any, targets: Sequence[Any], major_axis: Sequence[int]) -> None:
    """Copy the data of a batch into the arrays of executors."""
    _slices.load_general(batch.data, targets, major_axis)


def _load_label(batch: Any, targets: Sequence[Any], major_axis: Sequence[int]) -> None:
    """Copy the labels of a batch into the arrays of executors."""
    _slices.load_general(batch.label, targets, major_axis)


def _merge_multi_context(
    outputs: Sequence[Sequence[NDArray]], major_axis: Sequence[int]
) -> list[NDArray]:
    """Each output of all devices joined along its axis; the first's where that is negative."""
    return _slices.merged(outputs, major_axis)


def _prepare_group2ctxs(group2ctxs: Any, ctx_len: int) -> list[_Groups | None]:
    """Where the parts of a graph run, for each device.

    Args:
        group2ctxs: A dictionary for each device; or one whose values are a context, or a list of
            one or of one for each device; or None.
        ctx_len: How many devices there are.

    Raises:
        CheckError: It is something else, or of another length.
    """
    if group2ctxs is None:
        return [None] * ctx_len
    if isinstance(group2ctxs, list):
        if len(group2ctxs) != ctx_len:
            raise CheckError(f"length of group2ctxs should be {ctx_len}, not {len(group2ctxs)}")
        return list(group2ctxs)
    if not isinstance(group2ctxs, dict):
        raise CheckError(
            "group2ctxs should be list of dict of str to context, or dict of str to context or "
            f"list of context, not {group2ctxs!r}"
        )
    return [
        {name: _of(value, i, ctx_len) for name, value in group2ctxs.items()} for i in range(ctx_len)
    ]


def _of(contexts: Any, i: int, count: int) -> Context:
    if isinstance(contexts, Context):
        return contexts
    if len(contexts) == 1:
        contexts = list(contexts) * count
    if len(contexts) != count:
        raise CheckError(f"length of a list of contexts should be {count}, not {len(contexts)}")
    found: Context = contexts[i]
    return found
