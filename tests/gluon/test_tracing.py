"""What MXNet forbids inside a hybridized block, and hy allows; tests are named after the pain."""

import copy
import warnings
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, SymbolBlock, amp, nn, rnn
from hy_gluon.amp.policy import Policy
from hy_gluon.loss_scaler import LossScaler
from hy_ndarray import NDArray, ShapeError, autograd, nd, np as mx_np, random
from hy_ndarray.core.casting import Casting, casting_scope
from hy_symbol import NotForSymbolError, sym


def both_ways(block: HybridBlock, *inputs: NDArray) -> None:
    """The block gives the same numbers, and gradients, eager and hybridized."""
    results = []
    for active in (False, True):
        block.hybridize(active)
        for x in inputs:
            x.attach_grad()
        with autograd.record():
            y = block(*inputs)
        y.backward()
        results.append([y.asnumpy(), *(x.grad.asnumpy() for x in inputs if x.grad is not None)])
    for eager, hybrid in zip(*results, strict=True):
        np.testing.assert_allclose(hybrid, eager, rtol=1e-6)


class Count(HybridBlock):
    """Counts how often it is traced or run operator by operator."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.calls = 0


class HalfOfTheChannels(Count):
    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        self.calls += 1
        channels = x.shape[1]
        return F.slice_axis(x, axis=1, begin=0, end=channels // 2)


def test_reading_a_shape_gives_a_graph_for_each_shape(rng: np.random.Generator) -> None:
    block = HalfOfTheChannels()
    block.hybridize()
    for channels in (4, 6, 4, 6, 4):
        assert block(nd.ones((2, channels))).shape == (2, channels // 2)
    assert block.calls == 2
    both_ways(block, nd.array(rng.standard_normal((2, 8))))


def test_graphs_of_many_shapes_are_not_kept_forever() -> None:
    block = HalfOfTheChannels()
    block.hybridize()
    for channels in range(2, 202, 2):
        assert block(nd.ones((1, channels))).shape == (1, channels // 2)
    assert len(block._hy_traces) == 64
    assert block(nd.ones((1, 2))).shape == (1, 1)  # the oldest is traced again


class Branching(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        if x.ndim > 2 and x.dtype == np.float32:
            return F.flatten(x)
        return x * 2


def test_branching_on_a_shape() -> None:
    block = Branching()
    block.hybridize()
    assert block(nd.ones((2, 3, 4))).shape == (2, 12)
    assert block(nd.ones((2, 3))).asnumpy().sum() == 12
    assert block(nd.ones((2, 3, 4), dtype="float64")).shape == (2, 3, 4)


class Indexing(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        last = x[:, -1]
        first = x[:, 0, None, ::2]
        return F.concat(last, F.flatten(first), dim=1)


def test_indexing_intermediates(rng: np.random.Generator) -> None:
    block = Indexing()
    both_ways(block, nd.array(rng.standard_normal((2, 3, 4))))
    # the sizes of the axes are not written into the graph
    assert block(nd.ones((5, 3, 4))).shape == (5, 6)


class Rows(Count):
    """Adds the rows up, each with its number."""

    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        self.calls += 1
        y = F.relu(x) / len(x)
        total = 0
        for i, row in enumerate(y):
            total = total + i * row
        return total


def test_the_rows_of_an_intermediate_are_counted_and_gone_through(rng: np.random.Generator) -> None:
    block = Rows()
    both_ways(block, nd.array(rng.standard_normal((3, 2))))
    assert block(nd.ones((4, 2))).asnumpy().tolist() == [1.5, 1.5]
    x = mx_np.array([[1.0, 2.0], [3.0, 4.0]])
    assert block(x).asnumpy().tolist() == [1.5, 2.0]
    block.calls = 0
    for rows in (3, 4, 3):
        block(nd.ones((rows, 2)))
    assert block.calls == 0  # each length has a graph of its own


def test_a_symbol_of_several_outputs_has_so_many_parts() -> None:
    class Halves(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
            halves = F.split(x, num_outputs=2, axis=1)
            first, second = halves
            return first + len(halves) * second

    both_ways(Halves(), nd.array([[1.0, 2.0]]))


def test_rows_that_nobody_knows_are_not_gone_through() -> None:
    class Deferred(HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.table = self.params.get("table", shape=(0, 2), allow_deferred_init=True)

        def hybrid_forward(self, F: Any, x: Any, *_: Any, **params: Any) -> Any:
            return F.dot(x, params["table"]) + len(params["table"])

    block = Deferred()
    block.initialize()
    block.hybridize()
    with pytest.raises(NotForSymbolError, match=r"the length of .* is not known while the graph"):
        block(nd.ones((1, 3)))


WRITES: dict[str, tuple[Any, list[float]]] = {
    "an operator": (lambda F, x: F.sqrt(x, out=x), [2, 3]),
    "of two": (lambda F, x: F.broadcast_add(x, x, out=x), [8, 18]),
    "what it wrote to": (lambda F, x: [F.sqrt(x, out=x), x + 0][1], [4, 9]),
    "of a number": (lambda F, x: F.np.add(x.as_np_ndarray(), 1, out=x), [5, 10]),
    "of mx.np": (lambda F, x: F.np.exp(0 * x.as_np_ndarray(), out=x), [1, 1]),
    "replaced": (lambda F, x: F.np.nan_to_num(x.as_np_ndarray(), copy=False), [4, 9]),
    "mx.np itself": (lambda _, x: mx_np.cumsum(x.as_np_ndarray(), out=x), [4, 13]),
}


@pytest.mark.parametrize(("call", "result"), WRITES.values(), ids=WRITES.keys())
def test_out_has_no_effect_in_a_graph(call: Any, result: list[float]) -> None:
    class Writing(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
            return call(F, x)

    block = Writing()
    block.hybridize()
    assert block(nd.array([4, 9])).asnumpy().tolist() == result


def test_functions_of_arrays_do_not_write_into_symbols() -> None:
    y: Any = sym.var("y")
    for x in (y, nd.ones((2,))):
        with pytest.raises(NotForSymbolError, match="relu: out= names an array"):
            nd.relu(x, out=y)


def test_a_plain_forward_over_rows_that_depend_on_values_runs_as_it_is() -> None:
    class Chosen(HybridBlock):
        def forward(self, x: Any, *_: Any) -> Any:
            total = nd.zeros_like(x[0])
            for row in nd.contrib.boolean_mask(x, x[:, 0] > 0):
                total = total + row
            return total

    block = Chosen()
    block.hybridize()
    x = nd.array([[1, 2], [-1, 5], [3, 4]])
    with pytest.warns(UserWarning, match="the length of .* is not known while the graph"):
        assert block(x).asnumpy().tolist() == [4, 6]


def test_a_plain_forward_that_writes_runs_as_it_is() -> None:
    class Writing(HybridBlock):
        def forward(self, x: Any, *_: Any) -> Any:
            y = nd.zeros_like(x)
            nd.relu(x, out=y)
            return y

    block = Writing()
    block.hybridize()
    with pytest.warns(UserWarning, match="relu: out= names an array"):
        assert block(nd.ones((2,))).asnumpy().tolist() == [1, 1]


class InPlace(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        y = F.relu(x)
        y += x
        y *= 2
        return y


def test_adding_in_place_to_intermediates(rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 3)).astype("float32")
    block = InPlace()
    eager = block(nd.array(x)).asnumpy()
    block.hybridize()
    array = nd.array(x)
    array.attach_grad()
    with autograd.record():  # operator by operator, += under record is refused
        y = block(array)
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), eager, rtol=1e-6)
    assert array.grad is not None
    np.testing.assert_allclose(array.grad.asnumpy(), 2 * (x > 0) + 2, rtol=1e-6)


class Broadcasting(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any, *args: Any, **_: Any) -> Any:  # noqa: ARG002
        (y,) = args
        return (x - y) * y


def test_operators_broadcast_as_on_arrays(rng: np.random.Generator) -> None:
    block = Broadcasting()
    both_ways(block, nd.array(rng.standard_normal((4, 3))), nd.array(rng.standard_normal((1, 3))))
    block.hybridize()
    assert block(nd.ones((1, 3)), nd.ones((1, 3))).shape == (1, 3)  # traced for equal shapes
    assert block(nd.ones((4, 3)), nd.ones((1, 3))).shape == (4, 3)  # traced again to broadcast
    with pytest.raises(ShapeError):
        block(nd.ones((4, 3)), nd.ones((2, 3)))
    assert block(nd.ones((4, 3)), nd.ones((4, 3))).shape == (4, 3)


def test_operands_that_meet_again_in_one_shape_need_no_further_trace() -> None:
    class Sum(Count):
        def hybrid_forward(self, F: Any, x: Any, *args: Any, **_: Any) -> Any:  # noqa: ARG002
            self.calls += 1
            return x + args[0]

    block = Sum()
    block.hybridize()
    for rows in (1, 4, 1, 5, 4):
        assert block(nd.ones((rows, 3)), nd.ones((rows, 3))).shape == (rows, 3)
    for _ in range(3):
        assert block(nd.ones((4, 3)), nd.ones((1, 3))).shape == (4, 3)
        assert block(nd.ones((4, 3)), nd.ones((4, 3))).shape == (4, 3)
    assert block.calls == 2


class PlainForward(Count):
    """The style without F."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.dense = nn.Dense(4)
            self.scale = self.params.get("scale", shape=(1, 4), init="ones")

    def forward(self, x: Any, *_: Any) -> Any:
        self.calls += 1
        y = nd.relu(self.dense(x))
        if autograd.is_training():
            y = y * 2
        return nd.broadcast_mul(y, self.scale.data())


def test_a_plain_forward_is_hybridized_too(rng: np.random.Generator, tmp_path: Any) -> None:
    block = PlainForward()
    block.initialize()
    x = nd.array(rng.standard_normal((2, 3)))
    expected = block(x).asnumpy()
    block.calls = 0
    block.hybridize()
    for _ in range(3):
        np.testing.assert_allclose(block(x).asnumpy(), expected, rtol=1e-6)
    assert block.calls == 1
    with autograd.train_mode():
        np.testing.assert_allclose(block(x).asnumpy(), 2 * expected, rtol=1e-6)
    assert block.calls == 2
    for factor in (2, 1):
        with autograd.train_mode() if factor == 2 else autograd.predict_mode():
            block(x)
        files = block.export(str(tmp_path / "plain"))  # the graph of the last call
        again = SymbolBlock.imports(files[0], ["data"], files[1])
        np.testing.assert_allclose(again(x).asnumpy(), factor * expected, rtol=1e-6)
    assert block.calls == 2


# --- calls of several kinds in turn: each kind is traced once ---------------------------------


STATIC = pytest.mark.parametrize("static", [False, True], ids=["fresh", "static"])


@STATIC
def test_a_loop_of_autocast_scopes_traces_once_with_and_once_without(static: bool) -> None:
    block = PlainForward()
    block.initialize()
    x = nd.ones((2, 3))
    block(x)
    block.hybridize(static_alloc=static)
    block.calls = 0
    for _ in range(3):
        with amp.autocast():
            assert block.dense(x).dtype == np.float16
            half = block(x)
        assert block(x).dtype == np.float32
        np.testing.assert_allclose(half.asnumpy(), block(x).asnumpy(), rtol=1e-2, atol=1e-3)
    assert block.calls == 2
    with amp.autocast(fp32_ops=["FullyConnected"]):  # another policy
        block(x)
        block(x)
    assert block.calls == 3


def test_policies_cast_alike_or_not_whatever_their_loss_scalers() -> None:
    first, second, third = Policy(), Policy(), Policy("bfloat16")
    first.loss_scaler = LossScaler()
    assert first.key == second.key != third.key
    assert first != second


def test_a_policy_without_a_key_is_like_itself_only() -> None:
    class Half:  # noqa: PLW1641
        def __eq__(self, other: object) -> bool:  # so that it has no hash
            return isinstance(other, Half)

        def casting(self, op: Any, *_: Any) -> Casting | None:
            return Casting("float16") if op.name == "FullyConnected" else None

        def gradient_scale(self, *_: Any, **__: Any) -> float:
            return 1.0

    class Doubled(Count):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(4, in_units=3)

        def forward(self, x: Any, *_: Any) -> Any:
            self.calls += 1
            return self.dense(x) * 2

    block = Doubled()
    block.initialize()
    x = nd.ones((2, 3))
    block.hybridize()
    policies = Half(), Half()
    for _ in range(2):
        for policy in policies:
            with casting_scope(policy):
                assert block(x).dtype == np.float16
    assert block.calls == 2


@STATIC
def test_training_and_prediction_in_turn_trace_once_each(static: bool) -> None:
    block = PlainForward()
    block.initialize()
    x = nd.ones((2, 3))
    block(x)
    block.hybridize(static_alloc=static)
    block.calls = 0
    for _ in range(3):
        expected = block(x).asnumpy()
        with autograd.record():
            y = block(x)
        np.testing.assert_allclose(y.asnumpy(), 2 * expected, rtol=1e-6)
    assert block.calls == 2


@STATIC
def test_an_lstm_with_and_without_states_is_traced_once_each(
    static: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced: list[Any] = []
    layer = rnn.LSTM(4, input_size=3)
    layer.initialize()
    x = nd.ones((5, 2, 3))
    expected = layer(x).asnumpy()
    forward = layer.hybrid_forward

    def counted(*args: Any, **kwargs: Any) -> Any:
        traced.append(layer.skip_states)
        return forward(*args, **kwargs)

    monkeypatch.setattr(layer, "hybrid_forward", counted)
    layer.hybridize(static_alloc=static)
    for _ in range(3):
        np.testing.assert_allclose(layer(x).asnumpy(), expected, rtol=1e-6)
        y, states = layer(x, layer.begin_state(2))
        assert (y.shape, len(states)) == ((5, 2, 4), 2)
    assert traced == [True, False]


def test_classic_and_numpy_arrays_in_turn_are_traced_once_each() -> None:
    class Compare(Count):
        def forward(self, x: Any, *_: Any) -> Any:
            self.calls += 1
            return x > 1

    block = Compare()
    block.hybridize()
    for _ in range(3):
        assert block(nd.ones((2,))).dtype == np.float32
        assert block(mx_np.ones((2,))).dtype == np.bool_
    assert block.calls == 2


def test_a_forward_that_needs_values_runs_as_it_is_and_says_why() -> None:
    class Values(HybridBlock):
        def forward(self, x: Any, *_: Any) -> Any:
            return x * float(x.sum().asscalar())

    block = Values()
    block.hybridize()
    with pytest.warns(UserWarning, match="cannot be traced into a graph.*has no value"):
        assert block(nd.array([1.0, 2.0])).asnumpy().tolist() == [3.0, 6.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # said once
        assert block(nd.array([2.0])).asscalar() == 4


def test_hooks_of_children_fire_after_hybridize() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=2), nn.Dense(1, in_units=3))
    net.initialize()
    x = nd.ones((1, 2))
    net.hybridize()
    expected = net(x).asnumpy()
    seen: list[Any] = []
    handle = net[0].register_forward_hook(lambda block, args, out: seen.append(out.shape))
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-6)
    net(x)
    handle.detach()
    net(x)
    assert seen == [(1, 3), (1, 3)]


def test_a_block_called_twice_exports_and_loads(tmp_path: Any) -> None:
    class Twice(HybridBlock):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            with self.name_scope():
                self.layer = nn.Dense(3, in_units=3)

        def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
            return self.layer(F.relu(self.layer(x)))

    net = Twice()
    net.initialize()
    net.hybridize()
    x = nd.ones((2, 3))
    y = net(x)
    files = net.export(str(tmp_path / "twice"))
    again = SymbolBlock.imports(files[0], ["data"], files[1])
    np.testing.assert_allclose(again(x).asnumpy(), y.asnumpy(), rtol=1e-6)
    again.hybridize()
    again(x)
    assert again.export(str(tmp_path / "again"))[0].endswith("again-symbol.json")


def test_an_error_says_in_which_block_it_happened() -> None:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        inner = nn.HybridSequential()
        inner.add(nn.Dense(2, in_units=2), nn.Dense(2, in_units=5))
        net.add(nn.Dense(2, in_units=2), inner)
    net.initialize()
    with pytest.raises(ShapeError) as caught:
        net(nd.ones((1, 2)))
    assert "in block net.1.1" in caught.value.__notes__


def test_a_hybridized_block_can_be_copied() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(2, in_units=2))
    net.initialize()
    random.seed(0)
    twin = copy.deepcopy(net)
    np.testing.assert_array_equal(twin(nd.ones((1, 2))).asnumpy(), net(nd.ones((1, 2))).asnumpy())
