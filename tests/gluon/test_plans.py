"""What hybridized blocks run: the same numbers however they are planned, in less memory."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from hy_gluon import BlockError, HybridBlock, Trainer, nn
from hy_gluon.model_zoo import vision
from hy_ndarray import AutogradError, NDArray, autograd, nd, random
from hy_symbol import Differentiable, Explanation
from hy_symbol.execution.tiers import Tier
from tests.gluon.block_checks import assert_equal, prepared, run
from tests.gluon.layer_case import LayerCase
from tests.gluon.layer_cases import CASES
from tests.symbol.small_plans import plan_small_arrays


class Chain(HybridBlock):
    """``relu(x + 1)`` again and again."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._hy_count = count

    def hybrid_forward(self, F: Any, x: Any) -> Any:  # as blocks call it
        for _ in range(self._hy_count):
            x = F.relu(x + 1)
        return x


def mlp(activation: Any = "tanh") -> nn.HybridSequential:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        for _ in range(3):
            net.add(nn.Dense(8, in_units=8))
            net.add(nn.GELU() if activation == "gelu" else nn.Activation(activation))
    net.initialize()
    return net


# --- the same numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("is_train", [False, True], ids=["predict", "train"])
@pytest.mark.parametrize("mirror", [False, True], ids=["saved", "mirror"])
def test_every_layer_is_the_same_planned(
    case: LayerCase,
    is_train: bool,
    mirror: bool,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    block, inputs = prepared(case, rng)
    states = {name: p.data().copy() for name, p in block.collect_params().items()}
    expected = run(block, inputs, is_train=is_train)
    plan_small_arrays(monkeypatch)
    block.hybridize(mirror=mirror)
    for way in ("recorded", "planned"):
        for name, parameter in block.collect_params().items():
            parameter.set_data(states[name])
        assert_equal(run(block, inputs, is_train=is_train), expected, way)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: vision.mobilenet_v2_0_25(classes=3), marks=pytest.mark.slow),
        lambda: vision.ResNetV1(vision.BottleneckV1, [1, 1], [4, 8, 16], classes=3),
        lambda: vision.ResNetV2(vision.BasicBlockV2, [1, 1], [4, 4, 8], classes=3),
        pytest.param(lambda: vision.VGG([1, 1], [2, 4], classes=3), marks=pytest.mark.slow),
    ],
)
def test_models_are_the_same_planned(
    make: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = make()
    net.initialize()
    net.cast("float64")
    images = nd.array(rng.normal(size=(4, 3, 32, 32)), dtype="float64")
    with autograd.predict_mode():
        net(images)
    expected = run(net, [images], is_train=False)
    plan_small_arrays(monkeypatch)
    for mirror in (False, True):
        net.hybridize(mirror=mirror)
        for _ in range(2):
            found = run(net, [images], is_train=False)
            assert_equal(found, expected, f"mirror={mirror}")
    predicted = net(images)
    assert "in slices of 1 samples" in str(net.explain(images))
    np.testing.assert_allclose(predicted.asnumpy(), expected["output"], rtol=1e-9, atol=1e-12)


def test_results_of_a_call_are_not_those_of_the_next(rng: np.random.Generator) -> None:
    net = mlp()
    net.hybridize(static_alloc=True, static_shape=True)
    x = nd.array(rng.normal(size=(4, 8)))
    first = net(x)
    before = first.asnumpy().copy()
    second = net(x * 2)
    second[:] = 0
    np.testing.assert_array_equal(first.asnumpy(), before)


def test_static_blocks_learn_the_same(rng: np.random.Generator) -> None:
    images = [nd.array(rng.normal(size=(4, 3, 32, 32)), dtype="float64") for _ in range(3)]
    found = []
    for static in (False, True):
        random.seed(7)
        net = vision.ResNetV1(vision.BasicBlockV1, [1, 1], [8, 8, 16], classes=3)
        net.initialize()
        net.cast("float64")
        net.hybridize(static_alloc=static, static_shape=static)
        trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
        outputs = []
        for x in images:
            with autograd.record():
                outputs.append(net(x))
            outputs[-1].backward(nd.ones_like(outputs[-1]))
            trainer.step(4)
        found.append([y.asnumpy() for y in outputs])  # after all of the steps
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_more_signatures_than_are_kept_give_right_results() -> None:
    net = Chain(2)
    net.hybridize()
    for size in [*range(1, 80), 1]:
        assert net(nd.zeros((size,))).asnumpy().tolist() == [2.0] * size


# --- memory ---------------------------------------------------------------------------------------


def gradients(net: HybridBlock, x: NDArray) -> list[Any]:
    with autograd.record():
        y = net(x)
    y.backward()
    return [p.grad().asnumpy().copy() for p in net.collect_params().values()]


def test_mirror_saves_memory_and_gives_the_same_gradients(rng: np.random.Generator) -> None:
    net = mlp("gelu")
    x = nd.array(rng.normal(size=(4, 8)))
    found, saved = [], []
    for mirror in (False, True):
        net.hybridize(mirror=mirror)
        gradients(net, x)
        found.append(gradients(net, x))
        with autograd.record():
            saved.append(net.explain(x).memory.saved)
    assert saved == [5 * 4 * 8 * 4, 3 * 4 * 8 * 4]
    for gradient, other in zip(*found, strict=True):
        np.testing.assert_array_equal(gradient, other)


def test_a_graph_can_be_walked_again_if_it_is_retained(rng: np.random.Generator) -> None:
    net = mlp()
    net.hybridize()
    x = nd.array(rng.normal(size=(4, 8)))
    gradients(net, x)
    expected = gradients(net, x)
    with autograd.record():
        y = net(x)
    for retain in (True, False):
        y.backward(retain_graph=retain)
        for parameter, gradient in zip(net.collect_params().values(), expected, strict=True):
            np.testing.assert_array_equal(parameter.grad().asnumpy(), gradient)
    with pytest.raises(AutogradError, match="freed by an earlier backward pass"):
        y.backward()


class _Watched(np.ndarray[Any, Any]):
    """An array that can be referred to weakly."""


def watched(buffer: Any) -> Any:
    """A buffer that can be referred to weakly."""
    return buffer.view(_Watched) if isinstance(buffer, np.ndarray) else buffer


def test_what_was_saved_is_freed_while_the_backward_pass_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    net = mlp()
    net.hybridize()
    x = nd.ones((4, 8))
    gradients(net, x)
    gradients(net, x)
    (plans,) = net._cached_op._plans.values()  # type: ignore[union-attr]
    (training,) = plans.training.values()
    both = training.programs
    assert isinstance(both, Differentiable)
    alive: list[weakref.ref[Any]] = []
    counts: list[int] = []
    run_forward = both.forward.run

    def forward(buffers: list[Any]) -> Any:
        values = [watched(value) for value in run_forward(buffers)]
        alive.extend(weakref.ref(value) for value in values[both.num_outputs :])
        return tuple(values)

    monkeypatch.setattr(type(both.forward), "__call__", lambda _, *buffers: forward([*buffers]))
    scope = both.backward.scope
    for name in [name for name in scope if name.startswith("k")]:

        def counted(*args: Any, _kernel: Any = scope[name], **kwargs: Any) -> Any:
            counts.append(sum(ref() is not None for ref in alive))
            return _kernel(*args, **kwargs)

        monkeypatch.setitem(scope, name, counted)
    gc.disable()
    try:
        gradients(net, x)
    finally:
        gc.enable()
    assert counts[0] == len(alive)
    assert counts[-1] <= 1


# --- explaining -----------------------------------------------------------------------------------


def test_a_block_explains_what_it_runs() -> None:
    net = mlp("relu")
    net.hybridize()
    x = nd.ones((4, 8))
    found = net.explain(x, profile=True)
    assert isinstance(found, Explanation)
    assert [row.operators[0] for row in found.rows] == ["FullyConnected"] * 3
    assert all(row.seconds is not None for row in found.rows)
    with autograd.record():
        both = net.explain(x)
    assert {row.program for row in both.rows} == {"forward", "backward"}
    assert both.memory.saved


def test_a_net_whose_weights_are_prepared_tells_its_times() -> None:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(32, 3, in_channels=16), nn.BatchNorm(in_channels=32), nn.Dense(10))
    net.initialize()
    net.hybridize(static_alloc=True, static_shape=True)
    x = nd.ones((1, 16, 24, 24))
    before = [net(x).asnumpy() for _ in range(3)][-1]
    found = net.explain(x, profile=True)
    assert found.rows
    assert all(row.seconds is not None for row in found.rows)
    np.testing.assert_array_equal(net(x).asnumpy(), before)


def test_notebooks_show_an_explanation_as_a_table() -> None:
    net = mlp("relu")
    net.hybridize()
    x = nd.ones((4, 8))
    found = net.explain(x)
    text = found._repr_html_()
    assert text.count("<tr>") == 1 + len(found.rows)
    assert "<th>operators</th>" in text
    assert '<td style="text-align:left">FullyConnected + Activation</td>' in text
    assert "3 steps; 0 fused" in text
    with autograd.record():
        both = net.explain(x)
    assert both._repr_html_().count("<tr>") == 1 + 2 + len(both.rows)


def test_explaining_with_times_leaves_statistics_alone() -> None:
    net = nn.BatchNorm(in_channels=2)
    net.initialize()
    net.hybridize()
    x = nd.array([[1.0, 2.0], [3.0, 5.0]])
    with autograd.record():
        net(x)
        once = net.running_mean.data().asnumpy().copy()
        net.running_mean.set_data(nd.zeros(2))
        net.explain(x, profile=True)  # runs the block once
    np.testing.assert_allclose(net.running_mean.data().asnumpy(), once)


def test_a_block_that_depends_on_shapes_explains_the_graph_for_these() -> None:
    net = nn.HybridLambda(lambda F, x: F.reshape(x, (x.shape[1], x.shape[0])))
    net.hybridize()
    (row,) = net.explain(nd.ones((2, 3))).rows
    assert (row.operators, row.result) == (("Reshape",), "(3, 2) float32")


CONVOLUTIONS = "_nhwc_convolution", "_channels_last_convolution"
"""What tables put in the place of a convolution."""


def test_a_block_explains_its_plan_for_convolutions() -> None:
    net = nn.Conv2D(32, 3, in_channels=32)
    net.initialize()
    net.hybridize(static_alloc=True)
    kinds = [row.operators[0] for row in net.explain(nd.ones((4, 32, 16, 16))).rows]
    assert kinds in (["transpose", private, "transpose"] for private in CONVOLUTIONS)


def test_a_block_that_is_not_hybridized_has_no_plan() -> None:
    with pytest.raises(BlockError, match=r"call hybridize\(\) before explain"):
        mlp().explain(nd.ones((4, 8)))


# --- long chains ----------------------------------------------------------------------------------


def test_a_chain_of_two_thousand_layers_runs_and_is_differentiated() -> None:
    net = Chain(2000)
    net.hybridize()
    x = nd.zeros((3,))
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    np.testing.assert_array_equal(y.asnumpy(), [2000.0] * 3)
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.asnumpy(), [1.0] * 3)


def test_a_long_chain_is_fused_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    plan_small_arrays(monkeypatch)
    net = Chain(100)
    net.hybridize()
    found = net.explain(nd.zeros((4, 5)))
    assert {row.how for row in found.rows} == {"fused"}
    assert len(found.rows) == 4
    assert net(nd.zeros((4, 5))).asnumpy().mean() == 100


def test_a_net_says_in_which_tier_it_runs_and_why() -> None:
    net, x = mlp(), nd.ones((4, 8))
    net.hybridize()
    first = net.explain(x)  # which calls it
    assert first.tier is Tier.INTERPRETED
    assert str(first).endswith("; interpreted: it is compiled when it runs again")
    assert str(net.explain(x)).endswith("; compiled")
    with autograd.record():
        assert net.explain(x).tier is Tier.INTERPRETED
        assert net.explain(x).tier is Tier.COMPILED


def test_steps_say_what_their_constants_follow_from() -> None:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(8, 3, in_channels=4), nn.BatchNorm(in_channels=8))
    net.initialize()
    net.hybridize()
    x = nd.ones((1, 4, 8, 8))
    net(x)
    (row,) = (row for row in net.explain(x).rows if row.constants)
    assert {"net_conv0_weight", "net_batchnorm0_gamma"} <= set(row.constants)
    assert "constants" in str(net.explain(x))


def test_a_net_whose_parameters_change_says_why_it_has_no_constants() -> None:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(8, 3, in_channels=4), nn.BatchNorm(in_channels=8))
    net.initialize()
    net.hybridize()
    x = nd.ones((1, 4, 8, 8))
    net(x)
    for _ in range(4):
        net[0].weight.data()[:] = 1
        net(x)
    net[0].weight.data()[:] = 2
    told = net.explain(x)
    assert "0 constants (parameters change before each call)" in str(told)
