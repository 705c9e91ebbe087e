"""Region: a group of nodes as one, which a backend runs in its own way."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from hy_ndarray import (
    ArgumentError,
    Buffer,
    Context,
    Device,
    Kernel,
    NDArray,
    all_outputs,
)
from hy_ndarray.ops import Operator, TensorType, operator
from hy_symbol._errors import brief
from hy_symbol.graph import REGION, Entry, Graph, Node, check_depth
from hy_symbol.infer import infer_types
from hy_symbol.rewriting import rewrite

__all__ = ["Region", "inlined", "node_outputs", "region_node", "region_of"]


@operator(REGION, catalogued=False)
def _template(*data: TensorType) -> TensorType:
    raise AssertionError(data)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Region(Operator):
    """The operator of one node: what it computes is a graph, how, a backend decides.

    In training it runs on the device's kernels; for gradients it is put back (:func:`inlined`).
    """

    graph: Graph = field(default_factory=lambda: Graph(()))
    """What it computes; input ``i`` is its variable ``i``."""
    backend: str = ""
    """Name of the backend, a :class:`hy_symbol.backends.Runner`."""
    options: Mapping[str, Any] | None = None
    """Options of the backend."""

    def __reduce__(self) -> tuple[Any, ...]:
        from hy_symbol import serde  # noqa: PLC0415  # files hold regions

        text = serde.dumps(self.graph, remove_amp_cast=False)
        return _restored, (text, self.backend, dict(self.options or {}))

    def kernel_on(self, device: Device, *, is_train: bool) -> Kernel:
        """The function over buffers that computes it.

        Raises:
            BackendError: The backend is not registered, or cannot run here.
        """
        from hy_symbol.backends import find_runner  # noqa: PLC0415  # backends make regions

        if is_train:
            return _on_kernels(self.graph, device)
        runner = find_runner(self.backend)
        return _alone(runner.compile(self.graph, device, self.options or {}))


def _restored(text: str, backend: str, options: Mapping[str, Any]) -> Region:
    """A region that was pickled."""
    from hy_symbol import serde  # noqa: PLC0415  # files hold regions

    return region_of(serde.loads(text), backend, options)


def _on_kernels(graph: Graph, device: Device) -> Kernel:
    """The function that computes a graph in training mode on the device's own kernels."""
    from hy_symbol.program import Program  # noqa: PLC0415  # programs run regions

    inputs = [(node, 0) for node in graph.variables]
    return _alone(Program(inputs, graph.outputs, device, is_train=True))


def _alone(run: Callable[..., tuple[Buffer, ...]]) -> Kernel:
    """As kernels are called: one result by itself."""

    def kernel(*buffers: Buffer) -> Any:
        values = run(*buffers)
        return values[0] if len(values) == 1 else values

    return kernel


def region_of(graph: Graph, backend: str, options: Mapping[str, Any]) -> Region:
    """The operator that computes ``graph`` by a backend."""
    variables = graph.variables
    names = tuple(f"arg{i}" for i in range(len(variables)))
    count = len(graph.outputs)
    given = {x.name: getattr(_template.op, x.name) for x in fields(Operator)}
    given |= {
        "variadic": False,
        "inputs": names,
        "aux": frozenset(
            name for name, node in zip(names, variables, strict=True) if node in graph.auxiliary
        ),
        "outputs": ("output",) if count == 1 else tuple(f"output{i}" for i in range(count)),
        "rule": _rule(graph),
        "plain": False,
        "doc": f"A part of the graph that backend {backend!r} runs.",
    }
    return Region(**given, graph=graph, backend=backend, options=dict(options))


def _rule(graph: Graph) -> Callable[..., tuple[TensorType, ...]]:
    """Types of the outputs of ``graph``; its variables learn from it."""

    def rule(*inputs: TensorType) -> tuple[TensorType, ...]:
        variables = graph.variables
        types = infer_types(
            graph,
            {node: t.shape for node, t in zip(variables, inputs, strict=True)},
            {node: t.dtype for node, t in zip(variables, inputs, strict=True)},
        )
        for node, t in zip(variables, inputs, strict=True):
            t.set_shape(types.shape((node, 0)))
            t.set_dtype(types.dtype((node, 0)))
        return tuple(TensorType(*types.get(entry)) for entry in graph.outputs)

    return rule


def region_node(
    graph: Graph, inputs: Sequence[Entry], name: str, backend: str, options: Mapping[str, Any]
) -> Node:
    """The node that computes ``graph`` by a backend, with ``inputs`` for its variables.

    Raises:
        ArgumentError: The inputs are not one per variable, or the graph has too deep bodies.
    """
    if len(inputs) != len(graph.variables):
        raise ArgumentError(f"has {len(inputs)} inputs, its graph {len(graph.variables)} variables")
    attrs = {"backend": backend}
    if options:
        attrs["options"] = json.dumps(dict(options), sort_keys=True)
    node = Node(region_of(graph, backend, options), name, inputs, attrs, {}, ())
    check_depth(node)
    return node


def parsed(
    name: str, inputs: Sequence[Entry], attrs: Mapping[str, str], graphs: Sequence[Graph]
) -> Node:
    """The node that a file describes.

    Raises:
        ArgumentError: The description is not one of a region.
    """
    backend = attrs.get("backend")
    if not backend or len(graphs) != 1:
        raise ArgumentError(f"has {len(graphs)} graphs for backend {brief(backend)}")
    try:
        options = json.loads(attrs.get("options", "{}"))
    except (ValueError, RecursionError):
        options = None
    if not isinstance(options, dict):
        raise ArgumentError(f"has options that are no JSON object: {brief(attrs['options'])}")
    node = region_node(graphs[0], inputs, name, backend, options)
    node.attrs.update(attrs)
    return node


def inlined(graph: Graph) -> Graph:
    """The graph with every region put back as the nodes it is made of.

    Ensures: no region is left, and the variables are the same nodes.
    """
    if not any(isinstance(node.op, Region) for node in graph.nodes):
        return graph

    def opened(node: Node, inputs: tuple[Entry, ...]) -> list[Entry] | None:
        if not isinstance(node.op, Region):
            return None
        given = {
            variable: [entry]
            for variable, entry in zip(node.op.graph.variables, inputs, strict=True)
        }
        body = rewrite(node.op.graph, lambda inner, _: given.get(inner))
        return list(inlined(body).outputs)

    return rewrite(graph, opened)


def node_outputs(
    node: Node,
    inputs: Sequence[NDArray],
    ctx: Context | None = None,
    is_train: bool | None = None,
) -> Sequence[NDArray]:
    """All outputs of a node on arrays, recorded where the operator allows it."""
    op = node.op
    assert op is not None
    if not isinstance(op, Region):
        return all_outputs(op, node.operands(inputs), node.params, ctx, is_train)
    device = inputs[0].device
    found = op.kernel_on(device, is_train=bool(is_train))(*(array.buffer for array in inputs))
    values = found if isinstance(found, tuple) else (found,)
    return [NDArray.from_buffer(value, device) for value in values]
