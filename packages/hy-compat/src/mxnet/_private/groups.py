"""Private functions of ``mxnet.module.executor_group``."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray import Context, NDArray
from mxnet import _groups, _slices

_Groups = dict[str, Context]


def _load_general(data: Sequence[Any], targets: Sequence[Any], major_axis: Sequence[int]) -> None:
    """Copy arrays into executors' arrays, in slices along the given axes."""
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
    """Return each output of all devices concatenated; the first device's for a negative axis."""
    return _slices.merged(outputs, major_axis)


def _prepare_group2ctxs(group2ctxs: Any, ctx_len: int) -> list[_Groups | None]:
    """Return, for each device, the context of each group of nodes."""
    return _groups.contexts_by_device(group2ctxs, ctx_len)
