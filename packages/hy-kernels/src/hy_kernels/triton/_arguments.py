"""Argument checks of the PyTorch functions, so that no kernel reads out of bounds.

Messages name the function, and each tensor with its dtype and shape.
"""

from collections.abc import Mapping, Sequence

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton.runtime._launch import runs_on

OF_PRODUCTS = (torch.float16, torch.bfloat16, torch.float32)
"""Dtypes whose products are added up in float32."""
OF_FLOAT8 = (torch.float16, torch.bfloat16)
"""Dtypes that are rounded to float8."""
FLOATS = (*OF_PRODUCTS, torch.float64)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _listed(tensors: Mapping[str, Tensor | None]) -> str:
    operands = [(name, x) for name, x in tensors.items() if x is not None]
    return ", ".join(f"{name} {_name(x.dtype)}{tuple(x.shape)}" for name, x in operands)


def require(holds: bool, function: str, rule: str, **tensors: Tensor | None) -> None:
    """Raise an error that lists the tensors, unless a rule about their shapes holds.

    Args:
        holds: Whether the rule holds.
        function: Name of the function that was called.
        rule: The rule, in words.
        tensors: The arguments by name; None for an omitted one.

    Raises:
        ValueError: ``holds`` is false.
    """
    if not holds:
        raise ValueError(f"{function}: {rule}; given {_listed(tensors)}")


def check_dtypes(function: str, dtypes: Sequence[torch.dtype], **tensors: Tensor | None) -> None:
    """Raise an error unless all tensors have the same dtype, and ``dtypes`` contains it.

    Raises:
        TypeError: Their dtypes differ, or the function has no kernel for them.
    """
    first, *others = (x.dtype for x in tensors.values() if x is not None)
    if first not in dtypes or any(each != first for each in others):
        names, which = ", ".join(map(_name, dtypes)), "one dtype of " if others else ""
        raise TypeError(f"{function}: takes {which}{names}; given {_listed(tensors)}; cast them")


def runs_here(function: str, *tensors: Tensor | None) -> None:
    """Raise an error unless all tensors are on the same device, and Triton runs there.

    Raises:
        ValueError: Their devices differ, or Triton does not run on one of them.
    """
    operands = [x for x in tensors if x is not None]
    for x in operands:
        if not runs_on(x):
            raise ValueError(
                f"{function}: a tensor is on {x.device}; Triton's kernels run on CUDA devices, and "
                "on the CPU if TRITON_INTERPRET=1 is set before hy_kernels.triton is imported"
            )
        if x.device != operands[0].device:
            raise ValueError(f"{function}: tensors are on {operands[0].device} and on {x.device}")
