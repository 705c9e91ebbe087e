"""Protocols of backends, without implementation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

from hy_ndarray import Buffer, Device, NDArray
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph

__all__ = ["Backend", "Facts", "Reasoning", "Rewriter", "Rewritten", "Run", "Runner"]

Run: TypeAlias = Callable[..., Sequence[Buffer]]
"""Takes a buffer for each variable that is no constant, in order; gives one for each output."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about a graph to rewrite."""

    types: Types
    """Shapes and dtypes of its entries, as far as they are known."""
    arrays: Mapping[str, NDArray]
    """Values of variables by name; none, where the graph is rewritten without them."""
    device: Device | None = None
    """Where it will run, if that is known."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Rewritten graph, with its prepared values."""

    graph: Graph
    arrays: Mapping[str, NDArray] = field(default_factory=dict)
    """Values of the variables that are new in it. They do not change when a parameter does."""
    once: Sequence[Entry] = ()
    """Entries that follow from parameters alone, such as new weights. Where these are known, they
    are computed once, and again after a parameter of a Gluon block has changed."""


@runtime_checkable
class Rewriter(Protocol):
    """Backend that replaces operators of a graph.

    What it makes is for prediction: Gluon trains with the original graph.
    """

    def rewrite(self, graph: Graph, facts: Facts, options: Mapping[str, Any]) -> Rewritten:
        """Return the rewritten graph.

        Requires: nothing. Ensures: as many outputs as before; every variable is one of the graph's
        own nodes, or its value is among the arrays returned.

        Args:
            graph: The graph; it and its nodes are not to be changed.
            facts: What is known of it.
            options: What the user gave by keyword.

        Raises:
            HyError: It cannot be done; the message says what is missing.
        """


@runtime_checkable
class Runner(Protocol):
    """Backend that runs groups of nodes itself.

    In training, and where gradients are recorded, the nodes run as if there was no backend.
    """

    def prepare(self, options: Mapping[str, Any]) -> None:
        """Check the options and the backend's requirements.

        Raises:
            HyError: It is not; the message says what to do.
        """

    def takes(self, node: Node) -> bool:
        """Return whether the backend can run a node in prediction."""

    def compile(
        self,
        typed: TypedGraph,
        constants: Mapping[Node, NDArray],
        device: Device,
        options: Mapping[str, Any],
    ) -> Run:
        """Return a function that computes a graph of such nodes.

        It changes none of the buffers it takes, returns none of them, and may be called by several
        threads at once. It may raise :class:`hy_symbol.RegionRefused`, too: that call, and those
        of these types after it, then run on the device's kernels.

        It is asked once for each signature of shapes and dtypes. Where a second one has other sizes
        at some axes, it is asked for all such sizes at once: these are None then, and those that
        are at one axis are one size in each call. If it raises, it is asked for each signature.

        Args:
            typed: The graph, and the types of its entries as far as they are known.
            constants: Values of variables: parameters, which may be packed. After one of them was
                overwritten, the function is not called any more, and another one is compiled.
            device: The device on which it runs.
            options: What the user gave by keyword; values that JSON can hold.

        Raises:
            RegionRefused: It cannot; the nodes it names run on the device's kernels, and it is
                asked for the others again.
        """


@runtime_checkable
class Reasoning(Protocol):
    """Runner that explains refused nodes; :meth:`HybridBlock.explain` shows the reasons."""

    def why_not(self, node: Node) -> str:
        """Return why :meth:`Runner.takes` is false for a node, as a part of a sentence."""


Backend: TypeAlias = Rewriter | Runner
