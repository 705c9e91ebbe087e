"""Functions of ``mx.np``, where they are more than one operator, and their errors."""

import math
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import (
    ArgumentError,
    AutogradError,
    DTypeError,
    KernelError,
    ShapeError,
    autograd,
    cpu,
    np,
    npx,
    random,
)


@pytest.fixture
def x() -> np.ndarray:
    return np.array([[1, 2, 3], [4, 5, 6]])


# --- creation ---------------------------------------------------------------------------------


def test_creation_is_float32_unless_said() -> None:
    made = [
        np.zeros(2),
        np.ones((2,)),
        np.full(2, 7),
        np.arange(3),
        np.linspace(0, 1, 3),
        np.eye(2),
    ]
    assert {array.dtype for array in made} == {onp.dtype("float32")}
    assert np.full(2, True).dtype == onp.bool_
    assert np.zeros(2, dtype=int).dtype == onp.int64
    assert np.arange(3, 1).shape == (0,)
    assert np.zeros((0, 2)).size == 0


def test_grids_and_windows() -> None:
    across, down = np.meshgrid(np.arange(2), np.arange(3))
    assert across.tolist() == [[0, 1]] * 3
    assert down.tolist() == [[0, 0], [1, 1], [2, 2]]
    sparse = np.meshgrid(np.arange(2), np.arange(3), sparse=True, indexing="ij")
    assert [axis.shape for axis in sparse] == [(2, 1), (1, 3)]
    values, step = np.linspace(0, 1, 5, retstep=True)
    assert (values.tolist(), step) == ([0, 0.25, 0.5, 0.75, 1], 0.25)
    with pytest.raises(ArgumentError, match="step must not be 0"):
        np.arange(0, 1, 0)


def test_a_filled_array_takes_the_shape_of_another(x: np.ndarray) -> None:
    assert np.full((2, 3), np.array([1, 2, 3])).tolist() == [[1, 2, 3]] * 2
    assert np.ones_like(x, dtype="int8").dtype == onp.int8
    assert np.full_like(x, 2).tolist() == [[2] * 3] * 2


# --- elements ---------------------------------------------------------------------------------


def test_functions_of_numbers_give_numbers() -> None:
    assert np.sin(0.0) == 0.0
    assert np.add(1, 2) == 3
    assert np.maximum(2, 5) == 5


def test_options_of_numpy_must_change_nothing(x: np.ndarray) -> None:
    assert np.exp(x, where=True, casting="same_kind").shape == (2, 3)
    with pytest.raises(ArgumentError, match="order='F' is not supported"):
        np.exp(x, order="F")
    with pytest.raises(ArgumentError, match="unknown argument 'axis'"):
        np.exp(x, axis=0)


def test_results_are_written_to_out(x: np.ndarray) -> None:
    target = np.zeros((2, 3))
    assert np.exp(x * 0, out=target) is target
    assert target.tolist() == [[1] * 3] * 2
    bad = np.array([math.nan, math.inf])
    assert np.nan_to_num(bad, copy=False, posinf=9) is bad
    assert bad.tolist() == [0, 9]


@pytest.mark.parametrize("first", [True, False])
def test_where_with_a_number_gives_the_array_its_gradient(x: np.ndarray, first: bool) -> None:
    x.attach_grad()
    with autograd.record():
        chosen = np.where(x > 3, x, 0) if first else np.where(x > 3, 0, x)
    chosen.backward()
    assert x.grad is not None
    assert x.grad.tolist() == ([[0, 0, 0], [1, 1, 1]] if first else [[1, 1, 1], [0, 0, 0]])


def test_where_takes_numbers_on_either_side(x: np.ndarray) -> None:
    assert np.where(x > 3, x, 0).tolist() == [[0, 0, 0], [4, 5, 6]]
    assert np.where(x > 3, 0, x).tolist() == [[1, 2, 3], [0, 0, 0]]
    assert np.where(x > 3, 1.5, 0).sum().item() == 4.5
    rows, columns = np.where(x > 5)
    assert (rows.tolist(), columns.tolist()) == ([1], [2])
    operands = [x > 3, x]
    with pytest.raises(ArgumentError, match="both of x and y"):
        np.where(*operands)
    with pytest.raises(DTypeError, match="int32 must be float32"):
        np.where(x > 3, x, x.astype("int32"))


def test_clip_needs_an_end(x: np.ndarray) -> None:
    assert np.clip(x, None, 3).max().item() == 3
    assert x.clip(2, 5).tolist() == [[2, 2, 3], [4, 5, 5]]
    with pytest.raises(ArgumentError, match="both None"):
        np.clip(x, None, None)


# --- shapes -----------------------------------------------------------------------------------


def test_reshape_codes_of_npx() -> None:
    x = np.zeros((2, 1, 6))
    assert npx.reshape(x, (-2, -3, -6, 2, -1)).shape == (2, 2, 3)
    assert npx.reshape(x, (-5, -4)).shape == (2, 6)
    assert npx.reshape(x, (-1, -2), reverse=True).shape == (2, 6)
    with pytest.raises(
        ShapeError, match=r"code -3 .* drops an axis of size 1, but axis 0 has size 2"
    ):
        npx.reshape(x, (-3, -4))
    with pytest.raises(ShapeError, match=r"\(12 elements\) by newshape=\(5, -1\)"):
        np.reshape(x, (5, -1))


def test_arrays_are_divided(x: np.ndarray) -> None:
    assert [part.shape for part in np.split(x, 3, axis=1)] == [(2, 1)] * 3
    assert [part.shape for part in np.array_split(np.arange(7), 3)] == [(3,), (2,), (2,)]
    assert [part.shape for part in np.hsplit(x, (1,))] == [(2, 1), (2, 2)]
    assert len(np.split(x, 1)) == 1
    with pytest.raises(ShapeError, match="cannot be divided into 2 equal parts"):
        np.split(x, 2, axis=1)


def test_elements_are_put_in_and_left_out(x: np.ndarray) -> None:
    assert np.insert(x, 1, 9, axis=1).tolist() == [[1, 9, 2, 3], [4, 9, 5, 6]]
    assert np.delete(x, slice(0, 2), axis=1).tolist() == [[3], [6]]
    assert np.append(x, x).shape == (12,)
    assert np.delete(x, np.array([0, 2], dtype="int64"), axis=1).tolist() == [[2], [5]]
    with pytest.raises(
        ArgumentError, match="delete: obj must be an index, a slice or an array, got a list"
    ):
        np.delete(x, [0, 2])


def test_pad_takes_one_pair_for_all_axes(x: np.ndarray) -> None:
    assert np.pad(x, 1).shape == (4, 5)
    assert np.pad(x, ((0, 1), (0, 0)), constant_values=7)[2].tolist() == [7, 7, 7]
    assert np.pad(x, (1, 0), mode="edge")[0].tolist() == [1, 1, 2, 3]
    with pytest.raises(ShapeError, match="pad_width"):
        np.pad(x, ((1, 1), (1, 1), (1, 1)))
    with pytest.raises(ArgumentError, match="end_values"):
        np.pad(x, 1, mode="constant", end_values=3)


def test_negative_indices_are_taken_from_the_end(x: np.ndarray) -> None:
    assert np.take(x, np.array([-1, 0], dtype="int64"), axis=1, mode="wrap").tolist() == [
        [3, 1],
        [6, 4],
    ]
    assert x.take(np.array(5)).item() == 6


# --- reductions and counting ------------------------------------------------------------------


def test_means_of_nothing_and_of_integers() -> None:
    assert np.mean(np.zeros((0,))).item() == 0
    assert np.mean(np.array([1, 2], dtype="int32")).dtype == onp.float32
    assert np.sum(np.array([True, True], dtype="bool")).item() == 2
    with pytest.raises(ShapeError, match="no elements to compare"):
        np.max(np.zeros((0, 2)), axis=0)


def test_averages_return_their_weights(x: np.ndarray) -> None:
    mean, weight = np.average(x, axis=1, weights=np.array([1, 0, 1]), returned=True)
    assert (mean.tolist(), weight.item()) == ([2, 5], 2)


def test_what_is_counted() -> None:
    values, counts = np.unique(np.array([3, 1, 3]), return_counts=True)
    assert (values.tolist(), counts.tolist()) == ([1, 3], [1, 2])
    assert np.bincount(np.array([0, 2, 2], dtype="int32")).tolist() == [1, 0, 2]
    counts, edges = np.histogram(np.array([1.0, 2.0, 3.0]), bins=2, range=(0, 4))
    assert (counts.tolist(), edges.tolist()) == ([1, 2], [0, 2, 4])
    with pytest.raises(ArgumentError, match="range is required"):
        np.histogram(np.zeros(3), bins=2)


# --- products and linear algebra --------------------------------------------------------------


def test_products(x: np.ndarray) -> None:
    assert np.dot(x, x.T).tolist() == [[14, 32], [32, 77]]
    assert np.inner(x, x).tolist() == [[14, 32], [32, 77]]
    assert np.outer(np.array([1, 2]), np.array([3, 4])).tolist() == [[3, 4], [6, 8]]
    assert np.vdot(x, x).item() == 91
    assert np.tensordot(x, x).item() == 91
    assert np.einsum("ij->j", x).tolist() == [5, 7, 9]
    with pytest.raises(ShapeError, match=r"inner dimensions differ: .* has 3"):
        np.dot(x, x)
    with pytest.raises(ShapeError, match="'ij' does not match"):
        np.einsum("ij->j", x[0])


def test_determinants_of_one_matrix_have_no_axes() -> None:
    matrix = np.array([[3, 1], [1, 2]])
    assert (np.linalg.det(matrix).shape, np.linalg.det(matrix).item()) == ((), 5)
    sign, log = np.linalg.slogdet(matrix)
    assert (sign.item(), round(log.item(), 6)) == (1, 1.609438)
    assert np.linalg.det(np.array([[[3, 1], [1, 2]]])).shape == (1,)


def test_factors_make_the_matrix_again(x: np.ndarray) -> None:
    u, s, v = np.linalg.svd(x)
    onp.testing.assert_allclose(((u * s) @ v).asnumpy(), x.asnumpy(), rtol=1e-5)
    symmetric = x @ x.T
    w, vectors = np.linalg.eigh(symmetric)
    onp.testing.assert_allclose(((vectors * w) @ vectors.T).asnumpy(), symmetric.asnumpy(), 1e-4)
    with pytest.raises(KernelError, match="not real"):
        np.linalg.eigvals(np.array([[0, 1], [-1, 0]]))


@pytest.mark.parametrize("order", [None, 1, 2, -2, math.inf, -math.inf, "fro", "nuc"])
def test_norms_are_numpys(order: str | float | None, x: np.ndarray) -> None:
    expected = onp.linalg.norm(x.asnumpy(), order)  # type: ignore[arg-type]
    assert np.linalg.norm(x, order).item() == pytest.approx(expected, rel=1e-5)


def test_unknown_norms_are_refused(x: np.ndarray) -> None:
    with pytest.raises(ArgumentError, match="ord='max' must be a number"):
        np.linalg.norm(x, "max")
    with pytest.raises(ArgumentError, match=r"ord=3.0 is not supported for matrices"):
        np.linalg.norm(x, 3)


# --- random numbers ---------------------------------------------------------------------------


def test_random_numbers_have_their_moments() -> None:
    random.seed(5)
    drawn = {
        "uniform": (np.random.uniform(-1, 3, 20000), 1.0),
        "normal": (np.random.normal(2, 0.5, 20000), 2.0),
        "gamma": (np.random.gamma(3.0, 2.0, 20000), 6.0),
        "exponential": (np.random.exponential(1.5, 20000), 1.5),
        "gumbel": (np.random.gumbel(0, 1, 20000), 0.5772),
        "logistic": (np.random.logistic(1, 1, 20000), 1.0),
        "rayleigh": (np.random.rayleigh(1.0, 20000), 1.2533),
        "pareto": (np.random.pareto(4.0, 20000), 1 / 3),
        "weibull": (np.random.weibull(2.0, 20000), 0.8862),
        "power": (np.random.power(2.0, 20000), 2 / 3),
        "beta": (np.random.beta(1.0, 3.0, 20000), 0.25),
        "chisquare": (np.random.chisquare(3.0, 20000), 3.0),
        "lognormal": (np.random.lognormal(0, 0.5, 20000), 1.1331),
        "bernoulli": (npx.random.bernoulli(prob=0.3, size=20000), 0.3),
    }
    for name, (numbers, mean) in drawn.items():
        assert numbers.dtype == onp.float32, name
        assert numbers.mean().item() == pytest.approx(mean, abs=0.1), name


def test_parameters_broadcast() -> None:
    loc = np.array([[0], [100]])
    assert np.random.normal(loc, 1.0).shape == (2, 1)
    assert np.random.normal(loc, 1.0, (2, 5)).mean(axis=1)[1].item() > 90
    assert npx.random.normal_n(loc, 1.0, batch_shape=(4,)).shape == (4, 2, 1)
    with pytest.raises(ShapeError, match=r"cannot be broadcast to size=\(3,\)"):
        np.random.normal(loc, 1.0, 3)


def test_gradients_flow_through_noise() -> None:
    scale = np.array([1, 2, 3])
    scale.attach_grad()
    with autograd.record():
        drawn = np.random.normal(0.0, scale)
        drawn.sum().backward()
    assert scale.grad is not None
    onp.testing.assert_allclose((scale.grad * scale).asnumpy(), drawn.asnumpy(), rtol=1e-6)


def test_choices_and_whole_numbers() -> None:
    random.seed(2)
    assert sorted(np.random.choice(4, 4, replace=False).tolist()) == [0, 1, 2, 3]
    assert set(np.random.choice(3, 50, p=np.array([0.5, 0, 0.5])).tolist()) == {0, 2}
    assert set(np.random.choice(np.array([7, 8]), 20).tolist()) == {7, 8}
    assert np.random.randint(3, size=(2, 2)).dtype == onp.int64
    assert np.random.multinomial(10, [0.5, 0.5], size=3).sum(axis=1).tolist() == [10] * 3
    array = np.arange(10)
    np.random.shuffle(array)
    assert sorted(array.tolist()) == list(range(10))
    assert np.random.multivariate_normal(np.zeros(2), np.eye(2), 5).shape == (5, 2)
    many = np.broadcast_to(np.eye(2), (4, 2, 2))
    assert np.random.multivariate_normal(np.zeros((4, 2)), np.eye(2), 3).shape == (3, 4, 2)
    assert np.random.multivariate_normal(np.zeros(2), many).shape == (4, 2)


@pytest.mark.parametrize("function", [np.bitwise_and, np.bitwise_or, np.lcm])
def test_functions_of_bits_refuse_floats_whatever_the_kernel_says(function: Any) -> None:
    with pytest.raises(DTypeError, match="must hold integers or booleans"):
        function(np.array([1.5]), np.array([2.0]))


# --- numpy's own ------------------------------------------------------------------------------


def test_numpy_computes_the_rest_on_the_host(x: np.ndarray) -> None:
    assert isinstance(np.cov(x), np.ndarray)
    assert np.argwhere(x > 5).tolist() == [[1, 2]]
    assert np.allclose(x, x)
    assert (np.shape(x), np.ndim(x), np.size(x), np.size(x, 1)) == ((2, 3), 2, 6, 3)
    assert np.linalg.matrix_rank(x) == 2


def test_no_gradient_flows_through_the_host(x: np.ndarray) -> None:
    x.attach_grad()
    with autograd.record(), pytest.raises(AutogradError, match="cov is computed by numpy"):
        np.cov(x)


def test_the_largest_takes_keepdims_before_out_as_in_mxnet() -> None:
    x = np.array([[1.0, 2.0], [3.0, 0.0]])
    assert np.max(x, 1, True).shape == np.min(x, 1, True).shape == (2, 1)
    assert np.all(x, 1, True).shape == np.any(x, 1, True).shape == (2, 1)
    assert np.max(x, 1, False, np.zeros(2)).asnumpy().tolist() == [2, 3]
    assert x.max(1, None, True).asnumpy().tolist() == [[2], [3]]


def test_an_array_goes_to_a_context_by_the_names_of_mxnet() -> None:
    x = np.ones(2)
    assert x.as_in_ctx(ctx=cpu(1)).ctx == cpu(1)
    assert x.as_in_context(context=cpu(1)).ctx == cpu(1)


@pytest.mark.parametrize(
    ("name", "joined"),
    [
        ("concatenate", [1, 2, 3, 4, 5, 6]),
        ("stack", [[1, 2, 3], [4, 5, 6]]),
        ("vstack", [[1, 2, 3], [4, 5, 6]]),
        ("row_stack", [[1, 2, 3], [4, 5, 6]]),
        ("hstack", [1, 2, 3, 4, 5, 6]),
        ("dstack", [[[1, 4], [2, 5], [3, 6]]]),
        ("column_stack", [[1, 4], [2, 5], [3, 6]]),
    ],
)
def test_rows_of_an_array_and_items_of_any_iterable_are_joined(
    x: np.ndarray, name: str, joined: list[Any]
) -> None:
    function = getattr(np, name)
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward(np.full(y.shape, 2.0))
    assert y.tolist() == joined
    assert x.grad is not None
    assert x.grad.tolist() == [[2, 2, 2], [2, 2, 2]]
    assert function(row for row in x).tolist() == joined
    assert function({"first": x[0], "second": x[1]}.values()).tolist() == joined
    for nothing in (5, (), np.zeros((0, 2)), np.array(1)):
        with pytest.raises(ArgumentError, match="at least one array"):
            function(nothing)
