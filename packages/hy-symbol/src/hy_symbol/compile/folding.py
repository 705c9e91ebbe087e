"""Constant folding: values that depend on no input, or on types only, computed once per plan."""

from collections.abc import Collection, Mapping, Sequence

from hy_ndarray import Buffer, Device, HyError, KernelError, kernel_arguments
from hy_symbol.graph.node import Entry, Node
from hy_symbol.graph.purity import is_pure
from hy_symbol.graph.rewriting import outputs_of
from hy_symbol.infer.engine import Types

__all__ = ["folded", "refolded", "type_followers"]

_MAX_BYTES = 1 << 20  # of a constant that is kept between calls


def type_followers(steps: Sequence[Node], returned: Collection[Entry], types: Types) -> list[Node]:
    """Return the nodes whose values depend only on their inputs' types, such as ``ones_like``.

    Empty if any step has side effects, as steps before a folded node are left out.

    Args:
        steps: All nodes, inputs before users.
        returned: Entries that are outputs; these are never folded.
        types: Types of all entries.
    """
    followers = [
        node
        for node in steps
        if node.op is not None
        and node.op.traits.by_types
        # Computed on memory of the inputs' sizes, for a moment.
        and all(_is_small(entry, types) for entry in (*node.inputs, *outputs_of(node)))
        and not any(entry in returned for entry in outputs_of(node))
    ]
    return followers if all(is_pure(node) for node in steps if followers) else []


def folded(
    leaves: Sequence[Node],
    steps: Sequence[Node],
    returned: Collection[Entry],
    device: Device,
    known: Types,
    types: Types,
) -> dict[Entry, Buffer]:
    """Return the values of ``leaves`` and of small results that depend only on these or on nothing.

    Args:
        leaves: Nodes of :func:`type_followers`.
        steps: The other nodes, inputs before users.
        returned: Entries that are outputs. These are not folded: all calls would return the same
            array, to which the user may write.
        device: The device on which they are computed.
        known: Types of all entries.
        types: The same types, possibly guarded: queried for decisions on which the plan depends.

    Raises:
        KernelError: A kernel failed; names the node.
    """
    values: dict[Entry, Buffer] = {}
    for node in leaves:
        _add_results(node, device, known, values)
    for node in steps:
        op = node.op
        assert op is not None
        if (
            any(entry not in values for entry in node.inputs)
            or op.needs - {"device"}
            or not is_pure(node)
            or op.traits.shares
            or any(entry in returned or not _is_small(entry, types) for entry in outputs_of(node))
        ):
            continue
        _add_results(node, device, known, values)
    return values


def refolded(values: Mapping[Entry, Buffer], device: Device, types: Types) -> dict[Entry, Buffer]:
    """Return the constants for other types, in the same order; recompute where types matter.

    Raises:
        KernelError: A kernel failed; names the node.
    """
    fresh: dict[Entry, Buffer] = {}
    changed: set[Node] = set()
    for (node, i), value in values.items():
        assert node.op is not None
        if node.op.traits.by_types or any(source in changed for source, _ in node.inputs):
            changed.add(node)
            if i == 0:
                _add_results(node, device, types, fresh)
        else:
            fresh[node, i] = value
    return fresh


def _is_small(entry: Entry, types: Types) -> bool:
    """Return whether an entry is of known type, not empty, and small enough to be kept."""
    return types.exceed(entry, 0) and not types.exceed(entry, _MAX_BYTES)


def _add_results(node: Node, device: Device, types: Types, values: dict[Entry, Buffer]) -> None:
    """Compute a node and add its results to ``values``; inputs without a value are empty arrays.

    Raises:
        KernelError: The kernel failed; names the node.
    """
    op = node.op
    assert op is not None
    inputs = []
    for entry in node.inputs:
        value = values.get(entry)
        if value is None:
            type_ = types.whole(entry)
            assert type_ is not None
            value = device.memory.empty(*type_, device.handle)
        inputs.append(value)
    kernel = op.kernel_on(device, is_train=False)
    try:
        more = kernel_arguments(op, device, False)
        results = kernel(*node.operands(inputs), **node.params, **more)
    except HyError:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        failed = KernelError(f"{op.name} '{node.name}': the kernel failed on constants: {what}")
        if node.where:
            failed.add_note(f"node made at {node.where}")
        raise failed from error
    buffers = results if isinstance(results, tuple) else (results,)
    values.update({(node, i): value for i, value in enumerate(buffers)})
