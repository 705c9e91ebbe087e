"""Source: a graph, and what is made of it for all signatures."""

from collections import defaultdict
from typing import Any, TypeAlias

from hy_ndarray import Device
from hy_symbol import Backoff, Differentiable, Family, Graph, Joint, Node, PairFamily, Pool

__all__ = ["Mode", "Source", "release_stale"]

Mode: TypeAlias = tuple[Device, bool, tuple[bool, ...]]
"""A device, whether it trains, and of which inputs gradients are recorded."""


class Source:
    """A graph, and what is made of it for all signatures."""

    __slots__ = (
        "backoffs",
        "families",
        "graph",
        "joints",
        "merged",
        "pairs",
        "plain",
        "variables",
    )

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.variables: list[Node] = list(graph.variables)
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

    def family(self, device: Device, pool: Pool | None) -> Family:
        """The programs for prediction on a device."""
        found = self.families.get(device)
        if found is None:
            release_stale(self.families)
            found = self.families[device] = Family(device, pool)
        return found

    def joint(self, is_train: bool, mask: tuple[bool, ...]) -> Joint:
        """The graph and its gradients with respect to the inputs that ``mask`` chooses."""
        joint = self.joints.get((is_train, mask))
        if joint is None:
            wrt = [i for i, chosen in enumerate(mask) if chosen]
            joint = self.joints[is_train, mask] = Joint.of(self.graph, wrt, is_train=is_train)
        return joint

    def pair(self, mode: Mode, pool: Pool | None) -> PairFamily:
        """The programs for that."""
        found = self.pairs.get(mode)
        if found is None:
            release_stale(self.pairs)
            found = self.pairs[mode] = PairFamily(self.joint(*mode[1:]), mode[0], pool)
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
