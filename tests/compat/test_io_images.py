"""``mx.io.ImageRecordIter``: how an image comes into a batch, with the numbers of MXNet 1.9.1."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image

import mxnet as mx
from hy_io import IRHeader, MXRecordIO, pack
from mxnet.io import ImageRecordIter, ImageRecordUInt8Iter

Y, X, C = np.mgrid[:8, :12, :3]
PIXELS = ((Y * 29 + X * 17 + C * 50) % 256).astype(np.uint8)


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = tmp_path / "one.rec"
    content = io.BytesIO()
    Image.fromarray(PIXELS).save(content, "PNG")
    with MXRecordIO(path, "w") as file:
        file.write(pack(IRHeader(0, 3.0, 7, 0), content.getvalue()))
    return str(path)


def image(path: str, **kwargs: Any) -> Any:
    """The only image, as a batch has it."""
    given: dict[str, Any] = {"path_imgrec": path, "batch_size": 1, "data_shape": (3, 8, 12)}
    batches = ImageRecordIter(**(given | kwargs))
    try:
        return next(batches).data[0].asnumpy()[0]
    finally:
        batches.close()


CASES: list[tuple[dict[str, Any], list[float], float]] = [
    (
        {"data_shape": (3, 4, 5)},
        [167, 184, 201, 218, 235],
        138.3667,
    ),
    (
        {"data_shape": (3, 4, 5), "resize": 6},
        [169, 191, 214, 201, 181],
        131.8333,
    ),
    (
        {"data_shape": (3, 10, 15), "resize": 10, "inter_method": 2},
        [111, 122, 138, 152, 165, 178, 191, 204, 224, 252, 255, 97, 4, 28, 42],
        127.6356,
    ),
    (
        {"data_shape": (3, 4, 6), "resize": 4, "inter_method": 3},
        [139, 173, 207, 177, 83, 53],
        127.6667,
    ),
    (
        {"data_shape": (3, 4, 6), "resize": 4, "inter_method": 0},
        [116, 150, 184, 218, 252, 30],
        126.0,
    ),
    (
        {"data_shape": (3, 4, 6), "resize": 4, "inter_method": 4},
        [138, 176, 207, 182, 71, 79],
        127.5417,
    ),
    (
        {"data_shape": (3, 4, 6), "resize": 4, "inter_method": 9},
        [139, 173, 207, 177, 83, 53],
        127.6667,
    ),
    (
        {"data_shape": (3, 10, 10)},
        [139, 152, 166, 179, 193, 207, 220, 234, 247, 100],
        129.23,
    ),
    (  # enlarged to the height, and then to the width
        {"data_shape": (3, 11, 18), "inter_method": 0},
        [58, 58, 58, 75, 92, 109, 109, 126, 143, 160, 160, 160, 177, 194, 211, 211, 228, 245],
        127.7946,
    ),
    (
        {"data_shape": (3, 10, 14), "pad": 1, "fill_value": 9},
        [9, 116, 133, 150, 167, 184, 201, 218, 235, 252, 13, 30, 47, 9],
        90.3714,
    ),
    (
        {"data_shape": (3, 8, 12), "rotate": 90, "fill_value": 0},
        [0, 0, 102, 131, 160, 189, 218, 247, 20, 49, 0, 0],
        84.8889,
    ),
    (
        {"data_shape": (3, 8, 12), "rotate": 30},
        [43, 72, 101, 130, 160, 189, 218, 135, 20, 50, 79, 108],
        149.9167,
    ),
    (
        {"data_shape": (3, 4, 4), "min_crop_size": 6, "max_crop_size": 6},
        [178, 204, 213, 191],
        130.75,
    ),
    (
        {"data_shape": (3, 4, 6), "min_random_scale": 0.5, "max_random_scale": 0.5},
        [116, 150, 184, 218, 252, 30],
        126.0,
    ),
    (
        {"data_shape": (3, 8, 12), "min_aspect_ratio": 1.5, "max_aspect_ratio": 1.5},
        [255, 151, 133, 154, 176, 197, 218, 239, 133, 26, 47, 255],
        151.4722,
    ),
    (
        {"data_shape": (3, 10, 10), "min_img_size": 10, "max_img_size": 10},
        [133, 150, 167, 184, 201, 218, 235, 252, 13, 30],
        153.1333,
    ),
    (
        {
            "data_shape": (3, 4, 4),
            "random_resized_crop": True,
            "min_random_area": 1,
            "max_random_area": 1,
            "min_aspect_ratio": 1.5,
            "max_aspect_ratio": 1.5,
        },
        [148, 199, 122, 45],
        125.5,
    ),
    (
        {"data_shape": (1, 8, 12)},
        [156, 173, 190, 178, 195, 212, 79, 96, 113, 53, 70, 87],
        127.1667,
    ),
    (
        {
            "data_shape": (3, 4, 5),
            "mirror": True,
            "mean_r": 10,
            "mean_g": 20,
            "mean_b": 30,
            "std_r": 2,
            "std_g": 4,
            "std_b": 8,
            "scale": 0.5,
        },
        [56.25, 52, 47.75, 43.5, 39.25],
        20.2729,
    ),
    (
        {"data_shape": (3, 4, 5), "dtype": "int8", "mean_r": 60},
        [107, 124, 127, 127, 127],
        86.6333,
    ),
    (
        {"data_shape": (3, 4, 5), "dtype": "uint8", "mean_r": 60},
        [167, 184, 201, 218, 235],
        138.3667,
    ),
]
"""Parameters; the row in the middle of the red channel, and the mean of all, as MXNet has them."""


@pytest.mark.parametrize(("arguments", "row", "mean"), CASES)
def test_images_are_those_of_mxnet(
    path: str, arguments: dict[str, Any], row: list[float], mean: float
) -> None:
    found = image(path, **arguments)
    assert found.shape == arguments["data_shape"]
    turned = arguments.get("rotate") == 30 or "min_aspect_ratio" in arguments
    assert_allclose(found[0, len(found[0]) // 2], row, rtol=1e-6, atol=4 if turned else 1)
    assert abs(found.mean(dtype=np.float64) - mean) < 1


def test_an_image_as_it_is_is_exact(path: str) -> None:
    assert_array_equal(image(path), PIXELS.transpose(2, 0, 1))
    assert_array_equal(image(path, mirror=True), PIXELS[:, ::-1].transpose(2, 0, 1))


@pytest.mark.parametrize(
    "arguments",
    [
        {"rand_crop": True, "data_shape": (3, 4, 5)},
        {"rand_crop": True, "min_crop_size": 3, "max_crop_size": 7, "data_shape": (3, 4, 5)},
        {"random_resized_crop": True, "min_random_area": 0.2, "max_aspect_ratio": 0.3},
        {"rand_mirror": True},
        {"max_rotate_angle": 30},
        {"max_shear_ratio": 0.3},
        {"min_random_scale": 0.7, "max_random_scale": 1.4},
        {"max_aspect_ratio": 0.3},
        {"brightness": 0.5},
        {"contrast": 0.5},
        {"saturation": 0.5},
        {"pca_noise": 0.5},
        {"random_h": 60},
        {"random_s": 60},
        {"random_l": 60},
        {"max_random_contrast": 0.5},
        {"max_random_illumination": 50},
        {"inter_method": 10, "resize": 5, "data_shape": (3, 5, 7)},
    ],
)
def test_images_change_at_random_by_the_seed(path: str, arguments: dict[str, Any]) -> None:
    found = [image(path, **arguments, seed=seed) for seed in range(12)]
    assert len({each.tobytes() for each in found}) > 1
    assert_array_equal(found[3], image(path, **arguments, seed=3))
    assert_array_equal(found[3], image(path, **arguments, seed=9, seed_aug=3))
    if "max_random_illumination" not in arguments and "max_random_contrast" not in arguments:
        assert all(each.min() >= 0 and each.max() <= 255 for each in found)


def test_crops_are_parts_of_the_image(path: str) -> None:
    found = {image(path, rand_crop=True, data_shape=(3, 4, 5), seed=i).tobytes() for i in range(60)}
    windows = np.lib.stride_tricks.sliding_window_view(PIXELS.astype(np.float32), (4, 5), (0, 1))
    assert found <= {part.tobytes() for row in windows for part in row}
    assert len(found) > 20


@pytest.mark.parametrize("seed", range(8))
def test_crops_are_the_same_with_and_without_a_step_that_does_nothing(path: str, seed: int) -> None:
    given: dict[str, Any] = {"rand_crop": True, "rand_mirror": True, "data_shape": (3, 4, 5)}
    alone = image(path, **given, seed=seed, mean_r=9)
    assert_array_equal(image(path, **given, seed=seed, mean_r=9, resize=8), alone)


def test_a_hue_turned_by_half_a_circle_is_the_complement(path: str) -> None:
    moved = image(path, random_h=180, seed=1)
    high, low = PIXELS.max(axis=-1), PIXELS.min(axis=-1)
    assert_allclose(moved.max(axis=0), high, atol=1)  # lightness and saturation stay
    assert_allclose(moved.min(axis=0), low, atol=1)
    assert (moved != PIXELS.transpose(2, 0, 1)).any()


def test_brightness_multiplies_and_saturation_keeps_grey(path: str) -> None:
    factors = image(path, brightness=0.2, seed=4) / PIXELS.transpose(2, 0, 1).clip(1)
    seen = factors[(PIXELS.transpose(2, 0, 1) > 100) & (PIXELS.transpose(2, 0, 1) < 200)]
    assert seen.max() - seen.min() < 0.02
    grey = image(path, saturation=0.9, seed=4)
    luma = np.tensordot([0.299, 0.587, 0.114], PIXELS, (0, 2))
    inside = (grey > 0).all(axis=0) & (grey < 255).all(axis=0)
    assert inside.any()
    assert_allclose(np.tensordot([0.299, 0.587, 0.114], grey, (0, 0))[inside], luma[inside], atol=1)


def test_the_mean_image_is_subtracted_and_made_where_there_is_none(
    path: str, tmp_path: Path
) -> None:
    mean = str(tmp_path / "mean.nd")
    assert_array_equal(image(path, mean_img=mean, mean_r=9), np.zeros((3, 8, 12)))
    stored: Any = mx.nd.load(mean)
    assert_array_equal(stored["mean_img"].asnumpy(), PIXELS.transpose(2, 0, 1))
    mx.nd.save(mean, {"mean_img": mx.nd.ones((3, 8, 12)) * 10})
    halved = image(path, mean_img=mean, scale=0.5, mirror=True)
    assert_array_equal(halved, (PIXELS[:, ::-1].transpose(2, 0, 1) - np.float32(10)) / 2)
    with pytest.raises(TypeError, match=r"must hold the array mean_img of shape \(3, 4, 4\)"):
        image(path, mean_img=mean, data_shape=(3, 4, 4))


def test_dtypes_of_bytes_are_those_of_their_iterators(path: str) -> None:
    assert image(path, dtype="int8").max() == 127
    for make, dtype in ((ImageRecordUInt8Iter, np.uint8), (mx.io.ImageRecordInt8Iter, np.int8)):
        batches = make(path_imgrec=path, data_shape=(3, 8, 12), batch_size=1)
        assert batches.provide_data[0].dtype == next(batches).data[0].dtype == dtype
        assert next(iter(batches.provide_label)).dtype == np.float32
        batches.close()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"data_shape": (4, 8, 12)}, ValueError, "the image has 3 channels, but data_shape has 4"),
        ({"max_crop_size": 9}, TypeError, "crops of 9 pixels do not fit into an image of 12 x 8"),
        ({"data_shape": (8, 12)}, TypeError, "data_shape must be channels"),
        ({"data_shape": (2, 8, 12)}, TypeError, "data_shape must be channels"),
        ({"dtype": "float16"}, TypeError, "dtype must be one of"),
        ({"rand_crop": "perhaps"}, TypeError, "rand_crop must be True or False, not 'perhaps'"),
        ({"scale": "big"}, TypeError, "scale must be a number, not 'big'"),
        ({"label_width": 2}, ValueError, "the record has 1 labels, but label_width is 2"),
        ({"path_imgrec": ""}, TypeError, "path_imgrec must be a file of records"),
        ({"path_imgrec": "nowhere.rec"}, OSError, "nowhere.rec"),
    ],
)
def test_what_makes_no_sense_is_refused(
    path: str, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        image(path, **arguments)
