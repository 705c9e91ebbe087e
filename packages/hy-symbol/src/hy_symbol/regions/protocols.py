"""What a backend is; no implementation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

from hy_ndarray import Buffer, Device, NDArray
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.infer.engine import Types

__all__ = ["Backend", "Facts", "Rewriter", "Rewritten", "Runner"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a graph when it is rewritten."""

    types: Types
    """Shapes and dtypes of its entries, as far as they are known."""
    arrays: Mapping[str, NDArray]
    """Values of variables by name; none, where the graph is rewritten without them."""
    device: Device | None = None
    """Where it will run, if that is known."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A rewritten graph."""

    graph: Graph
    arrays: Mapping[str, NDArray] = field(default_factory=dict)
    """Values of the variables that are new in it. They do not change when a parameter does."""
    once: Sequence[Entry] = ()
    """Entries that follow from parameters alone, such as new weights. Where these are known, they
    are computed once, and again after a parameter of a Gluon block has changed."""


@runtime_checkable
class Rewriter(Protocol):
    """A backend that puts other operators in the place of some.

    What it makes is for prediction: Gluon trains with the original graph.
    """

    def rewrite(self, graph: Graph, facts: Facts, options: Mapping[str, Any]) -> Rewritten:
        """The graph rewritten.

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
    """A backend that runs groups of nodes itself.

    In training, and where gradients are recorded, the nodes run as if there was no backend.
    """

    def prepare(self, options: Mapping[str, Any]) -> None:
        """Check the options, and that what the backend needs is there.

        Raises:
            HyError: It is not; the message says what to do.
        """

    def takes(self, node: Node) -> bool:
        """Whether it can run a node, in prediction."""

    def compile(
        self, graph: Graph, device: Device, options: Mapping[str, Any]
    ) -> Callable[..., tuple[Buffer, ...]]:
        """A function that computes a graph of such nodes.

        It takes a buffer for each of ``graph.variables`` and returns one for each output. It
        changes none of them, returns none of them, and may be called by several threads at once.

        Args:
            graph: The graph.
            device: Where it runs.
            options: What the user gave by keyword; values that JSON can hold.
        """


Backend: TypeAlias = Rewriter | Runner
