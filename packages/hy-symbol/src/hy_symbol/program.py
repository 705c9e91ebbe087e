"""Program: a graph as one straight-line Python function over the buffers of a kernel table."""

import linecache
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from hy_ndarray import Buffer, Device, HyError, Kernel, KernelError, observing, random
from hy_ndarray.ops import Operator, TensorType
from hy_symbol.graph import Entry, Node
from hy_symbol.observed import observed_run, observed_step

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
    ) -> None:
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.device = device
        self.is_train = is_train
        self.steps: list[Node] = self._scheduled()
        self._kernels: list[Kernel] = []
        self._globals: dict[str, Any] = {"rng": _generator(device), "write": device.write}
        self._line_of: dict[int, Node] = {}
        self.filename = f"<program {next(_serial)}>"
        self.source = self._generate()
        self._run = self._bare_run = self._compile()
        observing.join(self)

    def __call__(self, *buffers: Buffer) -> tuple[Buffer, ...]:
        """Run on one buffer per input; returns one per output.

        Raises:
            ShapeError, DTypeError: Buffers do not satisfy a node's rule; names the node.
            KernelError: A kernel failed; names the node.
        """
        try:
            return self._run(*buffers)
        except HyError:
            raise
        except Exception as error:
            raise self._explained(error) from error

    def observe(self, observer: observing.Observer | None) -> None:
        """Run an observer's variants of the kernels from now on, or the bare ones again."""
        for k, (node, kernel) in enumerate(zip(self.steps, self._kernels, strict=True)):
            self._globals[f"k{k}"] = observed_step(observer, node, kernel, self.device)
        self._run = observed_run(observer, self.steps, self._bare_run)

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

    def _generate(self) -> str:
        names = {(id(node), i): f"x{k}" for k, (node, i) in enumerate(self.inputs)}
        arguments = ", ".join(f"x{k}" for k in range(len(self.inputs)))
        lines = [f"def run({arguments}):"]
        last_use = self._last_uses()
        for k, node in enumerate(self.steps):
            for i in range(node.num_outputs):
                names[id(node), i] = f"t{k}_{i}"
            dead = [names[key] for key in last_use.get(k, ()) if key in names]
            for line in self._step(k, node, names):
                lines.append(f"    {line}")
                self._line_of[len(lines)] = node
            if dead:
                lines.append(f"    del {', '.join(dead)}")
        results = "".join(f"{names[id(node), i]}, " for node, i in self.outputs)
        lines.append(f"    return ({results})")
        return "\n".join(lines) + "\n"

    def _last_uses(self) -> dict[int, list[tuple[int, int]]]:
        """By step, the values that nothing after it needs."""
        last: dict[tuple[int, int], int] = {}
        for k, node in enumerate(self.steps):
            for i in range(node.num_outputs):
                last[id(node), i] = k
            for source, i in node.inputs:
                last[id(source), i] = k
        for node, i in (*self.outputs, *self.inputs):
            last.pop((id(node), i), None)
        by_step: dict[int, list[tuple[int, int]]] = {}
        for key, k in last.items():
            by_step.setdefault(k, []).append(key)
        return by_step

    def _step(self, k: int, node: Node, names: dict[tuple[int, int], str]) -> list[str]:
        op = node.op
        assert op is not None
        kernel = observing.bare(op.kernel_on(self.device, is_train=self.is_train))
        self._kernels.append(kernel)
        self._globals[f"k{k}"] = kernel
        operands = node.operands([names[id(source), i] for source, i in node.inputs])
        arguments = [str(x) for x in operands] + [
            f"{name}={self._constant(f'p{k}_{name}', value)}" for name, value in node.params.items()
        ]
        arguments += [f"{need}={self._extra(need)}" for need in sorted(op.needs)]
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
        node = self._line_of.get(trace.tb_lineno) if trace is not None else None
        if trace is None or node is None:
            return error
        types = self._input_types(node, trace.tb_frame.f_locals)
        op = node.op
        assert op is not None
        shown = ", ".join(repr(t) for t in types)
        explained: HyError = KernelError(
            f"{op.name} '{node.name}': the kernel failed on {shown}: "
            f"{type(error).__name__}: {error}"
        )
        try:
            op.infer(node.operands(types), node.params, node=node.name)
        except HyError as rule:
            explained = rule
        if node.where:
            explained.add_note(f"node made at {node.where}")
        return explained

    def _input_types(self, node: Node, values: dict[str, Any]) -> list[TensorType]:
        names = {(id(n), i): f"x{k}" for k, (n, i) in enumerate(self.inputs)}
        for k, step in enumerate(self.steps):
            for i in range(step.num_outputs):
                names[id(step), i] = f"t{k}_{i}"
        types = []
        for name, (source, i) in zip(node.input_names, node.inputs, strict=True):
            value = values[names[id(source), i]]
            types.append(TensorType(value.shape, self.device.table.dtype(value), name))
        return types


def _generator(device: Device) -> Callable[[], Any]:
    return lambda: random.generator(device)
