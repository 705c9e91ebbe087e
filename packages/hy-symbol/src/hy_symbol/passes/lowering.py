"""Lowering: rewrites a graph to operators that a kernel table computes faster."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

from hy_ndarray import (
    BufferType,
    Device,
    KernelError,
    KernelTable,
    LoweringTable,
    Params,
    PrivateOperator,
    Rewriting,
)
from hy_ndarray.ops import Operator, Rows, TensorType, Traits, find, operator
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import Rule, new_node, rewrite
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.target import Target

__all__ = [
    "TableRewriting",
    "lowered_for_prediction",
    "private_of",
    "table_rewritings",
    "with_table_rules",
]

_A = TypeVar("_A")


@dataclass(frozen=True)
class TableRewriting:
    """One rewriting of a kernel table as a pass."""

    table: LoweringTable
    rewriting: Rewriting
    before: tuple[KernelTable, ...] = ()
    """Tables whose kernels take precedence over this table's."""

    @property
    def __name__(self) -> str:
        inner: Any = getattr(self.rewriting, "func", self.rewriting)
        return str(getattr(inner, "__name__", inner))

    def __call__(self, typed: TypedGraph, target: Target) -> TypedGraph:
        """Return the graph rewritten for the table."""
        return self.lowered(LoweringView(typed, is_train=target.is_train, before=self.before)).typed

    def lowered(self, view: "LoweringView") -> "LoweringView":
        """Apply the rewriting to a view; return the rewritten view.

        Raises:
            KernelError: The rewriting did not return a view.
        """
        rewritten = self.rewriting(view)
        if not isinstance(rewritten, LoweringView):
            raise KernelError(
                f"table {self.table.name!r}: {self.__name__} gave a {type(rewritten).__name__}; it "
                "must give its graph, or what rewrite of that gave"
            )
        return rewritten


def table_rewritings(device: Device, *, prepares: bool = False) -> Sequence[TableRewriting]:
    """Return the rewritings of a device's table as passes; ``prepares``: those for prediction."""
    table = device.lowers
    if table is None:
        return ()
    rewritings = table.rewritings(prepares=prepares)
    tables = device.kernels.tables
    # Kernels of these replace the table's own, so its rules must not assume its own.
    before = tables[: tables.index(table)]
    return [TableRewriting(table, rewriting, before) for rewriting in rewritings]


def with_table_rules(typed: TypedGraph, target: Target) -> TypedGraph:
    """Return the graph rewritten by all rules of the device's table, if it has any.

    Ensures: the variables and the types of the outputs are the same.
    """
    for rewriting in table_rewritings(target.device):
        typed = rewriting(typed, target)
    return typed


def lowered_for_prediction(typed: TypedGraph, device: Device) -> tuple[Graph, Sequence[Entry]]:
    """Return the graph lowered for prediction, and entries to compute once from parameters."""
    rewritings = table_rewritings(device, prepares=True)
    before = rewritings[0].before if rewritings else ()
    view = LoweringView(typed, predicts=True, before=before)
    for rewriting in rewritings:
        view = rewriting.lowered(view)
    return view.graph, view.prepared


class LoweringView:
    """View of a graph for a table's rewritings; implements :class:`hy_ndarray.LoweringGraph`."""

    def __init__(
        self,
        typed: TypedGraph,
        *,
        predicts: bool = False,
        is_train: bool = False,
        prepared: Sequence[Entry] = (),
        before: Sequence[KernelTable] = (),
    ) -> None:
        self.typed = typed
        self.predicts = predicts
        self.is_train = is_train
        self.prepared = [*prepared]
        self.before = before

    @property
    def graph(self) -> Graph:
        """Return the graph."""
        return self.typed.graph

    @property
    def nodes(self) -> Sequence[Node]:
        """Return all nodes, inputs before users, variables included."""
        return self.graph.nodes

    def op(self, node: Node) -> str:
        """Return the canonical name of a node's operator, empty for a variable.

        If a table with precedence computes the operator, the name has a suffix, so that no rule
        matches it.
        """
        if node.op is None:
            return ""
        for table in self.before:
            if table.find(node.op.kernel):
                return f"{node.op.name} of {table.name}"
        return node.op.name

    def kernel(self, node: Node) -> str:
        """Return the name of the kernel that computes a node, empty for a variable."""
        return "" if node.op is None else node.op.kernel

    def is_pointwise(self, node: Node) -> bool:
        """Return whether a node is pointwise without broadcasting, so its axes may be permuted."""
        op = node.op
        # States that it updates have an order of axes of their own.
        if op is None or op.updates is not None or not op.is_pointwise(node.params):
            return False
        if op.draws(node.params, not self.predicts):
            return False
        if (node.num_visible if self.predicts else node.num_outputs) != 1:
            return False
        types, result = self.typed.types, (node, 0)
        is_known = types.rank(result) is not None
        return is_known and all(types.are_of_one_shape(entry, result) for entry in node.inputs)

    def draws(self, node: Node) -> bool:
        """Return whether a node draws random numbers in the mode of the graph."""
        return node.op is not None and node.op.draws(node.params, self.is_train)

    def name(self, node: Node) -> str:
        """Return the node's name."""
        return node.name

    def params(self, node: Node) -> Params:
        """Return all parameters of a node as Python values."""
        return {} if node.op is None else node.params

    def inputs(self, node: Node) -> tuple[Entry, ...]:
        """Return the inputs of a node."""
        return node.inputs

    def values(self, node: Node) -> tuple[Entry, ...]:
        """Return all results of a node."""
        return tuple((node, i) for i in range(node.num_outputs))

    def num_visible(self, node: Node) -> int:
        """Return the number of visible outputs."""
        return node.num_visible

    def source(self, value: Entry) -> Node:
        """Return the node that computes a value."""
        return value[0]

    def uses(self, value: Entry) -> int:
        """Return how often a value is used, as an input or an output."""
        return self.graph.uses(value)

    def type(self, value: Entry) -> BufferType | None:
        """Return shape and dtype of a value, None if unknown, as for values of new nodes."""
        return self.typed.types.whole(value)

    def ask(self, question: Callable[..., _A], *values: Entry, args: tuple[Any, ...] = ()) -> _A:
        """Return ``question(*types, *args)`` for the types of values, recorded as a guard."""
        return self.typed.types.evaluate(question, values, args)

    def add(
        self,
        op: str | PrivateOperator,
        inputs: Sequence[Entry],
        params: Mapping[str, Any],
        *,
        name: str,
        like: Node,
        replaces: bool = True,
    ) -> Node:
        """Create a node in place of ``like``, or beside it; its source line is that of ``like``."""
        if isinstance(op, str):
            # None stands for a default, which the operator's record has.
            present = {key: value for key, value in params.items() if value is not None}
            origin = {"like" if replaces else "beside": like}
            return new_node(op, inputs, name=name, **origin, **present)
        attrs = {k: v for k, v in like.attrs.items() if k[:2] == k[-2:] == "__"} if replaces else {}
        return Node(_operator_of(op), name, inputs, attrs, params, beside=like)

    def copy(self, node: Node, inputs: Sequence[Entry]) -> Node:
        """Return a copy of a node with other inputs."""
        return node.copy(inputs=inputs)

    def prepare(self, value: Entry) -> None:
        """Mark a value that depends on parameters only, to be computed once."""
        self.prepared.append(value)

    def rewrite(self, rule: Rule, finish: Callable[[Entry], Entry] | None = None) -> "LoweringView":
        """Return the view after applying ``rule`` to each node and ``finish`` to each output."""
        body = rewrite(self.graph, rule)
        outputs = body.outputs if finish is None else tuple(map(finish, body.outputs))
        typed = self.typed.rewritten(Graph(outputs, body.first))
        return LoweringView(
            typed,
            predicts=self.predicts,
            is_train=self.is_train,
            prepared=self.prepared,
            before=self.before,
        )


@operator("_private", catalogued=False)
def _private(*data: TensorType) -> TensorType:
    """Template of the records of private operators; never runs."""
    return data[0]


_private_operators: dict[Operator, PrivateOperator] = {}


def private_of(op: Operator | None) -> PrivateOperator | None:
    """Return a kernel table's declaration of its private operator ``op``, None for public ones."""
    return None if op is None else _private_operators.get(op)


@cache
def _operator_of(private: PrivateOperator) -> Operator:
    """Return the operator record for a table's private operator."""

    def rule(*inputs: TensorType | None, **params: Any) -> TensorType | tuple[TensorType, ...]:
        types = [_buffer_type(each) for each in inputs if each is not None]
        known = [each for each in types if each is not None]
        if len(known) < len(types):
            # The table's rules take complete types only.
            out_types = (TensorType(None, None),) * len(private.outputs)
        else:
            others = () if private.others is None else private.others(known, params)
            inferred = (private.infer(known, params), *others)
            out_types = tuple(TensorType(shape, dtype) for shape, dtype in inferred)
        return out_types if len(out_types) > 1 else out_types[0]

    # Updated inputs and further needs are those of the operator that it replaces.
    states = find(private.states_of) if private.states_of else _private.op
    record = replace(
        _private.op,
        name=private.name,
        kernel=private.kernel,
        inputs=private.inputs,
        optional=frozenset(private.inputs),
        active=private.active,
        outputs=private.outputs,
        aux=states.aux,
        updates=states.updates,
        needs=states.needs,
        plain=len(private.outputs) == 1 and states.plain,
        variadic=False,
        rule=rule,
        doc=f"An operator of the kernel table, computed by its kernel {private.kernel!r}.",
        traits=Traits(rows=_rows_of(private)),
    )
    _private_operators[record] = private
    return record


def _rows_of(private: PrivateOperator) -> Rows:
    """Return the function ``rows`` of :class:`hy_ndarray.ops.Traits` for a private operator."""

    def rows(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:  # noqa: ARG001
        names = private.inputs if private.active is None else private.active(params)
        return [i for i, name in enumerate(names) if axis == 0 and name in private.batched]

    return rows


def _buffer_type(tensor: TensorType) -> BufferType | None:
    sizes, dtype = tensor.sizes, tensor.dtype
    return None if sizes is None or dtype is None else (sizes, dtype)
