"""Passes go by the traits of operators: each treats every operator that has its trait."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hy_ndarray import Device, cpu, device_of, nd, ops
from hy_ndarray.ops import TensorType
from hy_ndarray.testing import OpCase
from hy_ndarray.testing.cases import CASES
from hy_symbol import (
    Differentiable,
    Program,
    Sliced,
    Symbol,
    TypedGraph,
    explained,
    infer_types,
    sym,
)
from hy_symbol.execution.cache import PredictionPlans
from hy_symbol.passes import Target
from hy_symbol.passes.lowering import with_table_rules
from tests.ops.trait_checks import values_of
from tests.symbol import graph_runs
from tests.symbol.small_plans import plan_small_arrays

Array = npt.NDArray[Any]


def here() -> Device:
    """The CPU, as it is served now."""
    return device_of(cpu())


def skip_if_composed(case: OpCase) -> None:
    """Skip rows of operators that graphs open before they are planned: their traits go unused."""
    if here().kernels.is_composed(ops.find(case.op).kernel):
        pytest.skip("composed of other operators")


def applied(case: OpCase, values: Sequence[Any]) -> tuple[Symbol, list[Array]]:
    """The first result of a row's operator, used twice, with the values of its variables."""
    op = ops.find(case.op)
    variables = [None if v is None else sym.var(f"x{i}") for i, v in enumerate(values)]
    result = Symbol.apply_operator(op, variables, op.parse(case.params))
    first = result[0] if isinstance(result, list) else result
    net = first * 2 + first * 3
    given = {f"x{i}": v for i, v in enumerate(values)}
    return net, [given[name] for name in net.list_inputs()]


def sliced_inputs(case: OpCase) -> tuple[list[Any], list[int]] | None:
    """Inputs of a row with eight samples along the first axis, and which ones have them."""
    op, values = ops.find(case.op), values_of(case)
    params = op.parse(case.params)
    given = [i for i, v in enumerate(values) if v is not None]
    if op.updates is None and op.is_pointwise(params):
        shape = np.broadcast_shapes(*(values[i].shape for i in given))
        values = [None if v is None else np.broadcast_to(v, shape) for v in values]
        where = given if shape else []
    elif op.traits.rows is not None:
        where = [given[k] for k in op.traits.rows(params, 0, [values[i].ndim for i in given])]
    else:
        where = []
    if not where or op.draws(params, False) or not values[where[0]].size:
        return None
    rows = np.resize(np.arange(len(values[where[0]])), 8)
    return [v[rows] if i in where else v for i, v in enumerate(values)], where


def planned(net: Symbol, arrays: Sequence[Array]) -> Program:
    known = [(x.shape, x.dtype.name) for x in arrays]
    return Program.of(TypedGraph.of(net.graph, known), here(), is_train=False)


def unplanned(net: Symbol) -> Program:
    inputs = [(node, 0) for node in net.graph.variables]
    return Program(inputs, net.graph.outputs, here(), is_train=False)


def outcome(program: Program, arrays: Sequence[Array]) -> Array:
    """The only result of a program."""
    (result,) = graph_runs.arrays(program(*graph_runs.buffers(*arrays)))
    return result


def is_view_or_identity(case: OpCase) -> bool:
    """Whether the result holds the input's elements; dropout is left out before plans are made."""
    traits = ops.find(case.op).traits
    return traits.view or (traits.identity and traits.draws is None)


@pytest.mark.parametrize("case", [*filter(is_view_or_identity, CASES)], ids=str)
def test_a_view_or_an_identity_costs_nothing(case: OpCase) -> None:
    skip_if_composed(case)
    net, arrays = applied(case, values_of(case))
    program = planned(net, arrays)
    result, wanted = (outcome(run, arrays) for run in (program, unplanned(net)))
    np.testing.assert_array_equal(result, wanted)
    alike = (wanted.shape, wanted.dtype) == (arrays[0].shape, arrays[0].dtype)
    if wanted.size and (alike or ops.find(case.op).traits.view):
        assert next(row.how for row in explained(program).rows) in ("view", "same")


@pytest.mark.parametrize("case", [case for case in CASES if sliced_inputs(case)], ids=str)
def test_what_has_rows_is_predicted_in_slices(
    case: OpCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_if_composed(case)
    monkeypatch.setattr(here().limits, "split_bytes", 1)
    monkeypatch.setattr(here().limits, "split_rows", 1)
    found = sliced_inputs(case)
    assert found is not None
    values, where = found
    net, arrays = applied(case, values)
    names = net.list_inputs()
    batched = [names.index(f"x{i}") for i in where]
    known = [(x.shape, x.dtype.name) for x in arrays]
    program = (
        PredictionPlans(here(), batched=batched).executable(TypedGraph.of(net.graph, known)).program
    )
    assert isinstance(program, Sliced)
    (result,) = graph_runs.arrays(program.run(graph_runs.buffers(*arrays)))
    wanted = outcome(unplanned(net), arrays)
    np.testing.assert_allclose(result, wanted, rtol=1e-9, atol=1e-12)


def test_a_graph_that_uses_further_results_is_predicted_as_a_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The means ``[8, 2]`` of groups have samples, though they look like ``[H, W]`` of all."""
    monkeypatch.setattr(here().limits, "split_bytes", 1)
    monkeypatch.setattr(here().limits, "split_rows", 1)
    data, gamma, beta = map(sym.var, ("data", "gamma", "beta"))
    normed = sym.GroupNorm(data, gamma, beta, num_groups=2, output_mean_var=True)
    net = sym.broadcast_add(normed[0] * 2, normed[1])
    shapes = ((8, 4, 8, 2), (2,), (2,))
    known = [(s, "float64") for s in shapes]
    typed = TypedGraph.of((net * 2 + net * 3).graph, known)
    program = PredictionPlans(here(), batched=[0]).executable(typed).program
    assert not isinstance(program, Sliced)


def gives_reals(case: OpCase) -> bool:
    """Whether a row's operator is pointwise and could be computed again in a backward pass."""
    op, values = ops.find(case.op), values_of(case)
    params = op.parse(case.params)
    if op.updates or op.draws(params, True) or not op.is_pointwise(params):
        return False
    types = [None if v is None else TensorType(v.shape, v.dtype.name) for v in values]
    return (
        np.dtype(op.infer(types, params)[0].dtype).kind == "f" and len(op.output_names(params)) == 1
    )


@pytest.mark.parametrize("case", [case for case in CASES if gives_reals(case)], ids=str)
def test_what_is_pointwise_is_computed_again_rather_than_saved(case: OpCase) -> None:
    skip_if_composed(case)
    net, arrays = applied(case, values_of(case))
    result = outcome(unplanned(net), arrays)
    net = sym.broadcast_mul(sym.var("w"), net)
    arrays = [np.ones((1,) * result.ndim, result.dtype), *arrays]
    known = [(x.shape, x.dtype.name) for x in arrays]
    kept, grads = [], []
    given = graph_runs.buffers(*arrays)
    for mirror in (False, True):
        made = Differentiable.of(
            TypedGraph.of(net.graph, known), [0], here(), is_train=True, mirror=mirror
        )
        results, saved = made.run(given)
        heads = graph_runs.buffers(*map(np.ones_like, graph_runs.arrays(results)))
        with np.errstate(invalid="ignore"):  # a sum of both infinities
            grads.append(graph_runs.arrays(made.gradients(heads, given, saved))[0])
        kept.append(sum(x.size for x in graph_runs.arrays(saved)))
    assert kept == [result.size, 0]
    np.testing.assert_allclose(grads[1], grads[0], rtol=1e-12)


def takes_images(case: OpCase) -> bool:
    """Whether a row's operator is pointwise, and takes images of floating numbers."""
    op, values = ops.find(case.op), values_of(case)
    params = op.parse(case.params)
    floating = all(v is None or v.dtype.kind == "f" for v in values)
    if op.updates or op.draws(params, False) or not op.is_pointwise(params) or not floating:
        return False
    return op.num_visible(params) == 1


def on_images(case: OpCase) -> Symbol:
    """A row's operator on the result of a convolution, in the place of all its inputs."""
    op = ops.find(case.op)
    x = sym.Convolution(sym.var("data"), num_filter=32, kernel=(3, 3), pad=(1, 1), name="conv")
    inputs = [None if v is None else x for v in values_of(case)]
    result: Symbol = Symbol.apply_operator(op, inputs, op.parse(case.params))
    return result


def turns(net: Symbol) -> int:
    return sum(node.op is not None and node.op.name == "transpose" for node in net.graph.nodes)


KINDS = {(ops.find(case.op).name, str(case.params)): case for case in CASES if takes_images(case)}
IMAGES = pytest.mark.parametrize("case", KINDS.values(), ids=str)


@IMAGES
def test_what_is_pointwise_lies_between_layers_with_the_channels_last(
    case: OpCase, rng: np.random.Generator
) -> None:
    net = on_images(case)
    shapes = {"data": (1, 32, 8, 6), "conv_weight": (32, 32, 3, 3), "conv_bias": (32,)}
    args = {name: nd.array(rng.uniform(0, 0.05, shape)) for name, shape in shapes.items()}
    last = net.optimize_for("channels_last", args)
    assert turns(last) == 2
    (result,), (wanted,) = (
        made.bind(cpu(), {name: args[name] for name in made.list_arguments()}).forward()
        for made in (last, net)
    )
    np.testing.assert_allclose(result.asnumpy(), wanted.asnumpy(), rtol=1e-3, atol=1e-5)


@pytest.mark.usefixtures("_on_numpy")  # others have no such layers
@IMAGES
def test_what_is_pointwise_lies_between_small_layers_with_the_batch_last(case: OpCase) -> None:
    net = on_images(case)
    data = next(node for node in net.graph.variables if node.name == "data")
    types = infer_types(net.graph, {data: (16, 2, 8, 6)}, {data: "float32"})
    made = with_table_rules(TypedGraph(net.graph, types), Target(here()))
    assert turns(Symbol(made.graph)) == 2


def runs_on_blocks(case: OpCase) -> bool:
    """Whether a row's operator is pointwise, its kernel runs on blocks, and its types are alike."""
    op, values = ops.find(case.op), values_of(case)
    if op.needs or not here().kernels.record(op.kernel).pointwise or not gives_reals(case):
        return False
    types = [(v.shape, v.dtype.name) for v in values]
    (output,) = op.infer([TensorType(*known) for known in types], op.parse(case.params))
    return set(types) == {(output.shape, output.dtype)} and bool(values[0].size)


@pytest.mark.parametrize("case", [case for case in CASES if runs_on_blocks(case)], ids=str)
def test_what_is_pointwise_is_fused_where_its_kernel_runs_on_blocks(
    case: OpCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_small_arrays(monkeypatch)
    net, arrays = applied(case, values_of(case))
    program = planned(net, arrays)
    (row,) = explained(program).rows
    assert (row.how, len(row.operators)) == ("fused", len(program.steps))
    result, wanted = (outcome(run, arrays) for run in (program, unplanned(net)))
    np.testing.assert_allclose(result, wanted, rtol=1e-12)
