"""Transforms of images: values by definition, random ones within their limits, named mistakes."""

import doctest
import importlib
import pkgutil
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_gluon import LayerError
from hy_gluon.block import Block
from hy_gluon.data import ArrayDataset, DataLoader
from hy_gluon.data.vision import transforms
from hy_ndarray import ShapeError, nd, random as hy_random

MODULES = [
    info.name for info in pkgutil.iter_modules(transforms.__path__, transforms.__name__ + ".")
]
PIXELS = np.random.default_rng(2).integers(0, 256, (6, 9, 3), dtype=np.uint8)
FLOATS = PIXELS.astype(np.float32)

GRAY = FLOATS @ np.array([0.299, 0.587, 0.114], np.float32)


def _turned(pixels: Any) -> Any:
    return pixels.transpose(2, 0, 1)


ROWS: list[tuple[Block, Any, Any]] = [
    (transforms.Cast("int32"), FLOATS, PIXELS.astype(np.int32)),
    (transforms.ToTensor(), PIXELS, _turned(FLOATS) / 255),
    (transforms.Normalize(2, 4), _turned(FLOATS), (_turned(FLOATS) - 2) / 4),
    (
        transforms.Normalize((1, 2, 3), (2, 4, 8)),
        _turned(FLOATS),
        _turned((FLOATS - [1, 2, 3]) / [2, 4, 8]),
    ),
    (transforms.Resize((18, 12), interpolation=0), PIXELS, PIXELS.repeat(2, 0).repeat(2, 1)),
    (
        transforms.Resize(9, interpolation=0),
        PIXELS[:3, :3],
        PIXELS[:3, :3].repeat(3, 0).repeat(3, 1),
    ),
    (
        transforms.Resize(12, keep_ratio=True, interpolation=0),
        PIXELS,
        PIXELS.repeat(2, 0).repeat(2, 1),
    ),
    (transforms.CropResize(1, 2, 4, 3), PIXELS, PIXELS[2:5, 1:5]),
    (
        transforms.CropResize(1, 2, 4, 3, (8, 6), 0),
        PIXELS,
        PIXELS[2:5, 1:5].repeat(2, 0).repeat(2, 1),
    ),
    (transforms.CenterCrop(4), PIXELS, PIXELS[1:5, 2:6]),
    (transforms.CenterCrop((5, 4)), PIXELS, PIXELS[1:5, 2:7]),
    (transforms.CenterCrop(12, interpolation=0), PIXELS, PIXELS[:, 1:7].repeat(2, 0).repeat(2, 1)),
    (transforms.RandomResizedCrop((9, 6), (1, 1), (1.5, 1.5)), PIXELS, PIXELS),
    (transforms.Rotate(180), _turned(FLOATS), _turned(FLOATS)[:, ::-1, ::-1]),
    (transforms.RandomRotation((179.999, 180)), _turned(FLOATS), _turned(FLOATS)[:, ::-1, ::-1]),
    (transforms.RandomRotation((5, 9), rotate_with_proba=0), _turned(FLOATS), _turned(FLOATS)),
    (transforms.RandomBrightness(0), FLOATS, FLOATS),
    (transforms.RandomContrast(0), FLOATS, FLOATS),
    (transforms.RandomSaturation(0), FLOATS, FLOATS),
    (transforms.RandomColorJitter(), FLOATS, FLOATS),
    (transforms.RandomLighting(0), FLOATS, FLOATS),
    (transforms.RandomApply(transforms.Cast("int32"), p=1), FLOATS, PIXELS.astype(np.int32)),
    (transforms.RandomApply([transforms.Cast("int32")], p=0), FLOATS, FLOATS),
]


@pytest.mark.parametrize(
    ("transform", "given", "expected"), ROWS, ids=[type(row[0]).__name__ for row in ROWS]
)
def test_values_are_those_of_the_definition(transform: Block, given: Any, expected: Any) -> None:
    x = nd.array(given, dtype=given.dtype)
    found = transform(x).asnumpy()
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=0.05)
    assert (x.asnumpy() == given).all()


def test_every_transform_is_tested() -> None:
    made = {type(row[0]).__name__ for row in ROWS}
    drawn = {"RandomFlipLeftRight", "RandomFlipTopBottom", "RandomHue", "Compose"}
    known = {name for name, value in vars(transforms).items() if isinstance(value, type)}
    assert known == made | drawn


@pytest.mark.parametrize(
    ("transform", "axis"),
    [(transforms.RandomFlipLeftRight(), 1), (transforms.RandomFlipTopBottom(), 0)],
)
def test_flips_happen_half_of_the_time(transform: Block, axis: int) -> None:
    x = nd.array(PIXELS, dtype="uint8")
    flipped = np.flip(PIXELS, axis)
    count = 0
    for _ in range(200):
        found = transform(x).asnumpy()
        is_flipped = (found == flipped).all()
        assert is_flipped or (found == PIXELS).all()
        count += is_flipped
    assert 60 < count < 140


def _factors(transform: Block, part: Any, whole: Any) -> list[float]:
    """Where between ``part`` (0) and ``whole`` (1) the results are."""
    x = nd.array(FLOATS)
    factors = []
    for _ in range(50):
        found = transform(x).asnumpy()
        way = (whole - part).ravel()
        factor = float((found - part).ravel() @ way / (way @ way))
        np.testing.assert_allclose(found, part + factor * (whole - part), atol=0.2)
        factors.append(factor)
    return factors


@pytest.mark.parametrize(
    ("transform", "part"),
    [
        (transforms.RandomBrightness(0.4), np.zeros_like(FLOATS)),
        (transforms.RandomContrast(0.4), np.full_like(FLOATS, GRAY.mean())),
        (transforms.RandomSaturation(0.4), np.repeat(GRAY[..., None], 3, 2)),
        (transforms.RandomColorJitter(brightness=0.4), np.zeros_like(FLOATS)),
    ],
)
def test_factors_are_drawn_around_one(transform: Block, part: Any) -> None:
    hy_random.seed(1)
    factors = _factors(transform, part, FLOATS)
    assert 0.6 <= min(factors) < 0.7
    assert 1.3 < max(factors) <= 1.401


def test_hues_turn_and_keep_lightness() -> None:
    hy_random.seed(1)
    x = nd.array(FLOATS)
    found = [transforms.RandomHue(0.5)(x).asnumpy() for _ in range(5)]
    assert max(np.abs(a - FLOATS).max() for a in found) > 5
    for a in found:
        ends = a.max(2) + a.min(2)
        np.testing.assert_allclose(ends, FLOATS.max(2) + FLOATS.min(2), atol=1)


def test_lighting_shifts_all_pixels_alike() -> None:
    found = transforms.RandomLighting(0.5)(nd.array(FLOATS)).asnumpy() - FLOATS
    np.testing.assert_allclose(found, np.broadcast_to(found[0, 0], found.shape), atol=1e-3)
    assert np.abs(found).max() > 0


def test_random_parts_have_their_size_and_come_from_everywhere() -> None:
    random.seed(4)
    values = np.arange(100, dtype=np.float32).reshape(10, 10, 1)
    crop = transforms.RandomResizedCrop(1, (0.01, 0.01), (1, 1))
    seen = {float(crop(nd.array(values)).asscalar()) for _ in range(300)}
    assert len(seen) > 80
    assert transforms.RandomResizedCrop((4, 3))(nd.array(values)).shape == (3, 4, 1)


def test_random_apply_happens_with_its_probability() -> None:
    random.seed(4)
    transform = transforms.RandomApply(transforms.Cast("int32"), p=0.3)
    x = nd.array(FLOATS)
    assert 60 < sum(transform(x).dtype == np.int32 for _ in range(300)) < 120


def test_compose_groups_hybrid_blocks() -> None:
    made = transforms.Compose(
        [
            transforms.Resize(8),
            transforms.ToTensor(),
            transforms.Rotate(10),
            transforms.Rotate(10),
            transforms.Normalize(0.5, 0.5),
        ]
    )
    kinds = [type(block).__name__ for block in made._children.values()]
    assert kinds == ["HybridSequential", "Rotate", "Rotate", "Normalize"]
    assert made(nd.array(PIXELS, dtype="uint8")).shape == (3, 8, 8)
    made.hybridize()
    assert made(nd.array(PIXELS, dtype="uint8")).shape == (3, 8, 8)
    assert transforms.Compose([])(nd.ones((1,))).asscalar() == 1


@pytest.mark.parametrize("workers", [0, 1])
def test_transforms_run_in_loaders(workers: int) -> None:
    images = nd.array(np.stack([PIXELS, PIXELS]), dtype="uint8")
    made = transforms.Compose([transforms.RandomFlipLeftRight(), transforms.ToTensor()])
    dataset = ArrayDataset(images, np.array([0, 1])).transform_first(made)
    (batch, label), *_ = DataLoader(dataset, 2, num_workers=workers)
    assert batch.shape == (2, 3, 6, 9)
    assert label.asnumpy().tolist() == [0, 1]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: transforms.Resize((1, 2, 3))(nd.array(PIXELS)),  # type: ignore[arg-type]
            LayerError,
            "a number or two",
        ),
        (lambda: transforms.RandomBrightness(-1), LayerError, "RandomBrightness: -1 is below 0"),
        (
            lambda: transforms.RandomRotation((10, 5)),
            LayerError,
            r"angle_limits=\(10, 5\) must be the smaller, then the larger",
        ),
        (
            lambda: transforms.RandomRotation((0, 5), rotate_with_proba=2),
            LayerError,
            "rotate_with_proba=2 must be from 0 to 1",
        ),
        (
            lambda: transforms.CropResize(7, 1, 4, 2)(nd.array(PIXELS)),
            ShapeError,
            "a crop of 4 x 2 at x=7, y=1 exceeds data",
        ),
    ],
)
def test_mistakes_are_named(
    call: Callable[[], object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"nd": nd}).failed == 0
