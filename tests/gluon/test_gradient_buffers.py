"""Gradients of a hybridized block are computed in the arrays that keep them, where that is safe."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_gluon import nn
from hy_ndarray import NDArray, autograd, nd
from hy_ndarray.core import _gradient_buffers
from hy_ndarray.core._array import Array

SIZE = 8
PASSES = 4

Way = Callable[[nn.HybridSequential], None]


def whole(net: nn.HybridSequential) -> None:
    net.hybridize()


def static(net: nn.HybridSequential) -> None:
    net.hybridize(static_alloc=True)


def by_layer(net: nn.HybridSequential) -> None:
    """As many programs as there are layers."""
    for k in range(len(net)):
        net[k].hybridize()


WAYS = [whole, static, by_layer]


@pytest.fixture(autouse=True)
def small_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_gradient_buffers, "_MIN_ELEMENTS", 1)


def two_layers() -> nn.HybridSequential:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(SIZE, in_units=SIZE, activation="tanh"), nn.Dense(SIZE, in_units=SIZE))
    net.initialize()
    rng = np.random.default_rng(1)
    for parameter in net.collect_params().values():
        parameter.set_data(nd.array(rng.normal(size=parameter.shape)))
    return net


def drawn(k: int) -> NDArray:
    return nd.array(np.random.default_rng(k).normal(size=(SIZE, SIZE)))


Step = Callable[[nn.HybridSequential, int], None]


def plain(net: nn.HybridSequential, k: int) -> None:
    with autograd.record():
        y = net(drawn(k))
    y.backward()


def retained(net: nn.HybridSequential, k: int) -> None:
    with autograd.record():
        y = net(drawn(k))
    y.backward(retain_graph=True)
    y.backward(drawn(k + 10))


def called_twice(net: nn.HybridSequential, k: int) -> None:
    with autograd.record():
        y = net(net(drawn(k)))
    y.backward()


def two_heads(net: nn.HybridSequential, k: int) -> None:
    with autograd.record():
        y = net(drawn(k))
    autograd.backward([y, net[0].weight.data()], [drawn(k + 1), net[0].weight.grad()])


def from_a_gradient(net: nn.HybridSequential, k: int) -> None:
    plain(net, k)
    with autograd.record():
        y = net(drawn(k + 1))
    y.backward(net[1].weight.grad())


def on_a_gradient(net: nn.HybridSequential, k: int) -> None:
    plain(net, k)
    with autograd.record():
        y = net(net[1].weight.grad())
    y.backward()


def behind_a_gradient(net: nn.HybridSequential, k: int) -> None:
    plain(net, k)
    x = drawn(k)
    x.attach_grad()
    with autograd.record():
        y = net(x * net[0].weight.grad())
    y.backward()
    net[1].weight.grad()[:] += x.grad


def in_two_programs(net: nn.HybridSequential, k: int) -> None:
    plain(net, k)
    first, second = net[0], net[1]
    with autograd.record():
        y = second(first(second.weight.grad()))
    y.backward()


def into_one_array(net: nn.HybridSequential, k: int) -> None:
    both = nd.zeros((2 * SIZE, SIZE))
    weights = [layer.weight.data() for layer in (net[0], net[1])]
    autograd.mark_variables(weights, [both[:SIZE], both[SIZE:]])
    plain(net, k)
    net[0].bias.grad()[:] = both.sum(axis=1)[:SIZE] + both.sum(axis=1)[SIZE:]


def into_the_weight(net: nn.HybridSequential, k: int) -> None:
    weight = net[1].weight.data()
    before = weight.copy()
    autograd.mark_variables(weight, weight.reshape((SIZE, SIZE)).detach())
    plain(net, k)
    net[1].bias.grad()[:] = weight.sum(axis=1)
    weight[:] = before


def into_another_dtype(net: nn.HybridSequential, k: int) -> None:
    kept = nd.zeros((SIZE, SIZE), dtype="float64")
    autograd.mark_variables(net[0].weight.data(), kept)
    plain(net, k)
    net[0].bias.grad()[:] = kept.sum(axis=1).astype("float32")


STEPS = [
    *(plain, retained, called_twice, two_heads, from_a_gradient, on_a_gradient),
    *(behind_a_gradient, in_two_programs, into_one_array, into_the_weight, into_another_dtype),
]


@pytest.mark.parametrize("hybridize", WAYS)
@pytest.mark.parametrize("request_", ["write", "add", "null"])
@pytest.mark.parametrize("step", STEPS)
def test_gradients_are_those_of_an_eager_pass(step: Step, request_: str, hybridize: Way) -> None:
    eager, hybrid = two_layers(), two_layers()
    hybridize(hybrid)
    for net in (eager, hybrid):
        net[1].weight.grad_req = request_
        if request_ == "null" and step not in (plain, retained, called_twice, two_heads):
            net[1].weight.grad_req = "write"
    for k in range(PASSES):
        step(eager, k)
        step(hybrid, k)
        for one, other in zip(
            hybrid.collect_params().values(), eager.collect_params().values(), strict=True
        ):
            if one.grad_req != "null":
                np.testing.assert_allclose(
                    one.grad().asnumpy(), other.grad().asnumpy(), rtol=1e-4, atol=1e-5
                )


def copies(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Gets the shape of each gradient that is copied to where it is kept."""
    found: list[tuple[int, ...]] = []
    write = Array._write

    def noted(self: Array, value: Array) -> None:
        if value._data is not self._data:
            found.append(self.shape)
        write(self, value)

    monkeypatch.setattr(Array, "_write", noted)
    return found


@pytest.mark.parametrize("hybridize", WAYS)
def test_gradients_of_weights_and_biases_are_copied_nowhere(
    hybridize: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = two_layers()
    hybridize(net)
    plain(net, 0)
    copied = copies(monkeypatch)
    plain(net, 1)
    plain(net, 2)
    assert copied == []
    net[0].weight.grad_req = "add"
    plain(net, 3)
    assert copied.count((SIZE, SIZE)) == 1


@pytest.mark.parametrize("hybridize", WAYS)
def test_who_holds_a_gradient_sees_the_next_one(hybridize: Way) -> None:
    net = two_layers()
    hybridize(net)
    for k in range(PASSES):
        plain(net, k)
        gradient = net[0].weight.grad()
        row, host = gradient[1], gradient.asnumpy()
        plain(net, k + 1)
        assert net[0].weight.grad() is gradient
        np.testing.assert_array_equal(row.asnumpy(), gradient.asnumpy()[1])
        assert not np.array_equal(host, gradient.asnumpy())


def test_gradients_that_are_returned_leave_those_that_are_kept() -> None:
    net = two_layers()
    net.hybridize()
    for k in range(PASSES):
        plain(net, k)
        before = net[0].weight.grad().asnumpy().copy()
        with autograd.record():
            y = net(drawn(k + 1))
        (found,) = autograd.grad(y, [net[0].weight.data()])
        np.testing.assert_array_equal(net[0].weight.grad().asnumpy(), before)
        assert not np.array_equal(found.asnumpy(), before)


def test_variables_that_share_an_array_for_their_gradients_have_a_whole_one() -> None:
    net = two_layers()
    net.hybridize()
    weights = [layer.weight.data() for layer in (net[0], net[1])]
    for k in range(PASSES):
        with autograd.record():
            y = net(drawn(k))
        expected: list[Any] = [x.asnumpy() for x in autograd.grad(y, weights, retain_graph=True)]
        shared = nd.zeros((SIZE, SIZE))
        autograd.mark_variables(weights, [shared, shared])
        plain(net, k)
        assert any(np.allclose(shared.asnumpy(), each, rtol=1e-4, atol=1e-5) for each in expected)


def test_a_function_that_fails_leaves_all_gradients_as_they_were() -> None:
    class Fails(autograd.Function):
        def forward(self, x: NDArray) -> NDArray:
            return x

        def backward(self, dy: NDArray) -> NDArray:
            raise ValueError(f"no gradient of {dy.shape}")

    net = two_layers()
    by_layer(net)
    plain(net, 0)
    before = [parameter.grad().asnumpy().copy() for parameter in net.collect_params().values()]
    with autograd.record():
        y = net[1](Fails()(net[0](drawn(1))))
    with pytest.raises(ValueError, match="no gradient"):
        y.backward()
    for parameter, values in zip(net.collect_params().values(), before, strict=True):
        np.testing.assert_array_equal(parameter.grad().asnumpy(), values)
