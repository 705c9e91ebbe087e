"""Kernels of operators that a table has none for, made of those of the operators they stand for."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

from hy_ndarray.devices._protocols import BufferType, Kernel, KernelFunction, Memory, Params

__all__ = ["COMPOSITION", "Composed", "Composition", "composition_of", "declare_compositions"]


COMPOSITION = "composition"
"""What is named in place of a table where a kernel is what its operator is composed of."""


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
    """The meaning of an operator, written with others."""

    @property
    def present(self) -> tuple[bool, ...] | None:
        """Which inputs every call has; None where that differs."""

    def program(self, types: Sequence[BufferType | None], params: Params) -> Program:
        """The steps for inputs of these types."""

    def untyped(self, present: Sequence[bool], params: Params) -> Program | None:
        """The steps for inputs of all types, None where they depend on these."""


_declared: dict[str, Composition] = {}
"""By name of kernel."""


def declare_compositions(compositions: Mapping[str, Composition]) -> None:
    """Say for which kernels there are compositions."""
    _declared.update(compositions)


def composition_of(kernel: str) -> Composition | None:
    """The composition that stands for a kernel, if any does."""
    return _declared.get(kernel)


Find: TypeAlias = Callable[[str], Kernel]
_MAX_PROGRAMS = 256  # of one kernel with one set of parameters, by types
_NEEDS = frozenset(("is_train", "rng", "device"))


class Composed:
    """A kernel that runs those of the operators that its operator is composed of.

    Args:
        name: That of the kernel.
        composition: What it computes.
        find: Gives the kernels of other operators.
        memory: Tells the dtypes of buffers.
        device: The table's handle, for operators that create.
    """

    out: Literal["none"] = "none"
    pointwise = False
    threads: int | None = None
    loads: tuple[str, ...] = ()
    algorithm = None

    def __init__(
        self, name: str, composition: Composition, find: Find, memory: Memory, device: Any
    ) -> None:
        self.name = name
        self.composition = composition
        self._find = find
        self._memory = memory
        self._device = device
        self._by_params: dict[Any, KernelFunction] = {}

    def function(self, *buffers: Any, **given: Any) -> Any:
        """The outputs, one or a tuple; ``given`` are parameters and what the operator needs."""
        params = {name: value for name, value in given.items() if name not in _NEEDS}
        key = repr(params)  # which tells 1 from 1.0 and True
        run = self._by_params.get(key)
        if run is None:
            run = self._by_params[key] = self._with(params)
        needs = {name: value for name, value in given.items() if name in _NEEDS}
        return run(*buffers, **needs)

    def specialize(
        self, types: Sequence[BufferType | None] | None, params: Params
    ) -> KernelFunction | None:
        """The function for these parameters; a step of a graph takes the general one."""
        return None if types is not None else self._with(params)

    def _with(self, params: Params) -> KernelFunction:
        """The function for these parameters and buffers of any types."""
        present = self.composition.present
        program = None if present is None else self.composition.untyped(present, params)
        if program is not None:
            return self._linked(program)
        programs: dict[Any, KernelFunction] = {}

        def run(*buffers: Any, **needs: Any) -> Any:
            key = tuple([None if x is None else (x.shape, x.dtype) for x in buffers])
            function = programs.get(key)
            if function is None:
                if len(programs) >= _MAX_PROGRAMS:
                    programs.clear()
                types = [None if x is None else self._type(x) for x in buffers]
                made = self.composition.program(types, params)
                function = programs[key] = self._linked(made)
            return function(*buffers, **needs)

        return run

    def _type(self, buffer: Any) -> BufferType:
        return tuple(buffer.shape), self._memory.dtype(buffer)

    def _linked(self, program: Program) -> KernelFunction:
        """A straight-line function that calls the kernels of a program's steps."""
        first = program.steps[0]
        is_single = len(program.steps) == first.outputs == 1 and not first.op.needs
        if is_single and first.operands == tuple(range(program.inputs)):
            return self._bound(first)  # an operator under another name
        last = {i: k for k, step in enumerate(program.steps) for i in step.operands}
        scope: dict[str, Any] = {"device": self._device}
        lines = []
        for k, step in enumerate(program.steps):
            scope[f"kernel{k}"] = self._bound(step)
            made = [f"v{step.first + i}" for i in range(step.outputs)]
            operands = ["None" if i is None else f"v{i}" for i in step.operands]
            needs = [f"{name}={name}" for name in sorted(step.op.needs)]
            target = made[0] if step.outputs == 1 else f"{', '.join(made)}, *_"
            lines.append(f"{target} = kernel{k}({', '.join([*operands, *needs])})")
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
        lines.append("return " + ", ".join(f"v{i}" for i in program.results))
        inputs = "".join(f"v{i}, " for i in range(program.inputs))
        body = "\n    ".join(lines)
        text = f"def run({inputs}*, rng=None, is_train=False, **_needs):\n    {body}"
        exec(text, scope)  # noqa: S102  # of the forms above alone
        run: KernelFunction = scope["run"]
        return run

    def _bound(self, step: Step) -> KernelFunction:
        """The kernel of a step with its parameters."""
        record = self._find(step.op.kernel)
        special = None
        if step.outputs == 1 and not step.op.needs and record.specialize is not None:
            special = record.specialize(None, step.params)
        if special is not None:
            return special
        return partial(record.function, **step.params) if step.params else record.function
