"""What is known of GPUs, from a driver that stands in for NVIDIA's."""

import ctypes
from collections.abc import Iterator
from typing import Any

import pytest

from hy_ndarray import ContextError
from hy_ndarray.devices import _driver, context

GIB = 1 << 30


class Driver:
    """Two GPUs; what they are asked with is a number of the GPU, 1 more than its place."""

    def nvmlInit_v2(self) -> int:  # noqa: N802  # NVML's names
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index: int, handle: Any) -> int:  # noqa: N802
        handle._obj.value = index + 1
        return 0 if index < 2 else 2

    def nvmlDeviceGetHandleByUUID(self, uuid: bytes, handle: Any) -> int:  # noqa: N802
        handle._obj.value = 2
        return 0 if uuid == b"GPU-2" else 6

    def nvmlDeviceGetMemoryInfo(self, handle: Any, figures: Any) -> int:  # noqa: N802
        figures._obj[:] = [80 * GIB, handle.value * GIB, 3]
        return 0

    def nvmlDeviceGetCudaComputeCapability(  # noqa: N802
        self, handle: Any, major: Any, minor: Any
    ) -> int:
        major._obj.value, minor._obj.value = 9, handle.value
        return 0


@pytest.fixture
def _driver_of_two(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: Driver())
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    _driver._library.cache_clear()
    yield
    _driver._library.cache_clear()


@pytest.mark.usefixtures("_driver_of_two")
def test_a_gpu_tells_its_memory_and_capability(monkeypatch: pytest.MonkeyPatch) -> None:
    assert context.gpu_memory_info(1) == (2 * GIB, 80 * GIB)
    assert context.gpu_compute_capability() == 91
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,0")
    assert context.gpu_memory_info() == (2 * GIB, 80 * GIB)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-2")
    assert context.gpu_compute_capability(0) == 92


@pytest.mark.usefixtures("_driver_of_two")
def test_a_gpu_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        ContextError, match=r"there is no gpu\(2\): NVIDIA's driver returned error 2"
    ):
        context.gpu_memory_info(2)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    with pytest.raises(ContextError, match=r"gpu\(1\) is not in CUDA_VISIBLE_DEVICES='1'"):
        context.gpu_compute_capability(1)


def test_without_a_driver_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", missing)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    _driver._library.cache_clear()
    with pytest.raises(ContextError, match="a library of NVIDIA's driver, is not installed"):
        context.gpu_memory_info()
