"""Value: a graph entry as an operand of the catalogue's operators."""

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
    """Graph entry with arithmetic: operators on values add nodes and return values.

    Gradient rules are written with operators of the catalogue, which run on arrays and add nodes on
    values. :class:`hy_symbol.Symbol` is the equivalent for users, with MXNet's methods.

    Args:
        entry: The graph entry.

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
        """Return the graph entry."""
        return self.entry

    @property
    def dtype(self) -> type[np.generic]:
        """The dtype, inside a trace.

        Raises:
            AttributeError: No block is traced, or the dtype cannot be inferred from the inputs.
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
        """Add a node of ``op``, and return its outputs; implements hy-ndarray's ``Operand``.

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
        """Add a node for a call with the user's arguments; implements hy-ndarray's ``Operand``."""
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
