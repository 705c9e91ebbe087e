"""Call: a node to export, with methods to convert it."""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any, TypeAlias

import numpy as np

from hy_ndarray import Params, nd, numpy_type
from hy_onnx.model import Array, Dim
from hy_onnx.to_onnx.builder import Builder
from hy_onnx.to_onnx.sizes import Sizes
from hy_symbol import Entry, Node, Symbol, topological
from hy_symbol.exchange import ExportError

__all__ = ["DTYPE_CODES", "Call", "Writer"]

Writer: TypeAlias = "Callable[[Node, dict[Entry, str], Call], None]"
"""Function that converts a node of a body, and records the names of its outputs."""

_AXES_AS_INPUT = {"ReduceSum": 13}
"""Opset from which on a reduction takes its axes as an input; 18 for others."""


class Call:
    """A node to export: names and types of its inputs, and methods that add ONNX nodes.

    Methods that add nodes take and return the names of values in the ONNX graph.

    Args:
        node: The node.
        names: Names of its inputs, in the operator's declared order; None for omitted ones.
        builder: The ONNX graph under construction.
        sizes: Types of the graph's entries.
        weights: Values of the parameters, by name.
        write: Function that converts the nodes of bodies.
    """

    def __init__(
        self,
        node: Node,
        names: Sequence[str | None],
        builder: Builder,
        sizes: Sizes,
        weights: dict[str, Array],
        write: Writer,
    ) -> None:
        self.node = node
        self.names = list(names)
        self.builder = builder
        self.sizes = sizes
        self.weights = weights
        self.write = write
        self._entries: list[Entry | None] = node.operands(node.inputs)
        self._first: str | None = None
        """Dtype of the first input, if it was cast."""

    # --- what is asked ----------------------------------------------------------------------------

    @property
    def params(self) -> Params:
        """Parameters of the node."""
        return self.node.params

    @property
    def op_name(self) -> str:
        """Canonical name of the operator."""
        assert self.node.op is not None
        return self.node.op.name

    @property
    def opset(self) -> int:
        """Opset of the model."""
        return self.builder.opset

    @property
    def x(self) -> str:
        """Name of the first input."""
        return self.name(0)

    def name(self, i: int) -> str:
        """Return the name of input ``i``, which must exist."""
        name = self.names[i]
        assert name is not None
        return name

    def has(self, i: int) -> bool:
        """Return whether the node has input ``i``."""
        return i < len(self.names) and self.names[i] is not None

    def _entry(self, i: int) -> Entry:
        entry = self._entries[i]
        assert entry is not None
        return entry

    def dims(self, i: int = 0) -> tuple[Dim, ...]:
        """Return the sizes of input ``i``; open sizes are names or None."""
        return self.sizes.dims(self._entry(i))

    def rank(self, i: int = 0) -> int:
        """Return the number of axes of input ``i``."""
        return len(self.dims(i))

    def shape(self, i: int = 0) -> tuple[int, ...]:
        """Return the shape of input ``i``; an error if any size is open."""
        return tuple(self._fixed(n, f"size {axis}") for axis, n in enumerate(self.dims(i)))

    def shape_of(self, i: int, axes: Iterable[int]) -> tuple[int, ...]:
        """Return the sizes of input ``i`` on ``axes``; an error if any is open."""
        return tuple(self.size(i, axis) for axis in axes)

    def size(self, i: int, axis: int) -> int:
        """Return the size of input ``i`` on an axis; an error if it is open."""
        return self._fixed(self.dims(i)[axis], f"size {axis}")

    def number(self, size: Dim) -> int:
        """Return ``size`` as an integer; an error if it is open (known only at run time)."""
        return self._fixed(size, "a size")

    def _fixed(self, size: Dim, what: str) -> int:
        if isinstance(size, int):
            return size
        raise self.refused(
            f"it has {what} open ({size or 'it follows from an open one'}), which it cannot "
            "have in ONNX; export with that size fixed (dynamic_input_shapes)"
        )

    def dtype(self, i: int = 0) -> str:
        """Return the dtype of input ``i``."""
        self.dims(i)
        own = self.sizes.dtype(self._entry(i))
        return own if i or self._first is None else self._first

    def is_floating(self, i: int = 0) -> bool:
        """Return whether input ``i`` is floating."""
        return self.dtype(i) in ("float16", "bfloat16", "float32", "float64")

    def out_dims(self, k: int = 0) -> tuple[Dim, ...]:
        """Return the sizes of output ``k``; open sizes are names or None."""
        return self.sizes.dims((self.node, k))

    def out_shape(self, k: int = 0) -> tuple[int, ...]:
        """Return the shape of output ``k``; an error if any size is open."""
        return tuple(self._fixed(n, f"size {axis}") for axis, n in enumerate(self.out_dims(k)))

    def out_shape_of(self, axes: Iterable[int]) -> tuple[int, ...]:
        """Return the sizes of the first output on ``axes``; an error if any is open."""
        dims = self.out_dims()
        return tuple(self._fixed(dims[axis], f"size {axis}") for axis in axes)

    def out_dtype(self, k: int = 0) -> str:
        """Return the dtype of output ``k``."""
        self.out_dims(k)
        return self.sizes.dtype((self.node, k))

    def axis(self, value: int, i: int = 0) -> int:
        """Return ``value`` as a non-negative axis of input ``i``."""
        return value % max(self.rank(i), 1)

    def constant_value(self, i: int) -> Array | None:
        """Return the value of input ``i`` if it is a parameter or a constant, else None."""
        name = self.name(i)
        value = self.weights.get(name)
        return self.builder.constants.get(name) if value is None else value

    def value(self, i: int) -> Array | None:
        """Return input ``i`` if it is constant or computed from parameters only, else None."""
        value = self.constant_value(i)
        return self._folded_input(i) if value is None else value

    def _folded_input(self, i: int) -> Array | None:
        """Compute input ``i`` if it depends on parameters only, else return None."""
        entry = self._entry(i)
        # Only a subgraph of parameters can be computed at export time.
        nodes = topological([entry])
        variables = [node.name for node in nodes if node.op is None]
        if not variables or any(name not in self.weights for name in variables):
            return None
        values = {name: self.weights[name] for name in variables}
        arrays = {name: nd.array(value, dtype=value.dtype) for name, value in values.items()}
        computed: Array = Symbol.of(entry).eval(None, **arrays)[0].asnumpy()
        return computed

    def refused(self, why: str) -> ExportError:
        """Return the error to raise if the node cannot be exported."""
        assert self.node.op is not None
        error = ExportError(f"{self.node.op.name} '{self.node.name}': {why}")
        if self.node.where:
            error.add_note(f"node made at {self.node.where}")
        return error

    # --- what is made -----------------------------------------------------------------------------

    def op(self, op: str, *inputs: str | None, **attrs: Any) -> str:
        """Add a node with one output; return its name."""
        return self.builder.add(op, inputs, 1, self.node.name, attrs)[0]

    def ops(self, count: int, op: str, *inputs: str | None, **attrs: Any) -> list[str]:
        """Add a node with ``count`` outputs; return their names."""
        return self.builder.add(op, inputs, count, self.node.name, attrs)

    def constant(self, values: Any, dtype: str) -> str:
        """Add a constant; return its name."""
        # Infinite bounds and large numbers in a small dtype are meant, and need no warning.
        with np.errstate(over="ignore", invalid="ignore"):
            return self.builder.constant(np.array(values).astype(numpy_type(dtype)))

    def ints(self, *values: int) -> str:
        """Add a constant int64 vector; return its name."""
        return self.builder.ints(values)

    def like(self, value: float, i: int = 0) -> str:
        """Add a constant number in the dtype of input ``i``; return its name."""
        return self.constant(value, self.dtype(i))

    def cast(self, x: str, dtype: str) -> str:
        """Add a cast; return its result."""
        return self.op("Cast", x, to=DTYPE_CODES[dtype])

    def cast_from(self, x: str, old: str, new: str) -> str:
        """Add a cast unless the dtypes are equal; return its result."""
        return x if old == new else self.cast(x, new)

    def in_float32(self) -> "Call":
        """Return a copy of the call with its first input cast to float32."""
        other = copy(self)
        other.names = [self.cast(self.x, "float32"), *self.names[1:]]
        other._first = "float32"
        return other

    def truth(self, x: str, dtype: str) -> str:
        """Convert to bool, elementwise ``x != 0``; true for nan."""
        # ONNX's casts make every number but 0 true, and nan as well.
        return x if dtype == "bool" else self.cast(x, "bool")

    def to_output(self, x: str, dtype: str) -> str:
        """Cast a result to the dtype of the node's first output."""
        return self.cast_from(x, dtype, self.out_dtype())

    def transpose(self, x: str, *perm: int) -> str:
        """Return ``x`` with permuted axes."""
        return x if list(perm) == sorted(perm) else self.op("Transpose", x, perm=list(perm))

    def squeeze(self, x: str, *axes: int) -> str:
        """Return ``x`` without these axes of size 1."""
        return self.op("Squeeze", x, self.ints(*axes)) if axes else x

    def unsqueeze(self, x: str, *axes: int) -> str:
        """Return ``x`` with axes of size 1 inserted at these positions."""
        return self.op("Unsqueeze", x, self.ints(*axes)) if axes else x

    def sizes_tensor(self, dims: Sequence[Dim]) -> str:
        """Return sizes as an int64 vector; open sizes are read from inputs, and None becomes -1."""
        if all(isinstance(n, int) for n in dims):
            return self.ints(*(self._fixed(n, "a size") for n in dims))
        parts: list[str] = []
        run: list[int] = []
        # Runs of known sizes are one constant between the open ones.
        for n in dims:
            if isinstance(n, str):
                parts += [self.ints(*run)] if run else []
                parts.append(self.open_size(n))
                run = []
            else:
                run.append(-1 if n is None else n)
        parts += [self.ints(*run)] if run else []
        return parts[0] if len(parts) == 1 else self.op("Concat", *parts, axis=0)

    def open_size(self, name: str) -> str:
        """Return a vector with one element, the open size ``name`` at run time."""
        source, axis = self.sizes.size_sources[name]
        key = "size", name
        # Many nodes may need the same open size: it is read once.
        return self.builder.once(
            key,
            lambda: self.op("Gather", self.op("Shape", source), self.ints(axis), axis=0),
        )

    def reshape(self, x: str, dims: Sequence[Dim]) -> str:
        """Return ``x`` reshaped to ``dims``.

        Raises:
            ExportError: More than one open size has no name.
        """
        # One open size follows by itself.
        unknown = [i for i, n in enumerate(dims) if not isinstance(n, int)]
        if len(unknown) == 1 and 0 not in dims:
            return self.op(
                "Reshape", x, self.ints(*(n if isinstance(n, int) else -1 for n in dims))
            )
        if sum(n is None for n in dims) > 1:
            raise self.refused(
                f"the open sizes of its result {tuple(dims)} do not follow from those of the "
                "inputs; export with fewer open sizes (dynamic_input_shapes)"
            )
        if 0 in dims:  # for Reshape 0 means that a size stays
            # Of the value of an empty array only the dtype matters.
            value = np.zeros(1, numpy_type(self.out_dtype()))
            return self.op("ConstantOfShape", self.sizes_tensor(dims), value=value)
        return self.op("Reshape", x, self.sizes_tensor(dims))

    def expand(self, x: str, dims: Sequence[Dim]) -> str:
        """Return ``x`` broadcast to ``dims``.

        Raises:
            ExportError: An open size has no name.
        """
        if None in dims:
            raise self.refused(
                f"the open sizes of its result {tuple(dims)} do not follow from those of the "
                "inputs; export with fewer open sizes (dynamic_input_shapes)"
            )
        return self.op("Expand", x, self.sizes_tensor(dims))

    def positions(self, axis: int, dtype: str, i: int = 0) -> str:
        """Return the vector 0, 1, 2, … of the indices along an axis of input ``i``."""
        size = self.dims(i)[axis]
        if isinstance(size, int):
            return self.constant(np.arange(size), dtype)
        # An open size: its positions are counted when the model runs.
        count = self.op("Gather", self.op("Shape", self.name(i)), self.scalar_int(axis), axis=0)
        numbers = self.op("Range", self.scalar_int(0), count, self.scalar_int(1))
        return self.cast_from(numbers, "int64", dtype)

    def scalar_int(self, value: int) -> str:
        """Add a constant int64 scalar; return its name."""
        return self.constant(value, "int64")

    def slice(self, x: str, axis: int, begin: int, end: int, step: int = 1) -> str:
        """Return ``x[begin:end:step]`` along one axis."""
        return self.op(
            "Slice", x, self.ints(begin), self.ints(end), self.ints(axis), self.ints(step)
        )

    def reduce(self, op: str, x: str, axes: Sequence[int], *, keepdims: bool) -> str:
        """Return ``x`` reduced by ``op`` over axes."""
        if not axes:
            return self.op("Identity", x)
        # Later versions take the axes as an input, earlier ones as an attribute.
        if self.opset >= _AXES_AS_INPUT.get(op, 18):
            return self.op(op, x, self.ints(*axes), keepdims=int(keepdims))
        return self.op(op, x, axes=list(axes), keepdims=int(keepdims))

    def split(self, x: str, axis: int, sizes: Sequence[int]) -> list[str]:
        """Return ``x`` split along an axis into parts of these sizes."""
        # One part is the input itself, without a node that copies it.
        if len(sizes) == 1:
            return [x]
        return self.ops(len(sizes), "Split", x, self.ints(*sizes), axis=axis)


DTYPE_CODES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "bfloat16": 16,
}
"""ONNX's number of each dtype."""
