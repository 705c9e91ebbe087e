"""Augmenters and iterators of images with objects, with the numbers of MXNet 1.9.1."""

import io
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image

from hy_gluon.image import (
    CastAug,
    CreateDetAugmenter,
    CreateMultiRandCropAugmenter,
    DetAugmenter,
    DetBorrowAug,
    DetHorizontalFlipAug,
    DetRandomCropAug,
    DetRandomPadAug,
    DetRandomSelectAug,
    ImageDetIter,
)
from hy_gluon.image.iterator import InvalidSampleError
from hy_io import IRHeader, MXIndexedRecordIO, pack
from hy_ndarray import ArgumentError, ShapeError, nd

LABEL = np.array([[0, 0.1, 0.1, 0.4, 0.4], [1, 0.6, 0.6, 0.9, 0.9]], np.float32)
OBJECTS: list[Any] = [
    [[0, 0.1, 0.2, 0.5, 0.6]],
    [[1, 0.2, 0.1, 0.9, 0.8], [2, 0.3, 0.3, 0.4, 0.9]],
    [[3, 0, 0, 1, 1], [1, 0.5, 0.5, 0.75, 1], [0, 0.25, 0, 0.5, 0.25]],
    [[2, 0.6, 0.6, 0.9, 0.9]],
]


def write(path: str, labels: list[Any]) -> None:
    content = io.BytesIO()
    Image.new("RGB", (24, 20), (10, 20, 30)).save(content, "PNG")
    with MXIndexedRecordIO(f"{path}.idx", f"{path}.rec", "w") as file:
        for i, label in enumerate(labels):
            file.write_idx(i, pack(IRHeader(0, label, i, 0), content.getvalue()))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    random.seed(3)
    write("det", [[2, 5, *np.ravel(np.array(objects))] for objects in OBJECTS])


def objects_of(**kwargs: Any) -> ImageDetIter:
    given: dict[str, Any] = {"batch_size": 2, "data_shape": (3, 16, 16), "path_imgrec": "det.rec"}
    return ImageDetIter(**(given | kwargs))


def painted() -> tuple[Any, Any]:
    """An image in which each object is a square of its own brightness."""
    pixels = np.zeros((100, 100, 3), np.uint8)
    pixels[10:40, 10:40], pixels[60:90, 60:90] = 100, 200
    return nd.array(pixels, dtype="uint8"), LABEL.copy()


def check_boxes(image: Any, label: Any) -> None:
    """Boxes are where the squares are."""
    pixels = image.asnumpy()[..., 0]
    for kind, *box in label:
        rows, columns = np.nonzero(pixels == (100, 200)[int(kind)])
        height, width = pixels.shape
        seen = columns.min() / width, rows.min() / height
        end = (columns.max() + 1) / width, (rows.max() + 1) / height
        assert_allclose(box, [*seen, *end], atol=1e-5)


def test_a_flip_moves_the_boxes() -> None:
    image, label = painted()
    flipped, moved = DetHorizontalFlipAug(1)(image, label)
    check_boxes(flipped, moved)
    assert_array_equal(label, LABEL)
    same, kept = DetHorizontalFlipAug(0)(image, label)
    assert same is image
    assert kept is label


@pytest.mark.parametrize(
    ("covered", "eject", "areas", "ratios"),
    [
        (0.9, 0.3, (0.05, 1.0), (0.75, 1.33)),
        (0.1, 0.9, (0.05, 1.0), (0.75, 1.33)),
        (0.5, 0.05, (0.1, 0.9), (0.5, 2.0)),
        (0.1, 0.3, (0.2, 0.25), (1.0, 1.0)),
    ],
)
def test_a_crop_keeps_objects_that_are_in_it(
    covered: float, eject: float, areas: Any, ratios: Any
) -> None:
    image, label = painted()
    crop = DetRandomCropAug(covered, ratios, areas, eject)
    for _ in range(40):
        part, kept = crop(image, label)
        check_boxes(part, kept)
        height, width = part.shape[:2]
        if (height, width) == (100, 100):
            continue
        assert 1 <= len(kept) <= 2
        share = (kept[:, 3:5] - kept[:, 1:3]).prod(axis=1) * height * width / 900
        assert share.min() > max(covered if len(kept) == 2 else eject, eject) - 1e-3
        assert areas[0] * 0.95 <= height * width / 1e4 <= areas[1] * 1.05
        assert ratios[0] * 0.9 <= width / height <= ratios[1] * 1.1
    assert_array_equal(label, LABEL)


def test_ratios_and_heights_of_crops_are_uniform() -> None:
    # Quartiles in 3,000 crops of MXNet 1.9.1; were areas drawn uniformly, heights of the square
    # ones would have 71 in the middle.
    label = np.array([[0, 0.4, 0.4, 0.6, 0.6]])
    picture = nd.zeros((60, 120, 3), dtype="uint8")
    random.seed(1)
    square = DetRandomCropAug(0.0, (1, 1), (0.1, 0.9), 0.0)
    any_ratio = DetRandomCropAug(0.0, (0.5, 2), (0.1, 0.9), 0.0)
    heights = [square(nd.zeros((100, 100, 3)), label)[0].shape[0] for _ in range(600)]
    assert_allclose(np.quantile(heights, [0.25, 0.5, 0.75]), [50, 64, 80], atol=4)
    sides = [any_ratio(picture, label)[0].shape[:2] for _ in range(600)]
    ratios = [width / height for height, width in sides]
    assert_allclose(np.quantile(ratios, [0.25, 0.5, 0.75]), [0.97, 1.32, 1.67], atol=0.1)


def test_ratios_of_canvases_are_uniform() -> None:
    random.seed(1)
    pad = DetRandomPadAug((0.5, 2), (1.0, 3.0))
    picture, label = nd.zeros((60, 120, 3), dtype="uint8"), np.array([[0, 0.4, 0.4, 0.6, 0.6]])
    sides = [pad(picture, label)[0].shape[:2] for _ in range(600)]
    ratios = [width / height for height, width in sides]
    assert_allclose(np.quantile(ratios, [0.25, 0.5, 0.75]), [1.03, 1.35, 1.66], atol=0.1)
    assert np.min(sides, axis=0).tolist() >= [62, 122]


def test_a_padded_image_is_larger_and_of_the_colour_asked_for() -> None:
    image, label = painted()
    pad = DetRandomPadAug((0.75, 1.33), (1.2, 3.0), pad_val=(7, 8, 9))
    for _ in range(20):
        larger, moved = pad(image, label)
        check_boxes(larger, moved)
        height, width = larger.shape[:2]
        assert 1.1 <= height * width / 1e4 <= 3.1
        pixels = larger.asnumpy()
        assert ((pixels == [7, 8, 9]).all(axis=-1)).sum() == height * width - 10_000
    assert not DetRandomPadAug(area_range=(0.5, 0.9)).enabled
    assert DetRandomPadAug(area_range=(0.5, 0.9))(image, label)[0] is image


def test_ranges_may_be_single_numbers() -> None:
    assert DetRandomPadAug(area_range=2.0).area_range == (2, 2)
    assert DetRandomCropAug(aspect_ratio_range=1.2).aspect_ratio_range == (1.2, 1.2)
    assert not DetRandomCropAug(area_range=(0.5, 0.1)).enabled


def test_one_augmenter_is_selected_or_none() -> None:
    image, label = painted()
    flip = DetHorizontalFlipAug(1)
    assert DetRandomSelectAug([flip], 1)(image, label)[0] is image
    check_boxes(*DetRandomSelectAug([flip], 0)(image, label))
    assert DetRandomSelectAug([], 0)(image, label)[0] is image
    borrowed, kept = DetBorrowAug(CastAug())(image, label)
    assert borrowed.dtype == np.float32
    assert kept is label


def test_augmenters_are_written_as_in_mxnet() -> None:
    crop = (
        '["detrandomcropaug", {"min_object_covered": 0.1, "aspect_ratio_range": [0.75, 1.33], '
        '"area_range": [0.05, 3.0], "min_eject_coverage": 0.3, "max_attempts": 50}]'
    )
    pad = (
        '["detrandompadaug", {"aspect_ratio_range": [0.75, 1.33], "area_range": [1.0, 3.0], '
        '"max_attempts": 50, "pad_val": [127, 127, 127]}]'
    )
    steps = CreateDetAugmenter((3, 16, 16), 20, 0.5, 0.5, 0.1, True, hue=0.1)
    assert [step.dumps() for step in steps] == [
        ["detborrowaug", '["resizeaug", {"size": 20, "interp": 2}]'],
        ["detrandomselectaug", [crop]],
        '["dethorizontalflipaug", {"p": 0.5}]',
        ["detrandomselectaug", [pad]],
        ["detborrowaug", '["forceresizeaug", {"size": [16, 16], "interp": 2}]'],
        ["detborrowaug", '["castaug", {"type": "float32"}]'],
        ["detborrowaug", '["huejitteraug", {"hue": 0.1}]'],
        ["detborrowaug", '["randomgrayaug", {"p": 0.1}]'],
    ]
    colours = CreateDetAugmenter((3, 4, 4), mean=True, std=True, brightness=0.1, pca_noise=0.1)
    assert [str(each.dumps()[1])[2:10] for each in colours[2:]] == [
        "colorjit",
        "lighting",
        "colornor",
    ]


def test_several_crops_have_a_number_each_or_one_for_all() -> None:
    crops = CreateMultiRandCropAugmenter(
        [0.1, 0.3], [(0.5, 2), (0.7, 1.4)], (0.1, 1), skip_prob=0.2
    )
    first, second = crops.aug_list
    assert isinstance(first, DetRandomCropAug)
    assert isinstance(second, DetRandomCropAug)
    assert (first.min_object_covered, second.min_object_covered) == (0.1, 0.3)
    assert (first.aspect_ratio_range, second.area_range) == ((0.5, 2), (0.1, 1))
    assert crops.skip_prob == 0.2
    with pytest.raises(ArgumentError, match=r"lists must be equally long, but have \[2, 3"):
        CreateMultiRandCropAugmenter([0.1, 0.3], [(0.5, 2)] * 3)


def test_augmenters_refuse_what_is_none() -> None:
    number: Any = 3
    with pytest.raises(ArgumentError, match="Borrowing from invalid Augmenter: int"):
        DetBorrowAug(number)
    with pytest.raises(ArgumentError, match="Allow DetAugmenter in list only, not int"):
        DetRandomSelectAug([number])
    with pytest.raises(NotImplementedError, match="must define __call__"):
        DetAugmenter()(None, LABEL)


def test_labels_are_objects_filled_up_with_minus_one() -> None:
    batches = objects_of()
    assert batches.label_shape == (3, 5)
    assert batches.provide_label == [("label", (2, 3, 5))]
    found = np.concatenate([batch.label[0].asnumpy() for batch in batches])
    for label, objects in zip(found, OBJECTS, strict=True):
        assert_allclose(label[: len(objects)], objects, rtol=1e-6)
        assert (label[len(objects) :] == -1).all()


def test_images_and_objects_are_augmented_together() -> None:
    batches = objects_of(
        path_imgidx="det.idx", shuffle=True, rand_mirror=True, rand_crop=1, rand_pad=1
    )
    for batch in batches:
        assert batch.data[0].shape == (2, 3, 16, 16)
        label = batch.label[0].asnumpy()
        boxes = label[label[..., 0] >= 0]
        assert len(boxes)
        assert (boxes[:, 3:] > boxes[:, 1:3]).all()
        assert boxes[:, 1:].min() >= 0
        assert boxes[:, 1:].max() <= 1


def test_samples_without_objects_are_left_out() -> None:
    write(
        "some",
        [[2, 5, 1, 0.5, 0, 0.2, 1], [2, 5, 7, 0, 0, 1, 1], [2, 5], [4, 5, 9, 9, 8, 0, 0, 1, 1]],
    )
    message = (
        r"of 4 samples 2 left out: some\.rec: record 0: Encounter sample with no valid label\.; "
        r"some\.rec: record 2: Label shape is invalid: \(2,\)"
    )
    with pytest.warns(UserWarning, match=message):
        batches = objects_of(path_imgrec="some.rec")
    assert next(batches).label[0][:, 0, 0].asnumpy().tolist() == [7, 8]


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ([2, 5, 1, 0.1, 0.1, 0.5], r"Label shape is invalid: \(6,\)"),
        ([2, 5], r"Label shape is invalid: \(2,\)"),
        ([1, 5, 1, 0.1, 0.1, 0.5, 0.5], r"Label shape \(7,\) inconsistent with annotation width 5"),
        ([2, 5, 1, 0.1, 0.1, 0.5, 0.5, 9], r"Label shape \(8,\) inconsistent"),
        ([2, 5, 1, 0.5, 0.5, 0.1, 0.1], "Encounter sample with no valid label"),
        ([2, 5, 1, 0.1, 0.1, np.nan, 0.5], "Encounter sample with no valid label"),
        ([2, 5, -1, 0.1, 0.1, 0.5, 0.5], "the class of every object is negative"),
    ],
)
def test_no_label_left_is_an_error_that_names_the_samples(label: list[float], reason: str) -> None:
    write("some", [label])
    with pytest.raises(InvalidSampleError, match=rf"1 left out: some\.rec: record 0: {reason}"):
        objects_of(path_imgrec="some.rec")


def test_a_class_below_zero_is_left_out_of_batches_as_in_mxnet() -> None:
    write("some", [[2, 5, -1, 0.1, 0.1, 0.5, 0.5], [2, 5, 3, 0.1, 0.1, 0.5, 0.5]])
    with pytest.warns(UserWarning, match="of 2 samples 1 left out"):
        batches = objects_of(path_imgrec="some.rec", batch_size=1)
    assert [batch.label[0][0, 0, 0].asscalar() for batch in batches] == [3]


def test_augmenters_that_leave_no_object_are_an_error_of_the_epoch() -> None:
    class Nothing(DetAugmenter):
        def __call__(self, src: Any, label: Any) -> tuple[Any, Any]:
            return src, label[:0]

    batches = objects_of(aug_list=[Nothing()])
    with pytest.raises(InvalidSampleError, match="no sample of this epoch can be used: 4 left out"):
        next(batches)


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (np.zeros((0, 5)), "Invalid label occurs"),
        (np.array([[0, 0.5, 0.5, 0.1, 0.1]]), "Invalid label occurs"),
        (np.array([[-1, 0.1, 0.1, 0.5, 0.5]]), "Invalid label occurs"),
        (np.zeros((1, 4)), r"Label with shape \(1\+, 5\+\) required"),
        (np.zeros(5), r"Label with shape \(1\+, 5\+\) required"),
    ],
)
def test_labels_after_augmentation_are_checked_as_in_mxnet(label: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        objects_of()._check_valid_label(label)


def test_shapes_of_labels_grow_and_are_shared() -> None:
    batches, other = objects_of(), objects_of()
    batches.reshape(label_shape=(7, 5))
    assert next(batches).label[0].shape == (2, 7, 5)
    assert batches.sync_label_shape(other, verbose=True) is other
    assert other.label_shape == (7, 5)
    for shape, message in (
        ((2, 5), "Attempts to reduce label count from 7 to 2, not allowed"),
        ((9, 6), "label_shape object width inconsistent: 5 vs 6"),
        ((9,), "label_shape should have length 2"),
    ):
        wrong: Any = shape
        with pytest.raises(ShapeError, match=message):
            batches.reshape(label_shape=wrong)
    batches.reshape(data_shape=(3, 20, 20))
    with pytest.raises(ShapeError, match=r"give images of shape \(3, 16, 16\)"):
        next(batches)


def test_boxes_are_drawn() -> None:
    batches = objects_of(mean=True, std=True, data_shape=(3, 40, 40))
    drawn = list(batches.draw_next((255, 0, 0), 1, True, True, id2labels={0: "cat"}))
    assert len(drawn) == 4
    first = drawn[0]
    assert first.shape == (40, 40, 3)
    assert first[8, 4:20].tolist() == [[255, 0, 0]] * 16
    assert_allclose(first[0, 0], [10, 20, 30], atol=1)
    assert len(list(objects_of().draw_next())) == 4
