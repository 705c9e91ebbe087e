"""The storage of the gradients that simple_bind makes, measured on MXNet 1.9.1."""

from collections.abc import Callable
from typing import Any

import pytest

from hy_ndarray import cpu, nd
from hy_symbol import sym

loose: Any = sym
data = sym.var("d", stype="csr")
SIZES: dict[str, tuple[int, ...]] = {"d": (3, 3), "b": (2,), "i": (2,), "z": (3, 2), "x": (3, 2)}
ROWS, CSR, DENSE = "row_sparse", "csr", "default"
MADE: dict[str, tuple[Callable[[Any], Any], dict[str, str]]] = {
    "abs": (sym.abs, {ROWS: ROWS, CSR: CSR, DENSE: DENSE}),
    "square": (sym.square, {ROWS: ROWS, CSR: CSR, DENSE: DENSE}),
    "sum of squares": (lambda x: sym.sum(sym.square(x)), {ROWS: DENSE, CSR: DENSE}),
    "ceil": (lambda x: sym.sum(sym.ceil(x)), {ROWS: ROWS, CSR: CSR, DENSE: DENSE}),
    "number": (lambda x: x * 3, {ROWS: ROWS, CSR: CSR, DENSE: DENSE}),
    "sine": (sym.sin, {ROWS: DENSE, CSR: DENSE}),
    "plus a number": (lambda x: x + 2, {ROWS: DENSE, CSR: DENSE}),
    "used twice": (lambda x: sym.square(x) + x, {ROWS: ROWS, CSR: DENSE}),
    "with a dense one": (lambda x: sym.elemwise_add(x, sym.var("z")), {ROWS: DENSE, CSR: DENSE}),
    "product": (lambda x: sym.dot(data, x), {ROWS: ROWS, DENSE: ROWS}),
    "product and bias": (
        lambda x: sym.broadcast_add(sym.dot(data, x), sym.var("b")),
        {ROWS: ROWS, DENSE: ROWS},
    ),
    "turned product": (
        lambda x: sym.dot(data, x, transpose_a=True),
        {ROWS: DENSE, DENSE: DENSE},
    ),
    "product and sum": (
        lambda x: sym.sum(sym.dot(data, x)) + sym.sum(x),
        {ROWS: DENSE, DENSE: DENSE},
    ),
    "product of squares": (lambda x: sym.dot(data, sym.square(x)), {ROWS: ROWS, DENSE: DENSE}),
    "by squared data": (lambda x: sym.dot(sym.square(data), x), {ROWS: ROWS, DENSE: ROWS}),
    "by exp of data": (lambda x: sym.dot(sym.exp(data), x), {ROWS: DENSE, DENSE: DENSE}),
    "dense layer": (
        lambda x: sym.FullyConnected(sym.var("z"), x, num_hidden=3, no_bias=True),
        {ROWS: DENSE, DENSE: DENSE},
    ),
    "embedding": (
        lambda x: sym.Embedding(sym.var("i"), x, input_dim=3, output_dim=2),
        {ROWS: DENSE, DENSE: DENSE},
    ),
    "embedding by rows": (
        lambda x: sym.Embedding(sym.var("i"), x, input_dim=3, output_dim=2, sparse_grad=True),
        {ROWS: ROWS, DENSE: ROWS},
    ),
    "sparse embedding": (
        lambda x: loose.contrib.SparseEmbedding(sym.var("i"), x, input_dim=3, output_dim=2),
        {ROWS: ROWS, DENSE: ROWS},
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_gradients_are_stored_as_the_backward_pass_computes_them(name: str) -> None:
    graph, expected = MADE[name]
    for stype, stored in expected.items():
        made = graph(sym.var("x", stype=stype))
        sizes = {argument: SIZES[argument] for argument in made.list_arguments()}
        executor: Any = made.simple_bind(cpu(), **sizes)
        assert executor.grad_dict["x"].stype == stored, stype


@pytest.mark.parametrize("stype", [ROWS, DENSE])
def test_a_product_writes_the_rows_of_its_gradient(stype: str) -> None:
    weight = nd.array([[1, 2], [3, 4], [5, 6]])
    values = nd.array([[1, 0, -2], [0, 0, 0], [0, 3, 0]])
    product = sym.dot(data, sym.var("x", stype=stype))
    executor: Any = product.simple_bind(cpu(), d=(3, 3), x=(3, 2))
    executor.arg_dict["d"][:] = values.tostype("csr")
    executor.arg_dict["x"][:] = weight.tostype(stype)
    (out,) = executor.forward(is_train=True)
    executor.backward([out.copy()])
    assert executor.grad_dict["x"].asnumpy().tolist() == [[-9, -10], [27, 36], [18, 20]]


def test_a_csr_gradient_is_written_and_added_to() -> None:
    values = nd.array([[1, 0, -2]])
    for request, times in (("write", 1), ("add", 2)):
        graph = sym.square(sym.var("x", stype="csr"))
        executor: Any = graph.simple_bind(cpu(), grad_req=request, x=(1, 3))
        executor.arg_dict["x"][:] = values.tostype("csr")
        for _ in range(2):
            executor.forward(is_train=True)
            executor.backward([nd.ones((1, 3))])
        grad = executor.grad_dict["x"]
        assert (grad.stype, grad.asnumpy().tolist()) == ("csr", [[2 * times, 0, -4 * times]])
