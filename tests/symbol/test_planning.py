"""Planned programs: the same numbers as unplanned ones, in less memory and fewer steps."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings, strategies as st

from hy_kernels.numpy.costs import COSTS
from hy_ndarray import Device, KernelError, cpu, device_of, use_kernels
from hy_symbol import (
    Differentiable,
    Known,
    Memory,
    Program,
    Sliced,
    Symbol,
    TypedGraph,
    explained,
    memory_of,
    sym,
)
from hy_symbol.execution.cache import PredictionPlans
from tests.changed_costs import change_costs
from tests.kernels.lacking_table import lacking
from tests.symbol.allocations import peak
from tests.symbol.graph_runs import typed
from tests.symbol.random_graphs import SHAPE, Step, built, recipes
from tests.symbol.small_plans import plan_small_arrays

pytestmark = pytest.mark.usefixtures("_on_numpy")  # its buffers, and how it plans graphs

Array = npt.NDArray[Any]


def here() -> Device:
    """The CPU, as it is served now."""
    return device_of(cpu())


@pytest.fixture
def small(_on_numpy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    plan_small_arrays(monkeypatch)


def planned(net: Symbol, *arrays: Array, is_train: bool = False) -> Program:
    return Program.of(typed(net, arrays), here(), is_train=is_train)


def plain(net: Symbol, *, is_train: bool = False) -> Program:
    inputs = [(node, 0) for node in net.graph.variables]
    return Program(inputs, net.graph.outputs, here(), is_train=is_train)


def ways(program: Program) -> list[tuple[str, ...]]:
    """How each unit is carried out, and the operators in it."""
    return [(row.how, *row.operators) for row in explained(program).rows]


# --- the same numbers -----------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True)
@given(recipes(), st.integers(0, 2**31), st.booleans())
def test_a_random_graph_gives_the_same_planned_or_not(
    steps: list[Step], seed: int, mirror: bool
) -> None:
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        plan_small_arrays(patch)
        _check_random(built(sym, steps, sym.var("x"), sym.var("y")), rng, mirror)


def _check_random(net: Symbol, rng: np.random.Generator, mirror: bool) -> None:
    arrays = [rng.uniform(-1, 1, SHAPE) for _ in net.list_arguments()]
    before = [array.copy() for array in arrays]
    (expected,) = plain(net)(*arrays)
    (value,) = planned(net, *arrays)(*arrays)
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-14)
    head = rng.uniform(-1, 1, SHAPE)
    found = []
    for graph in (net.graph, typed(net, arrays)):
        wrt = list(range(len(arrays)))
        planned_too = graph is not net.graph
        both = Differentiable.of(graph, wrt, here(), is_train=True, mirror=planned_too and mirror)
        (y,), saved = both.run(arrays)
        np.testing.assert_allclose(y, expected, rtol=1e-12, atol=1e-14)
        gradients = both.gradients([head], arrays, saved, last=True)
        found.append(dict(zip(both.targets, gradients, strict=True)))
    for position, gradient in found[0].items():
        np.testing.assert_allclose(found[1][position], gradient, rtol=1e-10, atol=1e-13)
    for array, old in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, old)


POINTWISE: list[Callable[[Any], Any]] = [
    sym.relu,
    lambda x: sym.Activation(x, act_type="relu"),
    lambda x: sym.Activation(x, act_type="softrelu"),
    lambda x: sym.LeakyReLU(x, act_type="gelu"),
    sym.sigmoid,
    sym.tanh,
    sym.exp,
    lambda x: sym.sqrt(sym.abs(x)),
    lambda x: sym.clip(x, -0.5, 0.5),
    lambda x: 1.5 - x * 0.5,
    lambda x: 1 / (x * x + 1),
    lambda x: (x**2 + 2) ** 1.5,
    lambda x: sym.add_n(x, x * 2, x),
    lambda x: sym.maximum(x, sym.sin(x)) / 3,
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [1, 2, 3, 40, 40_000])
def test_fused_steps_give_every_bit(
    dtype: str, size: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = rng.normal(size=size).astype(dtype)
    x[:: max(1, size // 3)] = -0.0
    values = [sym.var("x")]
    for step in rng.permutation(len(POINTWISE)):
        values.append(POINTWISE[step](values[-1]))
    net = sym.Group([values[-1], values[-5]])
    expected = plain(net)(x)
    monkeypatch.setattr(here().limits, "fusion_size", 0)
    change_costs(monkeypatch, threads={"pointwise": 8})
    change_costs(monkeypatch, blocks={"pointwise": min(size, COSTS.blocks.pointwise)})
    program = planned(net, x)
    assert any(row.how == "fused" for row in explained(program).rows)
    for value, other in zip(program(x), expected, strict=True):
        np.testing.assert_array_equal(value.view(np.uint8), other.view(np.uint8))


@pytest.mark.usefixtures("small")
def test_what_is_not_contiguous_is_computed_all_the_same() -> None:
    net = sym.tanh(sym.var("x") * 2) + 1
    x = np.arange(24.0).reshape(4, 6).T
    np.testing.assert_array_equal(planned(net, x)(x)[0], plain(net)(x)[0])


@pytest.mark.usefixtures("small")
def test_numbers_without_axes_are_not_written_over() -> None:
    x = sym.np.max(sym.var("x").as_np_ndarray())
    net = x / 255 + x * 0.5
    array = np.array([1.0, 51.0])
    with use_kernels(lacking("fuse")):
        program = planned(net, array)
        assert {row.how for row in explained(program).rows} == {"call"}
        np.testing.assert_allclose(program(array)[0], 25.7)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("part", "ways"),
    [
        ("together", ["fused"]),
        ("fuse", ["call", "in place", "in place"]),
        ("limits", ["call", "call", "call"]),
    ],
)
def test_a_table_may_lack_what_makes_it_fast(part: str, ways: list[str]) -> None:
    net = sym.tanh(sym.var("x") * 2) + 1
    x = np.arange(24.0).reshape(4, 6)
    (expected,) = planned(net, x)(x)
    with use_kernels(lacking(part)):
        program = planned(net, x)
        assert [row.how for row in explained(program).rows] == ways
        np.testing.assert_array_equal(program(x)[0], expected)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("part", ["together", "limits"])
def test_batches_are_predicted_by_a_table_without_threads_too(
    part: str, rng: np.random.Generator
) -> None:
    net = _convnet()
    arrays = _drawn(net, rng, data=(4, 3, 8, 8))
    (expected,) = plain(net)(*arrays)
    with use_kernels(lacking(part)):
        program = PredictionPlans(here(), batched=[0]).executable(typed(net, arrays)).program
        assert isinstance(program, Sliced) is (part == "together")
        np.testing.assert_allclose(program.run([*arrays])[0], expected, rtol=1e-9)


# --- how steps are carried out --------------------------------------------------------------------


@pytest.mark.usefixtures("small")
def test_a_result_takes_the_buffer_of_an_operand_that_nobody_needs() -> None:
    net = sym.relu(sym.dot(sym.var("x"), sym.var("w")))
    x = np.ones((3, 3))
    assert ways(planned(net, x, x)) == [("call", "dot"), ("in place", "relu")]


@pytest.mark.usefixtures("small")
def test_inputs_and_outputs_are_never_overwritten() -> None:
    first = sym.var("x")
    product = sym.dot(first, sym.var("w"))
    net = sym.Group([product, sym.relu(product), sym.relu(first)])
    x = np.array([[-1.0, 2.0], [3.0, -4.0]])
    program = planned(net, x, x)
    assert {how for how, *_ in ways(program)} == {"call"}
    results = program(x, x)
    for value, expected in zip(
        results, (x @ x, np.maximum(x @ x, 0), np.maximum(x, 0)), strict=True
    ):
        np.testing.assert_array_equal(value, expected)


@pytest.mark.usefixtures("small")
def test_a_value_that_is_read_again_is_not_overwritten() -> None:
    product = sym.dot(sym.var("x"), sym.var("w"))
    flat = sym.Reshape(product, shape=(-1,))
    net = sym.sum(sym.relu(product)) + sym.sum(flat)
    x = np.array([[-1.0, 2.0], [3.0, -4.0]])
    assert ("call", "relu") in ways(planned(net, x, x))
    np.testing.assert_array_equal(planned(net, x, x)(x, x)[0], plain(net)(x, x)[0])


def test_reshaping_is_a_view_inside_and_a_copy_outside() -> None:
    x = np.ones((2, 3))
    inside = sym.exp(sym.Flatten(sym.expand_dims(sym.var("x"), axis=1)))
    assert ways(planned(inside, x))[:2] == [("view", "expand_dims"), ("view", "Flatten")]
    outside = planned(sym.Reshape(sym.var("x"), shape=(6,)), x)
    assert ways(outside) == [("call", "Reshape")]
    assert not np.shares_memory(outside(x)[0], x)


def test_results_share_memory_with_nothing() -> None:
    start = sym.var("x")
    net = sym.exp(start)
    copies = [sym.identity(net), sym.Flatten(net), sym.BlockGrad(net), net, sym.Flatten(start)]
    x = np.ones((2, 3))
    program = planned(sym.Group(copies), x)
    results = [*program(x), *program(x), x]
    for i, value in enumerate(results):
        assert not any(np.shares_memory(value, other) for other in results[:i])


def test_copies_inside_are_the_values_themselves() -> None:
    x = np.ones((2, 3), np.float32)
    net = sym.exp(sym.cast(sym.identity(sym.var("x")), dtype="float32"))
    assert ways(planned(net, x)) == [("same", "_copy"), ("same", "Cast"), ("call", "exp")]


def test_a_state_that_is_overwritten_is_read_as_it_was() -> None:
    names = ("x", "gamma", "beta", "mean", "var")
    x, gamma, beta, mean, var = map(sym.var, names)
    before = sym.identity(mean)
    y = sym.BatchNorm(x, gamma, beta, mean, var, fix_gamma=False, momentum=0.0)
    net = sym.Group([y, sym.broadcast_add(sym.sum(y), before)])
    values = [np.ones((2, 2), np.float32) * 3, *(np.ones(2, np.float32) for _ in range(4))]
    order = [names.index(name) for name in net.list_inputs()]
    results = [
        program(*[values[i].copy() for i in order])[1]
        for program in (
            plain(net, is_train=True),
            planned(net, *[values[i] for i in order], is_train=True),
        )
    ]
    np.testing.assert_array_equal(*results)


def test_what_depends_on_no_input_is_computed_once() -> None:
    table = sym.sqrt(sym.arange(0, 4))
    net = sym.broadcast_add(sym.var("x"), sym.reshape(table, shape=(1, 4)))
    program = planned(net, np.ones((2, 4), np.float32))
    assert ways(program) == [("call", "broadcast_add")]
    assert explained(program).constants == 3
    for _ in range(2):
        np.testing.assert_allclose(program(np.ones((2, 4), np.float32))[0][0, 3], 1 + 3**0.5)


def test_constants_that_are_returned_are_new_in_each_call() -> None:
    program = planned(sym.Group([sym.arange(0, 4), sym.var("x")]), np.ones(1))
    first, second = program(np.ones(1))[0], program(np.ones(1))[0]
    first += 1
    np.testing.assert_array_equal(second, [0, 1, 2, 3])


def test_what_nobody_needs_is_not_computed() -> None:
    parts = sym.SliceChannel(sym.var("x"), num_outputs=2, axis=1)
    sym.exp(parts[1])
    assert ways(planned(sym.relu(parts[0]), np.ones((2, 4)))) == [
        ("call", "SliceChannel"),
        ("call", "relu"),
    ]


def test_transposes_cancel_or_go_into_the_product() -> None:
    a, b = sym.var("a"), sym.var("b")
    x, y = np.arange(6.0).reshape(2, 3), np.arange(8.0).reshape(2, 4)
    twice = sym.exp(sym.transpose(sym.transpose(a)))
    assert ways(planned(twice, x)) == [("call", "exp")]
    product = sym.dot(sym.transpose(a), b)
    program = planned(product, x, y)
    assert ways(program) == [("call", "dot")]
    np.testing.assert_allclose(program(x, y)[0], x.T @ y)
    stacks = sym.batch_dot(sym.SwapAxis(a, dim1=1, dim2=2), b, transpose_b=True)
    values = np.arange(12.0).reshape(2, 2, 3), np.arange(16.0).reshape(2, 4, 2)
    program = planned(stacks, *values)
    assert ways(program) == [("call", "batch_dot")]
    np.testing.assert_allclose(program(*values)[0], plain(stacks)(*values)[0])


def test_a_transpose_of_axes_of_size_one_is_free() -> None:
    x = np.arange(6.0).reshape(2, 1, 3)
    net = sym.exp(sym.transpose(sym.var("x"), axes=(1, 0, 2)))
    assert ways(planned(net, x))[0] == ("view", "Reshape")
    np.testing.assert_array_equal(planned(net, x)(x)[0], plain(net)(x)[0])


def test_forward_and_backward_have_subexpressions_in_common() -> None:
    x = np.full((2, 2), 0.5)
    start = sym.var("x")
    net = sym.exp(start) * sym.exp(start)
    both = Differentiable.of(typed(net, [x]), [0], here(), is_train=True)
    kinds = [row.operators[0] for row in explained(both).rows]
    assert kinds.count("exp") == 1
    _, saved = both.run([x])
    (dx,) = both.gradients([np.ones((2, 2))], [x], saved)
    np.testing.assert_allclose(dx, 2 * np.exp(1.0) * np.ones((2, 2)))


@pytest.mark.usefixtures("small")
def test_an_error_in_fused_steps_names_the_node() -> None:
    net = sym.exp(sym.relu(sym.var("x"), name="first"), name="second")
    program = planned(net, np.ones(4))
    with pytest.raises(KernelError, match="exp 'second': the kernel failed"):
        program(np.array(["a", "b"]))


# --- memory ---------------------------------------------------------------------------------------


def _layers(count: int, size: int) -> Symbol:
    net = sym.var("x")
    for i in range(count):
        net = sym.FullyConnected(net, num_hidden=size, no_bias=True, name=f"fc{i}")
        net = sym.sigmoid(net)
    return net


def test_a_program_takes_the_memory_that_its_plan_says() -> None:
    size, one = 256, 256 * 256 * 4
    arrays = [np.full((size, size), 1 / size, np.float32) for _ in range(5)]
    program = planned(_layers(4, size), *arrays)
    memory = memory_of(program)
    assert memory == Memory(naive=7 * one, planned=2 * one)
    most = peak(lambda: program(*arrays))  # the result besides
    assert 2 * one <= most < 2.2 * one


def test_training_takes_the_memory_that_its_plan_says() -> None:
    size, one = 256, 256 * 256 * 4
    arrays = [np.full((size, size), 1 / size, np.float32) for _ in range(5)]
    net = sym.sum(_layers(4, size))
    known = [(x.shape, x.dtype.name) for x in arrays]
    both = Differentiable.of(TypedGraph.of(net.graph, known), [1, 2, 3, 4], here(), is_train=True)
    memory = memory_of(both)

    def step() -> Any:
        _, saved = both.run(arrays)
        return both.gradients([np.ones(1, np.float32)], arrays, saved, last=True)

    assert memory.saved == 4 * one
    returned = 4 * one
    most = peak(step)
    assert most <= memory.planned + returned + 0.6 * one  # and the kernels' scratch memory
    assert memory.ratio < 0.5


def test_recomputing_saves_memory_and_gives_the_same_gradients(rng: np.random.Generator) -> None:
    net = sym.var("x")
    for i in range(3):
        net = sym.FullyConnected(net, num_hidden=8, no_bias=True, name=f"fc{i}")
        net = sym.LeakyReLU(net, act_type="gelu") * 0.5 + 1
    arrays = [rng.normal(size=(8, 8)) for _ in net.list_arguments()]
    found = []
    saved_bytes = []
    for mirror in (False, True):
        both = Differentiable.of(
            typed(net, arrays),
            range(4),
            here(),
            is_train=True,
            mirror=mirror,
        )
        _, saved = both.run(arrays)
        saved_bytes.append(memory_of(both).saved)
        assert sum(value.nbytes for value in saved) == saved_bytes[-1]
        found.append(both.gradients([np.ones((8, 8))], arrays, saved))
    assert saved_bytes == [5 * 8 * 8 * 8, 3 * 8 * 8 * 8]
    for gradient, other in zip(*found, strict=True):
        np.testing.assert_array_equal(gradient, other)


def test_nothing_is_rematerialized_where_that_saves_nothing() -> None:
    known: list[Known] = [((8, 8), "float32")] * 4
    graph = sym.sum(_layers(3, 8)).graph
    plans = [
        Differentiable.of(
            TypedGraph.of(graph, known), [1, 2, 3], here(), is_train=True, mirror=mirror
        )
        for mirror in (False, True)
    ]
    assert [len(both.backward.steps) for both in plans] == [len(plans[0].backward.steps)] * 2


# --- slices ---------------------------------------------------------------------------------------


def _convnet() -> Symbol:
    net = sym.Convolution(sym.var("data"), kernel=(3, 3), num_filter=4, name="conv")
    net = sym.Activation(sym.BatchNorm(net, name="norm"), act_type="relu")
    net = sym.Pooling(net, kernel=(2, 2), stride=(2, 2), pool_type="max")
    both = sym.Concat(net, sym.Dropout(net), dim=1)
    return sym.softmax(sym.FullyConnected(both, num_hidden=3, name="fc"))


def _drawn(net: Symbol, rng: np.random.Generator, **shapes: Any) -> list[Array]:
    arguments, _, states = net.infer_shape(**shapes)
    found = dict(zip(net.list_arguments(), arguments or (), strict=True))
    found |= dict(zip(net.list_auxiliary_states(), states or (), strict=True))
    return [rng.uniform(0.5, 1, found[name]) for name in net.list_inputs()]


@pytest.mark.usefixtures("small")
def test_a_batch_of_samples_is_predicted_in_slices(rng: np.random.Generator) -> None:
    net = _convnet()
    arrays = _drawn(net, rng, data=(12, 3, 8, 8))
    program = PredictionPlans(here(), batched=[0]).executable(typed(net, arrays)).program
    assert isinstance(program, Sliced)
    assert program.rows == 1
    (expected,) = plain(net)(*arrays)
    np.testing.assert_allclose(program.run([*arrays])[0], expected, rtol=1e-9)
    assert program.memory().ratio < 0.2
    assert "in slices of 1 samples" in str(explained(program, arrays))


@pytest.mark.parametrize(("batch", "rows"), [(12, 6), (13, 13)], ids=["even", "odd"])
def test_slices_are_predicted_at_once(
    batch: int, rows: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(here().limits), "threads", 2)
    monkeypatch.setattr(here().limits, "share_bytes", 1)
    net = _convnet()
    arrays = _drawn(net, rng, data=(batch, 3, 8, 8))
    program = PredictionPlans(here(), batched=[0]).executable(typed(net, arrays)).program
    assert isinstance(program, Sliced) == (rows < batch)
    if isinstance(program, Sliced):
        assert (program.rows, program.at_once) == (rows, 2)
        assert program.memory().planned > 2 * memory_of(program.part).planned
    (expected,) = plain(net)(*arrays)
    np.testing.assert_allclose(program.run([*arrays])[0], expected, rtol=1e-9)


MIXING: list[Callable[[Any], Any]] = [
    lambda x: sym.softmax(x, axis=0),
    lambda x: sym.broadcast_sub(x, sym.mean(x, axis=0, keepdims=True)),
    lambda x: sym.dot(x, x, transpose_b=True),
    sym.transpose,
    lambda x: sym.Concat(x, x, dim=0),
    lambda x: sym.Reshape(x, shape=(2, -1)),
    lambda x: sym.LayerNorm(x, sym.ones(8), sym.zeros(8), axis=0),
    lambda x: sym.FullyConnected(sym.var("w"), x, num_hidden=8, no_bias=True),
]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("mix", MIXING)
def test_samples_that_mix_are_not_sliced(mix: Callable[[Any], Any]) -> None:
    net = mix(sym.relu(sym.var("x")))
    known: list[Known] = [((8, 8), "float32") for _ in net.list_inputs()]
    position = net.list_inputs().index("x")
    made = (
        PredictionPlans(here(), batched=[position])
        .executable(TypedGraph.of(net.graph, known))
        .program
    )
    assert not isinstance(made, Sliced)


def test_small_batches_are_not_sliced() -> None:
    known: list[Known] = [((64, 8), "float32")]
    made = (
        PredictionPlans(here(), batched=[0])
        .executable(TypedGraph.of(sym.relu(sym.var("x")).graph, known))
        .program
    )
    assert not isinstance(made, Sliced)


# --- explaining -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
def test_an_explanation_lists_the_steps_and_their_buffers() -> None:
    net = sym.tanh(
        sym.relu(sym.dot(sym.var("x"), sym.var("w"), name="product"), name="r"), name="t"
    )
    net = sym.sum(net, name="total")
    x = np.ones((4, 4))
    found = explained(planned(net, x, x), [x, x])
    assert [row.nodes for row in found.rows] == [("product",), ("r", "t"), ("total",)]
    assert [row.how for row in found.rows] == ["call", "fused", "call"]
    assert [row.buffers for row in found.rows] == [(0,), (0,), (1,)]
    assert [row.bytes for row in found.rows] == [128, 0, 8]
    assert all(row.seconds is not None and row.seconds > 0 for row in found.rows)
    lines = str(found).splitlines()
    assert lines[0].split() == ["operators", "kernel", "node", "result", "buffer", "KB", "µs"]
    assert [row.kernel for row in found.rows] == ["dot", "", "sum"]
    assert len(lines) == 2 + 3 + 1
    assert "relu + tanh (fused)" in lines[3]
    assert "(4, 4) float64" in lines[3]
    assert lines[-1].startswith("3 steps; 1 fused; 0 constants; ")


def test_an_explanation_of_gradients_has_two_parts() -> None:
    net = sym.dot(sym.var("x"), sym.var("w"))
    x = np.ones((4, 4))
    both = Differentiable.of(typed(net, [x, x]), [0, 1], here(), is_train=True)
    found = explained(both)
    assert [row.program for row in found.rows] == ["forward", "backward", "backward"]
    assert {"forward:", "backward:"} <= set(str(found).splitlines())
    assert all(row.seconds is None for row in found.rows)
