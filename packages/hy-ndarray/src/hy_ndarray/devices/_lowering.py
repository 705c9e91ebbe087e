"""Protocols of a kernel table that rewrites graphs; no implementation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from hy_ndarray.devices._protocols import BufferType, KernelTable, Params

__all__ = ["LoweringGraph", "LoweringTable", "PrivateOperator", "Rewriting"]

_A = TypeVar("_A")

Rule: TypeAlias = Callable[[Any, tuple[Any, ...]], Sequence[Any] | None]
"""Takes a node and its inputs, rewritten already; gives what its results become, None: itself."""


class PrivateOperator(Protocol):
    """An operator that a table's rules put in a graph; a plain record will do."""

    @property
    def name(self) -> str:
        """Return the name in profiles and errors."""

    @property
    def kernel(self) -> str:
        """Name of the kernel, which takes the inputs and the parameters of the node."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs; those at the end may be left out, if ``active`` says not which."""

    @property
    def infer(self) -> Callable[[Sequence[BufferType], Params], BufferType]:
        """Gives the type of the first result for those of the inputs and the parameters."""

    @property
    def active(self) -> Callable[[Params], Sequence[str]] | None:
        """Gives the names of the inputs that a node with these parameters has."""

    @property
    def batched(self) -> tuple[str, ...]:
        """Inputs whose first axis is that of the samples, as is the result's.

        None, unless each row of the result follows from these inputs' rows and the other inputs.
        """

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the results; of several the kernel returns a tuple."""

    @property
    def others(self) -> Callable[[Sequence[BufferType], Params], Sequence[BufferType]] | None:
        """Gives the types of the results behind the first, if there are some."""

    @property
    def states_of(self) -> str:
        """An operator of the catalogue whose auxiliary states it has and overwrites; empty: none.

        It does so as that would with the same parameters, all of whose inputs are among its own.
        """

    def __hash__(self) -> int:
        """It is the key of what is made of it."""


class LoweringGraph(Protocol):
    """A graph of catalogue operators whose types are known, and the one way to rewrite it.

    Nodes and values, which are results of nodes, are hashable, and otherwise opaque: the graph
    answers what is asked of them.
    """

    @property
    def nodes(self) -> Sequence[Any]:
        """All nodes, inputs before users; variables, too."""

    def op(self, node: Any) -> str:
        """Canonical name of the operator; empty for a variable."""

    def kernel(self, node: Any) -> str:
        """Name of the kernel that computes it; empty for a variable."""

    def is_pointwise(self, node: Any) -> bool:
        """Whether each element of its only result follows from those at its place in the inputs.

        They are all of one shape, so that the order of their axes is nothing to it.
        """

    def draws(self, node: Any) -> bool:
        """Whether it draws random numbers in the mode that the graph is to run in."""

    def name(self, node: Any) -> str:
        """The node's name."""

    def params(self, node: Any) -> Params:
        """Parameters, all of them, in Python form."""

    def inputs(self, node: Any) -> tuple[Any, ...]:
        """The inputs that it has."""

    def values(self, node: Any) -> tuple[Any, ...]:
        """All its results."""

    def num_visible(self, node: Any) -> int:
        """Return the number of visible outputs."""

    def source(self, value: Any) -> Any:
        """The node whose result it is."""

    def uses(self, value: Any) -> int:
        """Return the number of uses as input or output."""

    def type(self, value: Any) -> BufferType | None:
        """Shape and dtype, if both are known; not of nodes that a rule has made."""

    def ask(self, question: Callable[..., _A], *values: Any, args: tuple[Any, ...] = ()) -> _A:
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
        inputs: Sequence[Any],
        params: Mapping[str, Any],
        *,
        name: str,
        like: Any,
        replaces: bool = True,
    ) -> Any:
        """A new node in the place of ``like``, or for it; errors point to the line of that."""

    def copy(self, node: Any, inputs: Sequence[Any]) -> Any:
        """A node like one, with other inputs."""

    def prepare(self, value: Any) -> None:
        """Say that a value follows from parameters alone, so that it can be computed once."""

    def rewrite(self, rule: Rule, finish: Callable[[Any], Any] | None = None) -> "LoweringGraph":
        """The graph after ``rule`` was asked about each node, and ``finish`` about each output.

        The variables and the types of the outputs have to stay.
        """


Rewriting: TypeAlias = Callable[[LoweringGraph], LoweringGraph]
"""Gives what the graph's ``rewrite`` gave; the graph itself, if there is nothing to do."""


class LoweringTable(KernelTable, Protocol):
    """A table that rewrites graphs to the operators it is good at; without one they stay."""

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
