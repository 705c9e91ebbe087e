"""Normalisation on the Triton table gives numpy's numbers, and its gradients."""

from typing import Any

import numpy as np
import pytest

from tests.kernels.triton.parity import DTYPES, Tolerance, assert_parity

FORWARD = {
    "float64": Tolerance(1e-11, 1e-11, "sums in another order"),
    "float32": Tolerance(1e-4, 1e-5, "cancellation against the mean"),
    "float16": Tolerance(2**-9, 2**-9, "one rounding of a sum of two terms"),
    "bfloat16": Tolerance(2**-6, 2**-6, "one rounding of a sum of two terms"),
}
BACKWARD = {
    "float64": Tolerance(1e-10, 1e-10, "sums in another order"),
    "float32": Tolerance(1e-4, 1e-4, "cancellation of three terms"),
    "float16": Tolerance(2**-8, 2**-6, "one rounding of sums of numbers up to 10"),
    "bfloat16": Tolerance(2**-5, 2**-3, "one rounding of sums of numbers up to 10"),
}
LAYERS = [((3, 1), -1), ((5, 127), 1), ((4, 129), -1), ((7, 3), 0), ((2, 5, 3), 1), ((2, 17000), 1)]


def drawn(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).uniform(-1, 2, shape)


@pytest.mark.parametrize(("shape", "axis"), LAYERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_layers(dtype: str, shape: tuple[int, ...], axis: int) -> None:
    size = shape[axis]
    arrays = [drawn(*shape), drawn(size), drawn(1, size)[0]]
    how = {"axis": axis, "eps": 1e-5, "output_mean_var": False}
    assert_parity("layer_norm", arrays, dtype, how, tolerance=FORWARD[dtype])


@pytest.mark.parametrize("shape", [(2, 6, 5), (1, 6, 1), (3, 6, 3, 43)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_groups_and_instances(dtype: str, shape: tuple[int, ...]) -> None:
    how: dict[str, Any] = {"eps": 1e-5}
    arrays = [drawn(*shape), drawn(6), drawn(1, 6)[0]]
    tolerance = FORWARD[dtype] if shape[-1] > 1 else Tolerance(1e-1, 1e-1, "nothing varies")
    assert_parity("instance_norm", arrays, dtype, how, tolerance=tolerance)
    how |= {"num_groups": 3, "output_mean_var": False}
    arrays[1:] = [drawn(3), drawn(1, 3)[0]]
    assert_parity("group_norm", arrays, dtype, how, tolerance=FORWARD[dtype])


BATCH: dict[str, Any] = {
    "cudnn_off": False,
    "eps": 1e-3,
    "max_calib_range": None,
    "min_calib_range": None,
    "momentum": 0.9,
    "output_mean_var": False,
}


@pytest.mark.parametrize("name", ["batch_norm", "batch_norm_with_relu"])
@pytest.mark.parametrize(("shape", "axis"), [((5, 3, 7, 3), 1), ((4099, 3), -1), ((65, 33), 1)])
@pytest.mark.parametrize("is_train", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_batches(dtype: str, is_train: bool, shape: tuple[int, ...], axis: int, name: str) -> None:
    vectors = [drawn(k, shape[axis])[0] for k in (1, 2, 3)]
    arrays = [drawn(*shape), *vectors, np.abs(drawn(4, shape[axis])[0]) + 0.1]
    for fix_gamma in (False, True):
        how = {**BATCH, "axis": axis, "is_train": is_train, "fix_gamma": fix_gamma}
        how["use_global_stats"] = False
        assert_parity(name, arrays, dtype, how, tolerance=FORWARD[dtype])


KINDS: list[tuple[str, tuple[int, ...], int, int]] = [
    ("layer", (5, 127), -1, 1),
    ("layer", (1, 1), -1, 1),
    ("layer", (600, 9), 1, 1),
    ("layer", (4, 7, 3), 1, 1),
    ("layer", (3, 8193), -1, 1),
    ("group", (2, 4, 8209), 1, 2),
    ("instance", (2, 3, 8193), 1, 1),
    ("group", (3, 6, 5), 1, 3),
    ("instance", (3, 6, 5, 2), 1, 1),
    ("batch", (5, 3, 7), 1, 1),
    ("batch", (4099, 3), -1, 1),
]


@pytest.mark.parametrize(("kind", "shape", "axis", "groups"), KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients(dtype: str, kind: str, shape: tuple[int, ...], axis: int, groups: int) -> None:
    x = drawn(*shape)
    size = {"layer": shape[axis], "batch": shape[axis], "group": groups, "instance": shape[1]}[kind]
    gamma = drawn(1, size)[0]
    form = {"layer": axis, "batch": tuple(i for i in range(x.ndim) if i != axis % x.ndim)}
    if kind in form:
        mean = x.mean(form[kind], keepdims=kind == "layer")
        deviation = np.sqrt(x.var(form[kind], keepdims=kind == "layer") + 1e-2)
    else:
        flat = x.reshape(shape[0], size, -1)
        mean, deviation = flat.mean(2), np.sqrt(flat.var(2) + 1e-2)
    deviation = 1 / deviation if kind == "batch" else deviation
    arrays = [drawn(*shape)[::-1].copy(), x, gamma, mean, deviation]
    for frozen in (False, True) if kind == "batch" else (False,):
        how = {"kind": kind, "axis": axis, "groups": groups, "fix_gamma": False, "frozen": frozen}
        tolerance = BACKWARD[dtype]
        if shape[0] > 100:
            tolerance = Tolerance(tolerance.rtol, tolerance.atol * 64, "sums over many rows")
        assert_parity("normalize_backward", arrays, dtype, how, tolerance=tolerance)
