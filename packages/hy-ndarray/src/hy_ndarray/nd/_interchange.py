"""Sharing of memory with numpy and, by DLPack, with other libraries."""

from typing import Any

import numpy as np
import numpy.typing as npt

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import (
    ArgumentError,
    ContextError,
    DTypeError,
    NoNumPyArrayError,
    ShapeError,
)
from hy_ndarray.array._capsules import Capsule
from hy_ndarray.array.ndarray import NDArray, array_from
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._selection import device_of
from hy_ndarray.devices.context import Context, current_context


def from_numpy(
    ndarray: npt.NDArray[Any], zero_copy: bool = True, array_cls: type[NDArray] = NDArray
) -> NDArray:
    """Convert a numpy array to an NDArray of the same dtype on the CPU.

    Args:
        ndarray: The array.
        zero_copy: Share the memory. The numpy array becomes read-only, as pending work may read
            it; writes to the NDArray change it, too. Read-only memory, such as a mapped file's,
            is copied.
        array_cls: Class of the result.

    Raises:
        ShapeError: With ``zero_copy``, the array is not C-contiguous.
        ArgumentError: The dtype is not supported, or with ``zero_copy`` its order of bytes.
        NoNumPyArrayError: ``ndarray`` is not a numpy array.
    """
    if not isinstance(ndarray, np.ndarray):
        raise NoNumPyArrayError(
            f"from_numpy: ndarray must be a numpy.ndarray, got {type(ndarray).__name__}"
        )
    try:
        dtype_name(ndarray.dtype)
    except DTypeError as error:
        raise ArgumentError(f"from_numpy: {error}") from None
    if zero_copy and not ndarray.dtype.isnative:
        raise ArgumentError(
            f"from_numpy: zero_copy=True needs the machine's order of bytes, not {ndarray.dtype}; "
            "pass zero_copy=False to copy the array"
        )
    if zero_copy and not ndarray.flags.c_contiguous:
        raise ShapeError(
            "from_numpy: zero_copy=True needs a C-contiguous array; pass zero_copy=False to copy it"
        )
    device = _cpu_device()
    if not zero_copy or not _unlocked(ndarray):
        return array_from(ndarray, device.context, array_cls)
    # The view is taken before the array is locked, and so stays writable.
    buffer = device.memory.from_dlpack(ndarray.view(), device.handle)
    ndarray.flags.writeable = False
    return array_cls.from_buffer(buffer, device)


def _unlocked(ndarray: npt.NDArray[Any]) -> bool:
    """Return whether a numpy array's memory can be made writable, as after an earlier lock."""
    try:
        ndarray.flags.writeable = True
    except ValueError:
        return False
    return True


def from_dlpack(dlpack: Any) -> NDArray:
    """Return an array that shares the memory of another library's array.

    Args:
        dlpack: An array with ``__dlpack__``, or a DLPack capsule, which is consumed.

    Raises:
        ArgumentError: ``dlpack`` is neither of these, or an already consumed capsule.
        ContextError: The memory is on an unsupported type of device.

    Example:
        >>> values = np.zeros(3)
        >>> from_dlpack(values)[:] = 1
        >>> values
        array([1., 1., 1.])
    """
    source = dlpack if hasattr(dlpack, "__dlpack__") else Capsule(dlpack)
    kind, number = source.__dlpack_device__()
    if kind in _ON_CPU:
        device = _cpu_device()
    elif kind in _ON_GPU:
        device = device_of(Context("gpu", number))
    else:
        raise ContextError(
            f"from_dlpack: DLPack device type {int(kind)} is not supported; copy the array to the "
            "CPU or a CUDA GPU first"
        )
    buffer = device.memory.from_dlpack(source, device.handle)
    device.share(buffer)  # the other library may write to it as well
    return NDArray.from_buffer(buffer, device)


def to_dlpack_for_read(data: NDArray) -> Any:
    """Return a DLPack capsule of an array's memory, for consumers that only read."""
    return data.to_dlpack_for_read()


def to_dlpack_for_write(data: NDArray) -> Any:
    """Return a DLPack capsule of an array's memory, for consumers that may write."""
    return data.to_dlpack_for_write()


_ON_CPU = (1, 3)  # host memory, and host memory pinned by CUDA
_ON_GPU = (2, 10)  # CUDA, ROCm


def _cpu_device() -> Device:
    context = current_context()
    return device_of(Context("cpu") if context.device_type == "gpu" else context)
