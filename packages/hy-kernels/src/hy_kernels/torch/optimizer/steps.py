"""Optimizer steps: a rule applied to all weights at once by torch's list functions.

The function of a rule is generated from its formula: each line is one of torch's functions on lists
of tensors. 16-bit weights are computed in float32 and rounded once. Hyperparameters on a device
stay there, so that the host does not wait.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

import torch

from hy_kernels.record import Function
from hy_kernels.steps import Formula, Numbers, Rule, constant_of
from hy_kernels.torch._dtypes import NAMES
from hy_kernels.torch._precision import real, to_compute_dtype
from hy_kernels.torch._tensor import PLAIN, Tensor
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.optimizer.fused import FUSED, Fused, is_fusable
from hy_kernels.torch.optimizer.writing import written

__all__ = ["step_of"]

Row: TypeAlias = Sequence[Tensor]
_IN_ONE_CALL = 2
"""Largest number of steps of a formula that torch computes in one call (a scaled sum)."""
Columns: TypeAlias = list[list[Tensor]]
"""Weights, gradients and each kind of state."""
_WITH_TENSORS = ("div_scalar", "mul_scalar")
"""Kernels whose list function in torch takes a 0-d tensor as the number."""


def step_of(rule: Rule) -> "_Step | _Lamb | None":
    """Return the function that updates weights by a rule; None if the rule is not pointwise."""
    if rule.phases:
        return _Lamb(rule)
    return _Step(rule) if rule.formula([0.5] * len(rule.numbers)).is_pointwise else None


class _Known(NamedTuple):
    """Functions of a step whose hyperparameters all weights share."""

    numbers: Any
    update: Callable[[Sequence[Row]], None] | None
    """Updates any rows; None if a number decides whether the step is taken (AdamW's guard)."""
    one: Function | None
    """Updates a row of one dtype that is in :data:`PLAIN`, from the row and constants; None if
    torch's kernel of the step is faster."""
    constants: Sequence[Any]


class _Step:
    """Update of rows of weight, gradient and states by a pointwise rule."""

    loads = True

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._size = len(rule.arrays)
        self._guard = rule.numbers.index(rule.guard) if rule.guard else None
        self._fused = FUSED.get(rule.name)
        self._written: dict[Any, Function] = {}
        self._last = _Known(None, None, None, ())
        """The last step: rates are often constant."""

    def _with_shared(self, numbers: Numbers) -> _Known:
        """Return the functions that update rows by hyperparameters that they share.

        A fused kernel of torch reads and writes large weights three times, the formula's calls nine
        times.
        """
        if self._guard is not None:
            return _Known(numbers, None, None, ())
        named = dict(zip(self._rule.numbers, numbers, strict=True))
        fused = None if self._fused is None else self._fused(named)
        formula, size = self._rule.formula(numbers), self._size
        # Of one weight a formula of one call goes over memory as often as torch's kernel of the
        # step, which is told ten arguments.
        is_call = fused is None or len(formula.steps) <= _IN_ONE_CALL
        one = self._function(formula, joins=True, lists=False) if is_call else None
        # Else it is seldom needed beside that kernel, and rates such as Adam's differ in each step.
        by_formula = self._of_formula(formula, numbers) if is_call else None
        constants = formula.constants(*numbers)

        def step(rows: Sequence[Row]) -> None:
            first, is_one = rows[0], len(rows) == 1
            dtype = first[0].dtype
            others = first if is_one else (*first, *[row[0] for row in rows])
            is_plain = dtype in PLAIN and len(first) == size
            # A loop: a set or a generator takes longer than the comparisons.
            for x in others:
                if x.dtype is not dtype:
                    is_plain = False
            if not is_plain:
                self._change(rows, [numbers])
            elif is_one and one is not None:
                one(first, constants)
            elif fused is None or not is_fusable(first[0]):
                (by_formula or self._of_formula(formula, numbers))(rows)
            else:
                fused([list(column) for column in zip(*rows, strict=True)])

        return _Known(numbers, step, one, constants)

    def _of_formula(self, formula: Formula, numbers: Numbers) -> Callable[[Sequence[Row]], None]:
        """Return a function that updates rows by a formula with these hyperparameters."""
        constants = formula.constants(*numbers)
        one = self._function(formula, joins=True, lists=False)
        several = self._function(formula, joins=True)

        def step(rows: Sequence[Row]) -> None:
            if len(rows) == 1:
                one(rows[0], constants)
            else:
                several([list(column) for column in zip(*rows, strict=True)], constants)

        return step

    def _function(self, formula: Formula, *, joins: bool, lists: bool = True) -> Function:
        """Return the generated function of a formula, cached."""
        key = formula, joins, lists
        # Text is compiled once for a formula.
        if key not in self._written:
            self._written[key] = written(formula, joins=joins, lists=lists)
        return self._written[key]

    def _of_torch(self, numbers: Numbers) -> Fused | None:
        """Return torch's fused kernel for these hyperparameters, or None if there is none."""
        if self._fused is None:
            return None
        named = dict(zip(self._rule.numbers, numbers, strict=True))
        # A rate may be on the device; other numbers there cannot be read without waiting.
        if any(torch.is_tensor(x) for name, x in named.items() if name != "lr"):
            return None
        return self._fused(named)

    def __call__(self, rows: Sequence[Row], numbers: Sequence[Numbers]) -> None:
        """Overwrite the weights and states with their values after the step."""
        last, _, one, constants = self._last
        # One weight by the numbers of the last step, as eager calls repeat it: at once, since the
        # calls in between take as long as torch's own.
        if one is not None and numbers[0] is last and len(rows) == 1:
            row = rows[0]
            dtype = row[0].dtype
            if dtype in PLAIN and row[1].dtype is dtype and len(row) == self._size:
                for state in row[2:]:
                    if state.dtype is not dtype:
                        break
                else:
                    one(row, constants)
                    return
        if self._fused is not None or len(rows) == 1 or not rows[0][0].is_cpu:
            self._update(rows, numbers)
            return
        # Each list call of a formula goes over all weights: on a GPU that is one launch, on a CPU
        # the temporary values should still be in the cache in the next.
        for part in _in_cache(rows):
            self._update(rows[part], numbers[part])

    def _update(self, rows: Sequence[Row], numbers: Sequence[Numbers]) -> None:
        """Update some weights at once."""
        first, known = numbers[0], self._last
        # By identity: all rows of a trainer share one tuple. Tensors are not compared.
        is_loaded = first is not known.numbers and Tensor in map(type, first)
        if not is_loaded and (len(numbers) == 1 or len({*map(id, numbers)}) == 1):
            if first is not known.numbers and first != known.numbers:
                self._last = known = self._with_shared(first)
            if known.update is not None:
                known.update(rows)
                return
        if is_loaded:
            for members, each in self._batches(rows, numbers):
                self._change(members, each)
            return
        # Rows with the same numbers step together: usually all of them.
        if numbers.count(numbers[0]) == len(numbers):
            groups: Mapping[Numbers, Sequence[Row]] = {numbers[0]: rows}
        else:
            by_numbers: dict[Numbers, list[Row]] = {}
            for row, own in zip(rows, numbers, strict=True):
                by_numbers.setdefault(own, []).append(row)
            groups = by_numbers
        for own, some in groups.items():
            # MXNet's AdamW skips a step whose rescale_grad is 0 or not finite.
            if self._guard is None or (own[self._guard] and isfinite(own[self._guard])):
                self._change(some, [own])

    def _batches(
        self, rows: Sequence[Row], numbers: Sequence[Numbers]
    ) -> Iterator[tuple[list[Row], list[Numbers]]]:
        """Yield rows that are updated together, with one set of numbers or one for each row.

        Rows with the same hyperparameters share a set; tensors are compared by identity, not by
        value.
        """
        keys = list(map(_key_of, numbers))
        uses = Counter(keys)
        members: dict[Any, tuple[list[Row], list[Numbers]]] = {}
        for row, own, key in zip(rows, numbers, keys, strict=True):
            # A decay or a bound that one weight has and another lacks makes another formula.
            some, each = members.setdefault(
                key if uses[key] > 1 else self._rule.formula(own), ([], [])
            )
            some.append(row)
            if uses[key] == 1 or not each:
                each.append(tuple(map(_cast_number, own)))
        yield from members.values()

    def _change(self, rows: Sequence[Row], numbers: Sequence[Numbers]) -> None:
        """Update rows by hyperparameters that they share, or by separate ones for each."""
        columns = [list(column) for column in zip(*rows, strict=True)]
        columns, narrow = columns[: self._size], columns[self._size :]
        is_guarded = self._guard is not None and torch.is_tensor(numbers[0][self._guard])
        changed = [x for column in (columns[0], *columns[2:], *narrow) for x in column]
        # The flag is on the device: all is computed, and taken back where it says so.
        before = _copies(changed) if is_guarded else ()
        working = columns
        kinds = {x.dtype for x in columns[0]} | {
            x.dtype for x in rows[0]
        }  # of a weight all are one
        # One floating dtype in all columns needs no conversion.
        if not kinds <= {columns[0][0].dtype} & {*PLAIN}:
            working = _to_float32(columns)
        self._compute(working, numbers)
        for column, own in zip(columns, working, strict=True):
            if column is not own and column is not columns[1]:
                for target, value in zip(column, own, strict=True):
                    if target is not value:
                        target.copy_(value)
        for column in narrow:
            # Multi-precision: the 16-bit weights follow the float32 ones.
            for target, value in zip(column, working[0], strict=True):
                target.copy_(value)
        if is_guarded:
            assert self._guard is not None
            factor = numbers[0][self._guard]
            use = torch.isfinite(factor) & (factor != 0)
            for x, old in zip(changed, before, strict=True):
                x.copy_(torch.where(use, x, old))

    def _compute(self, columns: Columns, numbers: Sequence[Numbers]) -> None:
        """Update columns of weights, gradients and states, all of one floating dtype."""
        is_same, dtype = len(numbers) == 1, columns[0][0].dtype
        if is_same:  # torch's calls on lists take one number of the list's dtype at once
            numbers = [tuple([x.to(dtype) if torch.is_tensor(x) else x for x in numbers[0]])]
        fused = self._of_torch(numbers[0]) if is_same else None
        if fused is not None and is_fusable(columns[0][0]):
            fused(columns)
            return
        formula = self._rule.formula(numbers[0])
        loaded = Tensor in map(type, numbers[0])
        constants: Sequence[Any] = formula.constants(*numbers[0])
        if loaded:
            each = [formula.constants(*own) for own in numbers]
            each *= len(columns[0]) if is_same else 1
            shared = _taken_at_once(formula) if is_same else ()
            listed = enumerate(zip(*each, strict=True))
            constants = [column[0] if k in shared else _listed(column) for k, column in listed]
        self._function(formula, joins=not loaded)(columns, constants)


def _in_cache(rows: Sequence[Row]) -> Iterator[slice]:
    """Yield slices of rows whose weights have few enough bytes together, or of one row."""
    begin = size = 0
    for k, row in enumerate(rows):
        own = row[0].nbytes
        if k > begin and size + own > COSTS.blocks.step:
            yield slice(begin, k)
            begin, size = k, 0
        size += own
    yield slice(begin, len(rows))


def _copies(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return copies of tensors, on a GPU in one launch; `_foreach_clone` needs torch > 2.8."""
    copies = [torch.empty_like(tensor) for tensor in tensors]
    torch._foreach_copy_(copies, tensors)
    return copies


def _key_of(numbers: Numbers) -> tuple[Any, ...]:
    """Return a key of hyperparameters by which rows are grouped; tensors count by identity."""
    # No comprehensions: torch.compile fails on one whose iterator it gets from outside.
    return tuple(map(_identity, numbers))


def _identity(number: Any) -> Any:
    """Return the number itself, or the identity of a tensor."""
    return id(number) if torch.is_tensor(number) else number


def _cast_number(number: Any) -> Any:
    """Return a number as it is, or a tensor in at least float32."""
    return to_compute_dtype(number) if torch.is_tensor(number) else number


def _taken_at_once(formula: Formula) -> set[int]:
    """Return the indices of constants that may be one 0-d tensor for a whole list."""
    uses = [
        (constant_of(x), step.kernel in _WITH_TENSORS)
        for step in formula.steps
        for x in step.params.values()
    ]
    others = {k for k, takes in uses if not takes}
    return {k for k, _ in uses if k is not None and k not in others}


def _listed(numbers: Sequence[Any]) -> Any:
    """Return one number if all are equal, else a list with a number for each tensor."""
    is_one = not any(map(torch.is_tensor, numbers)) and numbers.count(numbers[0]) == len(numbers)
    return numbers[0] if is_one else list(numbers)


def _to_float32(columns: Columns) -> Columns:
    """Return columns in the dtype to compute in: that of the weight, at least float32."""
    dtype = columns[0][0].dtype
    # In an integer dtype learning rates would become 0.
    if not dtype.is_floating_point:
        raise TypeError(f"steps are taken on floats, not on {NAMES[dtype]}")
    weights = [real(x) for x in columns[0]]
    # Gradients of 16 bits are widened to the weight's dtype.
    grads = [g.to(w.dtype) for g, w in zip(columns[1], weights, strict=True)]
    return [weights, grads, *([real(x) for x in column] for column in columns[2:])]


class _Lamb:
    """Step of LAMB (You et al., 2019): directions, then steps scaled by ratios of norms."""

    loads = True

    def __init__(self, rule: Rule) -> None:
        names, first = rule.numbers, rule.phases[0]
        self._size = len(rule.arrays)
        self._direction = _Step(first)
        self._first = [names.index(name) for name in first.numbers]
        self._lr = names.index("lr")
        self._bounds = [names.index(name) for name in ("lower_bound", "upper_bound")]

    def __call__(self, rows: Sequence[Row], numbers: Sequence[Numbers]) -> None:
        """Overwrite the weights and states with their values after the step."""
        weights = [row[0] for row in rows]
        # The direction is what the first phase makes of a copy of the weights.
        directions = _copies(weights)
        along = zip(directions, rows, strict=True)
        towards = [(d, *row[1 : self._size]) for d, row in along]
        # Compared by identity: nobody reads numbers on a device.
        are_one = len({*map(id, numbers)}) == 1 and Tensor not in map(type, numbers[0])
        own_numbers = [tuple([own[k] for k in self._first]) for own in numbers]
        self._direction(towards, own_numbers[:1] * len(rows) if are_one else own_numbers)
        # The norm is that of the float32 weight, where there is one.
        counting = [to_compute_dtype(row[-1] if len(row) > self._size else row[0]) for row in rows]
        steps = [to_compute_dtype(d) for d in directions]
        norms = [torch.stack(list(torch._foreach_norm(xs))) for xs in (counting, steps)]
        rates = _ratios(*norms, *[numbers[0][k] for k in self._bounds])
        learning = [own[self._lr] for own in numbers]
        if are_one or len({*map(id, learning)}) == 1:
            factors = list(rates * learning[0])
        else:
            factors = [x * lr for x, lr in zip(rates, learning, strict=True)]
        torch._foreach_mul_(steps, factors)
        new = [to_compute_dtype(x) for x in weights]
        torch._foreach_sub_(new, steps)
        for row, value in zip(rows, new, strict=True):
            for target in (row[0], *row[self._size :]):
                if target is not value:
                    target.copy_(value)


def _ratios(r1: Tensor, r2: Tensor, lower: float, upper: float) -> Tensor:
    """Return LAMB's trust ratios from the norms of weights (r1) and directions (r2)."""
    if lower >= 0:
        r1 = r1.clamp(min=lower)
    if upper >= 0:
        r1 = r1.clamp(max=upper)
    # LAMB (You et al. 2020): without norms the plain rate.
    return torch.where((r1 == 0) | (r2 == 0), 1, r1 / r2)
