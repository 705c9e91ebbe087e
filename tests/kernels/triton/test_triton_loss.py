"""Softmax with labels: losses and gradients in Triton give what numpy's give in float64."""

from typing import Any

import numpy as np
import pytest

from tests.kernels.triton.parity import DTYPES, Tolerance, assert_parity

SHAPES = ((1, 1), (3, 7), (65, 1025), (2, 8193))
OF_A_SUM = Tolerance(2**-8, 2**-6, "the loss of all rows is rounded once, and is large")


def scores(rng: np.random.Generator, *shape: int) -> np.ndarray[Any, Any]:
    return 3 * rng.standard_normal(shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_cross_entropy_and_its_gradient(
    shape: tuple[int, int], dtype: str, rng: np.random.Generator
) -> None:
    """Of labels of no class as well, which count nothing, and of fractions."""
    x = scores(rng, *shape)
    label = rng.integers(-1, shape[1] + 1, len(x)).clip(-1, 200) + rng.choice([0.0, 0.25], len(x))
    label[label < 0] = -1.0
    tolerance = OF_A_SUM if dtype.endswith("float16") else None
    assert_parity("softmax_cross_entropy", [x, label], dtype, tolerance=tolerance)
    assert_parity("softmax_cross_entropy", [x, label.astype(np.int32)], dtype, tolerance=tolerance)
    given = [np.full(1, 0.5), x, label]
    assert_parity("softmax_cross_entropy_backward", given, dtype)
    assert_parity("softmax_cross_entropy_backward", given, dtype, strided=True)


HOW: dict[str, Any] = {"grad_scale": 0.5, "ignore_label": 1.0, "multi_output": False}
HOW |= {"use_ignore": False, "preserve_shape": False, "smooth_alpha": 0.0}
HOW["normalization"] = "null"
CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "rows": ((3, 7), (3,), {}),
    "samples of several axes": ((3, 7, 2), (3,), {}),
    "more labels than samples": ((3, 7, 2), (3, 2), {}),
    "the last axis": ((3, 2, 7), (3, 2), {"preserve_shape": True}),
    "places": ((2, 5, 3, 3), (2, 3, 3), {"multi_output": True}),
    "labels side by side": ((2, 5, 3, 3), (2, 9), {"multi_output": True}),
    "an ignored label": ((65, 4), (65,), {"use_ignore": True}),
    "the share of labels": ((65, 4), (65,), {"use_ignore": True, "normalization": "valid"}),
    "counted places": ((2, 5, 9), (2, 9), {"multi_output": True, "normalization": "valid"}),
    "the share of samples": ((5, 4), (5,), {"normalization": "batch"}),
    "batches of places": ((2, 5, 9), (2, 9), {"multi_output": True, "normalization": "batch"}),
    "smoothed": ((5, 4), (5,), {"smooth_alpha": 0.1}),
    "one class": ((5, 1), (5,), {"smooth_alpha": 0.1}),
    "many classes": ((2, 1025), (2,), {}),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_softmax_output_and_its_gradient(name: str, dtype: str, rng: np.random.Generator) -> None:
    shape, of_labels, params = CASES[name]
    x, how = scores(rng, *shape), {**HOW, **params}
    label = rng.integers(0, 4, of_labels).astype(np.float64)
    y = rng.uniform(size=shape)
    for strided in (False, True):
        assert_parity(
            "softmax_output", [x, label], dtype, {**how, "out_grad": False}, strided=strided
        )
        assert_parity("softmax_output_backward", [y, label], dtype, how, strided=strided)


@pytest.mark.parametrize("dtype", DTYPES)
def test_labels_may_be_probabilities(dtype: str, rng: np.random.Generator) -> None:
    arrays = [rng.uniform(size=(3, 7)) for _ in range(2)]
    assert_parity("softmax_output_backward", arrays, dtype, HOW)
