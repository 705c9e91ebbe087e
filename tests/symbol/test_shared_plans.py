"""Signatures of one graph share a plan, where that is the same but for sizes."""

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from hy_ndarray import KernelError, ShapeError, cpu, device_of
from hy_symbol import Differentiable, Executable, Joint, Program, Symbol, TypedGraph, sym
from hy_symbol.compile.arena import Pool
from hy_symbol.compile.plan import Plan
from hy_symbol.compile.planning import plan
from hy_symbol.execution import shared_plans
from hy_symbol.execution.cache import PredictionPlans, TrainingPlans
from hy_symbol.execution.tiers import Tier
from hy_symbol.infer.type_guards import TypeGuards

pytestmark = pytest.mark.usefixtures("_on_numpy")  # its buffers


def in_place(x: Symbol, y: Symbol) -> Symbol:
    return sym.tanh(sym.exp(x) * y + 1)


def flat(x: Symbol, y: Symbol) -> Symbol:
    return sym.reshape(sym.reshape(x + y, shape=(-1,)) * 2, shape=(-1, 1))


def column(x: Symbol, y: Symbol) -> Symbol:
    return sym.Group([sym.reshape(x, shape=(-1, 1)) + 1, sym.identity(y)])


def turned(x: Symbol, y: Symbol) -> Symbol:
    return sym.Group([sym.dot(sym.transpose(sym.exp(x)), y), sym.transpose(x) * 2])


def spread(x: Symbol, y: Symbol) -> Symbol:
    return sym.broadcast_mul(sym.broadcast_add(x, sym.mean(y, axis=0, keepdims=True)), y)


def dense(x: Symbol, y: Symbol) -> Symbol:
    weight = sym.dot(sym.ones((3, 1)), sym.sum(y, axis=0, keepdims=True))
    layer = sym.FullyConnected(x, weight, num_hidden=3, no_bias=True)
    return sym.Activation(layer, act_type="relu")


def parted(x: Symbol, y: Symbol) -> Symbol:
    parts = sym.split(sym.concat(x, y, dim=0), num_outputs=2, axis=0)
    return parts[0] - sym.softmax(parts[1])


def fixed(x: Symbol, y: Symbol) -> Symbol:
    return sym.broadcast_add(x, sym.exp(sym.ones((1, 1)))) + y


def numbered(x: Symbol, y: Symbol) -> Symbol:
    rows = sym.expand_dims(sym.contrib.arange_like(sym.exp(x), axis=0), axis=1)
    return sym.broadcast_mul(x, rows * 2 + 1) + y


NETS = [in_place, flat, column, turned, spread, dense, parted, fixed, numbered]
Shape = tuple[int, int]


def typed_of(net: Symbol, shape: Shape) -> TypedGraph:
    return TypedGraph.of(net.graph, [(shape, "float32")] * len(net.graph.variables))


def operands(net: Symbol, shape: Shape) -> list[Any]:
    rng = np.random.default_rng(shape)
    return [rng.normal(size=shape).astype(np.float32) for _ in net.graph.variables]


def executable_of(plans: PredictionPlans, net: Symbol, shape: Shape) -> Executable:
    return plans.executable(typed_of(net, shape))


def compiled(plans: PredictionPlans, net: Symbol, shape: Shape) -> Program:
    found = executable_of(plans, net, shape).program
    assert isinstance(found, Program)
    return found


def built(made: Callable[[Symbol, Symbol], Symbol]) -> Symbol:
    return made(sym.var("x"), sym.var("y"))


@pytest.fixture(params=[1, 64], ids=["small", "large"])
def scale(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """By what sizes are multiplied; values of large ones lie in arenas."""
    if request.param > 1:
        monkeypatch.setattr(shared_plans, "_MIN_ARENA_BYTES", 0)
        monkeypatch.setattr(shared_plans, "_MIN_ARENA_VALUE", 0)
    found: int = request.param
    return found


@pytest.mark.parametrize("made", NETS)
@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=3, max_size=6))
def test_programs_of_a_family_give_the_same_bits_as_their_own_plans(
    made: Callable[[Symbol, Symbol], Symbol], scale: int, shapes: list[Shape]
) -> None:
    pool = Pool()
    net, one = built(made), PredictionPlans(device_of(cpu()), pool)
    for shape in [(rows * scale, columns * scale) for rows, columns in shapes]:
        program = executable_of(one, net, shape)
        own = Program.of(typed_of(net, shape), device_of(cpu()), is_train=False, pool=pool)
        arrays = operands(net, shape)
        expected = own.run([*arrays])
        for _ in range(2):
            for x, y in zip(program.run([*arrays]), expected, strict=True):
                np.testing.assert_array_equal(x, y)


def test_a_family_plans_one_signature_when_it_runs_again_and_the_second_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planned = []

    def watched(*args: Any, **kwargs: Any) -> Plan:
        planned.append(1)
        return plan(*args, **kwargs)

    monkeypatch.setattr("hy_symbol.execution.program.plan", watched)
    net, one = built(in_place), PredictionPlans(device_of(cpu()), Pool())
    assert executable_of(one, net, (2, 3)).tier is Tier.INTERPRETED
    assert not planned
    assert all(executable_of(one, net, (n, 3)).tier is Tier.COMPILED for n in range(3, 9))
    assert len(planned) == 1


def test_programs_of_a_family_share_plan_and_text() -> None:
    net, one = built(flat), PredictionPlans(device_of(cpu()), Pool())
    executable_of(one, net, (1, 1))
    first = compiled(one, net, (2, 3))
    first.compile()
    texts = {name for name in linecache.cache if name.startswith("<program ")}
    second = compiled(one, net, (4, 5))
    assert second.plan.units is first.plan.units
    assert second.source == first.source
    assert {name for name in linecache.cache if name.startswith("<program ")} == texts
    assert [y.shape for y in second.run(operands(net, (4, 5)))] == [(20, 1)]
    assert [y.shape for y in first.run(operands(net, (2, 3)))] == [(6, 1)]


def planned(net: Symbol, shape: Shape) -> Program:
    plans = PredictionPlans(device_of(cpu()), Pool())
    assert executable_of(plans, net, shape).tier is Tier.INTERPRETED  # the first signature
    return compiled(plans, net, shape)


@pytest.mark.parametrize(
    ("made", "shape", "other"),
    [
        (column, (3, 2), (3, 1)),  # the same instead of a view
        (spread, (3, 2), (1, 2)),  # operands of one type, one of which is overwritten
        (in_place, (3, 2), (0, 2)),  # nothing to overwrite
    ],
)
def test_another_plan_is_not_shared(
    made: Callable[[Symbol, Symbol], Symbol], shape: Shape, other: Shape
) -> None:
    net = built(made)
    first = planned(net, shape)
    assert first.like(typed_of(net, other).types) is None
    assert first.like(typed_of(net, shape).types) is not None


def test_large_and_small_values_share_plans_and_large_ones_have_arenas_of_their_own() -> None:
    net = sym.dot(sym.exp(sym.var("x")), sym.var("y"), transpose_b=True)
    one = PredictionPlans(device_of(cpu()), Pool())
    shapes = ((4, 5), (6, 7), (8, 9), (400, 900), (800, 900), (700, 800))
    programs = [compiled(one, net, shape) for shape in shapes]
    first, second, third, *large = programs
    assert third.plan.units is second.plan.units
    assert first.plan.units is not second.plan.units
    assert second.arena is third.arena is None
    arenas = [program.arena for program in large]
    assert None not in arenas
    assert len({arena.size for arena in arenas if arena is not None}) == len(large)
    assert large[2].plan.units is large[1].plan.units


def test_a_plan_for_one_signature_alone_is_not_shared() -> None:
    net = built(in_place)
    program = Program.of(typed_of(net, (2, 3)), device_of(cpu()), is_train=False)
    assert program.like(typed_of(net, (2, 3)).types) is None


def test_what_fails_in_a_shared_plan_names_its_node() -> None:
    net = sym.tanh(sym.dot(sym.var("x"), sym.var("y"), name="product"))
    typed = TypedGraph.of(net.graph, [((2, 3), "float32"), ((3, 4), "float32")])
    other = TypedGraph.of(net.graph, [((5, 6), "float32"), ((6, 7), "float32")])
    one = PredictionPlans(device_of(cpu()), Pool())
    programs = [one.executable(each).program for each in (typed, typed, other)]
    assert isinstance(programs[1], Program)
    assert isinstance(programs[2], Program)
    assert programs[2].plan.units is programs[1].plan.units
    with pytest.raises((ShapeError, KernelError), match="product"):
        programs[2].run([np.ones((5, 6), np.float32), np.ones((5, 6), np.float32)])


def test_questions_hold_for_types_that_answer_alike_alone() -> None:
    net = built(in_place)
    types = [typed_of(net, shape).types for shape in ((2, 3), (4, 5), (4, 0))]
    (output,) = net.graph.outputs
    guards = TypeGuards()
    assert guards.record(types[0], type(types[0]).exceed, (output,), 0)
    assert [guards.match(each) for each in types] == [True, True, False]
    assert not guards.match(typed_of(built(flat), (2, 3)).types)  # it has other entries


def passed(programs: Differentiable, arrays: list[Any]) -> list[Any]:
    outputs, saved = programs.run(arrays)
    heads = [np.cos(y) for y in outputs]
    return [*outputs, *programs.gradients(heads, arrays, saved, last=True)]


@pytest.mark.parametrize("made", [in_place, flat, turned, spread, dense, parted])
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=3, max_size=5))
def test_gradients_of_a_family_are_those_of_their_own_plans(
    made: Callable[[Symbol, Symbol], Symbol], scale: int, shapes: list[Shape]
) -> None:
    net, pool = built(made), Pool()
    joint = Joint.of(net.graph, [0, 1], is_train=True)
    pairs = TrainingPlans(joint, device_of(cpu()), pool)
    for shape in [(rows * scale, columns * scale) for rows, columns in shapes]:
        typed, arrays = typed_of(net, shape), operands(net, shape)
        expected = passed(joint.programs(device_of(cpu()), typed, pool=pool), arrays)
        for x, y in zip(passed(pairs.programs(typed), arrays), expected, strict=True):
            np.testing.assert_array_equal(x, y)


def test_operators_whose_steps_depend_on_sizes_stay_whole_in_shared_plans() -> None:
    net = sym.np.diff(sym.var("x").as_np_ndarray(), axis=0).as_nd_ndarray() + 1
    plans = PredictionPlans(device_of(cpu()), Pool())
    made = [executable_of(plans, net, (n, 3)).program for n in (4, 5, 6)]
    assert all(isinstance(program, Program) for program in made)
    second, third = made[1:]
    assert isinstance(second, Program)
    assert isinstance(third, Program)
    assert third.steps is second.steps
    assert "_npi_diff" in [node.op.name for node in third.steps if node.op is not None]
    x = np.arange(18.0, dtype=np.float32).reshape(6, 3) ** 2
    np.testing.assert_array_equal(third.run([x])[0], np.diff(x, axis=0) + 1)


def test_pairs_share_their_plans_from_the_third_signature_on() -> None:
    net = built(in_place)
    pairs = TrainingPlans(Joint.of(net.graph, [0], is_train=True), device_of(cpu()), Pool())
    made = [pairs.programs(typed_of(net, (n, 3))) for n in (2, 3, 4)]
    assert pairs.is_shared
    assert made[2].backward.plan.units is made[1].backward.plan.units
    assert made[2].forward.plan.units is made[1].forward.plan.units
    assert made[1].forward.plan.units is not made[0].forward.plan.units


def test_pairs_of_large_values_share_plans_in_arenas_of_their_own() -> None:
    net = built(in_place)
    pairs = TrainingPlans(Joint.of(net.graph, [0], is_train=True), device_of(cpu()), Pool())
    made = [pairs.programs(typed_of(net, (n, 3))) for n in (100_000, 200_000, 300_000)]
    assert pairs.is_shared
    assert made[2].backward.plan.units is made[1].backward.plan.units
    sizes = [both.arena.size for both in made if both.arena is not None]
    assert len(sizes) == 3
    assert sizes == sorted(sizes)
    assert pairs.programs(typed_of(net, (2, 3))).arena is None
