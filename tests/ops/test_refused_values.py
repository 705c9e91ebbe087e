"""What an operator cannot compute is refused alike on every table, or computed as MXNet does."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from hy_ndarray import (
    ArgumentError,
    DTypeError,
    HyError,
    IndexingError,
    KernelError,
    ShapeError,
    autograd,
    nd,
    np as hnp,
)
from hy_ndarray.testing import REFERENCE, TestedTable
from tests.ops.tables import TABLES

SCORES = np.arange(24).reshape(4, 2, 3) % 5
NAN = float("nan")


@pytest.fixture(
    params=[REFERENCE, *(t for t in TABLES if t.device == "cpu")],
    ids=lambda t: t.name,
    autouse=True,
)
def _table(request: pytest.FixtureRequest) -> Iterator[None]:
    tested: TestedTable = request.param
    with tested.in_use():
        yield


def ctc(**lengths: Any) -> Any:
    how: dict[str, Any] = {f"use_{name}": True for name in lengths}
    how.update({name: nd.array(values) for name, values in lengths.items()})
    return nd.CTCLoss(nd.array(SCORES), nd.array([[1, 2], [1, 0]]), **how)


def batch_norm(dtype: str, gamma: str) -> Any:
    one = nd.ones(3, dtype=gamma)
    return nd.BatchNorm(nd.ones((2, 3), dtype=dtype), one, one, one, one)


def sketch(*places: float) -> Any:
    signs = nd.array([[1, 1, -1, 1]])
    return nd.contrib.count_sketch(nd.ones((2, 4)), nd.array([places]), signs, out_dim=3)


def deformed(offset: float, *, modulated: bool) -> list[Any]:
    """Data, offsets, weights, and the mask if there is one, with their gradients."""
    inputs = [nd.ones((1, 1, 3, 3)), nd.full((1, 8, 2, 2), offset), nd.ones((1, 1, 2, 2))]
    if modulated:
        inputs.insert(2, nd.ones((1, 4, 2, 2)))
    for x in inputs:
        x.attach_grad()
    kind = "ModulatedDeformableConvolution" if modulated else "DeformableConvolution"
    with autograd.record():
        y = getattr(nd.contrib, kind)(*inputs, kernel=(2, 2), num_filter=1, no_bias=True)
    y.backward()
    return [y, *(x.grad for x in inputs)]


def sampled(**counts: int) -> Any:
    graph = nd.array([[0, 1], [2, 0]], dtype="int64").tostype("csr")
    seeds = nd.array([1], dtype="int64")
    return nd.contrib.dgl_csr_neighbor_uniform_sample(graph, seeds, **counts)


REFUSED: dict[str, tuple[Callable[[], Any], type[HyError], str]] = {
    "more labels than columns": (
        lambda: ctc(label_lengths=[2, 3]),
        IndexingError,
        r"label_lengths\[1\] is 3, not from 0 to 2, the number of labels",
    ),
    "fewer labels than none": (lambda: ctc(label_lengths=[-1, 1]), IndexingError, r"\[0\] is -1"),
    "no number of labels": (lambda: ctc(label_lengths=[NAN, 1]), IndexingError, r"\[0\] is nan"),
    "more steps than there are": (
        lambda: ctc(data_lengths=[9, 4]),
        IndexingError,
        r"data_lengths\[0\] is 9, not from 0 to 4, the number of steps",
    ),
    "fewer steps than none": (lambda: ctc(data_lengths=[4, -1]), IndexingError, r"\[1\] is -1"),
    "a place before the first": (lambda: sketch(0, 1, 2, -1), IndexingError, "index -1 is outside"),
    "a place behind the last": (lambda: sketch(0, 1, 2, 3), IndexingError, "index 3 .* axis of 3"),
    "no place": (lambda: sketch(0, NAN, 2, 1), IndexingError, "is outside of an axis of 3"),
    "a row of none": (
        lambda: nd.take(nd.empty((0, 3)), nd.array([0, 1])),
        ShapeError,
        r"cannot take indices \(2,\) float32 from a \(0, 3\): axis 0 is empty",
    ),
    "one of no columns": (
        lambda: nd.pick(nd.empty((2, 0)), nd.array([0, 1])),
        ShapeError,
        r"from data \(2, 0\): axis 1 is empty",
    ),
    "one of each row of none": (
        lambda: nd.batch_take(nd.empty((2, 0)), nd.array([0, 1])),
        ShapeError,
        r"from a \(2, 0\): axis 1 is empty",
    ),
    "coordinates in nothing": (
        lambda: nd.gather_nd(nd.empty((2, 0)), nd.array([[0, 1], [0, 0]])),
        ShapeError,
        r"from data \(2, 0\): axis 1 is empty",
    ),
    "fewer neighbours than none": (
        lambda: sampled(num_neighbor=-1),
        ArgumentError,
        "num_neighbor=-1 must not be negative",
    ),
    "fewer hops than none": (lambda: sampled(num_hops=-1), ArgumentError, "num_hops=-1"),
    "less room than none": (
        lambda: sampled(max_num_vertices=-1),
        ArgumentError,
        "max_num_vertices=-1",
    ),
    "softmax of integers": (
        lambda: nd.softmax(nd.array([1, 2], dtype="int32")),
        DTypeError,
        "data int32 must be floating",
    ),
    "dropout of integers": (
        lambda: nd.Dropout(nd.array([1, 2], dtype="int32"), mode="always"),
        DTypeError,
        "data int32 must be floating",
    ),
    "quantized floats": (
        lambda: nd.contrib.dequantize(nd.ones(3), nd.array([-1]), nd.array([1])),
        DTypeError,
        "float32 must be int8, uint8 or int32",
    ),
    "float16 gamma of a batch": (
        lambda: batch_norm("float16", "float16"),
        DTypeError,
        "gamma float16 must be float32",
    ),
    "float32 gamma of a float16 layer": (
        lambda: nd.LayerNorm(nd.ones((2, 3), dtype="float16"), nd.ones(3), nd.zeros(3)),
        DTypeError,
        "gamma float32 must be float16",
    ),
    "more than there are to choose": (
        lambda: hnp.random.choice(3, size=(4,), replace=False),
        ArgumentError,
        r"cannot draw size=\(4,\) without replacement from 3 elements",
    ),
    "eigenvalues of nothing finite": (
        lambda: hnp.linalg.eigvals(hnp.full((2, 2), NAN)),
        KernelError,
        "infs or NaNs",
    ),
    "a window of no pixels": (
        lambda: nd.contrib.AdaptiveAvgPooling2D(nd.empty((1, 2, 0, 3))),
        ShapeError,
        r"data \(1, 2, 0, 3\) float32 is empty; its height and width must be positive",
    ),
    "convolution of no channels": (
        lambda: nd.Convolution(
            nd.empty((1, 0, 4)), nd.empty((3, 0, 2)), kernel=(2,), num_filter=3, no_bias=True
        ),
        ShapeError,
        "only the batch",
    ),
    "the place of the largest of nothing": (
        lambda: hnp.argmax(hnp.zeros((2, 0)), axis=1),
        ShapeError,
        "no elements to compare",
    ),
    "an image without rows": (
        lambda: nd.BilinearSampler(nd.empty((1, 2, 0, 3)), nd.zeros((1, 2, 2, 2))),
        ShapeError,
        "is empty; its height and width must be positive",
    ),
    "the largest of nothing": (
        lambda: nd.Pooling(nd.empty((1, 2, 0, 4)), global_pool=True),
        ShapeError,
        "only the batch",
    ),
    "values that do not fit their place": (
        lambda: hnp.insert(hnp.ones((2, 4)), 1, hnp.ones((3,)), axis=0),
        ShapeError,
        r"values \(3,\)",
    ),
}


@pytest.mark.parametrize(("call", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_is_refused(call: Callable[[], Any], error: type[HyError], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("offset", [NAN, float("inf"), -float("inf")])
@pytest.mark.parametrize("modulated", [False, True])
def test_there_is_nothing_at_no_place(offset: float, modulated: bool) -> None:
    """MXNet 1.9.1 samples zeros there."""
    for array in deformed(offset, modulated=modulated):
        assert not array.asnumpy().any()


def test_no_indices_into_nothing_are_taken() -> None:
    assert nd.take(nd.empty((0, 3)), nd.empty((0,))).shape == (0, 3)


def test_rows_without_elements_are_taken() -> None:
    assert nd.take(nd.empty((5, 0)), nd.array([0, 9])).shape == (2, 0)


def test_a_batch_of_float16_has_float32_parameters() -> None:
    assert batch_norm("float16", "float32").dtype == np.float16


def test_all_of_the_layers_before_may_be_dropped() -> None:
    x, weights, state = nd.ones((3, 2, 2)), nd.full(45, 0.1), nd.ones((2, 2, 3))
    how: dict[str, Any] = {"state_size": 3, "num_layers": 2, "mode": "rnn_tanh"}
    weights.attach_grad()
    with autograd.record():
        y = nd.RNN(x, weights, state, p=1.0, **how)
    y.backward()
    assert weights.grad is not None
    assert np.isfinite(weights.grad.asnumpy()).all()
    biases_and_state = np.tanh(0.1 * 3 + 0.2)  # of the second layer's first step
    np.testing.assert_allclose(y[0].asnumpy(), biases_and_state, rtol=1e-6)


def test_an_array_without_axes_is_its_only_order() -> None:
    x = hnp.array(5.0)
    hnp.random.shuffle(x)
    assert x.item() == 5


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_an_array_without_axes_is_its_only_score(name: str, axis: int, dtype: str) -> None:
    x = nd.array(2.0, dtype=dtype)
    x.attach_grad()
    with autograd.record():
        y = getattr(nd, name)(x, axis=axis)
    y.backward()
    assert x.grad is not None
    assert (y.shape, x.grad.shape) == ((), ())
    assert abs(y.asscalar() - (name != "log_softmax")) < 1e-6
    assert abs(x.grad.asscalar()) < 1e-6


def test_an_array_without_axes_has_no_second_axis_to_score() -> None:
    for name in ("softmax", "log_softmax", "softmin"):
        with pytest.raises(ShapeError, match=r"axis=1 is outside the 0 axes"):
            getattr(nd, name)(nd.array(2.0), axis=1)


def test_moments_of_an_array_without_axes() -> None:
    mean, variance = nd.moments(nd.array(np.array(5.0)))
    assert (mean.asscalar(), variance.asscalar()) == (5, 0)
