"""Matrix products, by oneDNN where it is faster than torch's BLAS."""

import platform
from pathlib import Path
from typing import Any

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.costs import COSTS

# No product has as many, so the comparison needs no second condition.
_MAX_PRODUCTS = 1 << 62  # multiplications: more than any product has


def min_products_for(capability: str, maker: str) -> int:
    """Return the number of multiplications from which oneDNN is faster than BLAS.

    MKL uses AVX-512 on Intel's CPUs only, and takes twice as long on others that have it. Where MKL
    uses all instruction sets, oneDNN is never faster: its call costs 10 to 40 µs more.

    Args:
        capability: Instruction set that torch uses, by its name in torch.
        maker: Vendor of the CPU.
    """
    # MKL takes its AVX-512 code on Intel only (measured: half the speed on AMD), hence the vendor.
    uses_all = capability == "AVX2" or (capability == "AVX512" and "GenuineIntel" in maker)
    return _MAX_PRODUCTS if uses_all else COSTS.products.onednn


def _maker() -> str:
    """Return the vendor of this CPU."""
    facts = Path("/proc/cpuinfo")
    if not facts.exists():
        return platform.processor()
    with facts.open(encoding="utf-8", errors="replace") as lines:
        return next((line for line in lines if line.startswith("vendor_id")), "")


# Read once at import: the CPU does not change.
MIN_PRODUCTS = min_products_for(torch.backends.cpu.get_cpu_capability(), _maker())
"""Multiplications from which oneDNN is faster on this CPU."""


def has_fast_blas() -> bool:
    """Return whether torch's BLAS uses all instruction sets of this CPU."""
    return MIN_PRODUCTS == _MAX_PRODUCTS


def multiplies_by_blas(rows: int) -> bool:
    """Return whether torch's BLAS is faster for the product of this many rows and a matrix."""
    return has_fast_blas() and rows <= COSTS.products.blas_rows


_HAS_ONEDNN: bool = torch._C._has_mkldnn


def has_onednn(data: Tensor) -> bool:
    """Return whether oneDNN's operators support a tensor."""
    return data.is_cpu and data.dtype is torch.float32 and _HAS_ONEDNN


def linear(
    rows: Tensor, weight: Tensor, bias: Tensor | None, activation: str, scalars: tuple[float, ...]
) -> Tensor:
    """Return the activation of ``rows · weightᵀ + bias`` by oneDNN.

    Args:
        rows: ``[*, I]``.
        weight: ``[O, I]``, plain or packed.
        bias: ``[O]``, or None.
        activation: Name of the activation in oneDNN, or "none".
        scalars: Parameters of the activation.
    """
    # The operator that torch.compile uses for fused linear layers; it has no public name.
    function: Any = torch.ops.mkldnn._linear_pointwise.default
    algorithm = "none" if activation == "gelu" else ""
    y: Tensor = function(rows, weight, bias, activation, list(scalars), algorithm)
    return y


# oneDNN takes a transposed factor without a copy, but no gaps.
def _contiguous(matrix: Tensor) -> Tensor:
    """Return the matrix if it or its transpose is contiguous, else a contiguous copy."""
    return matrix if matrix.is_contiguous() or matrix.t().is_contiguous() else matrix.contiguous()


def product_of_transposed(a: Tensor, b: Tensor) -> Tensor:
    """Return ``aᵀ · b`` of contiguous matrices by oneDNN; the result may be a transposed view.

    OneDNN needs a row-major left factor: torch copies ``aᵀ``; or it computes ``bᵀ · a``, for which
    it copies ``bᵀ``, and whose transpose is the result.
    """
    # Copies the smaller of factor and product: see `long` in costs.
    if len(a) < COSTS.products.long * b.shape[1]:
        return linear(a.t(), b.t(), None, "none", ())
    return linear(b.t(), a.t(), None, "none", ()).t()


def is_profitable(a: Tensor, b: Tensor) -> bool:
    """Return whether ``a · b`` is faster by oneDNN."""
    # An exported program runs on other machines and batch sizes, so it may not depend on this CPU.
    if torch.compiler.is_exporting():
        return False
    return a.numel() * b.shape[1] >= MIN_PRODUCTS and has_onednn(a)


def product(a: Tensor, b: Tensor, bias: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``a · b + bias``; ``out`` may be used for the result."""
    if is_profitable(a, b):
        # Both factors fit without a copy when the first is a transposed view.
        if bias is None and a.t().is_contiguous() and b.is_contiguous():
            return product_of_transposed(a.t(), b).contiguous()
        return linear(_contiguous(a), _contiguous(b.t()), bias, "none", ())
    if bias is None:
        return torch.mm(a, b, out=out)
    return torch.addmm(bias, a, b, out=out)
