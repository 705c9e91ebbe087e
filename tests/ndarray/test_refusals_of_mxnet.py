"""What MXNet 1.9.1 refuses of operators, and what it takes of sparse arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import HyError, NDArray, autograd, nd

loose: Any = nd


def csr() -> NDArray:
    return nd.array([[1, 0, 2], [0, 0, 0]]).tostype("csr")


def rows() -> NDArray:
    return nd.array([[1, 2], [0, 0]]).tostype("row_sparse")


def normalized(data: NDArray, stats: NDArray, *, fix_gamma: bool = True) -> Any:
    ones, zeros = nd.ones(2), nd.zeros(2)
    return loose.BatchNorm(data, ones, zeros, stats, ones, fix_gamma=fix_gamma)


@pytest.mark.parametrize("k", [-3, 4])
def test_a_diagonal_past_the_edge_is_refused(k: int) -> None:
    for shape in ((2, 3), (2, 3, 4)):
        with pytest.raises(HyError, match=f"k={k} is outside data .* with 2 rows and 3 columns"):
            nd.diag(nd.ones(shape), k=k)


def test_a_diagonal_at_the_edge_is_empty() -> None:
    assert [nd.diag(nd.ones((2, 3)), k=k).shape for k in (-2, -1, 2, 3)] == [(0,), (1,), (1,), (0,)]
    assert nd.diag(nd.ones((2, 3, 4)), k=-3, axis1=1, axis2=2).shape == (2, 0)


REFUSED: dict[str, Callable[[], Any]] = {
    "no axes to broadcast": lambda: nd.broadcast_like(
        nd.ones((1, 3)), nd.ones((2, 3)), lhs_axes=(), rhs_axes=()
    ),
    "bounds above zero": lambda: nd.clip(rows(), 1, 2),
    "bounds below zero": lambda: nd.clip(csr(), -2, -1),
    "rows of a dense array": lambda: nd.sparse.retain(nd.ones((4, 2)), nd.array([0])),
    "rows of a csr matrix": lambda: loose.sparse.retain(csr(), nd.array([0])),
    "normalization of rows": lambda: normalized(rows(), nd.zeros(2)),
    "normalization by stored rows": lambda: normalized(
        nd.ones((2, 2)), nd.ones(2).tostype("row_sparse")
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_an_operator_refuses_what_it_refuses_in_mxnet(what: str) -> None:
    with pytest.raises(HyError):
        REFUSED[what]()


def test_sparse_operands_are_computed_where_mxnet_computes_them() -> None:
    assert nd.clip(rows(), -1, 2).stype == "row_sparse"
    assert normalized(rows(), nd.zeros(2), fix_gamma=False).stype == "default"
    assert loose.sparse.retain(rows(), nd.array([0]), banana=1).shape == (2, 2)


def test_quotients_of_what_is_stored_are_stored_by_rows() -> None:
    divide: Any = loose._internal._scatter_elemwise_div
    for divisor in (nd.ones((2, 2)) * 2, (nd.ones((2, 2)) * 2).tostype("row_sparse")):
        kept = divide(rows(), divisor)
        assert (kept.stype, kept.asnumpy().tolist()) == ("row_sparse", [[0.5, 1], [0, 0]])
    assert divide(csr(), nd.ones((2, 3))).stype == "default"


def test_what_sparse_arrays_lack_is_not_implemented() -> None:
    with pytest.raises(NotImplementedError, match="asscalar is not supported"):
        rows().asscalar()
    with pytest.raises(TypeError, match="can be assigned to a"):
        rows()[0] = 1


def test_a_quadratic_without_a_constant_keeps_a_csr_matrix() -> None:
    quadratic: Any = nd.contrib.quadratic
    kept = quadratic(csr(), a=1, b=2, c=0)
    assert (kept.stype, kept.asnumpy().tolist()) == ("csr", [[3, 0, 8], [0, 0, 0]])
    assert quadratic(csr(), a=1, b=2, c=1).stype == "default"
    assert quadratic(rows(), a=1, b=2, c=0).stype == "default"


def test_a_bias_stored_by_rows_may_be_a_column() -> None:
    data, weight = nd.ones((2, 3)), nd.ones((4, 3)).tostype("row_sparse")
    for bias in (nd.arange(4).reshape((4, 1)), nd.arange(4)):
        given: list[Any] = [data, weight, bias.tostype("row_sparse")]
        result = loose.sparse.FullyConnected(*given, num_hidden=4)
        assert result.asnumpy().tolist() == [[3, 4, 5, 6]] * 2
        bias.attach_grad()
        with autograd.record():
            result = loose.FullyConnected(data, weight, bias, num_hidden=4)
        result.backward()
        grad: Any = bias.grad
        assert (grad.shape, grad.asnumpy().ravel().tolist()) == (bias.shape, [2] * 4)


def test_the_gradient_of_a_sparse_embedding_is_stored_by_rows() -> None:
    weight = nd.ones((4, 2))
    weight.attach_grad(stype="row_sparse")
    with autograd.record():
        found = loose.contrib.SparseEmbedding(
            nd.array([1, 1]), weight, input_dim=4, output_dim=2, deterministic=True
        )
    found.backward()
    grad: Any = weight.grad
    assert (grad.stype, grad.indices.asnumpy().tolist()) == ("row_sparse", [1])
    np.testing.assert_array_equal(grad.data.asnumpy(), [[2, 2]])


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect"])
def test_negative_widths_of_padding_are_refused(mode: str) -> None:
    with pytest.raises(HyError, match="pad_width"):
        loose.pad(nd.ones((1, 1, 3, 3)), mode=mode, pad_width=(0, 0, 0, 0, -1, 0, 0, 0))
