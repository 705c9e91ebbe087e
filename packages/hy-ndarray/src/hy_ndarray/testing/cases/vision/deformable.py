"""Cases of deformable convolution."""

from math import floor
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _seen(image: Any, y: float, x: float, *, fading: bool) -> Any:
    """Return ``image [C, H, W]`` interpolated bilinearly; zero or (``fading``) fading outside."""
    _, rows, columns = image.shape
    if not fading:
        if not (0 <= y < rows and 0 <= x < columns):
            return np.zeros(len(image))
        y, x = min(y, rows - 1), min(x, columns - 1)
    i, j, total = floor(y), floor(x), np.zeros(len(image))
    for k in (i, i + 1):
        for m in (j, j + 1):
            if 0 <= k < rows and 0 <= m < columns:
                total += image[:, k, m] * (1 - abs(y - k)) * (1 - abs(x - m))
    return total


def _convolved(data: Any, offset: Any, mask: Any, weight: Any, bias: Any, **attrs: Any) -> Any:
    kernel, groups, deformable = (
        attrs["kernel"],
        attrs.get("num_group", 1),
        attrs["num_deformable_group"],
    )
    (sy, sx), (dy, dx), (py, px) = (
        attrs.get(name, default) for name, default in (("stride", (1, 1)), ("dilate", (1, 1)),
                                                     ("pad", (0, 0)))
    )  # fmt: skip
    y = np.zeros((len(data), len(weight), *offset.shape[2:]))
    columns = np.zeros((len(data), data.shape[1], *kernel, *offset.shape[2:]))
    each = data.shape[1] // deformable
    for n, d, i, j, p, q in np.ndindex(len(data), deformable, *kernel, *offset.shape[2:]):
        tap = (d * kernel[0] + i) * kernel[1] + j
        down, right = offset[n, 2 * tap : 2 * tap + 2, p, q]
        where = slice(d * each, (d + 1) * each)
        position = p * sy - py + i * dy + down, q * sx - px + j * dx + right
        seen = _seen(data[n, where], *position, fading=mask is not None)
        columns[n, where, i, j, p, q] = seen * (1 if mask is None else mask[n, tap, p, q])
    split = columns.reshape(len(data), groups, -1, *columns.shape[2:])
    for n, o in np.ndindex(*y.shape[:2]):
        group = o * groups // len(weight)
        y[n, o] = np.einsum("cijpq,cij->pq", split[n, group], weight[o])
    return y if bias is None else y + bias[:, None, None]


def _plain(data: Any, offset: Any, weight: Any, bias: Any = None, **attrs: Any) -> Any:
    return _convolved(data, offset, None, weight, bias, **attrs)


def _masked(data: Any, offset: Any, mask: Any, weight: Any, bias: Any = None, **attrs: Any) -> Any:
    return _convolved(data, offset, mask, weight, bias, **attrs)


ONE = {"kernel": (3, 2), "num_filter": 4, "num_deformable_group": 1}
GROUPS = {"kernel": (2, 2), "num_filter": 2, "num_group": 2, "num_deformable_group": 2,
          "stride": (2, 1), "dilate": (1, 2), "pad": (1, 1), "no_bias": True}  # fmt: skip
BACK_ONE = {"num_deformable_group": 1}
BACK_GROUPS = {k: v for k, v in GROUPS.items() if k not in ("kernel", "num_filter", "no_bias")}

CASES = (
    OpCase("_contrib_DeformableConvolution", ((2, 3, 5, 4), (2, 12, 3, 3), (4, 3, 3, 2), (4,)),
           _plain, ONE),
    OpCase("_contrib_DeformableConvolution",
           ((1, 4, 5, 4), (1, 16, 3, 4), (2, 2, 2, 2), None), _plain, GROUPS),
    OpCase("_contrib_DeformableConvolution", ((0, 3, 5, 4), (0, 12, 3, 3), (4, 3, 3, 2), (4,)),
           lambda *_, **attrs: np.zeros((0, 4, 3, 3)), ONE),
    OpCase("_deformable_convolution_backward",
           ((2, 4, 3, 3), (2, 3, 5, 4), (2, 12, 3, 3), (4, 3, 3, 2)), None, BACK_ONE),
    OpCase("_deformable_convolution_backward",
           ((1, 2, 3, 4), (1, 4, 5, 4), (1, 16, 3, 4), (2, 2, 2, 2)), None, BACK_GROUPS),
    OpCase("_contrib_ModulatedDeformableConvolution",
           ((2, 3, 5, 4), (2, 12, 3, 3), (2, 6, 3, 3), (4, 3, 3, 2), (4,)), _masked, ONE),
    OpCase("_contrib_ModulatedDeformableConvolution",
           ((1, 4, 5, 4), (1, 16, 3, 4), (1, 8, 3, 4), (2, 2, 2, 2), None), _masked, GROUPS),
    OpCase("_modulated_deformable_convolution_backward",
           ((2, 4, 3, 3), (2, 3, 5, 4), (2, 12, 3, 3), (2, 6, 3, 3), (4, 3, 3, 2)), None, BACK_ONE),
    OpCase("_modulated_deformable_convolution_backward",
           ((1, 2, 3, 4), (1, 4, 5, 4), (1, 16, 3, 4), (1, 8, 3, 4), (2, 2, 2, 2)), None,
           BACK_GROUPS),
)  # fmt: skip
