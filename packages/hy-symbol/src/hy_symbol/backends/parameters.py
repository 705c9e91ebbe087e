"""The backend ``prepare_parameters``: computes values that depend on parameters only in advance."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from hy_ndarray import ArgumentError
from hy_symbol.graph.node import Graph, Node
from hy_symbol.infer.engine import Types
from hy_symbol.passes.constants import constant_nodes
from hy_symbol.regions.protocols import Facts, Rewritten

__all__ = ["PrepareParameters", "computes_from"]


class PrepareParameters:
    """Marks values that depend on parameters only, such as concatenated weights, as precomputed.

    Values that take more memory than the parameters they are computed from are not precomputed.
    """

    def rewrite(self, graph: Graph, facts: Facts, options: Mapping[str, Any]) -> Rewritten:
        """Return the same graph with the entries to precompute; see :class:`.Rewriter`.

        Raises:
            ArgumentError: An option is given.
        """
        if options:
            raise ArgumentError(f"prepare_parameters: unknown option {next(iter(options))!r}")
        computed = _derived_nodes(graph, facts.arrays, facts.types)
        return Rewritten(
            graph, once=[(node, i) for node in computed for i in range(node.num_visible)]
        )


def computes_from(graph: Graph, parameters: Collection[str]) -> bool:
    """Return whether any node depends on these variables only, other than as a view."""
    return bool(parameters) and next(_derived_nodes(graph, parameters), None) is not None


def _derived_nodes(
    graph: Graph, parameters: Collection[str], types: Types | None = None
) -> Iterator[Node]:
    """Yield the nodes that depend on these variables only, excluding views of a parameter."""

    def fits(node: Node) -> bool:
        if types is None:
            return bool(node.inputs)
        nbytes = sum(types.nbytes((node, i)) for i in range(node.num_outputs))
        # Not precomputed if it is larger than its inputs.
        return nbytes <= sum(map(types.nbytes, node.inputs))

    constant = constant_nodes(graph, parameters, among=fits)
    computed: set[Node] = set()
    for node in graph.nodes:
        if node.op is None or node not in constant:
            continue
        if not node.op.traits.view or any(source in computed for source, _ in node.inputs):
            computed.add(node)
            yield node
