"""Choice of a convolution's algorithm, by its operands and :data:`.COSTS`.

==============  =================================================================================
``"small"``     Torch's own function, sample by sample: :mod:`._small`
``"product"``   1 by 1 kernels as matrix products: :mod:`._pointwise`, :mod:`.nhwc`
``"windows"``   The gradient to the weight as one product with all windows: :mod:`._windows`
``"winograd4"`` Winograd's algorithm with tiles of 4 by 4 results, for prediction:
                :mod:`hy_kernels.torch.nn.convolution.winograd`
``"torch"``     What torch chooses: oneDNN on CPUs, cuDNN on GPUs
==============  =================================================================================
"""

import sys
from collections.abc import Sequence
from math import prod
from typing import Literal, TypeAlias

import torch

from hy_kernels.torch._tensor import PLAIN, Tensor
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.runtime._onednn import has_fast_blas
from hy_kernels.windows import Sizes, filled
from hy_kernels.winograd import TILES

__all__ = [
    "Algorithm",
    "first",
    "min_images",
    "nhwc",
    "nhwc_order",
    "prepared",
    "strided",
    "to_weight",
]

Algorithm: TypeAlias = Literal["small", "product", "windows", "winograd4", "torch"]
_IMAGES = 4  # axes
_SMALL_IMAGE = 20480  # elements of one image, up to which torch itself does not ask oneDNN
_SIDE, _PLANES = TILES["winograd4"].size, (TILES["winograd4"].size + 2) ** 2


def first(
    data: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    dilate: Sequence[int],
    pad: Sequence[int],
    groups: int,
) -> Algorithm:
    """Return the algorithm for data ``[N, C, *size]`` and weight ``[O, C / groups, *kernel]``.

    The gradients use it too. Stride, dilation and padding have a value for each axis, or are empty.
    """
    # Products would be one call for each group.
    if groups != 1:
        return "torch"
    if max(dilate, default=1) == 1 and _is_small(data, weight):
        return "small"
    return "product" if _is_product(data, weight, stride, pad) else "torch"


def min_images(kernel: Sequence[int], pad: Sequence[int], groups: int) -> int:
    """Return the smallest batch for which :func:`first` may select another algorithm than torch's.

    Below, the call of :func:`first` is saved: a microsecond, as long as a small convolution itself.
    """
    if groups != 1:
        return sys.maxsize
    return 2 if any(pad) or prod(kernel) != 1 else 0


def to_weight(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    dilate: Sequence[int],
    pad: Sequence[int],
    groups: int,
) -> Algorithm:
    """Return the algorithm for the gradient to the weight; ``dy`` is ``[N, O, *size]``."""
    if _has_large_weight(dy, data, weight, groups) and not _is_product(data, weight, stride, pad):
        return "windows"
    return first(data, weight, stride, dilate, pad, groups)


def _is_small(data: Tensor, weight: Tensor) -> bool:
    """Return whether oneDNN's start-up takes longer than a small batch's computation."""
    if torch.compiler.is_exporting():  # a program for batches of every size
        return False
    if data.dtype is not torch.float32 or data.ndim != _IMAGES or len(data) < 2 or not data.is_cpu:
        return False
    channels = data.shape[1]
    products = data.numel() * weight.numel() // max(channels, 1)
    return bool(weight.shape[1] == channels and 0 < products <= COSTS.convolution.native_products)


def _is_product(data: Tensor, weight: Tensor, stride: Sequence[int], pad: Sequence[int]) -> bool:
    """Return whether this is a 1 by 1 convolution that products compute faster than oneDNN."""
    if torch.compiler.is_exporting():
        return False
    if data.dtype is not torch.float32 or weight.dtype is not torch.float32 or any(pad):
        return False
    kernel = weight.shape[2:]
    if not kernel or prod(kernel) != 1 or weight.shape[1] != data.shape[1]:
        return False
    if not data.is_cpu or not data.numel() or not weight.numel() or not has_fast_blas():
        return False
    if len(data) == 1:
        # A smaller one torch computes itself, which is as fast.
        return bool(data.numel() > _SMALL_IMAGE)
    count = prod(data.shape[2:]) // prod(stride)
    costs = COSTS.convolution
    return bool(count >= costs.product_pixels and weight.numel() <= costs.product_weight)


def _has_large_weight(dy: Tensor, data: Tensor, weight: Tensor, groups: int) -> bool:
    """Return whether the weight is so large for its images that copying its gradient dominates."""
    if groups != 1 or weight.ndim != _IMAGES or not data.is_cpu or not has_fast_blas():
        return False
    if not weight.dtype is data.dtype is dy.dtype or data.dtype not in PLAIN:
        return False
    count = dy.numel() // len(weight) if len(weight) else 0
    costs = COSTS.convolution
    min_points = costs.large_points if prod(weight.shape[2:]) == 1 else costs.large_windows
    return bool(0 < count * min_points <= weight.numel())


# --- channels last --------------------------------------------------------------------------


def strided(data: Tensor, stride: Sequence[int]) -> Tensor:
    """Return the pixels of ``data [N, H, W, C]`` that 1 by 1 windows read."""
    return data if max(stride, default=1) == 1 else data[:, :: stride[0], :: stride[1]]


def nhwc(
    data: Tensor, weight: Tensor, stride: Sequence[int], pad: Sequence[int], groups: int
) -> Algorithm:
    """Return the algorithm for convolutions of ``[N, H, W, C]``: ``"product"`` or ``"torch"``."""
    if data.dtype is not torch.float32 or weight.dtype is not torch.float32 or groups != 1:
        return "torch"
    if prod(weight.shape[2:]) != 1 or any(pad) or weight.shape[1] != data.shape[3]:
        return "torch"
    rows = strided(data, stride)[..., 0].numel() if data.numel() else 0
    is_product = data.is_cpu and 0 < rows <= COSTS.nhwc.product_rows and weight.numel() > 0
    return "product" if is_product and has_fast_blas() else "torch"


def nhwc_order(
    data: Sequence[int], weight: Sequence[int], number: Sequence[int], groups: int
) -> Literal["", "light", "heavy", "product"]:
    """Classify a convolution by what it gains from channels last in training.

    ``"light"`` ones gain, ``"heavy"`` ones lose, ``"product"`` ones do neither; ``""``: too small
    to count. ``number`` is the number of windows along each axis.
    """
    costs = COSTS.nhwc
    if data[0] < costs.batch or prod(data) < costs.images:
        return ""
    count = data[0] * prod(number)
    if prod(weight) <= costs.weight * count:
        return "light"
    is_product = prod(weight[2:]) == 1 and groups == 1 and has_fast_blas()
    return "product" if is_product and count <= costs.product_rows else "heavy"


def prepared(
    images: Sequence[int], weight: Sequence[int], pad: Sizes, *, by_blas: bool
) -> Algorithm:
    """Return the algorithm for float32 prediction with a prepared weight.

    The convolution must have no stride, dilation or groups.
    """
    n, _, height, width = images
    if tuple(weight[2:]) == (3, 3) and _is_tiled(images, weight, pad, by_blas=by_blas):
        return "winograd4"
    if tuple(weight[2:]) != (1, 1) or any(pad):
        return "torch"
    is_product = n * height * width * prod(weight) <= COSTS.convolution.product
    return "product" if is_product else "torch"


def _is_tiled(images: Sequence[int], weight: Sequence[int], pad: Sizes, *, by_blas: bool) -> bool:
    """Return whether Winograd saves more multiplications than its transforms cost."""
    costs = COSTS.convolution
    move = costs.tiled_move_blas if by_blas else costs.tiled_move_onednn
    calls = costs.tiled_calls_blas if by_blas else costs.tiled_calls_onednn
    n, channels, *size = images
    filters = weight[0]
    number = [w + 2 * p - 2 for w, p in zip(size, filled(pad, 0, 2), strict=True)]
    tiles = n * prod(-(-w // _SIDE) for w in number)
    each = channels * filters
    # Both sides count products: 36 for a tile of 16 results in place of 144, and what transforms
    # and calls cost.
    direct = 9 * each * (n * prod(number) + costs.tiled_load)
    moved = tiles * (channels + filters) * move
    return _PLANES * (each * (tiles + costs.tiled_load) + moved) + calls < direct
