"""Program: a graph as one straight-line Python function over the buffers of a kernel table."""

import linecache
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from time import perf_counter
from typing import Any

from hy_ndarray import Buffer, Device, HyError, Kernel, KernelError, observing, random
from hy_ndarray.ops import Operator, TensorType
from hy_symbol.fusing import Group, fused
from hy_symbol.graph import Entry, Graph, Node
from hy_symbol.infer import Known, Types
from hy_symbol.observed import observed_run, observed_steps
from hy_symbol.planning import Key, Unit, key_of, plain_plan, plan
from hy_symbol.simplifying import simplified

__all__ = ["Program"]

_LITERALS = (int, bool, str, type(None))
_serial = count()


class Program:
    """Computes some entries of a graph from others, in one mode, on one device.

    The steps are generated as the source of a Python function and compiled once: intermediate
    buffers are its local variables, freed after their last use, so running costs little beyond
    the kernels. Any number of threads may run a program at once.

    Args:
        inputs: The entries that are given; nothing in front of them is computed.
        outputs: The entries to compute.
        device: Where to run; its kernels are looked up now.
        is_train: The mode of operators that differ between training and prediction.
        types: Types of all entries, where they are known. The program is planned for them then
            (see :mod:`hy_symbol.planning`), and takes buffers of these types alone.
        visible: How many outputs are for users, who may write to them; the others may share memory
            with each other and with inputs. All, if None.

    Raises:
        KernelError: The device's tables lack a kernel.

    Example:
        >>> import numpy as np
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import sym
        >>> a, b = sym.var("a"), sym.var("b")
        >>> graph = sym.broadcast_add(a, b).graph
        >>> program = Program([e for s in (a, b) for e in s.graph.outputs], graph.outputs,
        ...                   device_of(cpu()), is_train=False)
        >>> program(np.ones(2), np.ones(2))
        (array([2., 2.]),)
    """

    def __init__(
        self,
        inputs: Sequence[Entry],
        outputs: Sequence[Entry],
        device: Device,
        *,
        is_train: bool,
        types: Types | None = None,
        visible: int | None = None,
    ) -> None:
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.device = device
        self.is_train = is_train
        self.types = types
        self.steps: list[Node] = self._scheduled()
        if types is None:
            self.plan = plain_plan(self.steps, self.inputs, self.outputs)
        else:
            self.plan = plan(
                self.steps,
                self.inputs,
                self.outputs,
                device,
                types,
                is_train=is_train,
                visible=visible,
            )
        self._globals: dict[str, Any] = {
            "__name__": __name__,  # numpy's warnings are told apart by module
            "rng": _generator(device),
            "write": device.write,
        }
        self._kernels: dict[str, tuple[list[Node], Kernel]] = {}
        self._threaded = False
        self._line_of: dict[int, Unit] = {}
        self.filename = f"<program {next(_serial)}>"
        self.source = self._generate()
        self._run = self._bare_run = self._compile()
        observing.join(self)

    @classmethod
    def of(
        cls, graph: Graph, device: Device, known: Sequence[Known], *, is_train: bool
    ) -> "Program":
        """The program that computes a graph from variables of these types.

        Args:
            graph: The graph.
            device: Where to run.
            known: Shape and dtype of each variable.
            is_train: The mode.

        Raises:
            ShapeError, DTypeError: The types contradict each other; names the node.
            KernelError: The device's tables lack a kernel.
        """
        variables = graph.variables
        simple, types = simplified(graph, variables, known, device)
        inputs = [(node, 0) for node in variables]
        return cls(inputs, simple.outputs, device, is_train=is_train, types=types)

    def __call__(self, *buffers: Buffer) -> tuple[Buffer, ...]:
        """Run on one buffer per input; returns one per output.

        Raises:
            ShapeError, DTypeError: Buffers do not satisfy a node's rule; names the node.
            KernelError: A kernel failed; names the node.
        """
        return self.run([*buffers])

    def run(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """As a call, on a list, which is emptied: what nobody else holds is freed after its use."""
        try:
            if self._threaded:
                results: tuple[Buffer, ...]
                (results,) = self.device.table.together([partial(self._run, buffers)])
                return results
            return self._run(buffers)
        except HyError:
            raise
        except Exception as error:
            raise self._explained(error) from error

    def observe(self, observer: observing.Observer | None) -> None:
        """Run an observer's variants of the kernels from now on, or the bare ones again."""
        for name, (nodes, kernel) in self._kernels.items():
            self._globals[name] = observed_steps(observer, nodes, kernel, self.device)
        self._run = observed_run(observer, self.steps, self._bare_run)

    def timed(self, buffers: Sequence[Buffer]) -> list[float]:
        """Run once, and give the seconds that each unit of the plan took."""
        times = [0.0] * len(self.plan.units)
        before = 0.0

        def tick(unit: int) -> None:
            nonlocal before
            self.device.table.synchronize(self.device.handle)
            now = perf_counter()
            times[unit] = now - before
            before = perf_counter()

        scope = {**self._globals, "tick": tick}
        code = compile(self._generate(timed=True), f"{self.filename[:-1]}, timed>", "exec")
        exec(code, scope)  # noqa: S102  # our own text
        run = scope["run"]
        before = perf_counter()
        run([*buffers])
        return times

    def _scheduled(self) -> list[Node]:
        given = {(id(node), i) for node, i in self.inputs}
        order: list[Node] = []
        seen: set[int] = set()
        for root, index in self.outputs:
            if (id(root), index) in given:
                continue
            stack: list[tuple[Node, int]] = [(root, 0)]
            while stack:
                node, done = stack.pop()
                if done == 0 and id(node) in seen:
                    continue
                seen.add(id(node))
                if done == len(node.inputs):
                    order.append(node)
                    continue
                stack.append((node, done + 1))
                source, i = node.inputs[done]
                if (id(source), i) not in given and id(source) not in seen:
                    stack.append((source, 0))
        missing = [node.name for node in order if node.op is None]
        assert not missing, f"program needs variables that are not given: {missing}"
        return order

    # --- code -------------------------------------------------------------------------------

    def _generate(self, *, timed: bool = False) -> str:
        names = self._names = {key_of(entry): f"x{k}" for k, entry in enumerate(self.inputs)}
        for k, (key, value) in enumerate(self.plan.constants.items()):
            names[key] = f"c{k}"
            self._globals[f"c{k}"] = value
        lines = ["def run(given):"]
        if self.inputs:
            arguments = "".join(f"x{k}, " for k in range(len(self.inputs)))
            lines += [f"    {arguments}= given", "    given.clear()"]
        holders = Counter(names.values())
        for u, unit in enumerate(self.plan.units):
            for line in self._unit(unit, names, holders):
                lines.append(f"    {line}")
                if not timed:
                    self._line_of[len(lines)] = unit
            holders.subtract(names[key] for key in unit.dead)
            dead = sorted({names[key] for key in unit.dead if not holders[names[key]]})
            if dead:
                lines.append(f"    del {', '.join(dead)}")
            if timed:
                lines.append(f"    tick({u})")
        results = "".join(f"{names[key_of(entry)]}, " for entry in self.outputs)
        lines.append(f"    return ({results})")
        return "\n".join(lines) + "\n"

    def _unit(self, unit: Unit, names: dict[Key, str], holders: Counter[str]) -> list[str]:
        """The lines of a unit; ``names`` learns those of its results."""
        if unit.group is not None:
            return [self._fused(unit.group, names, holders)]
        (k,) = unit.steps
        node = self.steps[k]
        if unit.how == "same":
            names[id(node), 0] = same = names[key_of(node.inputs[0])]
            holders[same] += 1
            return []
        for i in range(node.num_outputs):
            names[id(node), i] = f"t{k}_{i}"
            holders[f"t{k}_{i}"] += 1
        if unit.how == "view":
            return [f"t{k}_0 = {names[key_of(node.inputs[0])]}.reshape({unit.shape!r})"]
        return self._step(k, node, names, unit.over)

    def _fused(self, group: Group, names: dict[Key, str], holders: Counter[str]) -> str:
        """The line that runs several steps."""
        kernels = [self._kernel(k) for k in group.steps]
        last = group.steps[-1]
        nodes = [self.steps[k] for k in group.steps]
        self._use(f"f{last}", nodes, fused(group, self.steps, kernels, self.device))
        for k in group.results:
            names[id(self.steps[k]), 0] = f"t{k}_0"
            holders[f"t{k}_0"] += 1
        given = ", ".join(names[key_of(entry)] for entry in group.inputs)
        targets = "".join(f"t{k}_0, " for k in group.results)
        return f"{targets}= f{last}({given})"

    def _kernel(self, k: int) -> Kernel:
        op = self.steps[k].op
        assert op is not None
        return observing.bare(op.kernel_on(self.device, is_train=self.is_train))

    def _use(self, name: str, nodes: list[Node], kernel: Kernel) -> None:
        """Let ``name`` be a kernel in the code."""
        if name not in self._kernels:
            self._kernels[name] = nodes, kernel
            self._threaded = self._threaded or getattr(kernel, "threaded", False)
            self._globals[name] = kernel

    def _step(self, k: int, node: Node, names: dict[Key, str], over: int | None) -> list[str]:
        op = node.op
        assert op is not None
        self._use(f"k{k}", [node], self._kernel(k))
        operands = node.operands([names[id(source), i] for source, i in node.inputs])
        arguments = [str(x) for x in operands] + [
            f"{name}={self._constant(f'p{k}_{name}', value)}" for name, value in node.params.items()
        ]
        arguments += [f"{need}={self._extra(need)}" for need in sorted(op.needs)]
        if over is not None:
            arguments.append(f"out=({names[key_of(node.inputs[over])]},)")
        targets = [f"t{k}_{i}" for i in range(node.num_outputs)]
        updated = self._updated(op, node, operands)
        targets += [f"u{k}_{j}" for j in range(len(updated))]
        call = f"k{k}({', '.join(arguments)})"
        lines = [f"{', '.join(targets)} = {call}"]
        lines += [f"write({x}, u{k}_{j})" for j, x in enumerate(updated)]
        return lines

    def _updated(self, op: Operator, node: Node, operands: Sequence[Any]) -> list[str]:
        return [operands[position] for position in op.updated(node.params, self.is_train)]

    def _extra(self, need: str) -> str:
        if need == "is_train":
            return str(self.is_train)
        if need == "rng":
            return "rng()"
        self._globals["device"] = self.device.handle
        return "device"

    def _constant(self, name: str, value: Any) -> str:
        if isinstance(value, _LITERALS):
            return repr(value)
        self._globals[name] = value
        return name

    def _compile(self) -> Callable[..., tuple[Buffer, ...]]:
        code = compile(self.source, self.filename, "exec")
        exec(code, self._globals)  # noqa: S102  # our own text; every value in it is a literal or bound
        lines = self.source.splitlines(keepends=True)
        linecache.cache[self.filename] = (len(self.source), None, lines, self.filename)
        run: Callable[..., tuple[Buffer, ...]] = self._globals["run"]
        return run

    # --- errors -----------------------------------------------------------------------------

    def _explained(self, error: Exception) -> Exception:
        """The error to raise for one that came out of a step: what the node's rule says first."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != self.filename:
            trace = trace.tb_next
        unit = self._line_of.get(trace.tb_lineno) if trace is not None else None
        if trace is None or unit is None:
            return error
        known: dict[Key, TensorType] = {}
        explained = error
        for k in unit.steps:
            node = self.steps[k]
            op = node.op
            assert op is not None
            types = self._input_types(node, trace.tb_frame.f_locals, known)
            shown = ", ".join(repr(t) for t in types)
            explained = KernelError(
                f"{op.name} '{node.name}': the kernel failed on {shown}: "
                f"{type(error).__name__}: {error}"
            )
            if node.where:
                explained.add_note(f"node made at {node.where}")
            try:
                results = op.infer(node.operands(types), node.params, node=node.name)
            except HyError as rule:
                if node.where:
                    rule.add_note(f"node made at {node.where}")
                return rule
            known.update({(id(node), i): t for i, t in enumerate(results)})
        return explained

    def _input_types(
        self, node: Node, values: Mapping[str, Any], known: Mapping[Key, TensorType]
    ) -> list[TensorType]:
        """Types of a node's inputs; those in ``known`` are of the steps fused with it."""
        types = []
        for name, entry in zip(node.input_names, node.inputs, strict=True):
            key = key_of(entry)
            if key in known:
                types.append(TensorType(known[key].shape, known[key].dtype, name))
                continue
            local = self._names[key]
            value = values[local] if local in values else self._globals[local]
            types.append(TensorType(value.shape, self.device.table.dtype(value), name))
        return types


def _generator(device: Device) -> Callable[[], Any]:
    return lambda: random.generator(device)
