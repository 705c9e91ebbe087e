"""Plan: the order of steps, and each buffer's lifetime, as data."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from hy_ndarray import Buffer, BufferType, Device
from hy_symbol.compile.folding import refolded
from hy_symbol.compile.fusing import Group
from hy_symbol.graph.node import Entry, Node
from hy_symbol.infer.engine import Types
from hy_symbol.infer.type_guards import TypeGuards

__all__ = ["Plan", "Storage", "Unit"]

How: TypeAlias = Literal["call", "in place", "view", "same", "fused"]


@dataclass(slots=True, eq=False)
class Storage:
    """Buffer of a program, with the entries that it holds one after another or as views."""

    owned: bool
    """Whether the program allocates the buffer; False for inputs and constants."""
    first: int
    last: float = -1
    """Numbers of the first and last unit that use the buffer; infinite if it is returned."""
    donated: bool = False
    """Whether it is an input that the caller does not use again."""
    protected: bool = False
    """Never overwritten, as unknown code may hold a reference to the buffer."""
    returned: bool = False
    visible: bool = False
    """Whether it is returned to the user, who may write to it."""
    entries: list[Entry] = field(default_factory=list)
    dtype: str = ""
    """Dtype, if the kernel accepts an out buffer; else empty."""
    outs: list[Entry] = field(default_factory=list)
    """Entry that the kernel writes to an out buffer, with its views of other shapes."""
    fills: bool = False
    """Whether the kernel is sure to write to the out buffer, and never returns another one."""


@dataclass(slots=True, eq=False)
class Unit:
    """Unit of execution: one step, or several fused ones."""

    steps: tuple[int, ...]
    """Positions of the steps."""
    how: How = "call"
    over: int | None = None
    """Position of the operand that the result overwrites, if in place."""
    group: Group | None = None
    dead: list[Entry] = field(default_factory=list)
    """Entries that no later unit needs."""


@dataclass(slots=True, eq=False)
class Plan:
    """Plan of a program: units, precomputed constants, buffers.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import Program, TypedGraph, sym
        >>> net = sym.relu(sym.dot(sym.var("x"), sym.var("w"), name="product"), name="y")
        >>> typed = TypedGraph.of(net.graph, [((8, 4), "float32"), ((4, 2), "float32")])
        >>> print(Program.of(typed, device_of(cpu()), is_train=False).plan)
        0  call  dot product
        1  call  relu y
    """

    inputs: tuple[Entry, ...]
    """The entries that are given; no node before them is computed."""
    outputs: tuple[Entry, ...]
    device: Device
    is_train: bool
    """The mode of operators that differ between training and prediction."""
    types: Types | None
    """Types of all entries, where they are known."""
    steps: list[Node]
    """The nodes, inputs before users."""
    units: list[Unit]
    constants: dict[Entry, Buffer] = field(default_factory=dict)
    storages: list[Storage] = field(default_factory=list)
    storage_of: Mapping[Entry, Storage] = field(default_factory=dict)
    guards: TypeGuards | None = None
    """Guards under which the plan holds for other types; None if it holds for ``types`` only."""

    def like(self, types: Types) -> "Plan | None":
        """Return the plan for other types, or None if more than sizes would differ.

        Both plans share all that does not depend on sizes. None also if the plan has no guards.
        """
        if self.guards is None or not self.guards.match(types):
            return None
        constants = refolded(self.constants, self.device, types)
        return replace(self, types=types, constants=constants)

    def type_of(self, entry: Entry) -> BufferType:
        """Return shape and dtype of an entry of known type."""
        type_ = None if self.types is None else self.types.whole(entry)
        assert type_ is not None, f"the type of {entry} is not known"
        return type_

    def nbytes(self, storage: Storage) -> int:
        """Return the size of a buffer of the plan in bytes, 0 if its type is unknown."""
        return 0 if self.types is None else self.types.nbytes(storage.entries[0])

    def direct_outputs(self) -> dict[int, Entry]:
        """Return by position the outputs that a kernel can write to a given out buffer.

        The value is the entry that the kernel writes: the output, or an entry that the output is an
        alias of.
        """
        if self.types is None:
            return {}
        uses = Counter(id(self.storage_of[entry]) for entry in self.outputs)
        free = {}
        for k, output in enumerate(self.outputs):
            storage = self.storage_of[output]
            alone = storage.owned and not storage.protected and uses[id(storage)] == 1
            if alone and len(storage.outs) == 1:  # else views of it have other shapes
                (free[k],) = storage.outs
        return free

    def __str__(self) -> str:
        width = len(str(len(self.units)))
        return "\n".join(f"{u:>{width}}  {self._line(unit)}" for u, unit in enumerate(self.units))

    def _line(self, unit: Unit) -> str:
        nodes = [self.steps[k] for k in unit.steps]
        return f"{unit.how}  " + ", ".join(f"{x.op.name} {x.name}" for x in nodes if x.op)
