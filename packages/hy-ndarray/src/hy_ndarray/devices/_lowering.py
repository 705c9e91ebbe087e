"""Protocols of kernel tables that rewrite graphs, without implementation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from hy_ndarray.devices._protocols import BufferType, KernelTable, Params

_A = TypeVar("_A")

Rule: TypeAlias = Callable[[Any, tuple[Any, ...]], Sequence[Any] | None]
"""Function from a node and its rewritten inputs to the values that replace its results, or None to
keep the node."""


class PrivateOperator(Protocol):
    """Operator outside of the catalogue that a table's rules insert into a graph."""

    @property
    def name(self) -> str:
        """Return the operator's name in profiles and errors."""

    @property
    def kernel(self) -> str:
        """Name of the kernel, which takes the node's inputs and parameters."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs; trailing ones may be omitted unless ``active`` is given."""

    @property
    def infer(self) -> Callable[[Sequence[BufferType], Params], BufferType]:
        """Return a function from types and parameters to the type of the first result."""

    @property
    def active(self) -> Callable[[Params], Sequence[str]] | None:
        """Function from parameters to the names of a node's inputs, or None."""

    @property
    def batched(self) -> tuple[str, ...]:
        """Names of the inputs whose first axis is the batch axis, as is the result's.

        Empty unless each row of the result depends only on the same row of these inputs, and on the
        other inputs.
        """

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the results; the kernel returns a tuple of several."""

    @property
    def others(self) -> Callable[[Sequence[BufferType], Params], Sequence[BufferType]] | None:
        """Function to the types of the results after the first; None if there are none."""

    @property
    def states_of(self) -> str:
        """Catalogue operator whose auxiliary states are updated; empty for none.

        The update is that of the catalogue operator with the same parameters, all of whose inputs
        are inputs of this operator, too.
        """

    def __hash__(self) -> int:
        """Return the hash; operators are keys of caches."""


class LoweringGraph(Protocol):
    """Graph of catalogue operators with known types, which a table's rules can rewrite.

    Nodes, and values, which are the results of nodes, are hashable and otherwise opaque: the
    methods of the graph give access to them.
    """

    @property
    def nodes(self) -> Sequence[Any]:
        """Return all nodes in topological order, variables included."""

    def op(self, node: Any) -> str:
        """Return the canonical name of a node's operator, empty for a variable."""

    def kernel(self, node: Any) -> str:
        """Return the name of the kernel that computes a node, empty for a variable."""

    def is_pointwise(self, node: Any) -> bool:
        """Return whether a node is pointwise with a single result.

        Its operands then have one shape, so that it is independent of the order of axes.
        """

    def draws(self, node: Any) -> bool:
        """Return whether a node draws random numbers in the graph's mode."""

    def name(self, node: Any) -> str:
        """Return the name of a node."""

    def params(self, node: Any) -> Params:
        """Return all parameters of a node as Python values."""

    def inputs(self, node: Any) -> tuple[Any, ...]:
        """Return the inputs of a node."""

    def values(self, node: Any) -> tuple[Any, ...]:
        """Return all results of a node."""

    def num_visible(self, node: Any) -> int:
        """Return the number of visible outputs of a node."""

    def source(self, value: Any) -> Any:
        """Return the node that computes a value."""

    def uses(self, value: Any) -> int:
        """Return how often a value is used as a node's input or an output of the graph."""

    def type(self, value: Any) -> BufferType | None:
        """Return shape and dtype of a value if both are known; None for values of new nodes."""

    def ask(self, question: Callable[..., _A], *values: Any, args: tuple[Any, ...] = ()) -> _A:
        """Apply a function to the types of values; a type is None if unknown.

        The graph is rewritten again only for types for which the function returns another result.

        Args:
            question: A pure function of the types and ``args``.
            values: Values of this graph.
            args: Further arguments, hashable.
        """

    def add(
        self,
        op: str | PrivateOperator,
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        *,
        name: str,
        like: Any,
        replaces: bool = True,
    ) -> Any:
        """Return a new node, which replaces ``like``; errors point to the line of ``like``."""

    def copy(self, node: Any, inputs: Sequence[Any]) -> Any:
        """Return a copy of a node with other inputs."""

    def prepare(self, value: Any) -> None:
        """Mark a value as depending on parameters only, so that it is computed once."""

    def rewrite(self, rule: Rule, finish: Callable[[Any], Any] | None = None) -> "LoweringGraph":
        """Return the graph with ``rule`` applied to each node and ``finish`` to each output.

        Variables, and the types of outputs, must not change.
        """


Rewriting: TypeAlias = Callable[[LoweringGraph], LoweringGraph]
"""Function that returns the result of the graph's ``rewrite``, or the graph itself if unchanged."""


class LoweringTable(KernelTable, Protocol):
    """Table that rewrites graphs to operators that it computes faster."""

    def rewritings(self, *, prepares: bool) -> Sequence[Rewriting]:
        """Return the rewritings that optimize a graph for the table, in order.

        A rewriting is applied again for other types if an answer that it got from
        :meth:`LoweringGraph.ask` differs for them.

        Args:
            prepares: Whether the graph is for prediction with parameters that seldom change: rules
                may ``prepare`` values that depend on these. The result is lowered again with
                ``prepares=False`` when the types of all inputs are known.
        """
