"""Images: the very pixels OpenCV computes, and what random changes do."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import nd, random

PATTERN = (np.arange(35) * 37 % 256).astype(np.uint8).reshape(5, 7, 1)
SHRUNK = {  # read off MXNet 1.9.1
    0: [[0, 37, 111, 185], [3, 40, 114, 188], [9, 46, 120, 194]],
    1: [[15, 79, 144, 209], [20, 85, 149, 214], [25, 89, 154, 219]],
    2: [[12, 81, 143, 212], [17, 86, 148, 217], [22, 91, 153, 222]],
    3: [[17, 80, 144, 207], [22, 85, 149, 212], [27, 90, 154, 217]],
    4: [[11, 79, 144, 212], [17, 85, 149, 217], [22, 90, 154, 222]],
}
GROWN = {  # the first two rows
    0: [[0, 0, 37, 74, 111, 111, 148, 185, 222], [0, 0, 37, 74, 111, 111, 148, 185, 222]],
    1: [[0, 25, 53, 82, 111, 140, 168, 197, 222], [1, 26, 55, 83, 112, 141, 170, 199, 223]],
    2: [[0, 21, 54, 84, 111, 138, 168, 200, 224], [0, 22, 55, 85, 112, 139, 169, 202, 225]],
    3: [[0, 26, 53, 79, 111, 143, 169, 196, 222], [1, 28, 54, 80, 112, 144, 170, 197, 223]],
    4: [[0, 22, 55, 82, 111, 140, 167, 200, 224], [0, 23, 56, 83, 112, 141, 168, 201, 225]],
}


@pytest.fixture(autouse=True)
def seeded() -> None:
    random.seed(5)


@pytest.mark.parametrize("interp", range(5))
def test_pixels_are_those_of_opencv(interp: int) -> None:
    image = nd.array(PATTERN, dtype="uint8")
    small = nd.image.resize(image, size=(4, 3), interp=interp)
    large = nd.image.resize(image, size=(9, 8), interp=interp)
    assert small.asnumpy()[..., 0].tolist() == SHRUNK[interp]
    assert large.asnumpy()[:2, :, 0].tolist() == GROWN[interp]


@pytest.mark.parametrize("interp", range(1, 5))
def test_floating_images_differ_by_the_rounding(interp: int) -> None:
    image = nd.array(PATTERN, dtype="float32")
    exact = nd.image.resize(image, size=(4, 3), interp=interp).asnumpy()[..., 0]
    assert np.abs(exact - SHRUNK[interp]).max() < 1


def test_a_batch_is_resized_image_by_image() -> None:
    batch = nd.array(np.stack([PATTERN, PATTERN[::-1]]), dtype="uint8")
    y = nd.image.resize(batch, size=(4, 3)).asnumpy()
    for one, image in zip(y, (PATTERN, PATTERN[::-1]), strict=True):
        alone = nd.image.resize(nd.array(image, dtype="uint8"), size=(4, 3))
        np.testing.assert_array_equal(one, alone.asnumpy())


@pytest.mark.parametrize("name", ["left_right", "top_bottom"])
def test_flips_happen_one_time_in_two(name: str) -> None:
    image = nd.array([[[1.0], [2.0]], [[3.0], [4.0]]])
    flip = getattr(nd.image, f"random_flip_{name}")
    firsts = [flip(image).asnumpy().ravel()[0] for _ in range(400)]
    assert 150 < firsts.count(1.0) < 250


def _factors(name: str, low: float, high: float) -> Any:
    """How the spread of a gray ramp changes, drawn many times."""
    image = nd.array(np.linspace(0, 1, 12).reshape(2, 2, 3))
    change = getattr(nd.image, f"random_{name}")
    spreads = [np.ptp(change(image, min_factor=low, max_factor=high).asnumpy()) for _ in range(200)]
    return np.array(spreads)


@pytest.mark.parametrize("name", ["brightness", "contrast"])
def test_factors_are_between_the_bounds(name: str) -> None:
    spreads = _factors(name, 0.5, 1.5)
    assert (spreads.min() >= 0.5) & (spreads.max() <= 1.5)
    assert np.ptp(spreads) > 0.8


def test_integers_are_bounded() -> None:
    image = nd.array([[[200, 3, 100]]], dtype="uint8")
    y = nd.image.random_brightness(image, min_factor=1.5, max_factor=1.5)
    assert y.asnumpy().ravel().tolist() == [255, 4, 150]


def test_jitter_changes_brightness_within_its_width() -> None:
    image = nd.ones((3, 4, 3)) * 100
    means = []
    for _ in range(200):
        y = nd.image.random_color_jitter(image, brightness=0.2, contrast=0, saturation=0, hue=0)
        means.append(y.asnumpy().mean())
    assert (min(means) >= 80) & (max(means) <= 120)
    assert max(means) - min(means) > 30


def test_gray_has_no_hue_to_turn() -> None:
    image = nd.array([[[7.0, 7.0, 7.0]]])
    y = nd.image.random_color_jitter(image, brightness=0, contrast=0, saturation=0.5, hue=0.5)
    np.testing.assert_allclose(y.asnumpy(), image.asnumpy(), rtol=1e-6)


def test_lighting_shifts_all_pixels_alike() -> None:
    image = nd.array(np.arange(24.0).reshape(2, 4, 3))
    shifts = nd.image.random_lighting(image, alpha_std=0.1) - image
    values = shifts.asnumpy().reshape(-1, 3)
    np.testing.assert_allclose(values, np.broadcast_to(values[0], values.shape), atol=1e-5)
    assert np.abs(values[0]).max() > 0
