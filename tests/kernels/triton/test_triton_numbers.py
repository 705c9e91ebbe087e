"""Integers, booleans, operands of several dtypes, empty and strided ones, pointwise on Triton."""

from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.numpy import table as numpy_table
from hy_kernels.triton import table
from hy_kernels.triton._code import Axis, Visit, code
from hy_kernels.triton._formula import NAMES, Formula, Step
from hy_kernels.triton._numbers import numbers
from hy_kernels.triton._overlay import OVERLAYS
from hy_kernels.triton.runtime._launch import watched
from tests.kernels.triton.parity import DEVICE, DTYPES, TOLERANCES, assert_parity, memory
from tests.kernels.triton.test_triton_pointwise import BITS, signature

WHOLE = ("int8", "uint8", "int32", "int64", "bool")
ALL = (*WHOLE, *DTYPES)
NO_BOOLEANS = {"broadcast_sub", "elemwise_sub", "np_subtract", "negative"}
NO_BOOLEANS |= {"relu_backward", "same_sign"}
"""Of which numpy has none of booleans."""
NO_WHOLE = {"leaky_relu", "leaky_relu_backward", "leaky_relu_curve"}
"""Layers for floats."""
HALVES = {("np_arctan2", "int8"), ("np_arctan2", "uint8")}
"""Of bytes numpy computes these in float16, which rounds up what is cut off."""


def whole(dtype: str, shape: tuple[int, ...], seed: int) -> Any:
    """Small integers that are not 0; booleans."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(dtype)
    signs = np.array([1] if dtype == "uint8" else [-1, 1])
    return np.asarray(rng.integers(1, 9, shape) * rng.choice(signs, shape)).astype(dtype)


def called(name: str, arrays: list[Any], params: dict[str, Any]) -> Any:
    """What the Triton table gives, which has launched something, and what the numpy table gives."""
    exact, record = numpy_table().find(name), table().find(name)
    assert exact is not None
    assert record is not None
    tensors = [memory.from_numpy(np.array(x, order="C"), DEVICE) for x in arrays]
    with watched() as launches:
        found = record.function(*tensors, **params)
    assert launches or not found.numel(), f"{name}: torch computed it"
    with np.errstate(all="ignore"):
        wanted = exact.function(*arrays, **params)
    return memory.to_numpy(found), wanted[0] if isinstance(wanted, tuple) else np.asarray(wanted)


def defined(name: str, arrays: list[Any], params: dict[str, Any]) -> Any:
    """Where the result of a function of floats has a place in every dtype of integers."""
    record = numpy_table().find(name)
    assert record is not None
    with np.errstate(all="ignore"):
        value = record.function(*(x.astype("float64") for x in arrays), **params)
        return abs(value[0] if isinstance(value, tuple) else value) < 128


def assert_same(name: str, arrays: list[Any], params: dict[str, Any]) -> None:
    """Dtype, shape and numbers are those of the numpy table; floats as near as their dtype."""
    found, wanted = called(name, arrays, params)
    how = numbers(name, [getattr(torch, str(x.dtype)) for x in arrays], params)
    if how is not None and how.computed[:1] == ("float64",) and wanted.dtype.kind in "iu":
        places = defined(name, arrays, params)
        found, wanted = found[places], wanted[places]
    what = f"{name} of {[str(x.dtype) for x in arrays]}, {params}"
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), what
    rtol, atol, _ = TOLERANCES.get(str(wanted.dtype), (0, 0, ""))
    found, wanted = (np.asarray(x).astype(np.float64) for x in (found, wanted))
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol, err_msg=what)


def parameters(name: str, dtype: str) -> tuple[int, list[dict[str, Any]]]:
    """How many operands, and all parameters that suit integers."""
    count, sets = signature(name)
    sets = [each for each in sets if each.get("act_type", "relu") == "relu"]
    if "is_int" in sets[0]:
        sets = [{**sets[0], "scalar": n, "is_int": n % 1 == 0} for n in (3.0, -2.0, 2.5)]
        if name.startswith(("np_lcm", "np_bitwise")):
            sets = sets[:2]
    if dtype in ("bool", "uint8"):  # a negative number is no such integer
        sets = [each for each in sets if each.get("scalar", 0) >= 0]
    return count, sets


OF_WHOLE = [
    (name, dtype)
    for name in sorted({*NAMES} - NO_WHOLE)
    for dtype in WHOLE
    if (dtype != "bool" or name not in NO_BOOLEANS) and (name, dtype) not in HALVES
]


@pytest.mark.parametrize(("name", "dtype"), OF_WHOLE)
def test_integers_and_booleans_give_what_numpy_s_give(name: str, dtype: str) -> None:
    count, sets = parameters(name, dtype)
    for params in sets:
        for shape in ((), (37, 5)):
            assert_same(name, [whole(dtype, shape, k) for k in range(count)], params)


def refused(name: str, dtypes: list[str], params: dict[str, Any]) -> bool:
    """Whether it is left to torch, which raises an error or knows better."""
    tensors = [torch.ones(3, dtype=getattr(torch, each), device=DEVICE) for each in dtypes]
    return not OVERLAYS[name].supports(*tensors, **params)


@pytest.mark.parametrize("name", sorted(NO_BOOLEANS))
def test_what_booleans_lack_is_left_to_torch(name: str) -> None:
    assert refused(name, ["bool"] * signature(name)[0], {})


@pytest.mark.parametrize("name", sorted(NO_WHOLE))
def test_layers_for_floats_leave_integers_to_torch(name: str) -> None:
    count, sets = signature(name)
    assert sets
    assert all(refused(name, ["int32"] * count, params) for params in sets)


@pytest.mark.parametrize("name", sorted(BITS))
def test_floats_have_no_bits(name: str) -> None:
    count, (params,) = signature(name)
    assert refused(name, ["float32"] * count, params)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
@pytest.mark.parametrize("name", ["broadcast_div", "broadcast_mod", "np_mod"])
def test_integers_divide_by_anything(name: str, dtype: str) -> None:
    limits = np.iinfo(dtype)
    x = np.array([limits.min, limits.max, 7, 1, 0], dtype)
    by = np.array([0, 3, 5, limits.max], dtype)
    if dtype != "uint8":
        by = np.concatenate([by, np.array([-1, -3], dtype)])
    found, wanted = called(name, [x[:, None], by[None]], {})
    minus_one = by == -1 if dtype != "uint8" else by < 0
    assert (found == wanted)[:, ~minus_one].all()
    turned = (-x if name == "broadcast_div" else 0 * x)[:, None]  # the lowest has no opposite
    assert (found[:, minus_one] == turned).all()


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_powers_of_integers_are_exact_and_overflow_as_products_do(dtype: str) -> None:
    base = np.array([-3, -2, -1, 1, 2, 3, 7, 0], dtype)
    for exponent in (0, 1, 2, 5, 19, 63):
        by = np.full_like(base, exponent)
        assert_same("broadcast_power", [base, by], {})
    below = np.full_like(base[:-1], -3)
    assert_same("broadcast_power", [base[:-1], below], {})


def test_a_least_common_multiple_of_large_numbers_is_exact() -> None:
    x = np.array([2**31, 3**19, 0, 1346269, 2**40], "int64")
    y = np.array([3**19, 2**30, 5, 832040, 2**20 * 3], "int64")
    assert_same("np_lcm", [x, y], {})


MIXED = (
    *("add", "subtract", "multiply", "mod", "power", "true_divide", "arctan2", "copysign"),
    *("equal", "not_equal", "greater", "greater_equal", "less", "less_equal"),
)


@pytest.mark.parametrize("first", ALL)
@pytest.mark.parametrize("name", [f"np_{each}" for each in MIXED])
def test_operands_of_two_dtypes_meet_as_numpy_s_do(name: str, first: str) -> None:
    for second in ALL:
        if first == second or {first, second} in NOWHERE:
            continue
        x, y = (whole(each, (3, 7), k).astype(each) for k, each in enumerate((first, second)))
        if name in ("np_mod", "np_true_divide"):
            y = np.abs(y) if y.dtype != bool else np.ones_like(y)
        if name == "np_power":
            y = np.abs(y) % 3 if y.dtype != bool else y
        assert_same(name, [x, y.astype(second)], {})


NOWHERE = [{"float16", "bfloat16"}, {"int8", "uint8"}]
"""Dtypes that no dtype holds both of."""


@pytest.mark.parametrize("pair", NOWHERE)
def test_dtypes_that_meet_nowhere_are_left_to_torch_which_says_so(pair: set[str]) -> None:
    assert refused("np_add", sorted(pair), {})
    found = table().find("np_add")
    assert found is not None
    x, y = (torch.ones(2, dtype=getattr(torch, each), device=DEVICE) for each in sorted(pair))
    with pytest.raises(TypeError, match="no dtype holds"):
        found.function(x, y)


@pytest.mark.parametrize("first", ALL)
def test_any_dtype_becomes_any_other(first: str) -> None:
    x = np.array([0, 1, 3, 100]).astype(first)
    for second in ALL:
        assert_same("cast", [x], {"dtype": second})
        assert_same("amp_cast", [x], {"dtype": second})
        for shape in ((4,), (), (0, 3), (2, 5)):  # which say nothing
            assert_same("cast_like", [x, np.zeros(shape).astype(second)], {})


@pytest.mark.parametrize("dtype", ALL)
def test_a_condition_is_of_any_dtype(dtype: str) -> None:
    for kind in ALL:
        holds = np.array([1, 0, 1, 1, 0]).astype(kind)
        x, y = (np.arange(k, k + 5).astype(dtype) for k in (1, 7))
        assert_same("np_where", [holds, x, y], {})
        assert_same("where", [holds, x, y], {})
        assert_same("where", [holds, *(np.outer(each, each[:3]) for each in (x, y))], {})
        assert_same("np_where_lscalar", [holds, x], {"scalar": 3.0})
        assert_same("np_where_rscalar", [holds, x], {"scalar": 3.0})
        assert_same("np_where_scalar2", [holds], {"x": 0.1, "y": -np.inf})


@pytest.mark.parametrize("name", NAMES)
def test_of_nothing_nothing_comes(name: str) -> None:
    dtypes = ("int32", "bool") if name in BITS else ("float32", "float16", "int64", "bool")
    for dtype in dtypes:
        if "float" not in dtype and name in NO_WHOLE | NO_BOOLEANS:
            continue
        count, sets = parameters(name, dtype) if "float" not in dtype else signature(name)
        for shape in ((0,), (3, 0, 5)):
            assert_same(name, [np.ones(shape).astype(dtype)] * count, sets[0])


def test_operands_broadcast_to_nothing() -> None:
    x, y = np.ones((3, 1, 5), "float32"), np.ones((0, 1), "float32")
    for name in ("broadcast_add", "np_equal", "np_copysign"):
        assert_same(name, [x, y], {})


@pytest.mark.parametrize("name", NAMES)
def test_elements_need_not_be_next_to_each_other(name: str) -> None:
    count, sets = signature(name)
    drawn = np.random.default_rng(2).uniform(0.1, 0.9, (count, 13, 7))
    arrays = [np.asarray(x) for x in drawn]
    if name in BITS:
        arrays = [np.asarray(x) for x in (99 * drawn).astype("int32")]
    assert_parity(name, arrays, "float64", sets[0], strided=True)


def test_a_number_that_integers_lack_is_equal_to_none() -> None:
    x = np.array([44, -128, 127], "int8")
    for name in ("equal_scalar", "lesser_scalar", "np_equal_scalar", "np_less_scalar"):
        for scalar in (300.0, -129.0, 44.0):
            assert_same(name, [x], {"scalar": scalar, "is_int": True})
    for name in ("maximum_scalar", "minimum_scalar", "logical_and_scalar"):
        assert_same(name, [x], {"scalar": 256.0, "is_int": True})


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_number_is_compared_as_the_dtype_has_it(dtype: str) -> None:
    x = np.array([0.1, 0.3]).astype(dtype)
    for name in ("equal_scalar", "np_equal_scalar", "np_less_scalar"):
        found, _ = called(name, [x], {"scalar": 0.1, "is_int": False})
        assert found.astype(bool).tolist() == [name != "np_less_scalar", False]


@pytest.mark.parametrize(
    "name", ["plus_scalar", "maximum_scalar", "np_where_lscalar", "np_equal_scalar"]
)
def test_a_number_may_be_none(name: str) -> None:
    x = np.array([1.0, np.nan, 0.0])
    params = {"scalar": np.nan} | ({} if "where" in name else {"is_int": False})
    assert_same(name, [x] * (2 if "where" in name else 1), params)


def test_the_sign_of_a_zero_is_kept() -> None:
    x = np.array([1.0, -2.0])
    for scalar in (0.0, -0.0):
        found, _ = called("rdiv_scalar", [x], {"scalar": scalar, "is_int": False})
        np.testing.assert_array_equal(np.signbit(found), np.signbit(scalar / x))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_a_sum_of_many_is_one_launch(count: int, dtype: str) -> None:
    arrays = [np.full((5, 3), k % 3).astype(dtype) for k in range(count)]
    assert_same("add_n", arrays, {})


def test_a_sum_of_many_is_rounded_once() -> None:
    arrays = [np.full(3, x, "float16") for x in (2048, 1, 1, 1, 1)]
    found, _ = called("add_n", arrays, {})
    assert found.tolist() == [2052] * 3  # each alone would be lost


def test_a_sum_of_more_than_a_launch_takes_is_torch_s() -> None:
    record = table().find("add_n")
    assert record is not None
    with watched() as launches:
        y = record.function(*[torch.ones(2, device=DEVICE)] * 65)
    assert y.tolist() == [65, 65]
    assert not launches


def test_what_is_only_a_shape_is_not_read() -> None:
    record = table().find("like_of")
    assert record is not None
    like = torch.empty(4, 3, dtype=torch.int64, device=DEVICE)
    x = torch.tensor([[1.0, 2.0, 3.0]], device=DEVICE)
    with watched() as launches:
        y = record.function(x, like)
    assert len(launches) == 1
    assert torch.equal(y, x.expand(4, 3))
    step = Step("like_of", (0,))
    assert "tl.load(x1" not in code(Formula(2, (step,), (2,)), Visit((Axis((1, 1)),)))
