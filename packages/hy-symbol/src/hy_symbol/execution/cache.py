"""ExecutableCache: compiled forms of a graph for all signatures, shared by its users."""

import threading
from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from hy_ndarray import Device
from hy_symbol.compile.arena import Pool
from hy_symbol.execution.batch_split import split_program
from hy_symbol.execution.differentiable import Differentiable, Joint
from hy_symbol.execution.executable import Executable
from hy_symbol.execution.program import Program, plan_of
from hy_symbol.execution.recent import Recent
from hy_symbol.execution.setup_lock import release_stale
from hy_symbol.execution.shared_plans import SharedPlans
from hy_symbol.execution.tiers import Promotion
from hy_symbol.graph.collector import without_collections
from hy_symbol.graph.identity import copied, identity_of
from hy_symbol.graph.node import Graph, Node
from hy_symbol.infer.inference_cache import InferenceCache, Known
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.cse import with_common_subexpressions
from hy_symbol.passes.pipeline import PREDICT, TRAIN
from hy_symbol.passes.shapes import has_open_shapes, with_inferred_shapes
from hy_symbol.passes.target import Target

__all__ = [
    "MAX_SIGNATURES",
    "ExecutableCache",
    "Executables",
    "Mode",
    "PredictionPlans",
    "SharedCaches",
    "TrainingPlans",
    "shared_caches",
]

Mode: TypeAlias = tuple[Device, bool, tuple[bool, ...]]
"""A device, whether it trains, and of which inputs gradients are recorded."""

MAX_SIGNATURES = 64
"""Signatures whose programs are cached, those that came last; others are compiled again."""


class PredictionPlans(SharedPlans[Program]):
    """Programs of one graph for prediction on one device.

    Args:
        device: Where they run.
        pool: Where arenas have their memory; without one there are none.
        batched: Positions of the inputs that may be computed in slices.
    """

    def __init__(
        self, device: Device, pool: Pool | None = None, batched: Collection[int] = ()
    ) -> None:
        def build(simple: TypedGraph, light: bool, serves: bool) -> Program:
            result = plan_of(simple, device, is_train=False, serves=serves)
            return Program.in_pool(result, None if light and serves else pool)

        super().__init__(PREDICT, Target(device, is_train=False), build)
        self._device = device
        self._pool = pool
        self._batched = batched
        self._promotion = Promotion()

    def executable(self, typed: TypedGraph) -> Executable:
        """Return the executable for one more signature of types.

        Raises:
            KernelError: The device's tables lack a kernel.
        """
        simple = self.lowered(typed)
        # Slices come first: they are weighed on plans, and a batch that large runs for longer than
        # it takes to plan.
        split = split_program(typed, simple, self._device, self._batched, self._pool)
        if split is not None:
            return Executable.of(split)
        self.count()
        # To fit a plan of another signature costs little, so nothing is interpreted then.
        program = self.like(simple)
        if program is None and self._promotion.is_due():
            program = self.of(simple)
        if program is not None:
            return Executable.of(program)
        return Executable(self._device, build=partial(self.of, simple), typed=simple)


class TrainingPlans(SharedPlans[Differentiable]):
    """Forward and backward programs of one graph in one mode.

    Args:
        joint: The graph and its gradients.
        device: Where they run.
        pool: Where arenas have their memory.
        retained: Whether backward passes may run again on what one forward pass saved.
    """

    def __init__(self, joint: Joint, device: Device, pool: Pool, *, retained: bool = False) -> None:
        def build(simple: TypedGraph, light: bool, serves: bool) -> Differentiable:
            # A light graph makes few bytes, so that an arena would gain little.
            parts, own = joint.parts(device, simple), None if light else pool
            return Differentiable.of_partition(parts, pool=own, retained=retained, asks=serves)

        super().__init__(TRAIN, Target(device, is_train=joint.is_train), build)
        self._joint = joint

    def programs(self, typed: TypedGraph) -> Differentiable:
        """Return the programs for these types.

        Raises:
            ShapeError, DTypeError: The types contradict each other; names the node.
            KernelError: The device's tables lack a kernel.
        """
        self.count()
        return self.of(self.lowered(self._joint.typed(typed)))


@dataclass(slots=True, eq=False, weakref_slot=True)
class Executables:
    """Programs of one signature, compiled on first use; callers provide the memory.

    Who asks for a program holds the setup lock.
    """

    typed: TypedGraph
    """The graph that runs, and the types that the inputs give it."""
    cache: "ExecutableCache"
    """Of its own, where the shapes of the graph are open."""
    programs: dict[tuple[Device, bool], Executable] = field(default_factory=dict)
    pairs: dict[tuple[Device, bool, tuple[bool, ...], bool], Differentiable] = field(
        default_factory=dict
    )
    """By mode, and whether backward passes may run again."""
    begun: set[Mode] = field(default_factory=set)
    """Whose first pass was recorded operator by operator."""
    prepared: dict[Device, Any] = field(default_factory=dict)
    """What an executor predicts with, whose constants follow from parameters alone."""

    def program(self, device: Device, is_train: bool) -> Executable:
        """Return the executable for outputs only."""
        program = self.programs.get((device, is_train))
        if program is None:
            release_stale(self.programs)
            program = self.programs[device, is_train] = self._program(device, is_train)
        return program

    def _program(self, device: Device, is_train: bool) -> Executable:
        # Training merges with its gradients, once these are there.
        typed, cache = self.typed.rewritten(self.cache.merged), self.cache
        if is_train:
            return Executable.of(Program.of(typed, device, is_train=True, pool=cache.pool))
        return cache.predictions(device).executable(typed)

    def pair(self, mode: Mode, *, retained: bool = False) -> Differentiable:
        """Return the programs for outputs and gradients.

        Args:
            mode: Where and for what.
            retained: Whether backward passes may run again on what one forward pass saved.
        """
        pair = self.pairs.get((*mode, retained))
        if pair is None:
            release_stale(self.pairs)
            plans = self.cache.training(mode, retained=retained)
            pair = self.pairs[*mode, retained] = plans.programs(self.typed)
        return pair


class ExecutableCache:
    """Graph with its compiled forms for all signatures.

    Args:
        graph: The graph.
        batched: Positions of the inputs that may be computed in slices.
    """

    __slots__ = (
        "_joints",
        "_merged",
        "_open",
        "_predictions",
        "_training",
        "batched",
        "graph",
        "plain",
        "pool",
        "promotions",
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
        self.plain: dict[Mode, Differentiable] = {}
        """Of the catalogue's operators alone, which can be differentiated in turn."""
        self.promotions: defaultdict[tuple[bool, tuple[bool, ...]], Promotion] = defaultdict(
            Promotion
        )
        """Which signatures are not recorded operator by operator at first."""
        self._merged: Graph | None = None
        self._open = has_open_shapes(graph)
        self._joints: dict[tuple[bool, tuple[bool, ...]], Joint] = {}
        self._predictions: dict[Device, PredictionPlans] = {}
        self._training: dict[tuple[Device, bool, tuple[bool, ...], bool], TrainingPlans] = {}

    @classmethod
    def of(cls, graph: Graph, batched: Sequence[int] = ()) -> "ExecutableCache":
        """Return the cache shared by all graphs that equal this one, created if missing.

        Args:
            graph: The graph.
            batched: Positions of the inputs that may be computed in slices.
        """
        return shared_caches.of(graph, batched)

    def at(
        self,
        known: tuple[Known, ...],
        inference_cache: InferenceCache | None = None,
        *,
        is_unrolled: bool = True,
    ) -> Executables:
        """Return the executables of a signature; the caller holds the setup lock.

        The whole graph is inferred once per signature, so that kernels meet what they rely on.

        Args:
            known: Shape and dtype of each input.
            inference_cache: What type rules said before.
            is_unrolled: Whether programs are to run the graph, for which loops are unrolled.

        Raises:
            ShapeError, DTypeError: The types contradict each other; names the node.
        """
        # Not cached: each use infers for itself, and runs operator by operator.
        if not is_unrolled:
            return Executables(TypedGraph.of(self.graph, known, inference_cache), self)
        executables = self.signatures.get(known)
        if executables is None:
            executables = self._inferred(known, inference_cache)
            self.signatures.add(known, executables)
        return executables

    @without_collections
    def _inferred(
        self, known: tuple[Known, ...], inference_cache: InferenceCache | None
    ) -> Executables:
        typed = TypedGraph.of(self.graph, known, inference_cache)
        if not self._open:
            return Executables(typed, self)
        # Sizes that were open are in the nodes now: nothing made of them serves other signatures.
        typed = with_inferred_shapes(typed)
        return Executables(typed, ExecutableCache(typed.graph, self.batched))

    @property
    def merged(self) -> Graph:
        """Return the graph with common subexpressions merged."""
        if self._merged is None:
            graph = self.graph
            self._merged = with_common_subexpressions(Graph(graph.outputs, graph.variables))
        return self._merged

    def following(self, mask: Sequence[bool]) -> list[int]:
        """Return the positions of outputs that depend on an input selected by ``mask``."""
        followers = {node for node, selected in zip(self.variables, mask, strict=True) if selected}
        for node in self.graph.nodes:
            if any(source in followers for source, _ in node.inputs):
                followers.add(node)
        return [k for k, (node, _) in enumerate(self.graph.outputs) if node in followers]

    def predictions(self, device: Device) -> PredictionPlans:
        """Return the prediction plans of a device, created if missing."""
        result = self._predictions.get(device)
        if result is None:
            release_stale(self._predictions)
            result = PredictionPlans(device, self.pool, self.batched)
            self._predictions[device] = result
        return result

    def joint(self, is_train: bool, mask: tuple[bool, ...]) -> Joint:
        """Return the graph with its gradients with respect to the inputs selected by ``mask``."""
        joint = self._joints.get((is_train, mask))
        if joint is None:
            wrt = [i for i, selected in enumerate(mask) if selected]
            joint = self._joints[is_train, mask] = Joint.of(self.graph, wrt, is_train=is_train)
        return joint

    def training(self, mode: Mode, *, retained: bool = False) -> TrainingPlans:
        """Return the training plans of a mode, as :meth:`Executables.pair` uses them."""
        plans = self._training.get((*mode, retained))
        if plans is None:
            release_stale(self._training)
            plans = TrainingPlans(self.joint(*mode[1:]), mode[0], self.pool, retained=retained)
            self._training[*mode, retained] = plans
        return plans

    def shares_training(self, mode: Mode) -> bool:
        """Return whether the signature compiled last in a mode uses the same plan as others."""
        plans = self._training.get((*mode, False))
        return plans is not None and plans.is_shared


class SharedCaches:
    """Least recently used caches of graphs; equal graphs share one.

    Programs that make a model again, for each fold, command or request, then plan it once. Any
    thread may ask.

    Args:
        max_nodes: How many nodes their graphs have together; one with more is not shared.

    Example:
        >>> from hy_symbol import sym
        >>> caches = SharedCaches(100)
        >>> made = [sym.relu(sym.var("x"), name="y").graph for _ in range(2)]
        >>> caches.of(made[0]) is caches.of(made[1])
        True
    """

    def __init__(self, max_nodes: int) -> None:
        self._max_nodes = max_nodes
        self._count = 0
        self._caches: dict[Hashable, ExecutableCache] = {}
        self._lock = threading.Lock()

    def of(self, graph: Graph, batched: Sequence[int] = ()) -> ExecutableCache:
        """Return the cache shared by equal graphs, or a new one for a graph that is not shared.

        Args:
            graph: The graph.
            batched: Positions of the inputs that may be computed in slices.
        """
        size = len(graph.nodes)
        # A graph this large would drive out all others.
        identity = None if size > self._max_nodes else identity_of(graph)
        if identity is None:
            return ExecutableCache(graph, batched)
        key = identity, *batched
        with self._lock:
            cache = self._caches.pop(key, None)
            if cache is None:
                # A copy, as users may change attributes of the graph later.
                cache = ExecutableCache(copied(graph), batched)
                self._count += size
            self._caches[key] = cache  # the last one met is the last one kept
            while self._count > self._max_nodes:
                self._count -= len(self._caches.pop(next(iter(self._caches))).graph.nodes)
        return cache

    def forget(self) -> None:
        """Remove all caches."""
        with self._lock:
            self._caches.clear()
            self._count = 0


shared_caches = SharedCaches(1 << 12)
"""Those of the process."""
