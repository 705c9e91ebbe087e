"""What random operators draw: moments, bounds, seeds, refusals."""

import math
from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, autograd, cpu, nd, random
from hy_ndarray._errors import ArgumentError, DTypeError, ShapeError

COUNT = 40_000

MOMENTS = (
    ("uniform", {"low": -1.0, "high": 3.0}, 1.0, 16 / 12),
    ("normal", {"loc": 2.0, "scale": 0.5}, 2.0, 0.25),
    ("gamma", {"alpha": 3.0, "beta": 0.5}, 1.5, 0.75),
    ("exponential", {"lam": 2.0}, 0.5, 0.25),
    ("poisson", {"lam": 4.0}, 4.0, 4.0),
    ("negative_binomial", {"k": 5, "p": 0.4}, 7.5, 18.75),
    ("generalized_negative_binomial", {"mu": 3.0, "alpha": 0.4}, 3.0, 6.6),
)


@pytest.fixture(autouse=True)
def seeded() -> None:
    random.seed(11)


def _agree(values: Any, mean: float, variance: float) -> None:
    """Mean and variance of a sample, within five standard errors of those of a normal one."""
    x = values.astype(np.float64)
    assert abs(x.mean() - mean) < 5 * math.sqrt(variance / x.size)
    assert abs(x.var() - variance) < 20 * variance / math.sqrt(x.size)


@pytest.mark.parametrize(("name", "params", "mean", "variance"), MOMENTS)
def test_moments_of_numbers(name: str, params: Any, mean: float, variance: float) -> None:
    drawn = getattr(nd, f"random_{name}")(**params, shape=COUNT)
    assert (drawn.shape, drawn.dtype) == ((COUNT,), np.float32)
    _agree(drawn.asnumpy(), mean, variance)


@pytest.mark.parametrize(("name", "params", "mean", "variance"), MOMENTS)
def test_moments_in_the_shape_of_another(
    name: str, params: Any, mean: float, variance: float
) -> None:
    like = nd.array(np.zeros((200, 200)), dtype="float64")
    drawn = getattr(nd.random, f"{name}_like")(like, **params)
    assert (drawn.shape, drawn.dtype) == (like.shape, np.float64)
    _agree(drawn.asnumpy(), mean, variance)


@pytest.mark.parametrize(("name", "params", "mean", "variance"), MOMENTS)
def test_moments_of_arrays(name: str, params: Any, mean: float, variance: float) -> None:
    both = [nd.array([value, 1]) for value in params.values()]
    drawn = getattr(nd, f"sample_{name}")(*both, shape=COUNT)
    assert drawn.shape == (2, COUNT)
    _agree(drawn.asnumpy()[0], mean, variance)


@pytest.mark.parametrize("name", ["uniform", "normal", "gamma"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_every_floating_dtype(name: str, dtype: str) -> None:
    drawn = getattr(nd.random, name)(2, 3, shape=(5, 1), dtype=dtype)
    assert np.dtype(drawn.dtype).name == dtype


def test_uniform_numbers_lie_within_the_bounds() -> None:
    x = nd.random.uniform(2, 2.5, shape=COUNT).asnumpy()
    assert x.min() >= 2
    assert x.max() <= 2.5


def test_whole_numbers_are_equally_likely() -> None:
    x = nd.random.randint(-2, 3, shape=COUNT).asnumpy()
    counts = np.bincount(x + 2)
    assert x.dtype == np.int32
    assert len(counts) == 5
    assert abs(counts - COUNT / 5).max() < 500


def test_large_whole_numbers() -> None:
    x = nd.random.randint(2**40, 2**40 + 2, shape=100, dtype="int64").asnumpy()
    assert set(x.tolist()) == {2**40, 2**40 + 1}


def test_shuffle_keeps_the_rows() -> None:
    x = np.arange(60).reshape(20, 3)
    y = nd.random.shuffle(nd.array(x)).asnumpy()
    assert not np.array_equal(x, y)
    np.testing.assert_array_equal(y[np.argsort(y[:, 0])], x)


def test_multinomial_follows_the_probabilities() -> None:
    data = nd.array([[0.1, 0.2, 0.7, 0], [0, 0.5, 0.5, 0]])
    x = nd.random.multinomial(data, shape=COUNT).asnumpy()
    for row, wanted in zip(x, data.asnumpy(), strict=True):
        np.testing.assert_allclose(np.bincount(row, minlength=4) / COUNT, wanted, atol=0.02)


def test_multinomial_scales_probabilities_to_sum_one() -> None:
    x = nd.random.multinomial(nd.array([1, 3]), shape=COUNT).asnumpy()
    assert abs(x.mean() - 0.75) < 0.02


def test_multinomial_gradient_is_the_score() -> None:
    data = nd.array([[0.2, 0.8], [1, 0]])
    data.attach_grad()
    with autograd.record():
        index, logs = nd.random.multinomial(data, shape=3, get_prob=True)
    logs.backward(nd.array([[1, 2, 3], [4, 5, 6]]))
    wanted = np.zeros((2, 2))
    heads = np.array([[1, 2, 3], [4, 5, 6]])
    np.add.at(wanted, (np.array([[0], [1]]), index.asnumpy()), heads)
    assert data.grad is not None
    scores = wanted / np.array([[0.2, 0.8], [1, np.inf]])
    np.testing.assert_allclose(data.grad.asnumpy(), scores, rtol=1e-6)


def test_zipfian_rows_have_different_numbers() -> None:
    numbers, tries = nd.random.unique_zipfian(range_max=20, shape=(3, 15))
    assert numbers.dtype == tries.dtype == np.int64
    for row, count in zip(numbers.asnumpy(), tries.asnumpy(), strict=True):
        assert len(set(row.tolist())) == 15
        assert row.min() >= 0
        assert row.max() < 20
        assert count >= 15


def test_zipfian_numbers_are_small_ones_more_often() -> None:
    numbers, _ = nd.random.unique_zipfian(range_max=10, shape=(5000, 1))
    shares = np.bincount(numbers.asnumpy()[:, 0], minlength=10) / 5000
    k = np.arange(10)
    np.testing.assert_allclose(shares, np.log((k + 2) / (k + 1)) / np.log(11), atol=0.03)


def test_the_seed_decides() -> None:
    first = nd.random.normal(shape=5).asnumpy()
    second = nd.random.normal(shape=5).asnumpy()
    random.seed(11)
    np.testing.assert_array_equal(nd.random.normal(shape=5).asnumpy(), first)
    assert not np.array_equal(first, second)


def test_out_tells_shape_and_dtype() -> None:
    out = nd.array(np.zeros((2, 3)), dtype="float64")
    assert nd.random.uniform(5, 6, out=out) is out
    assert (out.asnumpy() >= 5).all()
    whole = nd.array(np.zeros(4), dtype="int64")
    assert nd.random.randint(5, 6, out=whole).asnumpy().tolist() == [5] * 4


def test_shapes_of_the_python_functions() -> None:
    low, high = nd.array([0, 10]), nd.array([1, 11])
    assert nd.random.uniform(low, high).shape == (2,)
    assert nd.random.uniform(low, high, shape=(3, 4)).shape == (2, 3, 4)
    assert nd.random.uniform().shape == nd.random.randn().shape == (1,)
    assert nd.random.randn(2, 3, loc=1, dtype="float64").dtype == np.float64
    assert nd.random.multinomial(nd.array([[0.5, 0.5]])).shape == (1,)


def test_exponential_takes_the_mean() -> None:
    x = nd.random.exponential(nd.array([0.5, 8]), shape=COUNT).asnumpy()
    np.testing.assert_allclose(x.mean(1), [0.5, 8], rtol=0.05)
    np.testing.assert_allclose(nd.random.exponential(8, shape=COUNT).asnumpy().mean(), 8, rtol=0.05)


def test_drawing_has_no_gradient() -> None:
    mu, sigma = nd.array([1, 2]), nd.array([1, 1])
    mu.attach_grad()
    with autograd.record():
        y = nd.random.normal(mu, sigma, shape=2)
    y.backward()
    assert mu.grad is not None
    assert mu.grad.asnumpy().tolist() == [0, 0]


def test_a_success_of_probability_above_1_is_certain() -> None:
    for draw in (nd.random.negative_binomial, nd.random_negative_binomial):
        assert draw(3, 2.0, shape=(9,)).asnumpy().tolist() == [0] * 9
    drawn = nd.random.negative_binomial(nd.array([3, 3]), nd.array([2, 1e-3]), shape=9).asnumpy()
    assert drawn[0].tolist() == [0] * 9
    assert drawn[1].min() > 0


REFUSED = (
    (lambda: nd.random.exponential(0), ArgumentError, "scale=0 must be positive"),
    (lambda: nd.random.exponential("a"), ArgumentError, "scale must be a number, got str"),
    (lambda: nd.random.uniform(0, nd.array([1])), ArgumentError, "all numbers or all NDArrays$"),
    (lambda: nd.random.uniform(dtype="int32"), DTypeError, "int32 must be one of"),
    (
        lambda: nd.random.randint(0, 3, dtype="float32"),
        DTypeError,
        "dtype=float32 must be int32 or int64",
    ),
    (
        lambda: nd.sample_normal(nd.array([1]), nd.array([1, 2])),
        ShapeError,
        r"mu \(1,\) must be \(2,\)",
    ),
    (lambda: nd.random.multinomial(nd.array(np.zeros((2, 0)))), ShapeError, "one probability"),
    (
        lambda: nd.random.unique_zipfian(range_max=3, shape=(1, 4)),
        ArgumentError,
        "cannot draw 4 diff",
    ),
    (lambda: nd.random.unique_zipfian(range_max=3), ArgumentError, "two sizes"),
)


@pytest.mark.parametrize(("call", "kind", "message"), REFUSED)
def test_refusals_name_the_parameter(call: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


LATE = (
    (lambda: nd.random.uniform(3, 1), ArgumentError, "_random_uniform: low=3"),
    (lambda: nd.random.normal(0, -1), ArgumentError, "scale=-1"),
    (lambda: nd.random.gamma(0, 1), ArgumentError, "alpha=0"),
    (lambda: nd.random.gamma(1, -1), ArgumentError, "beta=-1"),
    (lambda: nd.random_exponential(lam=-1), ArgumentError, "lam=-1"),
    (lambda: nd.random.poisson(-1), ArgumentError, "lam=-1"),
    (lambda: nd.random.negative_binomial(-1, 0.5), ArgumentError, "k=-1"),
    (lambda: nd.random.negative_binomial(1, 0), ArgumentError, "p=0"),
    (lambda: nd.random.generalized_negative_binomial(-1), ArgumentError, "mu=-1"),
    (lambda: nd.random.generalized_negative_binomial(1, -1), ArgumentError, "alpha=-1"),
    (lambda: nd.random.randint(3, 3), ArgumentError, "low=3 must be less than high=3"),
    (lambda: nd.random.uniform_like(nd.array([1], dtype="int32")), DTypeError, "must be floating"),
)


@pytest.mark.parametrize(("call", "kind", "message"), LATE)
def test_what_cannot_be_drawn_is_refused_when_it_is_read(
    call: Any, kind: type[Exception], message: str
) -> None:
    drawn = call()
    assert drawn.shape == (1,)
    derived = [
        drawn,
        drawn.copy(),
        drawn[0],
        (nd.ones(1, dtype=drawn.dtype) + drawn * 2).astype("float64"),
    ]
    for x in (*derived, *nd.split(nd.concat(drawn, drawn, dim=0), num_outputs=2, axis=0)):
        for read in (x.asnumpy, x.wait_to_read, x.asscalar, x.__repr__):
            with pytest.raises(kind, match=message):
                read()


def test_what_cannot_be_drawn_has_a_shape_and_a_dtype() -> None:
    drawn = nd.random.normal(0, -1, shape=(2, 3), dtype="float64", ctx=cpu(1))
    assert (drawn.shape, drawn.dtype, drawn.context) == ((2, 3), np.float64, cpu(1))
    assert (drawn.T.shape, drawn[1, 1:].shape, drawn.sum(axis=0).shape) == ((3, 2), (2,), (3,))
    assert (drawn.copyto(cpu()).context, drawn.as_in_context(cpu()).context) == (cpu(), cpu())
    assert isinstance(drawn, NDArray)
    assert nd.random.randint(3, 1, shape=2, dtype="int64").dtype == np.int64


def test_what_cannot_be_drawn_is_no_value_for_another_array() -> None:
    drawn, target = nd.random.gamma(-1, 1, shape=2), nd.zeros(2)
    for write in (
        lambda: drawn.copyto(target),
        lambda: nd.elemwise_add(drawn, target, out=target),
        lambda: target.__setitem__(slice(None), drawn),
        lambda: nd.random.gamma(-1, 1, out=target),
    ):
        with pytest.raises(ArgumentError, match="alpha=-1"):
            write()
    assert target.asnumpy().tolist() == [0, 0]
