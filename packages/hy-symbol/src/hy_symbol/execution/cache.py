"""ExecutableCache: what is compiled of a graph, for all signatures and for all that run it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hy_ndarray import Device
from hy_symbol.compile.arena import Pool
from hy_symbol.execution.batch_split import Sliced, program_of
from hy_symbol.execution.deferred import Deferred
from hy_symbol.execution.differentiable import Differentiable, Joint
from hy_symbol.execution.family import Backoff, Family, PairFamily
from hy_symbol.execution.program import Program
from hy_symbol.execution.recent import Recent
from hy_symbol.execution.setup_lock import release_stale
from hy_symbol.graph.collector import without_collections
from hy_symbol.graph.known import known_graphs
from hy_symbol.graph.node import Graph, Node
from hy_symbol.infer.answers import Answers, Known
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.cse import with_common_subexpressions
from hy_symbol.passes.shapes import has_open_shapes, with_inferred_shapes

__all__ = ["MAX_SIGNATURES", "ExecutableCache", "Executables", "Mode"]

Mode: TypeAlias = tuple[Device, bool, tuple[bool, ...]]
"""A device, whether it trains, and of which inputs gradients are recorded."""

MAX_SIGNATURES = 64
"""Signatures whose programs are cached, those that came last; others are compiled again."""


@dataclass(slots=True, eq=False, weakref_slot=True)
class Executables:
    """What is compiled for one signature, when it is first needed; who runs it brings the memory.

    Who asks for a program holds the setup lock.
    """

    typed: TypedGraph
    """The graph that runs, and the types that the inputs give it."""
    cache: "ExecutableCache"
    """Of its own, where the shapes of the graph are open."""
    programs: dict[tuple[Device, bool], Deferred | Program | Sliced] = field(default_factory=dict)
    pairs: dict[Mode, Differentiable] = field(default_factory=dict)
    retained: dict[Mode, Differentiable] = field(default_factory=dict)
    """The same for backward passes that may run again."""
    begun: set[Mode] = field(default_factory=set)
    """Whose first pass was recorded operator by operator."""
    prepared: dict[Device, Any] = field(default_factory=dict)
    """How an executor predicts with values that follow from parameters alone."""

    def program(self, device: Device, is_train: bool) -> Deferred | Program | Sliced:
        """The program for outputs alone."""
        found = self.programs.get((device, is_train))
        if found is None:
            release_stale(self.programs)
            found = self.programs[device, is_train] = self.new_program(device, is_train)
        return found

    def new_program(
        self, device: Device, is_train: bool, pool: Pool | None = None
    ) -> Deferred | Program | Sliced:
        """The same, compiled anew, in memory of a pool of its own."""
        cache = self.cache
        typed = self.typed.rewritten(cache.merged)
        own = cache.pool if pool is None else pool
        if is_train:
            return Program.of(typed, device, is_train=True, pool=own)
        family = cache.family(device) if pool is None else None
        return program_of(typed, device, cache.batched, pool=own, family=family)

    def pair(self, mode: Mode) -> Differentiable:
        """The programs for outputs and gradients."""
        found = self.pairs.get(mode)
        if found is None:
            release_stale(self.pairs)
            found = self.pairs[mode] = self.cache.pair(mode).programs(self.typed)
        return found

    def retained_pair(self, mode: Mode) -> Differentiable:
        """The same for backward passes that may run again on what one forward pass saved."""
        found = self.retained.get(mode)
        if found is None:
            release_stale(self.retained)
            device, is_train, mask = mode
            joint = self.cache.joint(is_train, mask)
            found = joint.programs(device, self.typed, pool=self.cache.pool, retained=True)
            self.retained[mode] = found
        return found


class ExecutableCache:
    """A graph, and what is compiled of it for all signatures.

    Args:
        graph: The graph.
        batched: Positions of the inputs that may be computed in slices.
    """

    __slots__ = (
        "_merged",
        "_open",
        "backoffs",
        "batched",
        "families",
        "graph",
        "joints",
        "pairs",
        "plain",
        "pool",
        "signatures",
        "variables",
    )

    def __init__(self, graph: Graph, batched: Sequence[int] = ()) -> None:
        self.graph = graph
        self.batched = tuple(batched)
        self.variables: list[Node] = list(graph.variables)
        self.pool = Pool()
        """An empty one: those that run programs give them memory."""
        self.signatures: Recent[tuple[Known, ...], Executables] = Recent(MAX_SIGNATURES)
        """By the types of all inputs."""
        self._merged: Graph | None = None
        self._open = has_open_shapes(graph)
        self.joints: dict[tuple[bool, tuple[bool, ...]], Joint] = {}
        self.plain: dict[Mode, Differentiable] = {}
        """Of the catalogue's operators alone, which can be differentiated in turn."""
        self.families: dict[Device, Family] = {}
        """What programs of all signatures have in common, in prediction and in training."""
        self.pairs: dict[Mode, PairFamily] = {}
        self.backoffs: defaultdict[tuple[bool, tuple[bool, ...]], Backoff] = defaultdict(Backoff)
        """Which signatures are not recorded operator by operator at first."""

    @classmethod
    def of(cls, graph: Graph, batched: Sequence[int] = ()) -> "ExecutableCache":
        """What all that run an equal graph share, created if it is not there.

        Args:
            graph: The graph.
            batched: Positions of the inputs that may be computed in slices.
        """
        known = known_graphs.of(graph)
        if known is graph:  # it runs code that is not to be shared
            return cls(graph, batched)
        found = known.shared.setdefault(("executables", *batched), cls(known, batched))
        assert isinstance(found, ExecutableCache)
        return found

    def at(
        self,
        known: tuple[Known, ...],
        answers: Answers | None = None,
        *,
        is_unrolled: bool = True,
    ) -> Executables:
        """What is compiled for a signature. Who asks holds the setup lock.

        The whole graph is inferred once per signature, so that kernels meet what they rely on.

        Args:
            known: Shape and dtype of each input.
            answers: What type rules said before.
            is_unrolled: Whether programs are to run the graph, for which loops are unrolled.

        Raises:
            ShapeError, DTypeError: The types contradict each other; names the node.
        """
        if not is_unrolled:
            return Executables(TypedGraph.of(self.graph, known, answers), self)
        found = self.signatures.get(known)
        if found is None:
            found = self._inferred(known, answers)
            self.signatures.add(known, found)
        return found

    @without_collections
    def _inferred(self, known: tuple[Known, ...], answers: Answers | None) -> Executables:
        typed = TypedGraph.of(self.graph, known, answers)
        if not self._open:
            return Executables(typed, self)
        typed = with_inferred_shapes(typed)
        return Executables(typed, ExecutableCache(typed.graph, self.batched))

    @property
    def merged(self) -> Graph:
        """The graph without common subexpressions."""
        if self._merged is None:
            graph = self.graph
            self._merged = with_common_subexpressions(Graph(graph.outputs, graph.variables))
        return self._merged

    def following(self, mask: Sequence[bool]) -> list[int]:
        """Positions of the outputs that follow from an input that ``mask`` chooses."""
        found = {node for node, chosen in zip(self.variables, mask, strict=True) if chosen}
        for node in self.graph.nodes:
            if any(source in found for source, _ in node.inputs):
                found.add(node)
        return [k for k, (node, _) in enumerate(self.graph.outputs) if node in found]

    def family(self, device: Device) -> Family:
        """The programs for prediction on a device."""
        found = self.families.get(device)
        if found is None:
            release_stale(self.families)
            found = self.families[device] = Family(device, self.pool)
        return found

    def joint(self, is_train: bool, mask: tuple[bool, ...]) -> Joint:
        """The graph and its gradients with respect to the inputs that ``mask`` chooses."""
        joint = self.joints.get((is_train, mask))
        if joint is None:
            wrt = [i for i, chosen in enumerate(mask) if chosen]
            joint = self.joints[is_train, mask] = Joint.of(self.graph, wrt, is_train=is_train)
        return joint

    def pair(self, mode: Mode) -> PairFamily:
        """The programs for that."""
        found = self.pairs.get(mode)
        if found is None:
            release_stale(self.pairs)
            found = self.pairs[mode] = PairFamily(self.joint(*mode[1:]), mode[0], self.pool)
        return found
