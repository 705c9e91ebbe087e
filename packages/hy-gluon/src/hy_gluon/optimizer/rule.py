"""Compilation of an optimizer's rule to the kernel calls that update one weight.

A rule is a function of arrays or symbols. From the graph that it returns for symbols,
:func:`traced` makes a :class:`RuleProgram`, whose numbers (such as rates) are arguments of each
run.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias, TypeVar

from hy_ndarray import Buffer, Device, HyError, Kernel, KernelError, KernelFunction, NDArray
from hy_ndarray.core.casting import without_casting
from hy_ndarray.ops import Count, Operator, Param, RunTimeNumber, StepKernel
from hy_symbol import Entry, Graph, NameManager, Node, sym

__all__ = [
    "Call",
    "Columns",
    "HasRule",
    "Numbers",
    "RuleProgram",
    "arrays_in",
    "by_settings",
    "checked",
    "numbers_by_name",
    "step_error",
    "structure_of",
    "traced",
    "with_arrays",
]

_Method = TypeVar("_Method", bound=Callable[..., Any])
Numbers: TypeAlias = Mapping[str, Any]
"""Of a weight, by name: None where a setting has no value, a buffer without axes where it is
read on the device."""
Columns: TypeAlias = Mapping[str, Sequence[Any]]
"""Numbers by name, one per weight."""
_Open: TypeAlias = tuple[str, str, Param]
"""Name of a kernel parameter set in each run, name of its number, and its possible kinds."""
_BY_ELEMENT = frozenset(
    ("_multi_adam_update", "_multi_adamw_update", "multi_sgd_update", "multi_sgd_mom_update")
)
"""Elementwise operators on any number of weights."""
_WEIGHT = 0
"""Slot of the weight; then follow the gradient, the states, and the results of calls."""


class HasRule(Protocol):
    """Protocol of an optimizer with a rule."""

    rule_settings: ClassVar[tuple[str, ...]]
    clip_gradient: float | None

    def rule(self, weight: Any, grad: Any, state: Any, n: Any) -> tuple[Any, Any]:
        """Return weight and state after a step."""

    def rule_by_rows(self, weight: NDArray, n: Any) -> bool:
        """Return whether a row_sparse gradient updates only its stored rows of the weight."""

    def _hy_rule_numbers(
        self, index: Sequence[int | str]
    ) -> tuple[Mapping[str, Sequence[float]], Sequence[Hashable]]:
        """Count a step of each parameter; return the rule's numbers by name, and its variants."""

    def _hy_wide_gradient(self, grad: NDArray) -> NDArray:
        """Return the gradient of a 16-bit weight in float32, for the step of the weight's copy."""

    def _hy_copy_of(self, weight: NDArray, state: Any) -> tuple[NDArray | None, Any]:
        """Split a state into the weight's float32 copy, or None, and the optimizer's own state."""


def by_settings(numbers: _Method) -> _Method:
    """Mark a method ``rule_numbers`` whose result depends on rate, decay and count only."""
    numbers.by_settings = True  # type: ignore[attr-defined]
    return numbers


def numbers_by_name(
    rule_numbers: Callable[..., Mapping[str, float]],
    index: Sequence[int | str],
    *columns: Sequence[float],
) -> dict[str, list[float]]:
    """Return the results of ``rule_numbers`` for all parameters, as columns by name.

    Args:
        rule_numbers: The method of the optimizer; one marked by :func:`by_settings` is called once
            if all rates, decays and counts agree.
        index: Numbers or names of the parameters.
        columns: Rates, decays and counts.
    """
    # All weights share rate, decay and count, as they mostly do: the function is called once and
    # not for each parameter.
    same = [column[0] for column in columns if column.count(column[0]) == len(column)]
    if len(same) == len(columns) and hasattr(rule_numbers, "by_settings"):
        row = rule_numbers(index[0], *same)
        return {name: [number] * len(index) for name, number in row.items()}
    rows = list(map(rule_numbers, index, *columns))
    return {name: [row[name] for row in rows] for name in rows[0]}


def arrays_in(state: Any) -> Iterator[Any]:
    """Yield the arrays or symbols in a nested tuple, from left to right."""
    if isinstance(state, list | tuple):
        for part in state:
            yield from arrays_in(part)
    elif state is not None:
        yield state


def with_arrays(state: Any, arrays: Iterator[Any]) -> Any:
    """Return a nested tuple with the structure of ``state`` and the given arrays."""
    if isinstance(state, list | tuple):
        return type(state)(with_arrays(part, arrays) for part in state)
    return None if state is None else next(arrays)


def structure_of(state: Any) -> Any:
    """Return the structure of a state: nested tuples with True for arrays, False for None."""
    if isinstance(state, list | tuple):
        return tuple([structure_of(part) for part in state])
    return state is not None


def _symbols_like(state: Any) -> Any:
    """Return a nested tuple with a new symbol in place of each array."""
    if isinstance(state, list | tuple):
        return type(state)(_symbols_like(part) for part in state)
    return None if state is None else sym.var("state")


class Call(NamedTuple):
    """Kernel call of a program; operands and results are slots of a list of values."""

    op: Operator
    operands: tuple[int | None, ...]
    fixed: Mapping[str, Any]
    """Parameters with constant values."""
    numbers: tuple[_Open, ...]
    lists: tuple[_Open, ...]
    """Parameters that take a list with one number per weight."""
    results: tuple[int, ...]
    updated: tuple[int, ...]
    """Positions of the operands that the call overwrites."""

    def params(self, numbers: Numbers, loaded: Collection[str] = ()) -> dict[str, Any]:
        """Return the keyword arguments of the kernel for one weight.

        Args:
            numbers: Numbers by name.
            loaded: Names of the numbers that are device buffers.
        """
        params = {**self.fixed, **self.keywords(numbers, loaded)}
        if self.lists:
            columns = {number: (numbers[number],) for _, number, _ in self.lists}
            params.update(self.lists_of(columns, loaded))
        return params

    def keywords(self, numbers: Numbers, loaded: Collection[str] = ()) -> dict[str, Any]:
        """Return the kernel arguments that are single numbers, for one weight."""
        op = self.op.name
        return {
            name: numbers[number] if number in loaded else param.parse(op, numbers[number])
            for name, number, param in self.numbers
        }

    def lists_of(self, columns: Columns, loaded: Collection[str] = ()) -> dict[str, Any]:
        """Return the kernel arguments that are lists with one number per weight."""
        op = self.op.name
        return {
            name: columns[number] if number in loaded else param.parse(op, columns[number])
            for name, number, param in self.lists
        }

    def reads_host(self, kernel: Kernel, shared: Numbers) -> bool:
        """Return whether the kernel reads a per-weight number on the host."""
        # A captured graph cannot read a number from the host; kernels that take it as a buffer list
        # it in `loads`.
        own = (*self.numbers, *self.lists)
        return any(number not in shared and name not in kernel.loads for name, number, _ in own)

    def put(self, values: list[Buffer], result: Any) -> None:
        """Store the call's results and updated operands in the list of values."""
        results = result if isinstance(result, tuple) else (result,)
        slots = (*self.results, *(self.operands[position] for position in self.updated))
        for slot, value in zip(slots, results, strict=True):
            assert slot is not None
            values[slot] = value


def checked(op: Operator, kernel: KernelFunction, operands: Sequence[Buffer], params: Any) -> Any:
    """Run a kernel, and return its result; errors of the kernel are explained by the operator.

    Raises:
        KernelError: The kernel failed; names the operator.
    """
    try:
        return kernel(*operands, **params)
    except HyError:
        raise
    except Exception as error:
        raise step_error(op, operands, error) from error


def step_error(op: Operator, operands: Sequence[Buffer | None], error: Exception) -> KernelError:
    """Return a KernelError with operator and shapes, for an exception of a kernel in a step."""
    # Kernels raise errors of numpy or torch; shapes and the operator make them readable.
    shapes = ", ".join(str(tuple(x.shape)) for x in operands if x is not None)
    return KernelError(
        f"{op.name}: the kernel failed in a step of an optimizer on {shapes}: "
        f"{type(error).__name__}: {error}"
    )


class RuleProgram:
    """Program of kernel calls that updates one weight and its states in place.

    Args:
        calls: The kernels, in order.
        size: Number of values: weight, gradient, states, and results of the calls.
        written: Pairs of a new value and the value it replaces; states first.
        num_buffers: Number of weights, gradients and states among the values.
    """

    def __init__(
        self,
        calls: Sequence[Call],
        size: int,
        written: Sequence[tuple[int, int]],
        num_buffers: int,
    ) -> None:
        self.calls = tuple(calls)
        self._size = size
        self._written = tuple(written)
        self._num_buffers = num_buffers
        # Values are dropped after their last use, so that temporaries of a large weight do not add
        # up.
        self._dead = self._last_uses()
        self._over = self._overwriting()
        self.count = self._count()
        """Parameter for the number of weights, if the only call accepts several; else None."""
        self.pointwise = all(call.op.traits.pointwise is True for call in self.calls)
        """Whether all calls are pointwise; weight, gradient and states must then have one shape."""
        self.by_element = self.pointwise or all(call.op.name in _BY_ELEMENT for call in self.calls)
        """Whether each element is updated independently of the others."""

    def _last_uses(self) -> list[list[int]]:
        """Return, for each call, the numbers of the values that no later call uses."""
        written = {source for _, source in self._written}
        last = {slot: k for k, call in enumerate(self.calls) for slot in call.operands}
        dead: list[list[int]] = [[] for _ in self.calls]
        for slot, k in last.items():
            if slot is not None and slot >= self._num_buffers and slot not in written:
                dead[k].append(slot)
        return dead

    def _overwriting(self) -> bool:
        """Return whether the last call updates all states, and its only result is the weight."""
        call = self.calls[-1] if self.calls else None
        if call is None or len(call.results) != 1 or len(call.updated) != self._num_buffers - 2:
            return False
        first = call.results[0]
        # The last kernel writes its result into the weight: no temporary, and no copy of it.
        return self._written == ((_WEIGHT, first),) and not any(
            first in other.operands for other in self.calls
        )

    def _count(self) -> str | None:
        if len(self.calls) != 1 or not self._over:
            return None
        op = self.calls[0].op
        # Only an operator that takes all weights in one variadic list can be called for several.
        if not op.variadic or self.calls[0].operands != tuple(range(self._num_buffers)):
            return None
        return next((name for name, p in op.params.items() if p.annotation is Count), None)

    def joins(self, shared: Numbers) -> bool:
        """Return whether one kernel call can update several weights with these shared numbers."""
        call = self.calls[0]
        return self.count is not None and all(number in shared for _, number, _ in call.numbers)

    def writes_over(self, device: Device) -> bool:
        """Return whether the last kernel writes its result in place, over the weight."""
        if not self._over:
            return False
        kernel = device.kernels.record(self.calls[-1].op.kernel)
        # A pointwise kernel may not write over an operand that it broadcasts; "in slot" kernels
        # promise it.
        return kernel.out == "in place" and not kernel.pointwise

    def steps_rows(self, device: Device) -> bool:
        """Return whether :meth:`change_weight` and the last kernel can update several weights.

        The last kernel must step rows of weight, gradient and states; a call before it may only
        replace the weight, as a decay does.
        """
        if not self._over:
            return False
        *before, last = self.calls
        record = device.kernels.record(last.op.kernel)
        if not isinstance(record, StepKernel) or not record.takes_rows or len(before) > 1:
            return False
        weight = before[0].results[0] if before else _WEIGHT
        others = tuple(range(1, self._num_buffers))
        return last.operands == (weight, *others) and all(
            call.operands == (_WEIGHT,) and _writes_in_place(call, device) for call in before
        )

    def change_weight(
        self,
        kernels: Mapping[str, KernelFunction],
        weight: Buffer,
        numbers: Numbers,
        loaded: Collection[str],
    ) -> None:
        """Run the calls before the last, which replace the weight, in place."""
        for call in self.calls[:-1]:
            params = {**call.params(numbers, loaded), "out": (weight,)}
            checked(call.op, kernels[call.op.kernel], (weight,), params)

    def on_host(self, device: Device, shared: Numbers) -> Operator | None:
        """Return the first operator that reads a per-weight number on the host, or None."""
        for call in self.calls:
            if call.reads_host(device.kernels.record(call.op.kernel), shared):
                return call.op
        return None

    def run(
        self,
        kernels: Mapping[str, KernelFunction],
        buffers: Sequence[Buffer],
        numbers: Numbers,
        write: Callable[[Buffer, Buffer], None],
        over: bool,
        loaded: Collection[str] = (),
    ) -> None:
        """Update a weight and its states by calling the kernels.

        Args:
            kernels: Kernels by name.
            buffers: Weight, gradient and states.
            numbers: Numbers by name.
            write: Overwrites its first argument with the second.
            over: Whether the last kernel overwrites operands; see :meth:`writes_over`.
            loaded: Names of the numbers that are device buffers.
        """
        values: list[Buffer] = [*buffers, *[None] * (self._size - len(buffers))]
        calls = self.calls[:-1] if over else self.calls
        for call, dead in zip(calls, self._dead, strict=False):
            params = call.params(numbers, loaded)
            operands = [None if i is None else values[i] for i in call.operands]
            call.put(values, checked(call.op, kernels[call.op.kernel], operands, params))
            for slot in dead:
                values[slot] = None
        if over:
            call = self.calls[-1]
            operands = [None if i is None else values[i] for i in call.operands]
            targets = buffers[_WEIGHT], *[operands[i] for i in call.updated]
            params = call.params(numbers, loaded)
            params["out"] = targets
            checked(call.op, kernels[call.op.kernel], operands, params)
            return
        # Operators return updated states as new arrays on tables without in-slot kernels.
        for slot in range(2, self._num_buffers):
            if values[slot] is not buffers[slot]:  # what an operator updates
                write(buffers[slot], values[slot])
        for slot, source in self._written:
            write(buffers[slot], values[source])


def _writes_in_place(call: Call, device: Device) -> bool:
    """Return whether a call of one operand can write its only result over it."""
    kernel = device.kernels.record(call.op.kernel)
    return len(call.results) == 1 and not call.updated and kernel.out == "in place"


def traced(
    rule: Callable[..., tuple[Any, Any]],
    state: Any,
    numbers: Numbers,
    **baked: Any,
) -> RuleProgram | None:
    """Return the compiled program of a rule; None if the rule draws random numbers.

    Args:
        rule: Function of weight, gradient, state and numbers that returns weight and state.
        state: A state with the structure.
        numbers: Numbers by name, which differ between runs; None stays None.
        baked: Further attributes for the rule, which are constants of the program.
    """
    open_numbers = {name: None if x is None else RunTimeNumber(name) for name, x in numbers.items()}
    # Casting by AMP is off: updates are computed in the precision of the weights.
    with NameManager(), without_casting():
        weight, grad, before = sym.var("weight"), sym.var("grad"), _symbols_like(state)
        new, after = rule(weight, grad, before, SimpleNamespace(**open_numbers, **baked))
    before_list, states = list(arrays_in(before)), list(arrays_in(after))
    entries = [x.graph.outputs[0] for x in (weight, grad, *before_list)]
    slots: dict[Entry, int] = {entry: i for i, entry in enumerate(entries)}
    sources = [x.graph.outputs[0] for x in (*states, new)]
    graph = Graph(tuple(sources), tuple(node for node, _ in entries))
    # A rule that draws would draw once, while traced; it runs operator by operator instead.
    if any(node.op is not None and node.op.needs for node in graph.nodes):
        return None
    calls = [_call(node, slots) for node in graph.nodes if node.op is not None]
    targets = [*range(2, len(entries)), _WEIGHT]
    written = [
        (target, slots[source])
        for target, source in zip(targets, sources, strict=True)
        if slots[source] != target
    ]
    return RuleProgram(calls, size=len(slots), written=written, num_buffers=len(entries))


def _call(node: Node, slots: dict[Entry, int]) -> Call:
    """Return the kernel call of a node, and assign numbers to its results."""
    op = node.op
    assert op is not None
    operands = node.operands([slots[entry] for entry in node.inputs])
    results = [slots.setdefault((node, i), len(slots)) for i in range(node.num_outputs)]
    fixed: dict[str, Any] = {}
    numbers: list[_Open] = []
    lists: list[_Open] = []
    for name, value in node.params.items():
        param = op.params[name]
        if isinstance(value, RunTimeNumber):
            numbers.append((name, value.name, param))
        # A list of one number for each weight (lrs, wds) has one open number, since a rule is for
        # one weight.
        elif isinstance(value, tuple) and any(isinstance(x, RunTimeNumber) for x in value):
            (one,) = value
            lists.append((name, one.name, param))
        else:
            fixed[name] = value
    return Call(
        op,
        operands=tuple(operands),
        fixed=fixed,
        numbers=tuple(numbers),
        lists=tuple(lists),
        results=tuple(results),
        updated=op.updated(node.params, False),
    )
