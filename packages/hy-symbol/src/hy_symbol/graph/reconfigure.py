"""Changes attributes of existing nodes: annotations and parameters."""

from collections.abc import Mapping

from hy_ndarray import ArgumentError, custom
from hy_ndarray.ops import Operator
from hy_symbol._errors import GraphError
from hy_symbol.graph.attribute import hidden
from hy_symbol.graph.control import check
from hy_symbol.graph.node import REGION, Node

__all__ = ["set_attributes"]


def set_attributes(node: Node, changes: Mapping[str, str]) -> None:
    """Set annotations ``__key__`` and parameters of a node.

    If one of them is invalid, none is changed.

    Raises:
        ArgumentError: A key is not a parameter of the operator, its text is malformed, or the
            inputs or outputs of the node would change.
        GraphError: A value is not a string.
    """
    for key, value in changes.items():
        if not isinstance(value, str):
            raise GraphError(f"attribute {key}={value!r} must be a string")
    attrs = {hidden(key): value for key, value in changes.items()}
    params = {
        key: value
        for key, value in attrs.items()
        if not (key.startswith("__") and key.endswith("__"))
    }
    if node.op is None or not params:
        node.attrs.update(attrs)
        return
    # A new node is validated first, so that an error leaves the old one as it was.
    merged = {**node.attrs, **attrs}
    try:
        op = _changed_operator(node.op, params, merged)
        parsed = op.parse({key: value for key, value in merged.items() if key in op.params})
        fresh = Node(op, node.name, node.inputs, merged, parsed, node.bodies)
        _check_unchanged(node, fresh)
    except ArgumentError as error:
        error.add_note(f"setting {params} of node '{node.name}'")
        raise
    node.become(fresh)


def _changed_operator(
    op: Operator, params: Mapping[str, str], merged: Mapping[str, str]
) -> Operator:
    """Return the operator for changed parameters; for ``Custom`` that is another one."""
    if op.name in custom.NAMES:
        return custom.custom_operator(merged)
    for key in params if op.params or op.name == REGION else ():
        if key not in op.params and key != op.count:
            known = ", ".join(op.params) or "none"
            raise ArgumentError(
                f"{op.name}: {key!r} is no parameter ({known}); call an annotation '__{key}__'"
            )
    return op


def _check_unchanged(node: Node, fresh: Node) -> None:
    """Raise an error if new parameters change a node's inputs or outputs."""
    op = fresh.op
    assert op is not None
    assert node.op is not None
    count = fresh.attrs.get(op.count or "")
    if op.variadic and count not in (None, str(len(node.inputs))):
        raise ArgumentError(f"{op.name}: {op.count}={count!r}, it has {len(node.inputs)} inputs")
    if not op.variadic:
        before, after = (x.active_inputs(n.params) for x, n in ((node.op, node), (op, fresh)))
        if before != after or node.op.aux != op.aux:
            raise ArgumentError(f"{op.name}: it has inputs {before}, and would have {after}")
    if (node.num_outputs, node.num_visible) != (fresh.num_outputs, fresh.num_visible):
        raise ArgumentError(
            f"{op.name}: it has {node.num_outputs} outputs, and would have {fresh.num_outputs}"
        )
    if node.is_control_flow:
        check(fresh)
