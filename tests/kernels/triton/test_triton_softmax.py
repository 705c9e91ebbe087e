"""Softmax on the Triton table gives numpy's numbers, on shapes that hurt."""

from typing import Any

import numpy as np
import pytest

from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_kernels.numpy import table as numpy_table
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import autograd, nd
from tests.kernels.triton.parity import (
    DEVICE,
    DTYPES,
    TOLERANCES,
    Tolerance,
    assert_parity,
    close,
    computed,
    memory,
    on_table,
)

SHAPES = [((1,), 0), ((3, 1), 1), ((2, 7), 1), ((5, 127), -1), ((5, 128), -1), ((5, 129), -1)]
SHAPES += [((7, 13), 0), ((2, 3, 5), 1), ((1, 20011), 1)]
FORWARD: dict[str, Any] = {"dtype": None, "use_length": False}
LOGARITHM = {  # numbers near 10, of which half a unit of the last place is absolute
    **TOLERANCES,
    "float16": Tolerance(2**-10, 2**-9, "one rounding of numbers up to 16"),
    "bfloat16": Tolerance(2**-7, 2**-6, "one rounding of numbers up to 16"),
}
GRADIENT = {  # of rounded results, whose errors the total of a row adds up
    **TOLERANCES,
    "float32": Tolerance(1e-5, 1e-5, "cancellation of dy against its weighted mean"),
    "float16": Tolerance(2**-9, 2**-9, "cancellation of dy against its weighted mean"),
    "bfloat16": Tolerance(2**-6, 2**-6, "cancellation of dy against its weighted mean"),
}


def drawn(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).uniform(-3, 3, shape)


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["softmax", "softmin", "log_softmax"])
def test_forward(name: str, dtype: str, shape: tuple[int, ...], axis: int) -> None:
    tolerance = (LOGARITHM if name == "log_softmax" else TOLERANCES)[dtype]
    how = {"axis": axis, "temperature": 1.5, **FORWARD}
    assert_parity(name, [drawn(*shape)], dtype, how, tolerance=tolerance)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_strided(axis: int) -> None:
    how = {"axis": axis, "temperature": None, **FORWARD}
    assert_parity("softmax", [drawn(3, 5, 7)], "float32", how, strided=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_length(dtype: str) -> None:
    how = {"axis": 1, "temperature": None, "dtype": None, "use_length": True}
    length = np.array([1, 9, 4, 13], "int32")
    arrays = [drawn(4, 13), length]
    assert_parity("softmax", arrays, dtype, how)


def test_rows_that_are_long_may_begin_with_minus_infinity() -> None:
    x = drawn(2, 20011)
    x[0, :19000] = -np.inf
    assert_parity("softmax", [x], "float64", {"axis": 1, "temperature": None, **FORWARD})


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["softmax_backward", "log_softmax_backward"])
def test_backward(name: str, dtype: str, shape: tuple[int, ...], axis: int) -> None:
    x = drawn(*shape)
    y = np.exp(x - x.max(axis, keepdims=True))
    y /= y.sum(axis, keepdims=True)
    y = np.log(y) if name.startswith("log") else y
    arrays = [drawn(*shape)[::-1].copy(), y, x]
    tolerance = GRADIENT[dtype]
    if name.startswith("log") and dtype == "bfloat16" and shape[axis] > 1000:
        tolerance = Tolerance(2**-5, 2**-4, "the total of 20,011 gradients, times exp(rounded)")
    assert_parity(name, arrays, dtype, {"axis": axis, "temperature": 1.5}, tolerance=tolerance)


@pytest.mark.parametrize("columns", [1, 7, 255, 256, 257, 5003])
@pytest.mark.parametrize("mode", ["clip", "wrap"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_cross_entropy(dtype: str, mode: str, columns: int) -> None:
    x, index = drawn(5, columns), np.array([0, columns - 1, columns // 2, columns + 2, -1], "int32")
    statistics = np.zeros((5, 2))
    statistics[:, 0] = np.log(np.exp(x.astype(dtype).astype("float64")).sum(1))
    statistics[:, 1] = 1
    how: dict[str, Any] = {"mode": mode, "keepdims": False, "negative": mode == "clip"}
    _forward(x, index, dtype, how)
    arrays = [drawn(5), x, index, statistics.astype("float32" if "16" in dtype else dtype)]
    assert_parity("log_softmax_pick_backward", arrays, dtype, how, tolerance=GRADIENT[dtype])


def _forward(x: Any, index: Any, dtype: str, how: dict[str, Any]) -> None:
    given = x.astype(dtype)
    tensors = [memory.from_numpy(given, DEVICE), memory.from_numpy(index, DEVICE)]
    y, statistics = computed("log_softmax_pick", tensors, how)
    record = numpy_table().find("log_softmax_pick")
    assert record is not None
    wanted, theirs = record.function(given.astype("float64"), index, **how)
    close(y, wanted, LOGARITHM[dtype])
    total = np.log(theirs[:, 1]) + theirs[:, 0]  # either splits it as it likes
    close(statistics[:, 0] + statistics[:, 1].log(), total, LOGARITHM["float32"])


@pytest.mark.parametrize("columns", [1, 7, 255, 256, 257, 5003, 20011])
@pytest.mark.parametrize("dtype", DTYPES)
def test_cross_entropy_of_weighed_classes(dtype: str, columns: int) -> None:
    x, label = drawn(5, columns), np.abs(drawn(5, columns))
    label /= label.sum(1, keepdims=True)
    given = x.astype(dtype).astype("float64")
    weights = label.astype(dtype).astype("float64")
    logarithms = given - np.log(np.exp(given).sum(1, keepdims=True))
    tensors = [memory.from_numpy(each.astype(dtype), DEVICE) for each in (x, label)]
    y, statistics = computed("log_softmax_dot", tensors, {})
    close(y, (logarithms * weights).sum(1, keepdims=True), LOGARITHM[dtype])
    peak = given.max(1, keepdims=True)
    sums = np.stack([peak[:, 0], np.exp(given - peak).sum(1), weights.sum(1)], 1)
    close(statistics, sums, LOGARITHM["float32" if "16" in dtype else dtype])
    arrays = [drawn(5, 1), x, label, sums.astype("float32" if "16" in dtype else dtype)]
    assert_parity("log_softmax_dot_backward", arrays, dtype, tolerance=GRADIENT[dtype])


def test_weighed_rows_may_begin_with_minus_infinity_and_lie_apart() -> None:
    x, label = drawn(2, 5003), np.abs(drawn(2, 5003))
    x[0, :4500] = -1e30
    label[0, :4500] = 0
    wide = [np.repeat(each, 2, axis=1) for each in (x, label)]
    tensors = [memory.from_numpy(each, DEVICE)[:, ::2] for each in wide]
    y, statistics = computed("log_softmax_dot", tensors, {})
    record = numpy_table().find("log_softmax_dot")
    assert record is not None
    wanted, theirs = record.function(x, label)
    close(y, wanted, LOGARITHM["float64"])
    total = np.log(theirs[:, 1]) + theirs[:, 0]  # either splits it as it likes
    close(statistics[:, 0] + statistics[:, 1].log(), total, LOGARITHM["float64"])
    close(statistics[:, 2], theirs[:, 2], LOGARITHM["float64"])


def step(loss_of: Any, scores: Any, labels: Any) -> tuple[Any, Any]:
    """A loss whose gradient was computed, and what was launched."""
    with watched() as launches:
        with autograd.record():
            loss = loss_of(scores, labels)
        loss.backward()
    return loss, launches


def test_hybridized_losses_of_dense_labels_are_one_kernel_each_way() -> None:
    x, label = drawn(6, 37), np.abs(drawn(6, 37))
    p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    slope = p * label.sum(1, keepdims=True) - label
    loss_of = SoftmaxCrossEntropyLoss(sparse_label=False)
    loss_of.hybridize()
    with on_table("triton"):
        scores, labels = nd.array(x), nd.array(label)
        scores.attach_grad()
        with watched() as predicted:
            first = loss_of(scores, labels).asnumpy()
        for _ in range(2):  # the first ones run operator by operator
            step(loss_of, scores, labels)
        loss, trained = step(loss_of, scores, labels)
    for found in (first, loss.asnumpy()):
        np.testing.assert_allclose(found, -(np.log(p) * label).sum(1), rtol=1e-5)
    assert scores.grad is not None
    np.testing.assert_allclose(scores.grad.asnumpy(), slope, rtol=1e-4, atol=1e-5)
    names = [
        [each.name for each in launches if "softmax" in each.name]
        for launches in (predicted, trained)
    ]
    forward, backward = "log_softmax_dot_rows", "log_softmax_dot_rows_backward"
    assert names == [[forward], [forward, backward]]
