"""TypeGuards: recorded queries of types, which tell whether a decision holds for other types."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from hy_ndarray import BufferType
from hy_ndarray.ops import PartialShape
from hy_symbol.graph.node import Entry, Graph
from hy_symbol.infer.engine import Known, Types

__all__ = ["GuardedTypes", "TypeGuards", "unguarded"]

_A = TypeVar("_A")
_Query: TypeAlias = tuple[Callable[..., Any], tuple[Entry, ...], tuple[Any, ...]]


class TypeGuards:
    """Recorded queries of a graph's types, with their results, as guards of a decision.

    A decision that depends only on the results of queries holds for all types that give the same
    results. Queries should ask for as little as possible, such as the rank instead of the shape.

    Example:
        >>> from hy_symbol import TypedGraph, sym
        >>> graph = sym.relu(sym.var("x")).graph
        >>> types = [TypedGraph.of(graph, [(s, "float32")]).types for s in ((2, 3), (4, 5), (6,))]
        >>> guards = TypeGuards()
        >>> GuardedTypes(types[0], guards).rank(graph.outputs[0])
        2
        >>> [guards.match(others) for others in types]
        [True, True, False]
    """

    def __init__(self) -> None:
        self._results: dict[_Query, Any] = {}
        self._entries: set[Entry] = set()

    def record(
        self, types: Types, query: Callable[..., _A], entries: tuple[Entry, ...], *more: Any
    ) -> _A:
        """Run a query on ``types``, record it with its result, and return the result.

        Args:
            types: The types to query.
            query: A method of :class:`Types`.
            entries: The entries that it asks about.
            more: Further arguments of the query.
        """
        key = query, entries, more
        results = self._results
        # Cached, so that one query of many steps is checked once for other types.
        if key in results:
            typed_result: _A = results[key]
            return typed_result
        result = results[key] = query(types, *entries, *more)
        self._entries.update(entries)
        return result

    def match(self, types: Types) -> bool:
        """Return whether these types give the same results for all recorded queries."""
        # Unknown entries could match by chance, as all queries have an answer for them.
        return types.know(self._entries) and all(
            query(types, *entries, *more) == result
            for (query, entries, more), result in self._results.items()
        )


@dataclass(frozen=True, slots=True)
class _OfTypes:
    """Query that applies a function to types of entries; hashable, so that guards can record it."""

    function: Callable[..., Any]
    args: tuple[Any, ...]

    def __call__(self, types: Types, *entries: Entry) -> Any:
        return types.evaluate(self.function, entries, self.args)


class GuardedTypes(Types):
    """Types that record each query in guards.

    Args:
        types: The types to query.
        guards: The guards that record queries.
    """

    def __init__(self, types: Types, guards: TypeGuards) -> None:
        # Not initialized like `Types`: each query goes to ``types`` through the guards.
        self.graph = types.graph
        self._plain = types
        self._guards = guards

    def know(self, entries: Collection[Entry]) -> bool:
        """Return :meth:`Types.know`, without recording the query."""
        return self._plain.know(entries)

    def extended(self, graph: Graph) -> Types:
        """Return :meth:`Types.extended`, recording queries in the same guards."""
        return GuardedTypes(self._plain.extended(graph), self._guards)

    def copied(self, graph: Graph) -> Types:
        """Return :meth:`Types.copied`, recording queries in the same guards."""
        return GuardedTypes(self._plain.copied(graph), self._guards)

    def with_types(self, more: Mapping[Entry, Known]) -> Types:
        """Return :meth:`Types.with_types`, recording queries in the same guards."""
        return GuardedTypes(self._plain.with_types(more), self._guards)

    def get(self, entry: Entry) -> Known:
        """Return :meth:`Types.get`, and record the query."""
        return self._guards.record(self._plain, Types.get, (entry,))

    def whole(self, entry: Entry) -> BufferType | None:
        """Return :meth:`Types.whole`, and record the query."""
        return self._guards.record(self._plain, Types.whole, (entry,))

    def shape(self, entry: Entry) -> PartialShape | None:
        """Return :meth:`Types.shape`, and record the query."""
        return self._guards.record(self._plain, Types.shape, (entry,))

    def dtype(self, entry: Entry) -> str | None:
        """Return :meth:`Types.dtype`, and record the query."""
        return self._guards.record(self._plain, Types.dtype, (entry,))

    def nbytes(self, entry: Entry) -> int:
        """Return :meth:`Types.nbytes`, and record the query."""
        return self._guards.record(self._plain, Types.nbytes, (entry,))

    def rank(self, entry: Entry) -> int | None:
        """Return :meth:`Types.rank`, and record the query."""
        return self._guards.record(self._plain, Types.rank, (entry,))

    def exceed(self, entry: Entry, nbytes: int) -> bool:
        """Return :meth:`Types.exceed`, and record the query."""
        return self._guards.record(self._plain, Types.exceed, (entry,), nbytes)

    def have_elements(self, entry: Entry, count: int) -> bool:
        """Return :meth:`Types.have_elements`, and record the query."""
        return self._guards.record(self._plain, Types.have_elements, (entry,), count)

    def have_same_type(self, a: Entry, b: Entry) -> bool:
        """Return :meth:`Types.have_same_type`, and record the query."""
        return self._guards.record(self._plain, Types.have_same_type, (a, b))

    def are_of_one_shape(self, a: Entry, b: Entry) -> bool:
        """Return :meth:`Types.are_of_one_shape`, and record the query."""
        return self._guards.record(self._plain, Types.are_of_one_shape, (a, b))

    def are_of_one_size(self, a: Entry, b: Entry) -> bool:
        """Return :meth:`Types.are_of_one_size`, and record the query."""
        return self._guards.record(self._plain, Types.are_of_one_size, (a, b))

    def differ(self, a: Entry, b: Entry) -> bool:
        """Return :meth:`Types.differ`, and record the query."""
        return self._guards.record(self._plain, Types.differ, (a, b))

    def evaluate(
        self, query: Callable[..., _A], entries: tuple[Entry, ...], args: tuple[Any, ...] = ()
    ) -> _A:
        """Return :meth:`Types.evaluate`, and record the query."""
        result: _A = self._guards.record(self._plain, _OfTypes(query, args), entries)
        return result

    def keep_order(self, entry: Entry, axes: tuple[int, ...]) -> bool:
        """Return :meth:`Types.keep_order`, and record the query."""
        return self._guards.record(self._plain, Types.keep_order, (entry,), axes)


def unguarded(types: Types) -> Types:
    """Return types whose queries no guards record."""
    return types._plain if isinstance(types, GuardedTypes) else types
