"""How arrays come into being: from values, from a shape, from a range."""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from hy_ndarray import (
    ArgumentError,
    ContextError,
    DTypeError,
    IndexingError,
    ShapeError,
    autograd,
    cpu,
    gpu,
    nd,
    np as mx_np,
    npx,
)
from hy_ndarray.core.semantics import np_shape

# --- nd.array ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        [[1, 2], [3, 4]],
        ((1, 2), (3, 4)),
        [range(1, 3), range(3, 5)],
        np.array([[1, 2], [3, 4]], dtype="int8"),
        np.array([[1, 2], [3, 4]], dtype="float64"),
        np.array([[1, 3], [2, 4]], dtype="uint16").T,
        [np.array([1, 2]), np.array([3, 4])],
        [nd.array([1, 2]), nd.array([3, 4])],
    ],
    ids=["list", "tuple", "ranges", "int8", "float64", "transposed", "rows", "NDArrays"],
)
def test_values_become_float32_whatever_they_were(source: Any) -> None:
    x = nd.array(source)
    assert x.dtype is np.float32
    np.testing.assert_array_equal(x.asnumpy(), [[1, 2], [3, 4]])


def test_an_ndarray_keeps_its_dtype_and_is_copied() -> None:
    x = nd.array([1, 2], dtype="int8")
    y = nd.array(x)
    y[:] = 9
    assert y.dtype is np.int8
    np.testing.assert_array_equal(x.asnumpy(), [1, 2])


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("float16", np.float16),
        (np.float64, np.float64),
        (np.dtype("uint8"), np.uint8),
        (int, np.int64),
        (float, np.float64),
        (bool, np.bool_),
        ("bfloat16", ml_dtypes.bfloat16),
    ],
    ids=str,
)
def test_a_dtype_is_a_name_a_numpy_type_or_a_python_type(dtype: object, expected: type) -> None:
    assert nd.array([0, 1], dtype=dtype).dtype is expected


def test_values_beyond_a_dtype_wrap_around() -> None:
    np.testing.assert_array_equal(
        nd.array([300, -1, 2.7], dtype="uint8").asnumpy(), np.array([44, 255, 2], dtype="uint8")
    )
    assert nd.array([2**40], dtype="int64").asscalar() == 2**40


def test_a_number_becomes_an_array_without_axes() -> None:
    x = nd.array(2.5)
    assert (x.shape, x.ndim, x.size, x.asscalar()) == ((), 0, 1, 2.5)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)])
def test_an_array_may_be_empty(shape: tuple[int, ...]) -> None:
    assert nd.array(np.empty(shape)).shape == nd.empty(shape).shape == shape
    assert nd.full(shape, 2).shape == shape


DRAWS: Any = {
    "uniform": {},
    "normal": {},
    "gamma": {},
    "exponential": {},
    "poisson": {},
    "negative_binomial": {},
    "generalized_negative_binomial": {},
    "randint": {"low": 0, "high": 3},
}


@pytest.mark.parametrize("shape", [(), 0, (0, 2), (2, 0), np.array([2, 0])], ids=str)
@pytest.mark.parametrize("make", ["zeros", "ones", *DRAWS])
def test_shapes_that_classic_semantics_take_for_unknown_are_made_under_np_shape(
    make: str, shape: Any
) -> None:
    options = DRAWS.get(make, {})
    function = getattr(nd.random if make in DRAWS else nd, make)
    with pytest.raises(ShapeError, match=r"shape=.* is incomplete: .*`with np_shape\(\):`"):
        function(shape=shape, **options)
    with npx.np_shape():
        assert function(shape=shape, **options).shape == tuple(np.array(shape, int).ravel())


@pytest.mark.parametrize(
    "source", [[[1, 2], [3]], "a", ["a"], {1, 2}, [1j], object()], ids=lambda s: type(s).__name__
)
def test_what_is_no_rectangle_of_numbers_is_refused(source: Any) -> None:
    with pytest.raises(ArgumentError, match="array: source_array"):
        nd.array(source)


@pytest.mark.parametrize("array", [nd.array, mx_np.array])
@pytest.mark.parametrize(
    ("texts", "dtype", "numbers"),
    [
        (["12", "3"], "int32", [12, 3]),
        ([["1.5", "3"]], "float32", [[1.5, 3]]),
        ([b"12", b"-3"], "float32", [12, -3]),
        (["9007199254740993"], "int64", [2**53 + 1]),
    ],
)
def test_texts_of_numbers_are_numbers(
    array: Callable[..., Any], texts: Any, dtype: str, numbers: Any
) -> None:
    made = array(texts, dtype=dtype)
    assert (made.asnumpy().tolist(), made.dtype) == (numbers, np.dtype(dtype))


@pytest.mark.parametrize("array", [nd.array, mx_np.array])
@pytest.mark.parametrize("text", ["1.5", "nan", "1e400", "99999999999999999999"])
def test_texts_of_other_numbers_are_no_integers(array: Callable[..., Any], text: str) -> None:
    with pytest.raises(ArgumentError, match="a rectangular array of numbers"):
        array([text], dtype="int32")


@pytest.mark.parametrize("dtype", ["int15", "complex256", np.datetime64, object()])
def test_an_unknown_dtype_is_refused(dtype: object) -> None:
    with pytest.raises(DTypeError, match="unknown dtype"):
        nd.array([1], dtype=dtype)


# --- from a shape -----------------------------------------------------------------------------


def test_zeros_and_ones_take_a_shape_or_a_size() -> None:
    np.testing.assert_array_equal(nd.zeros((2, 3)).asnumpy(), np.zeros((2, 3), "float32"))
    np.testing.assert_array_equal(nd.zeros(3).asnumpy(), np.zeros(3, "float32"))
    np.testing.assert_array_equal(nd.ones([2], dtype="int32").asnumpy(), np.ones(2, "int32"))
    assert nd.empty((2, 3), dtype="int8").dtype is np.int8


def test_full_takes_a_number_or_what_broadcasts() -> None:
    assert nd.full((2, 2), 3).dtype is np.float32
    np.testing.assert_array_equal(nd.full((2,), 3.7, dtype="int32").asnumpy(), [3, 3])
    np.testing.assert_array_equal(nd.full((2, 2), [1, 2]).asnumpy(), [[1, 2], [1, 2]])
    assert nd.full((1,), 2**40 + 1, dtype="int64").asscalar() == 2**40 + 1


def test_an_array_can_be_filled_instead_of_made() -> None:
    x = nd.ones((2,))
    assert nd.full((2,), 7, out=x) is x
    np.testing.assert_array_equal(x.asnumpy(), [7, 7])
    assert nd.zeros((2,), out=x) is x
    np.testing.assert_array_equal(x.asnumpy(), [0, 0])


def test_arrays_are_made_in_every_storage() -> None:
    for make in (nd.zeros, nd.empty):
        for stype in ("default", "csr", "row_sparse"):
            assert make((2, 2), stype=stype).stype == stype
        with pytest.raises(ArgumentError, match="stype='coo' is not a storage type"):
            make((2, 2), stype="coo")


def test_every_creator_takes_a_context() -> None:
    where = cpu(1)
    made = [
        nd.array([1], where),
        nd.zeros((1,), where),
        nd.ones((1,), where),
        nd.empty((1,), where),
        nd.full((1,), 1, where),
        nd.arange(1, ctx=where),
        nd.linspace(0, 1, 2, ctx=where),
        nd.eye(1, ctx=where),
    ]
    assert [x.context for x in made] == [where] * len(made)
    with where:
        assert nd.array([1]).context == nd.zeros((1,)).context == where


def test_an_absent_device_is_an_error() -> None:
    with pytest.raises(ContextError, match=r"gpu\(99\)"):
        nd.array([1], gpu(99))
    with pytest.raises(ContextError, match=r"gpu\(99\)"):
        nd.zeros((1,), gpu(99))
    with pytest.raises(ContextError, match=r"ctx='cpu' is not a Context"):
        nd.array([1], "cpu")  # type: ignore[arg-type]


# --- ranges -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "kwargs", "expected"),
    [
        ((5,), {}, [0, 1, 2, 3, 4]),
        ((5.5,), {}, [0, 1, 2, 3, 4, 5]),
        ((2, 8, 3), {}, [2, 5]),
        ((5, 0, -2), {}, [5, 3, 1]),
        ((3,), {"repeat": 2}, [0, 0, 1, 1, 2, 2]),
        ((2, None), {}, [0, 1]),
    ],
    ids=str,
)
def test_arange(args: Any, kwargs: Any, expected: list[float]) -> None:
    x = nd.arange(*args, **kwargs)
    assert x.dtype is np.float32
    np.testing.assert_array_equal(x.asnumpy(), np.array(expected, "float32"))
    assert nd.arange(*args, **kwargs, dtype="int32").dtype is np.int32  # type: ignore[misc]


@pytest.mark.parametrize("args", [(0,), (2, 2), (2, 2, -1)])
def test_an_empty_arange_is_refused_outside_of_numpy(args: Any) -> None:
    with pytest.raises(ArgumentError, match=r"from start=.* is empty"):
        nd.arange(*args)


def test_linspace_includes_the_end_unless_told_otherwise() -> None:
    np.testing.assert_array_equal(nd.linspace(0, 1, 5).asnumpy(), [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_array_equal(
        nd.linspace(0, 1, 4, endpoint=False).asnumpy(), [0, 0.25, 0.5, 0.75]
    )
    np.testing.assert_array_equal(nd.linspace(0, 10, 5, dtype="int32").asnumpy(), [0, 2, 5, 7, 10])


def test_eye_has_ones_on_a_diagonal() -> None:
    np.testing.assert_array_equal(nd.eye(3).asnumpy(), np.eye(3))
    np.testing.assert_array_equal(nd.eye(2, 3, -1).asnumpy(), np.eye(2, 3, -1))


# --- from arrays ------------------------------------------------------------------------------


def test_concatenate_joins_along_an_axis() -> None:
    a, b = nd.ones((2, 2)), nd.zeros((2, 1))
    np.testing.assert_array_equal(nd.concatenate([a, b], axis=1).asnumpy(), [[1, 1, 0], [1, 1, 0]])
    assert nd.concatenate((a, a)).shape == (4, 2)
    assert nd.concatenate([a]) is not a
    assert nd.concatenate([a], always_copy=False) is a
    no_lists: list[Any] = [[], a, None]
    for arrays in no_lists:
        with pytest.raises(ArgumentError, match="concatenate: arrays must be a list"):
            nd.concatenate(arrays)


def test_split_v2_takes_a_number_of_parts_or_their_borders() -> None:
    x = nd.arange(6)
    assert [part.tolist() for part in nd.split_v2(x, 3)] == [[0, 1], [2, 3], [4, 5]]
    assert [part.tolist() for part in x.split_v2((1, 4))] == [[0], [1, 2, 3], [4, 5]]
    assert nd.split_v2(x, 1).shape == (6,)
    parts = nd.split_v2(x.reshape(1, 6), 6, axis=1, squeeze_axis=True)
    assert [part.shape for part in parts] == [(1,)] * 6
    with pytest.raises(ShapeError, match="axis 0 of size 6 cannot be divided into 4 equal parts"):
        nd.split_v2(x, 4)
    with pytest.raises(
        ArgumentError, match="indices_or_sections must be an int or a tuple, got list"
    ):
        nd.split_v2(x, [2, 4])


@pytest.mark.parametrize(
    ("source", "destination", "shape"),
    [(0, -1, (3, 4, 2)), ((0, 1), (2, 0), (3, 4, 2)), ([0, 1], [-1, -2], (4, 3, 2))],
)
def test_moveaxis(source: Any, destination: Any, shape: tuple[int, ...]) -> None:
    x = nd.arange(24).reshape(2, 3, 4)
    moved = nd.moveaxis(x, source, destination)
    assert moved.shape == shape
    np.testing.assert_array_equal(moved.asnumpy(), np.moveaxis(x.asnumpy(), source, destination))


@pytest.mark.parametrize(
    ("source", "destination", "message"),
    [
        (3, 0, r"source=\(3,\) is outside the 3 axes"),
        ((0, 0), (1, 2), r"source=\(0, 0\) names an axis twice"),
        ((0, 1), (1,), "must have the same length"),
    ],
)
def test_moveaxis_refuses_axes_that_make_no_sense(
    source: Any, destination: Any, message: str
) -> None:
    with pytest.raises(ShapeError, match=message):
        nd.moveaxis(nd.zeros((2, 3, 4)), source, destination)


def test_onehot_encode_writes_into_an_array() -> None:
    out = nd.full((2, 3), 5)
    assert nd.onehot_encode(nd.array([0, 2]), out) is out
    np.testing.assert_array_equal(out.asnumpy(), [[1, 0, 0], [0, 0, 1]])


def test_histogram_counts_between_edges() -> None:
    x = nd.array([1, 2, 3, 4])
    counts, edges = nd.histogram(x, bins=2, range=(0, 4))
    np.testing.assert_array_equal(counts.asnumpy(), np.array([1, 3]))
    np.testing.assert_array_equal(edges.asnumpy(), np.array([0, 2, 4], "float32"))
    counts, edges = nd.histogram(x, bins=nd.array([0, 2, 5]))
    np.testing.assert_array_equal(counts.asnumpy(), np.array([1, 3]))
    counts, edges = nd.histogram(x, bins=2)
    assert counts.dtype is np.float32
    np.testing.assert_array_equal(edges.asnumpy(), [1, 2.5, 4])
    with pytest.raises(ArgumentError, match="bins must be an int or NDArray, got float"):
        nd.histogram(x, bins=2.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [nd.zeros, nd.ones, nd.empty, mx_np.zeros, nd.random.uniform])
def test_a_shape_may_be_an_array_of_numpy(make: Callable[..., Any]) -> None:
    assert make(shape=np.array([2, 3])).shape == (2, 3)
    assert make(shape=np.array([4])).shape == (4,)


@pytest.mark.parametrize(
    "make",
    [
        lambda: nd.zeros((-1, 2)),
        lambda: nd.full((2, -1), 1),
        lambda: nd.random.uniform(shape=(-1, 2)),
        lambda: mx_np.ones((-1, 2)),
    ],
)
def test_negative_sizes_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(ShapeError, match=r"shape \(.*-1.*\) has a negative size"):
        make()


@pytest.mark.parametrize("module", [nd, mx_np], ids=["nd", "np"])
@pytest.mark.parametrize("dtype", [None, "float64"])
def test_gradients_flow_to_the_array_that_is_copied(module: Any, dtype: str | None) -> None:
    x = module.array([1, 2])
    x.attach_grad()
    with autograd.record():
        copy = module.array(x, dtype=dtype)
        y = copy.astype("float32") * x
    y.backward()
    assert type(copy) is type(x)
    assert np.dtype(copy.dtype) == (dtype or "float32")
    assert x.grad.asnumpy().tolist() == [2, 4]


def test_classic_arrays_without_axes_are_filled_in_numpys_semantics_alone() -> None:
    with np_shape(True):
        assert nd.full((), 2).asscalar() == 2
    with pytest.raises(IndexingError, match="0 axes"):
        nd.full((), 2)
