"""Explanation: the steps of a program as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TypeAlias

import numpy as np

from hy_ndarray import Buffer, Device
from hy_symbol.compile.arena import Arena
from hy_symbol.compile.fusing import has_kernel
from hy_symbol.compile.plan import Unit
from hy_symbol.execution.batch_split import Sliced
from hy_symbol.execution.captured_pair import CapturedPair
from hy_symbol.execution.differentiable import Differentiable
from hy_symbol.execution.executable import Executable
from hy_symbol.execution.memory import Memory, memory_of
from hy_symbol.execution.program import Program
from hy_symbol.execution.tiers import Tier
from hy_symbol.graph.node import Entry, Node
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.regions.running import RunningRegion

__all__ = ["CHANGES", "Explanation", "Row", "constants_why", "explained", "explained_steps"]

_Explained: TypeAlias = CapturedPair | Differentiable | Executable | Program | Sliced
_RUNS = 5
_SHOWN = 3  # names of fused operators, of what constants follow from, and of buffers
_COLUMNS = ("", "operators", "kernel", "node", "constants", "result", "buffer", "KB", "µs")
_NUMERIC_COLUMNS = ("KB", "µs")


CHANGES = "parameters change before each call"
"""Reason why a graph predicts without precomputed constants, although it could have some."""


def constants_why(runs: int) -> str:
    """Return the reason why constants are computed only after ``runs`` more predictions.

    Example:
        >>> constants_why(0), constants_why(1)
        ('computed when it runs again', 'computed after 1 more run')
    """
    if runs == 0:
        return "computed when it runs again"
    return f"computed after {runs} more run{'s' * (runs > 1)}"


@dataclass(frozen=True, slots=True)
class Row:
    """Row of the table: one unit of execution."""

    program: str
    """``"forward"`` or ``"backward"``."""
    operators: tuple[str, ...]
    """Names of the operators; several if they are fused."""
    kernel: str
    """Name of the kernel, and its algorithm if it has several; empty if no kernel is called."""
    nodes: tuple[str, ...]
    how: str
    """``"call"``, ``"in place"``, ``"view"``, ``"same"``, ``"fused"``, or the name of a backend."""
    result: str
    """Shape and dtype of the first result."""
    buffers: tuple[int, ...]
    """Numbers of the buffers that hold the results; a reused buffer keeps its number."""
    bytes: int
    """Size in bytes of the buffers that are used here for the first time."""
    allocated: bool = False
    """Whether there is an arena, but some of the new buffers are allocated in each call."""
    seconds: float | None = None
    variables: tuple[str, ...] = ()
    """Names of the graph's variables that it reads."""
    constants: tuple[str, ...] = ()
    """Names of the precomputed values that it reads, or of the parameters they depend on."""

    def cells(self, number: int) -> tuple[str, ...]:
        """Return the text of each cell; ``number`` is that of the row."""
        how = f" ({self.how})" if self.how != "call" else ""
        several = f" … {self.nodes[-1]}" if len(self.nodes) > 1 else ""
        return (
            str(number),
            " + ".join(_shortened(self.operators)) + how,
            self.kernel,
            f"{self.nodes[0]}{several}",
            ", ".join(_shortened(self.constants)),
            self.result,
            ", ".join(_shortened([f"#{x}" for x in self.buffers])) + "+" * self.allocated,
            f"{self.bytes / 1000:.1f}" if self.bytes else "",
            "" if self.seconds is None else f"{self.seconds * 1e6:.1f}",
        )


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation of how a graph runs; its text form is a table."""

    rows: tuple[Row, ...]
    memory: Memory
    constants: int
    """Number of values that were computed in advance."""
    programs: tuple[str, ...] = ("forward",)
    rows_of_slice: int | None = None
    """Number of samples in a slice, if the batch is computed in slices."""
    tier: Tier | None = None
    """The tier of the last run, if the program has tiers."""
    why: str | None = None
    """Reason why it was not in the highest tier; None if it was."""
    left: Mapping[str, str] = field(default_factory=dict)
    """Why the requested backend leaves a node to the kernel table, by operator and node."""

    constants_why: str | None = None
    """Reason why no constants are computed from parameters, where that would be possible."""

    def following(self, origins: Mapping[str, Sequence[str]]) -> "Explanation":
        """Return a copy that names the parameters from which precomputed variables are computed.

        Args:
            origins: Names of parameters, by name of the variable that depends on them.
        """
        rows = []
        for row in self.rows:
            names = (name for variable in row.variables for name in origins.get(variable, ()))
            rows.append(replace(row, constants=(*row.constants, *dict.fromkeys(names))))
        return replace(self, rows=tuple(rows), constants=self.constants + len(origins))

    def _table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return column names and the cells of each row; the column of constants only if used."""
        head: tuple[str, ...] = _COLUMNS
        cells = [row.cells(number) for number, row in enumerate(self.rows)]
        if not any(row.constants for row in self.rows):
            i = head.index("constants")
            head = head[:i] + head[i + 1 :]
            cells = [row[:i] + row[i + 1 :] for row in cells]
        return head, cells

    def __str__(self) -> str:
        head, cells = self._table()
        widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
        lines = [_line(head, widths), "  ".join("-" * width for width in widths)]
        for program in self.programs:
            if len(self.programs) > 1:
                lines.append(f"{program}:")
            lines += [
                _line(texts, widths)
                for texts, row in zip(cells, self.rows, strict=True)
                if row.program == program
            ]
        lines += self._left()
        return "\n".join([*lines, self._summary()])

    def _left(self) -> list[str]:
        return [f"left to the table: {what}: {why}" for what, why in self.left.items()]

    def _summary(self) -> str:
        fused = sum(row.how == "fused" for row in self.rows)
        memory = self.memory
        constants = f"{self.constants} constants"
        if self.constants_why is not None:
            constants += f" ({self.constants_why})"
        parts = [f"{len(self.rows)} steps", f"{fused} fused", constants]
        parts.append(
            f"{memory.planned / 1e6:.2f} MB inside at most, {memory.naive / 1e6:.2f} MB naively "
            f"({memory.ratio:.2f})"
        )
        if self.rows_of_slice is not None:
            parts.insert(0, f"in slices of {self.rows_of_slice} samples")
        if memory.arena:
            parts.append(f"an arena of {memory.arena / 1e6:.2f} MB (+: allocated in each call)")
        if memory.saved:
            parts.append(f"{memory.saved / 1e6:.2f} MB saved for the backward pass")
        if self.tier is not None:
            missed = "" if self.tier is Tier.INTERPRETED else ", not captured"
            parts.append(self.tier.name.lower() + (f"{missed}: {self.why}" if self.why else ""))
        times = [row.seconds for row in self.rows if row.seconds is not None]
        if times:
            parts.append(f"{sum(times) * 1e6:.1f} µs")
        return "; ".join(parts)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        head, cells = self._table()
        body = ["".join(f"<th>{escape(name)}</th>" for name in head)]
        for program in self.programs:
            if len(self.programs) > 1:
                body.append(f'<th colspan="{len(head)}" style="text-align:left">{program}</th>')
            body += [
                "".join(map(_cell, texts, head))
                for texts, row in zip(cells, self.rows, strict=True)
                if row.program == program
            ]
        rows = "".join(f"<tr>{cells}</tr>" for cells in body)
        notes = "<br>".join(map(escape, [*self._left(), self._summary()]))
        return f"<table>{rows}</table><small>{notes}</small>"


def _shortened(names: Sequence[str]) -> Sequence[str]:
    return names if len(names) <= _SHOWN else (*names[:2], f"{len(names) - 2} more")


def _cell(text: str, column: str) -> str:
    align = "right" if column in _NUMERIC_COLUMNS else "left"
    return f'<td style="text-align:{align}">{escape(text)}</td>'


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    count = len(cells) - len(_NUMERIC_COLUMNS)
    left = [cell.ljust(width) for cell, width in zip(cells[:count], widths, strict=False)]
    right = [cell.rjust(width) for cell, width in zip(cells[count:], widths[count:], strict=True)]
    return "  ".join([*left, *right]).rstrip()


def explained(
    program: _Explained,
    buffers: Sequence[Buffer] | None = None,
) -> Explanation:
    """Return a table of the steps of a program, or of a forward and a backward program.

    For a program that runs on slices of a batch, the steps, bytes and times are those of one slice.

    Args:
        program: The program, which must be planned for known types.
        buffers: One buffer per input; if given, the program runs a few times on copies to measure
            the time of each step. Head gradients are ones.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import TypedGraph, sym
        >>> net = sym.relu(sym.dot(sym.var("x"), sym.var("w"), name="product"), name="y")
        >>> known = [((8, 4), "float32"), ((4, 2), "float32")]
        >>> typed = TypedGraph.of(net.graph, known)
        >>> print(explained(Program.of(typed, device_of(cpu()), is_train=False)))
           operators  kernel  node     result          buffer   KB  µs
        -  ---------  ------  -------  --------------  ------  ---  --
        0  dot        dot     product  (8, 2) float32  #0      0.1
        1  relu       relu    y        (8, 2) float32  #1      0.1
        2 steps; 0 fused; 0 constants; 0.00 MB inside at most, 0.00 MB naively (1.00)
    """
    if isinstance(program, Executable | CapturedPair):
        tier, why = program.tier, program.why
        inner = program.program if isinstance(program, Executable) else program.programs
        return replace(explained(inner, buffers), tier=tier, why=why)
    if isinstance(program, Sliced):
        part = explained(program.part, None if buffers is None else program.first(buffers))
        return replace(part, memory=program.memory(), rows_of_slice=program.rows)
    if isinstance(program, Program):
        times = None if buffers is None else _unit_seconds(program, buffers)
        rows = _program_rows(program, "forward", times, {}, program.arena)
        count, left = len(program.plan.constants), _left(program)
        return Explanation(tuple(rows), memory_of(program), count, left=left)
    forward, backward = program.forward, program.backward
    first = second = None
    if buffers is not None:
        first = _unit_seconds(forward, buffers)
        second = _unit_seconds(backward, _backward_operands(program, buffers))
    numbers: dict[Entry, int] = {}
    rows = _program_rows(forward, "forward", first, numbers, program.arena)
    rows += _program_rows(backward, "backward", second, numbers, program.arena)
    constants = len(forward.plan.constants) + len(backward.plan.constants)
    return Explanation(tuple(rows), memory_of(program), constants, ("forward", "backward"))


def explained_steps(typed: TypedGraph, device: Device, why: str) -> Explanation:
    """Return a table of the nodes of an interpreted graph, which has no program.

    Args:
        typed: The graph with the types of its inputs.
        device: The device on which it runs.
        why: Reason why it is not compiled.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import TypedGraph, sym
        >>> typed = TypedGraph.of(sym.relu(sym.var("x"), name="y").graph, [((2,), "float32")])
        >>> [row.kernel for row in explained_steps(typed, device_of(cpu()), "no program").rows]
        ['relu']
    """
    rows = []
    for node in typed.graph.nodes:
        if node.op is not None:
            shape, dtype = typed.types.get((node, 0))
            size = sum(typed.types.nbytes((node, i)) for i in range(node.num_outputs))
            rows.append(
                Row(
                    program="forward",
                    operators=(node.op.name,),
                    kernel=_kernel_of(node, device, typed.types),
                    nodes=(node.name,),
                    how="call",
                    result=f"{shape} {dtype}",
                    buffers=(),
                    bytes=size,
                    variables=tuple(sorted(x.name for x, _ in node.inputs if x.op is None)),
                )
            )
    naive = sum(row.bytes for row in rows)
    return Explanation(tuple(rows), Memory(naive, naive), 0, tier=Tier.INTERPRETED, why=why)


def _left(program: Program) -> dict[str, str]:
    """Return the nodes of regions that the kernel table runs instead of the backend, and why."""
    left: dict[str, str] = {}
    for node in program.steps:
        if node.is_region and not program.is_train:
            region = RunningRegion.of(node, program.device)
            for what, why in region.left().items():
                left[what or f"all of '{node.name}'"] = f"{region.backend}: {why}"
    return left


def _backward_operands(program: Differentiable, buffers: Sequence[Buffer]) -> list[Buffer]:
    """Run the forward program on copies; return the operands of the backward program."""
    device = program.forward.device
    copy = device.memory.copy
    outputs, saved = program.run([copy(x) for x in buffers])
    ones = device.kernels["ones_like"]
    heads = [ones(outputs[i]) for i in program.heads]
    return [*heads, *(buffers[i] for i in program.saved_inputs), *map(copy, saved)]


def _unit_seconds(program: Program, buffers: Sequence[Buffer]) -> list[float]:
    """Return the time of each unit in seconds, the median of several runs."""
    copy = program.device.memory.copy
    runs = [program.timed([copy(x) for x in buffers]) for _ in range(_RUNS)]
    return [float(np.median(column)) for column in zip(*runs, strict=True)]


def _program_rows(
    program: Program,
    label: str,
    times: Sequence[float] | None,
    numbers: dict[Entry, int],
    arena: Arena | None,
) -> list[Row]:
    """Return the rows of one program; update ``numbers``, the buffer number of each entry."""
    rows = []
    of_storage: dict[int, int] = {}
    for entry in program.inputs:
        if entry in numbers:
            of_storage[id(program.plan.storage_of[entry])] = numbers[entry]
    count = max(numbers.values(), default=-1) + 1
    for u, unit in enumerate(program.plan.units):
        new, allocated = 0, False
        result = []
        for key in _unit_results(program, unit):
            storage = program.plan.storage_of[key]
            if id(storage) not in of_storage and storage.owned:
                of_storage[id(storage)], count = count, count + 1
                new += program.plan.nbytes(storage)
                allocated |= arena is not None and not arena.holds(storage)
            if id(storage) in of_storage:
                numbers[key] = of_storage[id(storage)]
                result.append(numbers[key])
        rows.append(
            _unit_row(
                program,
                unit,
                label,
                tuple(dict.fromkeys(result)),
                new,
                allocated,
                None if times is None else times[u],
            )
        )
    return rows


def _unit_results(program: Program, unit: Unit) -> list[Entry]:
    """Return the entries that a unit computes, those inside of a fused kernel excluded."""
    steps = unit.steps if unit.group is None else unit.group.results
    return [(program.steps[k], i) for k in steps for i in range(program.steps[k].num_outputs)]


def _kernel(program: Program, unit: Unit) -> str:
    """Return the name of a unit's kernel, empty for views and fused units."""
    if unit.group is not None or unit.how not in ("call", "in place") or program.types is None:
        return ""
    return _kernel_of(program.steps[unit.steps[-1]], program.device, program.types)


def _kernel_of(node: Node, device: Device, known: Types) -> str:
    """Return the name of a node's kernel, with its algorithm if it has several."""
    if node.op is None or not has_kernel(node.op):
        return ""
    record = device.kernels.record(node.op.kernel)
    types = [known.whole(entry) for entry in node.inputs]
    if record.algorithm is None or None in types:
        return record.name
    algorithm = record.algorithm(node.operands(types), node.params)
    return record.name if algorithm is None else f"{record.name}: {algorithm}"


def _unit_row(
    program: Program,
    unit: Unit,
    label: str,
    buffers: tuple[int, ...],
    size: int,
    allocated: bool,
    seconds: float | None,
) -> Row:
    nodes = [program.steps[k] for k in unit.steps]
    assert program.types is not None
    shape, dtype = program.types.get((nodes[-1], 0))
    how = unit.how
    shown = nodes
    if nodes[-1].is_region:
        (body,) = nodes[-1].bodies
        how, shown = nodes[-1].params["backend"], list(body.nodes)
    inputs = {entry for node in nodes for entry in node.inputs}
    constants = [node.name for node, i in program.plan.constants if (node, i) in inputs]
    return Row(
        label,
        operators=tuple(part for node in shown if node.op for part in node.op.name.split("+")),
        kernel=_kernel(program, unit),
        nodes=tuple(node.name for node in nodes),
        how=how,
        result=f"{shape} {dtype}" if program.types.nbytes((nodes[-1], 0)) else "?",
        buffers=buffers,
        bytes=size,
        allocated=allocated,
        seconds=seconds or None,
        variables=tuple(sorted(node.name for node, _ in inputs if node.op is None)),
        constants=tuple(constants),
    )
