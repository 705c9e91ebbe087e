"""``x[key]`` and ``x[key] = value``: what is selected, what is shared, what is recorded."""

from typing import Any

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

from hy_ndarray import ArgumentError, AutogradError, IndexingError, ShapeError, autograd, nd

MATRIX = np.arange(12, dtype="float32").reshape(4, 3)
CUBE = np.arange(24, dtype="float32").reshape(2, 3, 4)


def shares(x: nd.NDArray, part: nd.NDArray) -> bool:
    """Whether a write to ``part`` is seen in ``x``."""
    part[:] = -99
    return bool((x.asnumpy() == -99).any())


def at_least_one_axis(values: Any) -> npt.NDArray[Any]:
    """A single element is an array of one axis in MXNet."""
    return np.asarray(values) if np.ndim(values) else np.reshape(values, 1)


# --- reading ----------------------------------------------------------------------------------

KEYS = [
    1,
    -1,
    np.int64(2),
    None,
    ...,
    (),
    slice(1, 3),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(3, 0, -2),
    slice(10, 20),
    (1, 2),
    (slice(None), 1),
    (slice(1, None), slice(None, -1)),
    (..., 0),
    (0, ...),
    (None, 1),
    (1, None, 2),
    (slice(None), None),
    [0, 3],
    [-1, -1, 0],
    [[0, 3], [1, 2]],
    np.array([2, 0]),
    range(2),
    (slice(None), [0, 2]),
    ([0, 1], [1, 2]),
    ([0, 1], 1),
    (1, [0, 2]),
    ([[0], [1]], [0, 2]),
    (slice(1, 3), [0, 2]),
    ([0, 1], slice(None, None, -1)),
    (None, [0, 1]),
    ([0, 1], None),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_selects_what_numpy_selects(key: Any) -> None:
    part = nd.array(MATRIX)[key]
    np.testing.assert_array_equal(part.asnumpy(), at_least_one_axis(MATRIX[key]))


@pytest.mark.parametrize(
    "key",
    [
        (1, slice(None), 2),
        (slice(None), None, 1),
        (0, 1, 2),
        (..., slice(None, None, -2)),
        ([0, 1], slice(None), [2, 0]),
        (0, slice(None), [1, 2]),
        (slice(None), 1, [0, 1]),
        (slice(None), [0, 1], [1, 2]),
        ([0, 1], ..., [0, 1]),
        ([0, 1], None, [0, 1]),
        (slice(None), [0, 2], slice(0, 2)),
        (slice(0, 1), [0, 2], slice(None, None, 2)),
    ],
    ids=str,
)
def test_selects_what_numpy_selects_from_three_axes(key: Any) -> None:
    part = nd.array(CUBE)[key]
    np.testing.assert_array_equal(part.asnumpy(), at_least_one_axis(CUBE[key]))


def test_one_element_keeps_one_axis() -> None:
    x = nd.array([1, 2, 3])
    assert x[1].shape == (1,)
    assert nd.array(MATRIX)[1, 2].shape == (1,)


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "uint8"])
def test_an_index_array_may_have_any_dtype(dtype: str) -> None:
    picked = nd.array(MATRIX)[nd.array([2, 0], dtype=dtype)]
    np.testing.assert_array_equal(picked.asnumpy(), MATRIX[[2, 0]])


@pytest.mark.parametrize("mask_of", [lambda m: m, lambda m: nd.array(m, dtype="bool")])
def test_a_mask_selects_where_it_is_true(mask_of: Any) -> None:
    x = nd.array(MATRIX)
    rows = np.array([True, False, True, False])
    np.testing.assert_array_equal(x[mask_of(rows)].asnumpy(), MATRIX[rows])
    np.testing.assert_array_equal(x[mask_of(MATRIX > 5)].asnumpy(), MATRIX[MATRIX > 5])
    np.testing.assert_array_equal(x[:, mask_of(rows[:3])].asnumpy(), MATRIX[:, rows[:3]])
    assert x[mask_of(np.zeros(4, bool))].shape == (0, 3)


@pytest.mark.parametrize("key", [1, slice(1, 3), slice(0, 4), (1, 2), (0, slice(1, 3)), None, ...])
def test_a_gapless_part_is_a_view(key: Any) -> None:
    x = nd.array(MATRIX)
    assert shares(x, x[key])


@pytest.mark.parametrize(
    "key", [slice(None, None, 2), slice(None, None, -1), (slice(None), 1), [0, 1], (..., 0)]
)
def test_another_part_is_a_copy(key: Any) -> None:
    x = nd.array(MATRIX)
    assert not shares(x, x[key])


def test_views_of_views_share_memory() -> None:
    x = nd.array(CUBE)
    assert shares(x, x[1][1:3][0])


def test_the_whole_array_is_the_array_itself() -> None:
    x = nd.array(MATRIX)
    assert x[:] is x
    assert x[()] is x
    assert x[...] is not x


def test_an_empty_part_has_its_shape() -> None:
    x = nd.array(MATRIX)
    assert x[1:1].shape == x[3:1].shape == (0, 3)
    assert x[1, 2:2].shape == (0,)
    assert x[[]].shape == (0, 3)


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (4, "index 4 is out of bounds for axis 0 with size 4"),
        (-5, "index -5 is out of bounds for axis 0 with size 4"),
        ((0, 3), "index 3 is out of bounds for axis 1 with size 3"),
        ([0, 4], "index 4 is out of bounds for axis 0 with size 4"),
        ((slice(None), [-4]), "index -4 is out of bounds for axis 1 with size 3"),
        ((1, 2, 3), "the array has 2 axes, but 3 were indexed"),
        ((..., 0, ...), "only one ellipsis"),
        ("a", r"'a' \(str\) is not a valid index"),
        (1.0, r"1.0 \(float\) is not a valid index"),
        ([[0], [1, 2]], "must be rectangular"),
        (["a"], "must hold integers or booleans"),
        (np.array([True, False]), r"boolean index \(2,\) does not match the axes \(4,\)"),
    ],
    ids=str,
)
def test_a_bad_index_is_an_index_error(key: Any, message: str) -> None:
    x = nd.array(MATRIX)
    with pytest.raises(IndexError, match=message):
        x[key]
    with pytest.raises(ValueError, match=message):  # as MXNet raises for some of these
        x[key]
    with pytest.raises(IndexingError, match=message):
        x[key] = 1
    np.testing.assert_array_equal(x.asnumpy(), MATRIX)


def test_index_arrays_must_broadcast() -> None:
    with pytest.raises(ShapeError, match=r"index arrays \(2,\), \(3,\) cannot be broadcast"):
        nd.array(MATRIX)[[0, 1], [0, 1, 2]]


# --- writing ----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_writes_a_number_where_numpy_writes_it(key: Any) -> None:
    x, expected = nd.array(MATRIX), MATRIX.copy()
    x[key] = 7.5
    expected[key] = 7.5
    np.testing.assert_array_equal(x.asnumpy(), expected)


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("source", ["numpy", "list", "NDArray"])
def test_writes_values_where_numpy_writes_them(key: Any, source: str) -> None:
    x, expected = nd.array(MATRIX), MATRIX.copy()
    shape = at_least_one_axis(MATRIX[key]).shape
    values = np.arange(100, 100 + np.prod(shape), dtype="float32").reshape(shape)
    given = {"numpy": values, "list": values.tolist(), "NDArray": nd.array(values)}[source]
    x[key] = given if values.size else 0
    expected[key] = values.reshape(np.shape(MATRIX[key]))
    np.testing.assert_array_equal(x.asnumpy(), expected)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (slice(None), [1, 2, 3]),
        (slice(None), [[1], [2], [3], [4]]),
        (1, [[1, 2, 3]]),
        (slice(1, 3), [[1], [2]]),
        ((slice(None), 1), [[1, 2, 3, 4]]),
        ([0, 2], [[1], [2]]),
        ([0, 2], [1, 2, 3]),
        (([0, 1], [1, 2]), [[7, 8]]),
        ((slice(None), [0, 2]), [7, 8]),
        (([0, 1], slice(None, None, -1)), [1, 2, 3]),
        ((slice(None, None, -1), slice(None, None, -2)), [1, 2]),
    ],
    ids=str,
)
def test_a_value_is_broadcast(key: Any, value: Any) -> None:
    x, expected = nd.array(MATRIX), MATRIX.copy()
    x[key] = nd.array(value)
    expected[key] = np.array(value)
    np.testing.assert_array_equal(x.asnumpy(), expected)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ((0, slice(None), [1, 2]), np.arange(6).reshape(2, 3)),
        (([0, 1], slice(None), [1, 2]), np.arange(6).reshape(2, 3)),
        ((slice(None), [0, 1], [1, 2]), np.arange(4).reshape(2, 2)),
        ((0, slice(None, None, -1), [1, 2]), np.arange(6).reshape(2, 3)),
        ((slice(None), [0, 2], slice(None, None, -2)), np.arange(8).reshape(2, 2, 2)),
        (([0, 1], None, [0, 1]), np.arange(8).reshape(2, 1, 4)),
    ],
    ids=str,
)
def test_the_axes_of_index_arrays_are_where_numpy_has_them(key: Any, value: Any) -> None:
    x, expected = nd.array(CUBE), CUBE.copy()
    x[key] = nd.array(value)
    expected[key] = np.array(value)
    np.testing.assert_array_equal(x.asnumpy(), expected)


def test_a_mask_writes_where_it_is_true() -> None:
    x, expected = nd.array(MATRIX), MATRIX.copy()
    x[MATRIX > 5] = -1
    expected[MATRIX > 5] = -1
    x[nd.array([1, 0, 0, 0], dtype="bool")] = nd.array([7, 8, 9])
    expected[0] = [7, 8, 9]
    np.testing.assert_array_equal(x.asnumpy(), expected)


# What MXNet 1.9.1 leaves in nd.array(range(5), dtype=...) after x[1:3] = [1.7, 300].
WRITTEN = {
    "float32": [0.0, np.float32(1.7), 300.0, 3.0, 4.0],
    "float16": [0.0, np.float16(1.7), 300.0, 3.0, 4.0],
    "int32": [0, 1, 300, 3, 4],
    "int64": [0, 1, 300, 3, 4],
    "uint8": [0, 1, 44, 3, 4],
    "bool": [False, True, True, True, True],
}


@pytest.mark.parametrize("dtype", WRITTEN)
@pytest.mark.parametrize("key", [slice(1, 3), [1, 2]], ids=str)
def test_a_value_is_cast_to_the_dtype_of_the_array(dtype: str, key: Any) -> None:
    x = nd.array(range(5), dtype=dtype)
    x[key] = [1.7, 300]
    np.testing.assert_array_equal(x.asnumpy(), np.array(WRITTEN[dtype], dtype=dtype))


def test_large_integers_are_written_exactly() -> None:
    x = nd.zeros((2,), dtype="int64")
    x[0] = 2**53 + 1
    assert x[0].asscalar() == 2**53 + 1


def test_overlapping_parts_of_one_array_can_be_copied() -> None:
    x = nd.array([0, 1, 2, 3, 4])
    x[1:] = x[:-1]
    np.testing.assert_array_equal(x.asnumpy(), [0, 0, 1, 2, 3])


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([1, 2], ShapeError, r"cannot broadcast a value \(2,\) to the indexed part \(4, 3\)"),
        (nd.zeros((2, 4, 3)), ShapeError, r"cannot broadcast a value \(2, 4, 3\)"),
        ("a", ArgumentError, "cannot write a str"),
        (None, ArgumentError, "cannot write a NoneType"),
        (1j, ArgumentError, "cannot write a complex"),
        ([[1], [1, 2]], ArgumentError, "cannot write"),
    ],
    ids=["short", "deep", "text", "none", "complex", "ragged"],
)
def test_a_value_that_does_not_fit_is_refused(value: Any, error: type, message: str) -> None:
    x = nd.array(MATRIX)
    with pytest.raises(error, match=message):
        x[:] = value
    np.testing.assert_array_equal(x.asnumpy(), MATRIX)


def test_slice_assign_names_a_part_by_its_corners() -> None:
    x = nd.array(MATRIX)
    same = x.slice_assign(nd.zeros((1, 2)), begin=(0, 0), end=(1, 2), step=(1, 1))
    assert same is x
    x.slice_assign_scalar(9, begin=(1, None), end=(2, 2))
    np.testing.assert_array_equal(x.asnumpy()[:2], [[0, 0, 2], [9, 9, 5]])


# --- any key ----------------------------------------------------------------------------------


@st.composite
def arrays_and_keys(draw: st.DrawFn) -> tuple[npt.NDArray[Any], Any]:
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=4))
    values = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    key = draw(
        hnp.basic_indices(shape, allow_newaxis=True)
        | hnp.integer_array_indices(shape)
        | hnp.arrays(bool, shape[: draw(st.integers(1, len(shape)))])
    )
    return values, key


@pytest.mark.slow
@given(arrays_and_keys())
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_key_reads_and_writes_as_in_numpy(drawn: tuple[npt.NDArray[Any], Any]) -> None:
    values, key = drawn
    x = nd.array(values)
    expected = at_least_one_axis(values[key])
    np.testing.assert_array_equal(x[key].asnumpy(), expected)
    x[key] = nd.array(-expected - 1)
    values[key] = -values[key] - 1
    np.testing.assert_array_equal(x.asnumpy(), values)


# --- gradients --------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_gradients_flow_through_what_is_read(key: Any) -> None:
    x = nd.array(MATRIX)
    x.attach_grad()
    weights = 1 + np.arange(at_least_one_axis(MATRIX[key]).size, dtype="float32")
    with autograd.record():
        part = x[key]
        y = (part.reshape(-1) * nd.array(weights)).sum() if part.size else part.sum() + x[0, 0]
    y.backward()
    expected = np.zeros_like(MATRIX)
    if part.size:
        np.add.at(expected, key, weights.reshape(np.shape(MATRIX[key])))
    else:
        expected[0, 0] = 1
    np.testing.assert_array_equal(x.grad.asnumpy(), expected)  # type: ignore[union-attr]


def test_a_recorded_view_shares_memory() -> None:
    x = nd.array(MATRIX)
    x.attach_grad()
    with autograd.record():
        part = x[1:3]
    assert shares(x, part)


def test_a_view_made_before_recording_has_no_gradient() -> None:
    x = nd.array(MATRIX)
    x.attach_grad()
    row = x[0]
    with autograd.record():
        y = row * 2
    with pytest.raises(AutogradError, match="not computed from variables"):
        y.backward()


@pytest.mark.parametrize("key", [slice(None), 1, (1, 2), (slice(None), 1), [0, 1]], ids=str)
@pytest.mark.parametrize("kind", ["variable", "computed"])
def test_what_is_in_the_graph_cannot_be_written_to_while_recording(key: Any, kind: str) -> None:
    x = nd.array(MATRIX)
    x.attach_grad()
    with autograd.record():
        y = x if kind == "variable" else x * 2
        with pytest.raises(AutogradError, match="cannot be written to"):
            y[key] = 1
        with autograd.pause():
            y[key] = 1


def test_a_recorded_value_can_replace_a_whole_array() -> None:
    x, target = nd.ones((2, 2)), nd.zeros((2, 2))
    x.attach_grad()
    with autograd.record():
        target[:] = x * 2
        y = target * 3
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.full((2, 2), 6))  # type: ignore[union-attr]


@pytest.mark.parametrize("key", [0, (slice(None), 0), [0], slice(0, 1)], ids=str)
def test_a_recorded_value_cannot_be_written_to_a_part(key: Any) -> None:
    x, target = nd.ones((2,)), nd.zeros((2, 2))
    x.attach_grad()
    with autograd.record(), pytest.raises(AutogradError, match="gradients would not flow"):
        target[key] = x * 2


def test_plain_arrays_can_be_written_to_while_recording() -> None:
    x = nd.zeros((2, 2))
    with autograd.record():
        x[0] = 1
        x[:, 1] = nd.array([2, 3])
    np.testing.assert_array_equal(x.asnumpy(), [[1, 2], [0, 3]])
