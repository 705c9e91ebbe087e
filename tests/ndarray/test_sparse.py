"""Sparse arrays: their storage, what keeps it, products, and gradients."""

import copy
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, ContextError, HyError, NDArray, ShapeError, autograd, gpu, nd
from hy_ndarray.nd import sparse
from hy_ndarray.sparse import _sums
from hy_ndarray.sparse._sums import in_order

VALUES = np.array([[1, 0, 2], [0, 0, 0], [0, 3, 0]], "float32")


@pytest.fixture(params=["scipy", "numpy alone"])
def _library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What products of sparse matrices are computed with."""
    if request.param == "numpy alone":
        monkeypatch.setattr(_sums, "_scipy_matrix", lambda: None)


def made(kind: str) -> Any:
    """``c``: csr, ``r``: row_sparse, ``d``: dense."""
    if kind == "d":
        return nd.array(VALUES + 1)
    return nd.array(VALUES).tostype({"c": "csr", "r": "row_sparse"}[kind])


def evaluated(code: str, names: dict[str, Any]) -> Any:
    """The value of an expression over arrays."""
    return eval(code, {"nd": nd, **names})  # noqa: S307  # the rows below


# What MXNet 1.9.1 gives for each: the storage of the result.
STORAGES = [
    *[(f"c {op} c", "csr") for op in "+-*"],
    *[(f"r {op} r", "row_sparse") for op in "+-*"],
    *[(f"{x} / {x}", "default") for x in "cr"],
    *[(f"{a} {op} {b}", "default") for op in "+-" for a, b in ("cd", "dc", "rd", "dr", "cr")],
    ("c * d", "csr"),
    ("d * c", "default"),
    ("r * d", "row_sparse"),
    ("d * r", "default"),
    ("c / d", "csr"),
    ("r / d", "default"),
    ("d / (c + 1)", "default"),
    *[(f"c {op}", "csr") for op in ("- 0", "* 2", "/ 2", "== 1", "> 0", ">= 1", "< 0", "!= 0")],
    *[(f"c {op}", "default") for op in ("+ 1", "- 1", "** 2", "!= 1", "< 1", "== c")],
    ("2 * c", "csr"),
    ("1 - c", "default"),
    ("-r", "row_sparse"),
    ("abs(c)", "csr"),
    ("c[0:2]", "csr"),
    ("c[-1]", "csr"),
    ("c[(slice(0, 2),)]", "csr"),
    ("c[1:1]", "csr"),
    ("c.T", "default"),
    ("c.sum(axis=0)", "default"),
    ("c.zeros_like()", "csr"),
    ("nd.ones_like(c)", "default"),
    ("nd.concat(c, c, dim=0)", "csr"),
    ("nd.concat(c, c, dim=1)", "default"),
    ("nd.dot(c, d)", "default"),
    ("nd.dot(c, d, transpose_a=True)", "row_sparse"),
    ("nd.dot(c, d, transpose_a=True, forward_stype='default')", "default"),
    ("nd.dot(c, d, transpose_b=True)", "default"),
    ("nd.dot(c, d, forward_stype='csr')", "csr"),
    ("nd.dot(d, c)", "csr"),
    ("nd.dot(d, c, transpose_b=True)", "csr"),
    ("nd.dot(d, c, forward_stype='default')", "default"),
    ("nd.dot(c, r)", "default"),
    ("nd.dot(c, r, transpose_a=True)", "row_sparse"),
    ("nd.dot(r, d)", "default"),
    ("nd.dot(c, d[0])", "default"),
    ("nd.dot(c, d[0], transpose_a=True)", "row_sparse"),
    ("nd.sin(r)", "row_sparse"),
    ("nd.cos(c)", "default"),
    ("nd.clip(c, 0, 1)", "csr"),
    ("nd.maximum(c, 0)", "default"),
    ("nd.elemwise_mul(d, c)", "csr"),
    ("nd.broadcast_add(c, c)", "default"),
    ("nd.broadcast_mul(c, d[:, :1])", "csr"),
    ("nd.add_n(r, r, r)", "row_sparse"),
    ("nd.add_n(c, c)", "default"),
    ("nd.cast_storage(d, stype='csr')", "csr"),
    ("nd.sparse.cast_storage(c, stype='default')", "default"),
    ("nd.sparse.retain(r.tostype('row_sparse'), nd.array([0, 1, 2]))", "row_sparse"),
    ("nd._internal._square_sum(r, axis=1, keepdims=True)", "row_sparse"),
    ("nd._internal._square_sum(r, axis=1)", "default"),
    ("nd._internal._square_sum(r, axis=0, keepdims=True)", "default"),
    ("nd._internal._scatter_elemwise_div(r, d)", "row_sparse"),
    ("nd.slice(c, begin=(0, 1), end=(2, 3))", "csr"),
    ("nd.slice(c, begin=(0,), end=(3,), step=(2,))", "default"),
    ("nd.take(c, nd.array([2, 0, 5]))", "csr"),
    ("nd.take(c, nd.array([0, 2]), axis=1)", "default"),
    ("nd.sparse.divide(c, d)", "default"),
    ("nd.sparse.multiply(c, d[0])", "csr"),
    ("nd.sparse.subtract(c, 1)", "default"),
    ("nd.Cast(c, dtype='float64')", "default"),
    ("c.astype('float64')", "csr"),
    ("nd.FullyConnected(c, d, num_hidden=3, no_bias=True)", "default"),
]


@pytest.mark.parametrize(("code", "stype"), STORAGES, ids=[code for code, _ in STORAGES])
def test_results_have_the_storage_of_mxnet_and_the_values_of_dense_arrays(
    code: str, stype: str
) -> None:
    arrays = {kind: made(kind) for kind in "crd"}
    with np.errstate(all="ignore"):
        result = evaluated(code, arrays)
        expected = evaluated(code, {k: x.tostype("default") for k, x in arrays.items()})
    assert result.stype == stype
    assert result.dtype == expected.dtype
    wanted = expected.asnumpy()
    if code == "c[-1]":  # a row of a csr matrix keeps both axes
        wanted = wanted[None]
    if stype == "csr" and "/" in code:  # what is not stored stays 0
        wanted = np.nan_to_num(wanted)
    np.testing.assert_allclose(result.asnumpy(), wanted, rtol=1e-6)


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_scattered_operators_change_what_is_stored_alone(stype: str) -> None:
    x: Any = nd.array(VALUES).tostype(stype)
    y: Any = nd._internal._scatter_plus_scalar(x, scalar=2)
    assert y.stype == stype
    np.testing.assert_array_equal(y.data.asnumpy(), x.data.asnumpy() + 2)
    assert nd._internal._scatter_minus_scalar(x, scalar=1).stype == stype
    halves = nd._internal._scatter_elemwise_div(x, nd.full((3, 3), 2))
    np.testing.assert_array_equal(halves.asnumpy(), VALUES / 2)


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_a_sparse_array_stores_only_what_is_not_zero(stype: str) -> None:
    x: Any = nd.array(VALUES).tostype(stype)
    assert issubclass(type(x), NDArray)
    x.check_format()
    assert x.data.asnumpy().tolist() == ([1, 2, 3] if stype == "csr" else [[1, 0, 2], [0, 3, 0]])
    assert x.indices.asnumpy().tolist() == ([0, 2, 1] if stype == "csr" else [0, 2])
    empty: Any = nd.zeros((3, 4), stype=stype)
    assert (empty.stype, empty.data.size, empty.shape) == (stype, 0, (3, 4))
    for twin in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), nd.array(x)):  # noqa: S301
        assert type(twin) is type(x)
        np.testing.assert_array_equal(twin.asnumpy(), VALUES)
    assert repr(x) == f"\n<{type(x).__name__} 3x3 @cpu(0)>"


def test_csr_matrices_are_made_of_rows_of_coordinates_and_of_scipy() -> None:
    c = sparse.csr_matrix(([1, 2, 3], [0, 2, 1], [0, 2, 2, 3]), shape=(3, 3))
    assert c.indptr.asnumpy().tolist() == [0, 2, 2, 3]
    by_place = sparse.csr_matrix(([3, 1, 2], ([2, 0, 0], [1, 0, 2])))
    of_scipy: tuple[Any, ...] = sparse.csr_matrix(c.asscipy()), nd.array(c.asscipy())
    for x in (c, by_place, *of_scipy, sparse.csr_matrix(VALUES)):
        x.check_format()
        np.testing.assert_array_equal(x.asnumpy(), VALUES)
    twice = sparse.csr_matrix(([1, 2], ([0, 0], [1, 1])), shape=(1, 2))
    assert twice.asnumpy().tolist() == [[0, 3]]


def test_repeated_columns_of_a_matrix_of_scipy_are_summed() -> None:
    matrices = pytest.importorskip("scipy.sparse")
    values = np.array([1.0, 2.0, 3.0]), np.array([2, 0, 0]), np.array([0, 3])
    found: Any = sparse.csr_matrix(matrices.csr_matrix(values, shape=(1, 3)))
    assert (found.data.asnumpy().tolist(), found.indices.asnumpy().tolist()) == ([5, 1], [0, 2])


def test_rows_are_retained_by_number() -> None:
    r = sparse.row_sparse_array(([[1, 2], [3, 4]], [1, 3]), shape=(5, 2))
    kept: Any = sparse.retain(r, nd.array([0, 3]))
    assert kept.indices.asnumpy().tolist() == [0, 3]
    assert kept.data.asnumpy().tolist() == [[0, 0], [3, 4]]
    assert kept.shape == (5, 2)
    nothing: Any = sparse.retain(sparse.zeros("row_sparse", (5, 2)), nd.array([0, 3]))
    assert nothing.indices.shape == (0,)


def test_optimizers_update_all_rows_that_were_retained() -> None:
    """The weights are MXNet 1.9.1's: row 4, whose gradient is 0, decays."""
    gradient = sparse.row_sparse_array((nd.ones((2, 1)), [0, 3]), shape=(5, 1))
    weight = nd.ones((5, 1))
    kept = sparse.retain(gradient, nd.array([0, 4]))
    nd.sgd_update(weight, kept, lr=1, wd=0.1, out=weight)
    np.testing.assert_allclose(weight.asnumpy().ravel(), [-0.1, 1, 1, 1, 0.9], rtol=1e-6)


def test_rows_are_retained_in_ascending_order_and_once() -> None:
    r = sparse.row_sparse_array(([[1], [3]], [1, 3]), shape=(5, 1))
    kept: Any = sparse.retain(r, nd.array([3, 0, 3, 9]))
    assert kept.indices.asnumpy().tolist() == [0, 3]
    assert kept.data.asnumpy().tolist() == [[0], [3]]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("nd.sparse.csr_matrix(([1, 2], ([0, 3], [0, 0])), shape=(2, 4))", ShapeError),
        ("nd.sparse.row_sparse_array(([[1, 2]], [0]), shape=(3, 3))", ShapeError),
        ("nd.sparse.csr_matrix(([1], [0, 1], [0, 1, 2]), shape=(2, 4))", ShapeError),
        ("nd.sparse.csr_matrix(([], [], [0, 0, 0]))", ShapeError),
        ("nd.sparse.row_sparse_array(([], []))", ShapeError),
        ("nd.sparse.zeros('coo', (2, 2))", ArgumentError),
        ("nd.sparse.zeros('csr', (2, 2, 2))", ShapeError),
        ("nd.sparse.array(d)", ArgumentError),
        ("nd.array([[[1]]]).tostype('csr')", ShapeError),
        ("c.tostype('row_sparse')", ArgumentError),
        ("c.copyto(r)", ArgumentError),
        ("c.reshape((9,))", ArgumentError),
        ("c.as_np_ndarray()", ArgumentError),
        ("c.asscalar()", ArgumentError),
        ("c[0, 1]", ValueError),
        ("c[0:3:2]", ValueError),
        ("c[3]", IndexError),
        ("r[0]", IndexError),
        ("c.__setitem__(0, 1)", IndexError),
        ("c.__setitem__(slice(None), nd.zeros((2, 2)))", ShapeError),
        ("nd.dot(c, nd.zeros((2, 2)))", ShapeError),
        ("nd.elemwise_add(c, nd.zeros((2, 2)).tostype('csr'))", ShapeError),
    ],
)
def test_what_does_not_fit_is_refused(code: str, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        evaluated(code, {kind: made(kind) for kind in "crd"})
    assert isinstance(caught.value, HyError)


def test_places_out_of_order_are_seen_by_a_full_check_alone() -> None:
    c = sparse.csr_matrix(([1, 2], [2, 1], [0, 2, 2]), shape=(2, 4))
    c.check_format(full_check=False)
    with pytest.raises(ArgumentError, match="indices must increase"):
        c.check_format()
    assert (c + c).asnumpy().tolist() == [[0, 4, 2, 0], [0, 0, 0, 0]]


def test_sparse_arrays_are_on_the_cpu() -> None:
    with pytest.raises(ContextError, match="supported only on the CPU"):
        sparse.zeros("csr", (2, 2), ctx=gpu(0))


@pytest.mark.parametrize("kind", ["c", "r"])
def test_writing_keeps_the_storage(kind: str) -> None:
    x = made(kind)
    stype = x.stype
    x += 1
    assert x.stype == stype
    np.testing.assert_array_equal(x.asnumpy(), VALUES + 1)
    x[:] = nd.array(VALUES)
    assert x.indices.shape == made(kind).indices.shape
    target = nd.zeros((3, 3))
    x.copyto(target)
    np.testing.assert_array_equal(target.asnumpy(), VALUES)
    nd.elemwise_add(x, x, out=x)
    np.testing.assert_array_equal(x.asnumpy(), 2 * VALUES)


def test_changing_a_copy_of_the_parts_changes_no_array() -> None:
    c = made("c")
    c.data[:] = 7
    np.testing.assert_array_equal(c.asnumpy(), VALUES)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("stype", ["default", "row_sparse"])
def test_the_gradient_of_a_csr_product_is_that_of_the_dense_one(turned: bool, stype: str) -> None:
    c, d = made("c"), made("d")
    d.attach_grad(stype=stype)
    head = nd.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    with autograd.record():
        y = nd.dot(c, d, transpose_a=turned)
    y.backward(head)
    matrix = VALUES if turned else VALUES.T
    assert d.grad.stype == stype
    np.testing.assert_array_equal(d.grad.asnumpy(), matrix @ head.asnumpy())


def test_a_gradient_of_rows_has_those_that_were_read() -> None:
    weight = nd.ones((5, 2))
    weight.attach_grad(stype="row_sparse")
    c = sparse.csr_matrix(([1, 2], [3, 1], [0, 1, 2]), shape=(2, 5))
    for _ in range(2):
        with autograd.record():
            y = nd.dot(c, weight) + nd.dot(c, weight)
        y.backward()
    grad: Any = weight.grad
    assert grad.indices.asnumpy().tolist() == [1, 3]
    assert grad.data.asnumpy().tolist() == [[4, 4], [2, 2]]


def test_gradients_of_rows_add_up() -> None:
    weight = nd.ones((4, 1)).tostype("row_sparse")
    weight.attach_grad("add")
    for row in (0, 2):
        with autograd.record():
            y = sparse.retain(weight, nd.array([row])) * 3
        y.backward()
    assert weight.grad is not None
    assert weight.grad.stype == "row_sparse"
    assert weight.grad.asnumpy().ravel().tolist() == [3, 0, 3, 0]


@pytest.mark.parametrize(
    "code", ["nd.square(x)", "x * 2 + 1", "nd.exp(x)", "x.tostype('default') * x"]
)
@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_gradients_flow_through_kept_and_dense_steps(code: str, stype: str) -> None:
    grads = []
    for kind in ("default", stype):
        x = nd.array(VALUES).tostype(kind)
        x.attach_grad(stype="default")
        with autograd.record():
            y = evaluated(code, {"x": x})
        y.backward()
        assert x.grad is not None
        grads.append(x.grad.asnumpy())
    np.testing.assert_allclose(grads[1], grads[0], rtol=1e-6)


@pytest.mark.usefixtures("_library")
def test_a_large_product_takes_what_is_stored() -> None:
    rng = np.random.default_rng(0)
    rows, columns, n = 300, 1_000_000, 40
    places = np.sort(rng.integers(0, columns, (rows, 500)), axis=1).ravel()
    data = rng.normal(size=places.size).astype("float32")
    c = sparse.csr_matrix((data, places, np.arange(0, rows * 500 + 1, 500)), shape=(rows, columns))
    x = rng.normal(size=(rows, n)).astype("float32")
    found: Any = nd.dot(c, nd.array(x), transpose_a=True)
    assert found.shape == (columns, n)
    expected = (c.asscipy().T @ x)[found.indices.asnumpy()]
    np.testing.assert_allclose(found.data.asnumpy(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("_library")
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("columns", [7, 5_000, 70_000])
def test_products_of_uneven_rows_are_those_of_dense_matrices(
    columns: int, width: int, dtype: str
) -> None:
    rng = np.random.default_rng(0)
    counts = [0, 5, 1, 7, 0, 1, 5, 2, 0]
    chosen = [np.sort(rng.choice(columns, n, replace=False)) for n in counts]
    pointers = np.concatenate([[0], np.cumsum(counts)])
    values = rng.integers(1, 9, pointers[-1])
    a = sparse.csr_matrix(
        (values, np.concatenate(chosen), pointers), shape=(9, columns), dtype=dtype
    )
    whole = a.asnumpy()
    for turned, b in ((False, (columns, width)), (True, (9, width))):
        dense = nd.array(rng.integers(0, 9, b), dtype=dtype)
        y: Any = nd.dot(a, dense, transpose_a=turned)
        wanted = (whole.T if turned else whole) @ dense.asnumpy()
        np.testing.assert_array_equal(y.asnumpy(), wanted)
        if turned:
            y.check_format()
            held = np.unique(np.concatenate(chosen)).tolist()
            assert y.indices.asnumpy().tolist() == held


@pytest.mark.usefixtures("_library")
@pytest.mark.parametrize("turned", [False, True])
def test_a_large_product_is_cut_into_tasks_that_give_the_same(
    turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    rows, columns, n, stored = 400, 60_000, 32, 60_000
    pointers = np.concatenate([[0], np.sort(rng.integers(0, stored, rows - 1)), [stored]])
    places = rng.integers(0, columns, stored)
    values = rng.integers(1, 9, stored).astype("float32")
    a = sparse.csr_matrix((values, places, pointers), shape=(rows, columns))
    b = rng.integers(0, 9, (rows if turned else columns, n)).astype("float32")
    device, cut = nd.array(b).device, []

    def in_reverse(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        cut.append(len(tasks))
        return [task() for task in reversed(tasks)]

    monkeypatch.setattr(type(device), "together", lambda _, tasks: in_reverse(tasks))
    y = nd.dot(a, nd.array(b), transpose_a=turned).asnumpy()
    assert max(cut) > 1
    down = np.repeat(np.arange(rows), np.diff(pointers))
    wanted = np.zeros_like(y)
    to, of = (places, down) if turned else (down, places)
    np.add.at(wanted, to, values[:, None] * b[of])
    np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("size", [5, 1 << 62])
def test_places_are_put_in_order_with_where_they_were(size: int) -> None:
    places = np.array([3, 1, 3, 0, 1], np.int64) * (size // 5)
    ordered, order = in_order(places, size)
    assert ordered.tolist() == sorted(places.tolist())
    assert order.tolist() == [3, 1, 4, 0, 2]


@pytest.mark.parametrize("stype", ["default", "row_sparse", "csr"])
@pytest.mark.parametrize("kinds", ["cd", "cc", "dr", "rc"])
def test_a_product_has_the_storage_that_is_asked_for(kinds: str, stype: Any) -> None:
    a, b = made(kinds[0]), made(kinds[1])
    a.attach_grad()
    with autograd.record():
        y: Any = nd.dot(a, b, transpose_b=True, forward_stype=stype)
    assert y.stype == stype
    np.testing.assert_array_equal(y.asnumpy(), a.asnumpy() @ b.asnumpy().T)
    y.backward()
    grad: Any = a.grad
    np.testing.assert_array_equal(grad.asnumpy(), np.ones((3, 3), "float32") @ b.asnumpy())


def test_a_product_with_a_matrix_that_stores_nothing_is_zero() -> None:
    a = nd.zeros((3, 4), stype="csr")
    for turned, rows in ((False, 4), (True, 3)):
        y = nd.dot(a, nd.ones((rows, 2)), transpose_a=turned)
        assert (y.shape, bool(y.asnumpy().any())) == (((4 if turned else 3), 2), False)
