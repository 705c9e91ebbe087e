"""Generating: the source of the function that runs the steps of a program."""

import linecache
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any
from weakref import finalize

from hy_ndarray import Buffer, Device, Kernel, KernelFunction, random
from hy_ndarray.devices import observing
from hy_ndarray.ops import Operator
from hy_symbol.compile.fusing import Group, has_kernel
from hy_symbol.compile.planning import Plan, Unit
from hy_symbol.graph.node import Entry, Node
from hy_symbol.infer.engine import Types
from hy_symbol.regions.region import kernel_of

__all__ = ["Code", "Generator"]

_LITERALS = (int, bool, type(None))
"""Of these types exactly, values are written out; nothing that a file says becomes text."""


@dataclass(frozen=True, slots=True)
class Code:
    """A function, and what its lines are about."""

    filename: str
    source: str
    run: Callable[..., tuple[Buffer, ...]]
    names: Mapping[Entry, str]
    """Local names of the values."""
    unit_of: Mapping[int, Unit]
    """By line."""


class Generator:
    """Writes functions that carry out a plan; they share their kernels and constants.

    Args:
        steps: The nodes, in order.
        plan: How they are carried out.
        inputs: What the functions are given.
        outputs: What they return.
        device: Where they run.
        types: Types of all values, where they are known.
        is_train: The mode.
        name: What tells their lines from those of others.
    """

    def __init__(
        self,
        steps: Sequence[Node],
        plan: Plan,
        inputs: Sequence[Entry],
        outputs: Sequence[Entry],
        device: Device,
        *,
        types: Types | None,
        is_train: bool,
        name: str,
    ) -> None:
        self.scope: dict[str, Any] = {
            "__name__": "hy_symbol.runtime.program",  # numpy's warnings are told apart by module
            "rng": _random(device),
            "write": device.write,
        }
        self.kernels: dict[str, tuple[list[Node], KernelFunction]] = {}
        """By name in the code: the nodes a kernel computes, and the kernel."""
        self._bound: set[str] = set()
        self.threaded = False
        """Whether a kernel works in parts."""
        self._steps = steps
        self._plan = plan
        self._inputs = inputs
        self._outputs = outputs
        self._device = device
        self._types = types
        self._is_train = is_train
        self._name = name

    def code(
        self, places: Mapping[Entry, int] | None = None, tick: Callable[[int], None] | None = None
    ) -> Code:
        """A function of a list of buffers, which it empties.

        Args:
            places: Numbers of the values that are written to memory it is given; it then takes that
                as a second argument, a sequence of buffers.
            tick: Called behind each unit with its number.
        """
        text = _Text(self, self._plan, places or {})
        arguments = "given" if places is None else "given, places"
        lines = [f"def run({arguments}):", *text.head(self._inputs)]
        unit_of: dict[int, Unit] = {}
        for u, unit in enumerate(self._plan.units):
            for line in text.unit(unit):
                lines.append(line)
                unit_of[len(lines)] = unit
            lines += text.freed(unit)
            if tick is not None:
                lines.append(f"tick({u})")
        results = "".join(f"{text.names[entry]}, " for entry in self._outputs)
        lines.append(f"return ({results})")
        source = "\n    ".join(lines) + "\n"
        variant = ", timed" if tick is not None else ", static" if places is not None else ""
        filename = f"<{self._name}{variant}>"
        return Code(filename, source, self._compiled(source, filename, tick), text.names, unit_of)

    def _compiled(
        self, source: str, filename: str, tick: Callable[[int], None] | None
    ) -> Callable[..., tuple[Buffer, ...]]:
        scope = self.scope if tick is None else {**self.scope, "tick": tick}
        exec(compile(source, filename, "exec"), scope)  # noqa: S102  # our own text
        if tick is None:  # tracebacks show its lines
            lines = source.splitlines(keepends=True)
            linecache.cache[filename] = (len(source), None, lines, filename)
            finalize(self, linecache.cache.pop, filename, None).atexit = False
        run: Callable[..., tuple[Buffer, ...]] = scope.pop("run")
        return run

    # --- what the text refers to --------------------------------------------------------------

    def step(self, k: int) -> tuple[str, bool]:
        """The name of a step's kernel, and whether that takes the step's parameters."""
        name = f"k{k}"
        if name not in self.kernels:
            special = self._specialized(k)
            if special is not None:
                self._bound.add(name)
            self._use(name, [self._steps[k]], special or self._function(k), self._record(k))
        return name, name not in self._bound

    def group(self, group: Group) -> str:
        """The name of what runs several steps."""
        name = f"f{group.steps[-1]}"
        if name not in self.kernels:
            assert self._device.fuses is not None
            record = self._device.fuses.fuse(group.as_data(self._steps))
            self._use(name, [self._steps[k] for k in group.steps], record.function, record)
        return name

    def constant(self, name: str, value: Any) -> str:
        """What stands for a value in the text."""
        if type(value) in _LITERALS:
            return repr(value)
        self.scope[name] = value
        return name

    def keywords(self, k: int) -> list[str]:
        """The keyword arguments by which a step's kernel is given the parameters.

        Names are written out only where the catalogue declared them, in a signature; other
        operators, such as ``Custom``, take theirs from calls and files.
        """
        node = self._steps[k]
        if node.is_region:
            return []
        if type(node.op) is Operator:
            pairs = enumerate(node.params.items())
            return [f"{name}={self.constant(f'p{k}_{j}', value)}" for j, (name, value) in pairs]
        self.scope[f"p{k}"] = dict(node.params)
        return [f"**p{k}"] if node.params else []

    def needed(self, need: str) -> str:
        """What a kernel needs besides, in the text."""
        if need == "is_train":
            return str(self._is_train)
        if need == "rng":
            return "rng()"
        self.scope["device"] = self._device.handle
        return "device"

    def updated(self, op: Operator, node: Node, operands: Sequence[Any]) -> list[Any]:
        """The operands that a step overwrites."""
        return [operands[position] for position in op.updated(node.params, self._is_train)]

    def node(self, k: int) -> Node:
        """The node of a step."""
        return self._steps[k]

    def _function(self, k: int) -> KernelFunction:
        return observing.bare(kernel_of(self._steps[k], self._device, is_train=self._is_train))

    def _record(self, k: int) -> Kernel | None:
        """What is known of a step's kernel, if the operator does not bring its own function."""
        op = self._steps[k].op
        assert op is not None
        return self._device.kernels.record(op.kernel) if has_kernel(op) else None

    def _specialized(self, k: int) -> KernelFunction | None:
        """The function for this very step, where types are known and its kernel has one."""
        record = self._record(k)
        if record is None or record.specialize is None or self._types is None:
            return None
        node = self._steps[k]
        types = [self._types.whole(entry) for entry in node.inputs]
        if None in types:
            return None
        return record.specialize(node.operands(types), node.params)

    def _largest(self, node: Node) -> int:
        """Elements of the largest operand or result; 0 where types are not known."""
        if self._types is None:
            return 0
        entries = [*node.inputs, *((node, i) for i in range(node.num_outputs))]
        shapes = [self._types.shape(entry) or (0,) for entry in entries]
        return max(prod(n or 0 for n in shape) for shape in shapes)

    def _use(
        self, name: str, nodes: list[Node], function: KernelFunction, record: Kernel | None
    ) -> None:
        self.kernels[name] = nodes, function
        self.scope[name] = function
        if record is not None and record.threads is not None and not self.threaded:
            self.threaded = any(self._largest(node) >= record.threads for node in nodes)


class _Text:
    """The lines of one function, and the names in them.

    ``x0`` is an input, ``c0`` a constant, ``t3_0`` the first result of step 3, ``a5`` a place.
    """

    def __init__(self, generator: Generator, plan: Plan, places: Mapping[Entry, int]) -> None:
        self.names: dict[Entry, str] = {}
        self._generator = generator
        self._plan = plan
        self._places = places
        self._holders: Counter[str] = Counter()

    def head(self, inputs: Sequence[Entry]) -> list[str]:
        """The lines that name what is given."""
        lines = []
        for k, entry in enumerate(inputs):
            self._hold(entry, f"x{k}")
        if inputs:
            arguments = "".join(f"x{k}, " for k in range(len(inputs)))
            lines += [f"{arguments}= given", "given.clear()"]
        if self._places:
            lines.append("".join(f"a{n}, " for n in self._places.values()) + "= places")
        for k, (key, value) in enumerate(self._plan.constants.items()):
            self._hold(key, self._generator.constant(f"c{k}", value))
        return lines

    def unit(self, unit: Unit) -> list[str]:
        """The lines of a unit."""
        if unit.group is not None:
            return [self._fused(unit.group)]
        (k,) = unit.steps
        node = self._generator.node(k)
        if unit.how == "same":
            self._hold((node, 0), self.names[node.inputs[0]])
            return []
        if unit.how == "view":
            source = self.names[node.inputs[0]]
            place = self._places.get((node, 0))
            view = f"{source}.reshape({unit.shape!r})" if place is None else f"a{place}"
            return [f"{self._result(k)} = {view}"]
        return self._step(k, node, unit.over)

    def freed(self, unit: Unit) -> list[str]:
        """The line that frees what nothing behind a unit needs."""
        self._holders.subtract(self.names[key] for key in unit.dead)
        dead = sorted({self.names[key] for key in unit.dead if not self._holders[self.names[key]]})
        return [f"del {', '.join(dead)}"] if dead else []

    def _hold(self, key: Entry, name: str) -> str:
        self.names[key] = name
        self._holders[name] += 1
        return name

    def _result(self, k: int, i: int = 0) -> str:
        return self._hold((self._generator.node(k), i), f"t{k}_{i}")

    def _fused(self, group: Group) -> str:
        generator = self._generator
        given = [self.names[entry] for entry in group.inputs]
        memory = []
        for j, k in enumerate(group.results):
            over, place = group.over.get(j), self._places.get((generator.node(k), 0))
            memory.append(_slot(place) if over is None else given[over])
        if any(each != "None" for each in memory):
            given.append(f"out=({', '.join(memory)},)")
        targets = "".join(f"{self._result(k)}, " for k in group.results)
        return f"{targets}= {generator.group(group)}({', '.join(given)})"

    def _step(self, k: int, node: Node, over: int | None) -> list[str]:
        op, generator = node.op, self._generator
        assert op is not None
        operands = node.operands([self.names[entry] for entry in node.inputs])
        arguments = [str(x) for x in operands]
        kernel, takes_params = generator.step(k)
        if takes_params:
            arguments += generator.keywords(k)
        arguments += [f"{need}={generator.needed(need)}" for need in sorted(op.needs)]
        places = [self._places.get((node, i)) for i in range(node.num_outputs)]
        if over is not None:
            arguments.append(f"out=({self.names[node.inputs[over]]},)")
        elif any(place is not None for place in places):
            arguments.append(f"out={_tuple(places)}")
        targets = [self._result(k, i) for i in range(node.num_outputs)]
        updated = generator.updated(op, node, operands)
        targets += [f"u{k}_{j}" for j in range(len(updated))]
        call = f"{kernel}({', '.join(arguments)})"
        lines = [f"{', '.join(targets)} = {call}"]
        return lines + [f"write({x}, u{k}_{j})" for j, x in enumerate(updated)]


def _tuple(places: Sequence[int | None]) -> str:
    """The tuple of these places."""
    return "(" + "".join(f"{_slot(n)}, " for n in places) + ")"


def _slot(place: int | None) -> str:
    return "None" if place is None else f"a{place}"


def _random(device: Device) -> Callable[[], Any]:
    return lambda: random.generator(device)
