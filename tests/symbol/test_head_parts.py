"""Gradients of attention on one projection: its parts are put side by side, not added up."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, ShapeError, autograd, nd
from hy_symbol import Graph, Symbol, sym
from hy_symbol.passes import check_graph, with_joined_head_parts

HEADS = 2


def drawn(*shape: int) -> NDArray:
    return nd.array(np.random.default_rng(sum(shape)).standard_normal(shape))


def operators(graph: Graph) -> list[str]:
    return [node.op.name for node in graph.nodes if node.op is not None]


def placed(part: int, parts: int = 3, heads: int = HEADS) -> Any:
    like = sym.var("data")
    return sym._internal._place_head_part(
        sym.var(f"y{part}"), like, heads=heads, parts=parts, part=part
    )


def values(parts: int = 3) -> dict[str, Any]:
    found = {f"y{i}": drawn(4, 3, 5) + i for i in range(parts)}
    return {**found, "data": drawn(3, 2, parts * HEADS * 5)}


@pytest.mark.parametrize(
    "total",
    [
        placed(0) + placed(1) + placed(2),
        placed(2) + (placed(0) + placed(1)),
        sym.add_n(placed(1), placed(0), placed(2)),
        sym.elemwise_add(placed(0), placed(1) + placed(2)),
    ],
)
def test_a_sum_of_all_parts_is_one_step(total: Symbol) -> None:
    made = with_joined_head_parts(total.graph)
    check_graph(made, total.graph)
    assert operators(made) == ["_join_head_parts"]
    given = values()
    (before,) = total.eval(**given)
    del given["data"]
    (after,) = Symbol(made).eval(**given)
    np.testing.assert_array_equal(after.asnumpy(), before.asnumpy())


@pytest.mark.parametrize(
    "total",
    [
        placed(0) + placed(1),
        placed(0) + placed(1) + placed(1),
        sym.add_n(placed(0), placed(1), placed(2), sym.var("data")),
        placed(0, parts=2) + placed(1, parts=2, heads=1),
        sym.Group([shared := placed(0, parts=2), shared + placed(1, parts=2)]),
    ],
)
def test_other_sums_stay(total: Symbol) -> None:
    made = with_joined_head_parts(total.graph)
    assert operators(made) == operators(total.graph)


def attention(data: Any, namespace: Any) -> Any:
    scores = namespace.contrib.interleaved_matmul_selfatt_qk(data, heads=HEADS)
    weights = namespace.softmax(scores)
    return namespace.contrib.interleaved_matmul_selfatt_valatt(data, weights, heads=HEADS)


def test_gradients_of_attention_are_the_same() -> None:
    data, dy = drawn(6, 3, 3 * HEADS * 4), drawn(6, 3, HEADS * 4)
    data.attach_grad()
    with autograd.record():
        y = attention(data, nd)
    y.backward(dy)
    assert data.grad is not None
    expected = data.grad.asnumpy().copy()
    executor = attention(sym.var("data"), sym).simple_bind(data.context, data=data.shape)
    executor.forward(is_train=True, data=data)
    executor.backward([dy])
    found = executor.grad_dict["data"]
    assert found is not None
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_so_many_matrices_have_to_be_heads_of_samples() -> None:
    with pytest.raises(ShapeError, match="3 matrices, which is not a multiple of heads=2"):
        nd._internal._join_head_parts(drawn(3, 2, 4), drawn(3, 2, 4), heads=HEADS)
