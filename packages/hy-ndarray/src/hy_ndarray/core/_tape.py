"""The backward pass: reverse traversal of the tape from heads to variables."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from hy_ndarray._errors import AutogradError
from hy_ndarray.core import _dispatch, _state
from hy_ndarray.core._array import Array, Backward, Entry, Leaf, Node, record_call
from hy_ndarray.core._gradient_buffers import gradient_buffers
from hy_ndarray.core._scopes import pause, record
from hy_ndarray.core.casting import without_casting
from hy_ndarray.devices._protocols import Params
from hy_ndarray.devices.instrumentation import span, watch
from hy_ndarray.ops import Operator, Saved, find

V = TypeVar("V")

_ADD = find("broadcast_add")
# broadcast_add would make row-sparse gradients dense.
_ADD_SPARSE = find("elemwise_add")
_ZEROS = find("zeros_like")


def _relinked(array: Array | None, entry: Entry | None) -> Array | None:
    if array is None or array._entry is entry:
        return array
    # The operand may have got another entry since, as by attach_grad; gradients go to the recorded
    # one.
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
    """Record a computation with its own backward; no effect outside :func:`record`.

    Args:
        inputs: The inputs of the computation.
        outputs: Its outputs, which become part of the graph.
        backward: Takes one gradient per output, and returns one (or None) per input.
        is_program: Whether ``backward`` takes two more arguments: whether this is the last call, in
            which saved values may be freed early; and an out buffer, or None, for each input's
            gradient.
    """
    if _state.scope.recording:
        record_call(None, inputs, {}, outputs, _state.scope.training, backward, is_program)


def _nodes_between(heads: Iterable[Entry], targets: Collection[Entry]) -> list[Node]:
    """Return the nodes on paths from ``targets`` to the heads, in topological order."""
    wanted = {*targets}
    leading: list[Node] = []
    ends = {entry[0] for entry in targets if isinstance(entry, tuple)}
    # Dependencies come first, so one walk finds all nodes on a path from a target.
    for node in _order(heads, ends):
        if not wanted.isdisjoint(node.entries):
            wanted.update((node, i) for i in range(len(node.outputs)))
            leading.append(node)
    return leading


def _order(entries: Iterable[Entry | None], ends: Collection[Node] = frozenset()) -> list[Node]:
    """Return all nodes that entries depend on, in topological order.

    Args:
        entries: The entries to start from.
        ends: Nodes that are excluded, with everything they depend on.
    """
    # Depth-first with an explicit stack: a long loop would exceed Python's recursion limit. A node
    # is popped twice, as an entry when first seen, and as a node once its inputs are done. Inputs
    # are visited in order, as in a compiled graph, so that sums of gradients round alike.
    order: list[Node] = []
    done: set[Node] = {*ends}
    stack: list[Entry | Node | None] = [*entries]
    stack.reverse()
    while stack:
        item = stack.pop()
        if isinstance(item, Node):
            order.append(item)
        if not isinstance(item, tuple) or item[0] in done:
            continue
        node = item[0]
        done.add(node)
        if node.freed:
            raise AutogradError(
                f"the graph behind {node.name} was freed by an earlier backward pass; "
                "pass retain_graph=True to that one to differentiate again"
            )
        stack.append(node)
        stack += reversed(node.entries)
    return order


def replay(
    head: Array,
    variable: Callable[[], V],
    call: Callable[[Operator, Sequence[V | None], Params], Sequence[V]],
) -> V:
    """Re-execute the recorded calls that produced an array, on other values for its variables.

    Args:
        head: The array.
        variable: Returns a value for each variable, and for each array outside of the graph.
        call: Returns the values of an operator's outputs, given those of its inputs.

    Returns:
        The value computed for ``head``.

    Raises:
        AutogradError: ``head`` is in no graph, its graph was freed, or a call is of a Python
            function, such as an ``autograd.Function``.
    """
    if head._entry is None:
        raise AutogradError(
            "get_symbol: the array is not part of a recorded graph; compute it inside "
            "autograd.record()"
        )
    values: dict[Any, V] = {}

    def value(array: Array | None, entry: Entry | None) -> V | None:
        if array is None:
            return None
        # Nodes keep their inputs alive, so that no two have one id.
        key = ("constant", id(array)) if entry is None else entry
        if key not in values:
            values[key] = variable()
        return values[key]

    for node in _order([head._entry]):
        if node.op is None:
            raise AutogradError(
                "get_symbol: the array was computed by an autograd.Function, which has no "
                "operator in a symbol"
            )
        inputs = [value(x, entry) for x, entry in zip(node.inputs, node.entries, strict=True)]
        for i, output in enumerate(call(node.op, inputs, node.params)):
            values[node, i] = output
    head_value = value(head, head._entry)
    assert head_value is not None
    return head_value


class GradientAccumulator(dict[Entry, Array]):
    """Gradients by tape entry, summed where several paths meet."""

    def add(self, entries: Iterable[Entry | None], gradients: Iterable[Array | None]) -> None:
        """Add gradients to the entries; pairs in which either is None are skipped."""
        for entry, gradient in zip(entries, gradients, strict=True):
            if entry is None or gradient is None:
                continue
            before = self.get(entry)
            if before is None:
                self[entry] = gradient
            else:
                add = _ADD if before._dense else _ADD_SPARSE
                self[entry] = _dispatch.invoke(add, (before, gradient), add.defaults)


def run(
    heads: list[Array],
    grads: list[Array],
    create_graph: bool,
    retain: bool,
    train_mode: bool,
    *,
    keeps: bool = False,
    towards: Collection[Entry] | None = None,
) -> GradientAccumulator:
    """Run the backward pass from heads; return the gradients of all entries they depend on.

    Args:
        heads: The arrays to differentiate.
        grads: The head gradient of each.
        create_graph: Record the pass, so that gradients can be differentiated.
        retain: Whether to keep the tape for another pass.
        train_mode: Whether operators run in training mode.
        keeps: Whether the caller writes gradients to the variables' gradient arrays; programs may
            then compute them there directly.
        towards: Entries whose gradients are wanted; None: all. Nodes that do not lead to them are
            skipped, and nodes before them are neither visited nor freed.
    """
    entries = [head._entry for head in heads if head._entry is not None]
    order = _order(entries) if towards is None else _nodes_between(entries, towards)
    outs = gradient_buffers(order, entries) if keeps and not create_graph else {}
    accumulator = GradientAccumulator()
    scope = record(train_mode) if create_graph else pause(train_mode)
    # Gradients may be inf or nan, as with float16 and a loss scale that is too large.
    quiet = np.errstate(over="ignore", invalid="ignore")
    with span("backward", "backward"), scope, quiet:
        accumulator.add(entries, grads)
        for node in reversed(order):
            _propagate(node, accumulator, create_graph, not retain, outs)
        if towards is None:
            _complete(order, accumulator)
    if not retain:
        for node in order:
            node.free()
    return accumulator


def _propagate(
    node: Node,
    accumulator: GradientAccumulator,
    create_graph: bool,
    last: bool,
    outs: Mapping[Entry | None, Array],
) -> None:
    """Add the gradients of a node's inputs, if some output of the node has a gradient."""
    dys: list[Array] = []
    missing: list[int] = []
    for i in range(node.visible):
        dy = accumulator.get((node, i))
        if dy is None:
            missing.append(i)
        else:
            dys.append(dy)
    if not dys:
        return
    for i in missing:
        dys.insert(i, _zeros_like(node.output(i).detach()))
    if watch.observer is None:
        gradients = _gradients(node, dys, create_graph, last, outs)
    else:
        with span(f"_backward_{node.name}", "backward"):
            gradients = _gradients(node, dys, create_graph, last, outs)
    accumulator.add(node.entries, gradients)


def _gradients(
    node: Node,
    dys: Sequence[Array],
    create_graph: bool,
    last: bool,
    outs: Mapping[Entry | None, Array],
) -> Sequence[Array | None]:
    """Return the gradients of a node's inputs, differentiable with ``create_graph``.

    With ``last`` the tape is not used again: a program may free saved values as it runs.
    """
    if node.backward is not None:
        if not node.is_program:
            return node.backward(dys)
        return node.backward(dys, last, [*map(outs.get, node.entries)])
    assert node.op is not None
    if node.op.grad is None:
        raise AutogradError(f"{node.op.name} is not differentiable")
    inputs = node.inputs
    if create_graph:
        inputs = tuple(map(_relinked, node.inputs, node.entries))
    outputs = tuple(map(node.output, range(len(node.outputs))))
    saved = Saved(inputs, outputs, node.params, node.is_train, node.entries)
    if not _state.casts:
        return node.op.grad(saved, *dys)
    with without_casting():
        return node.op.grad(saved, *dys)


def _complete(order: Iterable[Node], accumulator: GradientAccumulator) -> None:
    """Set the gradients of variables to zero that the heads depend on only non-differentiably."""
    for node in order:
        for x, entry in zip(node.inputs, node.entries, strict=True):
            if entry.__class__ is Leaf and entry not in accumulator:
                accumulator[entry] = _zeros_like(_relinked(x, entry))


def _zeros_like(array: Array | None) -> Array:
    zeros: Array = _dispatch.invoke(_ZEROS, (array,), _ZEROS.defaults)
    return zeros
