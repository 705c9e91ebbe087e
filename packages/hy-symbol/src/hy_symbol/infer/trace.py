"""Trace: a scope in which symbols have shapes, inferred from the inputs of a traced call."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Self

from hy_ndarray.ops import PartialShape
from hy_symbol.graph.node import Entry, Graph, Node, topological
from hy_symbol.infer.engine import Known, Types, visit
from hy_symbol.infer.inference_cache import InferenceCache

__all__ = ["Trace", "current_trace", "differ_in_shape"]


class Trace:
    """Scope in which ``symbol.shape`` and ``symbol.dtype`` are inferred from real inputs.

    Args:
        known: Shape and dtype of variables, by node; unknown parts are None.
        reversible: Whether the traced code can run eagerly instead; then operations that would give
            other results in a graph raise an error.

    Example:
        >>> from hy_symbol import sym
        >>> x = sym.var("x")
        >>> with Trace({x.graph.outputs[0][0]: ((2, 6), "float32")}) as trace:
        ...     print(sym.transpose(x).shape, trace.guarded)
        (6, 2) True
    """

    def __init__(self, known: Mapping[Node, Known], *, reversible: bool = False) -> None:
        self.reversible = reversible
        self.guarded = False
        """Whether traced code has read a shape, which makes the graph valid for it only."""
        self.compared = False
        """Whether shapes of two operands were compared, which might broadcast in other calls."""
        self.inference_cache = InferenceCache()
        """Results of type rules during the trace."""
        self._types = Types(Graph(()), inference_cache=self.inference_cache)
        self._known = dict(known)
        self._visited: set[Node] = set()
        self._outer: Trace | None = None

    def declare(self, node: Node, shape: PartialShape | None, dtype: str | None) -> None:
        """Declare the type of one more variable, such as a parameter."""
        self._known.setdefault(node, (shape, dtype))

    def type_of(self, entry: Entry) -> Known:
        """Return shape and dtype of an entry, each None if they cannot be inferred."""
        # Only nodes created since the last query are visited, so that querying every shape is
        # linear.
        for node in topological([entry], lambda e: e[0] in self._visited):
            self._visited.add(node)
            if node.op is None:
                self._types.set((node, 0), *self._known.get(node, (None, None)))
            else:
                visit(node, self._types)
        return self._types.get(entry)

    def __enter__(self) -> Self:
        self._outer = _current.get()
        _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _current.set(self._outer)


# A context variable: threads and asyncio tasks trace independently of each other.
_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current_trace() -> Trace | None:
    """Return the innermost trace of this thread, or None."""
    return _current.get()


def differ_in_shape(a: Entry, b: Entry) -> bool:
    """Return whether the current trace knows the shapes of both entries, and they differ."""
    trace = current_trace()
    if trace is None:
        return False
    shapes = [trace.type_of(entry)[0] for entry in (a, b)]
    if any(shape is None or None in shape for shape in shapes):
        return False
    # Noted even if the shapes are equal: the graph then depends on their being so.
    trace.compared = True
    return shapes[0] != shapes[1]
