"""Out buffers of gradients that a backward pass may write directly."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import TypeAlias

from hy_ndarray.core._array import Array, Entry, Leaf, Node

__all__ = ["places"]

_LARGE = 1 << 14
"""Elements from which on a copy costs more than to look whether it is needed."""

_Places: TypeAlias = dict[Entry | None, Array]


def places(order: Sequence[Node], heads: Sequence[Entry]) -> _Places:
    """The arrays in which programs may compute gradients before the walk is at its end.

    A program may that alone takes a variable, so that what it gives is all: the walk's last node,
    and others for large arrays, where nothing that was recorded lies in these, as it may still be
    read, and where no node can raise errors of its own, so that all gradients are new or none.

    Args:
        order: The nodes, each behind those it depends on.
        heads: Where the walk begins.
    """
    outs: _Places = {}
    large: _Places = {}
    for leaf, (user, *others) in _users(order, heads).items():
        if others or user is None or not user.is_program:
            continue
        if leaf.req != "write" or not leaf.grad._dense:
            continue
        if user is order[0]:
            outs[leaf] = leaf.grad
        elif prod(leaf.grad.shape) >= _LARGE:
            large[leaf] = leaf.grad
    both = outs | large
    if large and not any(map(_may_raise, order)) and _lie_apart(order, [*both.values()]):
        return both
    return outs


def _users(order: Sequence[Node], heads: Sequence[Entry]) -> dict[Leaf, list[Node | None]]:
    """The nodes that take a variable, and None where it is a head."""
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
    """Whether going through a node may fail: of a function in Python, and where there is no way."""
    if node.backward is not None:
        return not node.is_program
    return node.op is None or node.op.grad is None


def _lie_apart(order: Sequence[Node], grads: Sequence[Array]) -> bool:
    """Whether gradients share memory with nothing that was recorded, nor with each other."""
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
    """Return the memory spans of what the nodes took and returned."""
    for node in order:
        for x in node.inputs:
            if x is not None and x._dense:
                yield x._device.memory.span(x._data)
        for buffer in node.outputs:
            yield node.device.memory.span(buffer)
