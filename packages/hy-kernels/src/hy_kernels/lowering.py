"""Lowering: the interface of graphs to rules that rewrite them for one kernel table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from hy_kernels.record import Type

__all__ = ["Graph", "Node", "PrivateOperator", "Rewriting", "Rule", "Value"]

_A = TypeVar("_A")

Node: TypeAlias = Any
"""A node, opaque: hashable, and a key to what :class:`Graph` says of it."""

Value: TypeAlias = Any
"""One result of a node, opaque."""

Rule: TypeAlias = Callable[[Node, tuple[Value, ...]], Sequence[Value] | None]
"""Function from a node and its rewritten inputs to what replaces its results; None: a copy."""


@dataclass(frozen=True, slots=True)
class PrivateOperator:
    """An operator of one table alone, which its rules insert."""

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
    """The types of the results after the first, if there are some."""
    states_of: str = ""
    """An operator of the catalogue whose auxiliary states it has and overwrites, as that would with
    the same parameters: among its inputs are all of that one's, by these names. Empty: none."""


class Graph(Protocol):
    """A graph of catalogue operators whose types are known, and the one way to rewrite it."""

    @property
    def nodes(self) -> Sequence[Node]:
        """Return all nodes, inputs before users; variables, too."""

    def op(self, node: Node) -> str:
        """Return the canonical name of the operator; empty for a variable."""

    def kernel(self, node: Node) -> str:
        """Return the name of the kernel that computes it; empty for a variable."""

    def is_pointwise(self, node: Node) -> bool:
        """Return whether it is pointwise, on inputs of one shape.

        The order of their axes does not matter to it then.
        """

    def draws(self, node: Node) -> bool:
        """Return whether it draws random numbers in the mode in which the graph runs."""

    def name(self, node: Node) -> str:
        """Return the node's name."""

    def params(self, node: Node) -> Mapping[str, Any]:
        """Return the parameters, all of them, in Python form."""

    def inputs(self, node: Node) -> tuple[Value, ...]:
        """Return the inputs of a node, without those left out."""

    def values(self, node: Node) -> tuple[Value, ...]:
        """Return all results of a node, hidden ones, too."""

    def num_visible(self, node: Node) -> int:
        """Return the number of visible outputs."""

    def source(self, value: Value) -> Node:
        """Return the node that computes a value."""

    def uses(self, value: Value) -> int:
        """Return the number of uses as input or output."""

    def type(self, value: Value) -> Type | None:
        """Return shape and dtype, if both are known; None for new nodes of the rule."""

    def ask(self, question: Callable[..., _A], *values: Value, args: tuple[Any, ...] = ()) -> _A:
        """Apply a function to the types of values, each None if it is not known.

        The graph is not rewritten again for other types of which the function says the same.

        Args:
            question: Takes the types, then ``args``, which can be keys of a dictionary;
                says the same of the same, always.
            values: Values of this graph.
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
        """Return a new node that replaces ``like``, or serves it; errors name the line of that."""

    def copy(self, node: Node, inputs: Sequence[Value]) -> Node:
        """Return a new node with the operator and parameters of ``node`` and other inputs."""

    def prepare(self, value: Value) -> None:
        """Declare that a value follows from parameters alone, so that it is computed once."""

    def rewrite(self, rule: Rule, finish: Callable[[Value], Value] | None = None) -> "Graph":
        """Return the graph with ``rule`` applied to each node and ``finish`` to each output.

        The variables and the types of the outputs have to stay.
        """


Rewriting: TypeAlias = Callable[[Graph], Graph]
"""Function from a graph to the one to run; the same if there is nothing to do."""
