"""Rewriting a saved graph: every ReLU becomes a leaky one.

Run it on a file that ``export`` or ``Symbol.save`` wrote::

    python -m examples.rewrite net-symbol.json leaky-symbol.json --slope 0.1

The parameters of the net fit the new graph as they are.
"""

import argparse
from collections.abc import Sequence

from hy_symbol import Entry, Node, Symbol, check_graph, is_op, load, new_node, rewrite


def with_leaky_relus(symbol: Symbol, slope: float) -> Symbol:
    """Return the graph with ``LeakyReLU`` instead of every ``relu``.

    Example:
        >>> from hy_symbol import sym
        >>> net = sym.Activation(sym.var("x"), act_type="relu", name="act")
        >>> with_leaky_relus(net, 0.1).graph.nodes
        (<Node x (variable)>, <Node act (LeakyReLU)>)
    """

    def leaky(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        is_relu = is_op(node, "relu") or (
            is_op(node, "Activation") and node.params["act_type"] == "relu"
        )
        if not is_relu:
            return None  # the node stays
        replacement = new_node(
            "LeakyReLU", inputs, name=node.name, like=node, act_type="leaky", slope=slope
        )
        return [(replacement, 0)]  # one entry for each output

    graph = rewrite(symbol.graph, leaky)
    check_graph(graph, before=symbol.graph)
    return Symbol(graph)


def main(arguments: Sequence[str] | None = None) -> None:
    """Rewrite a file."""
    parser = argparse.ArgumentParser(description="Make the ReLUs of a saved graph leaky.")
    parser.add_argument("file", help="a -symbol.json file")
    parser.add_argument("result", help="the file to write")
    parser.add_argument("--slope", type=float, default=0.1)
    options = parser.parse_args(arguments)
    rewritten = with_leaky_relus(load(options.file), options.slope)
    rewritten.save(options.result)
    count = sum(is_op(node, "LeakyReLU") for node in rewritten.graph.nodes)
    print(f"{options.result}: {count} leaky ReLUs")


if __name__ == "__main__":
    main()
