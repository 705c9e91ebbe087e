"""Failures: errors for users when a kernel has failed."""

from collections.abc import Sequence

from hy_ndarray import HyError, IndexingError, kernel_failure
from hy_ndarray.ops import TensorType
from hy_symbol.graph.node import Node

__all__ = ["explained_failure", "note_node"]


def explained_failure(error: Exception, node: Node, inputs: Sequence[TensorType]) -> HyError:
    """Return the error to raise for a failed kernel: the type rule's error if it finds one.

    Args:
        error: The exception that the kernel raised.
        node: The node that it computed.
        inputs: Types of the kernel's operands.
    """
    op = node.op
    assert op is not None
    shown = ", ".join(repr(t) for t in inputs)
    explained: HyError = kernel_failure(f"{op.name} '{node.name}'", shown, error)
    if isinstance(error, IndexError) and not op.traits.foreign:  # code of the user's names its own
        explained = IndexingError(f"{op.name} '{node.name}': {error}")
    if not node.is_region:  # of a region its backend failed: there is no rule to ask
        try:
            op.infer(node.operands(inputs), node.params, node=node.name)
        except HyError as rule:
            explained = rule
    if node.where:
        explained.add_note(f"node made at {node.where}")
    return explained


def note_node(error: HyError, node: Node) -> None:
    """Add a node's name, and the line that made it, as a note to an error."""
    created_at = f", made at {node.where}" if node.where else ""
    error.add_note(f"in node '{node.name}'{created_at}")
