"""Planning: makes a program's plan from its graph and types."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf
from typing import Literal, TypeAlias

from hy_ndarray import Device
from hy_ndarray.ops import Operator
from hy_symbol.compile.folding import folded, type_followers
from hy_symbol.compile.fusing import Group, groups_of, has_kernel, is_elementwise, number_groups
from hy_symbol.compile.plan import Plan, Storage, Unit
from hy_symbol.graph.node import Entry, Node, topological
from hy_symbol.graph.purity import is_user_code
from hy_symbol.infer.engine import Types
from hy_symbol.infer.type_guards import GuardedTypes, TypeGuards

__all__ = ["plan"]

Out: TypeAlias = Literal["none", "apart", "in place"]
"""The ``out=`` of a result: none; memory that its kernel may leave unused, or that it writes to."""


def plan(
    inputs: Sequence[Entry],
    outputs: Sequence[Entry],
    device: Device,
    *,
    is_train: bool,
    types: Types | None = None,
    visible: int | None = None,
    guards: TypeGuards | None = None,
    donated: Collection[int] = (),
) -> Plan:
    """Return the plan that computes ``outputs`` from ``inputs``.

    With ``types``, the plan is optimised for this signature: constants are folded, elementwise
    steps on large arrays are fused, other elementwise steps overwrite an operand that is no longer
    needed, and reshapes and redundant copies become views. Without types, every step is a kernel
    call, and each value is freed after its last use.

    Args:
        inputs: Entries that each run is given.
        outputs: Entries that each run returns.
        device: The device on which the plan runs.
        is_train: Whether operators compute as in training.
        types: Types of all entries, if known.
        visible: Number of leading outputs that the user gets (all if None); these share memory with
            no input and no other output.
        guards: Records the queries of ``types``, so that the plan can be reused for other types.
        donated: Positions of the inputs that may be overwritten, and returned as outputs.
    """
    steps = _scheduled(inputs, outputs)
    result = Plan(tuple(inputs), tuple(outputs), device, is_train, types, steps, [])
    if types is None:
        result.units = [Unit((k,)) for k in range(len(steps))]
        _mark_dead(result)
        return result
    known = types
    # How custom operators, loops and regions use sizes cannot be recorded as guards.
    if guards is not None and all(node.op is not None and has_kernel(node.op) for node in steps):
        result.guards, types = guards, GuardedTypes(types, guards)
    returned = set(outputs)
    # Nodes that only these depend on are not steps.
    leaves = type_followers(steps, returned, types)
    if leaves:
        result.steps = steps = _scheduled((*inputs, *((node, 0) for node in leaves)), outputs)
    result.constants = folded(leaves, steps, returned, device, known, types)
    free = [k for k, node in enumerate(steps) if (node, 0) not in result.constants]
    groups = groups_of(steps, free, returned, device, types)
    if result.guards is None:  # what serves other sizes has no groups
        fused = {k for group in groups for k in group.steps}
        rest = [k for k in free if k not in fused]
        groups += number_groups(steps, rest, returned, device, types)
    result.units = _units(free, groups)
    planner = _Planner(result, types=types, visible=set(outputs[:visible]), last=_mark_dead(result))
    planner.run(donated)
    return result


def _scheduled(inputs: Sequence[Entry], outputs: Sequence[Entry]) -> list[Node]:
    order = topological(outputs, set(inputs).__contains__)
    missing = [node.name for node in order if node.op is None]
    assert not missing, f"program needs variables that are not given: {missing}"
    return order


def _units(free: Sequence[int], groups: Sequence[Group]) -> list[Unit]:
    """Return the units in order: single steps, and fused groups in place of their last step."""
    of_step = {k: group for group in groups for k in group.steps}
    units = []
    for k in free:
        group = of_step.get(k)
        if group is None:
            units.append(Unit((k,)))
        elif k == group.steps[-1]:
            units.append(Unit(tuple(group.steps), "fused", group=group))
    return units


def _mark_dead(plan: Plan) -> dict[Entry, float]:
    """Return the last unit that uses each entry, and list the entry in that unit's ``dead``."""
    units, steps, constants = plan.units, plan.steps, plan.constants
    last: dict[Entry, float] = dict.fromkeys(plan.inputs, -1)
    for u, unit in enumerate(units):
        # All results first: one that nobody uses is dead after the unit that makes it.
        for k in unit.steps:
            for i in range(steps[k].num_outputs):
                last[steps[k], i] = u
        for k in unit.steps:
            for entry in steps[k].inputs:
                if entry not in constants:
                    last[entry] = u
    for entry in plan.outputs:
        last[entry] = inf
    inner = {
        key for unit in units if unit.group is not None for key in unit.group.inner_keys(steps)
    }
    for key, end in last.items():
        if 0 <= end < inf and key not in inner:
            units[int(end)].dead.append(key)
    return last


def _out_support(node: Node, op: Operator, device: Device, types: Types) -> Out:
    """Return how a node's kernel supports ``out=``, for operands of these types."""
    if not has_kernel(op):
        return "none"
    if not is_elementwise(op, device):
        return "apart" if device.kernels.record(op.kernel).out in ("apart", "first") else "none"
    own = types.dtype((node, 0))  # it is computed in place where the operands are of this dtype
    same = node.num_outputs == 1 and all(types.dtype(entry) == own for entry in node.inputs)
    return "in place" if same else "none"


class _Planner:
    """Assigns buffers to entries in one walk over the units, by liveness."""

    def __init__(
        self, plan: Plan, types: Types, visible: set[Entry], last: Mapping[Entry, float]
    ) -> None:
        self.plan = plan
        self.steps = plan.steps
        self.device = plan.device
        self.types = types
        self.returned = set(plan.outputs)
        self.visible = visible
        self.last = last
        self.storages = plan.storages
        self.storage_of: dict[Entry, Storage] = {}
        plan.storage_of = self.storage_of

    def run(self, donated: Collection[int]) -> None:
        for i, entry in enumerate(self.plan.inputs):
            self._new_storage(entry, -1, owned=False).donated = i in donated
        cached = Storage(owned=False, first=-1, protected=True)
        self.storage_of.update(dict.fromkeys(self.plan.constants, cached))
        self._keep_updated()
        for u, unit in enumerate(self.plan.units):
            if unit.group is not None:
                self._fused(u, unit.group)
            else:
                self._plan_step(u, unit, self.steps[unit.steps[0]])

    def _new_storage(
        self, entry: Entry, unit: int, *, owned: bool = True, out: Out = "none"
    ) -> Storage:
        """Create the buffer of an entry; ``out``: how its kernel supports an out buffer."""
        storage = Storage(owned, unit)
        dtype = self.types.dtype(entry)
        is_supported = out != "none" and dtype in self.device.limits.dtypes
        if dtype and is_supported and self.types.exceed(entry, 0):
            storage.dtype = dtype
            storage.outs.append(entry)
            storage.fills = out == "in place"
        self.storages.append(storage)
        self._name(storage, entry)
        return storage

    def _name(self, storage: Storage, entry: Entry) -> None:
        """Assign ``entry`` to an existing buffer, and extend the buffer's lifetime."""
        storage.entries.append(entry)
        storage.last = max(storage.last, self.last[entry])
        storage.returned |= entry in self.returned
        storage.visible |= entry in self.visible
        self.storage_of[entry] = storage

    def _keep_updated(self) -> None:
        """Protect inputs that a step updates, as views of them would change too."""
        for node in self.steps:
            op = node.op
            assert op is not None
            if op.updates is None:
                continue
            operands = node.operands(node.inputs)
            for position in op.updated(node.params, self.plan.is_train):
                storage = self.storage_of.get(operands[position])
                if storage is not None:
                    storage.protected = True

    # --- single steps -----------------------------------------------------------------------

    def _plan_step(self, u: int, unit: Unit, node: Node) -> None:
        op = node.op
        assert op is not None
        if self._as_view(unit, node, op) or self._in_place(u, unit, node, op):
            return
        out = _out_support(node, op, self.device, self.types)
        for i in range(node.num_outputs):
            self._new_storage((node, i), u, out=out)
        # Such a kernel may return its first input as its result.
        shares = op.traits.shares and not self.types.differ((node, 0), node.inputs[0])
        if is_user_code(node) or shares:
            for key in (
                *node.inputs,
                *((node, i) for i in range(node.num_outputs)),
            ):
                self.storage_of[key].protected = True

    def _holds_the_first(self, node: Node, op: Operator) -> bool:
        """Return whether the result has the same elements as the first input, and is not empty."""
        traits, types = op.traits, self.types
        is_same = traits.identity and traits.draws is None
        if not (traits.view or is_same or traits.resized):
            return False
        key, source = (node, 0), node.inputs[0]
        if not types.exceed(key, 0) or types.dtype(key) != types.dtype(source):
            return False
        if is_same:
            return types.are_of_one_shape(key, source)
        return traits.view or types.are_of_one_size(key, source)

    def _as_view(self, unit: Unit, node: Node, op: Operator) -> bool:
        """Make the result a view of the first input if possible, and return whether it is."""
        if not self._holds_the_first(node, op):
            return False
        source, key = node.inputs[0], (node, 0)
        storage = self.storage_of[source]
        if storage.protected:
            return False
        same = self.types.are_of_one_shape(key, source)
        # Users may write to what they get: it shares memory with no input and no other output.
        if key in self.visible and (storage.returned or not (storage.owned or storage.donated)):
            return False
        if key in self.returned and storage.visible:
            return False
        unit.how = "same" if same else "view"
        if storage.outs and not same:
            storage.outs.append(key)
        self._name(storage, (node, 0))
        return True

    def _in_place(self, u: int, unit: Unit, node: Node, op: Operator) -> bool:
        """Write the result over an operand that no later step uses, if possible."""
        entry, limits = (node, 0), self.device.limits
        small = limits.small_bytes if self.plan.guards is None else 0  # else of many sizes
        if (
            node.num_outputs != 1
            or not self.types.exceed(entry, small)
            or self.types.dtype(entry) not in limits.dtypes
        ):
            return False
        for position, source in self._operands_to_overwrite(node, op):
            if self._may_overwrite(u, source, entry, node.inputs):
                unit.how, unit.over = "in place", position
                self._name(self.storage_of[source], entry)
                return True
        return False

    def _operands_to_overwrite(self, node: Node, op: Operator) -> Iterable[tuple[int, Entry]]:
        """Return those operands, with their positions, that the kernel takes as out buffer."""
        if is_elementwise(op, self.device):
            return enumerate(node.inputs)
        if not has_kernel(op) or self.device.kernels.record(op.kernel).out != "first":
            return ()
        first, *others = node.inputs
        storage = self.storage_of[first]
        return () if any(self.storage_of[x] is storage for x in others) else [(0, first)]

    def _may_overwrite(self, u: int, source: Entry, result: Entry, others: Iterable[Entry]) -> bool:
        storage = self.storage_of[source]
        return (
            (storage.owned or storage.donated)
            and not storage.protected
            and storage.last <= u
            and self.types.have_same_type(source, result)
            # An operand in the same buffer but another shape, as one that broadcasts, would be read
            # after some of it was written over.
            and all(
                self.types.have_same_type(other, result)
                for other in others
                if self.storage_of[other] is storage
            )
            and self.types.rank(result) != 0  # kernels may give numbers, which nothing is put into
        )

    # --- fused steps ------------------------------------------------------------------------

    def _fused(self, u: int, group: Group) -> None:
        """Let results of a fused group overwrite inputs that no later step of the group reads."""
        taken: set[int] = set()
        for j, position in enumerate(group.results):
            result = (self.steps[position], 0)
            for i, source in enumerate(group.inputs):
                if (
                    i not in taken
                    and group.last_read(self.steps, source) <= position
                    and self._may_overwrite(u, source, result, group.inputs)
                ):
                    taken.add(i)
                    group.over[j] = i
                    self._name(self.storage_of[source], result)
                    break
            else:
                self._new_storage(result, u, out="in place")
