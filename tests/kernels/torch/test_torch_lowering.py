"""What the torch table predicts with: fewer steps, the same numbers, and weights packed once."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.torch import table
from hy_ndarray import cpu, nd, ops, use_kernels
from hy_symbol import Symbol, sym
from tests.kernels.torch.private_rows import PRIVATE, ROWS


@pytest.fixture(autouse=True)
def _on_torch() -> Iterator[None]:
    with use_kernels("torch"):
        yield


def _conv(x: Symbol, name: str, filters: int = 8, side: int = 3, **how: Any) -> Symbol:
    params = {"kernel": (side, side), "num_filter": filters, "pad": (side // 2,) * 2, **how}
    return sym.Convolution(x, name=name, **params)


def _dense(x: Symbol, name: str, hidden: int = 2800, **how: Any) -> Symbol:
    return sym.FullyConnected(x, num_hidden=hidden, name=name, **how)


def _predicted(net: Symbol, backend: str | None, dtype: str, **inputs: Any) -> Any:
    """Outputs for drawn parameters, and how many operators of each kind there are."""
    shapes, _, _ = net.infer_shape(**{name: value.shape for name, value in inputs.items()})
    assert shapes is not None
    rng = np.random.default_rng(5)
    values = {
        name: inputs.get(name, rng.uniform(-1, 1, size))
        for name, size in zip(net.list_arguments(), shapes, strict=True)
    }
    arrays = {
        name: nd.array(value, dtype=dtype if value.dtype.kind == "f" else value.dtype)
        for name, value in values.items()
    }
    if backend is not None:
        net = net.optimize_for(backend, arrays, {})
    outputs = net.bind(cpu(), {name: arrays[name] for name in net.list_arguments()}).forward()
    operators = Counter(node.op.name for node in net.graph.nodes if node.op is not None)
    return [y.asnumpy() for y in outputs], operators


def _check(
    net: Symbol, shape: tuple[int, ...], dtype: str = "float32", more: Any = None, **expected: int
) -> None:
    inputs = {"data": np.random.default_rng(6).standard_normal(shape), **(more or {})}
    plain, _ = _predicted(net, None, dtype, **inputs)
    planned, operators = _predicted(net, "channels_last", dtype, **inputs)
    rtol = 2e-5 if dtype == "float32" else 2e-2
    for one, other in zip(planned, plain, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * np.abs(other).max())
    assert {name: operators[name] for name in expected} == expected


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_residual_unit_is_two_layers(dtype: str) -> None:
    x = sym.var("data")
    inner = sym.Activation(_conv(x, "a"), act_type="relu")
    net = sym.relu(_conv(inner, "b", no_bias=True) + x)
    counts = {"_channels_last_convolution": 2, "relu": 0, "Activation": 0, "elemwise_add": 0}
    _check(net, (2, 8, 7, 9), dtype, **counts)


ACTIVATIONS: dict[str, Callable[[Symbol], Any]] = {
    "relu": sym.relu,
    "sigmoid": sym.sigmoid,
    "tanh": lambda x: sym.Activation(x, act_type="tanh"),
    "clip": lambda x: sym.clip(x, 0, 1.5),
    "leaky": lambda x: sym.LeakyReLU(x, act_type="leaky", slope=0.2),
    "gelu": lambda x: sym.LeakyReLU(x, act_type="gelu"),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_an_activation_is_part_of_the_layer_in_front_of_it(name: str, dtype: str) -> None:
    x = sym.var("data")
    function = ACTIVATIONS[name]
    last = function(x).graph.nodes[-1].op
    assert last is not None
    counts = {"_channels_last_convolution": 1, last.name: 0}
    _check(function(_conv(x, "a")), (2, 8, 5, 4), dtype, **counts)
    if dtype == "float32":
        counts = {**counts, "_channels_last_convolution": 0, "_dense_layer": 1}
        _check(function(_dense(x, "a")), (2, 8, 5, 10), dtype, **counts)


def test_a_sum_behind_an_activation_stays_and_one_in_front_of_another_does_not_lose_it() -> None:
    x = sym.var("data")
    after = sym.relu(_conv(x, "a")) + x
    _check(after, (2, 8, 5, 4), _channels_last_convolution=1, elemwise_add=1)
    _check(sym.sigmoid(_conv(x, "a") + x), (2, 8, 5, 4), _channels_last_convolution=1, sigmoid=0)


def test_a_layer_that_two_use_keeps_its_result() -> None:
    x = sym.var("data")
    layer = _conv(x, "a")
    net = sym.Group([sym.relu(layer), layer + x])
    _check(net, (2, 8, 5, 4), _channels_last_convolution=1, relu=1, elemwise_add=1)
    both = _dense(x, "b")
    _check(sym.Group([sym.relu(both), both]), (4, 100), _dense_layer=1, relu=1)


def test_what_is_between_convolutions_keeps_the_channels_last() -> None:
    x = sym.var("data")
    y = sym.Pooling(_conv(x, "a"), kernel=(2, 2), stride=(2, 2), pool_type="max")
    y = sym.concat(y, _conv(y, "b", stride=(1, 1)), dim=1)
    y = _conv(y, "c", num_group=4, dilate=(2, 2), pad=(2, 2))
    y = sym.Pooling(y, global_pool=True, pool_type="avg", kernel=(1, 1))
    _check(sym.flatten(y), (2, 8, 12, 10), _channels_last_convolution=3, transpose=2)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("hidden", [7, 2800])
def test_a_dense_layer_behind_images_turns_its_weight(dtype: str, hidden: int) -> None:
    images = _conv(sym.var("data"), "a")
    counts = {"transpose": 1, "_channels_last_convolution": 1}  # of the data
    _check(_dense(images, "d", hidden), (2, 3, 5, 6), dtype, **counts)
    _check(_dense(sym.Flatten(images), "d", hidden, no_bias=True), (2, 3, 5, 6), dtype, **counts)


def test_images_that_others_see_are_turned_for_all() -> None:
    images = _conv(sym.var("data"), "a")
    _check(sym.Group([_dense(images, "d", 7), images]), (2, 3, 5, 6), transpose=2)
    _check(_dense(images, "d", 7, flatten=False), (2, 3, 5, 6), transpose=2)
    large = _dense(images, "d", (1 << 22) // 240 + 1)
    _check(large, (2, 3, 5, 6), transpose=2)


def test_layers_of_one_element_are_products_of_matrices() -> None:
    x = sym.var("data")
    inner = sym.relu(_conv(x, "a", 24, side=1))
    net = sym.sigmoid(_conv(inner, "b", 24, side=1) + inner)
    _check(net, (3, 8, 5, 7), _pointwise_convolution=2, elemwise_add=0, relu=0, sigmoid=0)
    _check(_conv(x, "a", 1500, side=1), (3, 1500, 5, 7), _channels_last_convolution=1)
    others: list[dict[str, Any]] = [{"stride": (2, 2)}, {"pad": (1, 1)}, {"num_group": 2}]
    for how in others:
        _check(_conv(x, "a", side=1, **how), (3, 8, 5, 7), _channels_last_convolution=1)
    _check(_conv(x, "a", side=1), (3, 8, 5, 7), "float16", _channels_last_convolution=1)


def test_odd_convolutions() -> None:
    x = sym.var("data")
    _check(_conv(x, "a", side=1, stride=(2, 2)), (1, 1, 5, 5), _channels_last_convolution=1)
    _check(_conv(x, "a", num_group=6, filters=6), (3, 6, 1, 1), _channels_last_convolution=1)
    _check(
        _conv(x, "a", side=5, pad=(0, 3), dilate=(1, 2)), (1, 3, 9, 9), _channels_last_convolution=1
    )
    assert _predicted(_conv(x, "a"), "channels_last", "float64", data=np.ones((1, 2, 4, 4)))[1] == {
        "Convolution": 1
    }


def _attention(x: Symbol, length: Symbol | None = None, **how: Any) -> Symbol:
    scores = sym.contrib.interleaved_matmul_selfatt_qk(x, heads=2)
    found = sym.softmax(scores, axis=-1, **how)
    if length is not None:
        found = sym.softmax(scores, length=length, use_length=True, axis=-1)
    found = sym.Dropout(found, p=0.5)
    return sym.contrib.interleaved_matmul_selfatt_valatt(x, found, heads=2)


def test_attention_is_one_step() -> None:
    x = sym.var("data")
    _check(_attention(x), (5, 3, 24), softmax=0, _dot_product_attention=1)
    _check(_attention(x, temperature=2.0), (5, 3, 24), softmax=1, _dot_product_attention=0)


def test_attention_sees_what_its_length_says() -> None:
    length = np.array([[1, 2, 3, 4, 5], [5, 5, 5, 5, 5], [3, 0, 1, 2, 4], [2, 2, 2, 2, 2]])
    net = _attention(sym.var("data"), sym.var("length", dtype="int32"))
    _check(net, (5, 2, 24), more={"length": length}, softmax=0, _dot_product_attention=1)


def test_private_kernels_have_the_types_that_are_said(rng: np.random.Generator) -> None:
    assert ROWS.keys() == PRIVATE.keys()
    assert not any(ops.exists(name) for name in PRIVATE)
    for name, (shapes, params) in ROWS.items():
        record = table().find(PRIVATE[name].kernel)
        assert record is not None
        takes = inspect.signature(record.function).parameters
        for dtype in ("float32", "float64", "bfloat16"):
            values = [torch.from_numpy(rng.standard_normal(shape)) for shape in shapes]
            values = [value.to(getattr(torch, dtype)) for value in values]
            if "sums" in takes and dtype == "bfloat16":
                values[5] = values[5].float()
            takes_any = any(each.kind is each.VAR_KEYWORD for each in takes.values())
            given = {k: v for k, v in params.items() if k in takes or takes_any}
            y = record.function(*values, **given)
            types = ROWS[name].types(dtype)
            others = PRIVATE[name].others
            wanted = [PRIVATE[name].infer(types, params)]
            wanted += [] if others is None else others(types, params)
            found = y if isinstance(y, tuple) else (y,)
            assert wanted == [(tuple(x.shape), str(x.dtype).removeprefix("torch.")) for x in found]


def test_packed_weights_are_read_as_plain_ones() -> None:
    weight = torch.arange(24.0).reshape(2, 3, 2, 2)
    record = table().find("channels_last_weight")
    assert record is not None
    how = {"stride": (), "dilate": (), "pad": (), "num_group": 1, "size": (1, 3, 4, 4)}
    packed = record.function(weight, **how)
    np.testing.assert_array_equal(table().memory.to_numpy(packed), weight.numpy())
    assert table().memory.span(packed) == (0, 0)


@pytest.mark.parametrize("act_type", ["relu", "sigmoid", "tanh", "softrelu"])
@pytest.mark.parametrize("rows", [3, 200])
def test_a_layer_and_its_activation_are_the_two_in_turn(act_type: str, rows: int) -> None:
    rng = np.random.default_rng(4)
    shapes = [(rows, 90), (130, 90), (130,)]
    data, weight, bias = (torch.from_numpy(rng.standard_normal(s)).float() for s in shapes)
    how = {"num_hidden": 130, "no_bias": False, "flatten": True}
    joined, plain, after = (
        table().find(name)
        for name in ("fully_connected_activation", "fully_connected", "activation")
    )
    assert joined is not None
    assert plain is not None
    assert after is not None
    y = joined.function(data, weight, bias, **how, act_type=act_type)
    wanted = after.function(plain.function(data, weight, bias, **how), act_type=act_type)
    torch.testing.assert_close(y, wanted, rtol=1e-5, atol=1e-5)
