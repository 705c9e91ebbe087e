"""Purity: which nodes have side effects."""

from hy_symbol.graph.node import Node

__all__ = ["is_pure", "is_user_code"]


def is_user_code(node: Node) -> bool:
    """Return whether a node runs a user's own code, which may keep references to its inputs."""
    return node.op is not None and node.op.traits.foreign


def is_pure(node: Node) -> bool:
    """Return whether a node always computes the same from the same inputs, without side effects.

    Random operators do not, nor do those that overwrite an input, nor the user's own, nor loops,
    whose bodies may hold such operators, nor does what makes an array of a size that its use tells.
    """
    op = node.op
    if op is None or node.bodies or is_user_code(node):
        return False
    shape = node.params.get("shape")  # of a distribution it may be a number
    if isinstance(shape, tuple) and None in shape:
        return False
    if op.updates is None and "rng" not in op.needs:  # as of most
        return True
    modes = (False, True)
    return not any(op.draws(node.params, m) or op.updated(node.params, m) for m in modes)
