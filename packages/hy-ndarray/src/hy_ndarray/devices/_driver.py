"""Memory size and compute capability of NVIDIA GPUs, from the NVML library."""

import ctypes
import os
from functools import cache

from hy_ndarray._errors import ContextError


@cache
def _library() -> ctypes.CDLL:
    name = "nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1"
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ContextError(
            f"cannot query GPUs: {name}, a library of NVIDIA's driver, is not installed"
        ) from error
    _check_status(library.nvmlInit_v2(), "NVML does not start")
    return library


def _check_status(code: int, what: str) -> None:
    if code != 0:
        raise ContextError(f"{what}: NVIDIA's driver returned error {code}")


def _handle(device_id: int) -> ctypes.c_void_p:
    """Return NVML's handle of a GPU; the number counts the GPUs of ``CUDA_VISIBLE_DEVICES``."""
    # NVML ignores this variable, whose entries may be numbers or UUIDs.
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    shown_id = str(device_id)
    if visible is not None:
        shown = [name.strip() for name in visible.split(",") if name.strip()]
        if not 0 <= device_id < len(shown):
            raise ContextError(f"gpu({device_id}) is not in CUDA_VISIBLE_DEVICES={visible!r}")
        shown_id = shown[device_id]
    library, handle = _library(), ctypes.c_void_p()
    if shown_id.isdecimal():
        code = library.nvmlDeviceGetHandleByIndex_v2(int(shown_id), ctypes.byref(handle))
    else:
        code = library.nvmlDeviceGetHandleByUUID(shown_id.encode(), ctypes.byref(handle))
    _check_status(code, f"there is no gpu({device_id})")
    return handle


def memory_info(device_id: int) -> tuple[int, int]:
    """Return the free and the total memory of a GPU in bytes."""
    # In place of the struct nvmlMemory_t, which has these three fields.
    figures = (ctypes.c_ulonglong * 3)()  # total, free and used bytes
    handle = _handle(device_id)
    code = _library().nvmlDeviceGetMemoryInfo(handle, ctypes.byref(figures))
    _check_status(code, f"memory of gpu({device_id})")
    return figures[1], figures[0]


def compute_capability(device_id: int) -> int:
    """Return a GPU's compute capability times ten: 90 for 9.0."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    code = _library().nvmlDeviceGetCudaComputeCapability(
        _handle(device_id), ctypes.byref(major), ctypes.byref(minor)
    )
    _check_status(code, f"compute capability of gpu({device_id})")
    return 10 * major.value + minor.value
