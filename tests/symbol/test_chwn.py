"""Small convolutions on images that lie side by side: the same numbers, fewer short copies."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from hy_ndarray import KernelError, cpu, device_of
from hy_symbol import Differentiable, Known, Program, Symbol, TypedGraph, infer_types, sym
from hy_symbol.passes import Target
from hy_symbol.passes.lowering import with_table_rules

pytestmark = pytest.mark.usefixtures("_on_numpy")  # its buffers, and how it plans graphs


def layer(x: Symbol, name: str, filters: int = 6, side: int = 3, **how: Any) -> Symbol:
    return sym.Convolution(x, kernel=(side, side), num_filter=filters, name=name, **how)


def lenet() -> Symbol:
    """Two convolutions, both kinds of pooling, a sum, and a layer on flat vectors."""
    x = sym.relu(layer(sym.var("data"), "one", pad=(1, 1)))
    x = sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max")
    y = layer(x, "two", pad=(1, 1), no_bias=True)
    x = sym.Pooling(sym.tanh(x + y), kernel=(3, 3), stride=(2, 2), pool_type="avg")
    return sym.FullyConnected(sym.Flatten(x), num_hidden=3, name="dense")


def drawn(net: Symbol, shape: tuple[int, ...]) -> list[Any]:
    shapes, _, _ = net.infer_shape(data=shape)
    rng = np.random.default_rng(7)
    return [rng.uniform(-1, 1, size) for size in shapes or ()]


def operators(net: Symbol, shape: tuple[int, ...]) -> Counter[str]:
    variables = net.graph.variables
    (data,) = (node for node in variables if node.name == "data")
    types = infer_types(net.graph, {data: shape}, {data: "float32"})
    typed = TypedGraph(net.graph, types)
    nodes = with_table_rules(typed, Target(device_of(cpu()))).graph.nodes
    return Counter(node.op.name for node in nodes if node.op is not None)


def test_a_small_net_is_computed_side_by_side_up_to_its_vectors() -> None:
    found = operators(lenet(), (16, 2, 12, 10))
    assert found["_chwn_convolution"] == 2
    assert found["Convolution"] == 0
    assert found["transpose"] == 2


def test_predictions_and_gradients_are_the_same() -> None:
    net = lenet()
    arrays = drawn(net, (16, 2, 12, 10))
    known: list[Known] = [(x.shape, x.dtype.name) for x in arrays]
    device, inputs = device_of(cpu()), [(node, 0) for node in net.graph.variables]
    plain = Program(inputs, net.graph.outputs, device, is_train=False)
    planned = Program.of(TypedGraph.of(net.graph, known), device, is_train=False)
    assert "_chwn_convolution" in {node.op.name for node in planned.steps if node.op}
    (expected,) = plain(*arrays)
    np.testing.assert_allclose(planned(*arrays)[0], expected, rtol=1e-9)
    targets = range(len(arrays))
    dy = np.random.default_rng(1).uniform(-1, 1, expected.shape)
    gradients = []
    for types in (None, known):
        graph = net.graph if types is None else TypedGraph.of(net.graph, types)
        both = Differentiable.of(graph, targets, device, is_train=True)
        (y,), saved = both.run(arrays)
        np.testing.assert_allclose(y, expected, rtol=1e-9)
        by_target = dict(zip(both.targets, both.gradients([dy], arrays, saved), strict=True))
        gradients.append([by_target[i] for i in targets])
    for one, other in zip(*gradients, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)


def test_a_device_whose_table_has_no_rules_computes_as_the_graph_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device, net = device_of(cpu()), lenet()
    monkeypatch.setattr(device, "lowers", None)
    known: list[Known] = [(x.shape, x.dtype.name) for x in drawn(net, (16, 2, 12, 10))]
    program = Program.of(TypedGraph.of(net.graph, known), device, is_train=False)
    assert "Convolution" in {node.op.name for node in program.steps if node.op}


def test_a_table_that_gives_no_graph_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgotten(_: Any) -> None:
        """Gives nothing back."""

    device, net = device_of(cpu()), lenet()
    monkeypatch.setattr(type(device.table), "rewritings", lambda *_, **__: [forgotten])
    known: list[Known] = [(x.shape, x.dtype.name) for x in drawn(net, (16, 2, 12, 10))]
    with pytest.raises(KernelError, match="table 'numpy': forgotten gave a NoneType; it must"):
        Program.of(TypedGraph.of(net.graph, known), device, is_train=False)


def test_a_step_that_fails_is_named_with_the_line_of_the_user() -> None:
    net = layer(sym.var("data"), "one")
    arrays = drawn(net, (16, 2, 12, 10))
    known: list[Known] = [(x.shape, x.dtype.name) for x in arrays]
    program = Program.of(TypedGraph.of(net.graph, known), device_of(cpu()), is_train=False)
    arrays[1] = arrays[1][:, :1]
    with pytest.raises(KernelError, match="_chwn_convolution 'one': the kernel") as raised:
        program(*arrays)
    assert any("test_chwn.py" in note for note in raised.value.__notes__)


def normalised() -> Symbol:
    """Two convolutions, each with a batch normalisation behind it, and a sum around one."""
    x = layer(sym.var("data"), "one", pad=(1, 1))
    x = sym.relu(sym.BatchNorm(x, fix_gamma=False, name="first"))
    y = sym.BatchNorm(layer(x, "two", pad=(1, 1)), fix_gamma=False, name="second")
    return sym.relu(x + y)


def test_batch_normalisations_between_are_computed_side_by_side_in_training() -> None:
    net, shape = normalised(), (16, 2, 12, 10)
    rng = np.random.default_rng(7)
    shapes, _, states = net.infer_shape(data=shape)
    sizes = dict(zip(net.list_arguments(), shapes or (), strict=True))
    sizes.update(zip(net.list_auxiliary_states(), states or (), strict=True))
    drawn = [rng.uniform(0.5, 1, sizes[node.name]) for node in net.graph.variables]
    known: list[Known] = [(x.shape, x.dtype.name) for x in drawn]
    device, dy = device_of(cpu()), rng.uniform(-1, 1, (16, 6, 12, 10))
    targets = [k for k, node in enumerate(net.graph.variables) if "moving" not in node.name]
    found, steps = [], []
    for typed in (net.graph, TypedGraph.of(net.graph, known)):
        arrays = [x.copy() for x in drawn]
        both = Differentiable.of(typed, targets, device, is_train=True)
        (y,), saved = both.run(arrays)
        by_target = dict(zip(both.targets, both.gradients([dy], arrays, saved), strict=True))
        found.append([y, *arrays, *(by_target[k] for k in targets)])
        steps = [*both.forward.steps, *both.backward.steps]
    turned = Counter(node.op.name for node in steps if node.op)
    assert turned["transpose"] == 4  # of the data, the result, and their gradients
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(
    ("shape", "how"),
    [
        ((15, 2, 12, 10), {}),
        ((16, 17, 12, 10), {}),
        ((16, 2, 12, 10), {"filters": 33}),
        ((16, 2, 12, 10), {"num_group": 2}),
        ((16, 12, 10, 2), {"layout": "NHWC"}),
    ],
    ids=["few images", "channels", "filters", "groups", "another order"],
)
def test_other_convolutions_stay(shape: tuple[int, ...], how: dict[str, Any]) -> None:
    found = operators(layer(sym.var("data"), "one", **how), shape)
    assert found == {"Convolution": 1}


def test_an_operator_that_minds_the_order_of_axes_gets_it_back() -> None:
    found = operators(sym.sum(layer(sym.var("data"), "one"), axis=1), (16, 2, 12, 10))
    assert found == {"transpose": 2, "_chwn_convolution": 1, "sum": 1}


def staged() -> Symbol:
    """A small stage, and one of more channels whose blocks pass their sums on."""
    x = sym.relu(layer(sym.var("data"), "small", 16, pad=(1, 1)))
    x = sym.relu(layer(x, "shortcut", 32, 1) + layer(x, "branch", 32, pad=(1, 1)))
    for name in "ab":
        y = sym.relu(layer(x, f"{name}1", 32, pad=(1, 1)))
        x = sym.relu(x + layer(y, f"{name}2", 32, pad=(1, 1)))
    return x


def test_a_net_is_computed_side_by_side_if_little_is_turned_for_it() -> None:
    found = operators(staged(), (16, 2, 6, 6))
    assert (found["_chwn_convolution"], found["Convolution"]) == (7, 0)
    assert found["transpose"] == 2  # of the data, and of the result


def interrupted() -> Symbol:
    """:func:`staged`, with sums along the channels between layers of the second stage."""
    x = staged()
    for name in "cdefgh":
        x = sym.broadcast_mul(x, sym.sum(x, axis=1, keepdims=True))
        x = sym.relu(layer(x, name, 32, pad=(1, 1)))
    return x


def test_else_only_small_convolutions_are_and_sums_are_as_those_who_read_them() -> None:
    found = operators(interrupted(), (16, 2, 6, 6))
    assert (found["_chwn_convolution"], found["Convolution"]) == (3, 10)
    assert found["transpose"] == 2  # of the data, and of what the second stage reads


def test_both_gradients_of_a_layer_are_one_step() -> None:
    net = sym.sum(layer(sym.relu(layer(sym.var("data"), "one")), "two"))
    known: list[Known] = [(x.shape, "float32") for x in drawn(net, (16, 2, 12, 10))]
    targets = range(1, len(known))  # not the data
    both = Differentiable.of(
        TypedGraph.of(net.graph, known), targets, device_of(cpu()), is_train=True
    )
    found = Counter(node.op.name for node in both.backward.steps if node.op)
    assert found["_chwn_convolution_backward"] == 1  # of the second
    assert found["_chwn_convolution_backward_weight"] == 1  # of the first
