"""Mixed precision switched on: operators cast their inputs, on arrays as in graphs, and off again.

Dtypes are those of MXNet 1.9.1 on a GPU and in hybridized blocks; numbers in bfloat16 were
computed by MXNet on a CPU.
"""
# ruff: noqa: ARG002  # methods take what the base class's take

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from hy_gluon import HybridBlock, Parameter, SymbolBlock, amp, initializer, loss, nn, rnn, verify
from hy_gluon.model_zoo import vision
from hy_ndarray import DTypeError, NDArray, autograd, custom, dtype_name, nd, random
from hy_ndarray.core.casting import casting_policy
from hy_symbol import NameManager, Symbol, load_json, sym

BOTH = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])


@pytest.fixture(autouse=True)
def _off_afterwards() -> Iterator[None]:
    yield
    amp.disable()


def name_of(array: NDArray) -> str:
    return dtype_name(array.dtype)


def full(*shape: int) -> NDArray:
    return nd.ones(shape or (2, 2))


def low(*shape: int, dtype: str = "float16") -> NDArray:
    return full(*shape).astype(dtype)


def dense(x: NDArray, weight: NDArray) -> NDArray:
    found: NDArray = nd.FullyConnected(x, weight, num_hidden=2, no_bias=True)
    return found


# --- arrays -----------------------------------------------------------------------------------


CALLS: list[tuple[str, Callable[[], NDArray], str]] = [
    ("matrix products", lambda: dense(full(), full()), "low"),
    ("convolutions", lambda: nd.Convolution(full(1, 1, 3, 3), full(1, 1, 2, 2), no_bias=True,
                                            kernel=(2, 2), num_filter=1), "low"),
    ("exponentials", lambda: nd.exp(low()), "float32"),
    ("methods", lambda: low().exp(), "float32"),
    ("sums", lambda: low().sum(), "float32"),
    ("softmax", lambda: nd.softmax(low()), "float32"),
    ("powers", lambda: low() ** full(), "float32"),
    ("powers of numbers", lambda: 2 ** low(), "float32"),
    ("sums of two", lambda: low() + full(), "float32"),
    ("sums of two alike", lambda: low() + low(), "float16"),
    ("named sums", lambda: nd.elemwise_add(full(), low()), "float32"),
    ("comparisons", lambda: low() == full(), "float32"),
    ("joined arrays", lambda: nd.concat(low(), full()), "float32"),
    ("products of matrices", lambda: nd.dot(low(), full()), "float32"),
    ("activations", lambda: nd.relu(low()), "float16"),
    ("scalars", lambda: low() * 2, "float16"),
    ("absolute values", lambda: abs(low()), "float16"),
    ("conditions that hold", lambda: nd.Activation(low(), act_type="softrelu"), "float32"),
    ("conditions that do not", lambda: nd.Activation(low(), act_type="relu"), "float16"),
    ("normalisation", lambda: nd.LayerNorm(low(), full(2), full(2)), "float32"),
    ("slopes", lambda: nd.LeakyReLU(low(), full(2), act_type="prelu"), "float32"),
    ("whole numbers", lambda: nd.exp(nd.ones((2,), dtype="int32")), "int32"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "expected"), [pytest.param(call, kind, id=name) for name, call, kind in CALLS]
)
def test_dtypes_of_calls(call: Callable[[], NDArray], expected: str) -> None:
    with amp.autocast("float16"):
        assert name_of(call()) == ("float16" if expected == "low" else expected)


def test_batch_norm_keeps_its_statistics() -> None:
    states = [full(2) for _ in range(4)]
    gamma, beta, mean, variance = states
    with amp.autocast("float16"):
        assert name_of(nd.BatchNorm(low(), gamma, beta, mean, variance)) == "float16"
    assert {name_of(x) for x in states} == {"float32"}


@BOTH
def test_gradients_have_the_dtypes_of_their_arrays(dtype: str) -> None:
    x, weight = full(), full()
    x.attach_grad()
    weight.attach_grad()
    with amp.autocast(dtype), autograd.record():
        y = nd.softmax(dense(x, weight)) * nd.array([1, 2])
    y.backward()
    for array in (x, weight):
        gradient = array.grad
        assert gradient is not None
        assert name_of(gradient) == "float32"


def test_it_is_off_after_the_scope_and_after_disable() -> None:
    with amp.autocast("float16") as policy, amp.autocast("bfloat16"):
        assert name_of(dense(full(), full())) == "bfloat16"
        assert policy is not amp.active()
    assert amp.active() is None
    amp.init()
    assert name_of(dense(full(), full())) == "float16"
    amp.disable()
    assert name_of(dense(full(), full())) == "float32"
    with pytest.raises(DTypeError):
        nd.dot(low(), full())


def test_an_error_switches_it_off_too() -> None:
    with pytest.raises(ZeroDivisionError), amp.autocast():
        raise ZeroDivisionError
    assert amp.active() is None


def test_a_second_init_takes_the_place_of_the_first() -> None:
    amp.init("float16")
    first = amp.active()
    amp.init("float16")
    assert amp.active() is first
    amp.init("bfloat16")
    assert name_of(dense(full(), full())) == "bfloat16"


def test_it_holds_for_all_threads() -> None:
    amp.init()
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(name_of(dense(full(), full()))))
    thread.start()
    thread.join()
    assert found == ["float16"]


def test_what_init_is_given() -> None:
    amp.init(target_precision_ops=["relu"], fp32_ops=["abs"])
    assert name_of(nd.relu(full())) == "float16"
    assert name_of(abs(low())) == "float32"
    assert name_of(nd.exp(low())) == "float16"  # the list of fp32_ops is the one given
    with pytest.raises(DTypeError, match="float16 or bfloat16"):
        amp.init("float64")


class Twice(custom.CustomOp):
    """``2 x``; notes the dtype of x."""

    seen: ClassVar[list[str]] = []

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.seen.append(name_of(in_data[0]))
        self.assign(out_data[0], req[0], in_data[0] * 2)


@custom.register("amp_twice")
class TwiceProp(custom.CustomOpProp):
    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> custom.CustomOp:
        return Twice()


def test_custom_operators_get_float32() -> None:
    with amp.autocast():
        assert name_of(nd.Custom(low(), op_type="amp_twice")) == "float32"
    assert Twice.seen == ["float32"]


# --- symbols ----------------------------------------------------------------------------------


def test_symbols_get_nodes_that_cast() -> None:
    with amp.autocast("float16"), NameManager():
        hidden = sym.FullyConnected(sym.var("data"), num_hidden=3, no_bias=True, name="fc")
        out = sym.softmax(hidden + sym.var("y"), name="out")
    assert [(n.name, [s.name for s, _ in n.inputs]) for n in out.graph.nodes if n.inputs] == [
        ("amp_cast0", ["data"]),
        ("amp_cast1", ["fc_weight"]),
        ("fc", ["amp_cast0", "amp_cast1"]),
        ("amp_multicast0", ["fc", "y"]),
        ("_plus0", ["amp_multicast0", "amp_multicast0"]),
        ("amp_cast2", ["_plus0"]),
        ("out", ["amp_cast2"]),
    ]  # what MXNet makes, under the same names


def test_a_graph_that_exists_is_not_changed() -> None:
    symbol = sym.FullyConnected(sym.var("data"), num_hidden=2, no_bias=True)
    with amp.autocast():
        text = symbol.tojson(remove_amp_cast=False)
        assert "amp_cast" not in text
        again = load_json(text)
        values: dict[str, Any] = dict.fromkeys(again.list_arguments(), full())
        (y,) = again.eval(**values)
    assert name_of(y) == "float32"


def test_symbols_know_their_dtype_while_a_block_is_traced() -> None:
    seen = []

    class Asks(nn.HybridSequential):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            y = super().hybrid_forward(F, x)
            seen.append(np.dtype(y.dtype).name)
            return y

    block = Asks()
    block.add(nn.Dense(2, in_units=2))
    block.initialize()
    block.hybridize()
    with amp.autocast("float16"):
        block(full())
    assert seen == ["float16"]


# --- blocks -----------------------------------------------------------------------------------


class Looping(HybridBlock):
    """A loop whose state passes a dense layer, behind one."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.layer = nn.Dense(4, in_units=4, flatten=False)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        def body(row: Any, state: Any) -> Any:
            y = self.layer(row) + state
            return y, F.tanh(y)

        outputs, last = F.contrib.foreach(body, self.layer(x), F.zeros((2, 4)))
        return F.softmax(outputs), last


class Tagger(HybridBlock):
    """A recurrent layer between an embedding and a dense layer."""

    def __init__(self, layer: type[rnn.LSTM] | type[rnn.GRU]) -> None:
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(6, 4)
            self.layer = layer(5, num_layers=2, bidirectional=True)
            self.output = nn.Dense(3, flatten=False)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.log_softmax(self.output(self.layer(self.embedding(x))))


class Plain(HybridBlock):
    """A plain forward with operators of nd, shapes and Python's own operators."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.layer = nn.Dense(4)
            self.slope = nn.PReLU()

    def forward(self, x: Any) -> Any:
        y = self.slope(self.layer(x))
        y = nd.concat(y, x.reshape((x.shape[0], -1))[:, :3], dim=1)
        return nd.softmax(y) * y**2 + 1


def convolutional() -> HybridBlock:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            nn.Conv2D(3, 3, in_channels=2, activation="relu"),
            nn.BatchNorm(in_channels=3),
            nn.MaxPool2D(2, 2),
            nn.Dense(4, in_units=12, activation="tanh"),
            nn.Dense(3, in_units=4),
        )
    return net


def images() -> NDArray:
    return nd.array(np.sin(np.arange(2 * 2 * 6 * 6)).reshape(2, 2, 6, 6))


BLOCKS: dict[str, tuple[Callable[[], HybridBlock], Callable[[], NDArray]]] = {
    "convolutional": (convolutional, images),
    "loop": (Looping, lambda: nd.array(np.sin(np.arange(24)).reshape(3, 2, 4))),
    "lstm": (lambda: Tagger(rnn.LSTM), lambda: nd.array([[0, 1], [2, 3], [4, 5]])),
    "gru": (lambda: Tagger(rnn.GRU), lambda: nd.array([[0, 1], [2, 3], [4, 5]])),
    "plain": (Plain, lambda: nd.array(np.cos(np.arange(15)).reshape(3, 5))),
    "resnet": (lambda: vision.resnet18_v2(classes=4), lambda: nd.ones((1, 3, 32, 32)) / 3),
}


def one_run(block: HybridBlock, x: NDArray) -> list[npt.NDArray[Any]]:
    """Outputs, and the gradients of all parameters."""
    with autograd.record():
        found: Any = block(x)
        outputs = found if isinstance(found, list | tuple) else [found]
        heads = [y.astype("float32") for y in outputs]
        total = sum((y * nd.arange(y.size).reshape(y.shape).cos()).sum() for y in heads)
    autograd.backward([total])
    learned = [p for p in block.collect_params().values() if p.grad_req != "null"]
    assert {name_of(p.grad()) for p in learned} == {"float32"}
    return [*(y.asnumpy() for y in outputs), *(p.grad().asnumpy() for p in learned)]


@BOTH
@pytest.mark.parametrize("name", BLOCKS)
def test_eager_is_hybrid_is_static(name: str, dtype: str) -> None:
    random.seed(1)
    make, inputs = BLOCKS[name]
    block, x = make(), inputs()
    block.initialize(initializer.Xavier())
    with amp.autocast(dtype):
        block(x)
        values = {key: p.data().copy() for key, p in block.collect_params().items()}
        runs = []
        ways: list[dict[str, Any]] = [{"active": False}, {}]
        for options in (*ways, {"static_alloc": True, "static_shape": True}):
            for key, p in block.collect_params().items():
                p.set_data(values[key])  # batch normalisation moved its statistics
            block.hybridize(**options)
            runs.append(one_run(block, x))
    for other in runs[1:]:
        for a, b in zip(runs[0], other, strict=True):
            assert a.dtype == b.dtype
            assert (a == b).all()


def filled(block: HybridBlock) -> HybridBlock:
    """The block with values that are easily said again."""
    block.initialize()
    learned: Sequence[Parameter] = list(block.collect_params().values())
    for i, p in enumerate(learned):
        if p.grad_req != "null":
            n = int(np.prod(p.shape or ()))
            p.set_data(nd.array(np.cos(np.arange(n) + i).reshape(p.shape) * 0.5))
    return block


@pytest.mark.parametrize("hybridized", [False, True])
def test_bfloat16_has_the_numbers_of_mxnet(hybridized: bool) -> None:
    net = filled(convolutional())
    net.hybridize(hybridized)
    criterion = loss.SoftmaxCrossEntropyLoss()
    with amp.autocast("bfloat16"), autograd.record():
        out = net(images())
        found = criterion(out, nd.array([0, 2]))
    found.backward()
    assert (name_of(out), name_of(found)) == ("bfloat16", "float32")
    expected = [[0.05347, -0.73438, -0.09619], [0.04224, -0.43359, -0.47852]]
    np.testing.assert_allclose(out.astype("float32").asnumpy(), expected, atol=0.003)
    np.testing.assert_allclose(found.asnumpy(), [0.83977, 1.31620], rtol=0.003)
    norms = {
        "conv0_weight": 2.26003,
        "conv0_bias": 0.58246,
        "batchnorm0_gamma": 0.50692,
        "batchnorm0_beta": 0.68565,
        "dense0_weight": 0.55498,
        "dense0_bias": 0.49381,
        "dense1_weight": 0.70616,
        "dense1_bias": 0.60790,
    }
    for name, norm in norms.items():
        gradient = net.collect_params()[f"net_{name}"].grad()
        assert gradient.norm().asscalar() == pytest.approx(norm, rel=0.01), name


def test_a_hybridized_block_is_traced_again_when_the_policy_changes() -> None:
    layer = nn.Dense(2, in_units=2)
    plain = Plain()
    for block in (layer, plain):
        block.initialize()
        block.hybridize()
    assert [name_of(layer(full())), name_of(plain(full(2, 4)))] == ["float32", "float32"]
    with amp.autocast("bfloat16"):
        assert name_of(layer(full())) == "bfloat16"
        assert any(n.op and n.op.name == "amp_cast" for n in graph_of(plain, full(2, 4)))
    assert name_of(layer(full())) == "float32"
    assert not any(n.op and n.op.name == "amp_cast" for n in graph_of(plain, full(2, 4)))


def graph_of(block: HybridBlock, x: NDArray) -> Sequence[Any]:
    block(x)
    cached = block._cached_graph
    assert cached
    return cached[1].graph.nodes


def test_an_imported_graph_stays_what_it_is() -> None:
    data = sym.var("data")
    block = SymbolBlock(sym.FullyConnected(data, num_hidden=2, name="fc"), data)
    block.initialize()
    with amp.autocast():
        assert name_of(block(full())) == "float32"


def test_losses_compute_in_float32() -> None:
    criterion = loss.SoftmaxCrossEntropyLoss()
    with amp.autocast():
        assert name_of(criterion(low(), nd.array([0, 1]))) == "float32"


def in_thread(function: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def product() -> str:
    return name_of(dense(full(), full()))


def test_autocast_holds_for_its_thread_alone() -> None:
    with amp.autocast("float16"):
        assert (product(), in_thread(product)) == ("float16", "float32")
        assert in_thread(amp.active) is None


def test_init_holds_for_threads_that_are_in_no_scope() -> None:
    def inside() -> tuple[str, str]:
        with amp.autocast("float16"):
            in_thread(lambda: amp.init("bfloat16"))
            return product(), in_thread(product)

    try:
        assert inside() == ("float16", "bfloat16")
        assert (product(), in_thread(product)) == ("bfloat16", "bfloat16")
    finally:
        amp.disable()
    assert (product(), in_thread(product)) == ("float32", "float32")


def test_there_is_no_policy_unless_it_is_asked_for() -> None:
    assert casting_policy() is None
    assert isinstance(sym.var("x") + 1, Symbol)


def test_verify_holds_under_mixed_precision_too() -> None:
    block, x = filled(convolutional()), images()
    with amp.autocast("float16"):
        assert set(verify(block, x).values()) == {0.0}
