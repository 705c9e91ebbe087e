"""Value: one entry of a graph, to which operators of the catalogue are applied."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_ndarray import Params, numpy_type
from hy_ndarray.ops import Operator
from hy_symbol.graph.compose import entry as entry_of, node_of, operator_node
from hy_symbol.graph.node import Entry
from hy_symbol.infer.trace import current_trace, differ_in_shape
from hy_symbol.value.arithmetic import Arithmetic

__all__ = ["Value"]


class Value(Arithmetic):
    """Entry of a graph; operators on it give further ones.

    Gradients are written with operators of the catalogue: on arrays they run, on values they add
    nodes. A user's :class:`hy_symbol.Symbol` can do the same, and has MXNet's methods beside.

    Args:
        entry: The entry.

    Example:
        >>> from hy_ndarray.ops import find
        >>> from hy_symbol import sym
        >>> relu = find("relu")
        >>> x = Value((sym.var("x").graph.nodes[0], 0))
        >>> Value.apply_operator(relu, [x], relu.defaults).entry
        (<Node relu0 (relu)>, 0)
    """

    __slots__ = ("entry",)

    def __init__(self, entry: Entry) -> None:
        self.entry = entry

    def single_entry(self, user: str = "") -> Entry:  # noqa: ARG002  # a symbol may have several
        """Return the entry."""
        return self.entry

    @property
    def dtype(self) -> type[np.generic]:
        """Dtype, inside a trace.

        Raises:
            AttributeError: No block is traced, or the dtype does not follow from the inputs.
        """
        trace = current_trace()
        dtype = None if trace is None else trace.type_of(self.entry)[1]
        if dtype is None:
            raise AttributeError("dtype")
        return numpy_type(dtype)

    @classmethod
    def apply_operator(
        cls,
        op: Operator,
        inputs: Sequence[Any],
        params: Params,
        is_train: bool | None = None,  # noqa: ARG003  # a graph is built for both
        out: Any = None,
    ) -> Any:
        """Add a node for ``op``; part of hy-ndarray's ``Operand`` protocol.

        Raises:
            NotForSymbolError: ``out`` is given.
        """
        node = operator_node(op, inputs, params, out)
        values = [cls((node, i)) for i in range(node.num_visible)]
        return values[0] if len(values) == 1 else values

    @classmethod
    def call_operator(
        cls, op: Operator, name: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Add a node as a program calls ``op``; part of hy-ndarray's ``Operand`` protocol."""
        operands, params, named, _ = op.bind(args, kwargs)
        inputs = [None if x is None else entry_of(x, op.name) for x in operands]
        node = node_of(op, inputs, params, op.texts(named), hint=name)
        values = [cls((node, i)) for i in range(node.num_visible)]
        return values[0] if len(values) == 1 else values

    def differs_in_shape(self, other: Arithmetic) -> bool:
        """Return whether a trace knows both shapes and they differ."""
        return isinstance(other, Value) and differ_in_shape(self.entry, other.entry)

    def __repr__(self) -> str:
        node, i = self.entry
        return f"<Value {node.output_name(i)}>"
