"""Program: a plan that runs on buffers of a kernel table."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from functools import partial
from time import perf_counter
from typing import Any

from hy_ndarray import Buffer, Device, HyError, KernelError
from hy_ndarray.devices import instrumentation
from hy_ndarray.ops import TensorType
from hy_symbol.compile.arena import Arena, Pool
from hy_symbol.compile.codegen import generated
from hy_symbol.compile.lazy_code import LazyCode
from hy_symbol.compile.lifetimes import lifetimes_of
from hy_symbol.compile.linking import Linked
from hy_symbol.compile.plan import Plan
from hy_symbol.compile.planning import plan
from hy_symbol.compile.routine import Instruction, Routine
from hy_symbol.execution.failures import explained_failure, note_node
from hy_symbol.execution.instrumented import observed_run, observed_steps
from hy_symbol.graph.node import Entry, Node
from hy_symbol.infer.engine import Types
from hy_symbol.infer.type_guards import TypeGuards
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.pipeline import PREDICT, lowered
from hy_symbol.passes.target import Target

__all__ = ["Program", "plan_of"]


def plan_of(
    typed: TypedGraph,
    device: Device,
    *,
    is_train: bool,
    serves: bool = False,
    donated: Collection[int] = (),
) -> Plan:
    """Return the plan that computes a graph from its variables.

    Args:
        typed: The graph after lowering, with the types of the buffers of a run.
        device: The device to run on.
        is_train: Whether operators compute as in training.
        serves: Whether to record guards, so that the plan can be reused for other sizes.
        donated: Positions of the variables whose buffers may be overwritten.
    """
    return plan(
        typed.inputs,
        typed.graph.outputs,
        device,
        is_train=is_train,
        types=typed.types,
        guards=TypeGuards() if serves else None,
        donated=donated,
    )


class Program:
    """Compiled function from some entries of a graph to others, for one mode and device.

    On its first run the plan is compiled to a Python function. Intermediate buffers are local
    variables of this function, deleted after their last use, so that a run costs little beyond its
    kernels. With an arena, kernels write to out buffers that were laid out in advance. Thread-safe.

    Args:
        inputs: The entries that are given; nothing before them is computed.
        outputs: The entries to compute.
        device: The device to run on; its kernels are looked up in the constructor.
        is_train: Whether operators compute as in training.
        types: Types of all entries, if known. The program is then planned for them (see
            :mod:`hy_symbol.compile.planning`), and accepts only buffers of these types.
        visible: Number of leading outputs that users get and may write to (all if None); the other
            outputs may share memory with each other and with inputs.

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
        self._link(plan(inputs, outputs, device, is_train=is_train, types=types, visible=visible))

    def _link(
        self,
        plan: Plan,
        arena: Arena | None = None,
        out_buffers: Mapping[Entry, int] | None = None,
    ) -> None:
        self.plan = plan
        self.arena = arena
        """Memory of intermediate values; None: they are allocated in each run."""
        self._linked = Linked(plan)
        self._lock = threading.Lock()
        self._static: LazyCode | None = None
        self._free: LazyCode | None = None
        self._announcing: LazyCode | None = None
        if out_buffers is None:
            self._free = self._lazy_code()
        else:
            self._static = self._lazy_code(out_buffers)
        instrumentation.subscribe(self)

    @classmethod
    def of(
        cls,
        typed: TypedGraph,
        device: Device,
        *,
        is_train: bool,
        pool: Pool | None = None,
    ) -> "Program":
        """Return the program that computes a graph from its variables.

        Args:
            typed: The graph; its types are those of the buffers that the program takes.
            device: The device to run on.
            is_train: Whether operators compute as in training.
            pool: Memory for an arena; no arena if None.

        Raises:
            KernelError: The device's tables lack a kernel.
        """
        simple = lowered(typed, PREDICT, Target(device, is_train=is_train))
        return cls.in_pool(plan_of(simple, device, is_train=is_train), pool)

    @classmethod
    def of_plan(
        cls,
        plan: Plan,
        *,
        arena: Arena | None = None,
        out_buffers: Mapping[Entry, int] | None = None,
    ) -> "Program":
        """Return the program of a plan.

        Args:
            plan: The plan to run.
            arena: Memory of intermediate values.
            out_buffers: Index, among the out buffers of :meth:`run_in`, of the entries that are
                written to one.
        """
        program = cls.__new__(cls)
        program._link(plan, arena, out_buffers)
        return program

    @classmethod
    def in_pool(cls, plan: Plan, pool: Pool | None) -> "Program":
        """Return the program of a plan, with an arena in ``pool`` if it has intermediate values."""
        if pool is None:
            return cls.of_plan(plan)
        arena = Arena.of(pool, plan.device, [plan], [lifetimes_of(plan)])
        out_buffers = None if arena is None else arena.out_buffers(0)
        return cls.of_plan(plan, arena=arena, out_buffers=out_buffers)

    def like(self, types: Types) -> "Program | None":
        """Return the program for other types, or None if its plan would differ by more than sizes.

        Both programs share the plan, the code and most kernels, so this is cheap.
        """
        plan = self.plan.like(types)
        if plan is None:
            return None
        self.compile()  # which adds to what is linked
        linked = self._linked.like(plan)
        if linked is None:
            return None
        program = Program.__new__(Program)
        program.plan, program._linked = plan, linked
        program.arena = None
        if self.arena is not None:
            program.arena = self.arena.like([plan], [lifetimes_of(plan)])
        program._lock = threading.Lock()
        program._static = program._free = program._announcing = None
        if self._static is None:
            program._free = self._unplaced().like(linked)
        else:
            program._static = self._static.like(linked)
        instrumentation.subscribe(program)
        return program

    def in_memory_of(self, pool: Pool) -> "Program":
        """Return a copy with its arena in another pool; all else is shared."""
        if self.arena is None:
            return self
        program = copy(self)
        program.arena = self.arena.in_memory_of(pool)
        instrumentation.subscribe(program)
        return program

    @property
    def inputs(self) -> tuple[Entry, ...]:
        """Return the entries that the program takes."""
        return self.plan.inputs

    @property
    def outputs(self) -> tuple[Entry, ...]:
        """Return the entries that the program computes."""
        return self.plan.outputs

    @property
    def device(self) -> Device:
        """Return the device of the program."""
        return self.plan.device

    @property
    def is_train(self) -> bool:
        """Return whether operators compute as in training."""
        return self.plan.is_train

    @property
    def types(self) -> Types | None:
        """Return the known types of all entries."""
        return self.plan.types

    @property
    def steps(self) -> list[Node]:
        """Return the nodes that the program computes, in order."""
        return self.plan.steps

    @property
    def source(self) -> str:
        """Return the source of the generated function; of the one with out buffers if it exists."""
        return (self._static or self._unplaced()).code().source

    @property
    def scope(self) -> dict[str, Any]:
        """Return the global names of :attr:`source` with their values."""
        return self._linked.scope

    def compile(self) -> None:
        """Compile the program now instead of on its first run."""
        (self._static or self._unplaced()).code()

    def __call__(self, *buffers: Buffer) -> tuple[Buffer, ...]:
        """Run on one buffer per input; return one per output.

        Raises:
            ShapeError, DTypeError: Buffers do not satisfy a node's rule; names the node.
            KernelError: A kernel failed; names the node.
        """
        return self.run([*buffers])

    def run(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """Return the outputs; ``buffers`` is emptied, so that each is freed after its last use."""
        if self.arena is None:
            return self.run_in(None, buffers)
        lease = self.arena.lease()
        try:
            return self.run_in(lease.block[0], buffers)
        finally:
            lease.release()

    def run_free(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """Run like :meth:`run`, allocating intermediate values instead of using the arena."""
        return self.run_in(None, buffers)

    def run_in(
        self,
        out_buffers: Sequence[Buffer] | None,
        buffers: list[Buffer],
        done: Callable[[int, Buffer], object] | None = None,
    ) -> tuple[Buffer, ...]:
        """Run like :meth:`run`, writing to the given out buffers; None: like :meth:`run_free`.

        Args:
            out_buffers: The out buffers.
            buffers: The inputs; emptied.
            done: Called with the position and the buffer of each output as soon as it is computed;
                not for outputs that are inputs or constants.
        """
        run: Callable[..., tuple[Buffer, ...]]
        operands: tuple[Any, ...]
        if done is not None:
            memory = () if self._static is None else (out_buffers,)
            run, operands = self._announcing_code().run, (buffers, *memory, done)
        elif out_buffers is None:
            run, operands = (self._free or self._unplaced()).run, (buffers,)
        else:
            assert self._static is not None
            run, operands = self._static.run, (buffers, out_buffers)
        try:
            # Inside, BLAS uses one thread, and the kernels' chunks find the pool's threads free.
            if self._linked.threaded:
                results: tuple[Buffer, ...]
                (results,) = self.device.together([partial(run, *operands)])
                return results
            return run(*operands)
        # An error of hy explains itself and gets the node's name; any other is explained by the
        # type rule.
        except HyError as error:
            values = self._failed(error)
            if values is not None:
                note_node(error, self.steps[values[0].unit.steps[-1]])
            raise
        except Exception as error:
            raise self._explained(error) from error

    def observe(self, observer: instrumentation.Observer | None) -> None:
        """Wrap the program and its kernels to report to ``observer`` from now on; None: unwrap."""
        linked = self._linked
        for name, (nodes, kernel) in linked.kernels.items():
            linked.scope[name] = observed_steps(observer, nodes, kernel, self.device)
        # Both ways refer to one scope of kernels.
        for way in (self._free, self._static, self._announcing):
            if way is not None:
                way.observe(partial(observed_run, observer, self.steps))

    def timed(self, buffers: Sequence[Buffer]) -> list[float]:
        """Run once without the arena; return the time of each unit in seconds."""
        times = [0.0] * len(self.plan.units)
        before = perf_counter()

        def tick(unit: int) -> None:
            nonlocal before
            self.device.table.synchronize(self.device.handle)
            now = perf_counter()
            times[unit] = now - before
            before = perf_counter()

        generated(self._unplaced().routine, tick).run([*buffers])
        return times

    def _lazy_code(self, out_buffers: Mapping[Entry, int] | None = None) -> LazyCode:
        return LazyCode(Routine(self._linked, out_buffers))

    def _unplaced(self) -> LazyCode:
        """Return the code that allocates buffers instead of using the arena."""
        with self._lock:
            if self._free is None:
                self._free = self._observed(self._lazy_code())
            return self._free

    def _announcing_code(self) -> LazyCode:
        """Return the code that announces outputs."""
        routine = (self._static or self._unplaced()).routine
        with self._lock:
            if self._announcing is None:
                self._announcing = self._observed(LazyCode(routine, announces=True))
            return self._announcing

    def _observed(self, way: LazyCode) -> LazyCode:
        way.observe(partial(observed_run, instrumentation.watch.observer, self.steps))
        return way

    # --- errors -----------------------------------------------------------------------------

    def _explained(self, error: Exception) -> Exception:
        """Return the error to raise for a failed kernel: the type rule's error if it finds one."""
        explanation = self._failed(error)
        if explanation is None:
            return error
        instruction, names, values = explanation
        known: dict[Entry, TensorType] = {}
        *fused, last = [self.steps[k] for k in instruction.unit.steps]
        for node in fused:
            types = self._input_types(node, names, values, known)
            explained = explained_failure(error, node, types)
            if not isinstance(explained, KernelError):
                return explained
            assert node.op is not None
            results = node.op.infer(node.operands(types), node.params, node=node.name)
            known.update({(node, i): t for i, t in enumerate(results)})
        return explained_failure(error, last, self._input_types(last, names, values, known))

    def _failed(
        self, error: Exception
    ) -> tuple[Instruction, Mapping[Entry, str], Mapping[str, Any]] | None:
        """Return the instruction that raised an error, names by entry, and values by name."""
        # The current step is not recorded while a program runs, which would cost time in each step:
        # the traceback has the line of the generated code, which belongs to an instruction.
        trace = error.__traceback__
        while trace is not None:
            frame = trace.tb_frame
            for way in (self._free, self._static, self._announcing):
                instruction = None if way is None else way.instruction_at(frame, trace.tb_lineno)
                if way is not None and instruction is not None:
                    return instruction, way.routine.names, frame.f_locals
            trace = trace.tb_next
        return None

    def _input_types(
        self,
        node: Node,
        names: Mapping[Entry, str],
        values: Mapping[str, Any],
        known: Mapping[Entry, TensorType],
    ) -> list[TensorType]:
        """Return the types of a node's inputs: from ``known``, or of the values by local name."""
        types = []
        for name, entry in zip(node.input_names, node.inputs, strict=True):
            key = entry
            if key in known:
                types.append(TensorType(known[key].shape, known[key].dtype, name))
                continue
            local = names[key]
            value = values[local] if local in values else self.scope[local]
            types.append(TensorType(value.shape, self.device.memory.dtype(value), name))
        return types
