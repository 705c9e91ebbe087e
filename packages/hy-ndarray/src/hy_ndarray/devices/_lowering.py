"""Protocols of kernel tables that rewrite graphs; no implementation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from hy_ndarray.devices._protocols import BufferType, KernelTable, Params

__all__ = ["LoweringGraph", "LoweringTable", "PrivateOperator", "Rewriting"]

_A = TypeVar("_A")

Rule: TypeAlias = Callable[[Any, tuple[Any, ...]], Sequence[Any] | None]
"""Takes a node and its inputs, rewritten already; gives what its results become, None: itself."""


class PrivateOperator(Protocol):
    """Operator that a table's rules insert into a graph."""

    @property
    def name(self) -> str:
        """Return the name in profiles and errors."""

    @property
    def kernel(self) -> str:
        """Name of the kernel, which takes the node's inputs and parameters."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs; trailing ones may be omitted unless ``active`` decides."""

    @property
    def infer(self) -> Callable[[Sequence[BufferType], Params], BufferType]:
        """Return a function from types and parameters to the type of the first result."""

    @property
    def active(self) -> Callable[[Params], Sequence[str]] | None:
        """Function from parameters to the names of a node's inputs."""

    @property
    def batched(self) -> tuple[str, ...]:
        """Inputs whose first axis is the batch axis, as is the result's.

        None, unless each row of the result follows from these inputs' rows and the other inputs.
        """

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the results; the kernel returns a tuple of several."""

    @property
    def others(self) -> Callable[[Sequence[BufferType], Params], Sequence[BufferType]] | None:
        """Function to the types of the results after the first, if there are any."""

    @property
    def states_of(self) -> str:
        """Catalogue operator whose auxiliary states it updates; empty for none.

        It does so as that would with the same parameters, all of whose inputs are among its own.
        """

    def __hash__(self) -> int:
        """Return the hash, as operators are keys of caches."""


class LoweringGraph(Protocol):
    """Graph of catalogue operators with known types, which rules can rewrite.

    Nodes and values, which are results of nodes, are hashable, and otherwise opaque: the graph
    answers what is asked of them.
    """

    @property
    def nodes(self) -> Sequence[Any]:
        """Return all nodes, inputs before users, variables included."""

    def op(self, node: Any) -> str:
        """Return the canonical name of a node's operator, empty for a variable."""

    def kernel(self, node: Any) -> str:
        """Return the name of the kernel that computes a node, empty for a variable."""

    def is_pointwise(self, node: Any) -> bool:
        """Return whether a node is pointwise with a single result.

        They are all of one shape, so that the order of their axes is nothing to it.
        """

    def draws(self, node: Any) -> bool:
        """Return whether a node draws random numbers in the mode of the graph."""

    def name(self, node: Any) -> str:
        """Return the node's name."""

    def params(self, node: Any) -> Params:
        """Return all parameters of a node as Python values."""

    def inputs(self, node: Any) -> tuple[Any, ...]:
        """Return the inputs of a node."""

    def values(self, node: Any) -> tuple[Any, ...]:
        """Return all results of a node."""

    def num_visible(self, node: Any) -> int:
        """Return the number of visible outputs."""

    def source(self, value: Any) -> Any:
        """Return the node that computes a value."""

    def uses(self, value: Any) -> int:
        """Return the number of uses as input or output."""

    def type(self, value: Any) -> BufferType | None:
        """Return shape and dtype of a value if both are known, None for new nodes' values."""

    def ask(self, question: Callable[..., _A], *values: Any, args: tuple[Any, ...] = ()) -> _A:
        """Apply a function to the types of values, each None if unknown.

        The graph is not rewritten again for other types of which the function says the same.

        Args:
            question: Takes the types, then ``args``, which can be keys of a dictionary;
                says the same of the same, always.
            values: Of this graph.
            args: Further arguments.
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
        """Return a new node in place of ``like``; errors point to that node's line."""

    def copy(self, node: Any, inputs: Sequence[Any]) -> Any:
        """Return a copy of a node with other inputs."""

    def prepare(self, value: Any) -> None:
        """Mark a value as depending on parameters only, so that it is computed once."""

    def rewrite(self, rule: Rule, finish: Callable[[Any], Any] | None = None) -> "LoweringGraph":
        """Return the graph with ``rule`` applied to each node and ``finish`` to each output.

        The variables and the types of the outputs have to stay.
        """


Rewriting: TypeAlias = Callable[[LoweringGraph], LoweringGraph]
"""Gives what the graph's ``rewrite`` gave; the graph itself, if there is nothing to do."""


class LoweringTable(KernelTable, Protocol):
    """Table that rewrites graphs to operators that it computes fast."""

    def rewritings(self, *, prepares: bool) -> Sequence[Rewriting]:
        """Return the rewritings that make a graph fastest on the table, in order.

        A rewriting is asked again for other types where it has asked the graph about these, and
        the answers differ.

        Args:
            graph: The graph.
            prepares: Whether it is for prediction with parameters that seldom change: rules may
                ``prepare`` what follows from these. The result is lowered again, without this, when
                the types of all its inputs are known.
        """
