"""checkpoint: gradients of arguments and of what is closed over, with little kept between."""

from typing import Any

import numpy as onp
import pytest

from hy_gluon import nn
from hy_ndarray import NDArray, autograd, nd
from hy_ndarray.core._array import Node
from hy_ndarray.transforms import checkpoint, grad, hessian

X = onp.random.default_rng(0).uniform(0.5, 1.5, (4, 3)).astype("float32")


def net_of(hybridized: bool) -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Dense(5, activation="tanh", in_units=3), nn.BatchNorm(in_channels=5), nn.Dense(2))
    net.initialize()
    net(nd.array(X))
    if hybridized:
        net.hybridize()
    return net


def trained(net: Any, run: Any) -> list[Any]:
    """A result, and the gradients and states behind it."""
    x = nd.array(X)
    x.attach_grad()
    net[1].running_mean.set_data(nd.zeros((5,)))
    with autograd.record():
        y = (run(x * 2) ** 2).sum()
    y.backward()
    params = [p for p in net.collect_params().values() if p.grad_req != "null"]
    result = [y, x.grad, *(p.grad() for p in params), net[1].running_mean.data()]
    return [each.asnumpy().copy() for each in result]


@pytest.mark.parametrize("hybridized", [False, True], ids=["eager", "hybridized"])
def test_gradients_and_states_are_the_same(hybridized: bool) -> None:
    net = net_of(hybridized)
    for result, wanted in zip(trained(net, checkpoint(net)), trained(net, net), strict=True):
        onp.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-6)


def test_only_one_node_is_retained() -> None:
    x = nd.array(X)
    x.attach_grad()
    with autograd.record():
        y = checkpoint(lambda x: nd.exp(nd.sin(x) * 2))(x)
    entry = y._entry
    assert isinstance(entry, tuple)
    assert isinstance(entry[0], Node)
    assert entry[0].op is None
    assert [len(each.outputs) for each in [entry[0]]] == [1]
    assert entry[0].inputs == (x,)


def test_trees_and_results_that_are_no_floats() -> None:
    x = nd.array(X)
    x.attach_grad()
    with autograd.record():
        result = checkpoint(lambda p: {"y": p["x"] ** 2, "i": p["x"].astype("int32"), "n": None})
        out = result({"x": x})
    assert out["n"] is None
    assert out["i"].dtype == onp.int32
    out["y"].backward()
    assert x.grad is not None
    onp.testing.assert_allclose(x.grad.asnumpy(), 2 * X, rtol=1e-6)


def test_nothing_changes_where_nothing_is_recorded() -> None:
    assert not checkpoint(nd.exp)(nd.array(X)).in_graph


def test_derivatives_of_derivatives() -> None:
    def plain(x: NDArray) -> NDArray:
        return (nd.exp(nd.sin(x)) * x).sum()

    retained = checkpoint(plain)
    x = nd.array(X[0])
    onp.testing.assert_allclose(
        hessian(retained)(x).asnumpy(), hessian(plain)(x).asnumpy(), rtol=1e-4, atol=1e-5
    )
    twice = [grad(lambda x, f=f: (grad(f)(x) ** 2).sum())(x).asnumpy() for f in (retained, plain)]
    onp.testing.assert_allclose(twice[0], twice[1], rtol=1e-4, atol=1e-5)
