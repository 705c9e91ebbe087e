"""Engines as backends: the numbers are the table's, and what changes is seen at once."""

import sys
import threading
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, SymbolBlock, Trainer, model_zoo, nn, rnn
from hy_gluon.execution.optimized import OptimizedOp
from hy_gluon.quantization import quantize_net
from hy_kernels.numpy import num_threads, set_num_threads
from hy_ndarray import ArgumentError, NDArray, autograd, cpu, device_of, nd
from hy_symbol import BackendError, Symbol, sym
from hy_symbol.backends import find_runner
from hy_symbol.regions import registry
from hy_symbol.regions.running import RunningRegion

ENGINES = [name for name in ("onnxruntime", "openvino") if find_spec(name)]
engines = pytest.mark.parametrize("engine", ENGINES)
with_onnxruntime = pytest.mark.skipif(
    "onnxruntime" not in ENGINES, reason="ONNX Runtime is not installed"
)


def small() -> nn.HybridSequential:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            nn.Conv2D(4, 3, padding=1, in_channels=3),
            nn.BatchNorm(in_channels=4),
            nn.Activation("relu"),
            nn.GlobalAvgPool2D(),
            nn.Dense(5, in_units=4),
        )
    net.initialize()
    return net


@pytest.fixture
def x(rng: np.random.Generator) -> NDArray:
    return nd.array(rng.standard_normal((2, 3, 6, 6)))


def eager(block: HybridBlock, *args: Any) -> Any:
    """What the table computes, operator by operator."""
    before = block._active
    block._active = False
    try:
        return block(*args)
    finally:
        block._active = before


def agree(block: HybridBlock, *args: Any, atol: float = 1e-5) -> None:
    found, wanted = block(*args), eager(block, *args)
    for ours, theirs in zip(listed(found), listed(wanted), strict=True):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=1e-5, atol=atol)


def listed(found: Any) -> list[NDArray]:
    if isinstance(found, list | tuple):
        return [y for part in found for y in listed(part)]
    return [found]


def parts(block: HybridBlock) -> list[str]:
    """What runs: the operators, and engines in the place of those they run."""
    op = block._cached_op
    assert isinstance(op, OptimizedOp)
    nodes = op.prediction().symbol.graph.nodes
    return [node.params["backend"] if node.is_region else node.op.name for node in nodes if node.op]


# --- blocks -----------------------------------------------------------------------------------


@engines
def test_a_block_runs_by_an_engine_as_one_region(engine: str, x: NDArray) -> None:
    net = small()
    net.hybridize(backend=engine)
    for _ in range(3):
        agree(net, x)
    assert parts(net) == [engine]
    told = net.explain(x)
    assert [row.how for row in told.rows] == [engine]
    assert told.rows[0].operators[:2] == ("Convolution", "BatchNorm")
    assert not told.left


@engines
def test_an_engine_serves_all_batch_sizes(engine: str, rng: np.random.Generator) -> None:
    net = small()
    net.hybridize(backend=engine)
    for size in (1, 4, 7, 2, 1):
        agree(net, nd.array(rng.standard_normal((size, 3, 6, 6))))


def step(net: Any, x: NDArray) -> None:
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    with autograd.record():
        loss = (net(x) ** 2).sum()
    loss.backward()
    trainer.step(1)


CHANGES: dict[str, Callable[[Any, NDArray], None]] = {
    "set_data": lambda net, _: net[4].weight.set_data(nd.ones((5, 4))),
    "in place": lambda net, _: net[0].weight.data().__setitem__(slice(None), 0.1),
    "one element": lambda net, _: net[1].running_mean.data().__setitem__(0, 3),
    "initialized anew": lambda net, _: net.initialize("normal", force_reinit=True),
    "a step of training": step,
}


@engines
@pytest.mark.parametrize("how", CHANGES)
def test_parameters_that_change_are_seen_at_once(engine: str, how: str, x: NDArray) -> None:
    net = small()
    net.hybridize(backend=engine)
    agree(net, x)
    before = net(x).asnumpy()
    for _ in range(2):
        CHANGES[how](net, x)
        agree(net, x)
    assert np.abs(net(x).asnumpy() - before).max() > 1e-4


@engines
def test_loaded_and_cast_parameters_are_seen(engine: str, x: NDArray, tmp_path: Path) -> None:
    net, other = small(), small()
    other[4].bias.set_data(nd.ones(5))
    other.save_parameters(str(tmp_path / "other.params"))
    net.hybridize(backend=engine)
    agree(net, x)
    net.load_parameters(str(tmp_path / "other.params"))
    agree(net, x)
    net.cast("float16")
    half = net(x.astype("float16"))
    assert half.dtype == np.float16
    np.testing.assert_allclose(half.asnumpy(), eager(other, x).asnumpy(), rtol=0.01, atol=0.01)


@engines
def test_training_and_gradients_run_on_the_table(engine: str, x: NDArray) -> None:
    net, other = small(), small()
    for ours, theirs in zip(
        net.collect_params().values(), other.collect_params().values(), strict=True
    ):
        theirs.set_data(ours.data())
    net.hybridize(backend=engine)
    net(x)
    for _ in range(3):
        step(net, x)
        step(other, x)
        np.testing.assert_allclose(net(x).asnumpy(), other(x).asnumpy(), rtol=1e-4, atol=1e-5)
    x.attach_grad()
    with autograd.record(train_mode=False):
        y = net(x)
    y.backward()
    assert x.grad is not None
    assert np.abs(x.grad.asnumpy()).max() > 0


class Two(HybridBlock):
    """Takes two arrays, one of them twice, and gives three results, one of which is an input."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.layer = nn.Dense(4, flatten=False, in_units=3)

    def hybrid_forward(self, F: Any, a: Any, b: Any) -> Any:
        y = self.layer(a)
        return y + b, F.softmax(y, axis=-1), F.identity(b)


@engines
def test_several_inputs_and_outputs(engine: str, rng: np.random.Generator) -> None:
    net = Two()
    net.initialize()
    net.hybridize(backend=engine)
    for rows in (2, 5, 3):
        a, b = (nd.array(rng.standard_normal((rows, n))) for n in (3, 4))
        agree(net, a, b)
        out = net(a, b)[2]
        out[:] = 7  # a result is nobody else's memory
        assert (b.asnumpy() != 7).all()


class Unusual(HybridBlock):
    """Computes something that no engine has between layers."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        y = F.relu(F.exp(x) - 1)
        z = F.gamma(y + 1)
        return F.tanh(z) * y


@engines
def test_what_an_engine_has_not_stays_with_the_table(engine: str, x: NDArray) -> None:
    net = Unusual()
    net.hybridize(backend=engine)
    agree(net, x, atol=1e-4)
    assert parts(net) == [engine, "gamma", engine]
    (what,) = net.explain(x).left
    assert what.startswith("gamma '")
    assert f"{engine} has no operator that computes this" in str(net.explain(x))


@engines
def test_dtypes_that_an_engine_has_not_stay_with_the_table(engine: str, x: NDArray) -> None:
    net = nn.Dense(3, in_units=4, dtype="float64")
    net.initialize()
    net.hybridize(backend=engine)
    data = x.reshape((-1, 4)).astype("float64")
    np.testing.assert_allclose(net(data).asnumpy(), eager(net, data).asnumpy(), rtol=1e-12)
    left = list(net.explain(data).left.values())
    wanted = ["openvino: computes with float64 in another way"] if engine == "openvino" else []
    assert left == wanted


@engines
def test_random_numbers_are_drawn_by_the_table(engine: str, x: NDArray) -> None:
    class Noisy(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.tanh(F.Dropout(F.exp(x), mode="always"))

    net = Noisy()
    net.hybridize(backend=engine)
    net(x)
    assert parts(net) == [engine, "Dropout", engine]
    assert "would draw other random numbers" in str(net.explain(x))


@engines
def test_layers_of_sequences_run_by_an_engine(engine: str, rng: np.random.Generator) -> None:
    net = rnn.LSTM(4, num_layers=2, input_size=3, bidirectional=True)
    net.initialize()
    net.hybridize(backend=engine)
    for length in (5, 3, 7):
        agree(net, nd.array(rng.standard_normal((length, 2, 3))))
    assert engine in parts(net)


@engines
def test_graphs_on_small_integers(engine: str, x: NDArray) -> None:
    plain = small()
    plain(x)
    net = quantize_net(plain, quantized_dtype="int8", calib_mode="none", data_shapes=[x.shape])
    want = eager(net, x).asnumpy()
    net.hybridize(backend=engine)
    np.testing.assert_allclose(net(x).asnumpy(), want, rtol=1e-4, atol=1e-4)
    assert engine in parts(net)


@engines
def test_another_number_of_threads_is_followed(
    engine: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = device_of(cpu()).table
    if table.name != "numpy":
        pytest.skip("torch has its own number")
    counts: list[int] = []
    module = import_module(f"hy_onnx.engines.{engine}")
    asked = module.threads_of

    def noted(*args: Any) -> int:
        counts.append(asked(*args))
        return counts[-1]

    monkeypatch.setattr(module, "threads_of", noted)
    net, x = small(), nd.array(rng.standard_normal((1, 3, 6, 6)))
    wanted = eager(net, x).asnumpy()
    net.hybridize(backend=engine)
    before = num_threads()
    try:
        for count in (1, 1, 2):
            set_num_threads(count)
            np.testing.assert_allclose(net(x).asnumpy(), wanted, atol=1e-5)
    finally:
        set_num_threads(before)
    assert counts == [1, 2]


@engines
def test_several_threads_may_call(engine: str, rng: np.random.Generator) -> None:
    net = small()
    net.hybridize(backend=engine)
    inputs = [nd.array(rng.standard_normal((1 + k % 3, 3, 6, 6))) for k in range(6)]
    wanted = [eager(net, x).asnumpy() for x in inputs]
    failures: list[BaseException] = []

    def call(k: int) -> None:
        try:
            for _ in range(10):
                np.testing.assert_allclose(net(inputs[k]).asnumpy(), wanted[k], atol=1e-5)
        except BaseException as error:  # shown below
            failures.append(error)

    threads = [threading.Thread(target=call, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@engines
def test_several_contexts_have_values_of_their_own(engine: str, x: NDArray) -> None:
    net = small()
    net.reset_ctx([cpu(0), cpu(1)])
    net.hybridize(backend=engine)
    first, second = net(x), net(x.as_in_context(cpu(1)))
    assert second.context == cpu(1)
    np.testing.assert_allclose(second.asnumpy(), first.asnumpy(), rtol=1e-6)


# --- files ------------------------------------------------------------------------------------


@engines
def test_export_writes_the_graph_as_it_was(engine: str, x: NDArray, tmp_path: Path) -> None:
    net = small()
    net.hybridize()
    want = net(x)
    plain, params = net.export(str(tmp_path / "plain"))
    net.optimize_for(x, backend=engine)
    graph, _ = net.export(str(tmp_path / "net"))
    assert Path(graph).read_text("utf-8") == Path(plain).read_text("utf-8")
    again = SymbolBlock.imports(plain, "data", params, backend=engine)
    np.testing.assert_allclose(again(x).asnumpy(), want.asnumpy(), rtol=1e-5, atol=1e-6)
    assert parts(again) == [engine]
    again.params["net_dense0_bias"].data()[:] = 1
    agree(again, x)


# --- symbols ----------------------------------------------------------------------------------


def mlp() -> Symbol:
    hidden = sym.Activation(sym.FullyConnected(sym.var("data"), num_hidden=6, name="a"), "relu")
    return sym.SoftmaxOutput(sym.FullyConnected(hidden, num_hidden=3, name="b"), name="softmax")


@engines
def test_executors_of_an_optimized_symbol_follow_their_arrays(
    engine: str, rng: np.random.Generator
) -> None:
    net = mlp()
    shapes: Any = net.infer_shape(data=(2, 5))[0]
    arrays = {
        name: nd.array(rng.standard_normal(shape))
        for name, shape in zip(net.list_arguments(), shapes, strict=True)
    }
    params = {name: x for name, x in arrays.items() if name not in ("data", "softmax_label")}
    made = net.optimize_for(engine, params)
    ours, theirs = made.bind(cpu(), arrays), net.bind(cpu(), arrays)
    for k in range(4):
        data = rng.standard_normal((2, 5))
        found = ours.forward(data=nd.array(data))[0].asnumpy()
        wanted = theirs.forward(data=nd.array(data))[0].asnumpy()
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
        if k == 1:
            arrays["a_weight"][:] = 0.3
    bound = made.simple_bind(cpu(), data=(4, 5))
    bound.copy_params_from(params)
    assert bound.forward(data=nd.ones((4, 5)))[0].shape == (4, 3)


@engines
def test_a_module_trains_on_the_table_and_predicts_by_an_engine(
    engine: str, rng: np.random.Generator
) -> None:
    mx = pytest.importorskip("mxnet")
    data = rng.standard_normal((8, 5)).astype("float32")
    batches = mx.io.NDArrayIter(data, (data[:, 0] > 0).astype("float32"), 4)
    plain = mx.mod.Module(mlp())
    plain.fit(batches, num_epoch=1)
    arguments, states = plain.get_params()
    made = mlp().optimize_for(engine, arguments, states)
    module = mx.mod.Module(made)
    module.bind(batches.provide_data, batches.provide_label)
    module.set_params(arguments, states)
    module.init_optimizer()
    for _ in range(2):
        wanted = plain.predict(batches).asnumpy()
        np.testing.assert_allclose(module.predict(batches).asnumpy(), wanted, atol=1e-5)
        batches.reset()
        for batch in batches:
            module.forward_backward(batch)
            module.update()
        plain.set_params(*module.get_params())


@engines
def test_what_is_fixed_for_one_symbol_may_be_an_input_of_another(engine: str) -> None:
    net = sym.FullyConnected(sym.var("data"), num_hidden=2, no_bias=True, name="a")
    made = net.optimize_for(engine)
    for value in (1, 2, 3):
        found = made.eval(data=nd.ones((1, 3)), a_weight=nd.full((2, 3), value))[0]
        np.testing.assert_array_equal(found.asnumpy(), [[3 * value] * 2])


# --- options ----------------------------------------------------------------------------------


@engines
def test_options_are_checked_at_once(engine: str) -> None:
    net = small()
    with pytest.raises(ArgumentError, match=f"{engine}: unknown option 'speed'; known are "):
        net.hybridize(backend=engine, speed=3)
    with pytest.raises(ArgumentError, match=f"{engine}: threads=0 must be an integer above 0"):
        net.hybridize(backend=engine, threads=0)


@with_onnxruntime
def test_a_provider_that_is_not_there_is_named_with_the_remedy() -> None:
    net = small()
    with pytest.raises(
        ArgumentError, match="provider='npu' is not one of 'cpu', 'cuda', 'tensorrt'"
    ):
        net.hybridize(backend="onnxruntime", provider="npu")
    runtime: Any = pytest.importorskip("onnxruntime")
    if "CUDAExecutionProvider" not in runtime.get_available_providers():
        with pytest.raises(BackendError, match=r"provider='cuda' needs CUDA.*onnxruntime-gpu"):
            net.hybridize(backend="onnxruntime", provider="cuda")


@pytest.mark.skipif("openvino" not in ENGINES, reason="OpenVINO is not installed")
def test_openvino_takes_a_precision(x: NDArray) -> None:
    net = small()
    with pytest.raises(ArgumentError, match="precision='int4' is not one of 'float32', 'float16'"):
        net.hybridize(backend="openvino", precision="int4")
    net.hybridize(backend="openvino", precision="bfloat16", threads=1)
    agree(net, x, atol=0.05)


@pytest.mark.parametrize("engine", ["onnxruntime", "openvino"])
def test_an_engine_that_is_not_installed_says_how_to_install_it(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, engine, None)
    monkeypatch.setattr(registry, "_registered", {})
    with pytest.raises(BackendError, match=rf"'{engine}' .*pip install 'hy-onnx\[{engine}\]'"):
        small().hybridize(backend=engine)


# --- nets -------------------------------------------------------------------------------------


@engines
@pytest.mark.slow
@pytest.mark.parametrize("name", ["resnet18_v1", "mobilenet0.25", "mobilenetv2_0.25"])
def test_nets_of_the_zoo_are_one_region(engine: str, name: str, rng: np.random.Generator) -> None:
    net = model_zoo.vision.get_model(name)
    net.initialize()
    x = nd.array(rng.standard_normal((2, 3, 64, 64)))
    net.hybridize(backend=engine)
    largest = float(np.abs(eager(net, x).asnumpy()).max())
    agree(net, x, atol=1e-5 * max(1.0, largest))
    assert parts(net) == [engine]


def test_regions_are_released_with_their_graph() -> None:
    if not ENGINES:
        pytest.skip("no engine is installed")
    made = sym.exp(sym.var("x")).optimize_for(ENGINES[0])
    made.eval(x=nd.ones(2))
    node = made.graph.outputs[0][0]
    assert RunningRegion.of(node, cpu_device()) is RunningRegion.of(node, cpu_device())
    assert find_runner(ENGINES[0]).takes(node.bodies[0].outputs[0][0])


def cpu_device() -> Any:
    return nd.ones(1).device
