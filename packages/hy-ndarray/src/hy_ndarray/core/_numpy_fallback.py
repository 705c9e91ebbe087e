"""Fallback to numpy's kernels on the host, for dtypes that a table does not support.

Torch lacks many functions for unsigned integers of more than 8 bits, and some for complex numbers.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_ndarray._dtypes import CLASSIC
from hy_ndarray.core import _state
from hy_ndarray.core._checks import raise_failure
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._levels import Level
from hy_ndarray.devices._protocols import Buffer, Kernel, Params
from hy_ndarray.devices._tables import installed_tables, kernel_table
from hy_ndarray.ops import Operator

_NUMPY = "numpy"


def numpy_fallback(
    op: Operator,
    inputs: Sequence[Any],
    device: Device,
    buffers: Sequence[Buffer | None],
    params: Params,
    error: Exception,
) -> Any:
    """Run the numpy table's kernel after another kernel failed; return results on the device.

    Args:
        op: The operator.
        inputs: The operands.
        device: The device whose kernel failed.
        buffers: The buffers of the operands.
        params: All parameters.
        error: The kernel's error; re-raised with an explanation if the fallback does not apply.
    """
    kernel = _numpy_kernel(op, device, buffers)
    if kernel is None:
        raise_failure(op, inputs, params, error)
    memory = device.memory
    values = {"is_train": _state.scope.training, "device": None}
    arrays = [None if x is None else memory.to_numpy(x) for x in buffers]
    try:
        results = kernel.function(*arrays, **params, **{need: values[need] for need in op.needs})
    except Exception:  # the first failure is reported
        raise_failure(op, inputs, params, error)
    if not isinstance(results, tuple):
        return memory.from_numpy(results, device.handle)
    return tuple([memory.from_numpy(x, device.handle) for x in results])


def _numpy_kernel(op: Operator, device: Device, buffers: Sequence[Buffer | None]) -> Kernel | None:
    """Return the numpy table's kernel; None if the fallback does not apply."""
    if isinstance(device, Level):
        return None
    # With MXNet's own dtypes, which tables support, the call is wrong. Random numbers would come
    # from another stream.
    is_classic = all(x is None or device.memory.dtype(x) in CLASSIC for x in buffers)
    if is_classic or "rng" in op.needs or device.buffer_type is np.ndarray:
        return None
    return kernel_table(_NUMPY).find(op.kernel) if _NUMPY in installed_tables() else None
