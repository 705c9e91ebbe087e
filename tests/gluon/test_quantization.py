"""Models on small integers: MXNet's graphs, files and ranges, and what becomes of the numbers.

``data/quantized/`` was written by MXNet 1.9.1 without its backend of fused operators: a model on
floats, what ``quantize_model`` makes of it by two ways to calibrate, and in ``arrays.params`` the
examples for that, an input, and the output of each of the three. ``zoo.json`` counts the operators
of quantized models of the zoo, and has the SHA-256 of their nodes.
"""

import hashlib
import json
import logging
import sys
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, SymbolBlock, load, nn
from hy_gluon.batches import DataBatch, DataIter
from hy_gluon.data import ArrayDataset, DataLoader
from hy_gluon.model_zoo import vision
from hy_gluon.quantization import (
    CalibrationCollector,
    HistogramCollector,
    MinMaxCollector,
    QuantizationError,
    calib_graph,
    quantize_graph,
    quantize_model,
    quantize_model_mkldnn,
    quantize_net,
    quantize_net_v2,
)
from hy_gluon.verification import verify
from hy_ndarray import ArgumentError, NDArray, cpu, nd, random
from hy_symbol import NameManager, Symbol, load as load_symbol, sym

DATA = Path(__file__).parent / "data" / "quantized"
ARRAYS: Any = load(str(DATA / "arrays.params"))
ZOO: dict[str, Any] = json.loads((DATA / "zoo.json").read_text(encoding="utf-8"))


def model_of(name: str) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """A symbol of MXNet's with its arguments and states."""
    arrays: Any = load(str(DATA / f"{name}-0000.params"))
    parts: dict[str, dict[str, NDArray]] = {"arg": {}, "aux": {}}
    for key, array in arrays.items():
        kind, _, own = key.partition(":")
        parts[kind][own] = array
    return load_symbol(str(DATA / f"{name}-symbol.json")), parts["arg"], parts["aux"]


def ranges_of(symbol: Symbol) -> dict[str, tuple[float, float]]:
    return {
        node.name: (node.params["min_calib_range"], node.params["max_calib_range"])
        for node in symbol.graph.nodes
        if node.op and node.op.traits.ranged and node.params["min_calib_range"] is not None
    }


def operators(symbol: Symbol) -> list[str]:
    return [node.op.name for node in symbol.graph.nodes if node.op]


def symbol_of(block: HybridBlock) -> Symbol:
    net: Symbol = block(sym.var("data"))
    return net


# --- what MXNet wrote -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["naive", "entropy"])
def test_a_file_of_mxnet_gives_mxnets_numbers(name: str) -> None:
    files = str(DATA / f"{name}-symbol.json"), ["data"], str(DATA / f"{name}-0000.params")
    found = SymbolBlock.imports(*files)(ARRAYS["data"]).asnumpy()
    np.testing.assert_allclose(found, ARRAYS[name].asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("name", ["naive", pytest.param("entropy", marks=pytest.mark.slow)])
def test_a_model_becomes_what_mxnet_makes_of_it(name: str) -> None:
    wanted, arguments, states = model_of(name)
    examples = [ARRAYS["examples"][:3], ARRAYS["examples"][3:]]
    options: dict[str, Any] = {"calib_mode": name, "calib_data": examples, "quantize_mode": "full"}
    made, own, auxiliary = quantize_model(*model_of("float"), **options)
    names = [[(n.name, n.op and n.op.name) for n in s.graph.nodes] for s in (made, wanted)]
    assert names[0] == names[1]
    found, expected = ranges_of(made), ranges_of(wanted)
    assert list(found) == list(expected)
    for key in expected:  # thresholds that are as good as each other are told apart by rounding
        np.testing.assert_allclose(found[key], expected[key], rtol=0.01)
    assert sorted(own) == sorted(arguments)
    for key, array in {**arguments, **states}.items():
        assert ({**own, **auxiliary}[key].asnumpy() == array.asnumpy()).all()


@pytest.mark.parametrize("name", ZOO)
@pytest.mark.parametrize("mode", ["full", "smart"])
def test_models_of_the_zoo_have_mxnets_nodes(name: str, mode: Any) -> None:
    with NameManager():
        net = symbol_of(vision.get_model(name))
    params = {key: nd.zeros((1,)) for key in net.list_arguments() if key != "data"}
    made = quantize_model(net, params, {}, calib_mode="none", quantize_mode=mode)[0]
    nodes = [
        [
            node["op"],
            node["name"],
            node.get("attrs", {}) if node["op"] != "null" else {},
            [entry[:2] for entry in node["inputs"]],
        ]
        for node in json.loads(made.tojson())["nodes"]
    ]
    assert dict(Counter(node[0] for node in nodes)) == ZOO[name]["operators"]
    text = json.dumps(nodes, sort_keys=True)
    assert hashlib.sha256(text.encode()).hexdigest() == ZOO[name]["nodes"]


# --- collectors -------------------------------------------------------------------------------


def two_batches() -> tuple[Any, Any]:
    """Numbers that are the same everywhere, most of them near zero, the second ones greater."""
    k = np.arange(1, 3001)
    first = (k * 7919 % 2003 + k * 104729 % 1999 + k * 1299709 % 1997 - 3000) / 4096
    return first, first**3 * 4


@pytest.mark.parametrize(
    ("positive", "dtype", "expected"),  # what MXNet gives
    [
        (False, "int8", (-0.7162296, 0.7162296)),
        (False, "uint8", (-0.7162296, 0.7162296)),
        (True, "int8", (-1.0896667, 1.0896667)),
        (True, "uint8", (0, 1.3505025)),
        (True, "auto", (0, 1.3505025)),
    ],
)
def test_thresholds_are_mxnets(positive: bool, dtype: str, expected: Any) -> None:
    collector = HistogramCollector(num_bins=1001)
    for numbers in two_batches():
        collector.collect("x", nd.array(np.abs(numbers) if positive else numbers))
    np.testing.assert_allclose(collector.ranges(dtype)["x"], expected, rtol=0.01)


def test_zeros_have_no_threshold_until_there_are_others() -> None:
    collector = HistogramCollector(num_bins=1001)
    collector.collect("x", nd.zeros((4,)))
    assert collector.ranges("int8") == {"x": (0, 0)}
    collector.collect("x", nd.array([-2, 1]))
    assert collector.hist_dict["x"][0].sum() == 6
    assert collector.ranges("int8")["x"][1] > 0


def test_a_collector_looks_at_the_tensors_it_is_told_to() -> None:
    for kind in (MinMaxCollector, HistogramCollector):
        collector = kind(["x"])
        for name in ("x", "y"):
            collector.collect(name, nd.array([1, 2]))
        assert list(collector.ranges("int8")) == ["x"]


def test_an_executors_monitor_calibrates_a_graph() -> None:
    net, arguments, states = model_of("float")
    made, _, _, collector = quantize_graph(net, arguments, states, calib_mode="naive")
    bound = net.bind(cpu(), {**arguments, "data": ARRAYS["examples"]}, aux_states=states)
    bound.set_monitor_callback(collector.collect)
    bound.forward()
    collector.collect("data", ARRAYS["examples"])
    calibrated, own, _ = calib_graph(made, arguments, states, collector, "naive", logger=None)
    expected = ranges_of(model_of("naive")[0])
    for name, found in ranges_of(calibrated).items():
        np.testing.assert_allclose(found, expected.pop(name), rtol=1e-5)
    assert not expected
    assert "fc1_weight_quantize" in own


def test_a_blocks_hook_calibrates_too() -> None:
    net = dense_net()
    collector = MinMaxCollector()
    net.register_op_hook(collector.collect)
    net(X)
    assert "net_dense0_fwd_output" in collector.ranges("int8")


# --- blocks -----------------------------------------------------------------------------------

X = nd.array(np.random.default_rng(0).normal(size=(4, 3, 8, 8)))


def image_net() -> HybridBlock:
    random.seed(0)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(6, 3), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D())
        net.add(nn.Flatten(), nn.Dense(8, activation="relu"), nn.Dense(4))
    net.initialize()
    for param in net.collect_params(".*(running_mean|beta|gamma|running_var)").values():
        param.set_data(nd.random.uniform(0.5, 1.5, shape=(6,)))
    net.hybridize()
    return net


def dense_net() -> HybridBlock:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(5, activation="tanh"), nn.Dense(3))
    net.initialize()
    net.hybridize()
    return net


def error_of(block: HybridBlock, net: HybridBlock, x: NDArray) -> float:
    """The largest error in parts of the largest result."""
    expected = net(x).asnumpy()
    return float(np.abs(block(x).asnumpy() - expected).max() / np.abs(expected).max())


@pytest.mark.parametrize("mode", ["none", "naive"])
@pytest.mark.parametrize("dtype", ["int8", "auto"])
@pytest.mark.parametrize("granularity", ["tensor-wise", "channel-wise"])
def test_a_block_computes_nearly_the_same(mode: str, dtype: str, granularity: str) -> None:
    net = image_net()
    made = quantize_net_v2(net, dtype, "full", granularity, calib_data=[X], calib_mode=mode)
    assert error_of(made, net, X) < 0.04
    kinds = operators(symbol_of(made))
    assert kinds.count("_contrib_quantized_conv") == 1
    assert "BatchNorm" not in kinds
    assert "_contrib_quantized_batch_norm" not in kinds


def test_ranges_of_filters_keep_small_filters_apart() -> None:
    net: Any = dense_net()
    x = nd.array(np.random.default_rng(1).normal(size=(50, 12)))
    net(x)
    weight = net[1].weight
    weight.set_data(weight.data() * nd.array([[1], [1e-3], [1]]))
    errors = {}
    for granularity in ("tensor-wise", "channel-wise"):
        made = quantize_net_v2(net, "int8", quantize_granularity=granularity)
        errors[granularity] = np.abs(
            made.params["net_dense1_weight_quantize"].data().asnumpy()
        ).max(axis=1)
    assert errors["tensor-wise"][1] <= 1
    assert (errors["channel-wise"] == 127).all()


def test_excluded_layers_stay_on_floats() -> None:
    net = image_net()
    net(X)
    options: list[dict[str, Any]] = [
        {"exclude_layers": ["net_conv0_fwd"]},
        {"exclude_layers_match": ["conv"]},
        {"exclude_operators": ["Convolution"]},
    ]
    for excluded in options:
        kinds = operators(symbol_of(quantize_net(net, **excluded)))
        assert "Convolution" in kinds
        assert kinds.count("_contrib_quantized_fully_connected") == 2


def test_quantized_blocks_are_the_same_after_files(tmp_path: Path) -> None:
    made = quantize_net(image_net(), calib_data=[X], calib_mode="naive")
    expected = made(X).asnumpy()
    files: Any = made.export(str(tmp_path / "net"))
    arrays: Any = load(files[1])
    assert arrays["arg:net_dense0_weight_quantize"].dtype == np.int8
    again = SymbolBlock.imports(files[0], ["data"], files[1])
    assert (again(X).asnumpy() == expected).all()


@pytest.mark.parametrize("granularity", ["tensor-wise", "channel-wise"])
def test_quantized_blocks_give_the_same_in_every_way_to_run(granularity: str) -> None:
    made = quantize_net_v2(image_net(), quantize_granularity=granularity, calib_data=[X])
    assert set(verify(made, X, gradients=False)) == {"hybrid", "static", "reimported"}


def test_a_quantized_block_shares_no_arrays() -> None:
    net = image_net()
    made = quantize_net(net, calib_data=[X], calib_mode="naive", quantize_mode="smart")
    before = made(X).asnumpy()
    for param in net.collect_params().values():
        param.set_data(nd.zeros(param.shape))
    assert (made(X).asnumpy() == before).all()


def test_examples_come_from_whatever_gives_batches() -> None:
    class Iter(DataIter):
        provide_data = ()

        def __init__(self) -> None:
            super().__init__(2)
            self.at = 99

        def reset(self) -> None:
            self.at = 0

        def next(self) -> DataBatch:
            self.at += 2
            if self.at > 4:
                raise StopIteration
            return DataBatch([X[self.at - 2 : self.at]], [nd.zeros((2,))])

    def batches() -> Iterator[Any]:
        yield X[:2]
        yield (X[2:], "a label")

    net = image_net()
    net(X)
    loader = DataLoader(ArrayDataset(X, nd.zeros((4,))), batch_size=2)
    found = []
    for data in (Iter(), loader, batches()):
        made = quantize_net(net, calib_data=data, calib_mode="naive")
        found.append(ranges_of(symbol_of(made)))
    assert found[0] == found[1] == found[2]


def test_calibration_stops_after_enough_examples(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("calibration")
    caplog.set_level(logging.INFO, logger.name)
    options: dict[str, Any] = {"num_calib_examples": 3, "logger": logger}
    quantize_net(image_net(), calib_data=[X[:2], X[2:], X], calib_mode="naive", **options)
    shown = [record.message for record in caplog.records if "batch" in record.message]
    assert [text for text in shown if "statistics" in text] == [
        "batch 1: statistics of 2 of 3 examples",
        "batch 2: statistics of 4 of 3 examples",
    ]
    assert "net_dense0_fwd is quantized" in [record.message for record in caplog.records]


def test_a_terminal_shows_the_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    for stream, expected in ((Terminal(), True), (StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        options: dict[str, Any] = {"calib_data": [X, X], "num_calib_examples": 8}
        quantize_net(image_net(), calib_mode="naive", **options)
        assert ("calibration" in stream.getvalue()) == expected


def test_calibration_needs_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    made = quantize_net(image_net(), calib_data=[X], calib_mode="naive")
    assert "data_quantize" in ranges_of(symbol_of(made))


def test_a_name_that_excludes_nothing_is_told(caplog: pytest.LogCaptureFixture) -> None:
    quantize_net(
        image_net(), data_shapes=[X.shape], exclude_layers=["conv9"], logger=logging.getLogger()
    )
    assert "'conv9' is excluded from quantization, but not in the graph" in caplog.text


def test_a_collector_of_the_programs_own_says_the_ranges() -> None:
    class Widest:
        def __init__(self) -> None:
            self.include_layer: Any = None
            self.min_max_dict: dict[str, Any] = {}

        def collect(self, name: str, array: NDArray) -> None:
            self.min_max_dict[name] = (-100, np.array([abs(array).max().asscalar() + 99]))

    own = Widest()
    made = quantize_net_v2(
        image_net(), calib_data=[X], calib_mode="customize", LayerOutputCollector=own
    )
    assert own.include_layer == list(own.min_max_dict)
    assert {low for low, _ in ranges_of(symbol_of(made)).values()} == {-100}


def test_normalization_is_part_of_the_layers_of_a_model() -> None:
    net = image_net()
    net(X)
    graph, values = net._hy_to_export()
    states = {name: values.pop(name) for name in graph.list_auxiliary_states()}
    made, arguments, auxiliary = quantize_model_mkldnn(
        graph, values, states, calib_mode="naive", calib_data=[X]
    )
    assert not auxiliary
    inputs: dict[str, Any] = {"data": X, **arguments}
    found = made.eval(**inputs)[0].asnumpy()
    expected = net(X).asnumpy()
    np.testing.assert_allclose(found, expected, atol=0.04 * np.abs(expected).max())


# --- mistakes ---------------------------------------------------------------------------------

WIDE = nd.ones((2, 4, 6, 6))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"calib_mode": "best"}, "calib_mode='best' must be one of 'none', 'naive', 'entropy'"),
        ({"quantized_dtype": "int4"}, "quantized_dtype='int4' must be one of"),
        ({"quantize_mode": "half"}, "quantize_mode='half' must be one of"),
        ({"quantize_granularity": "fine"}, "quantize_granularity='fine' must be one of"),
        ({"excluded_sym_names": "fc1"}, "excluded_sym_names='fc1' must be a list of names"),
        ({"excluded_op_names": "relu"}, "excluded_op_names='relu' must be a list of names"),
        ({}, "calib_data must be given for calib_mode='entropy'"),
        ({"calib_mode": "customize"}, "quantize_graph and quantize_net_v2"),
        ({"calib_data": 3}, "calib_data is int: it must be a DataIter"),
        ({"calib_data": nd.zeros((2, 4, 6, 6))}, "calib_data is NDArray"),
        ({"calib_data": []}, "calib_data has no batches"),
        ({"calib_data": [["a"]]}, "must begin with 1 NDArrays, got str"),
        ({"calib_data": [WIDE], "num_calib_examples": 0}, "num_calib_examples=0 must be 1 or more"),
        ({"calib_data": [WIDE], "data_names": ["x"]}, "x is not an input; inputs are data"),
        ({"calib_data": [WIDE * np.nan]}, "has numbers from nan to nan, which give"),
        ({"calib_data": [WIDE * np.nan], "calib_mode": "naive"}, "has numbers from nan to nan"),
    ],
)
def test_what_cannot_be_done_is_refused(options: Any, message: str) -> None:
    with pytest.raises(QuantizationError, match=message):
        quantize_model(*model_of("float"), **options)


def test_what_is_no_model_is_refused() -> None:
    wrong: Any = "net"
    with pytest.raises(ArgumentError, match="takes a Symbol, not a str"):
        quantize_model(wrong, {}, {})
    with pytest.raises(ArgumentError, match="arg_params must be a dict of NDArrays"):
        quantize_graph(sym.var("x"), {"x": wrong}, {})
    with pytest.raises(ArgumentError, match="takes a HybridBlock, not a str"):
        quantize_net(wrong)
    graph, arguments, states, _ = quantize_graph(*model_of("float"))
    with pytest.raises(QuantizationError, match="the collector has seen no tensors"):
        calib_graph(graph, arguments, states, MinMaxCollector(), "naive")
    with pytest.raises(QuantizationError, match="needs a LayerOutputCollector"):
        quantize_graph(*model_of("float"), calib_mode="customize")
    with pytest.raises(NotImplementedError):
        CalibrationCollector().collect("x", X)


@pytest.mark.parametrize("mode", ["none", "naive", "entropy"])
@pytest.mark.parametrize(
    "options",
    [
        {"excluded_op_names": ["Convolution", "FullyConnected"]},
        {"excluded_sym_names": ["conv", "dense"]},
    ],
)
def test_a_model_stays_as_it_is_where_nothing_is_left_to_quantize(
    mode: str, options: dict[str, Any]
) -> None:
    layer = sym.Convolution(sym.var("data"), kernel=(1, 1), num_filter=2, name="conv")
    net = sym.softmax(sym.FullyConnected(layer, num_hidden=2, name="dense"))
    shapes = zip(net.list_arguments(), net.infer_shape(data=(2, 1, 2, 2))[0] or [], strict=True)
    params = {name: nd.ones(shape) for name, shape in shapes if name != "data"}
    made, arguments, _ = quantize_model(
        net,
        params,
        {},
        calib_mode=mode,
        calib_data=[nd.ones((2, 1, 2, 2))],
        label_names=None,
        **options,
    )
    assert operators(made) == operators(net)
    assert {name: x.asnumpy().tolist() for name, x in arguments.items()} == {
        name: x.asnumpy().tolist() for name, x in params.items()
    }


def test_a_block_stays_as_it_is_where_nothing_is_left_to_quantize() -> None:
    net, x = nn.Dense(3, in_units=2), nd.array([[1, 2]])
    net.initialize()
    expected = net(x).asnumpy()
    made = quantize_net(
        net, calib_data=[x], calib_mode="naive", exclude_operators=["FullyConnected"]
    )
    np.testing.assert_array_equal(made(x).asnumpy(), expected)


def test_a_block_that_was_not_called_needs_shapes() -> None:
    with pytest.raises(QuantizationError, match="data_shapes must be given"):
        quantize_net(image_net())
    with pytest.raises(QuantizationError, match="exclude_layers='a' must be a list"):
        quantize_net(image_net(), data_shapes=[X.shape], exclude_layers="a")
