"""StepKernel: the kernel of an optimizer operator, run by the step that a table compiles.

For all forms, a table updates *rows*: a weight, its gradient and its states, all of which except
the gradient are overwritten. In mixed-precision forms a row ends with the 16-bit weight.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from math import isfinite
from operator import attrgetter, is_not, itemgetter
from typing import Any, Literal, Protocol, TypeAlias

from hy_ndarray._errors import ArgumentError
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
    """Interface of a device's kernels, looked up by name."""

    @property
    def tables(self) -> Sequence[KernelTable]: ...
    @property
    def sharing_tables(self) -> Sequence[KernelTable]: ...
    def __getitem__(self, name: str) -> KernelFunction: ...
    def record(self, name: str) -> Kernel: ...


class StepKernel:
    """Kernel of an optimizer form, which returns the new weights, then the new states.

    Args:
        form: The form of the operator.
        kernels: The kernels of the device. The first of its tables that compiles rules runs the
            step.
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
        # Cached: each step reads these properties.
        self._scalar_inputs, self._group, self._guard = form.scalar_inputs, form.group, form.guard
        self._kernels = kernels
        self._memory: Memory = table.memory
        makers = [each.step for each in kernels.sharing_tables if hasattr(each, "step")]
        step: Step | None = makers[0](rule) if makers else None
        self._step = step or _Interpreted(rule, kernels, self._memory)
        names = [form.plural.get(name, name) for name in rule.numbers if name not in rule.bounds]
        self.loads = tuple(names) if self._step.loads else ()
        self._keys = [(form.plural.get(name, name), name in form.plural) for name in rule.numbers]
        """Parameter names of the hyperparameters, and whether each has one value per weight."""
        self._named = None if form.many or form.scalar_inputs else itemgetter(*rule.numbers)
        if not form.many:
            position = {name: k for k, name in enumerate(form.inputs)}
            changed = (
                "weight32" if form.mixed and form.direction else form.inputs[0],
                *form.updated,
            )
            self._sources = [position[name] for name in changed]
            self._grad = position[form.inputs[1]]
        self.takes_rows = not (form.many or form.mixed or form.scalar_inputs or form.guard)
        """Whether :meth:`step_rows` may be called: the operands are a row of the table's."""

    def function(self, *buffers: Buffer, out: Targets = None, **params: Any) -> Any:
        """Return the new weights and states, in ``out`` if given, which may be the inputs."""
        return self._update(self._weight_numbers(buffers, params), params, *buffers, out=out)

    def specialize(self, types: object, params: Params) -> KernelFunction | None:
        """Return the kernel specialised for these parameters; None with hyperparameter operands."""
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
        """Return a function that updates one row in place by constant numbers.

        Other calls are left to ``general``. Shapes are not compared: callers have checked operands
        by the operator's type rule.
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
        """Return a function of parameters that updates the given buffers, which are checked once.

        Args:
            buffers: The operands.
            out: The weights and states among the operands.
            count: The number of weights.

        Returns:
            The function; None if operands hold hyperparameters, or are invalid, in which case an
            ordinary call raises the error.
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

    def step_rows(self, rows: Sequence[Sequence[Buffer]], params: Sequence[Params]) -> None:
        """Update several weights and their states in place, as one call for each would.

        Args:
            rows: Weight, gradient and states of each.
            params: The parameters of each; one object where several weights share them.

        Raises:
            ValueError: Shapes differ within a row.
        """
        assert self.takes_rows
        for row in rows:
            if not self._form.by_rows and len({*map(_SHAPE, row)}) > 1:
                raise ValueError("shapes differ")
        # Tables compare numbers by identity first: weights that share them share one tuple.
        numbers = {id(each): self._weight_numbers((), each)[0] for each in params}
        self._step([tuple(row) for row in rows], [numbers[id(each)] for each in params])

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
        """Return weights and states of all groups, in the order of results, and the gradients."""
        group = self._group
        end = count * group
        if len(buffers) != end + (2 if self._form.preloaded else len(self._scalar_inputs)):
            raise ValueError(f"{len(buffers)} arrays were given for {count} weights")
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
        # By C functions: for dozens of weights comprehensions take twice as long.
        shapes = [*map(_SHAPE, weights)]
        for column in (grads, *(() if form.by_rows else states)):
            if [*map(_SHAPE, column)] != shapes:
                raise ValueError("weights, gradients and states must have the same shapes")
        if form.mixed and not form.direction:
            return list(zip(states[-1], grads, *states[:-1], weights, strict=True))
        return list(zip(weights, grads, *states, strict=True))

    def _weight_numbers(self, buffers: Sequence[Buffer], params: Params) -> list[tuple[Any, ...]]:
        """Return the hyperparameters of each weight, in the rule's order."""
        if self._named is not None:
            return [self._named(params)]
        form = self._form
        count: int = params[form.count] if form.many else 1
        # Fast path for a single weight, which may be a trainer's concatenation of small ones.
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
                raise ArgumentError(
                    f"parameter {form.plural.get(name, name)} has {len(column)} numbers for "
                    f"{count} weights; pass one for each"
                )
            # Numbers in buffers are not compared, which would synchronize with a GPU.
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
        """Return the hyperparameters that are passed as operands, by name."""
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
        """Return the rescaled, clipped gradient, with which MXNet's AdamW overwrites ``grad``."""
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
    """Step that runs a rule operator by operator, for tables that do not compile rules."""

    def __init__(self, rule: Rule, kernels: Kernels, memory: Memory) -> None:
        self._rule = rule
        self._kernels = kernels
        self._memory = memory
        self.loads = not rule.guard and self._takes_buffers()
        """Whether hyperparameters may be buffers: if the kernels of all steps support that."""

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
            raise TypeError(f"update steps need a floating dtype, got {dtype}")
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
