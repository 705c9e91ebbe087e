"""Program: a graph as one straight-line Python function over the buffers of a kernel table."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from time import perf_counter
from typing import Any

from hy_ndarray import Buffer, Device, HyError, KernelError
from hy_ndarray.devices import observing
from hy_ndarray.ops import TensorType
from hy_symbol.compile.arena import Arena, Pool
from hy_symbol.compile.codegen import Code, Generator
from hy_symbol.compile.lifetimes import lifetimes_of
from hy_symbol.compile.planning import plain_plan, plan
from hy_symbol.graph.node import Entry, Node, topological
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.pipeline import PREDICT, lowered
from hy_symbol.passes.target import Target
from hy_symbol.runtime.observed import observed_run, observed_steps

__all__ = ["Program"]

_serial = count()


class Program:
    """Computes some entries of a graph from others, in one mode, on one device.

    The steps are generated as the source of a Python function and compiled once: intermediate
    buffers are its local variables, freed after their last use, so running costs little beyond
    the kernels. With an arena, steps write to memory that was laid out in advance. Any number of
    threads may run a program at once.

    Args:
        inputs: The entries that are given; nothing in front of them is computed.
        outputs: The entries to compute.
        device: Where to run; its kernels are looked up now.
        is_train: The mode of operators that differ between training and prediction.
        types: Types of all entries, where they are known. The program is planned for them then
            (see :mod:`hy_symbol.compile.planning`), and takes buffers of these types alone.
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
        self._generator = Generator(
            self.steps,
            self.plan,
            self.inputs,
            self.outputs,
            device,
            types=types,
            is_train=is_train,
            name=f"program {next(_serial)}",
        )
        self._code = self._generator.code()
        self._run = self._code.run
        self._static: Code | None = None
        self._static_run = self._run
        self.arena: Arena | None = None
        """Memory for what it makes, if it has some of its own."""
        observing.join(self)

    @property
    def source(self) -> str:
        """The text of the function that runs; that with memory reserved, if there is one."""
        return (self._static or self._code).source

    @property
    def scope(self) -> dict[str, Any]:
        """What the text refers to, by name."""
        return self._generator.scope

    @classmethod
    def of(
        cls,
        typed: TypedGraph,
        device: Device,
        *,
        is_train: bool,
        pool: Pool | None = None,
        fuses: bool = True,
    ) -> "Program":
        """The program that computes a graph from its variables.

        Args:
            typed: The graph; its types are those of the buffers that the program takes.
            device: Where to run.
            is_train: The mode.
            pool: Give it an arena, whose memory is the pool's.
            fuses: Then also join layers with what follows them.

        Raises:
            KernelError: The device's tables lack a kernel.
        """
        target = Target(device, fuses=fuses and pool is not None)
        simple = lowered(typed, PREDICT, target)
        outputs = simple.graph.outputs
        program = cls(typed.inputs, outputs, device, is_train=is_train, types=simple.types)
        if pool is not None:
            arena = Arena.of(pool, device, [program.plan], [lifetimes_of(program.plan)])
            if arena is not None:
                program.reserve(arena.places(0))
                program.arena = arena
        return program

    def __call__(self, *buffers: Buffer) -> tuple[Buffer, ...]:
        """Run on one buffer per input; returns one per output.

        Raises:
            ShapeError, DTypeError: Buffers do not satisfy a node's rule; names the node.
            KernelError: A kernel failed; names the node.
        """
        return self.run([*buffers])

    def reserve(self, places: Mapping[Entry, int]) -> None:
        """Let some values lie in memory that :meth:`run_in` is given.

        Args:
            places: Numbers of the buffers there, by value.
        """
        self._static = self._generator.code(places)
        self.observe(observing.watch.observer)

    def run(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """As a call, on a list, which is emptied: what nobody else holds is freed after its use."""
        if self.arena is None:
            return self._safely(self._run, buffers)
        lease = self.arena.lease()
        try:
            return self._safely(self._static_run, buffers, lease.block[0])
        finally:
            lease.release()

    def run_in(self, places: Sequence[Buffer], buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """As :meth:`run`, in memory that was reserved."""
        return self._safely(self._static_run, buffers, places)

    def _safely(self, run: Callable[..., tuple[Buffer, ...]], *given: Any) -> tuple[Buffer, ...]:
        try:
            if self._generator.threaded:
                results: tuple[Buffer, ...]
                (results,) = self.device.together([partial(run, *given)])
                return results
            return run(*given)
        except HyError:
            raise
        except Exception as error:
            raise self._explained(error) from error

    def observe(self, observer: observing.Observer | None) -> None:
        """Run an observer's variants of the kernels from now on, or the bare ones again."""
        for name, (nodes, kernel) in self._generator.kernels.items():
            self._generator.scope[name] = observed_steps(observer, nodes, kernel, self.device)
        self._run = observed_run(observer, self.steps, self._code.run)
        if self._static is not None:
            self._static_run = observed_run(observer, self.steps, self._static.run)

    def timed(self, buffers: Sequence[Buffer]) -> list[float]:
        """Run once, outside of an arena, and give the seconds that each unit of the plan took."""
        times = [0.0] * len(self.plan.units)
        before = 0.0

        def tick(unit: int) -> None:
            nonlocal before
            self.device.table.synchronize(self.device.handle)
            now = perf_counter()
            times[unit] = now - before
            before = perf_counter()

        run = self._generator.code(tick=tick).run
        before = perf_counter()
        run([*buffers])
        return times

    def _scheduled(self) -> list[Node]:
        order = topological(self.outputs, set(self.inputs).__contains__)
        missing = [node.name for node in order if node.op is None]
        assert not missing, f"program needs variables that are not given: {missing}"
        return order

    # --- errors -----------------------------------------------------------------------------

    def _explained(self, error: Exception) -> Exception:
        """The error to raise for one that came out of a step: what the node's rule says first."""
        codes = {code.filename: code for code in (self._code, self._static) if code}
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename not in codes:
            trace = trace.tb_next
        if trace is None:
            return error
        code = codes[trace.tb_frame.f_code.co_filename]
        unit = code.unit_of.get(trace.tb_lineno)
        if unit is None:
            return error
        known: dict[Entry, TensorType] = {}
        explained = error
        for k in unit.steps:
            node = self.steps[k]
            op = node.op
            assert op is not None
            types = self._input_types(node, code, trace.tb_frame.f_locals, known)
            shown = ", ".join(repr(t) for t in types)
            explained = KernelError(
                f"{op.name} '{node.name}': the kernel failed on {shown}: "
                f"{type(error).__name__}: {error}"
            )
            if node.where:
                explained.add_note(f"node made at {node.where}")
            if node.is_region:  # its backend failed: there is no rule to ask
                return explained
            try:
                results = op.infer(node.operands(types), node.params, node=node.name)
            except HyError as rule:
                if node.where:
                    rule.add_note(f"node made at {node.where}")
                return rule
            known.update({(node, i): t for i, t in enumerate(results)})
        return explained

    def _input_types(
        self,
        node: Node,
        code: Code,
        values: Mapping[str, Any],
        known: Mapping[Entry, TensorType],
    ) -> list[TensorType]:
        """Types of a node's inputs; those in ``known`` are of the steps fused with it."""
        types = []
        for name, entry in zip(node.input_names, node.inputs, strict=True):
            key = entry
            if key in known:
                types.append(TensorType(known[key].shape, known[key].dtype, name))
                continue
            local = code.names[key]
            value = values[local] if local in values else self._generator.scope[local]
            types.append(TensorType(value.shape, self.device.memory.dtype(value), name))
        return types
