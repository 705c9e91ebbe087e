"""OwnPrograms: programs of one block or executor for one signature, with memory of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hy_ndarray import Device
from hy_ndarray.devices import instrumentation
from hy_symbol.compile.arena import Pool
from hy_symbol.execution.cache import ExecutableCache, Executables, Mode
from hy_symbol.execution.captured_pair import CapturedPair
from hy_symbol.execution.differentiable import Differentiable
from hy_symbol.execution.executable import Executable
from hy_symbol.execution.gradient_buffers import GradientBuffers
from hy_symbol.execution.recapture import no_capture
from hy_symbol.execution.setup_lock import release_stale, setup_lock
from hy_symbol.execution.tiers import MAX_TAPE_BYTES
from hy_symbol.graph.collector import without_collections
from hy_symbol.infer.typed_graph import TypedGraph

__all__ = ["OwnPrograms", "RunOptions", "Training"]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options for running the programs of a block or an executor, whatever their inputs."""

    pool: Pool
    """Memory of the programs' arenas."""
    fixed: Sequence[int] = ()
    """Positions of the inputs that are the same buffers in most calls: parameters."""
    is_static: bool = False
    """Whether programs are captured, where the kernel table supports that."""
    mirror: bool = False
    """Whether the backward pass recomputes cheap values, as MXNet's memory mirroring does."""
    retained: bool = False
    """Whether several backward passes may use the saved values of one forward pass."""

    def captures(self, device: Device) -> bool:
        """Return whether programs are to be captured and the device supports that."""
        return self.is_static and no_capture(device) is None


class Training:
    """Forward and backward program of a graph, with the placement of its gradients.

    Args:
        pair: The forward and the backward program.
        gradients: Selects the gradients that are written to their target arrays.
        cache: The cache of the graph.
        mode: Device, training mode, and inputs with gradients.
        captured: Positions of the inputs with fixed addresses, to capture the pair; None: not
            captured.
    """

    def __init__(
        self,
        pair: Differentiable,
        gradients: GradientBuffers,
        cache: ExecutableCache,
        mode: Mode,
        captured: Sequence[int] | None = None,
    ) -> None:
        self.pair = pair
        self.gradients = gradients
        self.programs = pair if captured is None else CapturedPair(pair, captured)
        """The pair, or the captured pair."""
        self._cache, self._mask = cache, mode[2]

    @cached_property
    def recorded(self) -> list[int]:
        """Positions of the outputs that depend on inputs with gradients."""
        return self._cache.following(self._mask)


class OwnPrograms:
    """Programs for one signature, compiled on first use; plans are shared, memory is not.

    Thread-safe: one thread compiles a program while others wait.

    Args:
        executables: The programs that all users of an equal graph share.
        options: Options for running the programs.
    """

    __slots__ = ("executables", "options", "programs", "training")

    def __init__(self, executables: Executables, options: RunOptions) -> None:
        self.executables = executables
        self.options = options
        self.programs: dict[tuple[Device, bool], Executable] = {}
        self.training: dict[Mode, Training] = {}

    @property
    def typed(self) -> TypedGraph:
        """Return the graph with the types inferred from its inputs."""
        return self.executables.typed

    def program(self, device: Device, is_train: bool) -> Executable:
        """Return the program that computes the outputs."""
        program = self.programs.get((device, is_train))
        return self._new_program(device, is_train) if program is None else program

    @without_collections
    def _new_program(self, device: Device, is_train: bool) -> Executable:
        options = self.options
        with setup_lock():
            program = self.programs.get((device, is_train))
            if program is not None:
                return program
            # Parameters stay where they are: a captured CUDA graph can hold their addresses.
            fixed = options.fixed if options.captures(device) else None
            shared = self.executables.program(device, is_train)
            program = shared.in_memory_of(options.pool, fixed)
            # Programs of devices whose table was swapped never run again.
            release_stale(self.programs)
            self.programs[device, is_train] = program
            return program

    def differentiable(self, mode: Mode) -> Training:
        """Return the programs that compute the outputs and the gradients."""
        training = self.training.get(mode)
        return self._new_training(mode) if training is None else training

    @without_collections
    def _new_training(self, mode: Mode) -> Training:
        with setup_lock():
            training = self.training.get(mode)
            if training is not None:
                return training
            device, is_train, mask = mode
            options, executables = self.options, self.executables
            if options.mirror:
                joint = executables.cache.joint(is_train, mask)
                pair = joint.programs(device, self.typed, mirror=True, pool=options.pool)
            else:
                pair = executables.pair(mode, retained=options.retained).in_memory_of(options.pool)
            if mode in executables.begun and not options.retained:  # they will run again
                executables.begun.remove(mode)
                pair.forward.compile()
                pair.backward.compile()
            # Before the new one is added, so that stale devices never accumulate.
            release_stale(self.training)
            gradients = GradientBuffers(device, pair.out_types, len(mask), options.fixed)
            captured = options.fixed if options.captures(device) else None
            training = Training(pair, gradients, executables.cache, mode, captured)
            self.training[mode] = training
            return training

    def records_first_pass(self, mode: Mode) -> bool:
        """Return whether this pass is a first one, to be recorded operator by operator."""
        executables, cache = self.executables, self.executables.cache
        # A pass that was seen before, or that other shapes compiled already, is compiled.
        if (
            mode in executables.begun
            or (*mode, False) in executables.pairs
            or mode in self.training
        ):
            return False
        # Profilers show programs; captured devices gain from the first pass on.
        if instrumentation.watch.observer is not None or self.options.captures(mode[0]):
            return False
        if cache.shares_training(mode) or not self._is_small(mode[2]):
            return False
        if cache.promotions[mode[1:]].is_due():
            return False
        executables.begun.add(mode)
        return True

    # The first training pass of small graphs is recorded operator by operator, since a program that
    # runs once costs more to compile than to interpret.
    def _is_small(self, mask: Sequence[bool]) -> bool:
        """Return whether all results are small enough to be recorded operator by operator.

        The gradients of the inputs that ``mask`` selects count, too.
        """
        graph, types = self.typed.graph, self.typed.types
        new = {entry for entry in graph.outputs if entry[0].op is not None}
        entries = [
            types.nbytes((node, i))
            for node in graph.nodes
            if node.op is not None
            for i in range(node.num_outputs)
        ]
        entries += [
            types.nbytes((node, 0))
            for node, selected in zip(self.executables.cache.variables, mask, strict=True)
            if selected
        ]
        # An output that is an input, or is given twice, needs the program's rules for copies.
        return len(new) == len(graph.outputs) and sum(entries) <= MAX_TAPE_BYTES
