"""Node and Graph: operators with their inputs, in topological order."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, TypeAlias

from hy_ndarray import ArgumentError, Params, is_np_shape, limits, user_line
from hy_ndarray.devices import instrumentation
from hy_ndarray.ops import Operator

__all__ = [
    "REGION",
    "STORAGES",
    "Entry",
    "Graph",
    "Node",
    "check_depth",
    "names",
    "topological",
]

REGION = "_subgraph"
"""Name of the operator whose nodes contain a group of nodes; see :mod:`hy_symbol.regions`."""

STORAGES = ("default", "row_sparse", "csr")
"""Storage types; files store the index."""


class Node:
    """Operator with its inputs, or a variable (``op`` is None).

    Nodes are shared between graphs, and immutable except for their attributes.

    Args:
        op: The operator's record; None for a variable.
        name: Name of the node.
        inputs: One entry per input, omitted inputs left out.
        attrs: Attributes as files store them: the given parameters as strings, and annotations
            ``__key__``.
        params: All parameters as Python values; None: parsed from ``attrs``.
        bodies: Subgraphs of a loop, branch or region.
        beside: The node on whose behalf this node is created. Messages point to the source line of
            that node; without one, to the user's line that is running.
    """

    __slots__ = (
        "__weakref__",
        "_params",
        "attrs",
        "bodies",
        "inputs",
        "name",
        "op",
        "scope_path",
        "where",
    )

    def __init__(
        self,
        op: Operator | None,
        name: str,
        inputs: Sequence["Entry"] = (),
        attrs: Mapping[str, str] | None = None,
        params: Params | None = None,
        bodies: Sequence["Graph"] = (),
        *,
        beside: "Node | None" = None,
    ) -> None:
        self.op = op
        self.name = name
        self.inputs: tuple[Entry, ...] = tuple(inputs)
        self.attrs: dict[str, str] = dict(attrs or {})
        self.where: str | None = user_line() if beside is None else beside.where
        self.scope_path: instrumentation.ScopePath = (
            instrumentation.scope_path() if beside is None else beside.scope_path
        )
        self.bodies: tuple[Graph, ...] = tuple(bodies)
        self._params = params
        # Parameters from ``attrs`` get the same treatment when they are parsed.
        if params is not None and "shape" in params and op is not None:
            self._params = _with_open_shape(op, params)

    @property
    def params(self) -> Params:
        """All parameters of the operator as Python values."""
        if self._params is None:
            assert self.op is not None
            known = {k: v for k, v in self.attrs.items() if k in self.op.params}
            self._params = _with_open_shape(self.op, self.op.parse(known))
        return self._params

    def copy(
        self,
        *,
        name: str | None = None,
        inputs: Sequence["Entry"] | None = None,
        bodies: Sequence["Graph"] | None = None,
    ) -> "Node":
        """Return a copy with some fields replaced; the source line stays the same."""
        # Past `__init__`, which would look for the user's line once more.
        copied = Node.__new__(Node)
        copied.op = self.op
        copied.name = self.name if name is None else name
        copied.inputs = self.inputs if inputs is None else tuple(inputs)
        copied.attrs = dict(self.attrs)
        copied.where = self.where
        copied.scope_path = self.scope_path
        copied.bodies = self.bodies if bodies is None else tuple(bodies)
        copied._params = self._params
        return copied

    def with_shape(self, shape: tuple[int, ...]) -> "Node":
        """Return a copy of a creation operator with this shape; 0 is an ordinary size."""
        copied = self.copy()
        copied.attrs["shape"] = str(shape)
        copied._params = {**self.params, "shape": shape}
        return copied

    @property
    def is_region(self) -> bool:
        """Return whether the node is a group run by a backend; see :mod:`hy_symbol.regions`."""
        return self.op is not None and self.op.name == REGION

    @property
    def is_control_flow(self) -> bool:
        """Return whether the node is a loop or branch; see :mod:`hy_symbol.graph.control`."""
        return bool(self.bodies) and not self.is_region

    def become(self, other: "Node") -> None:
        """Take over operator, attributes and parameters of a node with the same inputs."""
        self.op, self.attrs, self._params = other.op, other.attrs, other._params

    @property
    def storage(self) -> str:
        """Return the declared storage type of a variable, ``"default"`` (dense) if none."""
        number = self.attrs.get("__storage_type__", "0")
        return STORAGES[int(number)] if number in {"1", "2"} else "default"

    @property
    def is_variable(self) -> bool:
        """Return whether the node is a variable."""
        return self.op is None

    @property
    def input_names(self) -> tuple[str, ...]:
        """Return the operator's names of the node's inputs."""
        if self.op is None:
            return ()
        if self.op.variadic:
            return tuple(f"arg{i}" for i in range(len(self.inputs)))
        # Optional inputs come last and may be omitted.
        return self.op.active_inputs(self.params)[: len(self.inputs)]

    @property
    def states(self) -> list["Entry"]:
        """Return the inputs that are auxiliary states."""
        if self.is_region:
            (body,) = self.bodies
            pairs = zip(body.variables, self.inputs, strict=True)
            return [entry for variable, entry in pairs if variable in body.auxiliary]
        if self.op is None or not self.op.aux:
            return []
        named = zip(self.input_names, self.inputs, strict=True)
        return [entry for name, entry in named if name in self.op.aux]

    @property
    def num_outputs(self) -> int:
        """Number of outputs, hidden ones included."""
        op = self.op
        # ``plain`` operators have one output whatever their parameters, which need not be parsed
        # then.
        return 1 if op is None or op.plain else len(op.output_names(self.params))

    @property
    def num_visible(self) -> int:
        """Number of outputs that are visible to users."""
        op = self.op
        return 1 if op is None or op.plain else op.num_visible(self.params)

    def output_name(self, index: int) -> str:
        """Return the name of output ``index``; for a variable, the node's name."""
        if self.op is None:
            return self.name
        return f"{self.name}_{self.op.output_names(self.params)[index]}"

    def operands(self, values: Sequence[Any]) -> list[Any]:
        """Return ``values``, one per input, in declared order, with None for omitted inputs."""
        op = self.op
        assert op is not None
        if op.variadic or len(values) == len(op.inputs):
            return list(values)
        by_name = dict(zip(self.input_names, values, strict=True))
        return [by_name.get(name) for name in op.inputs]

    def __repr__(self) -> str:
        return f"<Node {self.name} ({'variable' if self.op is None else self.op.name})>"


def _with_open_shape(op: Operator, params: Params) -> Params:
    """Return the parameters with None for unknown sizes in a creation operator's shape."""
    shape = params.get("shape")
    if op.inputs or op.variadic or not isinstance(shape, tuple):
        return params
    # In classic semantics 0 is an unknown size, as in RNN states made by ``zeros(shape=(0, n))``.
    unknown = (-1,) if is_np_shape() else (-1, 0)
    return {**params, "shape": tuple(None if n in unknown else n for n in shape)}


Entry: TypeAlias = tuple[Node, int]
"""One output of a node."""


@dataclass(frozen=True)
class Graph:
    """Outputs, and all nodes that they depend on.

    Example:
        >>> from hy_symbol import sym
        >>> [node.name for node in (sym.var("a") + sym.var("b")).graph.nodes]
        ['a', 'b', '_plus0']
    """

    outputs: tuple[Entry, ...]
    first: tuple[Node, ...] = ()
    """Variables that come first, even if unused: they fix the order of inputs across passes."""

    def __repr__(self) -> str:
        return "\n".join(
            [
                f"<Graph with {len(self.nodes)} nodes, outputs {', '.join(self.output_names)}>",
                *self.lines(),
            ]
        )

    def lines(self, max_lines: int = 60) -> list[str]:
        r"""Return one line per node: its name, operator, inputs and parameters.

        Args:
            max_lines: Maximal number of lines; of a longer graph the middle is omitted.

        Example:
            >>> from hy_symbol import sym
            >>> print(*sym.relu(sym.var("x"), name="y").graph.lines(), sep="\n")
              x  variable
              y  relu(x)
        """
        width = max((len(node.name) for node in self.nodes), default=0)
        lines = [f"  {node.name:{width}}  {_described(node)}" for node in self.nodes]
        if len(lines) <= max_lines:
            return lines
        half = max_lines // 2
        left_out = f"  ... {len(lines) - 2 * half} more nodes ..."
        return [*lines[:half], left_out, *lines[-half:]]

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes in topological order, inputs before users."""
        return tuple(topological((*zip(self.first, repeat(0), strict=False), *self.outputs)))

    @cached_property
    def op_counts(self) -> dict[str, int]:
        """Number of nodes by the canonical name of their operator."""
        counts: dict[str, int] = {}
        for node in self.nodes:
            if node.op is not None:
                counts[node.op.name] = counts.get(node.op.name, 0) + 1
        return counts

    def has_op(self, *names: str) -> bool:
        """Return whether the graph has a node of an operator with one of these canonical names.

        Example:
            >>> from hy_symbol import sym
            >>> sym.relu(sym.var("x")).graph.has_op("relu", "tanh")
            True
        """
        return not self.op_counts.keys().isdisjoint(names)

    def uses(self, entry: Entry) -> int:
        """Return how often an entry is used, by nodes of the graph or as an output.

        Example:
            >>> from hy_symbol import sym
            >>> x = sym.var("x")
            >>> graph = (x * x).graph
            >>> graph.uses((graph.nodes[0], 0)), graph.uses(graph.outputs[0])
            (2, 1)
        """
        return self._uses[entry]

    @cached_property
    def _uses(self) -> Counter[Entry]:
        uses = Counter([entry for node in self.nodes for entry in node.inputs])
        # Outputs count as uses: a pass that looks for values with a single use must not fuse or
        # overwrite a value that the caller gets, too.
        uses.update(self.outputs)
        return uses

    def users(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes that use an output of a node, each once, in graph order."""
        return tuple(self._users.get(node, ()))

    @cached_property
    def _users(self) -> dict[Node, dict[Node, None]]:
        # A dict as an ordered set: a set would be ordered by address, differently in each process.
        users: dict[Node, dict[Node, None]] = {}
        for user in self.nodes:
            for source, _ in user.inputs:
                users.setdefault(source, {})[user] = None
        return users

    @cached_property
    def shared(self) -> dict[Hashable, Any]:
        """Cache of data derived from the graph, by key; freed with the graph."""
        return {}

    @property
    def output_names(self) -> list[str]:
        """Return the names of the outputs."""
        return [node.output_name(i) for node, i in self.outputs]

    @cached_property
    def depth(self) -> int:
        """Return how deeply bodies of loops, branches and regions are nested, 0 without any."""
        return max((1 + body.depth for node in self.nodes for body in node.bodies), default=0)

    @cached_property
    def auxiliary(self) -> frozenset[Node]:
        """Return the variables that are auxiliary states of an operator."""
        names = set()
        for node in self.nodes:
            if node.op is not None and (node.op.aux or node.bodies):
                names.update([source for source, _ in node.states if source.op is None])
        return frozenset(names)

    @cached_property
    def variables(self) -> tuple[Node, ...]:
        """Return the variables in the order of their first use, auxiliary states included."""
        return tuple([node for node in self.nodes if node.op is None])

    @cached_property
    def arguments(self) -> tuple[Node, ...]:
        """Return the variables that are not auxiliary states."""
        auxiliary = self.auxiliary
        return tuple([node for node in self.variables if node not in auxiliary])

    @cached_property
    def states(self) -> tuple[Node, ...]:
        """Return the variables that are auxiliary states."""
        auxiliary = self.auxiliary
        return tuple([node for node in self.variables if node in auxiliary])


def _described(node: Node) -> str:
    """Return a node's computation in the form of a call, such as ``relu(x)``."""
    if node.op is None:
        return "variable"
    inputs = [
        source.name if source.num_visible == 1 else f"{source.name}[{i}]"
        for source, i in node.inputs
    ]
    inputs += [f"{k}={v}" for k, v in node.attrs.items() if not k.startswith("__")]
    return f"{node.op.name}({', '.join(inputs)})"


def names(nodes: Iterable[Node]) -> list[str]:
    """Return the names of nodes."""
    return [node.name for node in nodes]


def check_depth(node: Node) -> None:
    """Raise an error if bodies are nested too deeply for recursive walks.

    Raises:
        ArgumentError: The depth exceeds ``hy_ndarray.limits.deepest``.
    """
    depth = 1 + max((body.depth for body in node.bodies), default=0)
    if depth > limits.deepest:
        setting = f"hy_ndarray.limits.deepest={limits.deepest}"
        raise ArgumentError(
            f"{depth} loops, branches or regions inside each other, {setting}; set that and "
            "sys.setrecursionlimit() higher for more"
        )


def topological(
    outputs: Iterable[Entry], ends_at: Callable[[Entry], bool] | None = None
) -> list[Node]:
    """Return all nodes that entries depend on, in depth-first topological order.

    Args:
        outputs: The entries.
        ends_at: Predicate of entries at which the walk stops; their nodes are not included.
    """
    done: dict[Node, None] = {}  # in order
    visited: set[Node] = set()
    for entry in outputs:
        if entry[0] in visited or (ends_at is not None and ends_at(entry)):
            continue
        # Without recursion: a chain may have more nodes than Python has frames.
        stack = [entry[0]]
        while stack:
            node = stack[-1]
            # A node stays on the stack until all its inputs are done; when it is on top again, it
            # follows them (post-order).
            if node in visited:
                stack.pop()
                done[node] = None
                continue
            visited.add(node)
            # A comprehension is a call of its own before Python 3.12, for each node.
            for source in reversed(node.inputs):
                if source[0] not in visited and (ends_at is None or not ends_at(source)):
                    stack.append(source[0])  # noqa: PERF401
    return list(done)
