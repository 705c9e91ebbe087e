"""The tutorial of the Symbol API, statement by statement, in its order.

What the page prints is compared with what is printed here; drawings are compared with those that
MXNet 1.9.1 makes (``data/*.gv``). Times are measured, as on the page, and not judged.
"""

import pickle
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd, sym
from mxnet.gluon import nn
from tests.seeds.lenet import fresh_names
from tests.symbol.nets import resnet18

DATA = Path(__file__).parent / "data"
OVAL = {"shape": "oval", "fixedsize": "false"}


@pytest.fixture(autouse=True)
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder and a count of names of its own, as in a fresh notebook."""
    monkeypatch.chdir(tmp_path)
    with fresh_names():
        yield


def drawing(name: str) -> str:
    return (DATA / f"{name}.gv").read_text()


# --- Symbol and NDArray ---------------------------------------------------------------------------


def get_net() -> Any:
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    net.initialize()
    return net


def benchmark(net: Any, x: Any) -> float:
    start = time.time()
    for _ in range(1000):
        _ = net(x)
    nd.waitall()
    return time.time() - start


def test_hybridize_export_and_a_symbol_of_a_block(capsys: pytest.CaptureFixture[str]) -> None:
    x = nd.random.normal(shape=(1, 512))
    net = get_net()
    print(f"before hybridizing: {benchmark(net, x):.4f} sec")  # noqa: T201  # as the page
    eager = net(x).asnumpy()
    net.hybridize()
    print(f"after hybridizing: {benchmark(net, x):.4f} sec")  # noqa: T201
    before, after = capsys.readouterr().out.splitlines()
    assert before.startswith("before hybridizing: ")
    assert after.startswith("after hybridizing: ")
    np.testing.assert_allclose(net(x).asnumpy(), eager, rtol=1e-5, atol=1e-6)

    net.export("my_mlp")
    assert sorted(p.name for p in Path().iterdir()) == ["my_mlp-0000.params", "my_mlp-symbol.json"]

    data = sym.var("data")
    assert repr(net(data)) == "<Symbol dense2_fwd>"
    assert repr(get_net()(data)) == "<Symbol dense5_fwd>"  # the page made its net twice


# --- Basic Symbol Composition ---------------------------------------------------------------------


def test_basic_operators() -> None:
    a = mx.sym.Variable("a")
    b = mx.sym.Variable("b")
    c = a + b
    assert repr((a, b, c)) == "(<Symbol a>, <Symbol b>, <Symbol _plus0>)"
    d = a * b
    e = mx.sym.dot(a, b)
    f = mx.sym.reshape(d + e, shape=(1, 4))
    g = mx.sym.broadcast_to(f, shape=(2, 4))
    picture = mx.viz.plot_network(symbol=g, node_attrs={"shape": "oval", "fixedsize": "false"})
    assert picture.source == drawing("basic")
    assert "_plus0" not in picture.source  # c is not needed for g, so it is not in the graph


def test_basic_neural_networks() -> None:
    net = mx.sym.Variable("data")
    net = mx.sym.FullyConnected(data=net, name="fc1", num_hidden=128)
    net = mx.sym.Activation(data=net, name="relu1", act_type="relu")
    net = mx.sym.FullyConnected(data=net, name="fc2", num_hidden=10)
    net = mx.sym.SoftmaxOutput(data=net, name="out")
    picture = mx.viz.plot_network(net, shape={"data": (100, 200)}, node_attrs=OVAL)
    assert picture.source == drawing("mlp")
    names = ["data", "fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias", "out_label"]
    assert net.list_arguments() == names

    net = mx.symbol.Variable("data")
    w = mx.symbol.Variable("myweight")
    net = mx.symbol.FullyConnected(data=net, weight=w, name="fc1", num_hidden=128)
    assert net.list_arguments() == ["data", "myweight", "fc1_bias"]


def test_more_complicated_composition() -> None:
    lhs = mx.symbol.Variable("data1")
    rhs = mx.symbol.Variable("data2")
    net = mx.symbol.FullyConnected(data=lhs + rhs, name="fc1", num_hidden=128)
    assert net.list_arguments() == ["data1", "data2", "fc1_weight", "fc1_bias"]

    data = mx.symbol.Variable("data")
    net1 = mx.symbol.FullyConnected(data=data, name="fc1", num_hidden=10)
    assert net1.list_arguments() == ["data", "fc1_weight", "fc1_bias"]
    net2 = mx.symbol.Variable("data2")
    net2 = mx.symbol.FullyConnected(data=net2, name="fc2", num_hidden=10)
    composed = net2(data2=net1, name="composed")
    names = ["data", "fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias"]
    assert composed.list_arguments() == names

    data = mx.sym.Variable("data")
    net = data
    n_layer = 2
    for i in range(n_layer):
        with mx.name.Prefix(f"layer{i + 1}_"):
            net = mx.sym.FullyConnected(data=net, name="fc", num_hidden=100)
    assert net.list_arguments() == [
        "data",
        "layer1_fc_weight",
        "layer1_fc_bias",
        "layer2_fc_weight",
        "layer2_fc_bias",
    ]


# --- Modularized Construction for Deep Networks ---------------------------------------------------


def ConvFactory(  # noqa: N802  # the page's function
    data: Any,
    num_filter: int,
    kernel: tuple[int, int],
    stride: tuple[int, int] = (1, 1),
    pad: tuple[int, int] = (0, 0),
    name: str | None = None,
    suffix: str = "",
) -> Any:
    conv = mx.sym.Convolution(
        data=data,
        num_filter=num_filter,
        kernel=kernel,
        stride=stride,
        pad=pad,
        name=f"conv_{name}{suffix}",
    )
    bn = mx.sym.BatchNorm(data=conv, name=f"bn_{name}{suffix}")
    return mx.sym.Activation(data=bn, act_type="relu", name=f"relu_{name}{suffix}")


def InceptionFactoryA(  # noqa: N802
    data: Any,
    num_1x1: int,
    num_3x3red: int,
    num_3x3: int,
    num_d3x3red: int,
    num_d3x3: int,
    pool: str,
    proj: int,
    name: str,
) -> Any:
    # 1x1
    c1x1 = ConvFactory(data=data, num_filter=num_1x1, kernel=(1, 1), name=f"{name}_1x1")
    # 3x3 reduce + 3x3
    c3x3r = ConvFactory(
        data=data, num_filter=num_3x3red, kernel=(1, 1), name=f"{name}_3x3", suffix="_reduce"
    )
    c3x3 = ConvFactory(
        data=c3x3r, num_filter=num_3x3, kernel=(3, 3), pad=(1, 1), name=f"{name}_3x3"
    )
    # double 3x3 reduce + double 3x3
    double = f"{name}_double_3x3"
    cd3x3r = ConvFactory(
        data=data, num_filter=num_d3x3red, kernel=(1, 1), name=double, suffix="_reduce"
    )
    cd3x3 = ConvFactory(
        data=cd3x3r, num_filter=num_d3x3, kernel=(3, 3), pad=(1, 1), name=f"{double}_0"
    )
    cd3x3 = ConvFactory(
        data=cd3x3, num_filter=num_d3x3, kernel=(3, 3), pad=(1, 1), name=f"{double}_1"
    )
    # pool + proj
    pooling = mx.sym.Pooling(
        data=data,
        kernel=(3, 3),
        stride=(1, 1),
        pad=(1, 1),
        pool_type=pool,  # type: ignore[arg-type]  # the page has a plain string
        name=f"{pool}_pool_{name}_pool",
    )
    cproj = ConvFactory(data=pooling, num_filter=proj, kernel=(1, 1), name=f"{name}_proj")
    # concat
    return mx.sym.Concat(*[c1x1, c3x3, cd3x3, cproj], name=f"ch_concat_{name}_chconcat")


def test_modularized_construction() -> None:
    prev = mx.sym.Variable(name="Previous Output")
    conv_comp = ConvFactory(data=prev, num_filter=64, kernel=(7, 7), stride=(2, 2))
    shape = {"Previous Output": (128, 3, 28, 28)}
    picture = mx.viz.plot_network(symbol=conv_comp, shape=shape, node_attrs=OVAL)
    assert picture.source == drawing("conv_comp")

    prev = mx.sym.Variable(name="Previous Output")
    in3a = InceptionFactoryA(prev, 64, 64, 64, 64, 96, "avg", 32, name="in3a")
    picture = mx.viz.plot_network(symbol=in3a, shape=shape, node_attrs=OVAL)
    assert picture.source == drawing("in3a")


def test_group_multiple_symbols() -> None:
    net = mx.sym.Variable("data")
    fc1 = mx.sym.FullyConnected(data=net, name="fc1", num_hidden=128)
    net = mx.sym.Activation(data=fc1, name="relu1", act_type="relu")
    out1 = mx.sym.SoftmaxOutput(data=net, name="softmax")
    out2 = mx.sym.LinearRegressionOutput(data=net, name="regression")
    group = mx.sym.Group([out1, out2])
    assert group.list_outputs() == ["softmax_output", "regression_output"]


# --- Symbol Manipulation --------------------------------------------------------------------------


@pytest.fixture
def c() -> Any:
    return mx.sym.Variable("a") + mx.sym.Variable("b")


def test_shape_and_type_inference(c: Any) -> None:
    arg_name = c.list_arguments()  # get the names of the inputs
    out_name = c.list_outputs()  # get the names of the outputs
    # infers output shape given the shape of input arguments
    arg_shape, out_shape, _ = c.infer_shape(a=(2, 3), b=(2, 3))
    # infers output type given the type of input arguments
    arg_type, out_type, _ = c.infer_type(a="float32", b="float32")
    assert {
        "input": dict(zip(arg_name, arg_shape, strict=True)),
        "output": dict(zip(out_name, out_shape, strict=True)),
    } == {"input": {"a": (2, 3), "b": (2, 3)}, "output": {"_plus0_output": (2, 3)}}
    assert {
        "input": dict(zip(arg_name, arg_type, strict=True)),
        "output": dict(zip(out_name, out_type, strict=True)),
    } == {"input": {"a": np.float32, "b": np.float32}, "output": {"_plus0_output": np.float32}}


def test_bind_with_data_and_evaluate(c: Any) -> None:
    ex = c.bind(ctx=mx.cpu(), args={"a": mx.nd.ones([2, 3]), "b": mx.nd.ones([2, 3])})
    ex.forward()
    printed = (
        f"number of outputs = {len(ex.outputs)}\nthe first output = \n{ex.outputs[0].asnumpy()}"
    )
    assert printed == ("number of outputs = 1\nthe first output = \n[[2. 2. 2.]\n [2. 2. 2.]]")

    gpu_device = mx.gpu() if mx.num_gpus() else mx.cpu()  # as the page says, in absence of GPUs
    ex_gpu = c.bind(
        ctx=gpu_device,
        args={"a": mx.nd.ones([3, 4], gpu_device) * 2, "b": mx.nd.ones([3, 4], gpu_device) * 3},
    )
    ex_gpu.forward()
    assert ex_gpu.outputs[0].asnumpy().tolist() == [[5.0] * 4] * 3

    ex = c.eval(ctx=mx.cpu(), a=mx.nd.ones([2, 3]), b=mx.nd.ones([2, 3]))
    assert (len(ex), ex[0].asnumpy().tolist()) == (1, [[2.0] * 3] * 2)


JSON = """{
  "nodes": [
    {
      "op": "null", 
      "name": "a", 
      "inputs": []
    }, 
    {
      "op": "null", 
      "name": "b", 
      "inputs": []
    }, 
    {
      "op": "elemwise_add", 
      "name": "_plus0", 
      "inputs": [[0, 0, 0], [1, 0, 0]]
    }
  ], 
  "arg_nodes": [0, 1], 
  "node_row_ptr": [0, 1, 2, 3], 
  "heads": [[2, 0, 0]], 
  "attrs": {"mxnet_version": ["int", 10901]}
}"""  # noqa: W291  # MXNet writes the blanks


def test_load_and_save(c: Any) -> None:
    assert c.tojson() == JSON
    c.save("symbol-c.json")
    c2 = mx.sym.load("symbol-c.json")
    assert c.tojson() == c2.tojson()
    assert pickle.loads(pickle.dumps(c)).tojson() == c.tojson()  # noqa: S301  # as the page proposes


# --- Advanced Usages ------------------------------------------------------------------------------


def test_type_cast() -> None:
    a = mx.sym.Variable("data")
    b = mx.sym.cast(data=a, dtype="float16")
    arg, out, _ = b.infer_type(data="float32")
    assert {"input": arg, "output": out} == {"input": [np.float32], "output": [np.float16]}
    c = mx.sym.cast(data=a, dtype="uint8")
    arg, out, _ = c.infer_type(data="int32")
    assert {"input": arg, "output": out} == {"input": [np.int32], "output": [np.uint8]}


def test_variable_sharing() -> None:
    a = mx.sym.Variable("a")
    b = mx.sym.Variable("b")
    b = a + a * a
    data = mx.nd.ones((2, 3)) * 2
    ex = b.bind(ctx=mx.cpu(), args={"a": data, "b": data})
    ex.forward()
    assert ex.outputs[0].asnumpy().tolist() == [[6.0] * 3] * 2


# --- Symbol visualization -------------------------------------------------------------------------


def test_a_drawing_and_the_table_of_resnet18(capsys: pytest.CaptureFixture[str]) -> None:
    net = get_net()(mx.sym.Variable("data"))
    picture = mx.viz.plot_network(net, shape={"data": (1, 1, 32, 32)})
    picture.save("plot.gv")  # view() would run the program dot and open what it makes
    assert 'dense0_fwd -> data [label="1x32x32" arrowtail=open dir=back]' in Path(
        "plot.gv"
    ).read_text(encoding="utf-8")

    trained = resnet18(mx.sym)
    save_resnet(trained)
    symbol, arg_params, aux_params = mx.model.load_checkpoint("resnet-18", 0)
    assert set(symbol.list_arguments()) == {*arg_params, "data", "softmax_label"}
    assert set(symbol.list_auxiliary_states()) == set(aux_params)
    capsys.readouterr()
    mx.viz.print_summary(symbol)
    assert capsys.readouterr().out.splitlines()[-2] == "Total params: 1000"  # sizes are unknown
    mx.viz.print_summary(symbol, shape={"data": (1, 3, 224, 224)})
    table = (DATA.parents[1] / "symbol" / "data" / "resnet18_summary.txt").read_text()
    out = capsys.readouterr().out
    assert out == table
    assert out.splitlines()[-2] == "Total params: 11691950"


def save_resnet(symbol: Any) -> None:
    """The checkpoint that the page has downloaded, with parameters that were not trained."""
    arg_shapes, _, aux_shapes = symbol.infer_shape(data=(1, 3, 224, 224))
    args = dict(zip(symbol.list_arguments(), arg_shapes, strict=True))
    aux = dict(zip(symbol.list_auxiliary_states(), aux_shapes, strict=True))
    inputs = {"data", "softmax_label"}
    mx.model.save_checkpoint(
        "resnet-18",
        0,
        symbol,
        {name: mx.nd.zeros(shape) for name, shape in args.items() if name not in inputs},
        {name: mx.nd.zeros(shape) for name, shape in aux.items()},
    )


def test_the_table_of_a_block(capsys: pytest.CaptureFixture[str]) -> None:
    net = get_net()
    mx.viz.print_summary(
        net(mx.sym.var("data")),
        shape={"data": (1, 3, 224, 224)},  # set your shape here
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2] == f"Total params: {256 * (3 * 224 * 224 + 1) + 128 * 257 + 2 * 129}"
    assert lines[1].split() == [
        "Layer",
        "(type)",
        "Output",
        "Shape",
        "Param",
        "#",
        "Previous",
        "Layer",
    ]
