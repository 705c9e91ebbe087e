"""Graph functions of ``nd.contrib`` for the Deep Graph Library (DGL).

A graph is a csr array, int64: element ``[u, v]`` is the number of the edge from ``u`` to ``v``.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray._errors import ArgumentError, DTypeError, ShapeError
from hy_ndarray.array.ndarray import NDArray, array_from
from hy_ndarray.core._dispatch import store
from hy_ndarray.devices._context import Context
from hy_ndarray.nd.random import randint
from hy_ndarray.sparse import _graphs
from hy_ndarray.sparse._sparse_device import sparse_device_of
from hy_ndarray.sparse._storage import CSRStorage, starts
from hy_ndarray.sparse.arrays import CSRNDArray, as_indices
from hy_ndarray.warning import warn

__all__ = [
    "dgl_adjacency",
    "dgl_csr_neighbor_non_uniform_sample",
    "dgl_csr_neighbor_uniform_sample",
    "dgl_graph_compact",
    "dgl_subgraph",
    "edge_id",
]

Positions: TypeAlias = npt.NDArray[np.int64]


def edge_id(
    data: NDArray | None = None,
    u: NDArray | None = None,
    v: NDArray | None = None,
    out: NDArray | None = None,
    name: str | None = None,  # noqa: ARG001  # nodes have names, arrays have none
) -> NDArray:
    """Return the number of the edge from each ``u[i]`` to ``v[i]``; -1 if there is none.

    Args:
        data: ``[vertices, vertices]``, csr, of any dtype.
        u: ``[n]``, the source vertices.
        v: ``[n]``, the target vertices.
        out: Array to write to.
        name: No effect.

    Returns:
        ``[n]``, of the dtype of ``data``.

    Raises:
        ArgumentError: ``data`` is not csr, or a vertex is out of range.
        ShapeError: ``u`` and ``v`` differ in length.

    Example:
        >>> from hy_ndarray import nd
        >>> graph = nd.array([[0, 1], [2, 0]]).tostype("csr")
        >>> edge_id(graph, nd.array([0, 0]), nd.array([0, 1])).asnumpy()
        array([-1.,  1.], dtype=float32)
    """
    graph, context = _graph("edge_id", data, None)
    begins, ends = as_indices(u, "edge_id: u"), as_indices(v, "edge_id: v")
    if begins.ndim != 1 or begins.shape != ends.shape:
        raise ShapeError(
            f"edge_id: u{begins.shape} and v{ends.shape} must be vectors of the same length"
        )
    _graphs.check_vertices("edge_id: u", begins, graph)
    ids = array_from(_graphs.edges_between(graph, begins, ends), context)
    return ids if out is None else store(ids, out)


def dgl_adjacency(
    data: NDArray | None = None,
    out: NDArray | None = None,
    name: str | None = None,  # noqa: ARG001  # nodes have names, arrays have none
) -> NDArray:
    """Return the adjacency matrix of a graph: 1 in float32 for each edge.

    Args:
        data: ``[vertices, vertices]``, csr, int64.
        out: Array to write to.
        name: No effect.

    Raises:
        ArgumentError: ``data`` is not csr.
        DTypeError: The graph is not int64.

    Example:
        >>> from hy_ndarray import nd
        >>> graph = nd.array([[0, 1], [2, 0]], dtype="int64").tostype("csr")
        >>> dgl_adjacency(graph).asnumpy()
        array([[0., 1.],
               [1., 0.]], dtype=float32)
    """
    graph, context = _graph("dgl_adjacency", data)
    adjacency = _csr_array(graph.with_data(np.ones(len(graph.data), np.float32)), context)
    return adjacency if out is None else store(adjacency, out)


def dgl_subgraph(*data: NDArray, return_mapping: bool, num_args: int | None = None) -> Any:
    """Return the subgraphs induced by sets of vertices, with edges renumbered from 0.

    Args:
        data: The graph ``[vertices, vertices]``, csr, int64; then arrays of ascending vertices.
        return_mapping: Also return the subgraphs with the original edge numbers.
        num_args: The number of arrays; may be omitted.

    Returns:
        A graph ``[n, n]`` for each array of ``n`` vertices, then those with original edge numbers;
        a single array instead of a list of one.

    Raises:
        ArgumentError: ``data`` is not csr, or vertices are out of range or not ascending.
        DTypeError: The graph is not int64.

    Example:
        >>> from hy_ndarray import nd
        >>> graph = nd.array([[5, 0, 6], [0, 0, 0], [7, 8, 9]], dtype="int64").tostype("csr")
        >>> part, whole = dgl_subgraph(graph, nd.array([0, 2]), return_mapping=True)
        >>> part.data.asnumpy(), whole.asnumpy()
        (array([0, 1, 2, 3]), array([[5, 6],
               [7, 9]]))
    """
    graph, *vertices = _check_arrays("dgl_subgraph", data, num_args)
    stored, context = _graph("dgl_subgraph", graph)
    parts = []
    for wanted in vertices:
        selected = as_indices(wanted, "dgl_subgraph: vertices")
        _graphs.check_vertices("dgl_subgraph", selected, stored)
        if np.any(np.diff(selected) < 0):
            raise ArgumentError("dgl_subgraph: vertices must be sorted in ascending order")
        parts.append(_graphs.part(stored, selected))
    return _as_arrays(parts, return_mapping, context)


def dgl_graph_compact(
    *graph_data: NDArray,
    graph_sizes: int | Sequence[int],
    return_mapping: bool,
    num_args: int | None = None,
) -> Any:
    """Return sampled graphs without padding, with edges renumbered from 0.

    Args:
        graph_data: Graphs ``[max_num_vertices, vertices]`` of ``dgl_csr_neighbor_*_sample``, then
            their vertices ``[max_num_vertices + 1]``.
        graph_sizes: The number of vertices of each graph, the last element of its vertex array.
        return_mapping: Also return the graphs with the original edge numbers.
        num_args: The number of arrays; may be omitted.

    Returns:
        A graph ``[n, n]`` for each graph, then those with original edge numbers; a single array
        instead of a list of one.

    Raises:
        ArgumentError: The sizes do not match, or an edge leads to a vertex that is not listed.
        DTypeError: A graph is not int64.
    """
    arrays = _check_arrays("dgl_graph_compact", graph_data, num_args)
    sizes = [graph_sizes] if isinstance(graph_sizes, int) else [int(n) for n in graph_sizes]
    if len(arrays) != 2 * len(sizes):
        raise ArgumentError(
            f"dgl_graph_compact: {len(arrays)} arrays for {len(sizes)} graph_sizes; pass all "
            "graphs, then the vertices of each, and one size for each graph"
        )
    parts = []
    for graph, ids, size in zip(arrays, arrays[len(sizes) :], sizes, strict=False):
        vertices = as_indices(ids, "dgl_graph_compact: vertices")
        parts.append(_compacted(_graph("dgl_graph_compact", graph)[0], vertices, size))
    return _as_arrays(parts, return_mapping, arrays[0].context)


def _compacted(graph: CSRStorage, vertices: Positions, size: int) -> CSRStorage:
    if not 0 <= size <= min(graph.shape[0], len(vertices) - 1) or vertices[-1] != size:
        raise ArgumentError(
            f"dgl_graph_compact: graph_sizes is {size}, but the vertex count at the end of "
            f"vertices is {vertices[-1:].tolist()}, for a graph {graph.shape}"
        )
    end = graph.indptr[size]
    columns = np.searchsorted(vertices[:size], graph.indices[:end])
    lost = np.append(vertices[:size], -1)[columns] != graph.indices[:end]
    if np.any(lost):
        raise ArgumentError(
            f"dgl_graph_compact: an edge leads to vertex {graph.indices[:end][lost][0]}, which is "
            "not among the vertices; sample with a larger max_num_vertices"
        )
    return CSRStorage(graph.data[:end], columns, graph.indptr[: size + 1], (size, size))


def dgl_csr_neighbor_uniform_sample(
    *seed_arrays: NDArray,
    num_hops: int = 1,
    num_neighbor: int = 2,
    max_num_vertices: int = 100,
    num_args: int | None = None,
) -> list[Any]:
    """Sample neighbourhoods of vertices, choosing neighbours with equal probability.

    Args:
        seed_arrays: The graph ``[vertices, vertices]``, csr, int64; then arrays of start vertices.
        num_hops: The maximal distance from the start vertices.
        num_neighbor: The maximal number of neighbours to follow from a vertex.
        max_num_vertices: The maximal number of vertices of a neighbourhood.
        num_args: The number of arrays; may be omitted.

    Returns:
        For each array of seeds the sampled vertices, ascending, ``[max_num_vertices + 1]`` with
        their number as the last element; then for each the edges, csr ``[max_num_vertices,
        vertices]``, with one row per sampled vertex; then for each the distances
        ``[max_num_vertices]``. All are padded with zeros.

    Raises:
        ArgumentError: The graph is not csr, seeds are out of range, or there are more than
            ``max_num_vertices``.
        DTypeError: The graph is not int64.

    Example:
        >>> from hy_ndarray import nd
        >>> graph = nd.array([[0, 1, 0], [0, 0, 2], [3, 0, 0]], dtype="int64").tostype("csr")
        >>> vertices, edges, distances = dgl_csr_neighbor_uniform_sample(
        ...     graph, nd.array([1]), max_num_vertices=3)
        >>> vertices.asnumpy(), edges.data.asnumpy(), distances.asnumpy()
        (array([1, 2, 0, 2]), array([2]), array([0, 1, 0]))
    """
    graph, *seeds = _check_arrays("dgl_csr_neighbor_uniform_sample", seed_arrays, num_args)
    draw = _generator()

    def choose(positions: Positions) -> Positions:
        if len(positions) <= num_neighbor:
            return positions
        return np.sort(draw.choice(positions, num_neighbor, replace=False))

    name = "dgl_csr_neighbor_uniform_sample"
    _check_counts(name, num_hops, num_neighbor, max_num_vertices)
    visited = _searches(name, graph, seeds, num_hops, max_num_vertices)
    vertices, edges, layers, _ = visited(choose)
    return [*vertices, *edges, *layers]


def dgl_csr_neighbor_non_uniform_sample(
    *seed_arrays: NDArray,
    num_hops: int = 1,
    num_neighbor: int = 2,
    max_num_vertices: int = 100,
    num_args: int | None = None,
) -> list[Any]:
    """Sample neighbourhoods of vertices, choosing neighbours by given probabilities.

    Args:
        seed_arrays: The graph ``[vertices, vertices]``, csr, int64; ``[vertices]``, the weight of
            each vertex; then arrays of start vertices.
        num_hops: The maximal distance from the start vertices.
        num_neighbor: The maximal number of neighbours to follow from a vertex.
        max_num_vertices: The maximal number of vertices of a neighbourhood.
        num_args: The number of arrays; may be omitted.

    Returns:
        As for :func:`dgl_csr_neighbor_uniform_sample`, with the sampled vertices' weights
        ``[max_num_vertices]`` between edges and distances.

    Raises:
        ArgumentError: As for :func:`dgl_csr_neighbor_uniform_sample`; or weights are negative, or
            there is not one per vertex.
        DTypeError: The graph is not int64.
    """
    name = "dgl_csr_neighbor_non_uniform_sample"
    _check_counts(name, num_hops, num_neighbor, max_num_vertices)
    graph, probability, *seeds = _check_arrays(name, seed_arrays, num_args, min_arrays=3)
    weights = probability.asnumpy()
    if weights.shape != graph.shape[:1] or not np.all(weights >= 0):
        raise ArgumentError(
            f"{name}: probability {weights.shape} must hold one non-negative weight for each of "
            f"{graph.shape[0]} vertices"
        )
    draw, columns = _generator(), _graph(name, graph)[0].indices

    def choose(positions: Positions) -> Positions:
        if len(positions) <= num_neighbor:
            return positions
        # Efraimidis and Spirakis 2006: take the largest of u**(1/weight), which are the smallest of
        # exponential numbers divided by the weights; vertices of weight 0 come last.
        with np.errstate(divide="ignore"):
            keys = draw.standard_exponential(len(positions)) / weights[columns[positions]]
        return np.sort(positions[np.argsort(keys)[:num_neighbor]])

    vertices, edges, layers, lists = _searches(name, graph, seeds, num_hops, max_num_vertices)(
        choose
    )
    chances = [
        _padded_array(weights[visited], max_num_vertices, graph.context) for visited in lists
    ]
    return [*vertices, *edges, *chances, *layers]


_Searched: TypeAlias = tuple[list[NDArray], list[NDArray], list[NDArray], list[Positions]]


def _check_counts(name: str, num_hops: int, num_neighbor: int, max_num_vertices: int) -> None:
    counts = {
        "num_hops": num_hops, "num_neighbor": num_neighbor, "max_num_vertices": max_num_vertices
    }  # fmt: skip
    for parameter, count in counts.items():
        if count < 0:
            raise ArgumentError(f"{name}: parameter {parameter}={count} must not be negative")


def _searches(
    name: str, graph: NDArray, seeds: Sequence[NDArray], hops: int, limit: int
) -> Callable[[Callable[[Positions], Positions]], _Searched]:
    """Return a function that runs a search from each array of seeds, given a neighbour sampler.

    It returns lists, with an element per array of seeds: padded vertices, edges and distances as
    arrays, and the vertices without padding.
    """
    stored, context = _graph(name, graph)
    starting = [as_indices(seed, f"{name}: seeds") for seed in seeds]
    for start in starting:
        _graphs.check_vertices(name, start, stored)
        if len(start) > limit:
            raise ArgumentError(
                f"{name}: max_num_vertices={limit} is too small for {len(start)} seeds"
            )

    def run(choose: Callable[[Positions], Positions]) -> _Searched:
        results: _Searched = ([], [], [], [])
        for start in starting:
            visited, layers, edges, cut = _graphs.neighbourhood(stored, start, hops, limit, choose)
            if cut:
                warn(
                    f"{name}: the search stopped at max_num_vertices={limit}; raise it, or use "
                    "fewer seeds or a smaller neighborhood"
                )
            numbered = np.append(np.pad(visited, (0, limit - len(visited))), len(visited))
            rows = starts(np.pad(np.diff(edges.indptr), (0, limit - len(visited))))
            wide = CSRStorage(edges.data, edges.indices, rows, (limit, stored.shape[1]))
            results[0].append(array_from(numbered, context))
            results[1].append(_csr_array(wide, context))
            results[2].append(_padded_array(layers, limit, context))
            results[3].append(visited)
        return results

    return run


def _padded_array(values: npt.NDArray[Any], length: int, context: Context) -> NDArray:
    return array_from(np.pad(values, (0, length - len(values))), context)


def _generator() -> "np.random.Generator":
    """Return a numpy random generator, seeded from hy's random stream."""
    return np.random.default_rng(int(randint(0, 2**31 - 1, dtype="int64").asscalar()))


def _check_arrays(
    name: str, data: Sequence[NDArray], num_args: int | None, min_arrays: int = 2
) -> Sequence[NDArray]:
    if len(data) < min_arrays or num_args not in (None, len(data)):
        raise ArgumentError(
            f"{name}: num_args={num_args}, but {len(data)} arrays were given; at least "
            f"{min_arrays} are needed"
        )
    return data


def _graph(
    name: str, data: NDArray | None, dtype: str | None = "int64"
) -> tuple[CSRStorage, Context]:
    if not isinstance(data, CSRNDArray):
        raise ArgumentError(
            f"{name}: the graph must be a CSRNDArray, got {type(data).__name__}; convert it with "
            "tostype('csr')"
        )
    stored = data._data
    if dtype is not None and stored.dtype != dtype:
        raise DTypeError(
            f"{name}: the graph must be {dtype}, got {stored.dtype}; convert it with astype"
        )
    return stored, data.context


def _csr_array(stored: CSRStorage, context: Context) -> NDArray:
    return CSRNDArray.from_buffer(stored, sparse_device_of(context))


def _as_arrays(parts: Sequence[CSRStorage], mapped: bool, context: Context) -> Any:
    stored = [*map(_graphs.renumbered, parts), *(parts if mapped else ())]
    arrays = [_csr_array(part, context) for part in stored]
    return arrays if len(arrays) > 1 else arrays[0]
