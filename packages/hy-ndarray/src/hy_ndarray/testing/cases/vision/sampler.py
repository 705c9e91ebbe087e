"""Cases of the sampling of images at computed positions."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _affine(data: Any, *, target_shape: tuple[int, int], **_: Any) -> Any:
    height, width = target_shape
    y = np.zeros((len(data), 2, height, width))
    for i, j in np.ndindex(height, width):
        position = np.array([2 * j / (width - 1) - 1, 2 * i / (height - 1) - 1, 1])
        y[:, :, i, j] = data.reshape(-1, 2, 3) @ position
    return y


def _warp(data: Any, **_: Any) -> Any:
    height, width = data.shape[2:]
    rows, columns = np.mgrid[:height, :width]
    x = (data[:, 0] + columns) / ((width - 1) / 2) - 1
    return np.stack([x, (data[:, 1] + rows) / ((height - 1) / 2) - 1], 1)


def _sampler(data: Any, grid: Any) -> Any:
    n, c, height, width = data.shape
    padded = np.pad(data, [(0, 0), (0, 0), (1, 1), (1, 1)])
    y = np.zeros((n, c, *grid.shape[2:]))
    for k, i, j in np.ndindex(n, *grid.shape[2:]):
        right = np.clip((grid[k, 0, i, j] + 1) * (width - 1) / 2 + 1, 0, width + 0.999999)
        down = np.clip((grid[k, 1, i, j] + 1) * (height - 1) / 2 + 1, 0, height + 0.999999)
        a, b = int(down), int(right)
        u, v = down - a, right - b
        y[k, :, i, j] = (
            padded[k, :, a, b] * (1 - u) * (1 - v)
            + padded[k, :, a, b + 1] * (1 - u) * v
            + padded[k, :, a + 1, b] * u * (1 - v)
            + padded[k, :, a + 1, b + 1] * u * v
        )
    return y


def _transformer(data: Any, loc: Any, *, target_shape: tuple[int, int], **_: Any) -> Any:
    return _sampler(data, _affine(loc, target_shape=target_shape))


_AFFINE = {"transform_type": "affine", "target_shape": (3, 4)}
_WARP = {"transform_type": "warp"}

CASES = (
    OpCase("GridGenerator", ((2, 6),), _affine, _AFFINE),
    OpCase("GridGenerator", ((2, 2, 3, 4),), _warp, _WARP),
    OpCase(
        "_grid_generator_backward",
        ((2, 2, 3, 4), (2, 6)),
        None,
        {"transform_type": "affine"},
        grad_inputs=(0,),
    ),
    OpCase("_grid_generator_backward", ((2, 2, 3, 4),) * 2, None, _WARP, grad_inputs=(0,)),
    OpCase(
        "_grid_generator_linear",
        ((2, 6), (2, 2, 3, 4)),
        lambda data, like, **_: _affine(data, target_shape=like.shape[2:]),
        {"transform_type": "affine"},
        grad_inputs=(0,),
    ),
    OpCase("BilinearSampler", ((2, 3, 4, 5), (2, 2, 3, 2)), _sampler, low=-0.9, high=0.9),
    OpCase("BilinearSampler", ((2, 3, 4, 5), (2, 2, 3, 2)), _sampler, low=-1.2, high=1.2),
    OpCase("_bilinear_sampler_backward", ((2, 3, 3, 2), (2, 3, 4, 5), (2, 2, 3, 2)), None),
    OpCase(
        "SpatialTransformer",
        ((2, 3, 4, 5), (2, 6)),
        _transformer,
        {**_AFFINE, "sampler_type": "bilinear"},
        low=-0.5,
        high=0.5,
    ),
)
