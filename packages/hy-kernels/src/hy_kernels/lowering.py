"""Lowering: the graph interface for the rewriting rules of a kernel table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from hy_kernels.record import Type

__all__ = ["Graph", "Node", "PrivateOperator", "Rewriting", "Rule", "Value"]

_A = TypeVar("_A")

Node: TypeAlias = Any
"""Opaque, hashable handle of a node; :class:`Graph` returns its properties."""

Value: TypeAlias = Any
"""Opaque, hashable handle of one result of a node."""

Rule: TypeAlias = Callable[[Node, tuple[Value, ...]], Sequence[Value] | None]
"""Function of a node and its rewritten inputs: returns the values that replace the node's results,
or None to copy the node."""


@dataclass(frozen=True, slots=True)
class PrivateOperator:
    """An operator of a single kernel table, inserted only by that table's rewriting rules."""

    name: str
    """The name in profiles and errors; of a fused operator, the names joined by ``+``."""
    kernel: str
    """The table's kernel, which takes the inputs and the parameters of the node."""
    inputs: tuple[str, ...]
    """Names of the inputs; without ``active``, trailing ones may be omitted."""
    infer: Callable[[Sequence[Type], Mapping[str, Any]], Type]
    """Returns the type of the first result, from the inputs' types and the parameters."""
    active: Callable[[Mapping[str, Any]], Sequence[str]] | None = None
    """Returns the names of the inputs that a node with given parameters has."""
    batched: tuple[str, ...] = ()
    """Inputs whose first axis is the batch axis, as the result's is; each row of the result depends
    only on the same row of these inputs, and on the other inputs. Empty: there are none such."""
    outputs: tuple[str, ...] = ("output",)
    """Names of the results; the kernel returns a tuple if there are several."""
    others: Callable[[Sequence[Type], Mapping[str, Any]], Sequence[Type]] | None = None
    """Returns the types of the results after the first, if any."""
    states_of: str = ""
    """The catalogue operator whose auxiliary states this one has, and updates as that one does with
    the same parameters; all its inputs are inputs here, under the same names. Empty: none."""


class Graph(Protocol):
    """A graph of catalogue operators with inferred types, and the interface to rewrite it."""

    @property
    def nodes(self) -> Sequence[Node]:
        """Return all nodes in topological order, including variables."""

    def op(self, node: Node) -> str:
        """Return the canonical name of a node's operator; empty for a variable."""

    def kernel(self, node: Node) -> str:
        """Return the name of the kernel that computes a node; empty for a variable."""

    def is_pointwise(self, node: Node) -> bool:
        """Return whether a node is pointwise and its inputs have one shape.

        Such a node computes the same in any layout.
        """

    def draws(self, node: Node) -> bool:
        """Return whether a node draws random numbers in the mode in which the graph runs."""

    def name(self, node: Node) -> str:
        """Return the node's name."""

    def params(self, node: Node) -> Mapping[str, Any]:
        """Return all parameters of a node, including defaults, as Python objects."""

    def inputs(self, node: Node) -> tuple[Value, ...]:
        """Return the inputs of a node, without omitted optional ones."""

    def values(self, node: Node) -> tuple[Value, ...]:
        """Return all results of a node, including hidden ones."""

    def num_visible(self, node: Node) -> int:
        """Return the number of a node's visible results."""

    def source(self, value: Value) -> Node:
        """Return the node that computes a value."""

    def uses(self, value: Value) -> int:
        """Return the number of uses of a value, as input of a node or output of the graph."""

    def type(self, value: Value) -> Type | None:
        """Return a value's shape and dtype; None if unknown, or if a rule added the value."""

    def ask(self, question: Callable[..., _A], *values: Value, args: tuple[Any, ...] = ()) -> _A:
        """Return the result of ``question`` on the types of values, recorded as a guard.

        For other types of the graph's inputs with the same answers, the rewritten graph is reused.

        Args:
            question: A pure function of the types, each None if unknown, and of ``args``.
            values: Values of this graph.
            args: Further arguments, hashable.
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
        """Return a new node that replaces ``like``, or serves it if not ``replaces``.

        Errors of the new node refer to the source line of ``like``.
        """

    def copy(self, node: Node, inputs: Sequence[Value]) -> Node:
        """Return a new node with the operator and parameters of ``node`` and other inputs."""

    def prepare(self, value: Value) -> None:
        """Mark a value that depends on parameters only, so that it is computed once and cached."""

    def rewrite(self, rule: Rule, finish: Callable[[Value], Value] | None = None) -> "Graph":
        """Return the graph with ``rule`` applied to each node and ``finish`` to each output.

        The variables and the types of the outputs must not change.
        """


Rewriting: TypeAlias = Callable[[Graph], Graph]
"""Function that returns the rewritten graph, or the same graph if there is nothing to rewrite."""
