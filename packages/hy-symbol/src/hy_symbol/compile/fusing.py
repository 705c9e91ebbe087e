"""Fusion: selects the pointwise steps that become one kernel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hy_ndarray import Device, PointwiseGroup, PointwiseStep
from hy_ndarray.ops import Operator
from hy_symbol.graph.node import Entry, Node
from hy_symbol.infer.engine import Types

__all__ = ["Group", "groups_of", "is_elementwise", "number_groups"]

_MIN_STEPS = 4  # steps on numbers: of fewer, what makes numbers of arrays and back takes as long


def has_kernel(op: Operator) -> bool:
    """Return whether kernel tables implement an operator; not a custom one, loop or region."""
    return type(op) is Operator and bool(op.kernel)


def is_elementwise(op: Operator, device: Device) -> bool:
    """Return whether the device's kernel is elementwise and accepts out buffers."""
    return has_kernel(op) and device.kernels.record(op.kernel).pointwise


@dataclass(slots=True, eq=False)
class Group:
    """Pointwise steps that are fused into one kernel, all of one shape and dtype."""

    steps: list[int]
    """Positions of the steps, in order."""
    shape: tuple[int, ...]
    """Shape of every operand and result."""
    dtype: str
    inputs: list[Entry] = field(default_factory=list)
    """Entries that the steps read and that are computed outside of the group."""
    results: list[int] = field(default_factory=list)
    """Positions of the steps whose result is used outside of the group."""
    over: dict[int, int] = field(default_factory=dict)
    """Index of the input whose buffer a result overwrites, by index of the result."""

    def inner_keys(self, steps: Sequence[Node]) -> list[Entry]:
        """Return the values that exist only inside the fused kernel."""
        return [(steps[k], 0) for k in self.steps if k not in self.results]

    def as_data(self, steps: Sequence[Node]) -> PointwiseGroup:
        """Return the group as plain data for the kernel table."""
        number = {entry: value for value, entry in enumerate(self.inputs)}
        records = []
        for k in self.steps:
            op = steps[k].op
            assert op is not None
            operands = tuple(number[entry] for entry in steps[k].inputs)
            records.append(PointwiseStep(op.kernel, operands, steps[k].params))
            number[steps[k], 0] = len(number)
        results = tuple(number[steps[k], 0] for k in self.results)
        return PointwiseGroup(
            len(self.inputs), steps=tuple(records), results=results, type=(self.shape, self.dtype)
        )

    def last_read(self, steps: Sequence[Node], entry: Entry) -> int:
        """Return the position of the last step that reads an input of the group."""
        return max(k for k in self.steps if entry in steps[k].inputs)


def groups_of(
    steps: Sequence[Node],
    free: Sequence[int],
    returned: set[Entry],
    device: Device,
    types: Types,
) -> list[Group]:
    """Return groups of pointwise steps on large arrays of one type, to be fused at their last step.

    Empty if no kernel table of the device fuses.

    Args:
        steps: The nodes, in order.
        free: Positions of the steps that run in each call, constants excluded.
        returned: Entries that are outputs of the program.
        device: The device on which the steps run.
        types: Types of all entries.
    """
    if device.fuses is None:
        return []
    uses = _uses(steps, free)
    position = {steps[k]: k for k in free}
    of_step: dict[int, Group] = {}
    for k in free:
        if not _runs_by_block(steps[k], device, types, device.limits.fusion_size):
            continue
        type_ = types.get((steps[k], 0))
        shape, dtype = type_
        of_step[k] = Group([k], tuple(n for n in shape or () if n is not None), dtype or "")
        for source, _ in steps[k].inputs:
            other = of_step.get(position.get(source, -1))
            own_group = of_step[k]
            if other is None or other is own_group or types.get((source, 0)) != type_:
                continue
            # The joined group runs where its last step stands: it may hold no value that another
            # step needs before that.
            members = sorted({*other.steps, *own_group.steps})
            if len(members) <= device.limits.fusion_steps and all(
                _is_used_within(steps[m], uses, members, k) for m in members
            ):
                own_group.steps = members
                of_step.update(dict.fromkeys(members, own_group))
    groups = list({id(group): group for group in of_step.values() if len(group.steps) > 1}.values())
    for group in groups:
        _complete(group, steps, uses, returned)
    return groups


def number_groups(
    steps: Sequence[Node],
    free: Sequence[int],
    returned: set[Entry],
    device: Device,
    types: Types,
) -> list[Group]:
    """Return groups of consecutive pointwise steps on arrays with one element, to be fused.

    The arguments are those of :func:`groups_of`; ``free`` excludes steps that are fused already.
    """
    if device.fuses is None or device.limits.fusion_size <= 1:  # else there are groups of all sizes
        return []
    groups: list[Group] = []
    last = -1
    # Only neighbours join: what lies between would have to move, and at 0.04 µs a step there is
    # nothing to win by looking for more.
    for order, k in enumerate(free):
        node = steps[k]
        if not (
            node.op is not None and has_kernel(node.op) and node.op.kernel in device.fuses.numbers
        ):
            continue
        shape, dtype = types.get((node, 0))
        if (
            shape is None
            or any(n != 1 for n in shape)
            or not _runs_by_block(node, device, types, 1)
        ):
            continue
        sizes = (1,) * len(shape)
        if groups and last == order - 1 and (groups[-1].shape, groups[-1].dtype) == (sizes, dtype):
            groups[-1].steps.append(k)
        else:
            groups.append(Group([k], shape=sizes, dtype=dtype or ""))
        last = order
    groups = [group for group in groups if len(group.steps) >= _MIN_STEPS]
    uses = _uses(steps, free)
    for group in groups:
        _complete(group, steps, uses, returned)
    return groups


def _uses(steps: Sequence[Node], free: Sequence[int]) -> dict[Entry, list[int]]:
    """Return the positions of the steps that read each entry."""
    uses: dict[Entry, list[int]] = {}
    for k in free:
        for entry in steps[k].inputs:
            uses.setdefault(entry, []).append(k)
    return uses


def _runs_by_block(node: Node, device: Device, types: Types, size: int) -> bool:
    """Return whether a step can be fused: pointwise, all operands and the result of one type.

    The result must have at least ``size`` elements.
    """
    op, result = node.op, (node, 0)
    assert op is not None
    return (
        not op.needs
        and op.updates is None
        and bool(node.inputs)
        and node.num_outputs == 1
        and (op.variadic or len(node.inputs) == len(op.inputs))
        and types.have_elements(result, size)
        and types.dtype(result) in device.limits.dtypes
        and all(types.have_same_type(entry, result) for entry in node.inputs)
        and is_elementwise(op, device)
        and device.fuses is not None
        and device.fuses.find(op.kernel) is not None
    )


def _is_used_within(
    node: Node, uses: Mapping[Entry, Sequence[int]], members: Sequence[int], end: int
) -> bool:
    """Return whether all users of a node's result before step ``end`` are among ``members``."""
    return all(k >= end or k in members for k in uses.get((node, 0), ()))


def _complete(
    group: Group,
    steps: Sequence[Node],
    uses: Mapping[Entry, Sequence[int]],
    returned: set[Entry],
) -> None:
    members = set(group.steps)
    computed = {steps[k] for k in group.steps}
    seen: dict[Entry, None] = {}
    for k in group.steps:
        for source, i in steps[k].inputs:
            if source not in computed:
                seen[source, i] = None
        # All other values exist for one block of elements at a time, and never in memory.
        key = (steps[k], 0)
        if key in returned or any(user not in members for user in uses.get(key, ())):
            group.results.append(k)
    group.inputs = list(seen)
