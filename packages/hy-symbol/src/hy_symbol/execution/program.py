"""Program: a plan that runs on buffers of a kernel table."""

import threading
from collections.abc import Callable, Mapping, Sequence
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


def plan_of(typed: TypedGraph, device: Device, *, is_train: bool, serves: bool = False) -> Plan:
    """Return the plan that computes a graph from its variables.

    Args:
        typed: The graph as it runs; its types are those of the buffers that a run is given.
        device: Where to run.
        is_train: The mode.
        serves: Whether it is to serve other sizes where it can.
    """
    return plan(
        typed.inputs,
        typed.graph.outputs,
        device,
        is_train=is_train,
        types=typed.types,
        guards=TypeGuards() if serves else None,
    )


class Program:
    """Function of some entries of a graph from others, in one mode, on one device.

    When it first runs, its steps become the source of a Python function, which is compiled once:
    intermediate buffers are its local variables, freed after their last use, so running costs
    little beyond the kernels. With an arena, steps write to memory that was laid out in advance.
    Any number of threads may run a program at once.

    Args:
        inputs: The entries that are given; nothing before them is computed.
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
        self._link(plan(inputs, outputs, device, is_train=is_train, types=types, visible=visible))

    def _link(
        self,
        plan: Plan,
        arena: Arena | None = None,
        out_buffers: Mapping[Entry, int] | None = None,
    ) -> None:
        self.plan = plan
        self.arena = arena
        """Memory for what it makes, if it has some of its own."""
        self._linked = Linked(plan)
        self._lock = threading.Lock()
        self._static: LazyCode | None = None
        self._free: LazyCode | None = None
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
            device: Where to run.
            is_train: The mode.
            pool: Give it an arena, whose memory is the pool's.

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
            plan: What it does.
            arena: Memory for what it makes.
            out_buffers: Where in that, or in memory that :meth:`run_in` is given, its values lie.
        """
        program = cls.__new__(cls)
        program._link(plan, arena, out_buffers)
        return program

    @classmethod
    def in_pool(cls, plan: Plan, pool: Pool | None) -> "Program":
        """Return the program of a plan; with a pool in its own arena if it needs memory."""
        if pool is None:
            return cls.of_plan(plan)
        arena = Arena.of(pool, plan.device, [plan], [lifetimes_of(plan)])
        out_buffers = None if arena is None else arena.out_buffers(0)
        return cls.of_plan(plan, arena=arena, out_buffers=out_buffers)

    def like(self, types: Types) -> "Program | None":
        """Return the program for other types, or None if its plan would differ by more than sizes.

        Both share the plan, the code and most kernels, so that it costs little to make. None where
        the plan is another one.
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
        program._static = program._free = None
        if self._static is None:
            program._free = self._unplaced().like(linked)
        else:
            program._static = self._static.like(linked)
        instrumentation.subscribe(program)
        return program

    def in_memory_of(self, pool: Pool) -> "Program":
        """Return the same program with its arena in another pool, sharing all else."""
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
        """Return the source of the function that runs, with reserved memory if it has that."""
        return (self._static or self._unplaced()).code().source

    @property
    def scope(self) -> dict[str, Any]:
        """Return the values of the names in :attr:`source`."""
        return self._linked.scope

    def compile(self) -> None:
        """Compile the program now rather than in its second run."""
        (self._static or self._unplaced()).code()

    def __call__(self, *buffers: Buffer) -> tuple[Buffer, ...]:
        """Run on one buffer per input; return one per output.

        Raises:
            ShapeError, DTypeError: Buffers do not satisfy a node's rule; names the node.
            KernelError: A kernel failed; names the node.
        """
        return self.run([*buffers])

    def run(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """Run on a list of buffers, which is emptied so that each is freed after its last use."""
        if self.arena is None:
            return self._safely((self._free or self._unplaced()).run, buffers)
        lease = self.arena.lease()
        try:
            return self.run_in(lease.block[0], buffers)
        finally:
            lease.release()

    def run_free(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """Run like :meth:`run`, without the arena."""
        way = self._free or self._unplaced()
        return self._safely(way.run, buffers)

    def run_in(self, out_buffers: Sequence[Buffer], buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """Run like :meth:`run`, in the given memory of the arena."""
        assert self._static is not None
        return self._safely(self._static.run, buffers, out_buffers)

    def _safely(self, run: Callable[..., tuple[Buffer, ...]], *buffers: Any) -> tuple[Buffer, ...]:
        try:
            # Inside, BLAS uses one thread, and the kernels' chunks find the pool's threads free.
            if self._linked.threaded:
                results: tuple[Buffer, ...]
                (results,) = self.device.together([partial(run, *buffers)])
                return results
            return run(*buffers)
        # An error of hy's says what is wrong, but not where; of all others the node's rule is
        # asked.
        except HyError as error:
            values = self._failed(error)
            if values is not None:
                note_node(error, self.steps[values[0].unit.steps[-1]])
            raise
        except Exception as error:
            raise self._explained(error) from error

    def observe(self, observer: instrumentation.Observer | None) -> None:
        """Wrap each kernel by an observer from now on; None removes it."""
        linked = self._linked
        for name, (nodes, kernel) in linked.kernels.items():
            linked.scope[name] = observed_steps(observer, nodes, kernel, self.device)
        # Both ways refer to one scope of kernels.
        for way in (self._free, self._static):
            if way is not None:
                way.observe(partial(observed_run, observer, self.steps))

    def timed(self, buffers: Sequence[Buffer]) -> list[float]:
        """Run once without the arena; return the seconds of each unit."""
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
        """Return the function that runs the program with new buffers instead of the arena."""
        with self._lock:
            if self._free is None:
                self._free = self._lazy_code()
                observer = instrumentation.watch.observer
                self._free.observe(partial(observed_run, observer, self.steps))
            return self._free

    # --- errors -----------------------------------------------------------------------------

    def _explained(self, error: Exception) -> Exception:
        """Return the error to raise for a step's error: first what its type rule reports."""
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
        """Return the instruction that raised an error, the names of values, and their values."""
        # Where it happened is not noted while a program runs, which would cost each step; the
        # traceback has the line of the code, and that the instruction.
        trace = error.__traceback__
        while trace is not None:
            frame = trace.tb_frame
            for way in (self._free, self._static):
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
        """Return the types of a node's inputs; ``known`` has those of fused steps."""
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
