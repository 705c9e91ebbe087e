"""Gradient arrays that compiled programs may use as out buffers in a backward pass."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import TypeAlias

from hy_ndarray.core._array import Array, Entry, Leaf, Node

_MIN_ELEMENTS = 1 << 14
"""Number of elements from which a copy costs more than the check whether it can be avoided."""

_OutBuffers: TypeAlias = dict[Entry | None, Array]


def gradient_buffers(order: Sequence[Node], heads: Sequence[Entry]) -> _OutBuffers:
    """Return the gradient arrays that programs may write during the backward pass.

    Args:
        order: The recorded nodes in topological order.
        heads: The tape entries at which the backward pass starts.
    """
    # Only for variables that a single program uses, so that no gradients are summed. The node that
    # the pass visits last may always write. Others may for large arrays, if these share no memory
    # with recorded arrays, which may still be read, and if no node can raise: a failing pass must
    # leave all gradients unchanged.
    outs: _OutBuffers = {}
    large: _OutBuffers = {}
    for leaf, (user, *others) in _users(order, heads).items():
        if others or user is None or not user.is_program:
            continue
        if leaf.req != "write":
            continue
        gradient = leaf.gradient() if leaf.grad is None else leaf.grad
        if not gradient._dense:
            continue
        if user is order[0]:
            outs[leaf] = gradient
        elif prod(gradient.shape) >= _MIN_ELEMENTS:
            large[leaf] = gradient
    both = outs | large
    if large and not any(map(_may_raise, order)) and _are_disjoint(order, [*both.values()]):
        return both
    return outs


def _users(order: Sequence[Node], heads: Sequence[Entry]) -> dict[Leaf, list[Node | None]]:
    """Return for each variable the nodes that use it; None stands for a variable that is a head."""
    users: dict[Leaf, list[Node | None]] = {}
    for head in heads:
        if isinstance(head, Leaf):
            users.setdefault(head, []).append(None)
    for node in order:
        for entry in {*node.entries}:
            if isinstance(entry, Leaf):
                users.setdefault(entry, []).append(node)
    return users


def _may_raise(node: Node) -> bool:
    """Return whether a node's backward may raise: it is user code, or there is no gradient."""
    if node.backward is not None:
        return not node.is_program
    return node.op is None or node.op.grad is None


def _are_disjoint(order: Sequence[Node], grads: Sequence[Array]) -> bool:
    """Return whether the gradients overlap neither recorded arrays nor each other in memory."""
    written = sorted(grad._device.memory.span(grad._data) for grad in grads)
    low, high = written[0][0], max(following for _, following in written)
    if any(following > first for (_, following), (first, _) in pairwise(written)):
        return False
    return not any(
        begin < following and first < end
        for first, following in _spans(order)
        if first < high and low < following
        for begin, end in written
    )


def _spans(order: Sequence[Node]) -> Iterator[tuple[int, int]]:
    """Yield the address ranges of the nodes' inputs and outputs."""
    for node in order:
        for x in node.inputs:
            if x is not None and x._dense:
                yield x._device.memory.span(x._data)
        for buffer in node.outputs:
            yield node.device.memory.span(buffer)
