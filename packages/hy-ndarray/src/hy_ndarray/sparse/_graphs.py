"""Graphs as csr matrices, in which element ``[u, v]`` is the number of the edge from u to v."""

from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray._errors import ArgumentError
from hy_ndarray.sparse import _kernels
from hy_ndarray.sparse._storage import CSRStorage, starts

Positions: TypeAlias = npt.NDArray[np.int64]


def edges_between(graph: CSRStorage, u: Positions, v: Positions) -> npt.NDArray[Any]:
    """Return ``[n]``, the edge number stored at each ``[u[i], v[i]]``; -1 if there is no edge."""
    rows = _kernels.taken(graph, u)
    matches = rows.indices == np.repeat(v, np.diff(rows.indptr))
    result = np.full(len(u), -1, graph.dtype)
    result[rows.rows[matches]] = rows.data[matches]
    return result


def part(graph: CSRStorage, vertices: Positions) -> CSRStorage:
    """Return the subgraph induced by sorted ``vertices``, with vertices renumbered by position."""
    rows = _kernels.taken(graph, vertices)
    columns = np.searchsorted(vertices, rows.indices)
    # Columns beyond the last vertex have the position len(vertices), where -1 matches none.
    is_member = np.append(vertices, -1)[columns] == rows.indices
    counts = np.bincount(rows.rows[is_member], minlength=len(vertices))
    size = (len(vertices), len(vertices))
    return CSRStorage(rows.data[is_member], columns[is_member], starts(counts), size)


def renumbered(graph: CSRStorage) -> CSRStorage:
    """Return the graph with its edges numbered from 0 in the order of storage."""
    return graph.with_data(np.arange(len(graph.data)).astype(graph.dtype))


def neighbourhood(
    graph: CSRStorage,
    seeds: Positions,
    hops: int,
    limit: int,
    choose: Callable[[Positions], Positions],
) -> tuple[Positions, Positions, CSRStorage, bool]:
    """Return the vertices and edges reached by a breadth-first search.

    Args:
        graph: The graph.
        seeds: The start vertices.
        hops: The maximal distance from the seeds.
        limit: The maximal number of vertices.
        choose: Function that samples neighbours; it takes and returns positions in
            ``graph.indices``.

    Returns:
        The vertices in ascending order; their distances from the seeds; the edges followed, with
        one row per vertex; and whether the limit ended the search.
    """
    distance = dict.fromkeys(seeds.tolist(), 0)
    queue = deque(distance)
    followed: dict[int, Positions] = {}
    while queue and len(distance) < limit:
        vertex = queue.popleft()
        if distance[vertex] == hops:
            continue
        sampled = choose(np.arange(graph.indptr[vertex], graph.indptr[vertex + 1]))
        followed[vertex] = sampled
        new = [v for v in graph.indices[sampled].tolist() if v not in distance]
        new = new[: limit - len(distance)]
        distance.update(dict.fromkeys(new, distance[vertex] + 1))
        queue.extend(new)
    vertices = np.array(sorted(distance), np.int64)
    none = np.zeros(0, np.int64)
    rows = [followed.get(v, none) for v in vertices.tolist()]
    at = np.concatenate([none, *rows])
    pointers = starts(np.array([len(row) for row in rows], np.int64))
    edges = CSRStorage(graph.data[at], graph.indices[at], pointers, (len(vertices), graph.shape[1]))
    layers = np.array([distance[v] for v in vertices.tolist()], np.int64)
    return vertices, layers, edges, bool(queue)


def check_vertices(name: str, vertices: Positions, graph: CSRStorage) -> None:
    """Raise an error unless ``vertices`` is a vector of vertices of the graph.

    Raises:
        ArgumentError: ``vertices`` is not a vector, or a vertex is out of range.
    """
    count = graph.shape[0]
    if vertices.ndim != 1:
        raise ArgumentError(f"{name}: vertices must have one axis, got shape {vertices.shape}")
    if len(vertices) and not 0 <= vertices.min() <= vertices.max() < count:
        raise ArgumentError(
            f"{name}: vertices must be from 0 to {count - 1}, got {vertices.min()} to "
            f"{vertices.max()}"
        )
