"""Trace: a scope in which symbols have shapes, inferred from real inputs."""

from collections.abc import Mapping
from contextvars import ContextVar
from types import TracebackType
from typing import Self

from hy_ndarray.ops import PartialShape
from hy_symbol.graph.node import Entry, Graph, Node, topological
from hy_symbol.infer.engine import Known, Types, visit
from hy_symbol.infer.inference_cache import InferenceCache

__all__ = ["Trace", "current_trace", "differ_in_shape"]


class Trace:
    """Scope in which ``symbol.shape`` and ``symbol.dtype`` follow from real inputs.

    Args:
        known: Shape and dtype of variables, by node; unknown parts are None.
        reversible: Whether what is traced can run operator by operator instead, on arrays; then
            whatever would give other numbers in a graph is refused.

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
        """Whether a shape was read: then the graph holds for these shapes only."""
        self.compared = False
        """Whether operands of one shape met, which might broadcast if the shapes were others."""
        self.inference_cache = InferenceCache()
        """What type rules said meanwhile."""
        self._types = Types(Graph(()), inference_cache=self.inference_cache)
        self._known = dict(known)
        self._visited: set[Node] = set()
        self._outer: Trace | None = None

    def declare(self, node: Node, shape: PartialShape | None, dtype: str | None) -> None:
        """Declare the type of one more variable, such as a parameter."""
        self._known.setdefault(node, (shape, dtype))

    def type_of(self, entry: Entry) -> Known:
        """Return shape and dtype of an entry, each None if they cannot be inferred."""
        # Only what was made since the last question is visited: asking for each shape stays linear.
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _current.set(self._outer)


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current_trace() -> Trace | None:
    """Return the innermost trace of this thread, or None."""
    return _current.get()


def differ_in_shape(a: Entry, b: Entry) -> bool:
    """Return whether the current trace knows both shapes and they differ."""
    trace = current_trace()
    if trace is None:
        return False
    shapes = [trace.type_of(entry)[0] for entry in (a, b)]
    if any(shape is None or None in shape for shape in shapes):
        return False
    trace.compared = True
    return shapes[0] != shapes[1]
