"""Labels and colours of nodes in drawings, and which nodes are omitted."""

from collections.abc import Iterator, Mapping, Sequence

from hy_ndarray import ArgumentError, dtype_name
from hy_symbol._errors import GraphError, brief
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.infer.engine import Types, infer_types
from hy_symbol.infer.outputs import Outputs
from hy_symbol.infer.shapes import declared_dtype, is_complete, known_shape, to_partial

__all__ = ["edges", "fill", "inferred_types", "is_weight", "label", "shape_text"]

_WEIGHTS = (
    "_weight",
    "_bias",
    "_beta",
    "_gamma",
    "_moving_var",
    "_moving_mean",
    "_running_var",
    "_running_mean",
)
_VARIABLE = "#8dd3c7"
_OTHER_COLOR = "#fccde5"
_FILLS = {
    "Activation": "#ffffb3",
    "BatchNorm": "#bebada",
    "Concat": "#fdb462",
    "Convolution": "#fb8072",
    "Flatten": "#fdb462",
    "FullyConnected": "#fb8072",
    "LeakyReLU": "#ffffb3",
    "Pooling": "#80b1d3",
    "Reshape": "#fdb462",
}


def is_weight(node: Node) -> bool:
    """Return whether a node is a variable with the name of a parameter, such as ``fc_weight``."""
    return node.op is None and node.name.endswith(_WEIGHTS)


def fill(node: Node) -> str:
    """Return the colour of a node in MXNet's drawings."""
    return _VARIABLE if node.op is None else _FILLS.get(node.op.name, _OTHER_COLOR)


def label(node: Node) -> str:
    """Return the label of a node: its name, or for layers the operator and main parameters."""
    if node.op is None:
        return node.name
    params, kind = node.params, node.op.name
    if kind == "Convolution":
        matters = f"{_window_text(params['kernel'], params['stride'])}, {params['num_filter']}"
    elif kind == "FullyConnected":
        matters = params["num_hidden"]
    elif kind in ("Activation", "LeakyReLU"):
        matters = params["act_type"]
    elif kind == "Pooling":
        whole = (
            "global" if params["global_pool"] else _window_text(params["kernel"], params["stride"])
        )
        matters = f"{params['pool_type']}, {whole}"
    else:
        return node.name
    return f"{kind}\n{matters}"


def _window_text(kernel: Sequence[int], stride: Sequence[int]) -> str:
    return f"{_crossed(kernel)}/{_crossed(stride) or '1'}"


def _crossed(sizes: Sequence[int]) -> str:
    return "x".join(map(str, sizes))


def shape_text(types: Types | None, entry: Entry) -> str:
    """Return the shape of an entry without the batch axis, such as ``3x224x224``."""
    shape = None if types is None else types.shape(entry)
    return "x".join("?" if n is None else str(n) for n in shape[1:]) if shape else ""


def edges(graph: Graph, *, weights: bool) -> Iterator[tuple[Node, Entry]]:
    """Yield every edge of a graph as (user, entry), with or without edges from weights."""
    for node in graph.nodes:
        for entry in node.inputs:
            if weights or not is_weight(entry[0]):
                yield node, entry


def inferred_types(
    symbol: Outputs,
    shape: Mapping[str, Sequence[int]] | None,
    dtype: Mapping[str, object] | None = None,
) -> Types | None:
    """Return the types inferred from ``shape`` and ``dtype``, by input name; None without shapes.

    Raises:
        ArgumentError: ``symbol`` is not a symbol, ``shape`` or ``dtype`` not a mapping.
        GraphError: A shape cannot be inferred; the message includes the error of a custom operator.
    """
    if not isinstance(symbol, Outputs):
        raise ArgumentError(f"the graph to draw must be a Symbol, not {brief(symbol)}")
    for option, value in (("shape", shape), ("dtype", dtype)):
        if not isinstance(value, Mapping | None):
            raise ArgumentError(f"{option} must be a dict by input name, not {brief(value)}")
    if shape is None:
        return None
    shapes, dtypes = {}, {}
    for node in symbol.graph.variables:
        kind = (dtype or {}).get(node.name)
        shapes[node] = known_shape(node, to_partial(shape.get(node.name)))
        dtypes[node] = declared_dtype(node) if kind is None else dtype_name(kind)
    types = infer_types(symbol.graph, shapes, dtypes)
    missing = [n.name for n in symbol.graph.variables if not is_complete(types.shape((n, 0)))]
    if missing:
        what = f"shape={dict(shape)} is incomplete, unknown are: {', '.join(missing)}"
        failure = types.failure
        raise GraphError(what if failure is None else f"{what}; {failure}") from failure
    return types
