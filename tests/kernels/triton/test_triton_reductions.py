"""All reductions of the catalogue and their gradients, of all dtypes, on the Triton table."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy import table as numpy_table
from hy_kernels.triton import table
from hy_kernels.triton.runtime._launch import watched
from tests.kernels.derived import kernel_of
from tests.kernels.triton.parity import DEVICE, DTYPES, assert_parity, close, computed, memory
from tests.kernels.triton.test_triton_reduce import SUMS, drawn

WHOLE = ("int8", "uint8", "int32", "int64", "bool")
CLASSIC: dict[str, Any] = {"keepdims": False, "exclude": False}
SHAPES: list[tuple[tuple[int, ...], tuple[int, ...] | None]] = [
    ((1,), None),
    ((), None),
    ((7, 13), (0,)),
    ((2, 3, 4, 5), (-1, 1)),
    ((1025,), None),
    ((3, 2049), (-1,)),
    ((4099, 2), (0,)),
]


def integers(dtype: str, *shape: int) -> Any:
    rng = np.random.default_rng(sum(shape))
    if dtype == "bool":
        return rng.uniform(0, 1, shape) < 0.9
    return rng.integers(0 if dtype == "uint8" else -99, 99, shape).astype(dtype)


def same(name: str, arrays: Sequence[Any], params: Mapping[str, Any], *, runs: bool = True) -> None:
    """The numpy table's results on the same arrays, in dtype, shape and every number."""
    tensors = [memory.from_numpy(np.array(x, order="C"), DEVICE) for x in arrays]
    with watched() as launches:
        record = table().find(name)
        assert record is not None
        found = record.function(*tensors, **params)
    assert bool(launches) is runs, name
    wanted = kernel_of(numpy_table(), name).function(*arrays, **params)
    pairs = zip(
        found if isinstance(found, tuple) else (found,),
        wanted if isinstance(wanted, tuple) else (wanted,),
        strict=True,
    )
    for y, right in pairs:
        ours = memory.to_numpy(y)
        assert (ours.dtype, ours.shape) == (right.dtype, right.shape)
        np.testing.assert_array_equal(ours, right)


# --- integers and booleans -------------------------------------------------------------------


@pytest.mark.parametrize("dtype", WHOLE)
@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min", "nansum", "nanprod"])
def test_integers_are_reduced_as_such(name: str, dtype: str) -> None:
    for shape, axis in SHAPES:
        same(name, [integers(dtype, *shape)], {**CLASSIC, "axis": axis})


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_sums_of_integers_wrap_around_as_their_own_do(dtype: str) -> None:
    x = np.full((3, 700), np.iinfo(dtype).max, dtype)
    for name in ("sum", "square_sum", "prod"):
        same(name, [x], {**CLASSIC, "axis": (1,)})


@pytest.mark.parametrize("dtype", WHOLE)
def test_lengths_of_integers_are_computed_in_float64(dtype: str) -> None:
    for norm in (1, 2):
        how = {"ord": norm, "axis": (1,), "keepdims": True, "out_dtype": None}
        same("norm", [integers(dtype, 5, 33)], how)


@pytest.mark.parametrize("dtype", WHOLE)
@pytest.mark.parametrize("name", ["argmax", "argmin", "np_argmax", "np_argmin"])
def test_places_of_integers(name: str, dtype: str) -> None:
    for shape in ((1,), (5, 7), (2, 5003)):
        for axis in (None, 0, -1):
            for keepdims in (False, True):
                x = integers(dtype, *shape) if max(shape) < 100 else np.zeros(shape, dtype)
                same(name, [x], {"axis": axis, "keepdims": keepdims})


@pytest.mark.parametrize("name", ["np_argmax", "np_argmin"])
def test_integers_that_float64_lacks_are_told_apart(name: str) -> None:
    limits = np.iinfo("int64")
    x = np.array([[2**60, 2**60 + 1, 2**60 - 1], [limits.max, limits.min, limits.min]])
    same(name, [x], {"axis": 1, "keepdims": False})
    same(name, [np.full((1, 9000), limits.min)], {"axis": None, "keepdims": False})


# --- floats ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_products_and_what_is_no_number(dtype: str, shape: Any, axis: Any) -> None:
    x = 1 + drawn(*shape) / 100
    how = {**CLASSIC, "axis": axis}
    near = SUMS[dtype]._replace(rtol=max(SUMS[dtype].rtol, 1e-4 if dtype == "float32" else 1e-10))
    assert_parity("prod", [x], dtype, how, tolerance=near)
    x = np.where(drawn(*shape) > 0.5, np.nan, x)
    assert_parity("nanprod", [x], dtype, how, tolerance=near)
    assert_parity("nansum", [x], dtype, how, tolerance=near)
    assert_parity("square_sum", [drawn(*shape)], dtype, how, tolerance=near)


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_reductions_of_numpy(dtype: str, shape: Any, axis: Any) -> None:
    how: dict[str, Any] = {"axis": axis, "keepdims": False}
    fold = {**how, "dtype": None, "initial": None}
    for name in ("np_sum", "np_mean"):
        assert_parity(name, [drawn(*shape)], dtype, fold, tolerance=SUMS[dtype])
    for name in ("np_max", "np_min"):
        assert_parity(name, [drawn(*shape)], dtype, {**how, "initial": None})
    for name in ("np_var", "np_std"):
        spread = {**how, "dtype": None, "ddof": 0, "keepdims": True}
        assert_parity(name, [drawn(*shape)], dtype, spread, tolerance=SUMS[dtype])
    if axis is None or len(axis) == 1:
        for kind in (1, 2, np.inf, -np.inf):
            if axis is None and len(shape) != 1:
                continue
            length = {**how, "ord": float(kind), "flag": -1}
            assert_parity("np_norm", [drawn(*shape)], dtype, length, tolerance=SUMS[dtype])
    length = {**how, "ord": 2.0, "flag": 1}
    assert_parity("np_norm", [drawn(*shape)], dtype, length, tolerance=SUMS[dtype])


def test_no_axes_are_reduced_by_an_empty_tuple() -> None:
    how: dict[str, Any] = {"axis": (), "keepdims": False}
    for name in ("np_sum", "np_mean", "np_prod"):
        assert_parity(name, [drawn(3, 5)], "float32", {**how, "dtype": None, "initial": None})


def test_results_begin_with_a_number_and_are_of_a_dtype() -> None:
    x = integers("int32", 3, 5)
    how: dict[str, Any] = {"axis": (1,), "keepdims": False}
    for dtype in (None, "int8", "int64", "float64"):
        for name in ("np_sum", "np_prod"):
            same(name, [x], {**how, "dtype": dtype, "initial": 3.0})
    same("np_sum", [integers("bool", 3, 5)], {**how, "dtype": None, "initial": None})
    for dtype in (None, "float64", "int64"):
        same("np_mean", [8 * (x // 8)], {**how, "axis": None, "dtype": dtype, "initial": None})
    for name in ("np_max", "np_min"):
        same(name, [x], {**how, "initial": 7.0})
        same(name, [np.zeros((2, 0), "float32")], {**how, "initial": 7.5})
        same(name, [np.zeros((2, 0), "int8")], {**how, "initial": -7.0})
    for dtype in ("float32", "int32"):
        spread = {**how, "dtype": dtype, "ddof": 1}
        same("np_var", [8 * np.eye(4, dtype="int32")], spread)
    record = table().find("np_var")
    assert record is not None
    with np.errstate(all="ignore"):
        y = record.function(memory.from_numpy(np.ones((1, 3)), DEVICE), axis=(0,), dtype=None,
                            ddof=1, keepdims=False)  # fmt: skip
    assert np.isnan(memory.to_numpy(y)).all()


@pytest.mark.parametrize("name", ["sum", "prod", "nansum", "square_sum", "np_sum", "np_mean"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "bool"])
def test_of_nothing(name: str, dtype: str) -> None:
    if (name, dtype) == ("square_sum", "bool"):
        return
    classic = not name.startswith("np_")
    more = {"exclude": False} if classic else {"dtype": None, "initial": None}
    same(name, [np.zeros((3, 0), dtype)], {"axis": (1,), "keepdims": False, **more})
    same(name, [np.zeros((3, 0), dtype)], {"axis": (0,), "keepdims": True, **more}, runs=False)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "axes"), [((7, 13), (1,)), ((2, 3, 1025), (0, -1)), ((5,), ())])
def test_moments(dtype: str, shape: Any, axes: Any) -> None:
    for keepdims in (False, True):
        how = {"axes": axes, "keepdims": keepdims}
        assert_parity("moments", [drawn(*shape) + 3], dtype, how, tolerance=SUMS[dtype])


def test_moments_of_integers_are_cut_off() -> None:
    same("moments", [integers("int32", 6, 9)], {"axes": (0,), "keepdims": False})


@pytest.mark.parametrize("dtype", DTYPES)
def test_weighted_means(dtype: str) -> None:
    x, weights = drawn(5, 7, 3), 1 + drawn(7)
    how = {"axis": (-2,), "returned": True, "weighted": True}
    assert_parity("np_average", [x, weights], dtype, how, tolerance=SUMS[dtype])
    whole = {**how, "axis": None}
    assert_parity("np_average", [x, 2 + x], dtype, whole, tolerance=SUMS[dtype])
    unweighted = {**whole, "weighted": False}
    assert_parity("np_average", [x, None], dtype, unweighted, tolerance=SUMS[dtype])
    axis = {"axis": (1,)}
    assert_parity("total_weights", [weights, x], dtype, axis, tolerance=SUMS[dtype])
    assert_parity("sum_weights", [x, weights, x], dtype, axis, tolerance=SUMS[dtype])


# --- gradients, and sums like another tensor -------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("strided", [False, True])
def test_gradients_of_reductions(dtype: str, strided: bool) -> None:
    for shape, axis in (((7, 13), (0,)), ((2, 3, 4, 5), (-1, 1)), ((1025,), None), ((1,), None)):
        x = drawn(*shape)
        axes = tuple(range(x.ndim)) if axis is None else axis
        largest = x.max(axis=axes, keepdims=True)
        dy = np.cos(largest)
        how: dict[str, Any] = {"axis": axis, "keepdims": True}
        near: dict[str, Any] = {"tolerance": SUMS[dtype], "strided": strided}
        both = {**how, "exclude": False}
        assert_parity("mean_backward", [dy, x], dtype, both, **near)
        assert_parity("extreme_backward", [dy, x, largest], dtype, both, **near)
        assert_parity("extreme_sum", [np.sin(x), x, largest], dtype, both, **near)
        assert_parity("norm_backward", [dy, x, abs(largest)], dtype, {**how, "ord": 2}, **near)
        assert_parity("norm_backward", [dy, x, largest], dtype, {**how, "ord": 1}, **near)


def test_a_vector_of_length_zero_has_no_direction() -> None:
    x, dy = np.zeros((2, 3)), np.ones(2)
    for norm in (1, 2):
        how = {"ord": norm, "axis": (1,), "keepdims": False}
        assert_parity("norm_backward", [dy, x, np.zeros(2)], "float32", how)


@pytest.mark.parametrize("dtype", [*DTYPES, "int32"])
def test_sums_like_another_tensor(dtype: str) -> None:
    x = drawn(3, 5, 7) if dtype in DTYPES else integers(dtype, 3, 5, 7)
    kind: Any = dtype
    near: Any = {"tolerance": SUMS.get(dtype, SUMS["float64"])}
    for shape, keep in (((3, 7), 1), ((3,), 0), ((7,), 1)):
        like = np.zeros(shape, x.dtype)
        assert_parity("unspread_like", [x, like], kind, {"keep": keep}, **near)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", ["instance", "channel", "spatial"])
def test_vectors_over_their_length(dtype: str, mode: str) -> None:
    for shape in ((2, 3, 4, 5), (1, 1025, 1), (7, 33)):
        if mode == "spatial" and len(shape) < 3:
            continue
        x, how = drawn(*shape), {"mode": mode, "eps": 1e-10}
        near: dict[str, Any] = {"tolerance": SUMS[dtype]}
        assert_parity("l2_normalization", [x], dtype, how, **near)
        dy = np.cos(x)
        assert_parity("l2_normalization_backward", [dy, x], dtype, how, **near)
        assert_parity("l2_total", [x], dtype, {"mode": mode}, **near)
    assert_parity("axis_total", [drawn(5, 9, 3)], dtype, {"axis": -2}, tolerance=SUMS[dtype])


# --- many tensors ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_many_tensors_take_two_launches(dtype: str) -> None:
    shapes = ((1,), (1023,), (32, 33), (0,), (1024,), (3000,))
    arrays = [drawn(*shape) for shape in shapes]
    how: dict[str, Any] = {"num_arrays": len(arrays)}
    near = SUMS[dtype]._replace(rtol=max(SUMS[dtype].rtol, 1e-5))
    assert_parity("multi_sum_sq", arrays, dtype, how, tolerance=near)
    how["init_output"] = True
    for bad in (0.0, np.inf, np.nan):
        arrays[2][31, 32] = bad
        assert_parity("multi_all_finite", arrays, dtype, how)
        assert_parity("all_finite", [arrays[2]], dtype, {"init_output": True})
    tensors = [memory.from_numpy(x.astype(np.float32), DEVICE) for x in arrays]
    with watched() as launches:
        (y,) = computed("multi_all_finite", tensors, how)
    assert len(launches) == 2
    close(y, [0], SUMS["float32"])
