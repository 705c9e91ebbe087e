"""On CUDA devices a convolution with bias and ReLU, and perhaps a sum, is one call of cuDNN."""

from typing import Any

import pytest
import torch

from hy_kernels.torch import table
from hy_kernels.torch.runtime import _cudnn
from tests.kernels.torch.calls import Calls

HOW: dict[str, Any] = {"stride": (2, 1), "dilate": (1, 2), "pad": (1, 0), "num_group": 2}
GEOMETRY = ((2, 1), (1, 0), (1, 2), 2)  # stride, padding, dilation, groups


def given(
    dtype: torch.dtype = torch.float32, *, with_bias: bool = True, with_addend: bool = False
) -> tuple[list[torch.Tensor | None], dict[str, bool]]:
    """Operands of a layer, and which of them there are."""
    generator = torch.Generator().manual_seed(2)
    shapes = [(2, 7, 9, 6), (4, 3, 3, 3), (4,), (2, 4, 5, 4)]
    x, weight, bias, addend = (torch.randn(s, generator=generator).to(dtype) for s in shapes)
    operands = [
        x,
        weight.clone(memory_format=torch.channels_last),
        bias if with_bias else None,
        addend if with_addend else None,
    ]
    return operands, {"with_bias": with_bias, "with_addend": with_addend}


def layer(operands: Any, has: dict[str, bool], activation: str = "relu") -> torch.Tensor:
    record = table().find("channels_last_convolution")
    assert record is not None
    y = record.function(*operands, **HOW, **has, activation=activation, scalars=())
    assert isinstance(y, torch.Tensor)
    return y


class CuDNN:
    """Takes the calls that CUDA's tensors would make, on the CPU."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.refuses: Exception | None = None
        patch.setattr(torch.Tensor, "is_cpu", property(lambda _: False))
        patch.setattr(torch.Tensor, "is_cuda", property(lambda _: True))
        patch.setattr(torch.backends.cudnn, "is_available", lambda: True)
        patch.setattr(torch, "cudnn_convolution_relu", self.relu)
        patch.setattr(torch, "cudnn_convolution_add_relu", self.add_relu)
        patch.setattr(_cudnn, "_refused", set())

    def _convolved(self, x: Any, weight: Any, bias: Any, geometry: Any) -> torch.Tensor:
        self.calls.append(geometry)
        if self.refuses is not None:
            raise self.refuses
        for each in (x, weight):
            assert each.is_contiguous(memory_format=torch.channels_last)
        stride, pad, dilate, groups = geometry
        y = torch.convolution(x, weight, bias, stride, pad, dilate, False, [0, 0], groups)
        return y.contiguous(memory_format=torch.channels_last)

    def relu(self, x: Any, weight: Any, bias: Any, *geometry: Any) -> torch.Tensor:
        return torch.relu(self._convolved(x, weight, bias, geometry))

    def add_relu(
        self, x: Any, weight: Any, z: Any, alpha: float, bias: Any, *geometry: Any
    ) -> torch.Tensor:
        assert alpha == 1
        assert z.is_contiguous(memory_format=torch.channels_last)
        return torch.relu(self._convolved(x, weight, bias, geometry) + alpha * z)


@pytest.fixture
def cudnn(monkeypatch: pytest.MonkeyPatch) -> CuDNN:
    return CuDNN(monkeypatch)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("with_addend", [False, True])
def test_bias_sum_and_relu_are_one_call(
    with_addend: bool, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    operands, has = given(dtype, with_addend=with_addend)
    wanted = layer([None if x is None else x.double() for x in operands], has)
    cudnn = CuDNN(monkeypatch)
    y = layer(operands, has)
    assert cudnn.calls == [GEOMETRY]
    assert y.is_contiguous()
    limit = 1e-5 if dtype is torch.float32 else 0.1
    torch.testing.assert_close(y.double(), wanted, rtol=limit, atol=limit)


def test_what_cudnn_has_no_one_call_for_is_as_it_was(cudnn: CuDNN) -> None:
    operands, has = given(with_bias=False)
    layer(operands, has)
    operands, has = given(with_addend=True)
    layer(operands, has, "sigmoid")
    operands, has = given(torch.float64)
    layer(operands, has)
    assert cudnn.calls == []


def test_a_layer_that_cudnn_refuses_is_asked_for_once(cudnn: CuDNN) -> None:
    operands, has = given()
    wanted = layer(operands, has)
    cudnn.refuses = RuntimeError("FIND was unable to find an engine")
    for _ in range(2):
        torch.testing.assert_close(layer(operands, has), wanted)
    assert len(cudnn.calls) == 2


def test_memory_that_runs_out_is_told(cudnn: CuDNN) -> None:
    operands, has = given()
    cudnn.refuses = torch.OutOfMemoryError("none is left")
    with pytest.raises(torch.OutOfMemoryError, match="none is left"):
        layer(operands, has)


def test_amd_s_library_is_not_asked_for_it(cudnn: CuDNN, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "hip", "6.0")
    layer(*given())
    assert cudnn.calls == []


@pytest.mark.parametrize(("setting", "expected"), [(None, True), ("0", False), ("2", True)])
def test_cudnn_tries_its_convolutions_as_mxnet_does(
    setting: str | None, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    if setting is None:
        monkeypatch.delenv("MXNET_CUDNN_AUTOTUNE_DEFAULT", raising=False)
    else:
        monkeypatch.setenv("MXNET_CUDNN_AUTOTUNE_DEFAULT", setting)
    _cudnn.autotune.cache_clear()
    table().device("cpu", 0)
    assert not torch.backends.cudnn.benchmark
    table().device("gpu", 0)
    assert torch.backends.cudnn.benchmark is expected
    torch.backends.cudnn.benchmark = False  # as a program says later
    table().device("gpu", 0)
    assert not torch.backends.cudnn.benchmark
    _cudnn.autotune.cache_clear()


def test_moving_statistics_change_in_the_launch_that_normalizes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record = table().find("batch_norm")
    assert record is not None
    generator = torch.Generator().manual_seed(3)
    shapes = [(4, 3, 5, 2), *[(3,)] * 4]
    operands = [torch.rand(s, generator=generator, dtype=torch.float64) + 0.5 for s in shapes]
    how: dict[str, Any] = {
        "eps": 1e-3,
        "momentum": 0.9,
        "fix_gamma": False,
        "use_global_stats": False,
    }
    how |= {"output_mean_var": False, "axis": 1, "cudnn_off": False, "is_train": True}
    how |= dict.fromkeys(("min_calib_range", "max_calib_range"))
    wanted = record.function(*operands, **how)
    monkeypatch.setattr(torch.Tensor, "is_cuda", property(lambda _: True))
    before = [x.clone() for x in operands]
    with Calls() as calls:
        results = record.function(*operands, **how)
    assert calls.of == {"_foreach_mul": 1, "native_batch_norm": 1, "div_": 1}
    for one, other in zip([*results, *operands], [*wanted, *before], strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("with_addend", [False, True])
def test_a_gpu_gives_what_the_cpu_gives(with_addend: bool, dtype: torch.dtype) -> None:
    operands, has = given(dtype, with_addend=with_addend)
    there = [None if x is None else x.cuda() for x in operands]
    wanted = layer([None if x is None else x.double() for x in operands], has)
    y = layer(there, has)
    assert y.is_contiguous()
    limit = 2e-3 if dtype is not torch.bfloat16 else 2e-2
    torch.testing.assert_close(y.double().cpu(), wanted, rtol=limit, atol=4 * limit)
