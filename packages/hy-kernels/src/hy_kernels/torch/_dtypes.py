"""Conversion between dtype names and torch's dtypes."""

from collections.abc import Mapping

import torch

TYPES: Mapping[str, torch.dtype] = {
    "float32": torch.float32,
    "float64": torch.float64,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "uint8": torch.uint8,
    "int8": torch.int8,
    "int32": torch.int32,
    "int64": torch.int64,
    "bool": torch.bool,
    "int16": torch.int16,
    "uint16": torch.uint16,
    "uint32": torch.uint32,
    "uint64": torch.uint64,
    "complex64": torch.complex64,
    "complex128": torch.complex128,
}
NAMES: Mapping[torch.dtype, str] = {dtype: name for name, dtype in TYPES.items()}

# 16-bit floats whose sums lose digits: accumulated in float32.
_HALF_DTYPES = (torch.float16, torch.bfloat16)


def torch_type(name: str) -> torch.dtype:
    """Return torch's dtype of a name.

    Raises:
        TypeError: Torch has no dtype of that name.
    """
    result = TYPES.get(name)
    if result is None:
        raise TypeError(f"no tensors of dtype {name!r}; there are {', '.join(TYPES)}")
    return result


def refuse_complex(dtype: torch.dtype) -> None:
    """Raise an error for complex dtypes, which kernels for floats or integers do not support.

    Raises:
        NotImplementedError: ``dtype`` is complex.
    """
    if dtype.is_complex:
        raise NotImplementedError(f"not implemented for {NAMES[dtype]}")


def accumulator(dtype: torch.dtype) -> torch.dtype:
    """Return the dtype to sum a dtype in: float32 for 16-bit floats, else the dtype itself."""
    return torch.float32 if dtype in _HALF_DTYPES else dtype


def widest(device: torch.device) -> torch.dtype:
    """Return the widest floating dtype of a device: float64, or float32 on Apple's GPUs."""
    # Apple's GPUs have no float64.
    return torch.float32 if device.type == "mps" else torch.float64
