"""Images: parts, borders, turns and sizes are what their definitions say; mistakes are named."""

import doctest
import importlib
import pkgutil
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import image
from hy_gluon.image.resizing import interpolation_for
from hy_ndarray import ArgumentError, DTypeError, ShapeError, nd

MODULES = [info.name for info in pkgutil.iter_modules(image.__path__, "hy_gluon.image.")]

PIXELS = np.random.default_rng(2).integers(0, 256, (6, 9, 3), dtype=np.uint8)


def _picture(height: int, width: int) -> Any:
    return nd.arange(height * width * 3).reshape((height, width, 3))


@pytest.mark.parametrize(
    ("source", "wanted", "expected"),
    [
        ((640, 480), (720, 120), (640, 106)),
        ((360, 1000), (480, 500), (360, 375)),
        ((5, 6), (4, 10), (2, 6)),
        ((5, 6), (10, 10), (5, 5)),
        ((5, 6), (5, 6), (5, 6)),
    ],
)
def test_sizes_are_scaled_down_to_fit(source: Any, wanted: Any, expected: Any) -> None:
    assert image.scale_down(source, wanted) == expected


@pytest.mark.parametrize(
    ("interp", "after", "expected"),
    [(1, (9, 9), 1), (9, (9, 9), 2), (9, (3, 3), 3), (9, (9, 3), 1), (9, (5, 5), 1)],
)
def test_interpolation_is_chosen_by_the_sizes(interp: int, after: Any, expected: int) -> None:
    assert interpolation_for(interp, (5, 5), after) == expected


def test_any_interpolation_is_one_of_five() -> None:
    assert {interpolation_for(10, (5, 5), (6, 6)) for _ in range(200)} == {0, 1, 2, 3, 4}


def test_a_part_of_an_image_is_a_slice() -> None:
    x = _picture(6, 9)
    values = x.asnumpy()
    assert (image.fixed_crop(x, 1, 2, 3, 4).asnumpy() == values[2:6, 1:4]).all()
    part, place = image.center_crop(x, (4, 3))
    assert place == (2, 1, 4, 3)
    assert (part.asnumpy() == values[1:4, 2:6]).all()
    batch = nd.stack(x, x)
    assert image.center_crop(batch, (4, 3))[0].shape == (2, 3, 4, 3)


def test_random_parts_are_inside_the_image_and_everywhere() -> None:
    x = _picture(6, 9)
    random.seed(3)
    places = set()
    for _ in range(100):
        part, (x0, y0, w, h) = image.random_crop(x, (7, 5))
        assert (w, h) == (7, 5)
        assert (part.asnumpy() == x.asnumpy()[y0 : y0 + 5, x0 : x0 + 7]).all()
        places.add((x0, y0))
    assert places == {(i, j) for i in range(3) for j in range(2)}


@pytest.mark.parametrize("kind", range(5))
def test_borders_are_those_of_numpy(kind: int) -> None:
    x = _picture(4, 5)
    mode: Any = ("constant", "edge", "symmetric", "wrap", "reflect")[kind]
    expected = np.pad(x.asnumpy(), ((1, 2), (3, 0), (0, 0)), mode=mode)
    assert (image.copyMakeBorder(x, 1, 2, 3, 0, kind).asnumpy() == expected).all()


def test_a_border_has_a_colour() -> None:
    bordered = image.copyMakeBorder(_picture(2, 2), 1, 0, 0, 0, values=(1, 2, 3))
    assert bordered.asnumpy()[0].tolist() == [[1, 2, 3], [1, 2, 3]]


def test_colours_are_normalized() -> None:
    x = _picture(2, 2)
    mean, std = nd.array([1, 2, 3]), nd.array([2, 4, 8])
    expected = (x.asnumpy() - [1, 2, 3]) / [2, 4, 8]
    np.testing.assert_allclose(image.color_normalize(x, mean, std).asnumpy(), expected)
    np.testing.assert_allclose(image.color_normalize(x, None, 2.0).asnumpy(), x.asnumpy() / 2)
    assert (image.color_normalize(x, None).asnumpy() == x.asnumpy()).all()


# --- augmenters ------------------------------------------------------------------------------


def _made(*augmenters: image.Augmenter) -> Any:
    x = nd.array(PIXELS, dtype="float32")
    out = image.SequentialAug(augmenters)(x).asnumpy()
    assert (x.asnumpy() == PIXELS).all()
    return out


def test_fixed_augmenters_do_what_their_functions_do() -> None:
    x = nd.array(PIXELS, dtype="float32")
    for augmenter, expected in (
        (image.ResizeAug(4), image.resize_short(x, 4)),
        (image.ForceResizeAug((4, 3)), image.imresize(x, 4, 3, 2)),
        (image.CenterCropAug((4, 3)), image.center_crop(x, (4, 3))[0]),
        (image.CastAug("int32"), x.astype("int32")),
        (image.HorizontalFlipAug(1), x[:, ::-1]),
        (image.HorizontalFlipAug(0), x),
        (image.ColorNormalizeAug([1, 2, 3], 2.0), image.color_normalize(x, nd.array([1, 2, 3]), 2)),
        (image.ColorNormalizeAug(None, None), x),
    ):
        assert (_made(augmenter) == expected.asnumpy()).all()


def test_augmenters_that_draw_nothing_at_zero_change_nothing() -> None:
    none = (
        image.ColorJitterAug(0, 0, 0),
        image.BrightnessJitterAug(0),
        image.ContrastJitterAug(0),
        image.SaturationJitterAug(0),
        image.LightingAug(0, np.ones(3), np.eye(3)),
        image.RandomGrayAug(0),
        image.RandomCropAug((9, 6)),
        image.RandomSizedCropAug((9, 6), (1, 1), (1.5, 1.5)),
    )
    np.testing.assert_allclose(_made(*none), PIXELS, atol=1e-3)
    np.testing.assert_allclose(_made(image.HueJitterAug(0)), PIXELS, atol=1)


def test_colours_move_between_grey_and_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random, "uniform", lambda low, high: high)
    light = PIXELS @ np.array([0.299, 0.587, 0.114])
    for augmenter, start in (
        (image.BrightnessJitterAug(0.4), 0.0),
        (image.ContrastJitterAug(0.4), light.mean()),
        (image.SaturationJitterAug(0.4), light[..., None]),
    ):
        expected = start + 1.4 * (PIXELS - start)
        np.testing.assert_allclose(_made(augmenter), expected, rtol=1e-5, atol=1e-3)
    half = image.HueJitterAug(1.0)
    np.testing.assert_allclose(_made(half, half), PIXELS, atol=4)
    grey = _made(image.RandomGrayAug(1))
    np.testing.assert_allclose(grey[..., 1], PIXELS @ np.array([0.21, 0.72, 0.07]), rtol=1e-5)


def test_lighting_adds_components(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np.random, "normal", lambda mean, std, size: np.array([1, 2, 3]) * std)
    vectors = np.arange(9.0).reshape(3, 3)
    found = _made(image.LightingAug(0.5, np.array([3.0, 2.0, 1.0]), vectors)) - PIXELS
    np.testing.assert_allclose(found[0, 0], vectors @ [1.5, 2.0, 1.5], rtol=1e-4)


@pytest.mark.parametrize(
    "augmenter",
    [
        image.BrightnessJitterAug(0.4),
        image.ContrastJitterAug(0.4),
        image.SaturationJitterAug(0.4),
        image.HueJitterAug(0.4),
        image.RandomGrayAug(1.0),
        image.LightingAug(0.5, np.array([90.0, 2.0, 1.0]), -np.eye(3)),
    ],
)
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32"])
def test_colours_of_integers_are_rounded_and_cut(augmenter: image.Augmenter, dtype: str) -> None:
    values = np.random.RandomState(2).randint(0, 128, (4, 5, 3))
    changed = []
    for kind in ("float32", dtype):
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002
        changed.append(augmenter(nd.array(values, dtype=kind)))
    exact, whole = changed
    assert whole.dtype == np.dtype(dtype)
    limits = np.iinfo(dtype)
    expected = np.clip(exact.round().asnumpy(), limits.min, limits.max)
    np.testing.assert_array_equal(whole.asnumpy(), expected)
    assert not np.array_equal(whole.asnumpy(), values)


def test_a_seed_gives_the_orders_and_colours_of_mxnet() -> None:
    orders: list[str] = []

    class Named(image.Augmenter):
        def __call__(self, src: Any) -> Any:
            orders.append(self._kwargs["name"])
            return src

    random.seed(5)
    steps = image.RandomOrderAug([Named(name=name) for name in "abc"])
    for _ in range(4):
        steps(nd.ones((1, 1, 3)))
    assert "".join(orders) == "abcabcbaccba"
    random.seed(1)
    pixels = np.random.RandomState(3).randint(0, 256, (10, 12, 3))
    jittered = image.ColorJitterAug(0.3, 0.3, 0.3)(nd.array(pixels)).asnumpy().ravel()[:4]
    np.testing.assert_allclose(
        jittered, [106.913544, 144.860046, 224.877686, 127.583481], rtol=1e-5
    )


def test_a_seed_of_numpy_gives_the_angles_of_mxnet(rng: np.random.Generator) -> None:
    pictures = nd.array(rng.normal(size=(2, 1, 5, 5)))
    angles = np.random.RandomState(3).uniform(-30, 30, 2)
    for source, expected in ((pictures[0], angles[0]), (pictures, angles)):
        np.random.seed(3)  # noqa: NPY002
        turned = image.random_rotate(source, (-30, 30)).asnumpy()
        np.testing.assert_array_equal(turned, image.imrotate(source, expected).asnumpy())


def test_the_order_is_drawn() -> None:
    random.seed(1)
    steps = image.RandomOrderAug(
        [image.ColorNormalizeAug(100.0, None), image.ColorNormalizeAug(None, 2.0)]
    )
    assert {float(_made(steps)[0, 0, 0]) for _ in range(20)} == {
        (PIXELS[0, 0, 0] - 100.0) / 2,
        PIXELS[0, 0, 0] / 2 - 100.0,
    }


@pytest.mark.parametrize(
    ("kwargs", "expected"),
    [
        ({}, "centercrop cast"),
        ({"resize": 4, "rand_crop": True}, "resize randomcrop cast"),
        ({"rand_crop": True, "rand_resize": True}, "randomsizedcrop cast"),
        ({"rand_mirror": True, "mean": True}, "centercrop horizontalflip cast colornormalize"),
        (
            {"brightness": 0.1, "hue": 0.1, "pca_noise": 0.1, "rand_gray": 0.1, "std": [1, 2, 3]},
            "centercrop cast colorjitter huejitter lighting randomgray colornormalize",
        ),
    ],
)
def test_the_usual_list_has_what_is_asked_for(kwargs: Any, expected: str) -> None:
    steps = image.CreateAugmenter((3, 4, 5), **kwargs)
    names = " ".join(type(step).__name__.lower().removesuffix("aug") for step in steps)
    assert names == expected
    assert image.SequentialAug(steps)(nd.array(PIXELS, dtype="uint8")).shape == (4, 5, 3)


def test_augmenters_are_written_as_json() -> None:
    steps = image.CreateAugmenter(
        (3, 4, 5), mean=np.array([1, 2, 3]), std=np.array([0.1, 0.2, 0.3]), contrast=0.5
    )
    assert [step.dumps() for step in steps] == [
        '["centercropaug", {"size": [5, 4], "interp": 2}]',
        '["castaug", {"type": "float32"}]',
        ["colorjitteraug", ['["contrastjitteraug", {"contrast": 0.5}]']],
        '["colornormalizeaug", {"mean": [1, 2, 3], "std": [0.1, 0.2, 0.3]}]',
    ]


# --- turns -----------------------------------------------------------------------------------


@pytest.mark.parametrize("quarters", range(-2, 3))
def test_quarter_turns_are_exact(quarters: int, rng: np.random.Generator) -> None:
    x = rng.normal(size=(2, 3, 5, 5)).astype(np.float32)
    turned = image.imrotate(nd.array(x), 90 * quarters).asnumpy()
    np.testing.assert_allclose(turned, np.rot90(x, quarters, (2, 3)), atol=1e-5)


def test_each_image_of_a_batch_has_its_angle(rng: np.random.Generator) -> None:
    x = nd.array(rng.normal(size=(2, 3, 4, 6)))
    turned = image.imrotate(x, nd.array([10, -70]))
    for i, angle in enumerate((10, -70)):
        alone = image.imrotate(x[i], angle).asnumpy()
        np.testing.assert_allclose(turned[i].asnumpy(), alone, atol=1e-6)


def test_zooms_show_nothing_outside_or_everything() -> None:
    x = nd.ones((1, 12, 20))
    inside = image.imrotate(x, 30, zoom_in=True).asnumpy()
    np.testing.assert_allclose(inside, 1, atol=0.1)
    whole = image.imrotate(x, 30, zoom_out=True).asnumpy()
    assert whole[0, 0, 0] == whole[0, -1, -1] == 0
    # tall = 20 sin 30 + 12 cos 30 = 20.4 in place of 12: both sides shrink by that factor
    assert whole.sum() == pytest.approx(12 * 20 / (20.392 / 12) ** 2, rel=0.1)


def test_random_turns_keep_to_their_limits(rng: np.random.Generator) -> None:
    x = nd.array(rng.normal(size=(2, 1, 5, 5)))
    same = image.random_rotate(x, (90, 90)).asnumpy()
    np.testing.assert_allclose(same, np.rot90(x.asnumpy(), 1, (2, 3)), atol=1e-5)
    first, second = image.random_rotate(nd.stack(x[0], x[0]), (-40, 40)).asnumpy()
    assert np.abs(first - second).max() > 1e-3
    assert image.random_rotate(x[0], (-40, 40)).shape == (1, 5, 5)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: interpolation_for(5, (1, 1), (1, 1)), ArgumentError, "0 to 4, 9 or 10, not 5"),
        (
            lambda: image.random_size_crop(_picture(4, 4), (2, 2), (0.5, 1), (0, 1)),
            ArgumentError,
            r"ratios must be above 0, not \(0, 1\)",
        ),
        (
            lambda: image.copyMakeBorder(_picture(2, 2), 1, 0, 0, 0, type=5),
            ArgumentError,
            "type=5 must be an integer from 0 to 4",
        ),
        (
            lambda: image.copyMakeBorder(_picture(2, 2), 1, 0, 0, 0, values=(1, 2)),
            ShapeError,
            "2 values, 3 channels",
        ),
        (
            lambda: image.copyMakeBorder(_picture(2, 2), 1, 0, 0, 0, values=7),
            ShapeError,
            "1 values, 3 channels",
        ),
        (
            lambda: image.CreateAugmenter((3, 4, 5), rand_resize=True),
            ArgumentError,
            "rand_resize needs rand_crop=True",
        ),
        (
            lambda: image.CreateAugmenter((3, 4, 5), mean=[1, 2]),
            ArgumentError,
            r"mean must have 1 or 3 numbers, not the shape \(2,\)",
        ),
        (lambda: image.fixed_crop(nd.ones((2, 2)), 0, 0, 1, 1), ShapeError, r"not \(2, 2\)"),
        (lambda: image.imrotate(nd.ones((3, 3)), 1), ShapeError, r"not \(3, 3\)"),
        (
            lambda: image.imrotate(nd.ones((1, 3, 3), dtype="uint8"), 1),
            DTypeError,
            "not uint8: use it after ToTensor",
        ),
        (
            lambda: image.imrotate(nd.ones((1, 3, 3)), 1, zoom_in=True, zoom_out=True),
            ArgumentError,
            "cannot both be True",
        ),
        (
            lambda: image.imrotate(nd.ones((1, 3, 3)), nd.array([1])),
            ArgumentError,
            "a single image takes a single angle",
        ),
        (
            lambda: image.imrotate(nd.ones((2, 1, 3, 3)), [1, 2, 3]),
            ArgumentError,
            "3 angles for 2 images",
        ),
    ],
)
def test_mistakes_are_named(
    call: Callable[[], object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # examples write files
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"nd": nd}).failed == 0


def test_a_border_is_written_where_out_says() -> None:
    bordered = nd.zeros((3, 4, 1))
    assert image.copyMakeBorder(nd.ones((1, 2, 1)), 1, 1, 1, 1, out=bordered) is bordered
    assert bordered.asnumpy()[..., 0].tolist() == [[0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
