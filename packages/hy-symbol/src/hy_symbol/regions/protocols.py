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
"""Function from one buffer per variable that is not a constant, in order, to one per output."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about a graph to rewrite."""

    types: Types
    """Shapes and dtypes of the graph's entries, as far as they are known."""
    arrays: Mapping[str, NDArray]
    """Values of variables by name; empty if the graph is rewritten without values."""
    device: Device | None = None
    """The device on which the graph will run, if known."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Result of :meth:`Rewriter.rewrite`: a graph, and values of its new variables."""

    graph: Graph
    arrays: Mapping[str, NDArray] = field(default_factory=dict)
    """Values of new variables, which must not depend on parameters."""
    once: Sequence[Entry] = ()
    """Entries that depend on parameters only, such as new weights. Where parameters are known,
    these are computed once, and again after a parameter of a Gluon block has changed."""


@runtime_checkable
class Rewriter(Protocol):
    """Backend that replaces operators of a graph.

    The rewritten graph is for prediction; Gluon trains with the original graph.
    """

    def rewrite(self, graph: Graph, facts: Facts, options: Mapping[str, Any]) -> Rewritten:
        """Return the rewritten graph.

        Requires: nothing. Ensures: as many outputs as before; every variable is one of the graph's
        own nodes, or its value is among the arrays returned.

        Args:
            graph: The graph; neither it nor its nodes may be modified.
            facts: Known types, values and device.
            options: Options that the user gave by keyword.

        Raises:
            HyError: The graph cannot be rewritten; the message says what is missing.
        """


@runtime_checkable
class Runner(Protocol):
    """Backend that runs groups of nodes itself.

    The backend is used for prediction only: in training, and where gradients are recorded, the
    nodes run on the device's kernels.
    """

    def prepare(self, options: Mapping[str, Any]) -> None:
        """Raise an error if the options are invalid or the backend cannot run here.

        Raises:
            HyError: An option is invalid or a requirement missing; the message says what to do.
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
        """Compile a graph of nodes that :meth:`takes` accepts to a function of buffers.

        The function must neither modify nor return its input buffers, and must be thread-safe. It
        may raise :class:`hy_symbol.RegionRefused`: this call and later calls with these types then
        run on the device's kernels.

        The first signature of shapes and dtypes is compiled as it is. If a second signature differs
        in some sizes, these are None in a compilation for dynamic sizes; all open sizes at the same
        axis index are equal in each call. If that compilation fails, each signature is compiled by
        itself.

        Args:
            typed: The graph with the types of its entries, as far as they are known.
            constants: Values of variables, such as parameters, which may be packed. When one of
                them has been overwritten, the function is dropped and the graph compiled again.
            device: The device on which it runs.
            options: Options that the user gave by keyword; JSON values.

        Raises:
            RegionRefused: The backend cannot compile the graph. The nodes named in the exception
                run on the device's kernels, and the others are compiled again without them.
        """


@runtime_checkable
class Reasoning(Protocol):
    """Runner that explains refused nodes; :meth:`HybridBlock.explain` shows the reasons."""

    def why_not(self, node: Node) -> str:
        """Return the reason why :meth:`Runner.takes` refuses a node, as part of a sentence."""


Backend: TypeAlias = Rewriter | Runner
