"""A graph run operator by operator on the tape, for sparse arrays and loops."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from hy_ndarray import NDArray, autograd
from hy_ndarray.core.casting import without_casting
from hy_ndarray.ops import Saved
from hy_ndarray.sparse.refusals import check_storage
from hy_symbol.executor.loops import control_results, has_long_loops
from hy_symbol.graph.interpreter import interpret
from hy_symbol.graph.node import Graph, Node
from hy_symbol.regions.running import node_outputs

__all__ = ["TapeRun", "is_for_tape", "run_on_tape"]

Target: TypeAlias = tuple[NDArray, str]
"""The array for a gradient, and the request ``"write"`` or ``"add"``."""


def is_for_tape(graph: Graph, arrays: Sequence[NDArray | None]) -> bool:
    """Return whether a graph runs on the tape because of sparse arrays or long loops.

    Programs support dense arrays only, and contain every step that a loop may take.
    """
    nodes = [node for node in graph.nodes if node.op is not None]
    # A loop is unrolled by programs, with all steps it may take.
    if any(node.bodies for node in nodes):
        return has_long_loops(graph)
    return any(a is not None and a.stype != "default" for a in arrays) or any(map(_makes, nodes))


def _makes(node: Node) -> bool:
    assert node.op is not None
    stores = node.op.stores
    return stores is not None and stores(node.params) != "default"


def run_on_tape(graph: Graph, arrays: Sequence[NDArray]) -> list[NDArray]:
    """Return the outputs of a graph, recorded on the tape if the arrays are.

    Args:
        graph: The graph; see :func:`is_for_tape`.
        arrays: One array for each variable of the graph.

    Example:
        >>> from hy_ndarray import nd
        >>> from hy_symbol import sym
        >>> graph = sym.abs(sym.var("x")).graph
        >>> run_on_tape(graph, [nd.array([[0, -2]]).tostype("csr")])[0].stype
        'csr'
    """
    with without_casting():
        return _outputs(graph, arrays)


def _outputs(graph: Graph, arrays: Sequence[NDArray]) -> list[NDArray]:
    values = dict(zip(((node, 0) for node in graph.variables), arrays, strict=True))
    interpret(graph.nodes, values, _node_results)
    return [values[entry] for entry in graph.outputs]


def _node_results(node: Node, inputs: list[NDArray]) -> Sequence[NDArray]:
    op = node.op
    assert op is not None
    if node.is_control_flow:
        return control_results(node, inputs, _outputs)
    if not node.is_region and (len(op.output_names(node.params)) == 1 or _makes(node)):
        result = NDArray.apply_operator(op, node.operands(inputs), node.params)
        return result if isinstance(result, list) else [result]
    if any(x.stype != "default" for x in inputs):
        check_storage(op, inputs, node.params)
    # Operators without a rule for sparse arrays take dense ones.
    dense = [x if x.stype == "default" else x.tostype("default") for x in inputs]
    return node_outputs(node, dense, None, autograd.is_training())


class TapeRun:
    """Runs a graph forward and backward on the autograd tape, operator by operator.

    Args:
        graph: The graph.
        watch: If given, called with each node, its operands and its results.
        watch_gradients: If given, called in the backward pass with each node and the gradients of
            its operands; None for gradients that the node passes on unchanged.
    """

    def __init__(
        self,
        graph: Graph,
        watch: Callable[[Node, Sequence[NDArray], Sequence[NDArray]], None] | None = None,
        watch_gradients: Callable[[Node, Sequence[NDArray | None]], None] | None = None,
    ) -> None:
        self._graph = graph
        self._watch = watch
        self._watch_gradients = watch_gradients
        self._variables: dict[int, NDArray] = {}
        self._outputs: list[NDArray] = []

    def forward(
        self, arrays: Sequence[NDArray], targets: Mapping[int, Target], is_train: bool
    ) -> list[NDArray]:
        """Return the outputs, recording the run if there are targets.

        Args:
            arrays: One array for each variable of the graph.
            targets: Gradient array and request, by position of the variable.
            is_train: Whether operators compute as in training.
        """
        # Detached: the tape records this run alone, whatever the caller's arrays belong to.
        detached = [array.detach() for array in arrays]
        self._variables = {i: detached[i] for i in targets}
        for i, (grad, req) in targets.items():
            autograd.mark_variables(detached[i], grad, req)
        values = dict(zip(((node, 0) for node in self._graph.variables), detached, strict=True))
        scope = autograd.record(is_train) if targets else autograd.pause(is_train)
        with scope, without_casting():
            interpret(self._graph.nodes, values, self._run_node)
        self._outputs = [values[entry] for entry in self._graph.outputs]
        # Detached too, so that returned arrays keep no part of the tape alive.
        return [output.detach() for output in self._outputs]

    def _run_node(self, node: Node, inputs: list[NDArray]) -> Sequence[NDArray]:
        watch = self._watch_gradients
        if watch is not None and autograd.is_recording() and not node.bodies:
            results: Sequence[NDArray] = _watched(node, inputs, watch)
        else:
            results = _node_results(node, inputs)
        if self._watch is not None:
            self._watch(node, inputs, results)
        return results

    def backward(self, heads: Sequence[NDArray | None]) -> list[int]:
        """Compute gradients from one head gradient per output, and store them in the targets.

        Returns:
            The positions of the variables that received no gradient.
        """
        linked = [k for k, output in enumerate(self._outputs) if output.in_graph]
        # A gradient that backward does not reach stays stale, and is reported to the caller.
        autograd.set_stale(*self._variables.values())
        if linked:
            outputs = [self._outputs[k] for k in linked]
            head_grads = [heads[k] for k in linked]
            cast = [
                None if x is None else x.astype(y.dtype, copy=False)
                for x, y in zip(head_grads, outputs, strict=True)
            ]
            autograd.backward(outputs, cast, retain_graph=True)
        return [i for i, copied in self._variables.items() if not autograd.is_fresh(copied)]


def _watched(
    node: Node,
    inputs: Sequence[NDArray],
    watch: Callable[[Node, Sequence[NDArray | None]], None],
) -> Sequence[NDArray]:
    """Return the outputs of a node, recorded so that ``watch`` is called with its gradients."""
    op, operands, is_train = node.op, node.operands(inputs), autograd.is_training()
    assert op is not None
    with autograd.pause(is_train):
        outputs = [x.detach() for x in node_outputs(node, inputs, None, is_train)]
    if op.grad is None or not any(x.in_graph for x in inputs):
        return outputs
    # The tape frees these with the node; outputs themselves would keep it alive.
    # `saved` holds detached outputs: outputs themselves would keep the node alive in a cycle.
    saved = Saved(tuple(operands), tuple([x.detach() for x in outputs]), node.params, is_train)
    grad, visible = op.grad, op.num_visible(node.params)

    def backward(dys: Sequence[NDArray]) -> Sequence[NDArray | None]:
        result = grad(saved, *dys[:visible])
        pairs = [(dx, x) for dx, x in zip(result, operands, strict=True) if x is not None]
        passed_on = {id(dy) for dy in dys}
        watch(
            node,
            [
                # MXNet has no node for gradients that are passed on, so they are not shown.
                None if id(dx) in passed_on else x.zeros_like() if dx is None else dx
                for dx, x in pairs
            ],
        )
        return [dx for dx, _ in pairs]

    autograd.record_function(inputs, outputs, backward)
    return outputs
