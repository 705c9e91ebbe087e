"""Purity: which nodes have side effects."""

from hy_symbol.graph.node import Node

__all__ = ["is_pure", "is_user_code"]


def is_user_code(node: Node) -> bool:
    """Return whether a node runs user code, which may keep references to its inputs."""
    return node.op is not None and node.op.traits.foreign


def is_pure(node: Node) -> bool:
    """Return whether a node is deterministic and has no side effects.

    Not pure are random operators, operators that overwrite an input, custom operators, loops and
    branches, whose bodies may contain such operators, and creation operators with unknown sizes,
    which depend on how the result is used.
    """
    op = node.op
    if op is None or node.bodies or is_user_code(node):
        return False
    # Two equal creations of unknown size may get different sizes from their uses, so must not be
    # merged.
    shape = node.params.get("shape")  # of a distribution it may be a number
    if isinstance(shape, tuple) and None in shape:
        return False
    if op.updates is None and "rng" not in op.needs:  # as of most
        return True
    modes = (False, True)
    return not any(op.draws(node.params, m) or op.updated(node.params, m) for m in modes)
