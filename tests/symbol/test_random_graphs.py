"""Random graphs out of the whole catalogue: as arrays compute them, with the types inferred.

A graph is a chain of case rows (`hy_ndarray.testing.cases`): each step applies the operator of a
row with its parameters. An input that the row draws at random is either a variable or the value of
an earlier step, brought to the row's shape and range by operators of the catalogue; inputs that the
row gives, such as indices, are variables.
"""

from dataclasses import dataclass, field
from math import ceil, prod
from random import Random
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hy_ndarray import NDArray, autograd, cpu, nd, ops
from hy_ndarray.testing import OpCase, drawn
from hy_ndarray.testing.cases import CASES
from hy_symbol import Executor, Symbol, infer_types, sym

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # infinities are welcome

Step: TypeAlias = tuple[OpCase, tuple[int | None, ...]]
"""A row, and for each of its inputs the step whose value it takes, None for a variable."""


def is_drawn(case: OpCase) -> bool:
    """Whether a row can be a step of any graph.

    Not so where an operator always draws random numbers (a graph does that in another order),
    where it overwrites inputs that are no states (an optimizer), where it creates an array of
    size 0 (in a graph that is a size that follows from its use), and where it asks whether operands
    share memory (equal values of a program do).
    """
    op = ops.find(case.op)
    if op.name == "_npi_share_memory" or op.draws(op.parse(case.params), False):
        return False
    changed = op.updated(op.parse(case.params), True)
    overwritten = any(op.variadic or op.inputs[i] not in op.aux for i in changed)
    return not overwritten and (case.shapes != () or 0 not in case.params.get("shape", ()))


ROWS: dict[str, list[OpCase]] = {}
for _case in filter(is_drawn, CASES):
    ROWS.setdefault(ops.find(_case.op).name, []).append(_case)


def draws_in_training(case: OpCase) -> bool:
    op = ops.find(case.op)
    return op.draws(op.parse(case.params), True)


def takes_values(case: OpCase, i: int, name: str) -> bool:
    """Whether input ``i`` may be the value of an earlier step.

    It may not be an index or a state, and not a matrix of an operator that refuses singular ones:
    a value that is repeated until it fits is often one.
    """
    op, shape = ops.find(case.op), case.shapes[i]
    given = i in case.inputs or name in op.aux or op.name.startswith("_linalg_")
    return not given and bool(shape) and 0 not in (shape or ())


def any_step(rng: Random, name: str, number: int, chance: float = 0.7) -> Step:
    """A row of an operator; each input takes the value of an earlier step by chance."""
    case = rng.choice(ROWS[name])
    taken = [
        rng.randrange(number) if number and rng.random() < chance else None for _ in case.shapes
    ]
    return case, tuple(taken)


@st.composite
def recipes(draw: st.DrawFn) -> list[Step]:
    """Steps of operators that are drawn evenly, as hypothesis itself would not."""
    rng = Random(draw(st.integers(0, 2**64)))  # noqa: S311
    count = draw(st.integers(1, 6))
    return [any_step(rng, rng.choice(sorted(ROWS)), number) for number in range(count)]


@dataclass
class Built:
    """A graph being built by one front end: its variables, and the outputs of every step."""

    front_end: Any
    variables: dict[str, Any] = field(default_factory=dict)
    outputs: list[list[Any]] = field(default_factory=list)
    smooth: list[bool] = field(default_factory=list)
    """Whether a step and those it takes values of have gradients."""


def fitted(F: Any, x: Any, size: int, case: OpCase, shape: tuple[int, ...]) -> Any:
    """``x``, which has ``size`` elements, in a shape and range that a row draws its input from."""
    # Not a number is equal to nothing.
    x = F.where(F.broadcast_equal(x, x), x, F.zeros_like(x))
    row = F.reshape(x, shape=(-1,))
    count = prod(shape)
    row = F.slice_axis(F.tile(row, reps=(ceil(count / size),)), axis=0, begin=0, end=count)
    return F.reshape(F.sigmoid(row) * (case.high - case.low) + case.low, shape=shape)


def built(
    front_end: Any, kind: type, steps: list[Step], values: dict[str, Any], sizes: dict[int, int]
) -> Built:
    """The steps on arrays, or as a graph; ``sizes`` says which steps have a value to go on with."""
    made = Built(front_end)
    for number, (case, sources) in enumerate(steps):
        op = ops.find(case.op)
        names = op.inputs if not op.variadic else [f"arg{i}" for i in range(len(sources))]
        inputs: list[Any] = []
        smooth = op.grad is not None and case.check_second
        for i, (shape, source) in enumerate(zip(case.shapes, sources, strict=True)):
            name = f"s{number}_{i}"
            if name in values:
                usable = source in sizes and takes_values(case, i, names[i])
                if usable and source is not None and shape:
                    x = made.outputs[source][0]
                    smooth &= made.smooth[source]
                    inputs.append(fitted(front_end, x, sizes[source], case, shape))
                else:
                    made.variables[name] = values[name] if kind is NDArray else sym.var(name)
                    inputs.append(made.variables[name])
            else:
                inputs.append(None)
        if kind is NDArray:
            mode = autograd.is_training()
            result = NDArray.apply_operator(op, inputs, op.parse(case.params), mode)
        else:
            result = Symbol.apply_operator(op, inputs, op.parse(case.params))
        result = result if isinstance(result, list) else [result]
        made.outputs.append(result)
        made.smooth.append(smooth)
        if kind is NDArray and is_real(result[0]) and result[0].size:
            sizes[number] = result[0].size
    return made


def is_real(x: Any) -> bool:
    return bool(np.dtype(x.dtype) == np.float64)


def arrays_of(steps: list[Step], seed: int) -> dict[str, NDArray]:
    rng = np.random.default_rng(seed)
    return {
        f"s{number}_{i}": nd.array(v, dtype=v.dtype)
        for number, (case, _) in enumerate(steps)
        for i, v in enumerate(drawn(case, rng))
        if v is not None
    }


def bound(
    net: Symbol, values: dict[str, NDArray], grads: dict[str, NDArray]
) -> tuple[Executor, dict[str, NDArray]]:
    states = {name: values[name].copy() for name in net.list_auxiliary_states()}
    args = {name: values[name] for name in net.list_arguments()}
    return net.bind(cpu(), args, grads, aux_states=states), states


def check_types(net: Symbol, values: dict[str, NDArray], results: list[NDArray]) -> None:
    """Types follow from those of the variables, by the rules and by what MXNet answers."""
    variables = net.graph.variables
    shapes = {v: values[v.name].shape for v in variables}
    dtypes = {v: np.dtype(values[v.name].dtype).name for v in variables}
    types = infer_types(net.graph, shapes, dtypes)
    if any(0 in shape or not shape for shape in shapes.values()):
        return  # in a question a size of 0 is an open one, and no axes are an open shape
    named = {v.name: values[v.name].shape for v in variables}
    answers = net.infer_shape_partial(**named)[1]
    kinds = net.infer_type_partial(**{v.name: values[v.name].dtype for v in variables})[1]
    for entry, result, answer, kind in zip(net.graph.outputs, results, answers, kinds, strict=True):
        shape, dtype = types.get(entry)
        assert shape is not None
        assert tuple(n if m is None else m for n, m in zip(result.shape, shape, strict=True)) == (
            result.shape
        )
        assert dtype == np.dtype(result.dtype).name == np.dtype(kind).name
        assert answer in (result.shape, ()) or 0 in (answer or ())


def same(actual: NDArray, expected: NDArray) -> None:
    """Equal but for the order in which gradients are added."""
    a, b = actual.asnumpy(), expected.asnumpy()
    finite = np.abs(b[np.isfinite(b)])
    np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9 * finite.max(initial=1))


@pytest.mark.slow
@settings(max_examples=200, deadline=None, derandomize=True)
@given(recipes(), st.integers(0, 2**31), st.booleans())
def test_a_random_graph_is_what_arrays_compute(steps: list[Step], seed: int, train: bool) -> None:
    check_graph(steps, seed, train=train)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_every_operator_is_part_of_a_graph(name: str) -> None:
    rng = Random(name)  # noqa: S311
    names = [rng.choice(sorted(ROWS)), name, rng.choice(sorted(ROWS))]
    steps = [any_step(rng, n, number, chance=1) for number, n in enumerate(names)]
    check_graph(steps, rng.randrange(2**31), train=rng.random() < 0.5)


def check_graph(steps: list[Step], seed: int, *, train: bool) -> None:
    """The graph has the values, types and gradients of the arrays, and leaves the same states."""
    train = train and not any(draws_in_training(case) for case, _ in steps)
    values = arrays_of(steps, seed)
    eager_values = {name: x.copy() for name, x in values.items()}
    wanted = [name for name, x in values.items() if is_real(x)]
    for name in wanted:
        eager_values[name].attach_grad()
    sizes: dict[int, int] = {}
    with autograd.record(train):
        eager = built(nd, NDArray, steps, eager_values, sizes)
    expected = [y for outputs in eager.outputs for y in outputs]

    graph = built(sym, Symbol, steps, values, dict(sizes))
    net = sym.Group([y for outputs in graph.outputs for y in outputs])
    assert set(net.list_inputs()) == set(eager.variables)
    check_types(net, values, expected)

    executor, states = bound(net, values, {})
    results = executor.forward(is_train=train)
    for actual, array in zip(results, expected, strict=True):
        np.testing.assert_array_equal(actual.asnumpy(), array.asnumpy())
    for name, state in states.items():
        np.testing.assert_array_equal(state.asnumpy(), eager_values[name].asnumpy())

    pairs = [
        (y, array)
        for step, steps_smooth in enumerate(graph.smooth)
        for y, array in zip(graph.outputs[step], eager.outputs[step], strict=True)
        if steps_smooth and array.in_graph
    ]
    if pairs:
        check_gradients(pairs, values, eager_values, seed, train=train)


def check_gradients(
    pairs: list[tuple[Symbol, NDArray]],
    values: dict[str, NDArray],
    recorded: dict[str, NDArray],
    seed: int,
    *,
    train: bool,
) -> None:
    """Gradients of symbols are those of the arrays beside them, which were recorded."""
    rng = np.random.default_rng(seed + 1)
    heads = [nd.array(rng.uniform(-1, 1, y.shape), dtype=y.dtype) for _, y in pairs]
    autograd.backward([y for _, y in pairs], heads, train_mode=train)
    net = sym.Group([symbol for symbol, _ in pairs])
    targets = [name for name in net.list_arguments() if recorded[name].grad is not None]
    grads = {name: nd.empty(values[name].shape, dtype="float64") for name in targets}
    executor, _ = bound(net, values, grads)
    executor.forward(is_train=train)
    executor.backward(heads)
    for name in targets:
        grad = recorded[name].grad
        assert grad is not None
        same(grads[name], grad)


def test_the_whole_catalogue_is_drawn_from() -> None:
    """Every operator, but for those that :func:`is_drawn` leaves out."""
    missing = [op for op in ops.operators() if op.name not in ROWS]
    quiet = [op.name for op in missing if not op.needs and op.updates is None]
    assert quiet == ["_npi_share_memory"]
    assert len(ROWS) > 0.9 * len(ops.operators())
