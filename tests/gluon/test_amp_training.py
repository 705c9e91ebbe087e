"""Training under mixed precision: the loss scale, steps left out, and results as in float32.

The steps are those of MXNet 1.9.1, but for the moment at which a new scale takes effect.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, Trainer, amp, initializer, loss, nn, utils
from hy_gluon.amp import AMPError, LossScaler
from hy_gluon.optimizer import SGD
from hy_gluon.trainer import StaleGradientError
from hy_ndarray import ArgumentError, NDArray, autograd, cpu, nd, random

BOTH = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
INFINITE = float("inf")


@pytest.fixture(autouse=True)
def _off_afterwards() -> Iterator[None]:
    yield
    amp.disable()


class Model:
    """``sum(w x)`` for ``x = 1, 2, 3``, with a trainer of learning rate 1."""

    def __init__(self, ctx: Any = None, **settings: Any) -> None:
        self.net = nn.Dense(1, in_units=3, use_bias=False)
        self.net.initialize("ones", ctx=ctx)
        self.trainer = Trainer(self.net.collect_params(), "sgd", {"learning_rate": 1.0, **settings})
        amp.init_trainer(self.trainer)

    def backward(self, factor: float = 1.0) -> list[float]:
        with autograd.record():
            total = (self.net(nd.array([[1, 2, 3]])) * factor).sum()
            with amp.scale_loss(total, self.trainer) as scaled:
                autograd.backward(scaled)
        found: list[float] = self.net.weight.grad().asnumpy()[0].tolist()
        return found

    @property
    def weight(self) -> list[float]:
        found: list[float] = self.net.weight.data().asnumpy()[0].tolist()
        return found

    @property
    def scale(self) -> float:
        scaler = self.trainer._amp_loss_scaler
        assert scaler is not None
        return scaler.loss_scale


# --- the scale --------------------------------------------------------------------------------


def test_gradients_are_scaled_and_steps_are_not() -> None:
    amp.init("bfloat16")
    model = Model()
    assert model.backward() == [65536, 131072, 196608]
    model.trainer.step(1)
    assert model.weight == [0, -1, -2]
    assert model.scale == 65536


def test_a_step_with_an_overflow_is_left_out_and_the_scale_halves() -> None:
    amp.init("bfloat16")
    model = Model()
    model.backward(INFINITE)
    model.trainer.step(1)
    assert model.weight == [1, 1, 1]
    assert model.trainer.optimizer.num_update == 0
    assert model.scale == 32768
    assert model.backward() == [32768, 65536, 98304]
    model.trainer.step(1)
    assert model.weight == [0, -1, -2]


def test_nan_counts_as_an_overflow() -> None:
    amp.init("bfloat16")
    model = Model()
    model.backward(float("nan"))
    model.trainer.step(1)
    assert (model.weight, model.scale) == ([1, 1, 1], 32768)


def test_a_step_left_out_uses_up_the_gradients() -> None:
    amp.init("bfloat16")
    model = Model()
    model.backward(INFINITE)
    model.trainer.step(1)
    with pytest.raises(StaleGradientError):
        model.trainer.step(1)


def test_update_checks_too() -> None:
    amp.init("bfloat16")
    model = Model()
    model.backward(INFINITE)
    model.trainer.allreduce_grads()
    model.trainer.update(1)
    assert (model.weight, model.scale) == ([1, 1, 1], 32768)


def test_the_scale_finds_what_float16_bears() -> None:
    amp.init("float16")
    model = Model()
    scales = []
    for _ in range(4):
        scales.append(model.scale)
        model.backward()
        model.trainer.step(1)
    assert scales == [65536, 32768, 16384, 16384]  # 3 * 16384 < 65504, the largest number
    assert model.weight == [-1, -3, -5]


def test_the_scale_doubles_after_many_good_steps() -> None:
    scaler = LossScaler(scale_window=3, max_loss_scale=2.0**17)
    good, bad = [nd.ones((2,))], [nd.array([1, INFINITE])]
    seen = []
    for gradients in (good, good, good, good, bad, good, good, good, good, good, good):
        scaler.overflows(gradients)
        seen.append(scaler.loss_scale / 2**16)
    assert seen == [1, 1, 2, 2, 1, 1, 1, 2, 2, 2, 2]
    assert LossScaler()._scale_window == 2000
    assert LossScaler()._max_loss_scale == 2**24


def test_parameters_that_do_not_learn_have_no_overflow() -> None:
    net = nn.Dense(1, in_units=2)
    net.initialize()
    assert net.bias is not None
    net.bias.grad_req = "null"
    assert not LossScaler().has_overflow(net.collect_params().values())
    net.weight.grad()[:] = INFINITE
    assert LossScaler().has_overflow(net.collect_params().values())


def test_several_losses_on_several_contexts() -> None:
    amp.init("bfloat16")
    contexts = [cpu(0), cpu(1)]
    model = Model(ctx=contexts)
    parts = utils.split_and_load(nd.array([[1, 2, 3], [1, 2, 3]]), contexts)
    for factors in ([1, 1], [1, INFINITE]):
        with autograd.record():
            losses = [
                (model.net(part) * factor).sum()
                for part, factor in zip(parts, factors, strict=True)
            ]
            with amp.scale_loss(losses, model.trainer) as scaled:
                assert isinstance(scaled, list)
                autograd.backward(scaled)
        model.trainer.step(2)
    for ctx in contexts:
        assert model.net.weight.data(ctx).asnumpy().tolist() == [[0, -1, -2]]
    assert model.scale == 32768


def test_unscaled_gradients_can_be_clipped() -> None:
    amp.init("bfloat16")
    model = Model(rescale_grad=0.5)
    model.backward()
    amp.unscale(model.trainer)
    gradient = model.net.weight.grad()
    assert gradient.asnumpy().tolist() == [[0.5, 1, 1.5]]  # as in MXNet, rescaled by 0.5 too
    utils.clip_global_norm([gradient], 1e-3)
    model.trainer.step(1)
    assert np.linalg.norm(np.array(model.weight) - 1) == pytest.approx(1e-3, rel=1e-3)
    assert model.backward() == [65536, 131072, 196608]


def test_gradients_that_were_never_scaled_stay() -> None:
    net = nn.Dense(1, in_units=1)
    net.initialize()
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    net.weight.grad()[:] = 3
    amp.unscale(trainer)
    assert net.weight.grad().asscalar() == 3


@pytest.mark.parametrize("initialised", [False, True])
def test_losses_that_bring_their_own_gradient_are_scaled(initialised: bool) -> None:
    amp.init("bfloat16")
    if initialised:
        Model()
    x = nd.array([[1, 2, 3]])
    x.attach_grad()
    with autograd.record():
        y = nd.SoftmaxOutput(x, nd.array([1]))
    y.backward()
    assert x.grad is not None
    expected = np.array([5900.2437, -49497.477, 43597.23]) / (1 if initialised else 65536)
    np.testing.assert_allclose(x.grad.asnumpy()[0], expected, rtol=1e-5)


def test_in_a_graph_they_cannot_be() -> None:
    class Ends(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, label: Any) -> Any:
            return F.SoftmaxOutput(x, label)

    amp.init("bfloat16")
    block = Ends()
    block.hybridize()
    with pytest.warns(UserWarning, match="SoftmaxOutput brings its own gradient"):
        block(nd.array([[1, 2, 3]]), nd.array([1]))


# --- mistakes ---------------------------------------------------------------------------------


def test_a_trainer_is_initialised_after_amp_and_only_once() -> None:
    net = nn.Dense(1, in_units=1)
    trainer = Trainer(net.collect_params(), "sgd")
    with pytest.raises(AMPError, match=r"call amp.init\(\) first"):
        amp.init_trainer(trainer)
    with (
        pytest.raises(AMPError, match=r"call amp.init_trainer\(trainer\)"),
        amp.scale_loss(nd.ones((1,)), trainer),
    ):
        pass
    amp.init()
    with pytest.raises(AMPError, match=r"with a gluon\.Trainer, not with an optimizer"):
        amp.init_trainer(SGD())
    with pytest.raises(ArgumentError, match=r"takes a gluon\.Trainer, not a int"):
        amp.unscale(3)
    amp.init_trainer(trainer)
    scaler = trainer._amp_loss_scaler
    amp.init_trainer(trainer)
    assert trainer._amp_loss_scaler is scaler


# --- results ----------------------------------------------------------------------------------


def spirals(count: int) -> tuple[NDArray, NDArray]:
    """Points of two spirals around each other, and which one each is on."""
    angle = np.linspace(0.5, 6, count)
    arm = np.arange(count) % 2
    turn = angle + np.pi * arm
    points = np.stack([np.cos(turn) * angle, np.sin(turn) * angle], axis=1) / 3
    return nd.array(points), nd.array(arm)


def trained(dtype: str | None, *, hybridized: bool) -> tuple[float, float]:
    """Accuracy and loss of a small net after 200 steps, in mixed precision or in float32."""
    random.seed(3)
    net = nn.HybridSequential()
    net.add(nn.Dense(32, activation="tanh", in_units=2), nn.BatchNorm(in_channels=32))
    net.add(nn.Dense(32, activation="relu", in_units=32), nn.Dense(2, in_units=32))
    net.initialize(initializer.Xavier())
    net.hybridize(hybridized)
    criterion = loss.SoftmaxCrossEntropyLoss()
    trainer = Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    x, label = spirals(64)
    if dtype is not None:
        amp.init(dtype)
        amp.init_trainer(trainer)
    value = nd.zeros((1,))
    for _ in range(200):
        with autograd.record():
            value = criterion(net(x), label)
            if dtype is None:
                autograd.backward([value])
            else:
                with amp.scale_loss(value, trainer) as scaled:
                    autograd.backward(scaled)
        trainer.step(64)
    assert {str(np.dtype(p.dtype)) for p in net.collect_params().values()} == {"float32"}
    right = (net(x).asnumpy().argmax(axis=1) == label.asnumpy()).mean()
    return float(right), float(value.mean().asscalar())


@BOTH
def test_a_small_net_learns_what_it_learns_in_float32(dtype: str) -> None:
    accuracy, value = trained(None, hybridized=True)
    low_accuracy, low_value = trained(dtype, hybridized=True)
    assert (accuracy, low_accuracy) == (1.0, 1.0)
    assert value < 0.02
    assert low_value < 0.03


@pytest.mark.slow
@BOTH
def test_eager_training_is_hybrid_training(dtype: str) -> None:
    assert trained(dtype, hybridized=False) == trained(dtype, hybridized=True)


@BOTH
def test_16_bit_parameters_learn_with_float32_copies(dtype: str) -> None:
    random.seed(3)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(32, activation="tanh", in_units=2), nn.Dense(2, in_units=32))
    net.initialize(initializer.Xavier())
    net.hybridize()
    x, label = spirals(64)
    net(x)
    low = amp.convert_hybrid_block(net, target_dtype=dtype, cast_optional_params=True)
    names = {np.dtype(p.dtype).name for p in low.collect_params().values()}
    assert names == {dtype}
    settings = {"learning_rate": 0.5, "momentum": 0.9, "multi_precision": True}
    trainer = Trainer(low.collect_params(), "sgd", settings)
    criterion = loss.SoftmaxCrossEntropyLoss()
    first = last = 0.0
    for step in range(100):
        with autograd.record():
            value = criterion(low(x), label)
        autograd.backward([value])
        trainer.step(64)
        last = float(value.mean().asscalar())
        first = first if step else last
    assert last < first / 4
    state = trainer._updaters[0].states[0]
    copies = [array for array in state if np.dtype(array.dtype).name == "float32"]
    assert copies
