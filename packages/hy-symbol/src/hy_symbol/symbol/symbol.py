"""Symbol: one or several outputs of a graph, with MXNet's methods."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, ClassVar

import numpy as np

from hy_io import atomic_write, read_file
from hy_ndarray import ArgumentError, Params, numpy_type
from hy_ndarray.ops import Operator, find
from hy_symbol._errors import GraphError, NotForSymbolError, UnknownTypeError
from hy_symbol.executor.binding import Binding
from hy_symbol.graph import attribute, compose
from hy_symbol.graph.node import Entry, Graph, Node, names
from hy_symbol.graph.reconfigure import set_attributes
from hy_symbol.graph.rewriting import substitute
from hy_symbol.infer.api import Inference
from hy_symbol.infer.engine import Known
from hy_symbol.infer.trace import current_trace, differ_in_shape
from hy_symbol.passes.gradient import gradients_by_name
from hy_symbol.serialize import json
from hy_symbol.symbol import selection
from hy_symbol.symbol.array_only import ArrayOnly
from hy_symbol.symbol.operator_methods import OperatorMethods
from hy_symbol.symbol.optimizing import Optimizing
from hy_symbol.value.arithmetic import Arithmetic
from hy_symbol.value.calling import call
from hy_symbol.viz import Drawing, svg

__all__ = ["Group", "Symbol", "load", "load_json"]


class Symbol(OperatorMethods, Arithmetic, Inference, Binding, Optimizing, ArrayOnly):
    """One or several outputs of a symbolic graph.

    Created by :func:`var`, by operators of :mod:`hy_symbol.sym`, or by loading JSON.

    Example:
        >>> from hy_symbol import sym
        >>> net = sym.FullyConnected(sym.var("data"), num_hidden=10, name="fc1")
        >>> net
        <Symbol fc1>
        >>> net.list_arguments()
        ['data', 'fc1_weight', 'fc1_bias']
    """

    __slots__ = ()
    # Above numpy's, so that `array * symbol` is left to the symbol.
    __array_priority__ = 1000.0
    _of_numpy: ClassVar["type[Symbol]"]
    """The subclass with NumPy's behaviour, which registers itself when it is defined."""

    def __init_subclass__(cls, *, numpy: bool = False, **kwargs: Any) -> None:
        # The subclass tells itself, as this module cannot import it.
        super().__init_subclass__(**kwargs)
        if numpy:
            Symbol._of_numpy = cls

    @classmethod
    def of(cls, *entries: Entry) -> "Symbol":
        """Return a symbol with these outputs."""
        return cls(Graph(tuple(entries)))

    @classmethod
    def of_node(cls, node: Node) -> "Symbol":
        """Return a symbol with the visible outputs of a node."""
        return cls(Graph(tuple([(node, i) for i in range(node.num_visible)])))

    @classmethod
    def apply_operator(
        cls,
        op: Operator,
        inputs: Sequence["Symbol | None"],
        params: Params,
        is_train: bool | None = None,  # noqa: ARG003  # a graph is built for both
        out: Any = None,
    ) -> Any:
        """Add a node of ``op``, and return its outputs; implements hy-ndarray's ``Operand``.

        Raises:
            NotForSymbolError: ``out`` is given.
        """
        node = compose.operator_node(op, inputs, params, out)
        outputs = [cls.of((node, i)) for i in range(node.num_visible)]
        return outputs[0] if len(outputs) == 1 else outputs

    @classmethod
    def call_operator(
        cls, op: Operator, name: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Add a node for a call with the user's arguments; implements hy-ndarray's ``Operand``."""
        return cls.of_node(call(op, name, args, kwargs))

    def _called(self, op: str, /, *args: Any, **kwargs: Any) -> "Symbol":
        symbol: Symbol = self.call_operator(find(op), op, (self, *args), kwargs)
        return symbol

    def differs_in_shape(self, other: "Arithmetic") -> bool:
        """Return whether the shapes of both symbols are known in a trace, and differ."""
        if not isinstance(other, Symbol) or not self._single or not other._single:
            return False
        return differ_in_shape(self.graph.outputs[0], other.graph.outputs[0])

    def single_entry(self, user: str = "this operation") -> Entry:
        """Return the entry of the only output; ``user`` names the operator in messages.

        Raises:
            GraphError: There are several outputs.
        """
        if len(self.graph.outputs) != 1:
            count = len(self.graph.outputs)
            raise GraphError(f"{user}: {self!r} has {count} outputs; choose one, such as symbol[0]")
        return self.graph.outputs[0]

    # --- what it is -------------------------------------------------------------------------

    @property
    def name(self) -> str | None:
        """Name of the node; None for a group of several nodes."""
        nodes = {node for node, _ in self.graph.outputs}
        return self.graph.outputs[0][0].name if len(nodes) == 1 else None

    def __repr__(self) -> str:
        if self.name is not None:
            return f"<Symbol {self.name}>"
        inner = ", ".join(node.name for node, _ in self.graph.outputs)
        return f"<{type(self).__name__} group [{inner}]>"

    def __str__(self) -> str:
        """Return the graph as text, one line per node; for a variable only its ``repr``."""
        if len(self.graph.nodes) == 1:
            return repr(self)
        return "\n".join([repr(self), *self.graph.lines()])

    @property
    def num_outputs(self) -> int:
        """Return the number of outputs."""
        return len(self.graph.outputs)

    @property
    def _single(self) -> bool:
        return len(self.graph.outputs) == 1

    def __len__(self) -> int:
        """Return the number of outputs; inside a trace, the number of rows of a single output.

        Raises:
            NotForSymbolError: A block is traced, and the shape cannot be inferred from its inputs.
        """
        rows = self._num_rows()
        return self.num_outputs if rows is None else rows

    def __iter__(self) -> Iterator["Symbol"]:
        """Return an iterator over outputs; inside a trace, over the rows of a single output."""
        rows = self._num_rows()
        if rows is None:
            return (Symbol.of(entry) for entry in self.graph.outputs)
        return (self[i] for i in range(rows))

    def _num_rows(self) -> int | None:
        """Return the size of the first axis of a single output inside a trace, else None."""
        trace = current_trace()
        if trace is None or not self._single:
            return None
        shape, _ = self._traced()
        if shape is None or (shape and shape[0] is None):
            raise NotForSymbolError(
                f"the length of {self!r} is not known while the graph is built, as its shape does "
                "not follow from the inputs yet; give the layers before it their input sizes, or "
                "call the block without hybridize()"
            )
        if not shape:
            raise ArgumentError("an array without axes has no length")
        # Code that reads a size made the graph for that size.
        trace.guarded = True
        return shape[0]

    def _traced(self) -> Known:
        """Return shape and dtype of the only output, inside a trace.

        Raises:
            AttributeError: No block is traced, so the symbol has no type.
        """
        trace = current_trace()
        if trace is None:
            raise AttributeError("shape")  # __getattr__ says why
        return trace.type_of(self.single_entry("shape"))

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape inside a trace; reading it specialises the graph to that shape.

        Raises:
            AttributeError: No block is traced.
            GraphError: The shape cannot be inferred from the inputs.
        """
        shape, _ = self._traced()
        if shape is None or None in shape:
            raise UnknownTypeError(
                f"the shape of {self!r} does not follow from the inputs yet: {shape}"
            )
        trace = current_trace()
        assert trace is not None
        trace.guarded = True
        return tuple(n for n in shape if n is not None)

    @property
    def ndim(self) -> int:
        """Return the number of axes, inside a trace."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Return the number of elements, inside a trace."""
        return prod(self.shape)

    @property
    def dtype(self) -> type[np.generic]:
        """Return the dtype, inside a trace."""
        _, dtype = self._traced()
        if dtype is None:
            raise UnknownTypeError(f"the dtype of {self!r} does not follow from the inputs yet")
        return numpy_type(dtype)

    def __getitem__(self, index: Any) -> "Symbol":
        """Return an output by position or name, or a group of them by slice.

        While a block is traced with real inputs, a symbol with one output is indexed like an array.

        Raises:
            IndexError: There is no output at that position.
            GraphError: No output, or more than one, has that name, or the slice is empty.
        """
        trace = current_trace()
        if trace is not None and self._single and not isinstance(index, str):
            shape, _ = self._traced()
            if shape is not None:
                part: Symbol = selection.select(self, index, shape)
                return part
        if isinstance(index, str):
            index = self._position(index)
        if isinstance(index, slice):
            outputs = self.graph.outputs[index]
            if not outputs:
                raise GraphError(
                    f"{self!r} has {self.num_outputs} outputs, {index} takes none of them"
                )
            return Symbol.of(*outputs)
        if not hasattr(index, "__index__"):
            raise ArgumentError(f"an output has a position or a name, not {index!r}")
        if not -self.num_outputs <= index < self.num_outputs:
            raise IndexError(f"output {index} of {self!r}, which has {self.num_outputs}")
        return Symbol.of(self.graph.outputs[index])

    def _position(self, name: str) -> int:
        positions = [i for i, n in enumerate(self.list_outputs()) if n == name]
        if len(positions) != 1:
            count = "no output" if not positions else f"{len(positions)} outputs"
            raise GraphError(f"{self!r} has {count} named {name!r}: {self.list_outputs()}")
        return positions[0]

    def list_arguments(self) -> list[str]:
        """Return the names of variables that are not auxiliary states, in order of use."""
        return names(self.graph.arguments)

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the auxiliary states."""
        return names(self.graph.states)

    def list_inputs(self) -> list[str]:
        """Return the names of all variables."""
        return names(self.graph.variables)

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return self.graph.output_names

    def get_internals(self) -> "Symbol":
        """Return the visible outputs of all nodes as one group."""
        return Symbol.of(*((n, i) for n in self.graph.nodes for i in range(n.num_visible)))

    def get_children(self) -> "Symbol | None":
        """Return the inputs of the output nodes, as one group; None for a variable."""
        nodes = {node: node for node, _ in self.graph.outputs}
        entries = [entry for node in nodes.values() for entry in node.inputs]
        return Symbol.of(*entries) if entries else None

    # --- attributes -------------------------------------------------------------------------

    def attr(self, key: str) -> str | None:
        """Return an attribute of the node, or None; the key ``"name"`` gives its name."""
        node = self._only_node()
        if node is None:
            return None
        if key == "name":
            return node.name
        return node.attrs.get(attribute.hidden(key), node.attrs.get(key))

    def list_attr(self, recursive: bool = False) -> dict[str, str]:
        """Return the attributes of the node; empty for a group of several nodes.

        Raises:
            GraphError: ``recursive`` is asked for, which MXNet 1.0 replaced by :meth:`attr_dict`.
        """
        if recursive:
            raise GraphError("list_attr(recursive=True) was removed in MXNet 1.0; use attr_dict()")
        node = self._only_node()
        return {} if node is None else attribute.shown(node.attrs)

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """Return the attributes of all nodes that have any, by node name."""
        return {node.name: attribute.shown(node.attrs) for node in self.graph.nodes if node.attrs}

    def _set_attr(self, **kwargs: str) -> None:
        node = self._only_node()
        if node is None:
            raise GraphError(f"{self!r} is a group of several nodes; choose one")
        set_attributes(node, kwargs)

    def _only_node(self) -> Node | None:
        nodes = {node: node for node, _ in self.graph.outputs}
        return self.graph.outputs[0][0] if len(nodes) == 1 else None

    # --- composition ------------------------------------------------------------------------

    def __call__(self, *args: "Symbol", **kwargs: Any) -> "Symbol":
        """Return a copy with variables replaced by position or name; ``name=`` renames the result.

        Raises:
            ArgumentError: There is no such input, or the replacement is not a symbol.
            GraphError: A replacement has several outputs.

        Example:
            >>> from hy_symbol import sym
            >>> first = sym.FullyConnected(sym.var("data"), num_hidden=10, name="fc1")
            >>> second = sym.FullyConnected(sym.var("data2"), num_hidden=10, name="fc2")
            >>> second(data2=first, name="composed").list_arguments()
            ['data', 'fc1_weight', 'fc1_bias', 'fc2_weight', 'fc2_bias']
        """
        new_name = kwargs.pop("name", None)
        if args and kwargs:
            raise ArgumentError("a symbol is composed by position or by name, not both")
        inputs = self.graph.variables
        if len(args) > len(inputs):
            raise ArgumentError(f"{self!r} has {len(inputs)} inputs, {len(args)} are given")
        known = dict.fromkeys(names(inputs))
        for key in kwargs:
            if key not in known:
                raise ArgumentError(f"{self!r} has no input {key!r}; inputs: {', '.join(known)}")
        pairs = list(zip(inputs, args, strict=False))
        pairs += [(node, kwargs[node.name]) for node in inputs if node.name in kwargs]
        mapping = {node: compose.entry(x, "composition") for node, x in pairs}
        result = Symbol(substitute(self.graph, mapping))
        return result if new_name is None else result._renamed(new_name)

    def _renamed(self, name: str) -> "Symbol":
        node = self._only_node()
        if node is None:
            raise GraphError(f"{self!r} is a group of several nodes, it cannot be named {name!r}")
        copied = node.copy(name=name)
        return Symbol.of(*((copied, i) for _, i in self.graph.outputs))

    def __copy__(self) -> "Symbol":
        # With nodes of its own, as in MXNet: attributes of a copy are not those of the original.
        return copy.deepcopy(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled as JSON: nodes of operators are functions, which pickle cannot hold.
        return load_json, (self.tojson(remove_amp_cast=False),)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.graph = load_json(state["handle"]).graph  # MXNet pickled it

    # --- other semantics ----------------------------------------------------------------------

    def as_nd_ndarray(self) -> "Symbol":
        """Return the symbol itself, which has classic semantics."""
        return self

    def as_np_ndarray(self) -> Any:
        """Return the same graph with NumPy's behaviour, as ``sym.np`` takes it."""
        return Symbol._of_numpy(self.graph)

    # --- gradients, files and pictures -----------------------------------------------------

    def gradient(self, wrt: Sequence[str]) -> "Symbol":
        """Return the gradients of the sum of all outputs with respect to arguments, as a group.

        Args:
            wrt: Names of arguments.

        Raises:
            GraphError: There is no such argument, or no output depends on it.
            AutogradError: An operator in between is not differentiable.
        """
        return Symbol(gradients_by_name(self.graph, wrt))

    def tojson(self, remove_amp_cast: bool = True) -> str:
        """Return the graph as the JSON text of MXNet 1.9.1."""
        return json.dumps(self.graph, remove_amp_cast=remove_amp_cast)

    def save(self, fname: str, remove_amp_cast: bool = True) -> None:
        """Write :meth:`tojson` to a file, atomically.

        Args:
            fname: The file, a path or a ``file://`` address.
            remove_amp_cast: As for :meth:`tojson`.

        Raises:
            FileAccessError: The file cannot be written.
        """
        # Written beside and renamed, so that readers see the old file or the new one.
        with atomic_write(fname) as file:
            file.write(self.tojson(remove_amp_cast).encode())

    def debug_str(self) -> str:
        """Return a listing of outputs, nodes and inputs."""
        return json.listing(self.graph)

    def show(self, shape: Mapping[str, Sequence[int]] | None = None) -> Drawing:
        """Return a drawing of the graph for notebooks; see :func:`hy_symbol.viz.svg`.

        Args:
            shape: Shapes of inputs by name; if given, edges are labelled with shapes.

        Raises:
            GraphError: A shape cannot be inferred from ``shape``.

        Example:
            >>> from hy_symbol import sym
            >>> picture = sym.relu(sym.var("x")).show({"x": (1, 3)})
            >>> picture.startswith("<svg"), ">3</text>" in picture
            (True, True)
        """
        return svg(self, shape)

    def _repr_svg_(self) -> str:
        return self.show()


def Group(  # noqa: N802  # MXNet's name
    symbols: Sequence[Symbol], create_fn: type[Symbol] = Symbol
) -> Symbol:
    """Return a symbol with the outputs of several symbols.

    Args:
        symbols: The symbols, at least one.
        create_fn: Class of the result, ``Symbol`` or ``NumpySymbol``.

    Raises:
        ArgumentError: ``symbols`` is empty or contains other objects.
    """
    if not symbols or any(not isinstance(symbol, Symbol) for symbol in symbols):
        raise ArgumentError(f"Group takes a list of symbols with at least one, not {symbols!r}")
    return create_fn.of(*(entry for symbol in symbols for entry in symbol.graph.outputs))


def load_json(json_str: str | bytes, *, source: str = "symbol JSON") -> Symbol:
    """Load a symbol from JSON text.

    Args:
        json_str: The JSON text.
        source: Name of the text in messages, such as its file name.

    Raises:
        GraphFormatError: The text is not a valid graph.
        ArgumentError: ``json_str`` is not a string or bytes.
    """
    if not isinstance(json_str, str | bytes):
        raise ArgumentError(f"load_json takes a text, not {type(json_str).__name__}")
    return Symbol(json.loads(json_str, source=source))


def load(fname: str) -> Symbol:
    """Load a symbol from a ``-symbol.json`` file.

    Args:
        fname: The file, a path or a ``file://`` address.

    Raises:
        GraphFormatError: The file is not a valid graph.
        FileAccessError: The file cannot be read.
    """
    return load_json(read_file(fname), source=str(fname))
