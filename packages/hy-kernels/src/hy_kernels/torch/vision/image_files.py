"""Borders around images; image files are decoded by the numpy table."""

from typing import Any

import numpy as np
import torch

from hy_kernels.numpy.vision.image_files import BORDERS
from hy_kernels.torch._constants import constant, on_device
from hy_kernels.torch._dtypes import NAMES
from hy_kernels.torch._host import HOST, numpy_kernel
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Tensor


@on_device
def _source_indices(
    size: int, before: int, after: int, border: str, device: torch.device
) -> Tensor:
    """Return the source row or column of each row or column of the padded image."""
    options: dict[str, Any] = {"mode": border}
    result = np.pad(np.arange(size), (before, after), **options)
    return torch.from_numpy(result).to(device)


@kernel()
def copy_make_border(
    src: Tensor,
    *,
    top: int,
    bot: int,
    left: int,
    right: int,
    type: int,
    value: float,
    values: tuple[float, ...],
) -> Tensor:
    """Return the image with a border around it."""
    rows, columns, channels = src.shape
    if type:
        down = _source_indices(rows, top, bot, BORDERS[type], src.device)
        across = _source_indices(columns, left, right, BORDERS[type], src.device)
        return src.index_select(0, down).index_select(1, across)
    color = [*values, *[0.0] * channels][:channels] if values else [value] * channels
    y = src.new_empty((rows + top + bot, columns + left + right, channels))
    numbers = tuple(np.array(color).astype(NAMES[src.dtype]).tolist())
    y[...] = constant(numbers, src.dtype, src.device)
    y[top : top + rows, left : left + columns] = src
    return y


for _name in HOST:
    kernel(_name)(numpy_kernel(_name))
