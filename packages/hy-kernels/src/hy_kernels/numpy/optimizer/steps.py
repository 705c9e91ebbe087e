"""Optimizer steps: a rule is compiled to a Python function that updates one block.

The text of the function is generated from the rule's formula: a line for each pass over a block, in
reused memory. Large weights are updated in blocks that fit in the cache, in several threads. 16-bit
weights are computed in float32 and rounded once.
"""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, accumulator, aligned, converted, quiet
from hy_kernels.numpy._copying import assign
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.runtime._pool import num_chunks, split, together
from hy_kernels.record import Function, Kernel
from hy_kernels.steps import Formula, Numbers, Rule, calls_of, constant_of

__all__ = ["step_of"]

Row: TypeAlias = Sequence[Array]
Find: TypeAlias = Callable[[str], Kernel | None]
_MAX_FUNCTIONS = 256
"""Number of cached functions; a learning-rate schedule needs a new one for each step."""
_PASSES = {
    "broadcast_add": "add({0}, {1}, {out})",
    "broadcast_div": "divide({0}, {1}, {out})",
    "broadcast_mul": "multiply({0}, {1}, {out})",
    "broadcast_sub": "subtract({0}, {1}, {out})",
    "clip": "{0}.clip({a_min}, {a_max}, {out})",
    "div_scalar": "divide({0}, {scalar}, {out})",
    "minus_scalar": "subtract({0}, {scalar}, {out})",
    "mul_scalar": "multiply({0}, {scalar}, {out})",
    "plus_scalar": "add({0}, {scalar}, {out})",
    "sqrt": "sqrt({0}, {out})",
    "square": "square({0}, {out})",
}
"""Calls of NumPy that replace kernels that are a single function; other kernels are called."""


def step_of(rule: Rule, find: Find) -> "_Step | _Lamb | None":
    """Return the compiled step of a rule; None if the rule is not pointwise.

    Args:
        rule: The rule.
        find: Returns a kernel by its name.
    """
    if rule.phases:
        return _Lamb(rule, *[_Step(phase, find) for phase in rule.phases])
    return _Step(rule, find) if rule.formula([0.5] * len(rule.numbers)).is_pointwise else None


class _Compiled(NamedTuple):
    """A compiled formula."""

    function: Function
    """``step(*constants, *arrays, *scratch)``, or without constants that are given already."""
    scratch: int
    """Number of scratch arrays that it takes."""
    passes: int
    """Number of passes that it makes over each element."""


class _Step:
    """The step of a pointwise rule."""

    loads = False

    def __init__(self, rule: Rule, find: Find) -> None:
        self._rule = rule
        self._find = find
        self._size = len(rule.arrays)
        self._guard = rule.numbers.index(rule.guard) if rule.guard else None
        self._texts: dict[Formula, _Compiled] = {}
        self._functions: dict[Any, _Compiled] = {}
        self._constants: dict[Any, tuple[Numbers, Row]] = {}

    @quiet
    def __call__(self, rows: Sequence[Row], numbers: Sequence[Numbers]) -> None:
        """Update the weights and states of all rows in place."""
        for row, own in zip(rows, numbers, strict=True):
            # A guard skips the step after an overflow, as AdamW's with a rescale_grad of inf.
            if self._guard is None or (own[self._guard] and isfinite(own[self._guard])):
                self.change(row, own)

    def change(self, row: Row, numbers: Numbers) -> None:
        """Update one weight and its states, a row, in place."""
        weight = row[0]
        compiled = self._functions.get((numbers, weight.dtype)) or self._prepared(
            numbers, weight.dtype
        )
        function, scratch, _ = compiled
        is_plain = weight.itemsize > 2 and row[1].itemsize > 2 and len(row) == self._size
        if not is_plain or weight.size > COSTS.blocks.update or not weight.ndim:
            _in_blocks(row, self._size, compiled)
        # For few elements, new memory from NumPy is cheaper than looking up the thread's scratch.
        elif weight.size < COSTS.memory.update:
            function(*row, *(None,) * scratch)
        else:
            function(*row, *_scratch(weight, scratch))

    def _prepared(self, numbers: Numbers, dtype: np.dtype[Any]) -> _Compiled:
        """Return the compiled formula with the constants of ``numbers``."""
        # In an integer dtype, learning rates would become 0.
        if dtype.kind not in "fV":
            raise TypeError(f"steps are taken on floats, not on {dtype}")
        formula = self._rule.formula(numbers)
        if formula not in self._texts:
            self._texts[formula] = _compiled(formula, self._find)
        compiled = self._texts[formula]
        constants = self._constants_of(formula, numbers, dtype)
        if len(self._functions) >= _MAX_FUNCTIONS:
            self._functions.clear()
        step = compiled._replace(function=partial(compiled.function, *constants))
        self._functions[numbers, dtype] = step
        return step

    def _constants_of(self, formula: Formula, numbers: Numbers, dtype: np.dtype[Any]) -> Row:
        """Return a formula's constants as 0-d arrays, reusing equal ones of the last call."""
        values = formula.constants(*numbers)
        known, arrays = self._constants.get((formula, dtype)) or ((None,) * len(values), values)
        compute_dtype = accumulator(dtype)
        # As 0-d arrays, because NumPy takes twice as long with Python numbers, which it converts.
        arrays = [
            array if x == before else np.array(x, compute_dtype)
            for x, before, array in zip(values, known, arrays, strict=True)
        ]
        self._constants[formula, dtype] = values, arrays
        return arrays


def _compiled(formula: Formula, find: Find) -> _Compiled:
    """Compile a formula to a function ``step(*constants, *arrays, *scratch)``."""
    slots = calls_of(formula)
    scope: dict[str, Any] = {name: getattr(np, name) for name in _FUNCTIONS}
    lines = []
    for call in slots.calls:
        params = {name: _text(value) for name, value in call.params.items()}
        operands = [f"v{i}" for i in call.operands]
        out = f"v{call.target}"
        if call.kernel in _PASSES:
            text = _PASSES[call.kernel].format(*operands, out=out, **params)
        else:
            record = find(call.kernel)
            assert record is not None, call.kernel
            scope[f"_{call.kernel}"] = record.function
            arguments = [*operands, *(f"{name}={value}" for name, value in params.items())]
            memory = f"None if {out} is None else ({out},)"
            text = f"_{call.kernel}({', '.join(arguments)}, out={memory})"
        lines.append(f"{out} = {text}")
    lines += [f"v{target}[...] = v{slot}" for slot, target in slots.moves]
    used = [constant_of(x) for call in slots.calls for x in call.params.values()]
    count = 1 + max((k for k in used if k is not None), default=-1)
    constants = [f"c{k}" for k in range(count)]
    arrays = [f"v{i}" for i in range(formula.inputs + slots.scratch)]
    body = "".join(f"    {line}\n" for line in lines or ["pass"])
    exec(f"def step({', '.join([*constants, *arrays])}):\n{body}", scope)  # noqa: S102  # of names
    return _Compiled(scope["step"], slots.scratch, len(lines))


_FUNCTIONS = ("add", "divide", "multiply", "sqrt", "square", "subtract")


def _text(value: Any) -> str:
    constant = constant_of(value)
    return repr(value) if constant is None else f"c{constant}"


def _in_blocks(row: Row, size: int, step: _Compiled) -> None:
    """Update one large or 16-bit weight, block by block, in several threads."""
    flat = [x.reshape(-1) for x in row]
    count = flat[0].size
    work, min_work = count * step.passes, COSTS.threads.update
    chunks = 1 if work < min_work else num_chunks(work, min_work)
    if chunks == 1:
        _step_blocks(flat, size, step)
        return
    task = partial(_step_blocks, size=size, step=step)
    together([partial(task, [x[part] for x in flat]) for part in split(count, chunks)])


@quiet
def _step_blocks(flat: Row, size: int, step: _Compiled) -> None:
    """Update flat arrays block by block; after the first ``size``, a 16-bit weight may follow."""
    count, block_size = flat[0].size, COSTS.blocks.update
    for start in range(0, count, block_size):
        block = [x[start : start + block_size] for x in flat]
        own = [_to_compute_dtype(x) for x in block[:size]]
        step.function(*own, *_scratch(own[0], step.scratch))
        for target, value in zip(block[:size], own, strict=True):
            if target is not value and target is not block[1]:
                assign(target, value)
        for narrow in block[size:]:
            assign(narrow, own[0])


def _to_compute_dtype(array: Array) -> Array:
    """Convert 16-bit floats to float32; return other arrays as is."""
    dtype = accumulator(array.dtype)
    return array if dtype == array.dtype else converted(array, dtype)


def _scratch(like: Array, count: int) -> list[Array]:
    """Return ``count`` scratch arrays in the shape of ``like``, a block."""
    return [_arrays.like(like, k) for k in range(count)]


class _Arrays(threading.local):
    """Thread-local scratch arrays."""

    def __init__(self) -> None:
        self._memory: dict[tuple[int, np.dtype[Any]], Array] = {}

    def like(self, block: Array, k: int) -> Array:
        """Return scratch array ``k`` in the shape and dtype of ``block``."""
        key = k, block.dtype
        scratch = self._memory.get(key)
        if scratch is None or scratch.size < block.size:
            scratch = self._memory[key] = aligned((COSTS.blocks.update,), block.dtype)
        return scratch[: block.size].reshape(block.shape)


_arrays = _Arrays()


class _Lamb:
    """The step of LAMB (You et al., 2019), scaled by the ratio of two norms.

    Args:
        rule: The rule, with two phases.
        direction: The step of the first phase, which overwrites a weight with its direction.
        along: The step of the second phase, which takes the direction as gradient.
    """

    loads = False

    def __init__(self, rule: Rule, direction: _Step, along: _Step) -> None:
        names, (first, second) = rule.numbers, rule.phases
        self._size = len(rule.arrays)
        self._direction = direction
        self._along = along
        self._first = itemgetter(*[names.index(name) for name in first.numbers])
        self._second = itemgetter(*[names.index(x) for x in second.numbers if x in names])

    @quiet
    def __call__(self, rows: Sequence[Row], numbers: Sequence[Numbers]) -> None:
        """Update the weights and states of all rows in place."""
        for row, own in zip(rows, numbers, strict=True):
            weight, narrow = row[0], row[self._size :]
            direction = weight.copy()
            self._direction.change((direction, *row[1 : self._size]), self._first(own))
            before = narrow[0] if narrow else weight  # as in MXNet, the norm of a 16-bit weight
            norms = [float(np.linalg.norm(_to_compute_dtype(x))) for x in (before, direction)]
            self._along.change((weight, direction, *narrow), (*self._second(own), *norms))
