"""ExecutableCache: programs of a graph for all signatures, shared by equal graphs."""

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
"""Device, whether in training mode, and for each input whether its gradient is computed."""

MAX_SIGNATURES = 64
"""Number of signatures whose programs are cached, the most recently used ones."""


class PredictionPlans(SharedPlans[Program]):
    """Programs of one graph for prediction on one device.

    Args:
        device: The device on which they run.
        pool: Memory of the arenas; programs have no arenas if None.
        batched: Positions of the inputs that may be computed in slices.
        donated: Positions of the inputs that may be overwritten.
    """

    def __init__(
        self,
        device: Device,
        pool: Pool | None = None,
        batched: Collection[int] = (),
        donated: Collection[int] = (),
    ) -> None:
        def build(simple: TypedGraph, light: bool, serves: bool) -> Program:
            result = plan_of(simple, device, is_train=False, serves=serves, donated=donated)
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
        # Reusing the plan of another signature costs little, so nothing is interpreted then.
        program = self.like(simple)
        if program is None and self._promotion.is_due():
            program = self.of(simple)
        if program is not None:
            return Executable.of(program)
        return Executable(self._device, build=partial(self.of, simple), typed=simple)


class TrainingPlans(SharedPlans[Differentiable]):
    """Forward and backward programs of one graph in one mode, for all signatures.

    Args:
        joint: The graph and its gradients.
        device: The device on which they run.
        pool: Memory of the arenas.
        retained: Whether several backward passes may use what one forward pass saved.
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

    Callers hold the setup lock.
    """

    typed: TypedGraph
    """The graph that runs, with the types inferred from the inputs."""
    cache: "ExecutableCache"
    """Cache of ``typed.graph``; not shared if the graph contains inferred shapes."""
    programs: dict[tuple[Device, bool], Executable] = field(default_factory=dict)
    pairs: dict[tuple[Device, bool, tuple[bool, ...], bool], Differentiable] = field(
        default_factory=dict
    )
    """Programs for gradients, by mode and by whether backward passes may run again."""
    begun: set[Mode] = field(default_factory=set)
    """Modes whose first pass was recorded operator by operator."""
    prepared: dict[Device, Any] = field(default_factory=dict)
    """Per device the optimized graph that executors predict with, from the second run on."""

    def program(self, device: Device, is_train: bool) -> Executable:
        """Return the executable that computes the outputs, without gradients; cached."""
        program = self.programs.get((device, is_train))
        if program is None:
            release_stale(self.programs)
            program = self.programs[device, is_train] = self._program(device, is_train)
        return program

    def _program(self, device: Device, is_train: bool) -> Executable:
        # For training, common subexpressions are merged together with the gradients' instead.
        typed, cache = self.typed.rewritten(self.cache.merged), self.cache
        if is_train:
            return Executable.of(Program.of(typed, device, is_train=True, pool=cache.pool))
        return cache.predictions(device).executable(typed)

    def pair(self, mode: Mode, *, retained: bool = False) -> Differentiable:
        """Return the programs for outputs and gradients.

        Args:
            mode: Device, training mode, and inputs with gradients.
            retained: Whether several backward passes may use what one forward pass saved.
        """
        pair = self.pairs.get((*mode, retained))
        if pair is None:
            release_stale(self.pairs)
            plans = self.cache.training(mode, retained=retained)
            pair = self.pairs[*mode, retained] = plans.programs(self.typed)
        return pair


class ExecutableCache:
    """Programs of a graph for all signatures and modes, created on first use.

    Args:
        graph: The graph.
        batched: Positions of the inputs that may be computed in slices.
        donated: Positions of the inputs that predictions may overwrite.
    """

    __slots__ = (
        "_joints",
        "_merged",
        "_open",
        "_predictions",
        "_training",
        "batched",
        "donated",
        "graph",
        "plain",
        "pool",
        "promotions",
        "signatures",
        "variables",
    )

    def __init__(
        self, graph: Graph, batched: Sequence[int] = (), donated: Sequence[int] = ()
    ) -> None:
        self.graph = graph
        self.batched, self.donated = tuple(batched), tuple(donated)
        self.variables: list[Node] = list(graph.variables)
        self.pool = Pool()
        """Placeholder pool: callers give programs their own memory."""
        self.signatures: Recent[tuple[Known, ...], Executables] = Recent(MAX_SIGNATURES)
        """Executables by the types of all inputs."""
        self.plain: dict[Mode, Differentiable] = {}
        """Programs of catalogue operators only, whose gradients can be differentiated again."""
        self.promotions: defaultdict[tuple[bool, tuple[bool, ...]], Promotion] = defaultdict(
            Promotion
        )
        """Selects the signatures whose first pass is compiled at once."""
        self._merged: Graph | None = None
        self._open = has_open_shapes(graph)
        self._joints: dict[tuple[bool, tuple[bool, ...]], Joint] = {}
        self._predictions: dict[Device, PredictionPlans] = {}
        self._training: dict[tuple[Device, bool, tuple[bool, ...], bool], TrainingPlans] = {}

    @classmethod
    def of(
        cls, graph: Graph, batched: Sequence[int] = (), donated: Sequence[int] = ()
    ) -> "ExecutableCache":
        """Return the cache shared by all graphs that equal this one, created if missing.

        Args:
            graph: The graph.
            batched: Positions of the inputs that may be computed in slices.
            donated: Positions of the inputs that predictions may overwrite.
        """
        return shared_caches.of(graph, batched, donated)

    def at(
        self,
        known: tuple[Known, ...],
        inference_cache: InferenceCache | None = None,
        *,
        is_unrolled: bool = True,
    ) -> Executables:
        """Return the executables of a signature; the caller holds the setup lock.

        The whole graph is type-checked once per signature, so that kernels need not check operands.

        Args:
            known: Shape and dtype of each input.
            inference_cache: Cached results of type rules.
            is_unrolled: Whether the graph will run as a program, for which loops are unrolled; else
                the result is not cached.

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
        # The nodes now contain inferred sizes, so nothing made of them can be reused for other
        # signatures.
        typed = with_inferred_shapes(typed)
        return Executables(typed, ExecutableCache(typed.graph, self.batched, self.donated))

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
            result = PredictionPlans(device, self.pool, self.batched, self.donated)
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
        """Return whether the last signature in a mode shares its plan with other signatures."""
        plans = self._training.get((*mode, False))
        return plans is not None and plans.is_shared


class SharedCaches:
    """LRU collection of :class:`ExecutableCache`; equal graphs share one.

    A program that rebuilds a model for each fold, command or request then compiles it only once.
    Thread-safe.

    Args:
        max_nodes: Limit on the total number of nodes of all graphs; a larger graph is not shared.

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

    def of(
        self, graph: Graph, batched: Sequence[int] = (), donated: Sequence[int] = ()
    ) -> ExecutableCache:
        """Return the cache shared by equal graphs, or a new one for a graph that is not shared.

        Args:
            graph: The graph.
            batched: Positions of the inputs that may be computed in slices.
            donated: Positions of the inputs that predictions may overwrite.
        """
        size = len(graph.nodes)
        # A graph this large would drive out all others.
        identity = None if size > self._max_nodes else identity_of(graph)
        if identity is None:
            return ExecutableCache(graph, batched, donated)
        key = identity, tuple(batched), tuple(donated)
        with self._lock:
            cache = self._caches.pop(key, None)
            if cache is None:
                # A copy, as users may change attributes of the graph later.
                cache = ExecutableCache(copied(graph), batched, donated)
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
"""The caches of this process."""
