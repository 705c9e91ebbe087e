"""Layers on small integers by oneDNN give the integers of the numpy table, prepared or not."""

import inspect
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hy_gluon import SymbolBlock, nn
from hy_gluon.quantization import quantize_net_v2
from hy_kernels.torch import TorchTable, table
from hy_kernels.torch.nn import _sums, quantized
from hy_kernels.torch.nn.convolution import int8 as int8_convolution
from hy_ndarray import NDArray, cpu, gpu, nd, ops, random, use_kernels
from hy_symbol import Symbol, sym
from tests.kernels.torch.private_rows import INT8, INT8_ROWS, operands


@pytest.fixture(autouse=True, params=["oneDNN", "none", "elsewhere"])
def _with_and_without(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "elsewhere":  # a device whose values are not looked at
        monkeypatch.setattr(_sums.Sums, "below", lambda *_: False)
    if request.param != "oneDNN":  # a CPU or a build that cannot
        monkeypatch.setattr(int8_convolution, "exact_convolutions", lambda: False)
        monkeypatch.setattr(quantized, "exact_products", lambda: False)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def drawn(rng: np.random.Generator, dtype: str, *shape: int, low: int | None = None) -> Any:
    info = np.iinfo(dtype)
    return rng.integers(info.min if low is None else low, info.max, shape, dtype, endpoint=True)


def values(
    rng: np.random.Generator, data: Any, weight: Any, *, bias: bool, own: bool
) -> dict[str, Any]:
    """By name: the integers, and ranges, of each filter if that is ``own``."""
    filters = len(weight)
    found = {"data": data, "weight": weight}
    if bias:
        found["bias"] = drawn(rng, "int8", filters)
    width = rng.uniform(0.2, 3, filters if own else 1).astype(np.float32)
    width[0] = 0 if own else width[0]
    for name, size in (("data", 1.7), ("weight", width), ("bias", 0.9)):
        if name != "bias" or bias:
            found[f"min_{name}"] = np.atleast_1d(np.float32(-size))
            found[f"max_{name}"] = np.atleast_1d(np.float32(size))
    return found


def predicted(
    net: Symbol, inputs: dict[str, Any], kernels_: str, backend: str | None = None
) -> tuple[list[Any], Counter[str]]:
    with use_kernels(kernels_):
        arrays = {name: nd.array(value, dtype=value.dtype) for name, value in inputs.items()}
        if backend is not None:
            net = net.optimize_for(backend, arrays, {})
        found = net.bind(cpu(), {name: arrays[name] for name in net.list_arguments()}).forward()
        names = Counter(node.op.name for node in net.graph.nodes if node.op is not None)
        return [y.asnumpy() for y in found], names


def convolution(inputs: dict[str, Any], **how: Any) -> Symbol:
    variables: Any = {
        name: sym.var(name, shape=value.shape, dtype=value.dtype) for name, value in inputs.items()
    }
    weight = inputs["weight"]
    layer = sym.contrib.quantized_conv(
        **variables,
        kernel=weight.shape[2:],
        num_filter=len(weight),
        no_bias="bias" not in inputs,
        **how,
    )
    return sym.Group(list(layer))


CONVOLUTIONS: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "plain": ((2, 5, 7, 6), (4, 5, 3, 3), {}),
    "strided": ((2, 8, 9, 8), (6, 8, 3, 2), {"stride": (2, 1), "pad": (1, 2)}),
    "dilated": ((1, 3, 9, 11), (5, 3, 3, 3), {"dilate": (2, 3), "pad": (3, 3)}),
    "in groups": ((2, 6, 8, 7), (8, 3, 3, 3), {"num_group": 2, "pad": (1, 1)}),
    "by channel": ((2, 16, 6, 6), (16, 1, 3, 3), {"num_group": 16}),
    "of points": ((3, 33, 5, 4), (7, 33, 1, 1), {}),
    "wide": ((1, 480, 5, 5), (3, 480, 3, 3), {"pad": (1, 1)}),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("own", [False, True])
def test_prepared_convolutions_are_exact(
    name: str, dtype: str, bias: bool, own: bool, rng: np.random.Generator
) -> None:
    images, filters, how = CONVOLUTIONS[name]
    data, weight = drawn(rng, dtype, *images), drawn(rng, "int8", *filters)
    inputs = values(rng, data, weight, bias=bias, own=own)
    net = convolution(inputs, **how)
    wanted, _ = predicted(net, inputs, "numpy")
    found, names = predicted(net, inputs, "torch", "channels_last")
    assert names["_int8_convolution"] == 1
    assert names["_contrib_quantized_conv"] == 0
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_sums_that_float32_cannot_hold_are_exact(dtype: str, rng: np.random.Generator) -> None:
    """Of weights larger than the parts are made for."""
    data = np.full((1, 256, 5, 5), np.iinfo(dtype).max, dtype)
    weight = drawn(rng, "int8", 2, 256, 5, 5, low=120)
    inputs = values(rng, data, weight, bias=False, own=False)
    (sums, _, _), _ = predicted(convolution(inputs), inputs, "torch", "channels_last")
    expected = weight.astype(np.int64).sum((1, 2, 3)) * int(data.flat[0])
    assert expected.max() > 1 << 24
    assert (sums.reshape(-1) == expected).all()


def test_convolutions_that_are_not_of_images_stay(rng: np.random.Generator) -> None:
    data, weight = drawn(rng, "int8", 2, 3, 9), drawn(rng, "int8", 4, 3, 3)
    inputs = values(rng, data, weight, bias=False, own=False)
    net = convolution(inputs)
    wanted, _ = predicted(net, inputs, "numpy")
    found, names = predicted(net, inputs, "torch", "channels_last")
    assert names["_contrib_quantized_conv"] == 1
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("shape", [(3, 40), (1, 513), (2, 4, 10), (5, 1), (0, 4)])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("flatten", [False, True])
@pytest.mark.parametrize("own", [False, True])
def test_dense_layers_are_exact(
    shape: tuple[int, ...], dtype: str, flatten: bool, own: bool, rng: np.random.Generator
) -> None:
    inner = int(np.prod(shape[1:])) if flatten else shape[-1]
    data, weight = drawn(rng, dtype, *shape), drawn(rng, "int8", 7, inner)
    for bias in (False, True):
        given = values(rng, data, weight, bias=bias, own=own)
        how: Any = {"num_hidden": 7, "no_bias": not bias, "flatten": flatten}

        def layer(given: dict[str, Any] = given, how: Any = how) -> list[NDArray]:
            arrays: Any = {n: nd.array(value, dtype=value.dtype) for n, value in given.items()}
            found: list[NDArray] = nd.contrib.quantized_fully_connected(**arrays, **how)
            return found

        with use_kernels("numpy"):
            wanted = [y.asnumpy() for y in layer()]
        with use_kernels("torch"):
            found = [y.asnumpy() for y in layer()]
        for one, other in zip(found, wanted, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("name", ["conv", "fully_connected"])
def test_sums_are_exact_without_float64(
    name: str, groups: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Apple's GPUs: of so few products at a time that float32 holds their sum."""
    monkeypatch.setattr(_sums.Sums, "below", lambda *_: False)
    monkeypatch.setattr(_sums, "widest", lambda _: torch.float32)
    data, weight = (
        drawn(rng, "uint8", 2, 700, 3, 3, low=250),
        drawn(rng, "int8", 4, 700, 3, 3, low=125),
    )
    if name == "conv":
        inputs = values(rng, data, weight[:, : 700 // groups], bias=True, own=False)
        how: dict[str, Any] = {"kernel": (3, 3), "num_filter": 4, "num_group": groups}
    else:
        inputs = values(rng, data, weight.reshape(4, -1), bias=True, own=False)
        how = {"num_hidden": 4}

    def sums() -> Any:
        arrays = {key: nd.array(value, dtype=value.dtype) for key, value in inputs.items()}
        return getattr(nd.contrib, f"quantized_{name}")(**arrays, **how)[0].asnumpy()

    with use_kernels("numpy"):
        wanted = sums()
    assert wanted.max() > 1 << 26
    with use_kernels("torch"):
        np.testing.assert_array_equal(sums(), wanted)


@pytest.mark.parametrize("granularity", ["tensor-wise", "channel-wise"])
def test_a_quantized_net_predicts_what_it_does_on_the_numpy_table(
    granularity: str, tmp_path: Path
) -> None:
    random.seed(0)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(), nn.Dense(10))
    net.initialize("normal")
    x = np.random.default_rng(0).standard_normal((4, 3, 12, 12)).astype(np.float32)
    net(nd.array(x))
    small = quantize_net_v2(
        net, calib_data=[nd.array(x)], calib_mode="naive", quantize_granularity=granularity
    )
    graph, params = small.export(str(tmp_path / "small"))
    results = {}
    for kernels_ in ("numpy", "torch"):
        with use_kernels(kernels_):
            block = SymbolBlock.imports(graph, ["data"], params)
            block.hybridize(static_alloc=True)
            results[kernels_] = block(nd.array(x)).asnumpy()
            assert ("_int8_convolution" in str(block.explain(nd.array(x)))) == (kernels_ == "torch")
    np.testing.assert_allclose(results["torch"], results["numpy"], rtol=1e-5)


class OfNoValues(TorchTable):
    """The torch table on a GPU whose values nothing can read."""

    device_types: tuple[str, ...] = ("gpu",)

    def count(self, device_type: str) -> int:
        return int(device_type == "gpu")

    def device(self, device_type: str, device_id: int) -> torch.device:  # noqa: ARG002
        return torch.device("meta")


@pytest.mark.parametrize("granularity", ["tensor-wise", "channel-wise"])
@pytest.mark.parametrize("static", [False, True])
def test_a_quantized_net_reads_no_values_on_a_gpu(
    granularity: str, static: bool, tmp_path: Path
) -> None:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3), nn.Activation("relu"), nn.MaxPool2D(), nn.Flatten(), nn.Dense(10))
    net.initialize("normal")
    x = nd.random.normal(shape=(4, 3, 12, 12))
    net(x)
    small = quantize_net_v2(
        net, calib_data=[x], calib_mode="naive", quantize_granularity=granularity
    )
    graph, params = small.export(str(tmp_path / "small"))
    with use_kernels(OfNoValues(), device="gpu"):
        block = SymbolBlock.imports(graph, ["data"], params, ctx=gpu(0))
        block.hybridize(static_alloc=static)
        there = x.as_in_context(gpu(0))
        results = [block(there) for _ in range(3)]  # the third call runs what was planned
        assert {(y.shape, y.context) for y in results} == {((4, 10), gpu(0))}
        assert "_int8_convolution" in str(block.explain(there))


def test_private_kernels_have_the_types_that_are_said() -> None:
    assert INT8_ROWS.keys() == INT8.keys()
    assert not any(ops.exists(name) for name in INT8)
    for name, (types, params) in INT8_ROWS.items():
        private = INT8[name]
        record = table().find(private.kernel)
        assert record is not None
        tensors = [torch.ones(shape, dtype=getattr(torch, dtype)) for shape, dtype in types]
        takes = inspect.signature(record.function).parameters
        given = operands(private, tensors, params)
        y = record.function(*given, **{k: v for k, v in params.items() if k in takes})
        assert private.infer(types, params) == (tuple(y.shape), str(y.dtype)[6:])
