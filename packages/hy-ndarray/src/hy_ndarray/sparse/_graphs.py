"""Graphs as csr matrices: element ``[u, v]`` is the number of the edge from ``u`` to ``v``."""

from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray._errors import ArgumentError
from hy_ndarray.sparse import _kernels
from hy_ndarray.sparse._storage import CSRStorage, starts

__all__ = ["check_vertices", "edges_between", "neighbourhood", "part", "renumbered"]

Positions: TypeAlias = npt.NDArray[np.int64]


def edges_between(graph: CSRStorage, u: Positions, v: Positions) -> npt.NDArray[Any]:
    """Return ``[n]``, the stored values at ``[u, v]``; -1 where there is none."""
    rows = _kernels.taken(graph, u)
    matches = rows.indices == np.repeat(v, np.diff(rows.indptr))
    result = np.full(len(u), -1, graph.dtype)
    result[rows.rows[matches]] = rows.data[matches]
    return result


def part(graph: CSRStorage, vertices: Positions) -> CSRStorage:
    """Return the edges among sorted ``vertices``, renumbered by position."""
    rows = _kernels.taken(graph, vertices)
    columns = np.searchsorted(vertices, rows.indices)
    is_member = np.append(vertices, -1)[columns] == rows.indices
    counts = np.bincount(rows.rows[is_member], minlength=len(vertices))
    size = (len(vertices), len(vertices))
    return CSRStorage(rows.data[is_member], columns[is_member], starts(counts), size)


def renumbered(graph: CSRStorage) -> CSRStorage:
    """Return the same edges, numbered from 0 as they are stored."""
    return graph.with_data(np.arange(len(graph.data)).astype(graph.dtype))


def neighbourhood(
    graph: CSRStorage,
    seeds: Positions,
    hops: int,
    limit: int,
    choose: Callable[[Positions], Positions],
) -> tuple[Positions, Positions, CSRStorage, bool]:
    """Return the vertices and edges that a breadth-first search reaches.

    Args:
        graph: The graph.
        seeds: Where it begins.
        hops: How far it goes.
        limit: How many vertices it meets at most.
        choose: Which of the neighbours at these positions of ``graph.indices`` it follows.

    Returns:
        The vertices, rising; the distance of each from the seeds; the edges followed, one row for
        each vertex; whether the limit ended the search.
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
    """Raise an error unless these are vertices of the graph.

    Raises:
        ArgumentError: They have not one axis, or one is out of range.
    """
    count = graph.shape[0]
    if vertices.ndim != 1:
        raise ArgumentError(f"{name}: vertices have one axis, not the shape {vertices.shape}")
    if len(vertices) and not 0 <= vertices.min() <= vertices.max() < count:
        raise ArgumentError(
            f"{name}: vertices {vertices.min()} to {vertices.max()} in a graph of {count}"
        )
