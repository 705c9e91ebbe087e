"""Trace and TraceCache: the traces of a block, each stored under its guards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from hy_gluon.execution.cached_op import CachedOp
from hy_gluon.trace.guards import ANY, Guards, Key, with_types
from hy_gluon.trace.inputs import Inputs
from hy_gluon.trace.structure import Format, regroup
from hy_ndarray import NDArray
from hy_symbol import InferenceCache, Symbol
from hy_symbol.execution.recent import Recent

__all__ = ["Trace", "TraceCache", "TracedGraph", "variables_of"]

# A trace holds a graph, plans and arenas: one for each shape of a long-running server would grow
# without end.
_MAX_TRACES = 64
"""Maximum of cached traces per block; the least recently used is evicted."""

TracedGraph: TypeAlias = tuple[list[Symbol], Symbol] | tuple[()]


@dataclass(frozen=True, slots=True)
class Trace:
    """Traced graph of a block with its runner; immutable."""

    graph: TracedGraph = ()
    """Symbols of the arguments, and the outputs as one group; empty before there is a graph."""
    in_format: Format = None
    out_format: Format = None
    classic: bool = False
    """Whether the results are classic arrays, though arguments are of NumPy's interface."""
    guards: Guards = ANY
    """Conditions under which the trace may be used."""
    compared: bool = False
    """Whether an operator got equal operand shapes, which might broadcast for other inputs."""
    inference_cache: InferenceCache | None = None
    """Results of type inference during tracing."""
    order: Sequence[tuple[bool, Any]] = ()
    """Sources of the graph's inputs, in order; see :class:`Inputs`."""
    op: CachedOp | None = None
    """Runner of the graph; None before it is created."""
    inputs: Inputs = field(default_factory=Inputs)
    # Traces become stale by identity of variables: cast() and replacing a parameter make new ones.
    variables: tuple[Symbol, ...] = ()
    """Variables of the parameters; the trace is stale if a parameter's variable changes."""

    @property
    def is_current(self) -> bool:
        """Return whether no parameter was cast or replaced since tracing."""
        now = variables_of(self.order)
        return all(a is b for a, b in zip(self.variables, now, strict=True))

    def regrouped(self, out: Any) -> Any:
        """Return the flat results of :attr:`op`, nested as the block's forward returns them."""
        if self.classic:
            is_one = isinstance(out, NDArray)
            # Sequences for mx.np, too: `as_nd_ndarray` shares the memory.
            out = out.as_nd_ndarray() if is_one else [x.as_nd_ndarray() for x in out]
        if self.out_format == 0:
            return out
        return regroup([out] if isinstance(out, NDArray) else out, self.out_format)


_UNTRACED = Trace()


def variables_of(order: Sequence[tuple[bool, Any]]) -> tuple[Symbol, ...]:
    """Return the variables of the parameters among a graph's inputs."""
    return tuple(x.var() for is_argument, x in order if not is_argument)


class TraceCache:
    """Traces of a block by their guards, and why it runs eagerly if tracing failed.

    A call reads its block's cache once and keeps using that object: traces are dropped by giving
    the block a new cache. Only the holder of the setup lock adds traces, and each complete trace is
    published by a single assignment.

    Args:
        fixed: Trace of a given graph, used for all calls instead of tracing; None if calls are
            traced.
    """

    __slots__ = ("_traces", "by_types", "fixed", "latest", "why_eager")

    def __init__(self, fixed: Trace | None = None) -> None:
        self._traces: Recent[Key, Trace] = Recent(_MAX_TRACES)
        self.by_types = False
        """Whether some traces hold for their shapes only; these are looked up first."""
        self.fixed = fixed
        self.latest = _UNTRACED if fixed is None else fixed
        """Trace used last; it may have a graph without a runner."""
        self.why_eager: str | None = None
        """Reason why the block runs operator by operator instead of traced, or None."""

    # Unpickled in another process: its programs would hold this one's buffers.
    def __reduce__(self) -> tuple[Any, ...]:
        return TraceCache, (self.fixed,)  # programs belong to a process

    def __len__(self) -> int:
        return len(self._traces)

    def __iter__(self) -> Iterator[Trace]:
        """Iterate over the traces that have a runner; the caller must hold the setup lock."""
        return self._traces.values()

    def find(self, guards: Key, data: Sequence[Any]) -> Trace | None:
        """Return the cached trace for a call, or None.

        Args:
            guards: Guards of the call, without types.
            data: Arrays of the call.
        """
        trace = self._traces.get(with_types(guards, data)) if self.by_types else None
        if trace is None:
            # First the trace for these shapes: it is there because the general one failed for them.
            trace = self._traces.get(guards)
        if trace is not None:
            self.latest = trace
        return trace

    def add(self, trace: Trace) -> None:
        """Publish a trace that has a runner."""
        self.latest = trace
        # Assigning `latest` first is harmless: whoever reads it compares guards before using it.
        self._traces.add(trace.guards, trace)
        if trace.guards.types is not None:
            self.by_types = True

    def edit(self, **changes: Any) -> None:
        """Replace fields of the latest trace, for code that builds a block's graph by hand."""
        order = changes.get("order", self.latest.order)
        changes |= {"inputs": Inputs(order), "variables": variables_of(order)}
        # Guards of a graph that was built by hand are not known, so it holds for every call.
        trace = replace(self.latest, **changes, guards=ANY)
        self.latest = trace
        self.fixed = trace if trace.graph else None
        self._traces = Recent(_MAX_TRACES)
        if trace.op is not None:
            self._traces.add(ANY, trace)
