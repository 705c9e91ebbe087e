"""Shared: what executors of one graph for arrays of the same types have in common."""

from collections.abc import Sequence
from functools import partial
from operator import is_
from typing import Any, TypeAlias

from hy_ndarray import Device, Params
from hy_symbol.compile.arena import Pool
from hy_symbol.executor.preparation import Preparation
from hy_symbol.graph.node import Graph, Node
from hy_symbol.infer.answers import Known
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes import with_inferred_shapes
from hy_symbol.passes.pipeline import PREDICT, lowered
from hy_symbol.passes.target import Target
from hy_symbol.runtime.deferred import Deferred
from hy_symbol.runtime.differentiable import Differentiable
from hy_symbol.runtime.program import Program, plan_of

__all__ = ["FIRST_RUNS", "Shared"]

_KEPT = 4
"""Signatures of a graph, those that were bound last."""
FIRST_RUNS = 2
"""Predictions that are computed operator by operator: many graphs run no more often."""
_Gradients: TypeAlias = tuple[Device, bool, tuple[int, ...]]


class Shared:
    """A graph with types, and its programs, which each executor runs in memory of its own.

    Programs that bind a symbol anew for each prediction, or for each epoch, plan it once.

    Args:
        graph: The graph.
        known: Shape and dtype of each of its variables.

    Raises:
        ShapeError, DTypeError: The types contradict each other; names the node.
    """

    def __init__(self, graph: Graph, known: Sequence[Known]) -> None:
        inferred = TypedGraph.of(graph, known)
        self.types = inferred.types
        """Of the graph as it was given."""
        self.typed = with_inferred_shapes(inferred)
        """The graph that runs."""
        self._training: dict[Device, Program] = {}
        self._predictions: dict[Device, Deferred] = {}
        self._preparations: dict[Device, Preparation | None] = {}
        self._gradients: dict[_Gradients, Differentiable] = {}
        self._params = [_params(node) for node in graph.nodes]

    def _is_stale(self, graph: Graph) -> bool:
        """Whether a node has got other parameters since then, as attributes may be set later."""
        return not all(map(is_, self._params, map(_params, graph.nodes)))

    @classmethod
    def of(cls, graph: Graph, known: Sequence[Known]) -> "Shared":
        """What executors of a graph share, made if it is not there.

        It lives as long as the graph. Where code of the user's runs, which may keep something from
        one call to the next, each executor has its own.
        """
        if any(node.bodies or (node.op and node.op.traits.foreign) for node in graph.nodes):
            return cls(graph, known)
        made, key = graph.shared, ("executor", *known)
        found = made.get(key)
        if not isinstance(found, Shared) or found._is_stale(graph):
            found = cls(graph, known)
            for old in list(made)[: 1 - _KEPT]:
                made.pop(old, None)
            made[key] = found
        return found

    def program(self, device: Device, is_train: bool, pool: Pool) -> Program:
        """The program for outputs alone, in memory of a pool."""
        if not is_train:
            return self.prediction(device).program.in_memory_of(pool)
        found = self._training.get(device)
        if found is None:
            _release_stale(self._training)
            found = Program.of(self.typed, device, is_train=True, pool=Pool())
            self._training[device] = found
        return found.in_memory_of(pool)

    def prediction(self, device: Device) -> Deferred:
        """What predicts: operator by operator at first."""
        found = self._predictions.get(device)
        if found is None:
            _release_stale(self._predictions)
            simple = lowered(self.typed, PREDICT, Target(device, is_train=False))
            make = partial(plan_of, simple, device, is_train=False)
            found = Deferred(
                simple, device, lambda: Program.in_pool(make(), Pool()), runs=FIRST_RUNS
            )
            self._predictions[device] = found
        return found

    def preparation(self, device: Device) -> Preparation | None:
        """The graph as it is predicted with where something of it is prepared; else None."""
        if device not in self._preparations:
            _release_stale(self._preparations)
            graph = self.typed.graph
            distinct = len({node.name for node in graph.variables}) == len(graph.variables)
            found = Preparation(self.typed, device) if distinct else None
            self._preparations[device] = found if found and found.parts else None
        return self._preparations[device]

    def gradients(
        self, wanted: Sequence[int], device: Device, is_train: bool, pool: Pool
    ) -> Differentiable:
        """The programs for outputs and gradients of some inputs, in memory of a pool.

        Args:
            wanted: Positions of these inputs.
            device: Where they run.
            is_train: The mode.
            pool: Whose memory it is.
        """
        key = device, is_train, tuple(wanted)
        found = self._gradients.get(key)
        if found is None:
            _release_stale(self._gradients)
            found = self._gradients[key] = Differentiable.of(
                self.typed,
                list(wanted),
                device,
                is_train=is_train,
                pool=Pool(),
                retained=True,
            )
        return found.in_memory_of(pool)


def _params(node: Node) -> Params | None:
    return None if node.op is None else node.params


def _release_stale(made: dict[Any, Any]) -> None:
    """Drop what was made for devices whose kernel table was swapped: it never runs again."""
    for key in list(made):
        if (key[0] if isinstance(key, tuple) else key).stale:
            made.pop(key, None)
