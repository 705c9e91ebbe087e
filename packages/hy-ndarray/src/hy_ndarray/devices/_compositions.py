"""Kernels composed of other operators' kernels, for operators that a table lacks."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, Literal, Protocol, TypeAlias

from hy_ndarray.devices._protocols import (
    BufferType,
    Kernel,
    KernelFunction,
    KernelTable,
    Memory,
    Params,
    PointwiseGroup,
    PointwiseStep,
)

PartialType: TypeAlias = tuple[tuple[int | None, ...] | None, str | None]
"""Partly known shape and dtype; None for each unknown part."""
COMPOSITION = "composition"
"""Name given instead of a table's name for a kernel composed of other operators."""


class Applied(Protocol):
    @property
    def kernel(self) -> str: ...
    @property
    def needs(self) -> Collection[str]: ...


class Step(Protocol):
    @property
    def op(self) -> Applied: ...
    @property
    def operands(self) -> Sequence[int | None]: ...
    @property
    def params(self) -> Params: ...
    @property
    def first(self) -> int: ...
    @property
    def outputs(self) -> int: ...


class Program(Protocol):
    @property
    def inputs(self) -> int: ...
    @property
    def steps(self) -> Sequence[Step]: ...
    @property
    def results(self) -> Sequence[int]: ...


class Composition(Protocol):
    """Definition of an operator by other operators."""

    @property
    def present(self) -> tuple[bool, ...] | None:
        """Return for each input whether every call has it; None if that depends on the call."""

    @property
    def draws(self) -> bool:
        """Return whether calls may draw random numbers."""

    def keeps(self, program: Any, kind: BufferType) -> bool:
        """Return whether all values of a program have the type ``kind`` if its inputs do."""

    def shown(self, params: Params) -> int:
        """Return the number of visible outputs."""

    def program(self, types: Sequence[PartialType | None], params: Params) -> Program | None:
        """Return the program for inputs of partly known types; None if it depends on more.

        Args:
            types: Shape and dtype of each input as far as the program may depend on them; None for
                omitted inputs.
            params: All parameters.
        """


_declared: dict[str, Composition] = {}
"""Compositions by kernel name."""


def declare_compositions(compositions: Mapping[str, Composition]) -> None:
    """Register the compositions by kernel name."""
    _declared.update(compositions)


def composition_of(kernel: str) -> Composition | None:
    """Return the composition of a kernel, or None."""
    return _declared.get(kernel)


Quiet: TypeAlias = Callable[[KernelFunction], KernelFunction]
"""Wrapper of a function that suppresses an array library's floating-point warnings."""
Find: TypeAlias = Callable[[str], Kernel]
MIN_FUSED_SIZE = 1 << 16
"""Number of elements from which pointwise steps are fused (bench-overrides: below, one call per
step is as fast)."""
_FUSED_DTYPES = ("float32", "float64")
_MAX_PROGRAMS = 256  # programs cached by types, for one kernel with one set of parameters
_UNTYPED: PartialType = (None, None)
_KNOWN: tuple[Callable[[Any], Any], ...] = (
    lambda x: (),  # noqa: ARG005
    lambda x: x.dtype,
    lambda x: (len(x.shape), x.dtype),
    lambda x: (x.shape, x.dtype),
)
"""Facts about a buffer by level of information: none, dtype, rank and dtype, shape and dtype."""
_NEEDS = frozenset(("is_train", "rng", "device"))


class Composed:
    """Kernel that runs the kernels of the operators that an operator is composed of.

    Args:
        name: The name of the kernel.
        composition: The definition of the operator.
        find: Returns the kernel of another operator by name.
        tables: The tables, in order of preference.
        device: The table's handle of the device, for operators that create arrays.
    """

    out: Literal["none"] = "none"
    pointwise = False
    threads: int | None = None
    loads: tuple[str, ...] = ()
    algorithm = None
    packing = None

    def __init__(
        self,
        name: str,
        composition: Composition,
        find: Find,
        tables: Sequence[KernelTable],
        device: Any,
    ) -> None:
        self.name = name
        self.composition = composition
        self._find = find
        self._memory: Memory = tables[0].memory
        self._quiet: Quiet | None = getattr(tables[0], "quiet", None)
        self._fuses: Any = next((table for table in tables if hasattr(table, "fuse")), None)
        self._device = device
        self._by_params: dict[Any, KernelFunction] = {}

    def function(self, *buffers: Any, **options: Any) -> Any:
        """Return the outputs, one or a tuple; ``options`` are parameters and extra arguments."""
        params = {name: value for name, value in options.items() if name not in _NEEDS}
        key = repr(params)  # which tells 1 from 1.0 and True
        run = self._by_params.get(key)
        if run is None:
            run = self._by_params[key] = self._specialized(params)
        needs = {name: value for name, value in options.items() if name in _NEEDS}
        return run(*buffers, **needs)

    def specialize(
        self, types: Sequence[BufferType | None] | None, params: Params
    ) -> KernelFunction | None:
        """Return the function specialised for these parameters, for eager calls only."""
        shown = self.composition.shown(params)
        if types is not None or shown > 1 or self.composition.draws:
            return None
        return self._specialized(params, shown)

    def _specialized(self, params: Params, shown: int | None = None) -> KernelFunction:
        """Return the function for these parameters, for buffers of any types.

        Args:
            params: The parameters.
            shown: The number of leading outputs to return; None: all.
        """
        # A program that depends on parameters alone is linked once, whatever the types.
        present = self.composition.present
        if present is not None:
            program = self.composition.program([_UNTYPED if x else None for x in present], params)
            if program is not None:
                return self._linked(program, shown)
        # No lock: threads that miss the same key at once make equal functions, one of which stays.
        programs: dict[Any, KernelFunction | None] = {}
        first = len(_KNOWN)  # lowest level of information that has sufficed; tried first

        def run(*buffers: Any, **needs: Any) -> Any:
            nonlocal first
            # The fewer facts the key holds, the more calls share a program, and the cheaper the
            # key: levels are tried from the lowest that has sufficed.
            for level, known in enumerate(_KNOWN[first % len(_KNOWN) :], first % len(_KNOWN)):
                key = level, *[None if x is None else known(x) for x in buffers]
                function = programs.get(key)
                if function is None and key not in programs:
                    function = self._program_for(level, buffers, params, shown)
                    if len(programs) >= _MAX_PROGRAMS:
                        programs.clear()
                    programs[key] = function
                if function is not None:
                    first = min(first, level)
                    return function(*buffers, **needs)
            raise AssertionError(f"{self.name}: its composition asks for more than types")

        return run

    def _program_for(
        self, level: int, buffers: Sequence[Any], params: Params, shown: int | None
    ) -> KernelFunction | None:
        """Return the function for buffers whose types are known up to a level of ``_KNOWN``."""
        types: list[PartialType | None] = []
        for x in buffers:
            if x is None:
                types.append(None)
                continue
            shape = (None, None, (None,) * len(x.shape), tuple(x.shape))[level]
            types.append((shape, self._memory.dtype(x) if level else None))
        program = self.composition.program(types, params)
        return None if program is None else self._linked(program, shown)

    def _linked(self, program: Program, shown: int | None = None) -> KernelFunction:
        """Return a function, generated as straight-line code, that calls the steps' kernels."""
        first = program.steps[0]
        is_single = len(program.steps) == first.outputs == 1 and not first.op.needs
        if is_single and first.operands == tuple(range(program.inputs)):
            return self._bound_kernel(first)  # the operator is an alias of another one
        # Straight-line code, as a loop over the steps would cost Python overhead in every call.
        last = {i: k for k, step in enumerate(program.steps) for i in step.operands}
        # With __name__, errors look past these frames for the line of the user: see user_line().
        scope: dict[str, Any] = {"device": self._device, "__name__": __name__}
        lines = []
        for k, step in enumerate(program.steps):
            scope[f"kernel{k}"] = self._bound_kernel(step)
            names = [f"v{step.first + i}" for i in range(step.outputs)]
            operands = ["None" if i is None else f"v{i}" for i in step.operands]
            needs = [f"{name}={name}" for name in sorted(step.op.needs)]
            target = names[0] if step.outputs == 1 else f"{', '.join(names)}, *_"
            lines.append(f"{target} = kernel{k}({', '.join([*operands, *needs])})")
            # Values are deleted after their last use, so that later steps can reuse the memory.
            dead = [
                f"v{i}"
                for i in dict.fromkeys(step.operands)
                if i is not None
                and i >= program.inputs
                and last[i] == k
                and i not in program.results
            ]
            if dead:
                lines.append(f"del {', '.join(dead)}")
        lines.append("return " + ", ".join(f"v{i}" for i in program.results[:shown]))
        inputs = "".join(f"v{i}, " for i in range(program.inputs))
        body = "\n    ".join(lines)
        text = f"def run({inputs}*, rng=None, is_train=False, **_needs):\n    {body}"
        exec(text, scope)  # noqa: S102  # of the forms above alone
        run: KernelFunction = scope["run"]
        if self._quiet is not None:
            run = self._quiet(run)
        return self._fused(program, run) if self._can_fuse(program) else run

    def _can_fuse(self, program: Program) -> bool:
        """Return whether all steps are pointwise kernels that the fusing table can combine."""
        table = self._fuses
        return (
            table is not None
            and len(program.results) == 1
            and all(
                not step.op.needs
                and step.operands
                and None not in step.operands
                and (record := table.find(step.op.kernel)) is not None
                and record.pointwise
                for step in program.steps
            )
        )

    def _fused(self, program: Program, run: KernelFunction) -> KernelFunction:
        """Return a function that runs a pointwise program as one fused kernel on large arrays."""
        kernels: dict[Any, KernelFunction | None] = {}

        def fused(*buffers: Any, **needs: Any) -> Any:
            first = buffers[0]
            shape, dtype = first.shape, first.dtype
            if prod(shape) < MIN_FUSED_SIZE:
                return run(*buffers, **needs)
            # A fused kernel takes operands of one shape and dtype: no broadcasting, no casts.
            if any(x.shape != shape or x.dtype != dtype for x in buffers):
                return run(*buffers, **needs)
            key = shape, dtype
            if key not in kernels:
                if len(kernels) >= _MAX_PROGRAMS:
                    kernels.clear()
                kernels[key] = self._fused_for(program, self._type(first))
            kernel = kernels[key]
            return run(*buffers, **needs) if kernel is None else kernel(*buffers)[0]

        return fused

    def _fused_for(self, program: Program, kind: BufferType) -> KernelFunction | None:
        """Return the fused kernel for arrays of type ``kind``; None if other types occur."""
        if kind[1] not in _FUSED_DTYPES or not self.composition.keeps(program, kind):
            return None
        steps = tuple(
            PointwiseStep(step.op.kernel, tuple(step.operands), step.params)  # type: ignore[arg-type]
            for step in program.steps
        )
        group = PointwiseGroup(program.inputs, steps, tuple(program.results), kind)
        kernel: KernelFunction = self._fuses.fuse(group).function
        return kernel

    def _type(self, buffer: Any) -> BufferType:
        return tuple(buffer.shape), self._memory.dtype(buffer)

    def _bound_kernel(self, step: Step) -> KernelFunction:
        """Return the kernel of a step with its parameters bound."""
        record = self._find(step.op.kernel)
        special = None
        if step.outputs == 1 and not step.op.needs and record.specialize is not None:
            special = record.specialize(None, step.params)
        if special is not None:
            return special
        return partial(record.function, **step.params) if step.params else record.function
