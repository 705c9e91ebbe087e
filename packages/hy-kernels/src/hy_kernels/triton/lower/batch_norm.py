"""Fusion of batch normalisation with the pointwise operators after it, also in the gradient.

These may be an activation, a residual sum, or any operators that formulas support, as long as no
others read the values between. The gradient recomputes the normalised value and what depends on it
alone: the operators between the gradients of the result and of the normalised value are fused with
the gradient of the normalisation, if they read nothing else.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.triton.elementwise.fused import Call, FusedCalls
from hy_kernels.triton.lower.pointwise import OPERANDS, is_step

__all__ = ["with_fused_batch_norms"]

_NORMS = ("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm")
_MAX_STEPS = 16
"""Largest number of fused operators, to limit the size of a kernel."""

_OPERANDS = ("data", "gamma", "beta", "moving_mean", "moving_var")
_INPUTS = (*_OPERANDS, *(f"input{k}" for k in range(_MAX_STEPS * (OPERANDS - 1))))
_PARAMS = ("eps", "momentum", "fix_gamma", "use_global_stats")


_NORM = PrivateOperator(
    name="_fused_batch_norm",
    kernel="fused_batch_norm",
    inputs=_INPUTS,
    infer=lambda types, _: types[0],
    active=lambda params: _INPUTS[: len(_OPERANDS) - 1 + params["calls"].inputs],
    outputs=("output", "mean", "var"),
    others=lambda types, _: [types[1], types[1]],
    states_of="BatchNorm",
)
_GRADIENT = PrivateOperator(
    name="_fused_batch_norm_backward",
    kernel="fused_batch_norm_backward",
    inputs=("dy", "data", "gamma", "beta", "mean", "var"),
    infer=lambda types, _: types[1],
    outputs=("data", "gamma", "beta"),
    others=lambda types, _: [types[2], types[2]],
)


def with_fused_batch_norms(graph: Graph) -> Graph:
    """Return the graph with each normalisation fused with the operators that only depend on it."""
    norms = [node for node in graph.nodes if graph.op(node) in _NORMS]
    if not norms:
        return graph
    search, result, taken = _Search(graph), list[_Fused](), set[Node]()
    for each in map(search.fused, norms):
        if each is not None and taken.isdisjoint(each.steps):
            result.append(each)
            taken |= each.steps
    return graph.rewrite(_Rewriting(graph, result).rule) if result else graph


class _Head(NamedTuple):
    """Fused part of a backward pass: from ``dy`` to the gradient of the normalised value."""

    gradient: Node
    """Node of the normalisation's own gradient."""
    dy: Value
    """First operand of the calls; the second is the normalised value."""
    calls: FusedCalls
    """Operators that compute the gradient of the normalised value."""


class _Fused(NamedTuple):
    """A normalisation, and the operators fused with it."""

    norm: Node
    last: Node
    """The last operator after it, whose result is that of the fused step."""
    others: Sequence[Value]
    """Operands of the operators besides the normalised value."""
    calls: FusedCalls
    """The operators, on the normalised value and ``others``."""
    head: _Head | None
    steps: set[Node]
    """All nodes that are fused, or no longer needed."""


def _fused_calls(graph: Graph, inputs: Sequence[Value], steps: Iterable[Node]) -> FusedCalls:
    """Return graph nodes, in order, as calls on the numbered values ``inputs``."""
    indices = {value: k for k, value in enumerate(inputs)}
    calls = []
    for node in steps:
        operands = tuple(indices[value] for value in graph.inputs(node))
        calls.append(Call(graph.kernel(node), operands, tuple(graph.params(node).items())))
        indices[graph.values(node)[0]] = len(indices)
    return FusedCalls(steps=tuple(calls), reduction=None, inputs=len(inputs))


class _Search:
    """Search of a graph for operators to fuse with batch normalisations."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._order = {node: k for k, node in enumerate(graph.nodes)}
        self._readers: dict[Value, list[Node]] = defaultdict(list)
        for node in graph.nodes:
            for value in graph.inputs(node):
                self._readers[value].append(node)

    def fused(self, norm: Node) -> _Fused | None:
        """Return a normalisation with the operators to fuse with it; None if there are none."""
        if not self._is_plain(norm):
            return None
        gradient, before = self._before(norm)
        after = self._steps_after(norm, before)
        head = None
        if gradient is not None and after:
            head = self._head(norm, after, gradient, before)
        # The steps before an unfused gradient stay, and read the values that they need.
        if head is None and before:
            before = []
            after = self._steps_after(norm, before)
        if not after:
            return None
        graph, (whole, *_) = self._graph, self._graph.values(norm)
        others = [value for value in self._read(after) if value != whole]
        calls, steps = _fused_calls(graph, [whole, *others], after), {*after, *before}
        return _Fused(norm, after[-1], others, calls, head, steps)

    def _is_plain(self, norm: Node) -> bool:
        """Return whether only ``norm``'s first result is visible and its states have one user."""
        graph = self._graph
        known = graph.type(graph.values(norm)[0]) is not None
        own = all(graph.uses(state) == 1 for state in graph.inputs(norm)[3:])
        return known and own and graph.num_visible(norm) == 1

    def _are_readers(self, value: Value, nodes: set[Node]) -> bool:
        """Return whether a value is read, and by none but the given nodes."""
        readers = self._readers[value]
        whole = 0 < len(readers) == self._graph.uses(value)
        return whole and nodes.issuperset(readers)

    def _closed(self, last: Node, others: Iterable[Node] = ()) -> list[Node]:
        """Return ``last`` and the same-type steps before it that only these or ``others`` read."""
        graph, group = self._graph, {last}
        type_ = graph.type(graph.values(last)[0])
        readers, seen, waiting = {last, *others}, {last}, list[tuple[int, Node]]()

        def enter(node: Node) -> None:
            for source in map(graph.source, graph.inputs(node)):
                if source not in seen:
                    seen.add(source)
                    heappush(waiting, (-self._order[source], source))

        enter(last)
        while waiting:  # in reverse order: all readers of a node were visited before it
            _, node = heappop(waiting)
            if not is_step(graph, node) or graph.type(graph.values(node)[0]) != type_:
                continue
            if len(group) < _MAX_STEPS and self._are_readers(graph.values(node)[0], readers):
                group.add(node)
                readers.add(node)
                enter(node)
        return sorted(group, key=self._order.__getitem__)

    def _read(self, steps: Sequence[Node]) -> list[Value]:
        """Return the values that steps read but do not compute."""
        graph = self._graph
        result = {graph.values(node)[0] for node in steps}
        return [*dict.fromkeys(v for node in steps for v in graph.inputs(node) if v not in result)]

    def _before(self, norm: Node) -> tuple[Node | None, list[Node]]:
        """Return a normalisation's gradient node, and the steps before it that it alone reads."""
        graph, (_, mean, _) = self._graph, self._graph.values(norm)
        for node in self._readers[mean]:
            if graph.op(node) == "_normalize_backward":
                gradient = graph.inputs(node)[0]
                last = graph.source(gradient)
                if is_step(graph, last) and self._are_readers(gradient, {node}):
                    return node, self._closed(last)
        return None, []

    def _steps_after(self, norm: Node, before: Sequence[Node]) -> list[Node]:
        """Return the longest chain of steps that includes all readers of the normalised value.

        The steps ``before`` may read it too: they are fused with the gradient.
        """
        graph, (whole, *statistics) = self._graph, self._graph.values(norm)
        type_ = graph.type(whole)
        ends: dict[Node, None] = {}
        waiting = [whole]
        for value in waiting:  # which grows
            for node in self._readers[value]:
                same = is_step(graph, node) and graph.type(graph.values(node)[0]) == type_
                if same and node not in before and node not in ends and len(ends) < _MAX_STEPS:
                    ends[node] = None
                    waiting += graph.values(node)
        # The fused step takes the place of the last operator, and gives the statistics too: it has
        # to come before all that read these.
        first = min(
            (self._order[node] for value in statistics for node in self._readers[value]),
            default=len(self._order),
        )
        for last in sorted(ends, key=self._order.__getitem__, reverse=True):
            if self._order[last] < first:
                group = self._closed(last, before)
                if self._are_readers(whole, {*group, *before}):
                    return group
        return []

    def _head(
        self, norm: Node, after: Sequence[Node], gradient: Node, before: Sequence[Node]
    ) -> _Head | None:
        """Return the steps before a gradient as a function of a gradient and the normalised value.

        None if they read other values that cannot be recomputed from these two.
        """
        graph, (whole, *_) = self._graph, self._graph.values(norm)
        known = {whole, *(graph.values(node)[0] for node in after)}
        # All steps before the gradient, else only those that depend on the normalised value: what
        # the others compute is then the gradient that the fused step takes.
        for own in (before, self._following(before, known)):
            read = self._read(own)
            gradients = [value for value in read if value not in known]
            again = self._leading(after, known.intersection(read))
            steps = [*again, *own]
            same = [graph.type(value) for value in gradients] == [graph.type(whole)]
            if same and len(steps) <= _MAX_STEPS and {*self._read(steps)} <= {*gradients, whole}:
                return _Head(
                    gradient=gradient,
                    dy=gradients[0],
                    calls=_fused_calls(graph, [gradients[0], whole], steps),
                )
        return None

    def _following(self, steps: Sequence[Node], values: Iterable[Value]) -> list[Node]:
        """Return the steps, in order, that depend on one of these values."""
        graph, result, reached = self._graph, [], {*values}
        for node in steps:
            if not reached.isdisjoint(graph.inputs(node)):
                result.append(node)
                reached.update(graph.values(node))
        return result

    def _leading(self, steps: Sequence[Node], values: Iterable[Value]) -> list[Node]:
        """Return the steps, in order, that these values depend on."""
        graph, result, needed = self._graph, [], {*values}
        for node in reversed(steps):
            if graph.values(node)[0] in needed:
                result.append(node)
                needed.update(graph.inputs(node))
        return result[::-1]


class _Rewriting:
    """Rewriting that inserts the fused steps."""

    def __init__(self, graph: Graph, result: Sequence[_Fused]) -> None:
        self._graph = graph
        self._at = {each.last: each for each in result}
        self._heads = {each.head.gradient: each for each in result if each.head is not None}
        self._now: dict[Value, Value] = {}
        """New value of each old one that was read so far."""
        self._statistics: dict[Value, Value] = {}
        """New mean and variance for those of each replaced normalisation."""

    def rule(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        """Return the new results of a node that is fused or reads moved statistics, else None."""
        graph, before = self._graph, self._graph.inputs(node)
        moved = tuple(
            self._statistics.get(old, new) for old, new in zip(before, inputs, strict=True)
        )
        self._now.update(zip(before, moved, strict=True))
        if node in self._at:
            return self._normalized(self._at[node])
        if node in self._heads:
            return self._gradient(self._heads[node], moved)
        return graph.values(graph.copy(node, moved)) if moved != inputs else None

    def _normalized(self, fused: _Fused) -> Sequence[Value]:
        graph, norm = self._graph, fused.norm
        norm_params = graph.params(norm)
        params = {name: norm_params[name] for name in _PARAMS}
        params |= {"axis": norm_params.get("axis", 1), "calls": fused.calls}
        operands = [self._now[value] for value in (*graph.inputs(norm), *fused.others)]
        name = graph.name(fused.last)
        added = graph.values(graph.add(_NORM, operands, params, name=name, like=fused.last))
        self._statistics.update(zip(graph.values(norm)[1:], added[1:], strict=True))
        return added[:1]

    def _gradient(self, fused: _Fused, inputs: Sequence[Value]) -> Sequence[Value]:
        graph, head = self._graph, fused.head
        assert head is not None
        _, data, gamma, *statistics = inputs
        beta = self._now[graph.inputs(fused.norm)[2]]
        operands = [self._now[head.dy], data, gamma, beta, *statistics]
        params = {**graph.params(head.gradient), "calls": head.calls}
        name = graph.name(head.gradient)
        return graph.values(graph.add(_GRADIENT, operands, params, name=name, like=head.gradient))
