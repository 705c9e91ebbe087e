"""``mx.io.ImageDetRecordIter``: labels and images with the numbers of MXNet 1.9.1; crops, pads."""

import io
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image

from hy_io import IRHeader, MXRecordIO, pack
from mxnet.io import ImageDetRecordIter, MXDataIter
from mxnet.io.det_augment import Sampler

OBJECTS: list[Any] = [
    [[0, 0.1, 0.2, 0.5, 0.6]],
    [[1, 0.2, 0.1, 0.9, 0.8], [2, 0.3, 0.3, 0.4, 0.9]],
    [[3, 0, 0, 1, 1], [1, 0.5, 0.5, 0.75, 1], [0, 0.25, 0, 0.5, 0.25]],
    [[2, 0.6, 0.6, 0.9, 0.9]],
]
Y, X, C = np.mgrid[:20, :24, :3]
IMAGES = [((Y * 9 + X * 7 + C * 40 + i * 20) % 256).astype(np.uint8) for i in range(4)]


def write(path: str, labels: list[Any]) -> None:
    with MXRecordIO(path, "w") as file:
        for i, (label, pixels) in enumerate(zip(labels, IMAGES, strict=False)):
            content = io.BytesIO()
            Image.fromarray(pixels).save(content, "PNG")
            file.write(pack(IRHeader(0, label, i, 0), content.getvalue()))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    labels: list[Any] = [[2, 5, *np.ravel(np.array(each))] for each in OBJECTS]
    write("det.rec", labels)


def batches_of(**kwargs: Any) -> MXDataIter:
    given: dict[str, Any] = {"path_imgrec": "det.rec", "data_shape": (3, 16, 16), "batch_size": 2}
    return ImageDetRecordIter(**(given | kwargs))


def labels_of(batches: MXDataIter) -> list[list[float]]:
    found = [row for batch in batches for row in batch.label[0].asnumpy().tolist()]
    batches.close()
    return found


def padded_label(height: int, width: int, objects: Any, length: int = 17) -> list[float]:
    numbers = [2, 5, *np.ravel(objects)]
    return [3, height, width, len(numbers), *numbers, *[-1] * (length - len(numbers))]


def test_labels_have_a_header_and_are_as_long_as_the_longest() -> None:
    batches = batches_of()
    assert batches.provide_label[0].shape == (2, 21)
    expected = [padded_label(16, 16, objects) for objects in OBJECTS]
    assert_allclose(labels_of(batches), expected, rtol=1e-6)


def test_labels_are_filled_up_to_the_length_asked_for() -> None:
    found = labels_of(batches_of(label_pad_width=30, label_pad_value=-7))
    assert [len(label) for label in found] == [34] * 4
    assert {label[-1] for label in found} == {-7}
    with pytest.raises(ValueError, match="label_pad_width is 5, but a label has 17 numbers"):
        batches_of(label_pad_width=5)


def test_the_next_epoch_leaves_out_what_filled_up_the_last_batch() -> None:
    batches = batches_of(batch_size=3)
    assert [(batch.pad, batch.index.tolist()) for batch in batches] == [
        (0, [0, 1, 2]),
        (2, [3, 0, 1]),
    ]
    batches.reset()
    assert next(batches).index.tolist()[:1] == [2]
    batches.close()


@pytest.mark.parametrize(
    ("arguments", "size", "row"),
    [
        (
            {},
            (16, 16),
            [93, 103, 114, 124, 135, 145, 156, 166, 177, 187, 198, 208, 219, 229, 240, 226],
        ),
        (
            {"resize_mode": "shrink"},
            (13, 16),
            [115, 125, 136, 146, 157, 167, 178, 188, 199, 209, 220, 230, 241, 141, 87, 16],
        ),
        (
            {"resize_mode": "fit"},
            (13, 16),
            [115, 125, 136, 146, 157, 167, 178, 188, 199, 209, 220, 230, 241, 141, 87, 16],
        ),
        (
            {"resize": 12, "resize_mode": "shrink"},
            (12, 14),
            [125, 137, 149, 161, 173, 185, 197, 209, 221, 233, 245, 68, 13, 25, 0, 0],
        ),
        (
            {"resize_mode": "shrink", "data_shape": (3, 40, 30)},
            (20, 24),
            [*range(72, 234, 7), *[0] * 6],
        ),
        ({"resize_mode": "fit", "data_shape": (3, 40, 30)}, (25, 30), [57, 61, 67, 73, 78, 84, 90]),
        ({"data_shape": (3, 40, 30)}, (40, 30), [34, 38, 44, 50, 55, 61, 66, 72, 78, 83, 89, 94]),
        (
            {"rand_mirror_prob": 1},
            (16, 16),
            [226, 240, 229, 219, 208, 198, 187, 177, 166, 156, 145, 135, 124, 114, 103, 93],
        ),
        (
            {"mean_r": 10, "std_r": 2, "scale": 0.5},
            (16, 16),
            [20.75, 23.25, 26, 28.5, 31.25, 33.75],
        ),
    ],
)
def test_images_are_those_of_mxnet(
    arguments: dict[str, Any], size: tuple[int, int], row: list[float]
) -> None:
    batches = batches_of(**arguments)
    batch = next(batches)
    assert batch.label[0][0, 1:3].asnumpy().tolist() == list(size)
    assert_allclose(batch.data[0][0, 0, 8].asnumpy()[: len(row)], row, atol=1)
    batches.close()


def test_boxes_are_mirrored_with_the_image() -> None:
    found = labels_of(batches_of(rand_mirror_prob=1))
    assert_allclose(found[0][6:11], [0, 0.5, 0.2, 0.9, 0.6], rtol=1e-6)
    assert_allclose(found[1][6:16], [1, 0.1, 0.1, 0.8, 0.8, 2, 0.6, 0.3, 0.7, 0.9], rtol=1e-6)


def content(batch: Any) -> tuple[Any, Any]:
    """The first image and its objects in pixels."""
    label = batch.label[0][0].asnumpy()
    objects = label[6 : 4 + int(label[3])].reshape(-1, 5)
    return batch.data[0][0].asnumpy(), objects


@pytest.mark.parametrize("seed", range(6))
def test_boxes_stay_on_their_objects(seed: int) -> None:
    image = np.zeros((40, 40, 3), np.uint8)
    image[8:24, 4:20] = 255
    IMAGES.insert(0, image)
    try:
        write("one.rec", [[2, 5, 7, 0.1, 0.2, 0.5, 0.6]])
    finally:
        del IMAGES[0]
    batches = batches_of(
        path_imgrec="one.rec",
        batch_size=1,
        data_shape=(3, 80, 80),
        seed=seed,
        rand_mirror_prob=0.5,
        rand_pad_prob=1,
        max_pad_scale=2,
        rand_crop_prob=1,
        min_crop_scales=0.6,
        min_crop_object_coverages=0.99,
        fill_value=0,
    )
    pixels, objects = content(next(batches))
    batches.close()
    assert objects[:, 0].tolist() == [7]
    rows, columns = np.nonzero(pixels[0] > 127)
    seen = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    assert_allclose(objects[0, 1:] * 80, seen, atol=3)


def test_a_part_is_drawn_within_its_limits() -> None:
    rng = random.Random(0)  # noqa: S311
    boxes = np.array([[0.4, 0.4, 0.6, 0.6]])
    sampler = Sampler((0.3, 0.5), (0.5, 2), (0, 1), (0, 1), (0.5, 1), 100)
    for _ in range(50):
        part = sampler.draw(boxes, rng)
        assert part is not None
        width, height = part[2:] - part[:2]
        assert 0.29 < np.sqrt(width * height) < 0.51
        assert 0.49 < width / height < 2.01
        assert part.min() >= 0
        assert part.max() <= 1
        common = np.minimum(part[2:], 0.6) - np.maximum(part[:2], 0.4)
        assert common.min() > 0
        assert common.prod() >= 0.5 * 0.04 - 1e-9
    assert Sampler((0.1, 0.2), (1, 1), (0.9, 1), (0, 1), (0, 1), 20).draw(boxes, rng) is None


def test_without_a_part_that_fits_the_image_is_whole() -> None:
    whole, cropped = batches_of(), batches_of(rand_crop_prob=1, min_crop_overlaps=0.999)
    assert_array_equal(next(cropped).data[0].asnumpy(), next(whole).data[0].asnumpy())
    for batches in (whole, cropped):
        batches.close()


@pytest.mark.parametrize("name", ["hue", "saturation", "illumination", "contrast"])
def test_colours_change_with_a_probability(name: str) -> None:
    limit = 0.5 if name == "contrast" else 50
    found = []
    for probability in (0, 1):
        changes = {f"max_random_{name}": limit, f"random_{name}_prob": probability}
        batches = batches_of(batch_size=4, **changes)
        found.append(next(batches).data[0].asnumpy())
        batches.close()
    assert (found[0] != found[1]).any()


@pytest.mark.parametrize(
    ("labels", "arguments", "error", "message"),
    [
        ([[2, 4, 1, 0, 0, 1]], {}, ValueError, "the length of the header, the length of an object"),
        ([[2, 5, 1, 0, 0, 1]], {}, ValueError, "not 6 numbers that begin"),
        ([3.0], {}, ValueError, "not 1 numbers that begin"),
        ([[2, 5, 1, 0, 0, 1, 1]], {"label_width": 8}, ValueError, "7 labels, but label_width is 8"),
        ([[2, 5]], {"crop_emit_mode": "x"}, TypeError, "crop_emit_mode must be one of"),
        ([[2, 5]], {"resize_mode": "x"}, TypeError, "resize_mode must be one of"),
        ([[2, 5]], {"dtype": "uint8"}, TypeError, "dtype must be one of"),
        (
            [[2, 5]],
            {"num_crop_samplers": 3, "min_crop_scales": (0.1, 0.2)},
            TypeError,
            "min_crop_scales needs 3 numbers",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(
    labels: Any, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    write("bad.rec", labels)
    with pytest.raises(error, match=message):
        next(batches_of(path_imgrec="bad.rec", **arguments))


def test_labels_may_be_those_of_a_list() -> None:
    lines = [f"{i}\t2\t5\t{i}\t0.1\t0.1\t0.9\t0.9\tx.png\n" for i in range(4)]
    Path("a.lst").write_text("".join(lines), encoding="utf-8")
    found = labels_of(batches_of(path_imglist="a.lst"))
    assert_allclose(found[3], [3, 16, 16, 7, 2, 5, 3, 0.1, 0.1, 0.9, 0.9], rtol=1e-6)
