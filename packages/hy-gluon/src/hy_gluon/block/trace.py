"""Trace and TraceCache: what tracing a block yields, and the one owner of a block's traces."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from hy_gluon._recent import Recent
from hy_gluon.block.inputs import Inputs
from hy_gluon.block.structure import Format, regroup
from hy_ndarray import NDArray, dtype_name
from hy_ndarray.casting import CastingPolicy, casting_policy
from hy_symbol import Symbol

if TYPE_CHECKING:
    from hy_gluon.cached_op import CachedOp

__all__ = ["Signature", "Trace", "TraceCache", "TracedGraph"]

_KEPT = 64
"""Traces kept per block, where each shape needs its own; others are made again if needed."""

Signature: TypeAlias = tuple[Any, ...]
TracedGraph: TypeAlias = tuple[list[Symbol], Symbol] | tuple[()]


@dataclass(frozen=True, slots=True)
class Trace:
    """A block as a graph, and what runs it; nothing of it changes once others see it."""

    graph: TracedGraph = ()
    """Symbols of the arguments, and the outputs as one group; empty before there is a graph."""
    in_format: Format = None
    out_format: Format = None
    by_shape: bool = False
    """Whether it holds only for the signature it was traced with: a shape was read."""
    compared: bool = False
    """Whether operands of one shape met, which might broadcast if the shapes were others."""
    signature: Signature | None = None
    """The calls it is for; None: all."""
    order: Sequence[tuple[bool, Any]] = ()
    """What the graph takes; see :class:`Inputs`."""
    op: "CachedOp | None" = None
    """What runs it; None while only the graph is known."""
    inputs: Inputs = field(default_factory=Inputs)
    dtypes: tuple[str, ...] = ()
    """Of the parameters it takes; with others it is made anew."""

    def regrouped(self, out: Any) -> Any:
        """What :attr:`op` gave, in the structure that the block's forward gives."""
        if self.out_format == 0:
            return out
        return regroup([out] if isinstance(out, NDArray) else out, self.out_format)


class TraceCache:
    """The traces of a block, made under one casting policy.

    A call reads the cache of its block once, and stays with it: to forget traces, a block gets
    another cache. Only the holder of the setup lock adds to one, and each trace becomes visible by
    one assignment, when it is complete.

    Args:
        latest: A graph that is known already.
    """

    __slots__ = ("by_shape", "by_signature", "general", "latest", "policy", "why_eager")

    def __init__(self, latest: Trace | None = None) -> None:
        self.policy: CastingPolicy | None = casting_policy()
        self.latest = Trace() if latest is None else latest
        """The last one made, perhaps no more than a graph."""
        self.general: Trace | None = None
        """The one for calls with any shapes."""
        self.by_shape = False
        """Whether each signature has its own; then there is no general one."""
        self.by_signature: Recent[Signature, Trace] = Recent(_KEPT)
        self.why_eager: str | None = None
        """Why the block is not traced, but runs operator by operator."""

    def __reduce__(self) -> tuple[Any, ...]:
        return TraceCache, (self.latest,)  # the policy in force is another one there

    def add(self, trace: Trace) -> None:
        """Let calls find a trace that can run."""
        self.latest = trace
        if trace.signature is None:
            self.general = trace
            return
        self.by_signature.add(trace.signature, trace)
        self.by_shape = True
        self.general = None

    def find(self, signature: Signature | None) -> Trace | None:
        """The trace for these calls, if there is one."""
        return self.general if signature is None else self.by_signature.get(signature)

    def edit(self, **changes: Any) -> None:
        """Change parts of the last trace, as code does that builds one by hand."""
        trace = replace(self.latest, **changes)
        params = [x for is_argument, x in trace.order if not is_argument]
        dtypes = tuple(dtype_name(x.dtype) for x in params)
        trace = replace(trace, inputs=Inputs(trace.order), dtypes=dtypes)
        self.latest = trace
        self.general = None if trace.op is None else trace

    def __iter__(self) -> Iterator[Trace]:
        """Those that can run; who goes through them holds the setup lock."""
        if self.general is not None:
            yield self.general
        yield from self.by_signature.values()
