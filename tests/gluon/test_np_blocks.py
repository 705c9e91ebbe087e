"""After ``npx.set_np()`` blocks take and give arrays of ``mx.np``, with the numbers they had."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as onp
import pytest

from hy_gluon import HybridBlock, SymbolBlock, Trainer, loss, nn, rnn, utils
from hy_gluon.data import DataLoader
from hy_gluon.initializer import Initializer
from hy_ndarray import NDArray, autograd, nd, np, npx, random
from hy_symbol import Symbol


@pytest.fixture
def numpy() -> Iterator[None]:
    npx.set_np()
    yield
    npx.reset_np()


class Both(HybridBlock):
    """Functions of F.np and F.npx, with a parameter of its own."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = nn.Dense(3)
            self.scale = self.params.get("scale", shape=(3,), init="ones")

    def hybrid_forward(self, F: Any, x: Any, scale: Any) -> Any:
        hidden = F.npx.relu(self.dense(x))
        return F.np.sum(scale * hidden, axis=1) + F.np.mean(hidden)


class Plain(HybridBlock):
    """A plain forward that reads a parameter."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = nn.Dense(3)

    def forward(self, x: Any) -> Any:
        bias = self.dense.bias
        assert bias is not None
        return np.tanh(self.dense(x)).max(axis=1) * bias.data().sum()


@pytest.mark.usefixtures("numpy")
@pytest.mark.parametrize("block", [Both, Plain])
def test_functions_of_np_run_eagerly_and_hybridized(block: type[HybridBlock]) -> None:
    random.seed(1)
    net = block()
    net.initialize()
    x = np.array([[1.0, -2.0], [0.5, 3.0]])
    with autograd.record():
        eager = net(x)
    eager.backward()
    gradients = [p.grad().asnumpy() for p in net.collect_params().values()]
    net.hybridize()
    assert isinstance(eager, np.ndarray)
    for _ in range(2):
        with autograd.record():
            hybrid = net(x)
        hybrid.backward()
        assert isinstance(hybrid, np.ndarray)
        onp.testing.assert_allclose(eager.asnumpy(), hybrid.asnumpy(), rtol=1e-6)
        for parameter, wanted in zip(net.collect_params().values(), gradients, strict=True):
            assert isinstance(parameter.grad(), np.ndarray)
            onp.testing.assert_allclose(parameter.grad().asnumpy(), wanted, rtol=1e-5, atol=1e-6)


LAYERS: dict[str, tuple[Callable[[], HybridBlock], tuple[int, ...]]] = {
    "Dense": (lambda: nn.Dense(3, activation="relu"), (2, 4)),
    "Conv2D": (lambda: nn.Conv2D(2, 3), (1, 2, 5, 5)),
    "BatchNorm": (nn.BatchNorm, (2, 3, 4)),
    "LayerNorm": (nn.LayerNorm, (2, 3)),
    "MaxPool2D": (nn.MaxPool2D, (1, 2, 4, 4)),
    "LSTM": (lambda: rnn.LSTM(3), (4, 2, 3)),
    "PReLU": (nn.PReLU, (2, 3)),
}


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_give_what_they_gave(name: str, hybridize: bool, rng: onp.random.Generator) -> None:
    make, shape = LAYERS[name]
    values = rng.standard_normal(shape).astype(onp.float32)
    results = []
    for array in (nd.array, np.array):
        (npx.set_np if array is np.array else npx.reset_np)()
        random.seed(1)
        layer = make()
        layer.initialize()
        if hybridize:
            layer.hybridize()
        result = layer(array(values))
        results.append(result)
    npx.reset_np()
    legacy, numpy = results
    assert type(legacy) is NDArray
    assert isinstance(numpy, np.ndarray)
    onp.testing.assert_allclose(numpy.asnumpy(), legacy.asnumpy(), rtol=1e-6)


@pytest.mark.usefixtures("numpy")
def test_a_network_learns() -> None:
    random.seed(0)
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="tanh"), nn.Dense(1))
    net.initialize()
    net.hybridize()
    trainer = Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    x = np.random.normal(size=(64, 3))
    y = (x * x).sum(axis=1, keepdims=True)
    losses = []
    for _ in range(40):
        with autograd.record():
            error = loss.L2Loss()(net(x), y)
        error.backward()
        trainer.step(64)
        assert isinstance(error, np.ndarray)
        losses.append(error.mean().item())
    assert losses[-1] < losses[0] / 2


@pytest.mark.usefixtures("numpy")
def test_batches_are_of_np() -> None:
    data = [onp.zeros(2), onp.ones(2)]
    for loader in (DataLoader(data, 2), DataLoader(data, 2, num_workers=1, thread_pool=True)):
        (batch,) = loader
        assert isinstance(batch, np.ndarray)
    (part,) = utils.split_and_load(onp.ones((2, 2)), [np.ones(1).context])
    assert isinstance(part, np.ndarray)


@pytest.mark.usefixtures("numpy")
def test_an_exported_network_comes_back(tmp_path: Any) -> None:
    net = Both()
    net.initialize()
    net.hybridize()
    x = np.array([[1.0, -2.0]])
    wanted = net(x)
    symbol_file, parameter_file = net.export(str(tmp_path / "net"))
    again = SymbolBlock.imports(symbol_file, ["data"], parameter_file)
    onp.testing.assert_allclose(again(x).asnumpy(), wanted.asnumpy(), rtol=1e-6)
    assert isinstance(again(x), np.ndarray)


def test_a_block_called_with_a_symbol_of_np_gives_one() -> None:
    from hy_symbol import sym  # noqa: PLC0415  # the fixture named numpy is no symbol

    net = Both()
    made = net(sym.var("data").as_np_ndarray())
    assert isinstance(made, Symbol)
    assert type(made).__name__ == "NumpySymbol"
    assert set(made.list_arguments()) == {"data", *net.collect_params()}


@pytest.mark.usefixtures("numpy")
@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize(
    ("weights", "result"), [("int64", "float32"), ("float16", "float32"), ("float64", "float64")]
)
def test_weights_of_losses_are_promoted_as_numpy_does(
    hybridize: bool, weights: str, result: str
) -> None:
    block = loss.SoftmaxCrossEntropyLoss()
    if hybridize:
        block.hybridize()
    found = block(np.zeros((2, 2)), np.array([0, 1]), np.array([[1], [2]], dtype=weights))
    assert found.dtype == onp.dtype(result)
    onp.testing.assert_allclose(found.asnumpy(), onp.log(2) * onp.array([1, 2]), rtol=1e-6)


@pytest.mark.usefixtures("numpy")
@pytest.mark.parametrize("kind", [rnn.RNN, rnn.GRU, rnn.LSTM])
def test_layers_begin_with_states_of_np(kind: Any) -> None:
    from hy_symbol import sym  # noqa: PLC0415  # the fixture named numpy is no symbol

    layer = kind(3)
    assert all(type(state) is np.ndarray for state in layer.begin_state(2))
    assert all(type(state).__name__ == "NumpySymbol" for state in layer.begin_state(2, sym.zeros))
    npx.reset_np()
    assert all(type(state) is NDArray for state in layer.begin_state(2))


class Unrolled(HybridBlock):
    """A cell over three steps, from states of zeros."""

    def __init__(self, cell: Any) -> None:
        super().__init__()
        self.cell = cell

    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002  # cells find it
        return self.cell.unroll(3, x, layout="NTC", merge_outputs=True)[0]


@pytest.mark.usefixtures("numpy")
@pytest.mark.parametrize(
    "make",
    [
        lambda: rnn.GRU(4, bidirectional=True, layout="NTC"),
        lambda: rnn.LSTM(4, layout="NTC"),
        lambda: Unrolled(rnn.LSTMCell(4)),
        lambda: Unrolled(rnn.BidirectionalCell(rnn.GRUCell(2), rnn.RNNCell(2))),
    ],
    ids=["gru", "lstm", "cell", "bidirectional"],
)
def test_recurrent_layers_inside_a_hybridized_net_find_the_size_of_the_batch(
    make: Callable[[], HybridBlock], tmp_path: Any
) -> None:
    random.seed(2)
    net = nn.HybridSequential()
    net.add(make(), nn.Dense(2, flatten=False))
    net.initialize()
    inputs = [np.random.normal(size=(n, 3, 5)) for n in (2, 4)]
    wanted = [net(x).asnumpy() for x in inputs]
    net.hybridize()
    again = [net(x).asnumpy() for x in inputs]
    symbol_file, parameter_file = net.export(str(tmp_path / "net"))
    read = SymbolBlock.imports(symbol_file, ["data"], parameter_file)
    for x, eager, hybrid in zip(inputs, wanted, again, strict=True):
        onp.testing.assert_allclose(hybrid, eager, rtol=1e-5, atol=1e-6)
        onp.testing.assert_allclose(read(x).asnumpy(), eager, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("is_np", [True, False])
def test_initializers_get_zeros_of_the_kind_in_use(is_np: bool) -> None:
    (npx.set_np if is_np else npx.reset_np)()
    seen = []

    class Own(Initializer):
        def _init_weight(self, _: str, array: NDArray) -> None:
            seen.append((type(array), array.asnumpy().tolist()))
            array += 1

    net = nn.Dense(1, use_bias=False)
    net.initialize(Own())
    net((np if is_np else nd).ones((1, 2)))
    assert seen == [(np.ndarray if is_np else NDArray, [[0, 0]])]
    assert net.weight.data().asnumpy().tolist() == [[1, 1]]


class Positions(HybridBlock):
    """Computes with arrays of its own graph as the first operands."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.np.arange(3) + x, F.np.ones((2, 3)) * x, F.np.eye(3)


@pytest.mark.usefixtures("numpy")
@pytest.mark.parametrize("watched", [False, True])
def test_arrays_that_a_graph_creates_are_of_np_while_recorded(watched: bool) -> None:
    block = Positions()
    block.hybridize()
    if watched:
        block.register_op_hook(lambda _name, _operator, _array: None)
    x: Any = np.array([[1.0, 2, 3], [4, 5, 6]])
    x.attach_grad()
    for _ in range(2):  # the first pass runs operator by operator
        with autograd.record():
            outputs = block(x)
            total = outputs[0].sum() + 2 * outputs[1].sum()
        total.backward()
        assert all(type(y) is np.ndarray for y in outputs)
        assert outputs[0].tolist() == [[1, 3, 5], [4, 6, 8]]  # as MXNet
        assert x.grad.tolist() == [[3, 3, 3]] * 2
