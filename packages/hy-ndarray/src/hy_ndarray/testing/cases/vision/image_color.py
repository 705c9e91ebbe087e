"""Cases of brightness, contrast, saturation, hue and lighting of images."""

from colorsys import hls_to_rgb, rgb_to_hls
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

GRAY = np.array([0.299, 0.587, 0.114])
LIGHTING = np.array([
    [55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009],
    [55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140],
    [55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203],
])  # fmt: skip


def _saturation(data: Any, *, min_factor: float, **_: Any) -> Any:
    return data * min_factor + (data @ GRAY)[..., None] * (1 - min_factor)


def _contrast(data: Any, *, min_factor: float, **_: Any) -> Any:
    gray = data @ GRAY if data.shape[-1] == 3 else data
    return data * min_factor + gray.mean() * (1 - min_factor)


def _hue(data: Any, *, min_factor: float, **_: Any) -> Any:
    y = np.empty_like(data)
    for i, j in np.ndindex(*data.shape[:2]):
        hue, *rest = rgb_to_hls(*data[i, j])
        y[i, j] = hls_to_rgb((hue + min_factor) % 1, *rest)
    return y


def _by(factor: float) -> dict[str, float]:
    return {"min_factor": factor, "max_factor": factor}


def _bounded(data: Any, **_: Any) -> Any:
    return np.minimum(data * 1.5, 255).astype(np.uint8)


BYTES = np.random.default_rng(3).integers(0, 256, (4, 3, 3)).astype(np.uint8)
ALPHA = (0.1, -0.2, 0.3)
NO_JITTER = {"brightness": 0.0, "contrast": 0.0, "saturation": 0.0, "hue": 0.0}

CASES = (
    OpCase("_image_random_brightness", ((3, 4, 3),), lambda x, **_: x * 1.25, _by(1.25)),
    OpCase("_image_random_brightness", ((4, 3, 3),), _bounded, _by(1.5), inputs={0: BYTES}),
    OpCase("_image_random_contrast", ((3, 4, 3),), _contrast, _by(0.75)),
    OpCase("_image_random_contrast", ((3, 1, 1),), _contrast, _by(1.5)),
    OpCase("_image_random_contrast", ((0, 4, 3),), lambda x, **_: x, _by(0.5)),
    OpCase("_image_random_saturation", ((3, 4, 3),), _saturation, _by(0.5)),
    OpCase("_image_random_saturation", ((3, 4, 1),), lambda x, **_: x, _by(0.5)),
    OpCase("_image_random_hue", ((3, 4, 3),), _hue, _by(0.3), low=0, high=1),
    OpCase("_image_random_hue", ((1, 2, 3),), _hue, _by(1.1), low=0, high=1),
    OpCase("_image_random_hue", ((2, 1, 1),), lambda x, **_: x, _by(0.3)),
    OpCase("_image_random_color_jitter", ((2, 3, 3),), lambda x, **_: x, NO_JITTER),
    OpCase("_image_random_color_jitter", ((2, 3, 3),), None,
           {"brightness": 0.1, "contrast": 0.2, "saturation": 0.3, "hue": 0.1}, low=0, high=1),
    OpCase("_image_adjust_lighting", ((2, 3, 3),), lambda x, alpha: x + LIGHTING @ alpha,
           {"alpha": ALPHA}),
    OpCase("_image_adjust_lighting", ((2, 3, 1),), lambda x, alpha: x, {"alpha": ALPHA}),
    OpCase("_image_random_lighting", ((2, 3, 3),), lambda x, **_: x, {"alpha_std": 0.0}),
)  # fmt: skip
