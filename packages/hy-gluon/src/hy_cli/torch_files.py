"""Files of PyTorch: a ``state_dict``, read and written by PyTorch itself."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hy_io import Array, atomic_write

__all__ = ["TORCH", "load_state_dict", "save_state_dict"]

TORCH = (".pt", ".pth")


def _torch() -> Any:
    try:
        import torch  # noqa: PLC0415  # an extra
    except ImportError:
        endings = " and ".join(TORCH)
        raise ImportError(
            f"files that end in {endings} need PyTorch: `pip install torch`, or convert to "
            ".safetensors with `--to torch`, which PyTorch reads too",
            name="torch",
        ) from None
    return torch


def load_state_dict(path: str) -> dict[str, Array]:
    """The arrays of PyTorch's file, of which nothing is run.

    Raises:
        ValueError: PyTorch refuses it, it holds no ``state_dict``, or numpy lacks a dtype.
        ImportError: PyTorch is not installed.
    """
    torch = _torch()
    with Path(path).open("rb") as file:
        mapped = file.read(4) == b"PK\x03\x04"  # PyTorch's older form cannot be mapped
    try:
        found = torch.load(path, map_location="cpu", weights_only=True, mmap=mapped)
    except Exception as error:
        raise ValueError(
            f"{path}: PyTorch finds no file of arrays alone ({type(error).__name__}); save the "
            "`state_dict()` of a module"
        ) from None
    state = found.get("state_dict", found) if isinstance(found, Mapping) else found
    if not isinstance(state, Mapping) or not all(hasattr(x, "numpy") for x in state.values()):
        raise ValueError(f"{path} holds no state_dict")
    try:
        return {name: _array(torch, tensor.detach()) for name, tensor in state.items()}
    except TypeError as error:  # a dtype that numpy has not
        raise ValueError(f"{path}: {error}") from None


def _array(torch: Any, tensor: Any) -> Array:
    if tensor.dtype == torch.bfloat16:
        import ml_dtypes  # noqa: PLC0415  # an extra of hy-io

        bits: Array = tensor.view(torch.int16).numpy()
        return bits.view(ml_dtypes.bfloat16)
    array: Array = tensor.numpy()
    return array


def save_state_dict(path: str, arrays: Mapping[str, Array]) -> None:
    """Write arrays as a file of PyTorch's, in one step; those that can be written are not copied.

    Raises:
        ImportError: PyTorch is not installed.
    """
    torch = _torch()
    state = {name: _tensor(torch, array) for name, array in arrays.items()}
    with atomic_write(path) as file:
        torch.save(state, file)


def _tensor(torch: Any, array: Array) -> Any:
    if array.dtype.name == "bfloat16":
        return _tensor(torch, array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(np.require(array, requirements=["W"]))
