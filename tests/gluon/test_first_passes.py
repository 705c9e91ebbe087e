"""The first training pass is recorded operator by operator; a second one runs programs."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, nn
from hy_gluon.execution.cached_op import CachedOp
from hy_ndarray import AutogradError, NDArray, autograd, nd, random
from hy_symbol import Joint, Symbol, sym
from hy_symbol.execution import own_programs

Net = tuple[Symbol, list[NDArray]]
FLAGS: dict[str, dict[str, Any]] = {"": {}, "static": {"static_alloc": True}}


def drawn(*shape: int) -> NDArray:
    return nd.array(np.random.default_rng(sum(shape)).normal(size=shape))


def convolved() -> Net:
    x = sym.Convolution(sym.var("x"), kernel=(3, 3), num_filter=4, name="conv")
    x = sym.Pooling(sym.relu(sym.BatchNorm(x, fix_gamma=False)), kernel=(2, 2), pool_type="max")
    return x, [
        *(drawn(2, 3, 9, 9), drawn(4, 3, 3, 3), drawn(4), drawn(4), drawn(4)),
        *(nd.zeros((4,)), nd.ones((4,))),
    ]


def classified() -> Net:
    x = sym.Activation(sym.FullyConnected(sym.var("x"), num_hidden=5), act_type="relu")
    x = sym.Dropout(sym.FullyConnected(x, num_hidden=4), p=0.5)
    loss = -sym.pick(sym.log_softmax(x), sym.var("label"))
    weights = drawn(5, 8), drawn(5), drawn(4, 5), drawn(4)
    return loss, [drawn(3, 8), *weights, nd.arange(3)]


def unrolled() -> Net:
    x, w = sym.var("x"), sym.var("w")
    y = sym.zeros((2, 3))
    for part in sym.split(x, num_outputs=3, axis=0, squeeze_axis=True):
        i, f = sym.split(sym.dot(part, w) + sym.concat(y, y, dim=1), num_outputs=2, axis=1)
        y = sym.sigmoid(i) * y + sym.tanh(f)
    return sym.Group([sym.reshape(y, shape=(-1,)), sym.square(x)]), [drawn(3, 2, 4), drawn(4, 6)]


def passed(op: CachedOp, arrays: list[NDArray], retain: bool = False) -> list[Any]:
    """Outputs, gradients and states of a pass on copies."""
    random.seed(3)
    inputs = [array.copy() for array in arrays]
    for x in inputs:
        x.attach_grad()
    with autograd.record():
        outputs = op(*inputs)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    heads = [drawn(*y.shape) for y in outputs]
    for again in (True, False) if retain else (False,):
        autograd.backward(outputs, heads, retain_graph=again)
    return [x.asnumpy() for x in (*outputs, *(x.grad for x in inputs), *inputs)]


def same(found: list[Any], expected: list[Any]) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def differentiated(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Gets the mode of each graph that is differentiated."""
    found: list[Any] = []
    make = Joint.of

    def noted(*args: Any, **kwargs: Any) -> Any:
        found.append(args)
        return make(*args, **kwargs)

    monkeypatch.setattr(Joint, "of", noted)
    return found


@pytest.mark.parametrize("retain", [False, True], ids=["once", "twice"])
@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("made", [convolved, classified, unrolled])
def test_all_passes_give_the_same(made: Callable[[], Net], flags: str, retain: bool) -> None:
    net, arrays = made()
    op = CachedOp(net, list(FLAGS[flags].items()))
    first = passed(op, arrays, retain)
    for _ in range(2):
        same(passed(op, arrays, retain), first)


def test_the_graph_is_differentiated_for_the_second_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    made = differentiated(monkeypatch)
    net, arrays = classified()
    op = CachedOp(net)
    passed(op, arrays)
    assert not made
    passed(op, arrays)
    passed(op, arrays)
    assert len(made) == 1


def test_a_pass_that_makes_much_is_a_program_from_the_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = differentiated(monkeypatch)
    monkeypatch.setattr(own_programs, "MAX_TAPE_BYTES", 1 << 10)
    passed(CachedOp(sym.tanh(sym.sigmoid(sym.var("x")))), [nd.ones((20, 10))])
    passed(CachedOp(sym.sum(sym.take(sym.var("w"), sym.zeros((1,))))), [nd.ones((20, 20))])
    assert len(made) == 2


@pytest.mark.parametrize("outputs", [lambda x, y: [x, y], lambda x, y: [y, y]])
def test_outputs_are_arrays_of_their_own(outputs: Callable[[Any, Any], list[Any]]) -> None:
    x = sym.var("x")
    op = CachedOp(sym.Group(outputs(x, sym.square(x))))
    given = drawn(2, 3)
    given.attach_grad()
    for _ in range(3):
        with autograd.record():
            one, other = op(given)
        assert one is not given
        assert one is not other


class Shifted(HybridBlock):
    """Makes an array without inputs."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:  # as blocks call it
        return F.square(x) + F.ones((2, 3))


def test_gradients_of_gradients_are_the_same_in_all_passes() -> None:
    net, x = Shifted(), drawn(2, 3)
    net.hybridize()
    x.attach_grad()
    assert x.grad is not None
    for _ in range(3):
        with autograd.record():
            (dx,) = autograd.grad(net(x), [x], create_graph=True, retain_graph=True)
        dx.backward()
        np.testing.assert_allclose(x.grad.asnumpy(), np.full((2, 3), 2.0))


def test_threads_may_meet_at_the_first_pass() -> None:
    net, arrays = unrolled()
    expected = passed(CachedOp(net), arrays)
    for _ in range(10):
        op = CachedOp(net)
        right: list[bool] = []
        start = threading.Barrier(4)

        def work(op: CachedOp = op, right: list[bool] = right, start: Any = start) -> None:
            start.wait(20)
            found = passed(op, arrays)
            right.append(all(map(np.allclose, found, expected)))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert right == [True] * 4


@pytest.mark.parametrize("flags", FLAGS)
def test_outputs_that_follow_from_no_variable_are_constants_in_all_passes(flags: str) -> None:
    x, length = drawn(2, 3), drawn(2)
    both = sym.Group([sym.square(sym.var("x")), sym.identity(sym.var("length")) * 2])
    op = CachedOp(both, list(FLAGS[flags].items()))
    x.attach_grad()
    for _ in range(3):
        with autograd.record():
            y, constant = op(x, length)
            assert (y.in_graph, constant.in_graph) == (True, False)
            loss = (y * constant.reshape((2, 1))).sum()
        loss.backward()
        assert x.grad is not None
        expected = 4 * x.asnumpy() * length.asnumpy()[:, None]
        np.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-5)
        with autograd.record():
            _, constant = op(x, length)
        with pytest.raises(AutogradError, match="not computed from variables"):
            constant.backward()


class _Attending(HybridBlock):
    """Three layers with one input, as the queries, keys and values of attention have."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.layers = [nn.Dense(16, flatten=False, in_units=16) for _ in range(3)]
            for layer in self.layers:
                self.register_child(layer)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        query, key, value = (layer(x) for layer in self.layers)
        return x + F.tanh(query) * F.sigmoid(key) + F.tanh(value)


def test_sums_of_gradients_round_as_in_programs() -> None:
    random.seed(1)
    net = _Attending()
    net.initialize("xavier")
    x = drawn(64, 17, 16)
    x.attach_grad()
    found = []
    for hybrid in (False, True):
        net.hybridize(hybrid)
        for _ in range(3):
            with autograd.record():
                y = net(x).square().mean()
            y.backward()
            assert x.grad is not None
            found.append(x.grad.asnumpy().copy())
    for gradient in found[1:]:
        np.testing.assert_array_equal(gradient, found[0])
