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
    specialize = record(op.kernel).specialize
    return None if specialize is None else specialize(None, op.parse(case.params))


DRAWS = [
    OpCase("_random_normal", (), None, {"shape": (4, 5)}),
    OpCase("_random_uniform", (), None, {"shape": (4, 5), "dtype": "float32"}),
]
ROWS = [case for case in (*CASES, *DRAWS) if bound(case) is not None]


def results(function: Any, values: list[Any], **params: Any) -> Any:
    try:
        return function(*values, **params)
    except (ValueError, RuntimeError, TypeError) as error:
        return type(error)


def needed(op: ops.Operator) -> dict[str, Any]:
    """What the kernel takes beside inputs and parameters, as an eager call gives it."""
    given = {"is_train": False, "device": torch.device("cpu")}
    rng = torch.Generator().manual_seed(7)
    return {name: rng if name == "rng" else given[name] for name in op.needs}


def alone(op: ops.Operator, params: Any, results: Any) -> tuple[Any, ...]:
    """What a bound kernel gives of a kernel's results."""
    if not isinstance(results, tuple):
        return (results,)
    return results if op.updated(params, False) else results[: op.num_visible(params)]


def test_there_are_some() -> None:
    names = {"convolution", "fully_connected", "pad", "pooling", "slice", "slice_axis", "transpose"}
    hidden = {"batch_norm", "layer_norm", "dropout", "leaky_relu"}
    made = {"zeros", "arange", "random_normal", "random_uniform"}
    numbers = {"plus_scalar", "rdiv_scalar", "power_scalar", "greater_scalar", "clip"}
    axes = {"sum", "mean", "max", "softmax", "log_softmax", "argmax", "topk", "swapaxes", "concat"}
    chosen = {"take", "pick", "embedding", "one_hot", "gemm2", "batch_dot", "softmax_output"}
    found = {ops.find(case.op).kernel for case in ROWS}
    assert found >= names | hidden | made | numbers | axes | chosen


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", ROWS, ids=str)
def test_with_the_parameters_or_for_them(case: OpCase, dtype: str) -> None:
    op, draw = ops.find(case.op), np.random.default_rng(1)
    with np.errstate(invalid="ignore"):  # nan as an integer is any number
        arrays = [v if v is None else v.astype(dtype) for v in drawn(case, draw)]
    values: list[Any] = [v if v is None else torch.from_numpy(v) for v in arrays]
    params = op.parse(case.params)
    wanted = results(record(op.kernel).function, values, **params, **needed(op))
    for _ in range(2):
        found = results(bound(case), values, **({} if op.inputs else needed(op)))
        if isinstance(wanted, type):
            assert found is wanted
            continue
        taken = {v.data_ptr() for v in values if v is not None and v.numel()}
        for one, other in zip(alone(op, params, found), alone(op, params, wanted), strict=True):
            assert one.dtype is other.dtype
            assert one.is_contiguous()
            assert one.data_ptr() not in taken
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)
