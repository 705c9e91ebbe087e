"""Symbol: one or several outputs of a graph, with MXNet's methods."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hy_ndarray import FLAGS, ArgumentError, HyError, Params, dtype_name, numpy_type
from hy_ndarray.ops import Operator, PartialShape, find
from hy_symbol import attribute, compose, serde
from hy_symbol._errors import GraphError
from hy_symbol.graph import Entry, Graph, Node
from hy_symbol.infer import Types, infer_types

__all__ = ["Group", "Symbol", "Variable", "load", "load_json", "var"]

_Shapes = list[tuple[int, ...]]
_DTypes = list[type[np.generic] | None]


class Symbol:
    """Outputs of a symbolic graph.

    Made by :func:`var`, by operators of :mod:`hy_symbol.sym`, or loaded from JSON.

    Example:
        >>> from hy_symbol import sym
        >>> net = sym.FullyConnected(sym.var("data"), num_hidden=10, name="fc1")
        >>> net
        <Symbol fc1>
        >>> net.list_arguments()
        ['data', 'fc1_weight', 'fc1_bias']
        >>> net.infer_shape(data=(2, 5))
        ([(2, 5), (10, 5), (10,)], [(2, 10)], [])
    """

    __slots__ = ("__weakref__", "graph")
    __array_priority__ = 1000.0

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @classmethod
    def of(cls, *entries: Entry) -> "Symbol":
        """A symbol with these outputs."""
        return cls(Graph(tuple(entries)))

    @classmethod
    def apply_operator(
        cls,
        op: Operator,
        inputs: Sequence["Symbol | None"],
        params: Params,
        is_train: bool | None = None,  # noqa: ARG003  # a graph is built for both
    ) -> Any:
        """Add a node for ``op``; part of hy-ndarray's ``Operand`` protocol."""
        entries = [None if x is None else x.single_entry(op.name) for x in inputs]
        texts = {
            name: op.params[name].text(value)
            for name, value in params.items()
            if name not in op.defaults or op.defaults[name] != value
        }
        node = compose.node_of(op, entries, params, texts)
        outputs = [cls.of((node, i)) for i in range(node.num_visible)]
        return outputs[0] if len(outputs) == 1 else outputs

    def single_entry(self, user: str = "this operation") -> Entry:
        """The only output.

        Raises:
            GraphError: There are several.
        """
        if len(self.graph.outputs) != 1:
            count = len(self.graph.outputs)
            raise GraphError(f"{user}: {self!r} has {count} outputs; choose one, such as symbol[0]")
        return self.graph.outputs[0]

    # --- what it is -------------------------------------------------------------------------

    @property
    def name(self) -> str | None:
        """Name of the node; None for a group of several nodes."""
        nodes = {id(node) for node, _ in self.graph.outputs}
        return self.graph.outputs[0][0].name if len(nodes) == 1 else None

    def __repr__(self) -> str:
        if self.name is not None:
            return f"<Symbol {self.name}>"
        inner = ", ".join(node.name for node, _ in self.graph.outputs)
        return f"<{type(self).__name__} group [{inner}]>"

    def __len__(self) -> int:
        return len(self.graph.outputs)

    @property
    def num_outputs(self) -> int:
        """Number of outputs."""
        return len(self)

    def __iter__(self) -> Iterator["Symbol"]:
        return (Symbol.of(entry) for entry in self.graph.outputs)

    def __getitem__(self, index: int | str | slice) -> "Symbol":
        """An output by position or name, or a group of them by slice."""
        if isinstance(index, str):
            found = [i for i, n in enumerate(self.list_outputs()) if n == index]
            if len(found) != 1:
                count = "no output" if not found else f"{len(found)} outputs"
                raise GraphError(f"{self!r} has {count} named {index!r}: {self.list_outputs()}")
            index = found[0]
        if isinstance(index, slice):
            return Symbol(Graph(self.graph.outputs[index]))
        if not -len(self) <= index < len(self):
            raise IndexError(f"output {index} of {self!r}, which has {len(self)}")
        return Symbol.of(self.graph.outputs[index])

    def list_arguments(self) -> list[str]:
        """Names of the variables that are no auxiliary states, in the order they are needed."""
        return [node.name for node in self.graph.arguments]

    def list_auxiliary_states(self) -> list[str]:
        """Names of the auxiliary states."""
        return [node.name for node in self.graph.states]

    def list_inputs(self) -> list[str]:
        """Names of all variables."""
        return [node.name for node in self.graph.variables]

    def list_outputs(self) -> list[str]:
        """Names of the outputs."""
        return [node.output_name(i) for node, i in self.graph.outputs]

    def get_internals(self) -> "Symbol":
        """Every output of every node, as one group."""
        return Symbol.of(*((n, i) for n in self.graph.nodes for i in range(n.num_visible)))

    def get_children(self) -> "Symbol | None":
        """The inputs of the output nodes, as one group; None for a variable."""
        entries: list[Entry] = []
        seen: set[int] = set()
        for node, _ in self.graph.outputs:
            if id(node) not in seen:
                seen.add(id(node))
                entries.extend(node.inputs)
        return Symbol.of(*entries) if entries else None

    # --- attributes -------------------------------------------------------------------------

    def attr(self, key: str) -> str | None:
        """An attribute of the node, None if it has none of that name."""
        attrs = self._only_node("attr").attrs
        return attrs.get(attribute.hidden(key), attrs.get(key))

    def list_attr(self, recursive: bool = False) -> dict[str, str]:
        """Attributes of the node."""
        if recursive:
            raise GraphError("list_attr(recursive=True) is gone in MXNet 1; use attr_dict()")
        return _shown(self._only_node("list_attr").attrs)

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """Attributes of all nodes that have any, by node name."""
        return {node.name: _shown(node.attrs) for node in self.graph.nodes if node.attrs}

    def _set_attr(self, **kwargs: str) -> None:
        node = self._only_node("_set_attr")
        for key, value in kwargs.items():
            if not isinstance(value, str):
                raise GraphError(f"attribute {key}={value!r} must be a string")
            node.attrs[attribute.hidden(key)] = value

    def _only_node(self, what: str) -> Node:
        nodes = {id(node): node for node, _ in self.graph.outputs}
        if len(nodes) != 1:
            raise GraphError(f"{what}: {self!r} is a group of {len(nodes)} nodes; choose one")
        return self.graph.outputs[0][0]

    # --- composition ------------------------------------------------------------------------

    def __call__(self, *args: "Symbol", **kwargs: Any) -> "Symbol":
        """The symbol with its variables replaced, by position or by name; ``name=`` renames it."""
        new_name = kwargs.pop("name", None)
        if args and kwargs:
            raise ArgumentError("a symbol is composed by position or by name, not both")
        inputs = self.graph.variables
        if len(args) > len(inputs):
            raise ArgumentError(f"{self!r} has {len(inputs)} inputs, {len(args)} are given")
        by_name = {node.name: node for node in inputs}
        mapping: dict[int, Entry] = {}
        for node, symbol in zip(inputs, args, strict=False):
            mapping[id(node)] = symbol.single_entry("composition")
        for key, symbol in kwargs.items():
            if key not in by_name:
                raise ArgumentError(f"{self!r} has no input {key!r}; inputs: {', '.join(by_name)}")
            mapping[id(by_name[key])] = symbol.single_entry("composition")
        result = Symbol(compose.substitute(self.graph, mapping))
        return result if new_name is None else result._renamed(new_name)

    def _renamed(self, name: str) -> "Symbol":
        node = self._only_node("composition with name=")
        twin = Node(node.op, name, node.inputs, node.attrs)
        return Symbol.of(*((twin, i) for _, i in self.graph.outputs))

    def __copy__(self) -> "Symbol":
        return Symbol(self.graph)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Symbol":
        return load_json(self.tojson(remove_amp_cast=False))

    def __reduce__(self) -> tuple[Any, ...]:
        return load_json, (self.tojson(remove_amp_cast=False),)

    # --- inference --------------------------------------------------------------------------

    def infer_shape(
        self, *args: Any, **kwargs: Any
    ) -> tuple[_Shapes, _Shapes, _Shapes] | tuple[None, None, None]:
        """Shapes of arguments, outputs and auxiliary states from some known ones.

        Args:
            args: Shapes of the arguments by position, None or ``()`` where unknown.
            kwargs: Shapes of variables by name; 0 is an unknown size.

        Returns:
            Three lists, or three times None (and a warning) if not all of it follows.

        Raises:
            ShapeError: The shapes contradict each other; names the node.
        """
        types = self._types(self._shape_arguments(args, kwargs), {})
        arguments = [types.shape((node, 0)) for node in self.graph.arguments]
        outputs = [types.shape(entry) for entry in self.graph.outputs]
        states = [types.shape((node, 0)) for node in self.graph.states]
        if any(_incomplete(shape) for shape in [*arguments, *outputs, *states]):
            missing = [
                f"{node.name}: {_zeroed(types.shape((node, 0)))}"
                for node in self.graph.variables
                if _incomplete(types.shape((node, 0)))
            ]
            warnings.warn(
                f"cannot decide the shape of {', '.join(missing) or 'the outputs'}", stacklevel=2
            )
            return None, None, None
        return _all_zeroed(arguments), _all_zeroed(outputs), _all_zeroed(states)

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> tuple[_Shapes, _Shapes, _Shapes]:
        """As :meth:`infer_shape`, with 0 for unknown sizes and ``()`` for unknown shapes."""
        types = self._types(self._shape_arguments(args, kwargs), {})
        return (
            _all_zeroed([types.shape((node, 0)) for node in self.graph.arguments]),
            _all_zeroed([types.shape(entry) for entry in self.graph.outputs]),
            _all_zeroed([types.shape((node, 0)) for node in self.graph.states]),
        )

    def infer_type(
        self, *args: Any, **kwargs: Any
    ) -> tuple[_DTypes, _DTypes, _DTypes] | tuple[None, None, None]:
        """Dtypes of arguments, outputs and auxiliary states from some known ones.

        Returns:
            Three lists of numpy types, or three times None if not all of it follows.

        Raises:
            DTypeError: The dtypes contradict each other; names the node.
        """
        found = self.infer_type_partial(*args, **kwargs)
        if any(dtype is None for row in found for dtype in row):
            return None, None, None
        return found

    def infer_type_partial(self, *args: Any, **kwargs: Any) -> tuple[_DTypes, _DTypes, _DTypes]:
        """As :meth:`infer_type`, with None for unknown dtypes."""
        known = self._by_variable(args, kwargs)
        dtypes = {key: None if d is None else dtype_name(d) for key, d in known.items()}
        types = self._types({}, dtypes)
        return (
            _numpy_types([types.dtype((node, 0)) for node in self.graph.arguments]),
            _numpy_types([types.dtype(entry) for entry in self.graph.outputs]),
            _numpy_types([types.dtype((node, 0)) for node in self.graph.states]),
        )

    def _by_variable(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[int, Any]:
        if args and kwargs:
            raise ArgumentError("inference takes arguments by position or by name, not both")
        if args:
            pairs = zip(self.graph.arguments, args, strict=False)
            return {id(node): value for node, value in pairs}
        by_name = {node.name: node for node in self.graph.variables}
        return {id(by_name[name]): value for name, value in kwargs.items() if name in by_name}

    def _shape_arguments(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> dict[int, PartialShape | None]:
        return {key: _partial(value) for key, value in self._by_variable(args, kwargs).items()}

    def _types(
        self, shapes: Mapping[int, PartialShape | None], dtypes: Mapping[int, str | None]
    ) -> Types:
        """Infer from what is given, and where nothing is, from what the variables declare."""
        all_shapes, all_dtypes = dict(shapes), dict(dtypes)
        for node in self.graph.variables:
            declared = node.attrs.get("__shape__")
            if declared is not None and all_shapes.get(id(node)) is None:
                all_shapes[id(node)] = _partial(find("_zeros").params["shape"].parse("", declared))
            flag = node.attrs.get("__dtype__")
            if flag is not None and flag != "-1" and all_dtypes.get(id(node)) is None:
                all_dtypes[id(node)] = dtype_name(int(flag) if flag.isdecimal() else flag)
        return infer_types(self.graph, all_shapes, all_dtypes)

    # --- files ------------------------------------------------------------------------------

    def tojson(self, remove_amp_cast: bool = True) -> str:
        """The graph as MXNet 1.9.1 writes it."""
        return serde.dumps(self.graph, remove_amp_cast=remove_amp_cast)

    def save(self, fname: str, remove_amp_cast: bool = True) -> None:
        """Write :meth:`tojson` to a file."""
        Path(fname).write_text(self.tojson(remove_amp_cast), encoding="utf-8")

    def debug_str(self) -> str:
        """A listing of the nodes and their inputs."""
        lines = ["Symbol Outputs:"]
        lines += [f"\toutput[{k}]={n.name}({i})" for k, (n, i) in enumerate(self.graph.outputs)]
        for node in self.graph.nodes:
            if node.op is None:
                lines.append(f"Variable:{node.name}")
                continue
            lines += ["-" * 20, f"Op:{node.op.name}, Name={node.name}", "Inputs:"]
            lines += [
                f"\targ[{k}]={source.name}({i}) version=0"
                for k, (source, i) in enumerate(node.inputs)
            ]
            if node.attrs:
                lines += ["Attrs:", *(f"\t{k}={v}" for k, v in sorted(node.attrs.items()))]
        return "\n".join(lines) + "\n"

    # --- arithmetic -------------------------------------------------------------------------

    def __bool__(self) -> bool:
        raise HyError(
            f"the value of {self!r} is not known while the graph is built, so it cannot decide a "
            "branch; use where(), or contrib.cond()"
        )

    def __hash__(self) -> int:
        return id(self) >> 4

    def __add__(self, other: Any) -> Any:
        return _arithmetic("_plus", "_plusscalar", "_plus_scalar", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _arithmetic("_minus", "_minusscalar", "_minus_scalar", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _arithmetic("_minus", "_rminusscalar", "_rminus_scalar", self, other)

    def __mul__(self, other: Any) -> Any:
        return _arithmetic("_mul", "_mulscalar", "_mul_scalar", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return _arithmetic("_div", "_divscalar", "_div_scalar", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _arithmetic("_div", "_rdivscalar", "_rdiv_scalar", self, other)

    def __mod__(self, other: Any) -> Any:
        return _arithmetic("_mod", "_modscalar", "_mod_scalar", self, other)

    def __rmod__(self, other: Any) -> Any:
        return _arithmetic("_mod", "_rmodscalar", "_rmod_scalar", self, other)

    def __pow__(self, other: Any) -> Any:
        return _arithmetic("_power", "_powerscalar", "_power_scalar", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _arithmetic("_power", "_rpower_scalar", "_rpower_scalar", self, other)

    def __neg__(self) -> Any:
        return _arithmetic("_mul", "_mulscalar", "_mul_scalar", self, -1.0)

    def __abs__(self) -> Any:
        return _operator_call("abs", "abs", self)

    def __eq__(self, other: object) -> Any:
        return _arithmetic("_equal", "_equal_scalar", "_equal_scalar", self, other)

    def __ne__(self, other: object) -> Any:
        return _arithmetic("_not_equal", "_not_equal_scalar", "_not_equal_scalar", self, other)

    def __gt__(self, other: Any) -> Any:
        return _arithmetic("_greater", "_greater_scalar", "_greater_scalar", self, other)

    def __ge__(self, other: Any) -> Any:
        name = "_greater_equal_scalar"
        return _arithmetic("_greater_equal", name, name, self, other)

    def __lt__(self, other: Any) -> Any:
        return _arithmetic("_lesser", "_lesser_scalar", "_lesser_scalar", self, other)

    def __le__(self, other: Any) -> Any:
        name = "_lesser_equal_scalar"
        return _arithmetic("_lesser_equal", name, name, self, other)


def _operator_call(name: str, hint: str, *args: Any, **kwargs: Any) -> Symbol:
    node = compose.call(find(name), hint, args, kwargs)
    return Symbol.of(*((node, i) for i in range(node.num_visible)))


def _arithmetic(op: str, hint: str, scalar_op: str, symbol: Symbol, other: Any) -> Any:
    if isinstance(other, Symbol):
        return _operator_call(op, op, symbol, other)
    if isinstance(other, bool | int | float | np.number | np.bool_):
        return _operator_call(scalar_op, hint, symbol, scalar=other)
    return NotImplemented


def _shown(attrs: Mapping[str, str]) -> dict[str, str]:
    """Attributes as users see them: ``__ctx_group__`` also as ``ctx_group``."""
    shown = dict(attrs)
    for key, value in attrs.items():
        plain = key.strip("_")
        if key.startswith("__") and attribute.hidden(plain) == key:
            shown[plain] = value
    return shown


def _partial(shape: Any) -> PartialShape | None:
    """MXNet's shape, in which 0 and ``()`` are unknown, with None for what is."""
    if shape is None:
        return None
    sizes = tuple(shape) if hasattr(shape, "__len__") else (shape,)
    return tuple(int(n) or None for n in sizes) if sizes else None


def _incomplete(shape: PartialShape | None) -> bool:
    return shape is None or None in shape


def _zeroed(shape: PartialShape | None) -> tuple[int, ...]:
    return () if shape is None else tuple(0 if n is None else n for n in shape)


def _all_zeroed(shapes: Sequence[PartialShape | None]) -> _Shapes:
    return [_zeroed(shape) for shape in shapes]


def _numpy_types(dtypes: Sequence[str | None]) -> _DTypes:
    return [None if dtype is None else numpy_type(dtype) for dtype in dtypes]


def var(
    name: str,
    attr: Mapping[str, str] | None = None,
    shape: Sequence[int] | int | None = None,
    lr_mult: float | None = None,
    wd_mult: float | None = None,
    dtype: object = None,
    init: Any = None,
    stype: str | None = None,
    profiler_scope: str | None = None,
    **kwargs: str,
) -> Symbol:
    """A variable.

    Args:
        name: Its name.
        attr: Attributes.
        shape: Its shape, for inference; 0 is an unknown size.
        lr_mult: Factor on the learning rate.
        wd_mult: Factor on the weight decay.
        dtype: Its dtype, for inference.
        init: Initializer, or the text form of one.
        stype: Storage type; only ``"default"`` is built.
        profiler_scope: Kept as an attribute.
        kwargs: More attributes, of the form ``__name__``.

    Raises:
        GraphError: The name is no string, or an attribute has another form.
        DTypeError: There is no such dtype.

    Example:
        >>> var("weight", shape=(10, 0), lr_mult=2).attr("lr_mult")
        '2'
    """
    if not isinstance(name, str):
        raise GraphError(f"the name of a variable must be a string, not {name!r}")
    declared = {
        "__shape__": None if shape is None else _shape_text(shape),
        "__lr_mult__": lr_mult,
        "__wd_mult__": wd_mult,
        "__dtype__": None if dtype is None else FLAGS[dtype_name(dtype)],
        "__init__": init if init is None or isinstance(init, str) else init.dumps(),
        "__storage_type__": None if stype is None else _STORAGE[stype],
        "__profiler_scope__": profiler_scope,
    }
    attrs = {**(attr or {}), **{k: str(v) for k, v in declared.items() if v is not None}}
    for key, value in kwargs.items():
        if not (key.startswith("__") and key.endswith("__")):
            raise GraphError(f"variable {name!r}: attribute {key!r} must be of the form '__name__'")
        attrs[key] = value
    return Symbol.of((compose.variable_node(name, attrs), 0))


Variable = var


_STORAGE = {"default": 0, "row_sparse": 1, "csr": 2}


def _shape_text(shape: Sequence[int] | int) -> str:
    return str((shape,) if isinstance(shape, int) else tuple(int(n) for n in shape))


def Group(symbols: Sequence[Symbol]) -> Symbol:  # noqa: N802  # MXNet's name
    """One symbol with the outputs of several.

    Raises:
        GraphError: There are none.
    """
    if not symbols or any(not isinstance(symbol, Symbol) for symbol in symbols):
        raise GraphError(f"Group takes a list of symbols with at least one, not {symbols!r}")
    return Symbol.of(*(entry for symbol in symbols for entry in symbol.graph.outputs))


def load_json(json_str: str) -> Symbol:
    """The symbol a JSON text describes."""
    return Symbol(serde.loads(json_str))


def load(fname: str) -> Symbol:
    """The symbol in a ``-symbol.json`` file.

    Raises:
        GraphFormatError: The file is not such a graph.
        OSError: The file cannot be read.
    """
    return Symbol(serde.loads(Path(fname).read_bytes(), source=str(fname)))
