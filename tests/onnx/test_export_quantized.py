"""Nets on small integers give in onnxruntime the integers that they give here, each of them."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from hy_gluon import HybridBlock, nn
from hy_gluon.onnx import export_model, import_to_gluon
from hy_gluon.quantization import quantize_net_v2
from hy_ndarray import nd, ops, random
from hy_ndarray.testing import OpCase
from hy_ndarray.testing.cases import CASES
from hy_onnx import ExportError
from hy_onnx.to_onnx.export import to_model
from hy_symbol import Graph, Node, Symbol
from tests.onnx.runtime import agree, outputs_of
from tests.onnx.test_export_operators import exported, graph_of, results_of

F = np.float32


def end(value: float) -> Any:
    """An end of a range."""
    return np.array([value], F)


def layers() -> list[OpCase]:
    return [case for case in CASES if case.op.startswith("_contrib_quantized_")]


@pytest.mark.parametrize("case", layers(), ids=str)
def test_a_layer_whose_ranges_are_parameters_computes_them_beforehand(case: OpCase) -> None:
    symbol, feeds = graph_of(case)
    data = {"x0": feeds["x0"]}
    weights = {name: value for name, value in feeds.items() if name != "x0"}
    model = to_model(symbol, weights, [data["x0"].shape], data["x0"].dtype.name, opset=13)
    agree(outputs_of(model, data), results_of(case))
    kinds = {node.op for node in model.graph.nodes}
    if "ReduceMin" not in kinds:  # of ranges that each call finds
        assert kinds.isdisjoint({"Abs", "Div", "Log", "Sqrt", "Where"})


def layer(
    op: str, weight: Any, bias: Any, ends: Any, **params: Any
) -> tuple[Symbol, dict[str, Any]]:
    """A layer with a range for each filter, and its parameters."""
    values = {"weight": weight, "bias": bias, "low_data": ends[0], "high_data": ends[1]}
    largest = np.linspace(0.1, 2, len(weight)).astype(F)
    values |= {"low_weight": -largest, "high_weight": largest}
    values |= {"low_bias": end(-1), "high_bias": end(1)}
    record = ops.find(op)
    inputs = [(Node(None, name), 0) for name in ("data", *values)]
    parsed = record.parse(params)
    node = Node(record, "layer", inputs, record.texts(params), parsed)
    return Symbol(Graph(tuple((node, i) for i in range(3)))), values


def integers(dtype: str, *shape: int) -> Any:
    info = np.iinfo(dtype)
    return np.random.default_rng(len(shape)).integers(info.min, info.max, shape, dtype, True)


CONV: tuple[str, Any, dict[str, Any]] = (
    "_contrib_quantized_conv",
    integers("int8", 4, 3, 3, 2),
    {"kernel": (3, 2), "num_filter": 4, "pad": (1, 1)},
)
DENSE: tuple[str, Any, dict[str, Any]] = (
    "_contrib_quantized_fully_connected",
    integers("int8", 5, 60),
    {"num_hidden": 5},
)


@pytest.mark.parametrize(("op", "weight", "params"), [CONV, DENSE], ids=["conv", "dense"])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("known", ["low_data", "low_weight", "weight"])
def test_filters_may_have_ranges_of_their_own(
    op: str, weight: Any, params: dict[str, Any], dtype: str, known: str
) -> None:
    ends = end(-1), end(1.5)
    symbol, values = layer(op, weight, integers("int8", len(weight)), ends, **params)
    x = integers(dtype, 2, 3, 5, 4)
    names = list(values)
    kept = {k: values[k] for k in names if k == "weight" or names.index(k) > names.index(known)}
    kept |= values if known == "low_data" else {}
    feeds = {"data": x, **{k: v for k, v in values.items() if k not in kept}}
    dtypes = [v.dtype.name for v in feeds.values()]
    model = to_model(symbol, kept, [v.shape for v in feeds.values()], dtypes)
    arrays = {k: nd.array(v, dtype=v.dtype) for k, v in {**values, "data": x}.items()}
    agree(outputs_of(model, feeds), [y.asnumpy() for y in symbol.eval(None, **arrays)])


def test_a_weight_that_is_computed_has_one_range() -> None:
    op, weight, params = DENSE
    symbol, values = layer(op, weight, integers("int8", 5), (end(-1), end(1)), **params)
    feeds = {"data": integers("int8", 2, 60), **values}
    with pytest.raises(
        ExportError, match=r"^_contrib_quantized_fully_connected 'layer': its weight has a range"
    ):
        exported(symbol, feeds, 13)


@pytest.mark.parametrize("known", [True, False])
def test_a_bias_beyond_int32_is_cut_off_as_here(known: bool) -> None:
    op, weight, params = DENSE
    tiny = end(-1e-7), end(1e-7)
    symbol, values = layer(op, weight, integers("int8", 5), tiny, **params)
    values |= {"low_weight": end(-0.1), "high_weight": end(0.1)}
    x = integers("int8", 2, 60)
    feeds = {"data": x} if known else {"data": x, **values}
    dtypes = [v.dtype.name for v in feeds.values()]
    model = to_model(symbol, values if known else None, [v.shape for v in feeds.values()], dtypes)
    arrays = {k: nd.array(v, dtype=v.dtype) for k, v in {**values, "data": x}.items()}
    wanted = [y.asnumpy() for y in symbol.eval(None, **arrays)]
    assert np.abs(wanted[0].astype(np.int64)).max() >= 2**31 - 1
    agree(outputs_of(model, feeds), wanted)


class Digits(HybridBlock):
    """Convolutions, batch normalisation, pooling, a sum, a join and dense layers."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.first = nn.Conv2D(8, 3, padding=1, in_channels=1)
            self.norm = nn.BatchNorm(in_channels=8)
            self.second = nn.Conv2D(8, 3, padding=1, groups=4, in_channels=8)
            self.third = nn.Conv2D(4, 1, use_bias=False, in_channels=8)
            self.pool = nn.MaxPool2D(2, 2)
            self.mean = nn.AvgPool2D(2, 2)
            self.dense = nn.Dense(16, activation="relu", in_units=48)
            self.last = nn.Dense(10, in_units=16)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        x = self.pool(F.relu(self.norm(self.first(x))))
        x = F.elemwise_add(x, F.Activation(self.second(x), act_type="relu"))
        x = F.concat(self.mean(x), self.mean(self.third(x)), dim=1)
        return self.last(self.dense(F.flatten(x)))


def images(seed: int, count: int = 4) -> Any:
    return np.random.default_rng(seed).uniform(0, 1, (count, 1, 8, 8)).astype(F)


def small_net(mode: str, dtype: str, granularity: str) -> Any:
    random.seed(3)
    net = Digits(prefix="digits_")
    net.initialize()
    examples = [nd.array(images(seed)) for seed in range(4)]
    how: dict[str, Any] = {"calib_mode": mode, "quantize_granularity": granularity}
    small: Any = quantize_net_v2(net, dtype, calib_data=examples, **how)
    small.hybridize()
    return small


SMALL = [*product(("none", "naive"), ("int8", "auto"), ("tensor-wise", "channel-wise"))]


@pytest.mark.parametrize(("mode", "dtype", "granularity"), SMALL)
def test_a_quantized_net_gives_the_same_numbers_in_onnxruntime(
    mode: str, dtype: str, granularity: str, tmp_path: Path
) -> None:
    small = small_net(mode, dtype, granularity)
    x = images(9)
    wanted = small(nd.array(x)).asnumpy()
    path = str(tmp_path / "small.onnx")
    export_model(small, None, [("batch", 1, 8, 8)], onnx_file_path=path, opset_version=13)
    kinds = {node.op_type for node in onnx.load(path).graph.node}
    assert {"ConvInteger", "MatMulInteger", "QuantizeLinear", "DequantizeLinear"} <= kinds
    assert kinds.isdisjoint({"Conv", "Gemm", "MatMul"})
    assert np.array_equal(outputs_of(path, {"data": x})[0], wanted)
    more = images(10, 3)
    assert np.array_equal(outputs_of(path, {"data": more})[0], small(nd.array(more)).asnumpy())


@pytest.mark.parametrize("mode", ["none", "naive"])
def test_a_quantized_net_comes_back_on_integers(mode: str, tmp_path: Path) -> None:
    small = small_net(mode, "auto", "channel-wise")
    x = nd.array(images(9))
    wanted = small(x).asnumpy()
    first, second = str(tmp_path / "first.onnx"), str(tmp_path / "second.onnx")
    export_model(small, None, [x.shape], onnx_file_path=first)
    block = import_to_gluon(first)
    for active in (False, True):
        block.hybridize(active)
        assert np.array_equal(block(x).asnumpy(), wanted)
    held = [p.data() for p in block.collect_params().values() if p.data().ndim > 1]
    assert {value.dtype for value in held if value.size > 16} == {np.int8}
    export_model(block, None, [x.shape], onnx_file_path=second)
    assert np.array_equal(outputs_of(second, {"data": x.asnumpy()})[0], wanted)
