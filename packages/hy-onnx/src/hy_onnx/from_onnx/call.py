"""Call: an ONNX node to import, with methods to convert it."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from hy_ndarray import FLAGS, DTypeError, HyError, dtype_name, ops
from hy_ndarray.ops import TensorType
from hy_onnx.from_onnx.budget import Budget
from hy_onnx.from_onnx.value import Tensor, whole_numbers
from hy_onnx.model import Array, Dim, OnnxNode
from hy_symbol import Node, new_node
from hy_symbol.exchange import ImportModelError
from hy_symbol.graph.attribute import merged

__all__ = ["Call", "ImportState", "Operand", "Sizes"]

Sizes: TypeAlias = "list[Dim]"
"""A vector of sizes, some of which are names of open sizes."""

Operand: TypeAlias = "Tensor | Array | Sizes | None"
"""Operand of a node: a value of the graph, a constant, sizes with open ones, or None if omitted."""


@dataclass
class ImportState:
    """State of an import: the graph under construction, with its values and weights."""

    opset: int
    read: Callable[[OnnxNode], None]
    """Function that converts a node, and adds its outputs to ``values``."""
    budget: Budget
    """Limit on constants computed during import."""
    values: dict[str, Operand] = field(default_factory=dict)
    """Inputs, constants and results of nodes so far by name; in a body, also outer values."""
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    """Names of open sizes, by their pair of test values."""
    size_sources: dict[str, tuple[Tensor, int]] = field(default_factory=dict)
    """Input and axis that have an open size at run time, by its name."""
    weights: dict[str, Array] = field(default_factory=dict)
    """Values of the variables that are parameters."""
    computed: set[str] = field(default_factory=set)
    """Names of values that depend on ``Constant`` nodes only, not on weights."""
    fixed: set[str] = field(default_factory=set)
    """Parameters that are such values, and therefore not trained."""
    variables: dict[str, Tensor] = field(default_factory=dict)
    transposed: dict[str, Tensor] = field(default_factory=dict)
    """Transposed matrices, by name of the weight."""
    taken: dict[str, int] = field(default_factory=dict)
    missing: dict[str, ImportModelError] = field(default_factory=dict)
    """Errors for outputs that the catalogue's operators lack, raised if such an output is used."""

    def fresh(self, preferred: str) -> str:
        """Return a unique node name similar to ``preferred``."""
        # ONNX allows nodes of one name, and of none; hy's graphs do not.
        count = self.taken.get(preferred)
        self.taken[preferred] = 1 if count is None else count + 1
        return preferred if count is None else self.fresh(f"{preferred}_{count}")

    def variable(self, name: str, dtype: str, shapes: tuple[Any, Any]) -> Tensor:
        """Return the variable ``name`` of the graph, created on first use."""
        variable = self.variables.get(name)
        if variable is None:
            variable = self.variables[name] = self._variable(name, dtype, shapes)
        return variable

    def _variable(self, preferred: str, dtype: str, shapes: tuple[Any, Any]) -> Tensor:
        attrs = {} if dtype == "float32" else {"__dtype__": str(FLAGS[dtype])}
        node = Node(None, self.fresh(preferred), attrs=attrs)
        return Tensor((node, 0), dtype, shapes, self.names)

    def parameter(self, name: str, value: Array) -> Tensor:
        """Return the variable for a weight or constant, and record its value."""
        parameter = self.variable(name, dtype_name(value.dtype), (value.shape, value.shape))
        self.weights[parameter.entry[0].name] = value
        if name in self.computed:
            self.fixed.add(parameter.entry[0].name)
        return parameter

    def derived(self, preferred: str, value: Array) -> Tensor:
        """Create a variable for a value derived from weights, such as a transposed matrix."""
        derived = self._variable(preferred, dtype_name(value.dtype), (value.shape, value.shape))
        self.weights[derived.entry[0].name] = value
        return derived

    def node(self, op: str, inputs: Sequence[Tensor], name: str, params: Mapping[str, Any]) -> Node:
        """Create a node of a catalogue operator, with a unique name."""
        node = new_node(op, [t.entry for t in inputs], name=self.fresh(name), **params)
        node.attrs.update(merged(None))  # tells which body it is in
        return node


class Call:
    """An ONNX node to import, with methods that add catalogue nodes.

    Args:
        node: The node.
        operands: The operands of the node.
        graph: State of the import.
    """

    def __init__(self, node: OnnxNode, operands: Sequence[Operand], graph: ImportState) -> None:
        self.node = node
        self.operands = list(operands)
        self.graph = graph
        self.title = next((name for name in (node.name, *node.outputs) if name), node.op.lower())

    # --- what is asked ----------------------------------------------------------------------------

    @property
    def opset(self) -> int:
        """Version of ONNX's operators in the model."""
        return self.graph.opset

    def attr(self, name: str, default: Any = None) -> Any:
        """Return the value of an attribute, or ``default``."""
        return self.node.attrs.get(name, default)

    def has(self, i: int) -> bool:
        """Return whether the node has input ``i``."""
        return i < len(self.operands) and self.operands[i] is not None

    @property
    def x(self) -> Tensor:
        """The first input."""
        return self.tensor(0)

    def tensor(self, i: int) -> Tensor:
        """Return input ``i`` as a tensor of the graph; a constant becomes a parameter."""
        operand = self.operands[i] if i < len(self.operands) else None
        if operand is None:
            raise self.refused(f"input {i} is missing")
        if isinstance(operand, Tensor):
            return operand
        if isinstance(operand, list):
            return self.constant(self._without_open(operand, i), self.node.inputs[i])
        try:
            return self.graph.parameter(self.node.inputs[i], operand)
        except DTypeError as error:
            raise self.refused(f"input {i} holds {operand.dtype}; hy has no such dtype") from error

    def tensors(self) -> list[Tensor]:
        """Return all inputs as tensors of the graph."""
        return [self.tensor(i) for i in range(len(self.operands))]

    def _without_open(self, sizes: Sizes, i: int) -> Array:
        if not all(isinstance(n, int) for n in sizes):
            raise self.refused(f"input {i} holds sizes that are open, {sizes}, as values")
        return np.array(sizes, np.int64)

    def constant_value(self, i: int) -> Array | None:
        """Return the value of input ``i`` if it is constant, else None."""
        operand = self.operands[i] if i < len(self.operands) else None
        if isinstance(operand, list):
            known = all(isinstance(n, int) for n in operand)
            return np.array(operand, np.int64) if known else None
        return operand if isinstance(operand, np.ndarray) else None

    def known(self, i: int, what: str) -> Array:
        """Return the value of input ``i``, which must be constant."""
        value = self.constant_value(i)
        if value is None:
            raise self.refused(
                f"{what} is computed when the model runs; the catalogue takes it as a parameter. "
                "Export the model with fixed shapes"
            )
        return value

    def ints(self, name: str, i: int) -> list[int] | None:
        """Return integers from attribute ``name`` (older opsets) or input ``i``, None without."""
        if name in self.node.attrs:
            return whole_numbers(self.node.attrs[name])
        return whole_numbers(self.known(i, name)) if self.has(i) else None

    def axis(self, value: int, x: Tensor | None = None) -> int:
        """Return a non-negative axis of ``x``, by default of the first input."""
        return self.axis_of(value, (x or self.x).rank)

    def axis_of(self, value: int, rank: int) -> int:
        """Return a non-negative axis of an array with ``rank`` axes; a scalar counts as one."""
        if not -max(rank, 1) <= value < max(rank, 1):
            raise self.refused(f"axis={value} is outside its {rank} axes")
        return value % max(rank, 1)

    def refused(self, why: str) -> ImportModelError:
        """Return the error to raise if the node cannot be imported."""
        return ImportModelError(f"{self.node.op} '{self.title}': {why}")

    # --- what is made -----------------------------------------------------------------------------

    def op(self, op: str, *inputs: Tensor, **params: Any) -> Tensor:
        """Add a node of the catalogue; return its first output."""
        return self.ops(op, *inputs, **params)[0]

    def ops(self, op: str, *inputs: Tensor, **params: Any) -> list[Tensor]:
        """Add a node of the catalogue; return all of its outputs."""
        node = self.graph.node(op, inputs, self.title, params)
        record = ops.find(op)
        samples = []
        try:
            # Inferred twice, with two choices of open sizes: what differs is open.
            for k in (0, 1):
                types = [TensorType(t.shapes[k], t.dtype) for t in inputs]
                samples.append(record.infer(node.operands(types), node.params, node=node.name))
        except HyError as error:
            raise self.refused(f"the catalogue's {error}") from error
        return [
            Tensor(
                (node, i),
                dtype=str(a.dtype),
                shapes=(_with_sizes(a, 1), _with_sizes(b, 2)),
                names=self.graph.names,
            )
            for i, (a, b) in enumerate(zip(*samples, strict=True))
        ]

    def constant(self, value: Any, name: str = "") -> Tensor:
        """Return a parameter with a constant value, under the model's name or a new one."""
        if name:
            self.graph.computed.add(name)
            return self.graph.parameter(name, np.asarray(value))
        parameter = self.parameter(f"{self.title}_constant", np.asarray(value))
        self.graph.fixed.add(parameter.entry[0].name)
        return parameter

    def filled(self, shape: Sequence[int], number: Any) -> Tensor:
        """Return a constant filled with one number."""
        value = np.asarray(number)
        # A file of some bytes may ask for an array of terabytes.
        self.reserve(0, math.prod(shape))
        return self.constant(np.full(tuple(shape), value))

    def parameter(self, preferred: str, value: Array) -> Tensor:
        """Create a parameter with a value that was computed from weights for this node.

        Raises:
            ImportModelError: The budget of the import is exceeded.
        """
        self.reserve(value.nbytes, value.size)
        return self.graph.derived(preferred, value)

    def transposed(self, i: int) -> Tensor:
        """Return the transpose of input ``i``, a constant matrix; all nodes share it."""
        name = self.node.inputs[i]
        transposed = self.graph.transposed.get(name)
        if transposed is None:
            # A model may use one matrix for many layers: it is transposed once.
            value = np.ascontiguousarray(self.known(i, "a matrix").T)
            self.reserve(value.nbytes, value.size)
            transposed = self.graph.transposed[name] = self.graph.derived(
                f"{name}_transposed", value
            )
        return transposed

    def reserve(self, size: int, work: int = 0) -> None:
        """Subtract bytes and elements from the budget of the import.

        Raises:
            ImportModelError: The budget is exceeded.
        """
        try:
            self.graph.budget.reserve(size, work)
        except ValueError as error:
            raise self.refused(f"its constants: {error}") from error

    def cast(self, x: Tensor, dtype: str) -> Tensor:
        """Return ``x`` cast to a dtype."""
        return x if x.dtype == dtype else self.op("Cast", x, dtype=dtype)

    def transpose(self, x: Tensor, *axes: int) -> Tensor:
        """Return ``x`` with permuted axes."""
        return x if axes == tuple(range(x.rank)) else self.op("transpose", x, axes=axes)

    def reshape(self, x: Tensor, *shape: int) -> Tensor:
        """Return ``x`` reshaped; 0 keeps a size, and -1 is inferred."""
        return self.op("Reshape", x, shape=shape)


def _with_sizes(t: TensorType, size: int) -> tuple[int, ...]:
    """Return the shape with ``size`` in place of unknown sizes."""
    return tuple(size if n is None else n for n in t.shape or ())
