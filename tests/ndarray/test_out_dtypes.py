"""``out=`` and ``+=``: as many arrays as there are results, of their dtypes, as in MXNet."""

from collections.abc import Callable
from typing import Any

import pytest

from hy_ndarray import ArgumentError, DTypeError, NDArray, nd, np

loose: Any = nd
VECTOR, WHOLE = np.ones(2), np.array([1, 2], dtype="int32")

WRITTEN: dict[str, Callable[[str], Any]] = {
    "np.exp": lambda d: np.exp(VECTOR, out=np.zeros(2, dtype=d)),
    "np.add": lambda d: np.add(VECTOR, VECTOR, out=np.zeros(2, dtype=d)),
    "np.add of a number": lambda d: np.add(VECTOR, 1, out=np.zeros(2, dtype=d)),
    "np.lcm": lambda d: np.lcm(WHOLE, WHOLE, out=np.zeros(2, dtype=d)),
    "np.sum": lambda d: np.sum(VECTOR, out=np.zeros((), dtype=d)),
    "np.cumsum": lambda d: np.cumsum(VECTOR, out=np.zeros(2, dtype=d)),
    "np.dot": lambda d: np.dot(VECTOR, VECTOR, out=np.zeros((), dtype=d)),
    "np.concatenate": lambda d: np.concatenate([VECTOR, VECTOR], out=np.zeros(4, dtype=d)),
    "np.isnan": lambda d: np.isnan(VECTOR, out=np.zeros(2, dtype=d)),
    "np.isneginf": lambda d: np.isneginf(VECTOR, out=np.zeros(2, dtype=d)),
    "np.logical_not": lambda d: np.logical_not(VECTOR, out=np.zeros(2, dtype=d)),
    "nd.exp": lambda d: nd.exp(nd.ones(2), out=nd.zeros(2, dtype=d)),
    "nd.dot": lambda d: nd.dot(nd.ones(2), nd.ones(2), out=nd.zeros(1, dtype=d)),
    "nd.softmax": lambda d: nd.softmax(nd.ones(2), out=nd.zeros(2, dtype=d)),
    "nd.split": lambda d: loose.split(nd.ones(2), 2, axis=0, out=[nd.zeros(1, dtype=d)] * 2),
    "+=": lambda d: np.zeros(2, dtype=d).__iadd__(VECTOR),
    "/=": lambda d: np.zeros(2, dtype=d).__itruediv__(VECTOR),
}


@pytest.mark.parametrize("what", WRITTEN)
def test_results_of_another_dtype_are_not_written(what: str) -> None:
    with pytest.raises(DTypeError, match="float16"):
        WRITTEN[what]("float16")


def test_booleans_are_written_to_booleans() -> None:
    out = np.zeros(2, dtype="bool")
    assert np.isfinite(VECTOR, out=out) is out
    assert out.tolist() == [True, True]


def test_what_is_refused_leaves_the_array_as_it_was() -> None:
    out = np.zeros(2, dtype="int32")
    with pytest.raises(DTypeError):
        np.exp(VECTOR, out=out)
    assert out.tolist() == [0, 0]


def test_a_number_takes_the_dtype_of_the_array_it_is_added_to() -> None:
    array = np.ones(2, dtype="int32")
    array += 1.5
    assert array.dtype == "int32"
    assert array.tolist() == [2, 2]


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_copies_and_random_numbers_take_the_dtype_of_out(dtype: str) -> None:
    filled = (
        loose.random_uniform(1, 2, shape=(2,), out=nd.zeros(2, dtype=dtype)),
        nd.random.normal(5, 0.1, out=nd.zeros(2, dtype=dtype)),
        nd.ones(2).copyto(nd.zeros(2, dtype=dtype)),
    )
    for array in filled:
        assert isinstance(array, NDArray)
        assert array.dtype == np.zeros(1, dtype=dtype).dtype
        assert array.asnumpy().min() >= 1


def zeros(*shapes: tuple[int, ...]) -> list[NDArray]:
    return [nd.zeros(shape) for shape in shapes]


@pytest.mark.parametrize(
    "call",
    [
        lambda: loose.exp(nd.ones(2), out=[]),
        lambda: loose.exp(nd.ones(2), out=zeros((2,), (2,))),
        lambda: loose.split(nd.ones((2, 2)), 2, out=nd.zeros((2, 1))),
        lambda: loose.topk(nd.ones((2, 2)), out=zeros((2, 1), (2, 1))),
        lambda: loose.BatchNorm(nd.ones((2, 2)), *[nd.ones(2)] * 4, out=zeros((2, 2), (2,))),
    ],
    ids=["none", "two of one result", "one of two", "indices alone", "two of one or three"],
)
def test_out_of_another_number_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(ArgumentError, match="number of arrays in out"):
        call()


def test_out_may_be_of_the_hidden_results_too() -> None:
    arrays = zeros((2, 2), (2,), (2,))
    found = loose.BatchNorm(nd.ones((2, 2)), *[nd.ones(2)] * 4, out=arrays)
    assert found is arrays
    assert arrays[0].asnumpy().tolist() == [[1, 1], [1, 1]]
