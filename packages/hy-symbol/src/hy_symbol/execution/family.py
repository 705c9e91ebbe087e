"""Family: programs of one graph for arrays of many sizes, what they have in common made once."""

from collections import defaultdict
from dataclasses import replace

from hy_ndarray import Device
from hy_symbol.compile.arena import Pool
from hy_symbol.compile.planning import plan
from hy_symbol.execution.differentiable import Differentiable, Joint
from hy_symbol.execution.partition import Partition
from hy_symbol.execution.program import Program
from hy_symbol.graph.rewriting import outputs_of
from hy_symbol.infer.questions import Questions
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.pipeline import PREDICT, TRAIN
from hy_symbol.passes.reuse import Lowering
from hy_symbol.passes.target import Target

__all__ = ["Backoff", "Family", "PairFamily"]

_KEPT = 4
"""Programs that others are made like: those planned last."""
_LIGHT = 1 << 20
"""Bytes of all values below which memory that is laid out in advance gains little."""
_SMALL = 1 << 15
"""Bytes of the largest value below which it does as well: there is always room for one more."""


def is_light(typed: TypedGraph) -> bool:
    """Whether the values of a graph are so small that programs need no arena to be fast."""
    types, total, most = typed.types, 0, 0
    for node in typed.graph.nodes:
        if node.op is not None:
            for entry in outputs_of(node):
                size = types.nbytes(entry)
                total += size
                most = max(most, size)
    return total < _LIGHT or most < _SMALL


class Backoff:
    """Chooses the signatures that are planned when they first come.

    A plan may serve those that follow, so the second one without a plan is chosen, then the second
    one after that, the fourth, the eighth: little is lost where plans fit no other signature.

    Example:
        >>> backoff = Backoff()
        >>> "".join("-x"[backoff.is_due()] for _ in range(20))
        '-x-x---x-------x----'
    """

    def __init__(self) -> None:
        self._left = 2
        self._next = 2

    def is_due(self) -> bool:
        """Whether one more signature without a plan is chosen."""
        self._left -= 1
        if self._left:
            return False
        self._left, self._next = self._next, 2 * self._next
        return True


class Family:
    """Programs for prediction of graphs that one was lowered to.

    Signatures share a plan where it fits. One that has none is not planned before it runs again, as
    that may never be, but for those that a :class:`Backoff` chooses.

    Args:
        device: Where they run.
        pool: Where arenas have their memory, for programs of large values.
    """

    def __init__(self, device: Device, pool: Pool) -> None:
        self.lowered = Lowering(PREDICT, Target(device, is_train=False))
        """Gives the graph as it runs."""
        self._device = device
        self._pool = pool
        self._made: defaultdict[bool, list[Program]] = defaultdict(list)
        self._backoff = Backoff()
        self._signatures = 0

    def program(self, simple: TypedGraph) -> Program | None:
        """The program of a lowered graph, None if that is not to be planned yet."""
        self._signatures += 1
        light = is_light(simple)
        found = self._like(simple, light)
        if found is None and self._backoff.is_due():
            return self._new(simple, light)
        return found

    def planned(self, simple: TypedGraph) -> Program:
        """The program of a lowered graph, planned now if no plan fits it."""
        light = is_light(simple)
        return self._like(simple, light) or self._new(simple, light)

    def _like(self, simple: TypedGraph, light: bool) -> Program | None:
        for program in self._made[light]:
            if program.outputs == simple.graph.outputs:
                found = program.like(simple.types)
                if found is not None:
                    return found
        return None

    def _new(self, simple: TypedGraph, light: bool) -> Program:
        is_shared = self._signatures > 1  # the first may be the only one
        made = plan(
            simple.inputs,
            simple.graph.outputs,
            self._device,
            is_train=False,
            types=simple.types,
            questions=Questions() if is_shared else None,
        )
        program = Program.in_pool(made, None if light and is_shared else self._pool)
        if is_shared:
            self._made[light] = [*self._made[light][1 - _KEPT :], program]
        return program


class PairFamily:
    """Programs of a graph and its gradients.

    Args:
        joint: The graph and its gradients.
        device: Where they run.
        pool: As of :class:`Family`.
    """

    def __init__(self, joint: Joint, device: Device, pool: Pool) -> None:
        self._joint = joint
        self._device = device
        self._pool = pool
        self._lowered = Lowering(TRAIN, Target(device, is_train=joint.is_train))
        self._made: defaultdict[bool, list[tuple[TypedGraph, Differentiable]]] = defaultdict(list)
        self._signatures = 0
        self.is_shared = False
        """Whether the last signature shared the plans of one before, or is to share its own."""

    def programs(self, typed: TypedGraph) -> Differentiable:
        """Programs for the types of the graph that was differentiated.

        Raises:
            ShapeError, DTypeError: The types contradict each other; names the node.
            KernelError: The device's tables lack a kernel.
        """
        self._signatures += 1
        simple = self._lowered(self._joint.typed(typed))
        parts: Partition | None = None
        light = is_light(simple)
        for other, programs in self._made[light]:
            if other.graph is simple.graph:
                found = programs.like(simple.types)
                if found is not None:
                    self.is_shared = True
                    return found
                parts = replace(programs.parts, types=simple.types)
        if parts is None:
            parts = self._joint.parts(self._device, simple)
        asks = self._signatures > 1  # the first may be the only one
        pool = None if light else self._pool
        made = Differentiable.of_partition(parts, pool=pool, asks=asks)
        self.is_shared = asks and not self._made[light]
        if asks:
            self._made[light] = [*self._made[light][1 - _KEPT :], (simple, made)]
        return made
