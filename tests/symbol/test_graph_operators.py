"""Symbols over graphs that are csr arrays, for the Deep Graph Library: as MXNet 1.9.1's."""

import json
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, HyError, NDArray, cpu, nd
from hy_ndarray.nd import contrib as functions
from hy_symbol import Symbol, load_json, sym, var

EDGES = np.array([[1, 0, 0, 2], [3, 0, 4, 0], [0, 5, 0, 0], [0, 6, 7, 0]])
contrib = sym.contrib


def graph() -> NDArray:
    return nd.array(EDGES, dtype="int64").tostype("csr")


def vertices(*numbers: int) -> NDArray:
    return nd.array(numbers, dtype="int64")


def results(symbol: Symbol, **arrays: NDArray) -> list[NDArray]:
    """Of the symbol, and of what is read of its text: they are the same."""
    executor = symbol.bind(cpu(), arrays, grad_req="null")
    found: list[NDArray] = executor.forward()
    again: list[NDArray] = load_json(symbol.tojson()).bind(cpu(), arrays, grad_req="null").forward()
    assert [y.stype for y in again] == [y.stype for y in found]
    assert [y.asnumpy().tolist() for y in again] == [y.asnumpy().tolist() for y in found]
    return found


def test_parts_of_a_graph_have_new_and_old_numbers_of_edges() -> None:
    made = contrib.dgl_subgraph(var("g"), var("a"), var("b"), return_mapping=True, name="part")
    assert made.list_outputs() == [f"part_output{i}" for i in range(4)]
    _, shapes, _ = made.infer_shape(g=(4, 4), a=(2,), b=(3,))
    assert shapes == [(2, 2), (3, 3), (2, 2), (3, 3)]
    record = json.loads(made.tojson())["nodes"][-1]
    assert record["op"] == "_contrib_dgl_subgraph"
    assert record["attrs"] == {"num_args": "3", "return_mapping": "True"}
    found = results(made, g=graph(), a=vertices(0, 3), b=vertices(1, 2, 3))
    assert {y.stype for y in found} == {"csr"}
    assert found[2].asnumpy().tolist() == [[1, 2], [0, 0]]
    assert found[3].asnumpy().tolist() == [[0, 4, 0], [5, 0, 0], [6, 7, 0]]


def test_one_part_without_old_numbers_is_one_output() -> None:
    made = contrib.dgl_subgraph(var("g"), var("a"), return_mapping=False, name="part")
    assert made.list_outputs() == ["part_output"]
    chained = contrib.dgl_adjacency(made)
    assert chained.infer_type(g="int64", a="int64")[1] == [np.float32]
    (found,) = results(chained, g=graph(), a=vertices(0, 3))
    assert (found.stype, found.asnumpy().tolist()) == ("csr", [[1, 1], [0, 0]])


def test_edges_are_found_in_a_graph_that_a_program_binds() -> None:
    made = contrib.edge_id(var("g"), name="e")
    assert made.list_arguments() == ["g", "e_u", "e_v"]
    assert made.infer_shape(g=(4, 4), e_u=(2,), e_v=(2,))[1] == [(2,)]
    (found,) = results(made, g=graph(), e_u=vertices(0, 1), e_v=vertices(3, 1))
    assert (found.stype, found.asnumpy().tolist()) == ("default", [2, -1])


@pytest.mark.parametrize("weighted", [False, True])
def test_neighbours_are_sampled_as_arrays_sample_them(weighted: bool) -> None:
    name = f"dgl_csr_neighbor_{'non_' if weighted else ''}uniform_sample"
    chances = (nd.array([1, 1, 1, 1]),) if weighted else ()
    options: dict[str, Any] = {"num_hops": 1, "num_neighbor": 4, "max_num_vertices": 4}
    given = (graph(), *chances, vertices(1), vertices(3))
    names = [f"x{i}" for i in range(len(given))]
    made = getattr(contrib, name)(*map(var, names), **options)
    arrays = dict(zip(names, given, strict=True))
    _, shapes, _ = made.infer_shape(**{key: array.shape for key, array in arrays.items()})
    _, dtypes, _ = made.infer_type(**{key: array.dtype for key, array in arrays.items()})
    found = results(made, **arrays)
    assert [y.shape for y in found] == shapes
    assert [y.dtype for y in found] == dtypes
    wanted = getattr(functions, name)(*given, **options)
    assert [y.stype for y in found] == [y.stype for y in wanted]
    assert [y.asnumpy().tolist() for y in found] == [y.asnumpy().tolist() for y in wanted]


def test_sampled_graphs_are_compacted() -> None:
    sampled = contrib.dgl_csr_neighbor_uniform_sample(
        var("g"), var("s"), num_hops=1, num_neighbor=4, max_num_vertices=4
    )
    made = contrib.dgl_graph_compact(sampled[1], sampled[0], graph_sizes=3, return_mapping=True)
    assert made.infer_shape(g=(4, 4), s=(1,))[1] == [(3, 3), (3, 3)]
    _, found = results(made, g=graph(), s=vertices(1))
    assert found.asnumpy().tolist() == [[0, 0, 0], [3, 0, 4], [0, 0, 0]]


def test_a_dense_graph_is_refused() -> None:
    made = contrib.dgl_adjacency(var("g"))
    with pytest.raises(ArgumentError, match="convert it with tostype"):
        made.bind(cpu(), {"g": nd.ones((2, 2))}, grad_req="null").forward()


@pytest.mark.parametrize(
    ("name", "given", "options"),
    [
        ("dgl_subgraph", 1, {"return_mapping": True}),
        ("dgl_subgraph", 2, {"return_mapping": True, "num_args": 3}),
        ("dgl_csr_neighbor_uniform_sample", 1, {}),
        ("dgl_csr_neighbor_non_uniform_sample", 2, {}),
        ("dgl_graph_compact", 4, {"return_mapping": True, "graph_sizes": 3}),
    ],
)
def test_wrong_numbers_of_arrays_are_refused(name: str, given: int, options: Any) -> None:
    arrays = [var(f"x{i}") for i in range(given)]
    with pytest.raises(HyError, match=r"num_args=.* (too small|but)|got 4 arrays"):
        getattr(contrib, name)(*arrays, **options).infer_shape(x0=(4, 4))
