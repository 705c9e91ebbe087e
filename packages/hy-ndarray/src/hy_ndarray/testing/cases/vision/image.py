"""Cases of images ``[H, W, C]``: resizing, cropping, flipping, normalization."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

RNG = np.random.default_rng(3)
BYTES = RNG.integers(0, 256, (4, 6, 3)).astype(np.uint8)
EVEN = np.zeros((2, 4, 3, 1), np.uint8)
PART = {"x": 1, "y": 2, "width": 3, "height": 1}
ROW = np.array([[[0], [10], [20], [30]]], np.float64)


def _linear(data: Any, size: Any) -> Any:
    """Return the image resized by linear interpolation between pixel centers."""
    for axis, wanted in ((-3, size[1]), (-2, size[0])):
        n = data.shape[axis]
        positions = np.clip((np.arange(wanted) + 0.5) * n / wanted - 0.5, 0, n - 1)
        low = np.minimum(np.floor(positions).astype(int), max(n - 2, 0))
        part = np.expand_dims(positions - low, (-1, -2) if axis == -3 else (-1,))
        high = np.minimum(low + 1, n - 1)
        data = np.take(data, low, axis) * (1 - part) + np.take(data, high, axis) * part
    return data


def _blocks(data: Any, size: Any, **_: Any) -> Any:
    """Return the image resized by averaging blocks, whose size divides that of the image."""
    (columns, rows), (h, w, c) = size, data.shape
    return data.reshape(rows, h // rows, columns, w // columns, c).mean((1, 3))


def _tensor(data: Any) -> Any:
    return (np.moveaxis(data, -1, -3) / 255).astype(np.float32)


def _normalize(data: Any, mean: Any = (0,), std: Any = (1,)) -> Any:
    return (data - np.reshape(mean, (-1, 1, 1))) / np.reshape(std, (-1, 1, 1))


def _padded(dy: Any, data: Any, *, x: int, y: int, width: int, height: int) -> Any:
    dx = np.zeros_like(data)
    dx[..., y : y + height, x : x + width, :] = dy
    return dx


CASES = (
    OpCase("_image_to_tensor", ((4, 6, 3),), _tensor, inputs={0: BYTES}),
    OpCase("_image_to_tensor", ((2, 3, 1, 4),), None),
    OpCase("_image_to_tensor", ((0, 3, 3),), _tensor, inputs={0: np.zeros((0, 3, 3), np.uint8)}),
    OpCase("_image_normalize", ((3, 4, 5),), _normalize,
           {"mean": (0.5, 0.4, 0.3), "std": (0.2, 0.25, 2.0)}),
    OpCase("_image_normalize", ((2, 1, 3, 1),), _normalize, {"mean": (0.5,), "std": (0.1,)}),
    OpCase("_image_normalize", ((3, 2, 2),), lambda x: x),
    OpCase("_image_resize", ((4, 6, 3),), lambda x, size: _linear(x, size).astype(np.float32),
           {"size": (5, 7)}, inputs={0: RNG.uniform(0, 1, (4, 6, 3)).astype(np.float32)}),
    OpCase("_image_resize", ((2, 5, 3, 1),), lambda x, **_: _linear(x, (2, 3)),
           {"size": (2,), "keep_ratio": True}, inputs={0: RNG.integers(0, 9, (2, 5, 3, 1)) / 8}),
    OpCase("_image_resize", ((6, 4, 2),), lambda x, **_: x[[0, 2, 4]][:, [0, 1, 2]],
           {"size": (3,), "interp": 0}, check_grad=False),
    OpCase("_image_resize", ((6, 4, 2),), _blocks, {"size": (2, 2), "interp": 3}),
    OpCase("_image_resize", ((1, 4, 1),), lambda x, **_: np.array([[[4.0625], [25.9375]]]),
           {"size": (2, 1), "interp": 2}, inputs={0: ROW}),
    OpCase("_image_resize", ((1, 4, 1),), lambda x, **_: np.array([[[5], [25]]]),
           {"size": (2, 1), "interp": 1}, inputs={0: ROW}),
    OpCase("_image_resize", ((2, 5, 7, 3),), None, {"size": (4, 9), "interp": 4}),
    OpCase("_image_resize", ((3, 3, 1),), lambda x, **_: x.copy(), {"size": (3,), "interp": 4}),
    OpCase("_image_resize", ((0, 5, 3, 1),), lambda x, **_: np.zeros((0, 2, 2, 1)), {"size": (2,)}),
    OpCase("_cvimresize", ((2, 2, 1),), lambda x, **_: np.array([[[10], [15]]]),
           {"w": 2, "h": 1}, inputs={0: np.array([[[0], [10]], [[20], [20]]], np.uint8)}),
    OpCase("_cvimresize", ((2, 4, 1),), lambda x, **_: np.array([[[8], [2]]]),
           {"w": 2, "h": 1}, inputs={0: np.array([[[7], [9], [1], [2]], [[8], [7], [3], [3]]],
                                                 np.uint8)}),
    OpCase("_cvimresize", ((4, 6, 3),), None, {"w": 9, "h": 5, "interp": 2}, inputs={0: BYTES}),
    OpCase("_cvimresize", ((4, 6, 3),), None, {"w": 4, "h": 3, "interp": 3}, inputs={0: BYTES}),
    OpCase("_cvimresize", ((4, 6, 3),), None, {"w": 9, "h": 3, "interp": 3}, inputs={0: BYTES}),
    OpCase("_image_crop", ((4, 5, 3),), lambda data, **_: data[2:3, 1:4], PART),
    OpCase("_image_crop", ((2, 3, 4, 1),), lambda data, **_: data[:, 2:3, 1:4], PART),
    OpCase("_image_crop_backward", ((1, 3, 2), (4, 5, 2)), _padded, PART),
    OpCase("_image_flip_left_right", ((3, 5, 2),), lambda x: x[:, ::-1]),
    OpCase("_image_flip_left_right", ((2, 1, 4, 3),), lambda x: x[:, :, ::-1]),
    OpCase("_image_flip_left_right", ((2, 4, 3, 1),), lambda x: x, inputs={0: EVEN}),
    OpCase("_image_flip_top_bottom", ((5, 3, 2),), lambda x: x[::-1]),
    OpCase("_image_flip_top_bottom", ((2, 4, 1, 3),), lambda x: x[:, ::-1]),
    OpCase("_image_random_flip_left_right", ((3, 1, 2),), lambda x: x),
    OpCase("_image_random_flip_top_bottom", ((1, 3, 2),), lambda x: x),
)  # fmt: skip
