"""Source: a graph, and what is made of it for all signatures and for all that run it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hy_gluon.execution._recent import Recent
from hy_ndarray import Device
from hy_symbol import (
    Backoff,
    Deferred,
    Differentiable,
    Family,
    Graph,
    Joint,
    Known,
    Node,
    PairFamily,
    Pool,
    Program,
    Sliced,
    TypedGraph,
    known_graphs,
)

__all__ = ["KEPT", "Made", "Mode", "Source", "release_stale"]

Mode: TypeAlias = tuple[Device, bool, tuple[bool, ...]]
"""A device, whether it trains, and of which inputs gradients are recorded."""

KEPT = 64
"""Signatures whose programs are kept, those that came last; for others they are made again."""


@dataclass(slots=True)
class Made:
    """What is made for one signature, when it is first needed; who runs it brings the memory."""

    typed: TypedGraph
    """The graph that runs, and the types that the inputs give it."""
    source: "Source"
    """Of its own, where the shapes of the graph are open."""
    programs: dict[tuple[Device, bool], Deferred | Program | Sliced] = field(default_factory=dict)
    pairs: dict[Mode, Differentiable] = field(default_factory=dict)
    begun: set[Mode] = field(default_factory=set)
    """Whose first pass was recorded operator by operator."""


class Source:
    """A graph, and what is made of it for all signatures.

    Args:
        graph: The graph.
    """

    __slots__ = (
        "backoffs",
        "families",
        "graph",
        "joints",
        "made",
        "merged",
        "pairs",
        "plain",
        "pool",
        "variables",
    )

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.variables: list[Node] = list(graph.variables)
        self.pool = Pool()
        """An empty one: those that run programs give them memory."""
        self.made: Recent[tuple[Known, ...], Made] = Recent(KEPT)
        """By the types of all inputs."""
        self.merged: Graph | None = None
        """Without common subexpressions."""
        self.joints: dict[tuple[bool, tuple[bool, ...]], Joint] = {}
        self.plain: dict[Mode, Differentiable] = {}
        """Of the catalogue's operators alone, which can be differentiated in turn."""
        self.families: dict[Device, Family] = {}
        """What programs of all signatures have in common, in prediction and in training."""
        self.pairs: dict[Mode, PairFamily] = {}
        self.backoffs: defaultdict[tuple[bool, tuple[bool, ...]], Backoff] = defaultdict(Backoff)
        """Which signatures are not recorded operator by operator at first."""

    @classmethod
    def of(cls, graph: Graph, *, batched: Sequence[int]) -> "Source":
        """What all that run an equal graph share, made if it is not there.

        Args:
            graph: The graph.
            batched: Positions of the inputs that may be computed in slices.
        """
        kept = known_graphs.of(graph)
        if kept is graph:  # it runs code that is not to be shared
            return cls(graph)
        found = kept.shared.setdefault(("source", *batched), cls(kept))
        assert isinstance(found, Source)
        return found

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


def release_stale(made: dict[Any, Any]) -> None:
    """Drop what was made for devices whose kernel table was swapped: it never runs again.

    Args:
        made: By device, or by tuples that begin with one. Who calls this holds the setup lock.
    """
    for key in list(made):
        device: Device = key[0] if isinstance(key, tuple) else key
        if device.stale:
            del made[key]
