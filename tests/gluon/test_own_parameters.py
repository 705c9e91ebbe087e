"""Parameters of a program's own kind, and of shapes that a block's own rule says."""

from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, Parameter, Trainer, nn
from hy_ndarray import autograd, nd


class Scaled(Parameter):
    """Computes with a multiple of its values, as GluonNLP's parameters drop some of theirs."""

    def __init__(self, p: Any) -> None:
        super().__init__(
            name=p.name,
            grad_req=p.grad_req,
            shape=p._shape,
            dtype=p.dtype,
            allow_deferred_init=p._allow_deferred_init,
            differentiable=p._differentiable,
        )
        self._var = p._var
        self._data = p._data
        self._grad = p._grad
        self._ctx_list = p._ctx_list
        self._ctx_map = p._ctx_map
        self._trainer = p._trainer
        self.calls = 0

    def data(self, ctx: Any = None) -> Any:
        self.calls += 1
        return self._check_and_get(self._data, ctx) * 3


def dense(initialized: bool) -> tuple[nn.Dense, Scaled]:
    net = nn.Dense(2, in_units=2, use_bias=False)
    if initialized:
        net.initialize("ones")
    scaled = Scaled(net.weight)
    net._params._params[scaled.name] = net._reg_params["weight"] = scaled
    object.__setattr__(net, "weight", scaled)
    if not initialized:
        net.initialize("ones")
    return net, scaled


@pytest.mark.parametrize("initialized", [False, True])
@pytest.mark.parametrize("hybrid", [False, True])
def test_a_block_computes_with_what_data_gives(initialized: bool, hybrid: bool) -> None:
    net, scaled = dense(initialized)
    if hybrid:
        net.hybridize()
    x = nd.array([[1, 2]])
    for _ in range(3):
        np.testing.assert_array_equal(net(x).asnumpy(), [[9, 9]])
    assert scaled.calls >= 3


@pytest.mark.parametrize("hybrid", [False, True])
def test_gradients_flow_through_what_data_computes(hybrid: bool) -> None:
    net, scaled = dense(initialized=True)
    if hybrid:
        net.hybridize()
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    with autograd.record():
        loss = net(nd.array([[1, 2]])).sum()
    loss.backward()
    np.testing.assert_array_equal(scaled.grad().asnumpy(), [[3, 6], [3, 6]])
    trainer.step(1)
    np.testing.assert_array_equal(net(nd.array([[1, 0]])).asnumpy(), [[-1.5, -1.5]])


def test_values_taken_over_are_shared() -> None:
    net = nn.Dense(2, in_units=2)
    net.initialize("ones")
    scaled = Scaled(net.weight)
    net.weight.set_data(nd.zeros((2, 2)))
    assert scaled.data().sum().asscalar() == 0
    gradients, ours = scaled._grad, net.weight._grad
    assert gradients is not None
    assert ours is not None
    assert gradients[0] is ours[0]


@pytest.mark.parametrize("hybrid", [False, True])
def test_arrays_may_be_put_in_the_place_of_values(hybrid: bool) -> None:
    """As MXFusion puts weights that it draws."""
    net = nn.Dense(1, in_units=2, use_bias=False)
    net.initialize("ones")
    if hybrid:
        net.hybridize()
    x, parameter = nd.array([[1, 2]]), net.weight
    assert net(x).asscalar() == 3
    drawn = nd.array([[2.0, 3.0]])
    drawn.attach_grad()
    places, arrays = parameter._ctx_map, parameter._data
    assert places == [[], [0]]
    assert arrays is not None
    for factor in (1, 2):
        with autograd.record():
            arrays[0] = drawn * factor
            y = net(x)
        y.backward()
        assert y.asscalar() == 8 * factor
        assert drawn.grad is not None
        np.testing.assert_array_equal(drawn.grad.asnumpy(), [[factor, 2 * factor]])


class Columns(HybridBlock):
    """Adds a sum of parameters whose shape does not follow from the graph."""

    def __init__(self) -> None:
        super().__init__()
        self.w = self.params.get("w", allow_deferred_init=True)

    def infer_shape(self, x: Any, *args: Any) -> None:
        del args
        self.w.shape = (x.shape[0], 2)

    def hybrid_forward(self, F: Any, x: Any, w: Any) -> Any:
        return F.broadcast_add(x, F.sum(w, axis=0))


class Wide(nn.Dense):
    """Infers its input size on its own, and the rest by the graph."""

    inferred: Any = None

    def infer_shape(self, *args: Any) -> None:
        self.inferred = args[0].shape
        super().infer_shape(*args)


@pytest.mark.parametrize("hybridized", [False, True])
def test_a_block_infers_its_shapes_by_a_rule_of_its_own(hybridized: bool) -> None:
    net, wide = Columns(), Wide(3)
    for block in (net, wide):
        block.initialize("ones")
        block.hybridize(hybridized)
    assert net(nd.ones((3, 2))).asnumpy().tolist() == [[4, 4]] * 3  # as MXNet
    assert net.w.shape == (3, 2)
    assert wide(nd.ones((2, 4))).asnumpy().tolist() == [[4, 4, 4]] * 2
    assert wide.inferred == (2, 4)


def test_a_rule_s_shapes_may_broadcast() -> None:
    class Scaling(HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.w = self.params.get("w", shape=(0, 1), allow_deferred_init=True)

        def infer_shape(self, x: Any) -> None:
            self.w.shape = (x.shape[0], 1)

        def hybrid_forward(self, F: Any, x: Any, w: Any) -> Any:
            del F
            return x * w

    net = Scaling()
    net.initialize("ones")
    assert net(nd.ones((3, 2))).shape == (3, 2)
