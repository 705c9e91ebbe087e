"""Reductions, products and linear algebra: second gradients, limits, errors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hy_ndarray import ArgumentError, DTypeError, HyError, NDArray, ShapeError, autograd, nd, ops

Array = npt.NDArray[np.float64]
EPS = 1e-6


def _positive(values: Array) -> Array:
    """Symmetric, positive definite."""
    turned = values.swapaxes(-1, -2)
    return np.asarray(values @ turned + 3 * np.eye(values.shape[-1]))


TWICE: tuple[tuple[str, tuple[tuple[int, ...], ...], dict[str, Any]], ...] = (
    ("mean", ((2, 3),), {"axis": 1}),
    ("max", ((2, 3),), {"axis": 1}),
    ("prod", ((2, 4),), {"axis": 1}),
    ("norm", ((2, 3),), {"axis": 1}),
    ("moments", ((3, 4),), {"axes": (0,)}),
    ("_np_cumsum", ((3, 4),), {"axis": 0}),
    ("topk", ((3, 4),), {"k": 2, "ret_typ": "value"}),
    ("dot", ((2, 3, 4), (5, 6, 2)), {"transpose_a": True, "transpose_b": True}),
    ("batch_dot", ((2, 3, 4), (2, 5, 4)), {"transpose_b": True}),
    ("_linalg_gemm", ((2, 3), (3, 4), (2, 4)), {"alpha": 2.0}),
    ("_linalg_syrk", ((2, 3),), {}),
    ("_linalg_trmm", ((3, 3), (3, 2)), {}),
    ("_linalg_trsm", ((3, 3), (2, 3)), {"rightside": True, "alpha": 2.0}),
    ("_linalg_potrf", ((2, 3, 3),), {}),
    ("_linalg_potrf", ((3, 3),), {"lower": False}),
    ("_linalg_potri", ((3, 3),), {}),
    ("_linalg_gelqf", ((2, 4),), {}),
    ("_linalg_syevd", ((3, 3),), {}),
    ("_linalg_inverse", ((3, 3),), {}),
    ("_linalg_det", ((3, 3),), {}),
    ("_linalg_slogdet", ((2, 3, 3),), {}),
    ("_linalg_sumlogdiag", ((3, 3),), {}),
    ("_contrib_interleaved_matmul_selfatt_qk", ((3, 2, 12),), {"heads": 2}),
)


def _gradients(
    name: str, values: list[Array], params: dict[str, Any], heads: list[Array]
) -> tuple[list[NDArray], list[NDArray]]:
    """The inputs, and the recorded gradients of the outputs in the directions ``heads``."""
    op = ops.find(name)
    inputs = [nd.array(v, dtype="float64") for v in values]
    for x in inputs:
        x.attach_grad()
    with autograd.record():
        result = NDArray.apply_operator(op, inputs, op.parse(params), False)
        ys = result if isinstance(result, list) else [result]
        if not heads:
            draw = np.random.default_rng(5)
            heads += [draw.standard_normal(y.shape) for y in ys]
        dys = [nd.array(h, dtype="float64") for h in heads]
        found = autograd.grad(ys, inputs, dys, create_graph=True)
    return inputs, found


@pytest.mark.parametrize(("name", "shapes", "params"), TWICE, ids=str)
def test_second_gradient_is_the_numerical_one(
    name: str, shapes: tuple[tuple[int, ...], ...], params: dict[str, Any]
) -> None:
    draw = np.random.default_rng(7)
    values = [draw.uniform(0.5, 1.5, shape) for shape in shapes]
    if name.startswith("_linalg_") and len(values) < 3 and name not in PLAIN:
        values[0] = _positive(values[0])
    heads: list[Array] = []
    inputs, gradients = _gradients(name, values, params, heads)
    weights = [draw.standard_normal(shape) for shape in shapes]
    autograd.backward(gradients, [nd.array(w, dtype="float64") for w in weights])

    def at(i: int, direction: Array, t: float) -> float:
        moved = [v + t * direction if j == i else v for j, v in enumerate(values)]
        _, found = _gradients(name, moved, params, heads)
        pairs = zip(found, weights, strict=True)
        return float(sum((g.asnumpy() * w).sum() for g, w in pairs))

    for i, x in enumerate(inputs):
        direction = draw.standard_normal(shapes[i])
        if name in SYMMETRIC:  # the gradient is that of changes of both triangles
            direction = direction + direction.swapaxes(-1, -2)
        numeric = (at(i, direction, EPS) - at(i, direction, -EPS)) / (2 * EPS)
        assert x.grad is not None
        analytic = float((x.grad.asnumpy() * direction).sum())
        np.testing.assert_allclose(analytic, numeric, rtol=1e-5, atol=1e-5, err_msg=f"input {i}")


PLAIN = ("_linalg_syrk", "_linalg_gelqf")
SYMMETRIC = ("_linalg_potrf", "_linalg_syevd")


def _gradient(function: Callable[[NDArray], NDArray], values: Any) -> Any:
    x = nd.array(values)
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()
    assert x.grad is not None
    return x.grad.asnumpy()


def test_every_maximum_gets_the_whole_gradient() -> None:
    np.testing.assert_array_equal(_gradient(nd.max, [1.0, 3.0, 3.0]), [0, 1, 1])


def test_product_of_zeros_has_a_gradient() -> None:
    np.testing.assert_array_equal(_gradient(nd.prod, [2.0, 0.0, 3.0]), [0, 6, 0])
    np.testing.assert_array_equal(_gradient(nd.prod, [2.0, 0.0, 0.0]), [0, 0, 0])


def test_norm_of_zeros_has_gradient_zero() -> None:
    np.testing.assert_array_equal(_gradient(nd.norm, [0.0, 0.0]), [0, 0])


def test_singular_matrix_has_a_gradient_of_its_determinant() -> None:
    found = _gradient(nd.linalg.det, [[1.0, 2.0], [2.0, 4.0]])
    np.testing.assert_allclose(found, [[4, -2], [-2, 1]], rtol=1e-5, atol=1e-5)


def test_sums_of_float16_are_accumulated_in_float32() -> None:
    ones = nd.ones((3000,), dtype="float16")
    assert nd.sum(ones).asscalar() == 3000
    assert nd.norm(ones).asscalar() == np.float16(3000**0.5)
    assert nd.dot(ones, ones).asscalar() == 3000


def test_integers_keep_their_dtype() -> None:
    data = nd.array([250, 250, 3], dtype="uint8")
    assert (nd.sum(data).dtype, nd.sum(data).asscalar()) == (np.uint8, 503 % 256)
    assert (nd.mean(data).dtype, nd.mean(data).asscalar()) == (np.uint8, 167)
    assert nd.argmax(data.astype("int32"), axis=0).dtype == np.int32


def test_few_of_many_elements_are_found_in_order() -> None:
    values = np.random.default_rng(0).integers(0, 9, (4, 200)).astype("float32")
    found = nd.topk(nd.array(values), k=5, dtype="int64").asnumpy()
    np.testing.assert_array_equal(found, np.argsort(-values, kind="stable")[:, :5])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: nd.sum(x, axis=5), ShapeError, r"sum: axis=5 is outside the 2 axes of data"),
        (lambda x: nd.sum(x, axis=(1, -1)), ShapeError, r"repeats an axis of data \(2, 3\)"),
        (
            lambda x: nd.max(x[:, :0], axis=1),
            ShapeError,
            r"over axis=\(1,\): there are no elements to compare",
        ),
        (
            lambda x: nd.argmax(x[:0], axis=0),
            ShapeError,
            r"data \(0, 3\) over .* no elements to compare",
        ),
        (lambda x: nd.norm(x, ord=3), ArgumentError, "norm: parameter ord=3 must be 1 or 2"),
        (
            lambda x: nd.topk(x, k=4),
            ShapeError,
            r"topk: k=4 exceeds the 3 elements of data \(2, 3\)",
        ),
        (lambda x: nd.dot(x, x), ShapeError, r"dot: inner dimensions differ: lhs \(2, 3\) has 3"),
        (lambda x: nd.dot(x, x.astype("float64")), DTypeError, "dot: rhs float64 must be float32"),
        (lambda x: nd.batch_dot(x, x), ShapeError, r"lhs \(2, 3\) must have at least 3 axes"),
        (lambda x: nd.linalg.gemm2(x, x), ShapeError, r"of A \(2, 3\) and B \(2, 3\) differ"),
        (nd.linalg.potrf, ShapeError, r"A \(2, 3\) must be square"),
        (lambda x: nd.linalg.gelqf(x.T), ShapeError, r"A\(3, 2\) has more rows than columns"),
        (lambda x: nd.linalg.inverse(nd.ones((2, 2))), HyError, "(?i)singular"),
        (lambda x: nd.linalg.maketrian(nd.ones((5,))), ShapeError, "as a triangle has; got 5"),
        (lambda x: nd.linalg.det(nd.ones((2, 2), dtype="int32")), DTypeError, "must be floating"),
        (lambda x: nd.khatri_rao(x, x.T), ShapeError, r"must be \(\?, 3\)"),
    ],
)
def test_errors_say_what_is_wrong(call: Any, error: type[HyError], message: str) -> None:
    with pytest.raises(error, match=message):
        call(nd.ones((2, 3)))
