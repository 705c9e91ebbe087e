"""TensorMemory: allocates, copies and converts torch tensors."""

from collections.abc import Callable
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import torch
from torch.utils.dlpack import from_dlpack

from hy_kernels._dlpack import Exporter
from hy_kernels.numpy import table as numpy_table
from hy_kernels.torch._constants import is_recording
from hy_kernels.torch._dtypes import NAMES, torch_type
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.runtime._copies import queued_copy
from hy_kernels.torch.runtime._forks import check_process

_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def array_of(tensor: Tensor) -> npt.NDArray[Any]:
    """Return a numpy array that shares the memory of a CPU tensor."""
    if tensor.dtype is torch.bfloat16:  # numpy has it by ml_dtypes, which torch does not know
        # The bits are viewed as int16: torch and numpy share no bfloat16 type.
        bits: npt.NDArray[Any] = tensor.view(torch.int16).numpy()
        return bits.view(_BFLOAT16)
    array: npt.NDArray[Any] = tensor.numpy()
    return array


@cache
def _is_bfloat16(dtype: "np.dtype[Any]") -> bool:
    """Return whether a numpy dtype is bfloat16; cached, as numpy's dtype names are slow.

    Raises:
        TypeError: Torch has no dtype of that name.
    """
    torch_type(dtype.name)
    return bool(dtype == _BFLOAT16)


def tensor_of(array: npt.NDArray[Any]) -> Tensor:
    """Return a CPU tensor that shares an array's memory, or a copy if torch cannot share it.

    Raises:
        TypeError: Torch has no such dtype.
    """
    is_bfloat16 = _is_bfloat16(array.dtype)
    # torch has no negative strides, no read-only memory, no foreign byte order.
    odd = any(step < 0 or step % array.itemsize for step in array.strides)
    if odd or not array.flags.writeable or not array.dtype.isnative:
        array = np.array(array, array.dtype.newbyteorder("="), order="C")
    if is_bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


class TensorMemory:
    """Memory interface for torch tensors; a device's handle is a ``torch.device``.

    Example:
        >>> memory = TensorMemory()
        >>> x = memory.empty((2,), "float32", torch.device("cpu"))
        >>> memory.write(x, torch.tensor([1, 2]))
        >>> x
        tensor([1., 2.])
    """

    def empty(self, shape: tuple[int, ...], dtype: str, device: torch.device) -> Tensor:
        """Return a contiguous tensor with uninitialized values."""
        return torch.empty(shape, dtype=torch_type(dtype), device=device)

    def from_numpy(self, array: Any, device: torch.device) -> Tensor:
        """Return a contiguous tensor that owns its memory.

        A small array is copied to a CUDA device through page-locked memory, without waiting.
        """
        # Copied by numpy first, so that the tensor owns its memory.
        host = tensor_of(np.array(array, order="C"))
        is_small = 0 < host.nbytes <= COSTS.memory.pinned
        if device.type == "cuda" and is_small and not is_recording():  # else a graph would read it
            return host.pin_memory().to(device, non_blocking=True)
        return host.to(device)

    def to_numpy(self, buffer: Tensor) -> npt.NDArray[Any]:
        """Return a numpy array of the same memory on a CPU, else a copy; waits for pending work.

        Raises:
            ForkedError: The buffer is on a GPU, which this process cannot use.
        """
        # Before `cpu()`: CUDA in a forked child fails obscurely.
        if not buffer.is_cpu:
            check_process()
        return array_of(buffer.to_dense() if buffer.is_mkldnn else buffer.cpu())

    def from_dlpack(self, array: Any, device: torch.device) -> Tensor:
        """Return a tensor on the memory of ``array``; a copy if it is read-only or elsewhere."""
        if isinstance(array, np.ndarray):
            return tensor_of(array).to(device)
        if not isinstance(array, torch.Tensor):
            source = Exporter(array)
            taken = from_dlpack(source)
            return (taken.clone() if source.is_read_only else taken).to(device)
        # Detached: hy has a tape of its own, and a tensor in torch's graph would keep that alive.
        plain = array.detach()
        return (plain if type(plain) is Tensor else plain.as_subclass(Tensor)).to(device)

    def contiguous(self, buffer: Tensor) -> Tensor:
        """Return the buffer itself if it is contiguous, else a copy."""
        return buffer.contiguous()

    def copy(self, buffer: Tensor) -> Tensor:
        """Return a contiguous copy; packed weights, which are read-only, are not copied."""
        # Packed weights are opaque tensors of oneDNN, which nobody writes.
        if buffer.is_mkldnn:
            return buffer
        return buffer.clone(memory_format=torch.contiguous_format)

    def write(self, target: Tensor, value: Tensor) -> None:
        """Assign ``target[...] = value``."""
        # numpy allows leading axes of size 1 in assignments; torch does not.
        if value.ndim > target.ndim:
            value = value.reshape(value.shape[value.ndim - target.ndim :])
        # `copy_` on overlapping memory is undefined.
        if target.untyped_storage().data_ptr() == value.untyped_storage().data_ptr():
            value = value.clone()
        target.copy_(value)

    def pinned(self, buffer: Tensor) -> Tensor:
        """Return a copy in page-locked memory if there are CUDA devices, else the buffer."""
        if buffer.device.type != "cpu" or not torch.cuda.is_available():
            return buffer
        # Page-locked memory lets a GPU copy without the CPU.
        return buffer.pin_memory()

    def sent(self, buffer: Tensor, device: torch.device) -> Tensor:
        """Return a contiguous copy on a device; from page-locked memory by :func:`queued_copy`.

        Torch keeps page-locked memory until the copy is made; it must not be written to meanwhile.

        Raises:
            ForkedError: One of the two devices is a GPU, which this process cannot use.
        """
        if not (buffer.is_cpu and device.type == "cpu"):
            check_process()
        plain = buffer.to_dense() if buffer.is_mkldnn else buffer
        # `to(copy=True)` of pinned memory on the current stream would wait behind the kernels
        # there.
        if device.type == "cuda" and plain.is_cpu and plain.is_pinned():
            return queued_copy(plain, device)
        return plain.to(device, copy=True, memory_format=torch.contiguous_format)

    def span(self, buffer: Tensor) -> tuple[int, int]:
        """Return the addresses of the first byte and after the last; packed weights: ``(0, 0)``."""
        # Opaque memory has no address, so nothing can overlap it.
        if buffer.is_mkldnn:
            return 0, 0
        first = buffer.data_ptr()
        if buffer.is_contiguous():
            return first, first + buffer.nbytes
        last = sum((n - 1) * step for n, step in zip(buffer.shape, buffer.stride(), strict=True))
        return first, first + (last + 1) * buffer.element_size()

    def overlap(self, one: Tensor, other: Tensor) -> bool:
        """Return whether the memory of two tensors overlaps."""
        # The usual case by two reads of pointers; strides are looked at only for views.
        if one.is_contiguous() and other.is_contiguous():
            first, second = one.data_ptr(), other.data_ptr()
            return bool(first < second + other.nbytes and second < first + one.nbytes)
        (first, end), (second, last) = self.span(one), self.span(other)
        return first < last and second < end

    def dtype(self, buffer: Tensor) -> str:
        """Return the dtype name."""
        return NAMES[buffer.dtype]

    def release(self, device: torch.device) -> None:
        """Free unused memory of a CUDA device, and unused page-locked memory."""
        if device.type == "cuda":
            with torch.cuda.device(device):
                torch.cuda.empty_cache()
                # The other name is of torch 2.8 and 2.9, in builds for CUDA.
                hidden = getattr(torch._C, "_host_emptyCache", bool)
                give_back: Callable[[], Any] = getattr(
                    torch.accelerator, "empty_host_cache", hidden
                )
                give_back()

    def retain(self) -> None:
        """Configure the C library to keep freed memory in the process, as torch does on GPUs."""
        numpy_table().memory.retain()
