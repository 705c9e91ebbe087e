"""Functions of symbols that are more than one operator: creation, random numbers, methods."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import nd, random
from hy_ndarray.array.fluent import Fluent
from hy_symbol import Symbol, sym

FLUENT = sorted(name for name, value in vars(Fluent).items() if callable(value) and name[0] != "_")


def value(symbol: Symbol, **arrays: Any) -> Any:
    return symbol.eval(**arrays)[0].asnumpy()


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        (lambda: sym.zeros((2, 3)), np.zeros((2, 3))),
        (lambda: sym.ones(2), np.ones(2)),
        (lambda: sym.full((2,), 7), np.full(2, 7.0)),
        (lambda: sym.arange(4), np.arange(4.0)),
        (lambda: sym.arange(1, 4, 0.5, repeat=2), np.repeat(np.arange(1, 4, 0.5), 2)),
        (lambda: sym.linspace(0, 1, 5), np.linspace(0, 1, 5)),
        (lambda: sym.linspace(0, 1, 5, endpoint=False), np.linspace(0, 1, 5, endpoint=False)),
        (lambda: sym.eye(3, 4, 1), np.eye(3, 4, 1)),
        (lambda: sym.eye(2), np.eye(2)),
    ],
)
def test_creations_make_what_numpy_makes(symbol: Callable[[], Symbol], expected: Any) -> None:
    found = value(symbol())
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_creations_have_the_dtype_asked_for() -> None:
    assert value(sym.zeros((2,), dtype="int8")).dtype == np.int8
    assert value(sym.arange(3, dtype="int64")).dtype == np.int64


def test_two_symbols_or_a_symbol_and_a_number() -> None:
    a, b = sym.var("a"), sym.var("b")
    x, y = nd.array([1.0, 4.0]), nd.array([3.0, 2.0])
    assert value(sym.maximum(a, b), a=x, b=y).tolist() == [3, 4]
    assert value(sym.maximum(2, a), a=x).tolist() == [2, 4]
    assert value(sym.minimum(a, 2), a=x).tolist() == [1, 2]
    assert value(sym.pow(2, a), a=x).tolist() == [2, 16]
    assert value(sym.power(a, b), a=x, b=y).tolist() == [1, 16]
    np.testing.assert_allclose(value(sym.hypot(a, b), a=x, b=y), np.hypot([1, 4], [3, 2]))


def test_histogram_counts_by_number_of_bins_or_by_edges() -> None:
    a, x = sym.var("a"), nd.array([0.1, 0.2, 0.7, 0.9])
    counts, edges = sym.histogram(a, 2, (0, 1)).eval(a=x)
    assert counts.asnumpy().tolist() == [2, 2]
    np.testing.assert_allclose(edges.asnumpy(), [0, 0.5, 1])
    counts, _ = sym.histogram(a, sym.var("e")).eval(a=x, e=nd.array([0.0, 0.15, 1.0]))
    assert counts.asnumpy().tolist() == [1, 3]


def test_split_v2_cuts_into_sections_or_at_indices() -> None:
    a, x = sym.var("a"), nd.array(np.arange(6.0))
    first, second = sym.split_v2(a, 2).eval(a=x)
    assert (first.shape, second.asnumpy().tolist()) == ((3,), [3, 4, 5])
    parts = a.split_v2((1, 4)).eval(a=x)
    assert [part.shape for part in parts] == [(1,), (3,), (2,)]


# --- random numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("symbol", "mean"),
    [
        (lambda: sym.random.uniform(2, 4, shape=(2000,)), 3.0),
        (lambda: sym.random.normal(5, 1, shape=(2000,)), 5.0),
        (lambda: sym.random.randn(20, 100, loc=2, scale=0.1), 2.0),
        (lambda: sym.random.gamma(4, 0.5, shape=(2000,)), 2.0),
        (lambda: sym.random.exponential(2, shape=(2000,)), 2.0),
        (lambda: sym.random.poisson(3, shape=(2000,)), 3.0),
        (lambda: sym.random.negative_binomial(4, 0.5, shape=(2000,)), 4.0),
        (lambda: sym.random.generalized_negative_binomial(2, 0.3, shape=(2000,)), 2.0),
        (lambda: sym.random.randint(0, 5, shape=(2000,)), 2.0),
        (lambda: sym.random.uniform_like(sym.ones((2000,)), low=0, high=1), 0.5),
        (lambda: sym.uniform(low=0, high=1, shape=(2000,)), 0.5),
    ],
)
def test_random_numbers_have_their_mean(symbol: Callable[[], Symbol], mean: float) -> None:
    random.seed(11)
    assert value(symbol()).mean() == pytest.approx(mean, rel=0.1)


def test_parameters_of_distributions_may_be_symbols() -> None:
    random.seed(5)
    low, high = sym.var("low"), sym.var("high")
    arrays = {"low": nd.array([0.0, 10.0]), "high": nd.array([1.0, 11.0])}
    found = value(sym.random.uniform(low, high, shape=(50,)), **arrays)
    assert found.shape == (2, 50)
    assert found[0].max() < 1
    assert found[1].min() >= 10
    scale = {"scale": nd.array([0.01, 100.0])}
    found = value(sym.random.exponential(sym.var("scale"), shape=(500,)), **scale)
    np.testing.assert_allclose(found.mean(axis=1), [0.01, 100], rtol=0.3)


def test_random_shapes_may_follow_from_their_use() -> None:
    noisy = sym.var("x") + sym.random.normal(shape=(0, 3))
    assert value(noisy, x=nd.ones((4, 3))).shape == (4, 3)


def test_multinomial_draws_indices_and_log_probabilities() -> None:
    drawn = sym.random.multinomial(sym.var("p"), shape=(5,))
    indices, logs = drawn.eval(p=nd.array([0.0, 1.0]))
    assert indices.asnumpy().tolist() == [1] * 5
    np.testing.assert_allclose(logs.asnumpy(), np.zeros(5), atol=1e-6)
    assert len(sym.random.multinomial(sym.var("p"), get_prob=False)) == 1


@pytest.mark.parametrize("space", [nd, sym])
def test_zipfian_candidates_come_with_expected_numbers(space: Any) -> None:
    random.seed(2)
    classes = nd.array([0, 3])
    if space is sym:
        found = sym.Group(sym.contrib.rand_zipfian(sym.var("c"), 2000, 5)).eval(c=classes)
    else:
        found = [*nd.contrib.rand_zipfian(classes, 2000, 5)]
    sampled, expected, _ = (x.asnumpy() for x in found)
    assert sampled.dtype == np.int64
    assert set(sampled) <= set(range(5))
    counts = [(sampled == 0).sum(), (sampled == 3).sum()]
    np.testing.assert_allclose(counts, expected, rtol=0.15)


def test_shuffle_keeps_the_elements() -> None:
    found = value(sym.random.shuffle(sym.var("x")), x=nd.array(np.arange(9.0)))
    assert sorted(found) == list(range(9))


# --- methods --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLUENT)
def test_every_method_of_arrays_that_is_an_operator_is_one_of_symbols(name: str) -> None:
    assert callable(getattr(sym.var("x"), name))


METHODS: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: x.reshape((3, 2)),
    "reshape of numbers": lambda x: x.reshape(3, 2),
    "reshape of a keyword": lambda x: x.reshape(shape=(-1,)),
    "astype": lambda x: x.astype("float64"),
    "expand_dims": lambda x: x.expand_dims(axis=1),
    "expand_dims by position": lambda x: x.expand_dims(0),
    "flatten": lambda x: x.flatten(),
    "squeeze": lambda x: x.expand_dims(axis=1).squeeze(),
    "squeeze of an axis": lambda x: x.expand_dims(axis=1).squeeze(axis=1),
    "diag": lambda x: x.diag(),
    "diag above": lambda x: x.diag(k=1),
    "broadcast_to": lambda x: x.sum(axis=0, keepdims=True).broadcast_to((5, 3)),
    "broadcast_like": lambda x: x.sum(axis=0, keepdims=True).broadcast_like(x),
    "transpose": lambda x: x.transpose(),
    "slice_axis": lambda x: x.slice_axis(axis=1, begin=0, end=2),
    "clip": lambda x: x.clip(1, 3),
    "softmax": lambda x: x.softmax(axis=0),
    "mean": lambda x: x.mean(axis=1),
    "argmax": lambda x: x.argmax(axis=1),
    "topk": lambda x: x.topk(k=2, ret_typ="value"),
    "tile": lambda x: x.tile(reps=(2, 1)),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "abs": lambda x: (x - 3).abs(),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_of_a_symbol_does_what_it_does_to_an_array(name: str) -> None:
    x = nd.array(np.arange(6.0).reshape(2, 3))
    expected = METHODS[name](x).asnumpy()
    found = value(METHODS[name](sym.var("x")), x=x)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
