"""What MXNet computes where NumPy refuses or computes something else; its numbers."""

from typing import Any

import numpy as onp
import pytest

from hy_ndarray import HyError, autograd, nd, np, npx

loose: Any = nd
ROW, SQUARE = np.array([1, 0, 2]), np.arange(4).reshape((2, 2))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize(
    ("indices", "rest"),
    [
        ([0, -7], [1, 2]),
        ([0, 7], [1, 2]),
        ([-1], [0, 1, 2]),
        ([2, -3], [0, 1]),
        ([0, 0], [1, 2]),
        ([5], [0, 1, 2]),
        ([], [0, 1, 2]),
    ],
)
def test_delete_passes_over_indices_outside(
    dtype: str, indices: list[int], rest: list[int]
) -> None:
    where = np.array(indices, dtype=dtype)
    assert np.delete(np.arange(3), where).tolist() == rest
    columns = np.arange(6).reshape((2, 3))
    assert np.delete(columns, where, axis=1).tolist() == columns[:, rest].tolist()


def test_delete_along_an_empty_axis_has_nothing_to_delete() -> None:
    assert np.delete(np.ones((2, 0)), np.array([0], dtype="int32"), axis=1).shape == (2, 0)


@pytest.mark.parametrize("index", [3, -4])
def test_delete_of_one_index_outside_is_refused(index: int) -> None:
    with pytest.raises(HyError):
        np.delete(np.arange(3), index)


def test_numpys_delete_refuses_indices_outside_of_these_arrays_too() -> None:
    loose_numpy: Any = onp
    assert loose_numpy.delete(np.arange(3), onp.array([-1])).tolist() == [0, 1]


@pytest.mark.parametrize("n", [-1, -5, 0])
def test_less_than_one_trial_gives_no_events(n: int) -> None:
    assert np.random.multinomial(n, [0.5, 0.5]).tolist() == [0, 0]
    assert np.random.multinomial(n, np.array([0.5, 0.5]), size=(2,)).tolist() == [[0, 0]] * 2


@pytest.mark.parametrize(
    ("begin", "end", "shape"),
    [
        ((), (), (2, 3)),
        ((0,), (1,), (1, 3)),
        ((0, 1), (1, 3), (1, 2)),
    ],
)
def test_a_step_of_none_is_left_out(begin: Any, end: Any, shape: tuple[int, ...]) -> None:
    assert loose.slice(nd.ones((2, 3)), begin=begin, end=end, step=None).shape == shape
    assert npx.slice(np.ones((2, 3)), begin=begin, end=end, step=None).shape == shape


@pytest.mark.parametrize("ends", [{"begin": None, "end": (1,)}, {"begin": (1,), "end": None}])
def test_ends_of_a_slice_are_as_many(ends: dict[str, Any]) -> None:
    with pytest.raises(HyError, match="must have the same length"):
        loose.slice(nd.ones((2, 3)), **ends)


@pytest.mark.parametrize(
    ("values", "source", "dtype", "mean"),
    [
        ([100] * 4, "int8", "int8", -28),
        ([100] * 4, "int32", "int8", -28),
        ([100, 100, 100, 101], "float32", "int8", -27),
        ([-100, -100, -100, -101], "int64", "int8", 27),
        ([1.5] * 4, "float32", "int8", 1),
        ([2**31 - 1] * 2, "int64", "int32", -1),
        ([-3, -4], "int32", "int64", -3),
        ([100] * 4, "int8", None, 100),
    ],
)
def test_a_mean_in_integers_is_of_a_sum_that_wraps(
    values: list[float], source: str, dtype: Any, mean: float
) -> None:
    array = np.array(values, dtype=source)
    assert np.mean(array, dtype=dtype).item() == mean
    assert array.mean(dtype=dtype).item() == mean


@pytest.mark.parametrize("given", ["float16", "float32"])
def test_running_sums_of_float16_are_rounded_after_each_step(given: str) -> None:
    total = np.cumsum(np.array([0.1] * 40, dtype=given), dtype="float16")
    assert total[-1].item() == 3.98828125  # 4.0 if added up in float32
    assert total.dtype == onp.float16


def test_so_are_their_gradients() -> None:
    x = np.ones(40, dtype="float16")
    x.attach_grad()
    with autograd.record():
        y = np.cumsum(x)
    y.backward(np.array([0.1] * 40, dtype="float16"))
    assert x.grad is not None
    assert x.grad[0].item() == 3.98828125


GENERATED = {
    "around": (ROW,),
    "atleast_1d": (ROW,),
    "atleast_2d": (ROW,),
    "atleast_3d": (ROW,),
    "copy": (ROW,),
    "diag": (ROW,),
    "diagflat": (ROW,),
    "diagonal": (SQUARE,),
    "dot": (ROW, ROW),
    "repeat": (ROW, 2),
    "roll": (ROW, 1),
    "squeeze": (ROW,),
    "trace": (SQUARE,),
    "transpose": (SQUARE,),
}
"""Functions that MXNet makes of operators, and operands."""


@pytest.mark.parametrize("function", GENERATED)
def test_functions_of_operators_take_a_name(function: str) -> None:
    operands = GENERATED[function]
    call: Any = getattr(np, function)
    assert call(*operands, name="unused").tolist() == call(*operands).tolist()


@pytest.mark.parametrize("function", sorted({*GENERATED} - {"copy", "dot"}))
def test_functions_of_operators_refuse_unknown_arguments(function: str) -> None:
    call: Any = getattr(np, function)
    with pytest.raises(HyError, match="foo"):
        call(*GENERATED[function], foo=1)


def test_functions_of_operators_without_parameters_take_all() -> None:
    call: Any = np.copy
    assert call(ROW, order="F").tolist() == ROW.tolist()
    call = npx.nonzero
    assert call(ROW, foo=1).tolist() == npx.nonzero(ROW).tolist()
