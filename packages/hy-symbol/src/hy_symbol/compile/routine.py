"""Routine: a plan as a list of instructions on named values, from which code is generated."""

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from hy_ndarray import Buffer
from hy_symbol.compile.fusing import Group
from hy_symbol.compile.linking import Linked
from hy_symbol.compile.plan import Unit
from hy_symbol.graph.node import Entry, Node

__all__ = ["Instruction", "Routine"]


@dataclass(slots=True, eq=False)
class Instruction:
    """Kernel call or reshape of named values; without targets, an alias that needs no code."""

    unit: Unit
    """The unit of the plan that it carries out."""
    number: int
    """Position of the unit's last step."""
    targets: tuple[str, ...] = ()
    """Names of the results."""
    kernel: str = ""
    """Name of the kernel; without one, the result is a view of the only operand."""
    operands: Sequence[str | None] = ()
    """Names of the operands; None for omitted ones."""
    params: Mapping[str, Any] | None = None
    needs: Sequence[str] = ()
    """Further arguments of the kernel: ``device``, ``is_train``, ``rng``."""
    out: tuple[str | None, ...] = ()
    """Names of the out buffers; empty without any."""
    updated: Sequence[str] = ()
    """Names of the operands into which further results are written."""
    frees: Sequence[str] = ()
    """Names of values that are not needed any more."""

    @property
    def returns_tuple(self) -> bool:
        """Return whether the kernel returns its results as a tuple."""
        return len(self.targets) + len(self.updated) > 1 or self.unit.group is not None


class Routine:
    """A plan as instructions on named values.

    ``x0`` is an input, ``c0`` a constant, ``t3_0`` the first result of step 3, ``a5`` an out
    buffer.

    Args:
        linked: The plan and its kernels.
        out_buffers: Index of the out buffer of each entry that is written to one.
    """

    def __init__(self, linked: Linked, out_buffers: Mapping[Entry, int] | None = None) -> None:
        plan = linked.plan
        self.linked = linked
        self.has_out_buffers = out_buffers is not None
        self.names: dict[Entry, str] = {}
        """Names of the values."""
        self.constants: dict[str, Buffer] = {}
        self._out_buffers = {entry: f"a{number}" for entry, number in (out_buffers or {}).items()}
        self._holders: Counter[str] = Counter()
        self.arguments = tuple(
            self._write_to(entry, f"x{i}") for i, entry in enumerate(plan.inputs)
        )
        """Names of the inputs."""
        self.memory = tuple(self._out_buffers.values())
        """Names of the out buffers."""
        for i, (entry, value) in enumerate(plan.constants.items()):
            self.constants[self._write_to(entry, f"c{i}")] = value
        self.instructions = [self._instruction(unit) for unit in plan.units]
        """Instructions in order, one for each unit of the plan."""
        self.results = tuple(self.names[entry] for entry in plan.outputs)
        """Names of the outputs."""

    def finished(self) -> dict[int, list[int]]:
        """Return by number of an instruction the positions of the outputs that it computes.

        Outputs that are inputs or constants are in none.
        """
        plan = self.linked.plan
        number_of = {plan.steps[k]: i for i, unit in enumerate(plan.units) for k in unit.steps}
        finished: dict[int, list[int]] = {}
        for position, (node, _) in enumerate(plan.outputs):
            if node in number_of:
                finished.setdefault(number_of[node], []).append(position)
        return finished

    def like(self, linked: Linked) -> "Routine":
        """Return the same instructions with other kernels, for other sizes."""
        copied = copy(self)
        copied.linked = linked
        copied.constants = dict(zip(self.constants, linked.plan.constants.values(), strict=True))
        linked.scope.update(copied.constants)
        return copied

    def _instruction(self, unit: Unit) -> Instruction:
        if unit.group is not None:
            instruction = self._fused(unit, unit.group)
        else:
            (k,) = unit.steps
            node = self.linked.plan.steps[k]
            if unit.how == "same":
                self._write_to((node, 0), self.names[node.inputs[0]])
                instruction = Instruction(unit, k)
            elif (node, 0) in self._out_buffers and unit.how == "view":
                self._write_to((node, 0), self._out_buffers[node, 0])
                instruction = Instruction(unit, k)
            elif unit.how == "view":
                source = self.names[node.inputs[0]]
                instruction = Instruction(unit, k, (self._target(node, k, 0),), operands=(source,))
            else:
                instruction = self._step_instruction(unit, k, node)
        if unit.dead:
            instruction.frees = self._freed(unit)
        return instruction

    def _step_instruction(self, unit: Unit, k: int, node: Node) -> Instruction:
        op, name = node.op, f"k{k}"
        assert op is not None
        operands = node.operands([self.names[entry] for entry in node.inputs])
        instruction = Instruction(unit, k, kernel=name, operands=operands, needs=sorted(op.needs))
        if name not in self.linked.bound and not node.is_region:
            instruction.params = node.params
        if unit.over is not None:
            instruction.out = (self.names[node.inputs[unit.over]],)
        elif self._out_buffers:
            out_buffers = tuple([self._out_buffers.get((node, i)) for i in range(node.num_outputs)])
            if any(out_buffers):
                instruction.out = out_buffers
        count = node.num_outputs
        # Eager calls have bound kernels without optional results, which save what these would cost.
        if k in self.linked.by_params and not instruction.out and self._shows_one(unit, node):
            instruction.kernel, instruction.params, instruction.needs, count = f"b{k}", None, (), 1
        instruction.targets = tuple([self._target(node, k, i) for i in range(count)])
        if op.updates is not None:
            positions = op.updated(node.params, self.linked.plan.is_train)
            instruction.updated = [operands[position] for position in positions]
        return instruction

    def _shows_one(self, unit: Unit, node: Node) -> bool:
        """Return whether no result of a node except the first is used."""
        return all((node, i) in unit.dead for i in range(1, node.num_outputs))

    def _fused(self, unit: Unit, group: Group) -> Instruction:
        steps = self.linked.plan.steps
        operands = [self.names[entry] for entry in group.inputs]
        memory = []
        for j, k in enumerate(group.results):
            over = group.over.get(j)
            memory.append(self._out_buffers.get((steps[k], 0)) if over is None else operands[over])
        last = group.steps[-1]
        targets = tuple(self._target(steps[k], k, 0) for k in group.results)
        out = tuple(memory) if any(memory) else ()
        return Instruction(
            unit, number=last, targets=targets, kernel=f"f{last}", operands=operands, out=out
        )

    def _write_to(self, entry: Entry, name: str) -> str:
        self.names[entry] = name
        self._holders[name] += 1
        return name

    def _target(self, node: Node, k: int, i: int) -> str:
        return self._write_to((node, i), f"t{k}_{i}")

    def _freed(self, unit: Unit) -> Sequence[str]:
        """Return the names of the values whose last use is in a unit."""
        # A view and its source are two names of one buffer: a name goes with its last holder.
        dead = [self.names[entry] for entry in unit.dead if entry in self.names]
        for name in dead:
            self._holders[name] -= 1
        return sorted({name for name in dead if not self._holders[name]})
