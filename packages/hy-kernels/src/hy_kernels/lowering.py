"""Lowering: what rules that rewrite a graph for one table are written against."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from hy_kernels.record import Type

__all__ = ["Graph", "Node", "PrivateOperator", "Rewriting", "Rule", "Value"]

_A = TypeVar("_A")

Node: TypeAlias = Any
"""A node, as the graph has it: hashable, and otherwise asked about by :class:`Graph` alone."""

Value: TypeAlias = Any
"""One result of a node, likewise."""

Rule: TypeAlias = Callable[[Node, tuple[Value, ...]], Sequence[Value] | None]
"""Takes a node and its inputs, rewritten already; gives what its results become, None: itself."""


@dataclass(frozen=True, slots=True)
class PrivateOperator:
    """An operator that a table's rules put in; nobody else knows it."""

    name: str
    """As profiles and errors show it; of several operators as one, their names with ``+``."""
    kernel: str
    """The table's kernel, which takes the inputs and the parameters of the node."""
    inputs: tuple[str, ...]
    """Names of the inputs; those at the end may be left out, if ``active`` does not say which."""
    infer: Callable[[Sequence[Type], Mapping[str, Any]], Type]
    """The type of the result, of several that of the first."""
    active: Callable[[Mapping[str, Any]], Sequence[str]] | None = None
    """Names of the inputs that a node with these parameters has."""
    batched: tuple[str, ...] = ()
    """Inputs whose first axis is that of the samples, as is the result's, if each of its rows
    follows from these inputs' rows and from the other inputs; else none."""
    outputs: tuple[str, ...] = ("output",)
    """Names of the results; of several the kernel returns a tuple."""
    others: Callable[[Sequence[Type], Mapping[str, Any]], Sequence[Type]] | None = None
    """The types of the results behind the first, if there are some."""
    states_of: str = ""
    """An operator of the catalogue whose auxiliary states it has and overwrites, as that would with
    the same parameters: among its inputs are all of that one's, by these names. Empty: none."""


class Graph(Protocol):
    """A graph of catalogue operators whose types are known, and the one way to rewrite it."""

    @property
    def nodes(self) -> Sequence[Node]:
        """All nodes, inputs before users; variables, too."""

    def op(self, node: Node) -> str:
        """Canonical name of the operator; empty for a variable."""

    def kernel(self, node: Node) -> str:
        """Name of the kernel that computes it; empty for a variable."""

    def is_pointwise(self, node: Node) -> bool:
        """Whether each element of its only result follows from those at its place in the inputs.

        They are all of one shape, so that the order of their axes is nothing to it.
        """

    def draws(self, node: Node) -> bool:
        """Whether it draws random numbers in the mode that the graph is to run in."""

    def name(self, node: Node) -> str:
        """The node's name."""

    def params(self, node: Node) -> Mapping[str, Any]:
        """Parameters, all of them, in Python form."""

    def inputs(self, node: Node) -> tuple[Value, ...]:
        """The inputs that it has."""

    def values(self, node: Node) -> tuple[Value, ...]:
        """All its results."""

    def num_visible(self, node: Node) -> int:
        """Return the number of visible outputs."""

    def source(self, value: Value) -> Node:
        """The node whose result it is."""

    def uses(self, value: Value) -> int:
        """Return the number of uses as input or output."""

    def type(self, value: Value) -> Type | None:
        """Shape and dtype, if both are known; not of nodes that a rule has made."""

    def ask(self, question: Callable[..., _A], *values: Value, args: tuple[Any, ...] = ()) -> _A:
        """Apply a function to the types of values, each None if it is not known.

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
        inputs: Sequence[Value],
        params: Mapping[str, Any],
        *,
        name: str,
        like: Node,
        replaces: bool = True,
    ) -> Node:
        """A new node in the place of ``like``, or for it; errors point to the line of that."""

    def copy(self, node: Node, inputs: Sequence[Value]) -> Node:
        """A node like one, with other inputs."""

    def prepare(self, value: Value) -> None:
        """Say that a value follows from parameters alone, so that it can be computed once."""

    def rewrite(self, rule: Rule, finish: Callable[[Value], Value] | None = None) -> "Graph":
        """The graph after ``rule`` was asked about each node, and ``finish`` about each output.

        The variables and the types of the outputs have to stay.
        """


Rewriting: TypeAlias = Callable[[Graph], Graph]
"""Gives the graph as it is to run; itself, if there is nothing to do."""
