"""Shape and dtype inference over a graph, in both directions, to a fixed point."""

from collections.abc import Mapping, Sequence

from hy_ndarray import DTypeError, ShapeError
from hy_ndarray.ops import PartialShape, TensorType
from hy_symbol.answers import answered
from hy_symbol.graph import Entry, Graph, Node

__all__ = ["Known", "Types", "infer_types", "types_of", "visit"]

Known = tuple[PartialShape | None, str | None]
_UNKNOWN: Known = (None, None)


class Types:
    """What is known of the shape and dtype of every entry of a graph.

    Args:
        graph: The graph.
        shapes: Whether shapes are inferred; if not, they stay unknown.
        dtypes: Whether dtypes are.
        as_mxnet: Whether they are as MXNet infers them; see :func:`infer_types`.
    """

    def __init__(
        self, graph: Graph, *, shapes: bool = True, dtypes: bool = True, as_mxnet: bool = False
    ) -> None:
        self.graph = graph
        self.of_shapes = shapes
        self.of_dtypes = dtypes
        self.as_mxnet = as_mxnet
        self._known: dict[tuple[int, int], Known] = {}
        self._replaced: set[tuple[int, int, int]] = set()

    def get(self, entry: Entry) -> Known:
        """Shape and dtype of an entry, each None if nothing is known."""
        return self._known.get((id(entry[0]), entry[1]), _UNKNOWN)

    def set(self, entry: Entry, shape: PartialShape | None, dtype: str | None) -> bool:
        """Record what is known of an entry; whether that is news."""
        key = (id(entry[0]), entry[1])
        shape = shape if self.of_shapes else None
        dtype = dtype if self.of_dtypes else None
        if self._known.get(key, _UNKNOWN) == (shape, dtype):
            return False
        self._known[key] = (shape, dtype)
        return True

    def replaces(self, entry: Entry, shape: PartialShape | None, by: Node) -> bool:
        """Whether ``shape`` would take back what is known and ``by`` did so before.

        Rules of MXNet may overwrite a shape. Each node does it once, so that two that disagree
        about an entry come to an end.
        """
        old = self.shape(entry)
        if old is None or (shape is not None and _refines(old, shape)):
            return False
        key = (id(by), id(entry[0]), entry[1])
        before = key in self._replaced
        self._replaced.add(key)
        return before

    def shape(self, entry: Entry) -> PartialShape | None:
        """Shape of an entry."""
        return self.get(entry)[0]

    def dtype(self, entry: Entry) -> str | None:
        """Dtype of an entry."""
        return self.get(entry)[1]


def _refines(old: PartialShape, new: PartialShape) -> bool:
    return len(old) == len(new) and all(a in (None, b) for a, b in zip(old, new, strict=True))


def infer_types(
    graph: Graph,
    shapes: Mapping[int, PartialShape | None] | None,
    dtypes: Mapping[int, str | None] | None,
    outputs: Sequence[Known] = (),
    *,
    as_mxnet: bool = False,
) -> Types:
    """Infer what follows from the types of some variables.

    Each node's rule runs again only after something next to it became known, so the cost is linear
    in the graph for information that flows one way.

    Args:
        graph: The graph.
        shapes: Shapes by ``id`` of the variable; None: leave shapes out altogether.
        dtypes: Dtype names by ``id`` of the variable; None: leave dtypes out.
        outputs: What is known of the outputs, if anything.
        as_mxnet: Answer as MXNet 1.9.1 where it infers less, or accepts what cannot run. Only for
            shapes alone or dtypes alone.

    Raises:
        ShapeError: Shapes contradict each other; the message names the node.
        DTypeError: Dtypes do.
    """
    assert not as_mxnet or shapes is None or dtypes is None
    types = Types(graph, shapes=shapes is not None, dtypes=dtypes is not None, as_mxnet=as_mxnet)
    for node in graph.variables:
        types.set((node, 0), (shapes or {}).get(id(node)), (dtypes or {}).get(id(node)))
    for entry, known in zip(graph.outputs, outputs, strict=False):
        found = TensorType(*types.get(entry))
        found.set_shape(known[0])
        found.set_dtype(known[1])
        types.set(entry, found.shape, found.dtype)
    nodes = [node for node in graph.nodes if node.op is not None]
    users = _users(nodes)
    dirty = {id(node) for node in nodes}
    forward = True
    while dirty:
        for node in nodes if forward else reversed(nodes):
            if id(node) not in dirty:
                continue
            dirty.discard(id(node))
            for entry in visit(node, types):
                source = entry[0]
                dirty.update(users.get(id(source), ()))
                if source.op is not None:
                    dirty.add(id(source))
        forward = not forward
    return types


def types_of(graph: Graph, variables: Sequence[Node], known: Sequence[Known]) -> Types:
    """What follows for a graph from shape and dtype of each of these variables.

    Raises:
        ShapeError, DTypeError: The types contradict each other; names the node.
    """
    pairs = list(zip(variables, known, strict=True))
    return infer_types(
        graph,
        {id(node): shape for node, (shape, _) in pairs},
        {id(node): dtype for node, (_, dtype) in pairs},
    )


def _users(nodes: Sequence[Node]) -> dict[int, list[int]]:
    users: dict[int, list[int]] = {}
    for node in nodes:
        for source, _ in node.inputs:
            users.setdefault(id(source), []).append(id(node))
    return users


def visit(node: Node, types: Types) -> list[Entry]:
    """Run one node's rule; the entries about which something new became known."""
    op = node.op
    assert op is not None
    if node.subgraphs:
        from hy_symbol.control import visit_control  # noqa: PLC0415  # it infers subgraphs

        return visit_control(node, types)
    names = node.input_names
    inputs = [
        TensorType(*types.get(entry), name=name)
        for entry, name in zip(node.inputs, names, strict=True)
    ]
    outputs = [TensorType(*types.get((node, i))) for i in range(node.num_outputs)]
    operands = node.operands(inputs)
    try:
        if types.as_mxnet:
            results = answered(node, operands, outputs, shapes=types.of_shapes)
        else:
            results = op.infer(operands, node.params, outputs, node=node.name)
    except (ShapeError, DTypeError) as error:
        if node.where:
            error.add_note(f"node made at {node.where}")
        raise
    entries = [*node.inputs, *((node, i) for i in range(len(results)))]
    found = list(zip(entries, [*inputs, *results], strict=True))
    if types.as_mxnet:
        found = [(e, t) for e, t in found if not types.replaces(e, t.shape, node)]
    return [entry for entry, t in found if types.set(entry, t.shape, t.dtype)]
