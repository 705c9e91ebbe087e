"""Symbolic operators for the functions of :mod:`hy_ndarray.nd.graphs`, on csr arrays.

They have no kernels in tables and no gradients, so they are not in the catalogue.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hy_ndarray._errors import ArgumentError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.nd import graphs
from hy_ndarray.ops import Count, Operator, TensorType, numbered, operator
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.rules import expect_rank
from hy_ndarray.sparse._rules import add_rule

__all__ = ["GRAPH_OPERATORS"]


def _csr(params: Params) -> str:  # noqa: ARG001  # whatever they are
    return "csr"


def _numbered(count: Callable[[Params], int]) -> Callable[[Params], Sequence[str]]:
    def names(params: Params) -> Sequence[str]:
        n = count(params)
        if n < 1:
            raise ArgumentError(
                f"num_args={params['num_args']} is too small; it counts the graph and all arrays"
            )
        return ("output",) if n == 1 else numbered(n)

    return names


def _mapped(params: Params, parts: int) -> int:
    return parts * 2 if params["return_mapping"] else parts


def _expect(data: Sequence[TensorType], num_args: int) -> None:
    if len(data) != num_args:
        raise ArgumentError(f"num_args={num_args}, but {len(data)} arrays were given")


def _vertex_count(vertices: TensorType) -> int | None:
    expect_rank(vertices, 1)
    return None if vertices.shape is None else vertices.shape[0]


@operator("_contrib_edge_id", stores=_csr, catalogued=False)
def edge_id(data: TensorType, u: TensorType, v: TensorType) -> TensorType:
    """Return ``[n]``, the edge numbers of a csr graph from ``u[i]`` to ``v[i]``."""
    expect_rank(data, 2)
    u.set_shape((_vertex_count(v),))
    v.set_shape((_vertex_count(u),))
    return TensorType(u.shape, data.dtype)


@operator("_contrib_dgl_adjacency", stores=_csr, catalogued=False)
def dgl_adjacency(data: TensorType) -> TensorType:
    """Return the adjacency matrix of a csr graph: 1 in float32 for each edge."""
    expect_rank(data, 2)
    return TensorType(data.shape, "float32")


@operator(
    "_contrib_dgl_subgraph",
    outputs=_numbered(lambda params: _mapped(params, params["num_args"] - 1)),
    stores=_csr,
    catalogued=False,
)
def dgl_subgraph(
    *data: TensorType, num_args: Count, return_mapping: bool
) -> tuple[TensorType, ...]:
    """Return the subgraphs of a csr graph induced by each set of vertices."""
    _expect(data, num_args)
    graph, *vertices = data
    parts = [TensorType((n, n), graph.dtype) for n in map(_vertex_count, vertices)]
    return (*parts, *parts) if return_mapping else tuple(parts)


@operator(
    "_contrib_dgl_graph_compact",
    outputs=_numbered(lambda params: _mapped(params, params["num_args"] // 2)),
    stores=_csr,
    catalogued=False,
)
def dgl_graph_compact(
    *data: TensorType, num_args: Count, graph_sizes: Shape, return_mapping: bool
) -> tuple[TensorType, ...]:
    """Return sampled graphs without the padding of the sampling operators."""
    _expect(data, num_args)
    if len(data) != 2 * len(graph_sizes):
        raise ArgumentError(
            f"needs a graph and its vertices for each of {len(graph_sizes)} graph_sizes, got "
            f"{len(data)} arrays"
        )
    parts = [TensorType((n, n), graph.dtype) for n, graph in zip(graph_sizes, data, strict=False)]
    return (*parts, *parts) if return_mapping else tuple(parts)


def _sampled(
    graph: TensorType, seeds: Sequence[TensorType], limit: int, chances: Sequence[TensorType]
) -> tuple[TensorType, ...]:
    expect_rank(graph, 2)
    for t in (*chances, *seeds):
        expect_rank(t, 1)
    columns = None if graph.shape is None else graph.shape[1]
    each = (
        TensorType((limit + 1,), "int64"),
        TensorType((limit, columns), graph.dtype),
        *(TensorType((limit,), t.dtype) for t in chances),
        TensorType((limit,), "int64"),
    )
    return tuple(t for t in each for _ in seeds)


@operator(
    "_contrib_dgl_csr_neighbor_uniform_sample",
    outputs=_numbered(lambda params: 3 * (params["num_args"] - 1)),
    stores=_csr,
    catalogued=False,
)
def dgl_csr_neighbor_uniform_sample(
    *data: TensorType,
    num_args: Count,
    num_hops: int = 1,  # noqa: ARG001  # sizes do not depend on it
    num_neighbor: int = 2,  # noqa: ARG001
    max_num_vertices: int = 100,
) -> tuple[TensorType, ...]:
    """Sample neighbourhoods in a csr graph, with uniform probabilities."""
    _expect(data, num_args)
    return _sampled(data[0], data[1:], max_num_vertices, ())


@operator(
    "_contrib_dgl_csr_neighbor_non_uniform_sample",
    outputs=_numbered(lambda params: 4 * (params["num_args"] - 2)),
    stores=_csr,
    catalogued=False,
)
def dgl_csr_neighbor_non_uniform_sample(
    *data: TensorType,
    num_args: Count,
    num_hops: int = 1,  # noqa: ARG001  # sizes do not depend on it
    num_neighbor: int = 2,  # noqa: ARG001
    max_num_vertices: int = 100,
) -> tuple[TensorType, ...]:
    """Sample neighbourhoods in a csr graph, with given vertex probabilities."""
    _expect(data, num_args)
    return _sampled(data[0], data[2:], max_num_vertices, data[1:2])


GRAPH_OPERATORS: Mapping[str, Operator] = {
    function.op.name: function.op
    for function in (
        edge_id,
        dgl_adjacency,
        dgl_subgraph,
        dgl_graph_compact,
        dgl_csr_neighbor_uniform_sample,
        dgl_csr_neighbor_non_uniform_sample,
    )
}
"""Operators by MXNet's names."""


def _compute(op: Operator, inputs: Sequence[Any], params: Params) -> Any:
    return getattr(graphs, op.name.removeprefix("_contrib_"))(*inputs, **params)


add_rule(_compute, *GRAPH_OPERATORS)
