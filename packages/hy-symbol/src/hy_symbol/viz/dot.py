"""Drawings of graphs for graphviz's ``dot``."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hy_ndarray.warning import warn
from hy_symbol.infer.outputs import Outputs
from hy_symbol.viz.look import edges, fill, inferred_types, is_weight, label, shape_text

if TYPE_CHECKING:
    import graphviz

__all__ = ["plot_network"]


def plot_network(
    symbol: Outputs,
    title: str = "plot",
    save_format: str = "pdf",
    shape: Mapping[str, Sequence[int]] | None = None,
    dtype: Mapping[str, object] | None = None,
    node_attrs: Mapping[str, str] | None = None,
    hide_weights: bool = True,
) -> "graphviz.Digraph":
    """Draw a graph with graphviz; to view or render the result needs the program ``dot``.

    Args:
        symbol: The graph.
        title: Name of the drawing, and base name of its file.
        save_format: Format of the file that ``render`` writes.
        shape: Shapes of inputs by name; if given, edges are labelled with shapes without the batch
            axis.
        dtype: Dtypes of inputs by name; if given, edges are labelled with dtypes, too.
        node_attrs: Graphviz attributes of all nodes, such as ``{"shape": "oval"}``.
        hide_weights: Whether to omit variables whose names end like those of parameters.

    Nodes with the same name are drawn as one, with a warning.

    Raises:
        ArgumentError: ``symbol`` is not a symbol.
        GraphError: A shape cannot be inferred from ``shape``.
        ImportError: The package graphviz (extra ``graphviz``) is not installed.

    Example:
        >>> from hy_symbol import sym
        >>> net = sym.FullyConnected(sym.var("data"), num_hidden=10, name="fc1")
        >>> [line.strip() for line in plot_network(net, shape={"data": (1, 5)}).source.splitlines()
        ...  if "->" in line]
        ['fc1 -> data [label=5 arrowtail=open dir=back]']
    """
    # MXNet's picture of graphs needs graphviz; svg() does not.
    try:
        import graphviz  # noqa: PLC0415  # takes longer than any package of hy, and few draw
    except ImportError as error:
        raise ImportError(
            "plot_network needs graphviz: pip install 'hy-symbol[graphviz]'; "
            "viz.svg draws without it",
            name="graphviz",
        ) from error
    types = inferred_types(symbol, shape, dtype)
    counts = Counter(node.name for node in symbol.graph.nodes)
    if repeated := [name for name, count in counts.items() if count > 1]:
        warn(
            "There are multiple variables with the same name in your graph, this may result in "
            f"cyclic graph. Repeated names: {','.join(repeated)}",
            RuntimeWarning,
        )
    style = {"shape": "box", "fixedsize": "true", "width": "1.3", "height": "0.8034"}
    style |= {"style": "filled", **(node_attrs or {})}
    drawing = graphviz.Digraph(name=title, format=save_format)
    for node in symbol.graph.nodes:
        if hide_weights and is_weight(node):
            continue
        own = {"fillcolor": fill(node), **({"shape": "oval"} if node.op is None else {})}
        drawing.node(name=node.name, label=label(node), **{**style, **own})
    for node, entry in edges(symbol.graph, weights=not hide_weights):
        text = shape_text(types, entry)
        if types is not None and dtype is not None:
            text += f"({types.dtype(entry)})"
        drawing.edge(node.name, entry[0].name, label=text, dir="back", arrowtail="open")
    return drawing
