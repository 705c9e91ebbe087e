"""Operators of MXNet's namespace ``sym.contrib``."""

from collections.abc import Callable
from math import log
from typing import TYPE_CHECKING, Any

from hy_ndarray import namespaces
from hy_ndarray.nd.graph_operators import GRAPH_OPERATORS
from hy_ndarray.nd.zipfian import candidates
from hy_ndarray.ops.record.descriptions import documentation
from hy_symbol.sym._control_flow import cond, foreach, while_loop
from hy_symbol.sym._functions import symbol_function
from hy_symbol.sym.random import uniform
from hy_symbol.symbol.symbol import Symbol

__all__ = [
    "cond",
    "dgl_adjacency",
    "dgl_csr_neighbor_non_uniform_sample",
    "dgl_csr_neighbor_uniform_sample",
    "dgl_graph_compact",
    "dgl_subgraph",
    "edge_id",
    "foreach",
    "rand_zipfian",
    "uniform",
    "while_loop",
]


def _of_graphs(name: str) -> Callable[..., Symbol]:
    """Return the function of symbols for a graph operator on csr arrays; it sets ``num_args``."""
    op = GRAPH_OPERATORS[f"_contrib_{name}"]
    operator_function = symbol_function(op, name)
    if "num_args" not in op.params:
        return operator_function

    def function(*args: Any, **kwargs: Any) -> Symbol:
        return operator_function(*args, **{"num_args": len(args), **kwargs})

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = documentation(op.doc, op.params)
    return function


edge_id = _of_graphs("edge_id")
dgl_adjacency = _of_graphs("dgl_adjacency")
dgl_subgraph = _of_graphs("dgl_subgraph")
dgl_graph_compact = _of_graphs("dgl_graph_compact")
dgl_csr_neighbor_uniform_sample = _of_graphs("dgl_csr_neighbor_uniform_sample")
dgl_csr_neighbor_non_uniform_sample = _of_graphs("dgl_csr_neighbor_non_uniform_sample")


def rand_zipfian(
    true_classes: Symbol, num_sampled: int, range_max: int
) -> tuple[Symbol, Symbol, Symbol]:
    """Draw classes from a log-uniform (Zipfian) distribution, for sampled softmax.

    Args:
        true_classes: ``[*T]``, classes whose expected counts are returned, too.
        num_sampled: Number of classes to draw.
        range_max: Number of classes.

    Returns:
        Drawn classes ``[num_sampled]``, int64; expected counts of the true classes ``[*T]`` and of
        the drawn classes ``[num_sampled]`` among them, float64.
    """
    drawn = uniform(0, log(range_max + 1), shape=(num_sampled,), dtype="float64")
    return candidates(drawn, true_classes, num_sampled, range_max)


if TYPE_CHECKING:
    from hy_symbol.sym._operators.contrib import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), symbol_function, "contrib")
    namespaces.fill(globals(), "contrib")
