"""The walk back along the tape: what was recorded, from its end to the variables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from hy_ndarray._errors import AutogradError
from hy_ndarray.core import _dispatch, _state
from hy_ndarray.core._array import Array, Backward, Entry, Leaf, Node
from hy_ndarray.core._gradient_places import places
from hy_ndarray.core._scopes import pause, record
from hy_ndarray.core.casting import without_casting
from hy_ndarray.devices._protocols import Params
from hy_ndarray.devices.instrumentation import span, watch
from hy_ndarray.ops import Operator, Saved, find

__all__ = ["GradientAccumulator", "record_function", "replay", "run"]

V = TypeVar("V")

_ADD = find("broadcast_add")
_ADD_SPARSE = find("elemwise_add")  # the one that keeps rows
_ZEROS = find("zeros_like")


def _relinked(array: Array | None, entry: Entry | None) -> Array | None:
    if array is None or array._entry is entry:
        return array
    result = type(array).from_buffer(array._data, array._device)
    result._entry = entry
    return result


def record_function(
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    backward: Backward,
    *,
    is_program: bool = False,
) -> None:
    """Record a computation that brings its own backward; no effect outside :func:`record`.

    Args:
        inputs: What was computed from.
        outputs: What came out; they become part of the graph.
        backward: Takes one gradient per output, returns one (or None) per input.
        is_program: ``backward`` also takes whether this is the last time, when it may free what it
            saved even before it is done; and for each input the array that is to have its gradient,
            which it may compute there, or None.
    """
    if not _state.scope.recording or all(x._live_entry() is None for x in inputs):
        return
    node = Node(None, inputs, {}, outputs, _state.scope.training, backward, is_program)
    for i, y in enumerate(outputs):
        y._entry = (node, i)


def _order(entries: Iterable[Entry | None]) -> list[Node]:
    """Nodes that the entries depend on, each behind those it depends on; depth never recurses."""
    order: list[Node] = []
    done: set[Node] = set()
    stack = [(entry[0], False) for entry in entries if isinstance(entry, tuple)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
            continue
        if node in done:
            continue
        done.add(node)
        if node.freed:
            raise AutogradError(
                f"the graph behind {node.name} was freed by an earlier backward pass; "
                "pass retain_graph=True to that one to differentiate again"
            )
        stack.append((node, True))
        stack += [
            (entry[0], False)
            for entry in node.entries
            if isinstance(entry, tuple) and entry[0] not in done
        ]
    return order


def replay(
    head: Array,
    variable: Callable[[], V],
    call: Callable[[Operator, Sequence[V | None], Params], Sequence[V]],
) -> V:
    """Go through the calls that made an array, from its variables on, with other values.

    Args:
        head: The array.
        variable: Makes the value of a variable, or of an array that was no part of the graph.
        call: Makes the values of an operator's outputs of those of its inputs.

    Returns:
        The value of ``head``.

    Raises:
        AutogradError: ``head`` is in no graph, its graph was freed, or a function of Python's is
            among the calls.
    """
    if head._entry is None:
        raise AutogradError("the array is in no graph; compute it within autograd.record()")
    values: dict[Any, V] = {}

    def value(array: Array | None, entry: Entry | None) -> V | None:
        if array is None:
            return None
        key = ("constant", id(array)) if entry is None else entry
        if key not in values:
            values[key] = variable()
        return values[key]

    for node in _order([head._entry]):
        if node.op is None:
            raise AutogradError(
                "the array was computed by an autograd.Function, which is no operator"
            )
        inputs = [value(x, entry) for x, entry in zip(node.inputs, node.entries, strict=True)]
        for i, made in enumerate(call(node.op, inputs, node.params)):
            values[node, i] = made
    found = value(head, head._entry)
    assert found is not None
    return found


class GradientAccumulator(dict[Entry, Array]):
    """Gradients by entry, added up where several paths meet."""

    def add(self, entry: Entry, gradient: Array) -> None:
        before = self.get(entry)
        if before is not None:
            add = _ADD if before._dense else _ADD_SPARSE
            gradient = _dispatch.invoke(add, (before, gradient), add.defaults)
        self[entry] = gradient


def run(
    heads: list[Array],
    grads: list[Array],
    create_graph: bool,
    retain: bool,
    train_mode: bool,
    *,
    keeps: bool = False,
) -> GradientAccumulator:
    """Go back from heads with these gradients; the gradients of all entries behind them.

    Args:
        heads: Where to begin.
        grads: A gradient for each.
        create_graph: Record it, so that gradients can be differentiated.
        retain: What was recorded is needed again.
        train_mode: The mode of operators.
        keeps: Variables are to have their gradients: these may be computed where they are kept.
    """
    entries = [head._entry for head in heads if head._entry is not None]
    order = _order(entries)
    kept = places(order, entries) if keeps and not create_graph else {}
    accumulator = GradientAccumulator()
    observer = watch.observer
    scope = record(train_mode) if create_graph else pause(train_mode)
    quiet = np.errstate(over="ignore", invalid="ignore")  # inf is a gradient like others
    with span("backward", "backward"), scope, quiet:
        for entry, gradient in zip(entries, grads, strict=True):
            accumulator.add(entry, gradient)
        for node in reversed(order):
            dys = [accumulator.get((node, i)) for i in range(node.visible)]
            if all(dy is None for dy in dys):
                continue
            if observer is None:
                _propagate(node, dys, accumulator, create_graph, not retain, kept)
            else:
                with observer.span(f"_backward_{node.name}", "backward"):
                    _propagate(node, dys, accumulator, create_graph, not retain, kept)
        _complete(order, accumulator)
    if not retain:
        for node in order:
            node.free()
    return accumulator


def _propagate(
    node: Node,
    dys: Sequence[Array | None],
    accumulator: GradientAccumulator,
    create_graph: bool,
    last: bool,
    kept: Mapping[Entry | None, Array],
) -> None:
    filled = [
        _zeros_like(node.output(i).detach()) if dy is None else dy for i, dy in enumerate(dys)
    ]
    gradients = _gradients(node, filled, create_graph, last, kept)
    for entry, gradient in zip(node.entries, gradients, strict=True):
        if entry is not None and gradient is not None:
            accumulator.add(entry, gradient)


def _gradients(
    node: Node,
    dys: Sequence[Array],
    create_graph: bool,
    last: bool,
    kept: Mapping[Entry | None, Array],
) -> Sequence[Array | None]:
    """Gradients of a node's inputs; with ``create_graph`` they can be differentiated again.

    With ``last`` nobody asks again: what was saved may be freed while they are computed.
    """
    if node.backward is not None:
        if not node.is_program:
            return node.backward(dys)
        return node.backward(dys, last, [*map(kept.get, node.entries)])
    assert node.op is not None
    if node.op.grad is None:
        raise AutogradError(f"{node.op.name} is not differentiable")
    inputs = node.inputs
    if create_graph:
        inputs = tuple(map(_relinked, node.inputs, node.entries))
    outputs = tuple(node.output(i) for i in range(len(node.outputs)))
    wanted = tuple(entry is not None for entry in node.entries)
    saved = Saved(inputs, outputs, node.params, node.is_train, wanted)
    if not _state.casts:
        return node.op.grad(saved, *dys)
    with without_casting():
        return node.op.grad(saved, *dys)


def _complete(order: Iterable[Node], accumulator: GradientAccumulator) -> None:
    """Zeros for the variables that the heads depend on only where no gradient flows."""
    for node in order:
        for x, entry in zip(node.inputs, node.entries, strict=True):
            if entry.__class__ is Leaf and entry not in accumulator:
                accumulator.add(entry, _zeros_like(_relinked(x, entry)))


def _zeros_like(array: Array | None) -> Array:
    found: Array = _dispatch.invoke(_ZEROS, (array,), _ZEROS.defaults)
    return found
