"""Graphs as csr arrays: the functions of ``nd.contrib`` for the Deep Graph Library."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, DTypeError, ShapeError, nd, random
from hy_ndarray.nd import contrib, sparse

EDGES = np.array([[1, 0, 0, 2], [3, 0, 4, 0], [0, 5, 0, 0], [0, 6, 7, 0]])


def graph(dtype: str = "int64") -> Any:
    """Four vertices, seven edges."""
    return nd.array(EDGES, dtype=dtype).tostype("csr")


def complete() -> Any:
    """Five vertices, each with an edge to every other."""
    columns = [v for u in range(5) for v in range(5) if v != u]
    parts = (np.arange(1, 21), columns, np.arange(0, 21, 4))
    return sparse.csr_matrix(parts, shape=(5, 5), dtype="int64")


def vertices(*numbers: int) -> Any:
    return nd.array(numbers, dtype="int64")


def test_edges_are_found_by_their_ends() -> None:
    # the values are MXNet 1.9.1's
    ends = nd.array([0, 0, 1, 1]), nd.array([3, 1, 2, 1])
    found = contrib.edge_id(graph(), *ends)
    assert found.asnumpy().tolist() == [2, -1, 4, -1]
    assert found.dtype == np.int64
    assert contrib.edge_id(graph("float32"), *ends).dtype == np.float32


def test_adjacency_is_one_for_each_edge() -> None:
    found = contrib.dgl_adjacency(graph())
    assert found.stype == "csr"
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found.asnumpy(), EDGES != 0)
    target = nd.zeros((4, 4))
    assert contrib.dgl_adjacency(data=graph(), out=target) is target
    np.testing.assert_array_equal(target.asnumpy(), EDGES != 0)


def test_parts_of_a_graph_number_their_edges_anew() -> None:
    # the values are MXNet 1.9.1's
    parts = contrib.dgl_subgraph(
        graph(), vertices(0, 1, 2), vertices(1, 3), num_args=3, return_mapping=True
    )
    assert [part.shape for part in parts] == [(3, 3), (2, 2), (3, 3), (2, 2)]
    assert [part.data.asnumpy().tolist() for part in parts] == [
        [0, 1, 2, 3],
        [0],
        [1, 3, 4, 5],
        [6],
    ]
    assert parts[0].indices.asnumpy().tolist() == [0, 0, 2, 1]
    assert parts[0].indptr.asnumpy().tolist() == [0, 1, 3, 4]
    assert parts[1].indptr.asnumpy().tolist() == [0, 0, 1]
    alone = contrib.dgl_subgraph(graph(), vertices(1, 1), return_mapping=False)
    assert alone.shape == (2, 2)
    assert alone.indptr.asnumpy().tolist() == [0, 0, 0]


def test_sampling_follows_at_most_so_many_neighbours() -> None:
    random.seed(3)
    met, other, edges, _, distances, _ = contrib.dgl_csr_neighbor_uniform_sample(
        complete(), vertices(0), vertices(4), num_hops=1, num_neighbor=2, max_num_vertices=6
    )
    assert edges.shape == (6, 5)
    assert met.asnumpy()[-1] == other.asnumpy()[-1] == 3
    assert met.asnumpy()[0] == 0
    near = met.asnumpy()[1:3].tolist()
    assert edges.indices.asnumpy().tolist() == near
    assert edges.data.asnumpy().tolist() == near  # edge 0 -> v of this graph has the number v
    assert edges.indptr.asnumpy().tolist() == [0, 2, 2, 2, 2, 2, 2]
    assert distances.asnumpy().tolist() == [0, 1, 1, 0, 0, 0]


def test_sampling_goes_as_far_as_it_is_told() -> None:
    chain = sparse.csr_matrix(([1, 2, 3], [1, 2, 3], [0, 1, 2, 3, 3]), shape=(4, 4), dtype="int64")
    for hops in range(4):
        met, edges, distances = contrib.dgl_csr_neighbor_uniform_sample(
            chain, vertices(0), num_hops=hops, max_num_vertices=5
        )
        assert met.asnumpy()[-1] == hops + 1
        assert edges.data.asnumpy().tolist() == [1, 2, 3][:hops]
        assert distances.asnumpy().tolist() == [*range(hops + 1), *[0] * (4 - hops)]


def test_sampling_repeats_by_seed_and_draws_every_neighbour() -> None:
    def drawn() -> Any:
        _, edges, _ = contrib.dgl_csr_neighbor_uniform_sample(
            complete(), vertices(0), num_neighbor=1, max_num_vertices=5
        )
        return edges.indices.asnumpy().tolist()

    random.seed(1)
    first = [drawn() for _ in range(40)]
    random.seed(1)
    assert [drawn() for _ in range(40)] == first
    assert {column for (column,) in first} == {1, 2, 3, 4}


def test_sampling_by_weight_prefers_heavy_vertices() -> None:
    random.seed(1)
    weights = nd.array([0, 1, 0, 1, 0])
    met, edges, chances, distances = contrib.dgl_csr_neighbor_non_uniform_sample(
        complete(), weights, vertices(0), num_neighbor=2, max_num_vertices=5
    )
    assert met.asnumpy().tolist() == [0, 1, 3, 0, 0, 3]
    assert edges.indices.asnumpy().tolist() == [1, 3]
    assert chances.asnumpy().tolist() == [0, 1, 1, 0, 0]
    assert distances.asnumpy().tolist() == [0, 1, 1, 0, 0]
    light = nd.array([0, 1, 1, 1, 1000])
    seen = [
        int(
            contrib.dgl_csr_neighbor_non_uniform_sample(
                complete(), light, vertices(0), num_neighbor=1, max_num_vertices=5
            )[1].indices.asscalar()
        )
        for _ in range(50)
    ]
    assert seen.count(4) > 40


def test_a_search_that_the_limit_ends_warns() -> None:
    with pytest.warns(UserWarning, match="stopped at max_num_vertices=2"):
        met, edges, _ = contrib.dgl_csr_neighbor_uniform_sample(
            complete(), vertices(0), num_neighbor=4, max_num_vertices=2
        )
    assert met.asnumpy().tolist() == [0, 1, 2]
    assert edges.indices.asnumpy().tolist() == [1, 2, 3, 4]
    with pytest.raises(
        ArgumentError, match="vertex 2, which is not among the vertices; sample with a larger"
    ):
        contrib.dgl_graph_compact(edges, met, graph_sizes=2, return_mapping=False)


def test_compact_graphs_have_the_vertices_met_alone() -> None:
    whole = complete()
    met, edges, _ = contrib.dgl_csr_neighbor_uniform_sample(
        whole, vertices(1), num_neighbor=2, max_num_vertices=6
    )
    graph, mapped = contrib.dgl_graph_compact(edges, met, graph_sizes=3, return_mapping=True)
    assert graph.shape == mapped.shape == (3, 3)
    assert graph.data.asnumpy().tolist() == [0, 1]
    at = met.asnumpy()[:3]
    kept = mapped.asnumpy()
    np.testing.assert_array_equal(kept[kept != 0], whole.asnumpy()[np.ix_(at, at)][kept != 0])


def test_misuse_says_what_is_wrong() -> None:
    with pytest.raises(
        ArgumentError, match=r"must be a CSRNDArray, got NDArray; convert it with tostype\('csr'\)"
    ):
        contrib.edge_id(nd.array(EDGES), nd.array([0]), nd.array([1]))
    with pytest.raises(ShapeError, match=r"u\(2,\) and v\(1,\)"):
        contrib.edge_id(graph(), nd.array([0, 1]), nd.array([1]))
    with pytest.raises(ArgumentError, match="vertices must be from 0 to 3, got 9 to 9"):
        contrib.edge_id(graph(), nd.array([9]), nd.array([1]))
    with pytest.raises(ArgumentError, match=r"one axis, got shape \(1, 1\)"):
        contrib.dgl_subgraph(graph(), vertices(1).reshape((1, 1)), return_mapping=False)
    with pytest.raises(DTypeError, match="must be int64, got float32; convert"):
        contrib.dgl_adjacency(graph("float32"))
    with pytest.raises(ArgumentError, match="sorted in ascending order"):
        contrib.dgl_subgraph(graph(), vertices(3, 1), return_mapping=False)
    with pytest.raises(ArgumentError, match="num_args=3, but 2 arrays were given"):
        contrib.dgl_subgraph(graph(), vertices(3, 1), num_args=3, return_mapping=False)
    with pytest.raises(ArgumentError, match="max_num_vertices=2 is too small for 3 seeds"):
        contrib.dgl_csr_neighbor_uniform_sample(graph(), vertices(0, 1, 2), max_num_vertices=2)
    with pytest.raises(
        ArgumentError, match=r"probability \(2,\) must hold one .* for each of 4 vertices"
    ):
        contrib.dgl_csr_neighbor_non_uniform_sample(graph(), nd.ones(2), vertices(0))
    with pytest.raises(ArgumentError, match="2 arrays for 2 graph_sizes"):
        contrib.dgl_graph_compact(graph(), vertices(0), graph_sizes=[1, 1], return_mapping=False)
    with pytest.raises(ArgumentError, match="graph_sizes is 1, but the vertex count"):
        contrib.dgl_graph_compact(graph(), vertices(0, 2), graph_sizes=1, return_mapping=False)
