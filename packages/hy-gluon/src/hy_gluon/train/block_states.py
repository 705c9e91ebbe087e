"""Traces and hooks of blocks, to detect that they were replaced."""

from typing import Any, TypeAlias

from hy_gluon.block import Block, HybridBlock

__all__ = ["BlockState", "states_of"]

BlockState: TypeAlias = tuple[HybridBlock, Any, Any]
"""A block, its trace cache, which is replaced at every change, and its operator hook."""


# These objects are replaced by hybridize, cast and hooks, so a call only compares identities.
def states_of(block: HybridBlock | None) -> list[BlockState]:
    """Return trace cache and operator hook of every block inside ``block``, to detect changes."""
    states: list[BlockState] = []

    def note(each: Block) -> None:
        if isinstance(each, HybridBlock):
            states.append((each, each._hy_traces, each._hy_op_hook))

    if block is not None:
        for child in block._children.values():
            child.apply(note)
    return states
