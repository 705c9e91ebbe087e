"""functional_call: blocks as functions of their parameters, under transforms."""

from typing import Any

import numpy as onp
import pytest

from hy_gluon import functional_call, loss, nn
from hy_ndarray import ArgumentError, NDArray, ShapeError, TransformError, autograd, nd
from hy_ndarray.transforms import grad, hessian, jacrev, jvp, vmap

X = onp.random.default_rng(0).uniform(-1, 1, (6, 4)).astype("float32")
LABELS = [0, 1, 2, 0, 1, 2]
HYBRIDIZED = pytest.mark.parametrize("hybridized", [False, True], ids=["eager", "hybridized"])


def net_of(hybridized: bool, *more: Any) -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu", in_units=4), *more, nn.Dense(3, in_units=8))
    net.initialize()
    if hybridized:
        net.hybridize()
    return net


def values_of(net: nn.HybridSequential) -> dict[str, NDArray]:
    params = net._collect_params_with_prefix()
    return {name: parameter.data().copy() for name, parameter in params.items()}


def loss_of(net: nn.HybridSequential) -> Any:
    cross_entropy = loss.SoftmaxCrossEntropyLoss()

    def run(values: dict[str, NDArray], x: NDArray, label: NDArray) -> Any:
        scores = functional_call(net, values, x.expand_dims(0))
        return cross_entropy(scores, label.expand_dims(0)).sum()

    return run


@HYBRIDIZED
def test_values_in_place_of_the_blocks_own(hybridized: bool) -> None:
    net = net_of(hybridized)
    x, values = nd.array(X), values_of(net)
    before = net(x).asnumpy()
    double = {"1.weight": values["1.weight"] * 2, net[1].bias.name: values["1.bias"] + 1}
    result = functional_call(net, double, x).asnumpy()
    onp.testing.assert_allclose(result, 2 * before + 1, rtol=1e-5, atol=1e-6)
    onp.testing.assert_array_equal(net(x).asnumpy(), before)


@HYBRIDIZED
def test_gradients_by_sample(hybridized: bool) -> None:
    net = net_of(hybridized, nn.BatchNorm(in_channels=8))
    values = values_of(net)
    states = {name: v for name, v in values.items() if "running" in name}
    learned = {name: v for name, v in values.items() if name not in states}
    run = loss_of(net)

    def of_learned(p: dict[str, NDArray], x: NDArray, label: NDArray) -> Any:
        return run({**p, **states}, x, label)

    x, labels = nd.array(X), nd.array(LABELS)
    result = vmap(grad(of_learned), in_axes=(None, 0, 0))(learned, x, labels)
    each = [grad(of_learned)(learned, x[i], labels[i]) for i in range(6)]
    for name, gradient in result.items():
        wanted = onp.stack([g[name].asnumpy() for g in each])
        onp.testing.assert_allclose(gradient.asnumpy(), wanted, rtol=1e-4, atol=1e-6)
    with autograd.record(train_mode=False):
        total = loss.SoftmaxCrossEntropyLoss()(net(x), labels).sum()
    total.backward()
    summed = result["0.weight"].asnumpy().sum(0)
    onp.testing.assert_allclose(summed, net[0].weight.grad().asnumpy(), rtol=1e-4, atol=1e-6)


@HYBRIDIZED
def test_an_ensemble_in_training_mode(hybridized: bool) -> None:
    net = net_of(hybridized, nn.BatchNorm(in_channels=8))
    values = values_of(net)
    stacked = {name: nd.stack(v, v * 2) for name, v in values.items()}
    alone = [{name: v[i].copy() for name, v in stacked.items()} for i in range(2)]
    x = nd.array(X)

    def member(p: dict[str, NDArray], x: NDArray) -> tuple[NDArray, NDArray]:
        return functional_call(net, p, x), p["1.running_mean"]

    with autograd.train_mode():
        outputs, means = vmap(member, in_axes=(0, None))(stacked, x)
        for i, own in enumerate(alone):
            wanted = functional_call(net, own, x)
            onp.testing.assert_allclose(
                outputs[i].asnumpy(), wanted.asnumpy(), rtol=1e-3, atol=1e-5
            )
            onp.testing.assert_allclose(
                means[i].asnumpy(), own["1.running_mean"].asnumpy(), rtol=1e-4, atol=1e-6
            )
        with pytest.raises(TransformError, match="in_axes=0"):
            vmap(net)(x.reshape((2, 3, 4)))  # all samples would write one mean


@HYBRIDIZED
def test_dropout_by_sample(hybridized: bool) -> None:
    net = net_of(hybridized, nn.Dropout(0.5))
    values = values_of(net)

    def run(p: dict[str, NDArray], x: NDArray) -> Any:
        return functional_call(net, p, x.expand_dims(0)).sum()

    x = nd.array(onp.repeat(X[:1], 6, axis=0))
    with autograd.train_mode():
        rows = vmap(grad(run), in_axes=(None, 0), randomness="different")(values, x)
        assert len(onp.unique(rows["2.weight"].asnumpy(), axis=0)) > 1
        same = vmap(grad(run), in_axes=(None, 0), randomness="same")(values, x)
        assert len(onp.unique(same["2.weight"].asnumpy(), axis=0)) == 1
        twice = grad(lambda p: (grad(run)(p, x[0])["2.weight"] ** 2).sum())(values)
        assert twice["0.weight"].shape == (8, 4)
        table = jacrev(lambda x: functional_call(net, values, x.expand_dims(0)))(x[0])
        assert table.shape == (1, 3, 4)


@HYBRIDIZED
def test_a_convolutional_net_by_sample_from_its_first_call_on(hybridized: bool) -> None:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.MaxPool2D(), nn.BatchNorm(), nn.Flatten())
    net.add(nn.Dense(5), nn.LayerNorm(), nn.Dense(2))
    net.initialize()
    if hybridized:
        net.hybridize()
    x = nd.array(onp.random.default_rng(0).uniform(-1, 1, (4, 3, 8, 8)))
    assert vmap(lambda image: net(image.expand_dims(0)))(x).shape == (4, 1, 2)  # sizes are inferred
    values = values_of(net)
    states = {name: values.pop(name) for name in list(values) if "running" in name}

    def run(p: dict[str, NDArray], image: NDArray) -> Any:
        return (functional_call(net, {**p, **states}, image.expand_dims(0)) ** 2).sum()

    rows = vmap(grad(run), in_axes=(None, 0))(values, x)
    for i in range(4):
        for name, gradient in grad(run)(values, x[i]).items():
            onp.testing.assert_allclose(
                rows[name][i].asnumpy(), gradient.asnumpy(), rtol=1e-3, atol=1e-5
            )


@HYBRIDIZED
def test_hessians_and_products(hybridized: bool) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="tanh", in_units=4), nn.Dense(1, in_units=3))
    net.initialize()
    if hybridized:
        net.hybridize()
    values, x = values_of(net), nd.array(X)

    def run(p: dict[str, NDArray]) -> Any:
        return (functional_call(net, p, x) ** 2).sum()

    blocks = hessian(run)(values)
    weight = "0.weight"
    direction = {name: v * 0 if name != weight else v * 0 + 1 for name, v in values.items()}
    _, product = jvp(grad(run), (values,), (direction,))
    for name, result in product.items():
        wanted = blocks[name][weight].asnumpy()[0].reshape((*values[name].shape, -1)).sum(-1)
        onp.testing.assert_allclose(result.asnumpy(), wanted, rtol=1e-3, atol=1e-4)
    rows = vmap(jacrev(lambda x: net(x.expand_dims(0))))(x)
    one = jacrev(lambda x: net(x.expand_dims(0)))(x[2])
    onp.testing.assert_allclose(rows[2].asnumpy(), one.asnumpy(), rtol=1e-4, atol=1e-6)


def test_refusals() -> None:
    net = net_of(False)
    x = nd.array(X)
    with pytest.raises(ArgumentError, match=r"0.wieght.*did you mean.*0.weight"):
        functional_call(net, {"0.wieght": x}, x)
    with pytest.raises(ShapeError, match=r"'0.weight' has the shape \(8, 4\), its value \(6, 4\)"):
        functional_call(net, {"0.weight": x}, x)
    with pytest.raises(ArgumentError, match=r"a numpy array.*nd.array"):
        functional_call(net, {"0.weight": X}, x)  # type: ignore[dict-item]
