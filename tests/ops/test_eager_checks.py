"""An operator on arrays refuses what the same operator refuses in a graph, at the call."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, HyError, ShapeError, nd, ops
from hy_ndarray.ops.record.params import param_of
from hy_ndarray.ops.record.ranges import Positives, Probability, Range
from hy_symbol import sym, var

X = nd.ones((2, 3))
IMAGE = nd.ones((1, 4, 4, 4))

REFUSED: dict[str, tuple[Callable[[], Any], type[HyError], str]] = {
    "five labels for two rows": (
        lambda: nd.SoftmaxOutput(X, nd.zeros(5)),
        ShapeError,
        r"label \(5,\) must be \(2,\)",
    ),
    "labels of another shape": (
        lambda: nd.LinearRegressionOutput(nd.ones((3, 3)), nd.zeros(3)),
        ShapeError,
        "label",
    ),
    "one row of weights for five units": (
        lambda: nd.FullyConnected(X, nd.ones((1, 3)), num_hidden=5, no_bias=True),
        ShapeError,
        r"weight \(1, 3\) must be \(5, \?\)",
    ),
    "a dense layer without its bias": (
        lambda: nd.FullyConnected(X, nd.ones((5, 3)), num_hidden=5),
        ArgumentError,
        "input bias is missing",
    ),
    "a probability of two": (
        lambda: nd.Dropout(X, p=2),
        ArgumentError,
        "p=2 must be a number from 0 to 1",
    ),
    "dilation by nothing": (
        lambda: nd.Convolution(
            IMAGE, nd.ones((1, 4, 3, 3)), kernel=(3, 3), dilate=(0, 0), num_filter=1, no_bias=True
        ),
        ArgumentError,
        r"dilate=\(0, 0\) must be a tuple of integers of at least 1",
    ),
    "groups that do not divide the channels": (
        lambda: nd.GroupNorm(nd.ones((1, 6, 2)), nd.ones(4), nd.zeros(4), num_groups=4),
        ShapeError,
        "6 channels, which is not a multiple of num_groups=4",
    ),
    "gamma of another shape": (
        lambda: nd.LayerNorm(X, nd.ones(1), nd.zeros(3)),
        ShapeError,
        "gamma",
    ),
    "a negative grid": (
        lambda: nd.contrib.AdaptiveAvgPooling2D(IMAGE, output_size=(-2, 2)),
        ArgumentError,
        "output_size",
    ),
    "regions of no size": (
        lambda: nd.contrib.ROIAlign(IMAGE, nd.zeros((1, 5)), pooled_size=(0, 0), spatial_scale=1),
        ArgumentError,
        "pooled_size",
    ),
    "a grid of unknown size": (
        lambda: nd.GridGenerator(nd.ones((1, 6)), transform_type="affine"),
        ArgumentError,
        "target_shape",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_arrays_are_refused(case: str) -> None:
    call, error, message = REFUSED[case]
    for _ in range(2):  # what was refused is not taken the second time
        with pytest.raises(error, match=message):
            call()


def test_other_shapes_are_checked_after_good_ones() -> None:
    def dense(columns: int) -> Any:
        return nd.FullyConnected(nd.ones((2, columns)), nd.ones((5, 3)), num_hidden=5, no_bias=True)

    assert dense(3).shape == (2, 5)
    with pytest.raises(ShapeError, match="weight"):
        dense(4)
    assert dense(3).shape == (2, 5)


def test_arguments_that_are_lists_are_checked_too() -> None:
    with pytest.raises(ShapeError, match=r"axes=\(1,\)"):
        nd.transpose(X, axes=[1])


def test_symbols_refuse_the_same_parameters() -> None:
    with pytest.raises(ArgumentError, match="Dropout: parameter p=2 must be a number from 0 to 1"):
        sym.Dropout(var("x"), p=2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: nd.repeat(X, repeats=2**62),
        lambda: nd.tile(X, reps=(2**31, 2**31)),
        lambda: nd.broadcast_to(nd.ones((1, 1)), shape=(2**31, 2**31)),
        lambda: nd.one_hot(nd.zeros(2**10), depth=2**60),
        lambda: nd.ones((2**40, 2**40)),
        lambda: nd.linspace(0, 1, 2**62),
        lambda: nd.pad(
            nd.ones((1, 1, 2, 2)), mode="constant", pad_width=(0, 0, 0, 0, 2**62, 0, 0, 0)
        ),
        lambda: nd.arange(0, 2**61),
        lambda: nd.eye(2**40),
        lambda: nd.random.uniform(shape=(2**40, 2**40)),
        lambda: nd.empty((0, 2**40, 2**40)),
    ],
)
def test_results_whose_size_overflows_are_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(ShapeError, match="would have more than 576460752303423488 elements"):
        call()


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, str(2**70)])
def test_integers_that_no_kernel_can_take_are_refused(value: Any) -> None:
    with pytest.raises(ArgumentError, match=r"repeats=.* must be an integer"):
        ops.find("repeat").parse({"repeats": value})


@pytest.mark.parametrize(
    ("annotation", "good", "bad"),
    [
        (Probability, [0, "0.5", 1], [-0.1, "1.5", float("nan")]),
        (Positives, [(), (1, 2), "(1, 2)"], [(1, 0), "(0,)", -1]),
        (Probability | None, [None, "None", 0.5], [2]),
    ],
)
def test_a_range_holds_for_values_and_their_texts(
    annotation: Any, good: list[Any], bad: list[Any]
) -> None:
    param = param_of("p", annotation, None)
    for value in good:
        param.parse("op", value)
    for value in bad:
        with pytest.raises(ArgumentError, match=r"^op: parameter p="):
            param.parse("op", value)


def test_a_range_may_be_open_below() -> None:
    assert not Range(0, open=True).contains(0)
    assert Range(0, open=True).contains(np.float32(1e-30))


@pytest.mark.parametrize("size", [2, 4, 6])
def test_normalisation_over_an_even_number_of_channels(size: int) -> None:
    """As MXNet's on oneDNN: one channel less is summed, all are divided by."""
    x = np.arange(1.0, 11)
    half = (size - 1) // 2
    sums = np.array([(x[max(0, i - half) : i + half + 1] ** 2).sum() for i in range(10)])
    y = nd.LRN(nd.array(x.reshape(1, 10, 1, 1)), nsize=size, alpha=1, beta=1, knorm=1)
    np.testing.assert_allclose(y.asnumpy().ravel(), x / (1 + sums / size), rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "number"), [("0.5f", 0.5), ("1F", 1), ("5.f", 5), ("1e3f", 1000), ("inf", np.inf)]
)
def test_numbers_may_be_written_as_c_does(text: str, number: float) -> None:
    # MXNet's numbers; it refuses the other texts below.
    assert param_of("a_min", float, None).parse("clip", text) == number


@pytest.mark.parametrize("text", ["inff", "0.5ff", "1.5d", "2L", "0x1f", "f"])
def test_other_endings_of_numbers_are_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match=r"clip: parameter a_min=.* must be a number"):
        param_of("a_min", float, None).parse("clip", text)
