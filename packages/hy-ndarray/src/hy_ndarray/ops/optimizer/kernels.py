"""StepKernel: the kernel of an optimizer operator, from the rule that the table compiles.

Whatever the form, a table steps *rows*: a weight, its gradient and its states, which are
overwritten but for the gradient. A row of a mixed form ends with the weight of 16 bits.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from math import isfinite
from operator import attrgetter, is_not, itemgetter
from typing import Any, Literal, Protocol, TypeAlias

from hy_ndarray.devices._protocols import (
    Buffer,
    Kernel,
    KernelFunction,
    KernelTable,
    Memory,
    Params,
)
from hy_ndarray.devices._step_protocols import Step
from hy_ndarray.ops.optimizer.forms import Form, Rule
from hy_ndarray.ops.optimizer.formula import Constant

__all__ = ["StepKernel"]

Targets: TypeAlias = Sequence[Buffer] | None
_NARROW = ("float16", "bfloat16")
_NUMBERS = frozenset((int, float))
_SHAPE = attrgetter("shape")


class Kernels(Protocol):
    """Interface of a device's kernels by name."""

    @property
    def tables(self) -> Sequence[KernelTable]: ...
    @property
    def sharing_tables(self) -> Sequence[KernelTable]: ...
    def __getitem__(self, name: str) -> KernelFunction: ...
    def record(self, name: str) -> Kernel: ...


class StepKernel:
    """Kernel of a form, which returns the new weights, then the new states.

    Args:
        form: Whose kernel it is.
        kernels: Those of the device; a table, or its fallback, steps rows if it can.
    """

    out: Literal["in place"] = "in place"
    pointwise = False
    threads = None
    algorithm = None
    packing = None

    def __init__(self, form: Form, kernels: Kernels) -> None:
        rule, table = form.rule, kernels.tables[0]
        self.name = form.kernel
        self._form = form
        # Properties of the form that each step asks for, without their frames.
        self._scalar_inputs, self._group, self._guard = form.scalar_inputs, form.group, form.guard
        self._kernels = kernels
        self._memory: Memory = table.memory
        makers = [each.step for each in kernels.sharing_tables if hasattr(each, "step")]
        step: Step | None = makers[0](rule) if makers else None
        self._step = step or _Interpreted(rule, kernels, self._memory)
        names = [form.plural.get(name, name) for name in rule.numbers if name not in rule.bounds]
        self.loads = tuple(names) if self._step.loads else ()
        self._keys = [(form.plural.get(name, name), name in form.plural) for name in rule.numbers]
        """The parameters with the numbers, and whether they hold one for each weight."""
        self._named = None if form.many or form.scalar_inputs else itemgetter(*rule.numbers)
        if not form.many:
            position = {name: k for k, name in enumerate(form.inputs)}
            changed = (
                "weight32" if form.mixed and form.direction else form.inputs[0],
                *form.updated,
            )
            self._sources = [position[name] for name in changed]
            self._grad = position[form.inputs[1]]

    def function(self, *buffers: Buffer, out: Targets = None, **params: Any) -> Any:
        """Return the results, in ``out`` if given, which may be the weights and states."""
        return self._update(self._weight_numbers(buffers, params), params, *buffers, out=out)

    def specialize(self, types: object, params: Params) -> KernelFunction | None:
        """Return the kernel specialised for these parameters, if no operand holds a number."""
        form = self._form
        if types is not None or form.preloaded or form.scalar_inputs:
            return None
        numbers = self._weight_numbers((), params)
        update = partial(self._update, numbers, params)
        # Operands that are a row already: no mixed weight, which stands last in a row.
        is_row = not form.many and not form.mixed and not (form.guard and form.clips(params))
        if is_row and (self._grad, *self._sources) == (1, 0, *range(2, len(form.inputs))):
            return self._row_update(numbers, update)
        return update

    def _row_update(
        self, numbers: Sequence[tuple[Any, ...]], general: KernelFunction
    ) -> KernelFunction:
        """Return the update of a row by these numbers, for most calls: those that overwrite it.

        Shapes were compared by the operator's type rule, as of all operands of such functions.
        """
        step, states = self._step, range(2, len(self._form.inputs))

        def update(*row: Buffer, out: Targets = None) -> Any:
            if out is None or out[0] is not row[0]:
                return general(*row, out=out)
            for k in states:
                if out[k - 1] is not row[k]:
                    return general(*row, out=out)
            step((row,), numbers)
            return tuple(out) if states else out[0]

        return update

    def on(
        self, buffers: Sequence[Buffer], out: Sequence[Buffer], count: int
    ) -> Callable[[Params], None] | None:
        """Return a function of parameters that updates these very buffers, checked once.

        Args:
            buffers: The operands.
            out: The weights and states among them.
            count: How many weights there are.

        Returns:
            The function; None where operands hold numbers, or do not fit, which a call explains.
        """
        form = self._form
        if form.preloaded or form.scalar_inputs or form.guard or not form.many:
            return None
        try:
            sources, grads = self._columns(buffers, count)
            if len(out) != len(sources) or any(map(is_not, out, sources)):
                return None
            rows = self._table_rows(out, grads, count)
        except ValueError:
            return None
        step, numbers_of = self._step, self._weight_numbers

        def run(params: Params) -> None:
            step(rows, numbers_of((), params))

        return run

    def _update(
        self,
        numbers: Sequence[tuple[Any, ...]],
        params: Params,
        *buffers: Buffer,
        out: Targets = None,
    ) -> Any:
        form = self._form
        count, clips = len(numbers), self._guard and form.clips(params)
        if form.many:
            sources, grads = self._columns(buffers, count)
        else:
            sources, grads = [*map(buffers.__getitem__, self._sources)], (buffers[self._grad],)
        grad = None
        if out is None:
            targets = [*map(self._memory.copy, sources)]
        else:
            targets = [*out]
            if clips:
                grad = targets.pop(1)
            for target, source in zip(targets, sources, strict=True):
                if target is not source:
                    self._memory.write(target, source)
        rows = self._table_rows(targets, grads, count)
        clipped = self._clipped(grads[0], numbers[0], params, grad) if clips else None
        self._step(rows, numbers)
        if clips:
            targets.insert(1, clipped)
        return targets[0] if len(targets) == 1 else tuple(targets)

    def _columns(
        self, buffers: Sequence[Buffer], count: int
    ) -> tuple[list[Buffer], Sequence[Buffer]]:
        """Return gradients, and weights and states of all groups in the order of results."""
        group = self._group
        end = count * group
        if len(buffers) != end + (2 if self._form.preloaded else len(self._scalar_inputs)):
            raise ValueError(f"{len(buffers)} arrays for {count} weights")
        sources = [*buffers[0:end:group]]
        for start in range(0, end, group):
            sources += buffers[start + 2 : start + group]
        return sources, buffers[1:end:group]

    def _table_rows(
        self, targets: Sequence[Buffer], grads: Sequence[Buffer], count: int
    ) -> list[tuple[Buffer, ...]]:
        """Return the rows for the table's step, after checking all shapes."""
        form, each = self._form, len(targets) // count - 1
        weights = targets[:count]
        states = [targets[count + k :: each] for k in range(each)]
        # By functions of C: of dozens of weights, comprehensions take twice as long.
        shapes = [*map(_SHAPE, weights)]
        for column in (grads, *(() if form.by_rows else states)):
            if [*map(_SHAPE, column)] != shapes:
                raise ValueError("shapes differ")
        if form.mixed and not form.direction:
            return list(zip(states[-1], grads, *states[:-1], weights, strict=True))
        return list(zip(weights, grads, *states, strict=True))

    def _weight_numbers(self, buffers: Sequence[Buffer], params: Params) -> list[tuple[Any, ...]]:
        """Return the numbers of each weight, in the rule's order."""
        if self._named is not None:
            return [self._named(params)]
        form = self._form
        count: int = params[form.count] if form.many else 1
        # One weight, in which a trainer's small ones lie together: nothing is to be compared.
        if count == 1 and not form.preloaded and not self._scalar_inputs:
            one = [params[key] if is_list else (params[key],) for key, is_list in self._keys]
            return list(zip(*one, strict=True))
        columns: list[Any] = []
        loaded = self._loaded(buffers, count)
        is_shared = True  # whether all weights have the same numbers
        for name in form.rule.numbers:
            if name in loaded:
                column: Any = loaded[name]
            elif name in form.plural:
                column = params[form.plural[name]]
            else:
                columns.append(repeat(params[name], count))
                continue
            if len(column) != count:
                raise ValueError(f"{len(column)} numbers for {count} weights")
            # Numbers in buffers are not compared: that would wait for a GPU.
            is_one = len({*map(id, column)}) == 1 or (
                _NUMBERS.issuperset(map(type, column)) and [*column].count(column[0]) == count
            )
            if name not in loaded and is_one:
                column = repeat(column[0], count)
            else:
                is_shared = False
            columns.append(column)
        if is_shared:  # they share one tuple
            return [next(zip(*columns, strict=True))] * count
        return list(zip(*columns, strict=False))

    def _loaded(self, buffers: Sequence[Buffer], count: int) -> Mapping[str, Sequence[Any]]:
        """Return the numbers that are passed as operands."""
        form = self._form
        if form.preloaded:
            return {
                name: self._read(buffer)
                for name, buffer in zip(form.plural, buffers[-2:], strict=True)
            }
        if not self._scalar_inputs:
            return {}
        if form.many:
            return {self._scalar_inputs[0]: self._read(buffers[-1]) * count}
        return {x: self._read(buffers[form.inputs.index(x)]) for x in self._scalar_inputs}

    def _read(self, buffer: Buffer) -> list[Any]:
        if not self._step.loads:
            return self._memory.to_numpy(buffer).reshape(-1).astype(float).tolist()
        flat = buffer.reshape((-1,))
        return [flat[k] for k in range(flat.shape[0])]

    def _clipped(
        self, grad: Buffer, numbers: Sequence[Any], params: Params, out: Buffer | None
    ) -> Buffer:
        """Return the rescaled, clipped gradient by which MXNet's AdamW overwrites the given one."""
        factor, bound = numbers[-1], params["clip_gradient"]
        factor = factor if isinstance(factor, float) else float(self._memory.to_numpy(factor))
        if not isfinite(factor) or not factor:
            return grad
        scaled = self._kernels["mul_scalar"](grad, scalar=factor, is_int=False)
        value = self._kernels["clip"](scaled, a_min=-bound, a_max=bound)
        if out is not None:
            self._memory.write(out, value)
        return value if out is None else out


class _Interpreted:
    """Updates rows with the kernels of the rule's operators, for tables that compile no rules."""

    def __init__(self, rule: Rule, kernels: Kernels, memory: Memory) -> None:
        self._rule = rule
        self._kernels = kernels
        self._memory = memory
        self.loads = not rule.guard and self._takes_buffers()
        """Whether numbers may be buffers: where all kernels take theirs so."""

    def _takes_buffers(self) -> bool:
        rule = self._rule
        plain = [-1.0 if name in rule.bounds else 0.5 for name in rule.numbers]
        return all(
            name in self._kernels.record(step.kernel).loads
            for step in rule.formula(plain).steps
            for name, value in step.params.items()
            if isinstance(value, Constant)
        )

    def __call__(
        self, rows: Sequence[tuple[Buffer, ...]], numbers: Sequence[tuple[Any, ...]]
    ) -> None:
        """Update the weights and states of all rows in place."""
        guard = self._rule.numbers.index(self._rule.guard) if self._rule.guard else None
        # In an integer dtype learning rates would become 0.
        if "float" not in (dtype := self._memory.dtype(rows[0][0])):
            raise TypeError(f"steps are taken on floats, not on {dtype}")
        for row, own in zip(rows, numbers, strict=True):
            if guard is None or (own[guard] and isfinite(own[guard])):
                self._change(row, own)

    def _change(self, row: Sequence[Buffer], numbers: Sequence[Any]) -> None:
        rule, size = self._rule, len(self._rule.arrays)
        formula = rule.formula(numbers, narrow=rule.narrow and len(row) > size)
        constants = formula.constants(*numbers)
        values = [*map(self._wide, row[: formula.inputs])]
        for step in formula.steps:
            params = {
                name: constants[value.constant] if isinstance(value, Constant) else value
                for name, value in step.params.items()
            }
            operands = [values[i] for i in step.operands]
            values.append(self._kernels[step.kernel](*operands, **params))
        results = [values[i] for i in formula.results]
        targets = (row[0], *row[2:size], *row[size:])
        for target, value in zip(targets, chain(results, results[:1]), strict=False):
            if target is not value:
                self._memory.write(target, value)

    def _wide(self, buffer: Buffer) -> Buffer:
        if self._memory.dtype(buffer) not in _NARROW:
            return buffer
        return self._kernels["cast"](buffer, dtype="float32")
