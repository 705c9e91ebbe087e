"""Rows of operators' cases on fake CUDA tensors: what they call and wait for, both directions."""

from contextlib import suppress
from functools import partial

import numpy as np

from hy_ndarray import AutogradError, NDArray, autograd, nd, ops
from hy_ndarray.testing import OpCase
from hy_ndarray.testing.checks import run, run_recorded
from hy_ndarray.testing.op_case import values_of
from hy_ndarray.testing.selection import differentiated
from tests.kernels.torch.fake_cuda import waits_of

__all__ = ["backward", "forward", "waits_of_row"]


def _arrays(case: OpCase, dtype: str) -> list[NDArray | None]:
    """The inputs of a row, of a dtype where they are drawn."""
    values = [v if v is None or v.dtype != np.float64 else v.astype(dtype) for v in values_of(case)]
    return [None if v is None else nd.array(v, dtype=v.dtype) for v in values]


def forward(case: OpCase, dtype: str = "float32") -> None:
    """Run a row."""
    run(case, _arrays(case, dtype))


def backward(case: OpCase, dtype: str = "float32") -> None:
    """Run a row and its gradients."""
    inputs = _arrays(case, dtype)
    for i in differentiated(case, values_of(case)):
        x = inputs[i]
        if x is not None and np.dtype(x.dtype).kind == "f":
            x.attach_grad()
    with autograd.record(case.is_train):
        ys = run_recorded(case, inputs)
    ys = [y for y in ys if np.dtype(y.dtype).kind == "f"]
    heads = [nd.empty(y.shape, dtype=y.dtype) for y in ys]
    autograd.backward(ys, heads, train_mode=case.is_train)


def waits_of_row(case: OpCase, dtype: str = "float32") -> list[str]:
    """Waits and copies of a row, forward and, where it has a gradient, backward."""
    waits = waits_of(partial(forward, case, dtype))
    if ops.find(case.op).grad is not None:
        with suppress(AutogradError):  # no floating result follows from a floating input
            waits += waits_of(partial(backward, case, dtype))
    return waits
