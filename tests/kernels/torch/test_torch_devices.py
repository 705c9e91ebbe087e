"""Kernels compute where their operands are: the device `meta` refuses whatever is elsewhere."""

from typing import Any

import pytest
import torch

from hy_kernels.torch import table
from hy_kernels.torch._host import HOST
from hy_ndarray import ops
from hy_ndarray.testing import OpCase, values_of
from hy_ndarray.testing.cases import CASES
from tests.kernels.derived import kernel_of

META = torch.device("meta")

READS_VALUES = {
    "boolean_mask": "its shape",
    "boolean_mask_backward": "where its rows are",
    "box_nms": "how many boxes are candidates",
    "ctc_loss": "whether a length is outside",
    "gather_nd": "whether an index is outside",
    "gather_nd_backward": "whether an index is outside",
    "histogram": "whether the edges rise",
    "index_copy": "whether an index is outside",
    "multi_box_detection": "whether the choice of boxes still changes",
    "multi_proposal": "whether the choice of boxes still changes",
    "np_bincount": "its shape",
    "np_delete": "its shape",
    "np_eig": "whether numbers are real",
    "np_eigvals": "whether numbers are real",
    "np_percentile": "whether percentages are outside",
    "np_unique": "its shape",
    "npx_constraint_check": "whether it holds",
    "npx_nonzero": "its shape",
    "count_sketch": "whether a position is outside",
    "count_sketch_backward": "whether a position is outside",
    "proposal": "whether the choice of boxes still changes",
    "scatter_nd": "whether an index is outside",
    "scatter_set_nd": "whether an index is outside",
    "psroi_pooling": "how many pixels a part has",
    "psroi_pooling_backward": "how many pixels a part has",
    "set_slices": "whether an index is outside",
}
"""What kernels ask of values, for which a GPU has to be waited for.

So does what takes indices with ``mode="raise"``, and what takes as many samples of a region as its
size asks for."""

BY_SIZE = {"roi_align": "sample_ratio", "roi_align_backward": "sample_ratio",
           "rroi_align": "sampling_ratio"}  # fmt: skip
"""Kernels that take samples of regions, and the parameter that tells their number, if positive."""


def is_computed_there(case: OpCase) -> bool:
    op = ops.find(case.op)
    if "rng" in op.needs or case.params.get("mode") == "raise" or is_sampled_by_size(case):
        return False
    return op.kernel not in READS_VALUES.keys() | set(HOST)


def is_sampled_by_size(case: OpCase) -> bool:
    number = BY_SIZE.get(ops.find(case.op).kernel)
    return number is not None and case.params.get(number, -1) <= 0


def call(case: OpCase) -> tuple[Any, ...]:
    op = ops.find(case.op)
    needed = {"is_train": case.is_train, "device": META}
    inputs = [None if v is None else table().memory.from_numpy(v, META) for v in values_of(case)]
    kernel = kernel_of(table(), op.kernel, META)
    more = {name: needed[name] for name in op.needs}
    found = kernel.function(*inputs, **op.parse(case.params), **more)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("case", [case for case in CASES if is_computed_there(case)], ids=str)
def test_a_kernel_reads_no_values_and_stays_on_its_device(case: OpCase) -> None:
    assert {y.device for y in call(case)} == {META}


def test_what_reads_values_is_known() -> None:
    reading = set()
    for case in CASES:
        kernel = ops.find(case.op).kernel
        if kernel in READS_VALUES and kernel not in reading:
            try:
                call(case)
            except (NotImplementedError, RuntimeError):
                reading.add(kernel)
    assert reading == READS_VALUES.keys()


def test_regions_sampled_by_their_size_are_waited_for_where_there_are_some() -> None:
    waited = set()
    for case in filter(is_sampled_by_size, CASES):
        try:
            call(case)
        except (NotImplementedError, RuntimeError):
            waited.add(ops.find(case.op).kernel)
    assert waited == BY_SIZE.keys()


@pytest.mark.parametrize("name", BY_SIZE)
def test_a_number_of_samples_is_not_waited_for(name: str) -> None:
    cases = [case for case in CASES if ops.find(case.op).kernel == name]
    assert any(is_computed_there(case) for case in cases)


def test_without_cuda_there_is_nothing_to_lock() -> None:
    x = torch.ones(3)
    assert torch.cuda.is_available() or table().memory.pinned(x) is x


def test_tensors_are_locked_where_cuda_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    locked: list[torch.Tensor] = []

    def lock(tensor: torch.Tensor) -> torch.Tensor:
        locked.append(tensor.clone())
        return locked[-1]

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.Tensor, "pin_memory", lock)
    found = table().memory.pinned(torch.ones(3))
    assert found is locked[0]


def test_what_is_sent_is_a_contiguous_copy() -> None:
    x = torch.arange(6.0).view(2, 3).t()
    there = table().memory.sent(x, torch.device("cpu"))
    assert there.is_contiguous()
    assert torch.equal(there, x)
    assert there.data_ptr() != x.data_ptr()
