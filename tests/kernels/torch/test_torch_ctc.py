"""CTC by torch's own kernels gives what the numpy table gives, as do the loops beside it."""

from typing import Any
from unittest import mock

import numpy as np
import pytest

from hy_kernels.torch.nn import ctc
from hy_ndarray import autograd, nd, use_kernels

STEPS, BATCH, CLASSES = 9, 5, 6
PLAIN = [[1, 2, 3, 4], [2, 2, 3, 3], [3, 1, 1, 2], [4, 3, 2, 1], [1, 2, 1, 2]]
PADDED = [[1, 2, 3, 4], [0, 0, 0, 0], [3, 1, 0, 2], [2, 2, 2, 2], [1, 0, 0, 0]]
BLANKS = [[1, 0, 3, 4], [0, 0, 0, 0], [3, 5, 1, 2], [9, -1, 2, 1], [5, 5, 1, 2]]
ENDS, COUNTS = [9, 8, 1, 3, 6], [4, 0, 3, 2, 1]


def _both(table: str, label: Any, dtype: str, how: Any) -> list[Any]:
    """Losses, and gradients weighed by some numbers."""
    rng = np.random.default_rng(7)
    with use_kernels(table):
        data = nd.array(rng.standard_normal((STEPS, BATCH, CLASSES)) * 3, dtype=dtype)
        data.attach_grad()
        given: Any = {name: nd.array(x) for name, x in how.items() if name != "blank_label"}
        given |= {f"use_{name}": True for name in given}
        given["blank_label"] = how.get("blank_label", "first")
        with autograd.record():
            loss = nd.ctc_loss(data, nd.array(label), **given)
        loss.backward(nd.array(rng.standard_normal(BATCH), dtype=dtype))
        gradient = data.grad
        assert gradient is not None
        return [loss.asnumpy(), gradient.asnumpy()]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(
    ("label", "how", "by_torch"),
    [
        (PLAIN, {}, True),
        (PLAIN, {"blank_label": "last"}, True),
        (PLAIN, {"data_lengths": ENDS}, True),
        (PLAIN, {"data_lengths": ENDS, "label_lengths": COUNTS}, True),
        (PADDED, {}, True),
        (PADDED, {"label_lengths": COUNTS}, False),
        (BLANKS, {"label_lengths": COUNTS}, False),
        (BLANKS, {"label_lengths": COUNTS, "blank_label": "last"}, False),
        (PLAIN, {"data_lengths": [9, 0, 4, 5, 6]}, False),
    ],
)
def test_both_ways_agree_with_numpy(label: Any, how: Any, by_torch: bool, dtype: str) -> None:
    with mock.patch.object(ctc, "_states", wraps=ctc._states) as loops:
        found = _both("torch", label, dtype, how)
    assert bool(loops.call_count) is not by_torch
    tolerance = {"float32": 1e-4, "float64": 1e-9, "float16": 2e-2}[dtype]
    for ours, theirs in zip(found, _both("numpy", label, dtype, how), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
