"""Kernels of the numpy table on tensors: what torch has no kernel for yet, each by name.

They compute in the memory of tensors on the CPU, without copies. A tensor elsewhere is refused.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from hy_kernels.numpy import table as numpy_table
from hy_kernels.record import Function, Kernel
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._memory import array_of, tensor_of
from hy_kernels.torch._tensor import Places, Tensor

__all__ = ["HOST", "DeviceError", "host_array", "on_host"]

HOST: Mapping[str, str] = {
    "image_files": "copy_make_border imdecode imread",  # pictures are decoded on the CPU
    "quantization": "calibrate_entropy",  # a search through one histogram, once for a layer
    "nn.position_sensitive": (
        "deformable_psroi_pooling deformable_psroi_pooling_backward psroi_pooling "
        "psroi_pooling_backward"
    ),
    "nn.quantized": (
        "quantized_act quantized_batch_norm quantized_concat quantized_conv "
        "quantized_elemwise_add quantized_elemwise_mul quantized_embedding quantized_flatten "
        "quantized_pooling"
    ),
    "nn.region": (
        "correlation correlation_backward roi_pooling roi_pooling_backward roi_pooling_select"
    ),
    "nn.roi_align": "roi_align roi_align_backward rroi_align",
}
"""By family, names of the kernels."""


class DeviceError(RuntimeError):
    """A kernel that computes on the CPU alone was given a tensor of another device."""


def on_host(record: Kernel) -> Function:
    """A kernel of the numpy table, in the memory of tensors on the CPU."""
    compute, name = record.function, record.name

    def run(*inputs: Tensor | None, out: Places = None, **params: Any) -> Any:
        arrays = [None if x is None else host_array(x, name) for x in inputs]
        for key, value in params.items():
            if isinstance(value, torch.Generator):
                params[key] = _Draws(value, name)
            elif isinstance(value, torch.device):
                _check(value, name)
                params[key] = None
        if out is None:
            return _tensors(compute(*arrays, **params))
        memory = tuple([None if x is None else host_array(x, name) for x in out])
        return _placed(compute(*arrays, **params, out=memory), memory, out)

    return run


def _check(device: torch.device, name: str) -> None:
    if device.type != "cpu":
        raise DeviceError(
            f"{name}: the torch table computes it on the CPU alone, and this tensor is on "
            f"{device}; move it there with as_in_context(mx.cpu())"
        )


def host_array(tensor: Tensor, name: str) -> npt.NDArray[Any]:
    """An array in the memory of a tensor.

    Raises:
        DeviceError: It is not on the CPU; the message is about the kernel of that name.
    """
    _check(tensor.device, name)
    return array_of(tensor)


class _Draws:
    """Numpy's generator, seeded by the next number of torch's once something is drawn."""

    def __init__(self, generator: torch.Generator, name: str) -> None:
        _check(generator.device, name)
        self._generator = generator

    @cached_property
    def _made(self) -> np.random.Generator:
        seed = torch.randint(0, 2**63 - 1, (), generator=self._generator)
        return np.random.Generator(np.random.PCG64(int(seed)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)


def _tensors(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple([tensor_of(np.asarray(each)) for each in result])
    return tensor_of(np.asarray(result))


def _placed(result: Any, memory: Sequence[Any], out: Sequence[Tensor | None]) -> Any:
    """As :func:`_tensors`; what was written to memory is that tensor."""
    if not isinstance(result, tuple):
        return out[0] if result is memory[0] else _tensors(result)
    pairs = zip(result, memory, out, strict=False)
    known = [tensor if value is array else _tensors(value) for value, array, tensor in pairs]
    return (*known, *map(_tensors, result[len(known) :]))


for _name in " ".join(HOST.values()).split():
    _record = numpy_table().find(_name)
    assert _record is not None, _name
    kernel(_name, out=_record.out, pointwise=_record.pointwise)(on_host(_record))
