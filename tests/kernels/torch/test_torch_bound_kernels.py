"""Kernels for given parameters, which eager calls repeat: they give what the kernels give."""

from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.record import Kernel
from hy_kernels.torch import table
from hy_ndarray import ops
from hy_ndarray.testing import OpCase, drawn
from hy_ndarray.testing.cases import CASES

DTYPES = ("float32", "float64", "float16", "int32")


def record(name: str) -> Kernel:
    kernel = table().find(name)
    assert kernel is not None
    return kernel


def bound(case: OpCase) -> Any:
    op = ops.find(case.op)
    if not op.kernel or table().find(op.kernel) is None:
        return None
    bind = record(op.kernel).bind
    return None if bind is None else bind(op.parse(case.params))


ROWS = [case for case in CASES if bound(case) is not None]


def results(function: Any, values: list[Any], **params: Any) -> Any:
    try:
        return function(*values, **params)
    except (ValueError, RuntimeError, TypeError) as error:
        return type(error)


def test_there_are_some() -> None:
    names = {"convolution", "fully_connected", "pad", "pooling", "slice", "slice_axis", "transpose"}
    assert {ops.find(case.op).kernel for case in ROWS} >= names


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", ROWS, ids=str)
def test_with_the_parameters_or_for_them(case: OpCase, dtype: str) -> None:
    op, draw = ops.find(case.op), np.random.default_rng(1)
    arrays: list[Any] = [v if v is None else v.astype(dtype) for v in drawn(case, draw)]
    values = [v if v is None else torch.from_numpy(v) for v in arrays]
    wanted = results(record(op.kernel).function, values, **op.parse(case.params))
    for _ in range(2):
        found = results(bound(case), values)
        if isinstance(wanted, type):
            assert found is wanted
            continue
        assert found.dtype is wanted.dtype
        assert found.is_contiguous()
        taken = {v.data_ptr() for v in values if v is not None and v.numel()}
        assert found.data_ptr() not in taken
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)
