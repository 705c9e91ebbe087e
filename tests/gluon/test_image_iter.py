"""``ImageIter``: records, lists and folders as batches, with the numbers of MXNet 1.9.1."""

import importlib
import io
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PIL import Image

from hy_gluon import image
from hy_gluon.batches import DataIter
from hy_gluon.image import Augmenter, CastAug, ImageIter
from hy_gluon.image.iterator import InvalidSampleError
from hy_io import IRHeader, MXIndexedRecordIO, pack
from hy_ndarray import ArgumentError, HyError, ShapeError, nd


def encoded(value: int) -> bytes:
    content = io.BytesIO()
    Image.fromarray(np.full((8, 8, 3), value, np.uint8)).save(content, "PNG")
    return content.getvalue()


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with MXIndexedRecordIO("a.idx", "a.rec", "w") as file:
        for i in range(10):
            file.write_idx(i, pack(IRHeader(0, float(i), i, 0), encoded(i)))
            Path(f"{i}.png").write_bytes(encoded(i))
    with MXIndexedRecordIO("three.idx", "three.rec", "w") as file:
        for i in range(4):
            file.write_idx(i, pack(IRHeader(0, [i, i + 0.5, -i], i, 0), encoded(i)))
    lines = [f"{i}\t{10 * i}\t{i}.png\n" for i in range(4)]
    Path("files.lst").write_text("".join(lines), encoding="utf-8")


def images(**kwargs: Any) -> ImageIter:
    given: dict[str, Any] = {"batch_size": 4, "data_shape": (3, 8, 8), "path_imgrec": "a.rec"}
    return ImageIter(**(given | {"aug_list": [CastAug()]} | kwargs))


def epoch(batches: ImageIter) -> list[tuple[list[int], int]]:
    found = []
    for batch in batches:
        label = batch.label[0].asnumpy()
        assert_array_equal(batch.data[0][:, 1, 2, 3].asnumpy(), label)
        found.append((label.astype(int).tolist(), batch.pad or 0))
    batches.reset()
    return found


FIRST = [([0, 1, 2, 3], 0), ([4, 5, 6, 7], 0)]


@pytest.mark.parametrize("index", [None, "a.idx"])
@pytest.mark.parametrize(
    ("handle", "second"),
    [
        ("pad", [*FIRST, ([8, 9, 0, 1], 2)]),
        ("discard", FIRST),
        ("roll_over", [([8, 9, 0, 1], 2), ([2, 3, 4, 5], 0), ([6, 7, 8, 9], 0)]),
    ],
)
def test_the_last_samples_are_padded_discarded_or_rolled_over(
    index: str | None, handle: str, second: Any
) -> None:
    batches = images(path_imgidx=index, last_batch_handle=handle)
    assert isinstance(batches, DataIter)
    first = second if handle == "pad" else FIRST
    assert [epoch(batches) for _ in range(3)] == [first, second, first]


def test_the_pad_of_what_rolled_over_counts_the_samples_of_this_epoch() -> None:
    batches = images(batch_size=3, last_batch_handle="roll_over")
    epoch(batches)
    assert [next(batches).pad for _ in range(2)] == [2, 0]  # as MXNet says


def test_a_hard_reset_forgets_what_would_roll_over() -> None:
    batches = images(last_batch_handle="roll_over")
    list(batches)
    batches.hard_reset()
    assert epoch(batches) == FIRST


def test_a_batch_larger_than_the_data_takes_samples_several_times() -> None:
    assert epoch(images(batch_size=23)) == [([*range(10), *range(10), 0, 1, 2], 13)]


def test_every_epoch_has_another_order() -> None:
    random.seed(1)
    batches = images(path_imgidx="a.idx", shuffle=True, batch_size=10)
    found = [epoch(batches)[0][0] for _ in range(3)]
    assert [sorted(order) for order in found] == [list(range(10))] * 3
    assert len({tuple(order) for order in found}) == 3


def test_parts_are_equal_and_leave_out_the_rest() -> None:
    for part in range(3):
        batches = images(path_imgidx="a.idx", num_parts=3, part_index=part, batch_size=3)
        assert epoch(batches) == [([3 * part + i for i in range(3)], 0)]


def test_lists_name_files_and_labels() -> None:
    listed = ImageIter(2, (3, 8, 8), path_imglist="files.lst", path_root=".")
    assert listed.seq == [0, 1, 2, 3]
    assert [batch.label[0].asnumpy().tolist() for batch in listed] == [[0, 10], [20, 30]]
    given = ImageIter(2, (3, 8, 8), imglist=[[3, "0.png"], [[4.0], "1.png"], [5, "2.png"]])
    assert given.seq == ["1", "2", "3"]
    assert [batch.label[0].asnumpy().tolist() for batch in given] == [[3, 4], [5, 3]]
    pairs = ImageIter(2, (3, 8, 8), label_width=2, imglist=[[3, 4, "0.png"], [[4.0, 5], "1.png"]])
    assert next(pairs).label[0].asnumpy().tolist() == [[3, 4], [4, 5]]
    relabelled = images(path_imgidx="a.idx", path_imglist="files.lst", batch_size=2)
    relabelled.seq = [3, 1]
    assert next(relabelled).label[0].asnumpy().tolist() == [30, 10]


def test_labels_may_be_several_and_integers() -> None:
    batches = images(path_imgrec="three.rec", label_width=3, batch_size=2)
    assert batches.provide_label == [("softmax_label", (2, 3))]
    assert next(batches).label[0].asnumpy().tolist() == [[0, 0.5, 0], [1, 1.5, -1]]
    whole = images(dtype="int64", label_name="l", data_name="d")
    assert next(whole).label[0].dtype == whole.provide_label[0].dtype == np.int64
    assert [whole.provide_data[0].name, whole.provide_label[0].name] == ["d", "l"]


def test_augmenters_are_the_usual_ones_if_none_are_given() -> None:
    batches = ImageIter(2, (3, 4, 4), path_imgrec="a.rec", rand_crop=True, resize=6)
    names = [type(each).__name__ for each in batches.auglist]
    assert names == ["ResizeAug", "RandomCropAug", "CastAug"]
    assert next(batches).data[0].shape == (2, 3, 4, 4)


def test_the_steps_can_be_overridden() -> None:
    class Negative(ImageIter):
        def augmentation_transform(self, data: Any) -> Any:
            return 255 - data

        def check_valid_image(self, data: Any) -> None:
            if data[0, 0, 0].asscalar() == 1:
                raise InvalidSampleError("an image that is left out")

    batches = Negative(2, (3, 8, 8), path_imgrec="a.rec", aug_list=[])
    batch = next(batches)
    assert batch.label[0].asnumpy().tolist() == [0, 2]
    assert batch.data[0][:, 0, 0, 0].asnumpy().tolist() == [255, 253]
    label, content = batches.next_sample()
    assert (label, batches.imdecode(content).shape) == (3, (8, 8, 3))
    assert batches.postprocess_data(nd.zeros((8, 9, 3))).shape == (3, 8, 9)


def test_an_error_of_an_augmenter_names_the_sample() -> None:
    class Broken(Augmenter):
        def __call__(self, src: Any) -> Any:
            raise KeyError(src.shape) from ValueError("cause")

    batches = ImageIter(1, (3, 8, 8), path_imglist="files.lst", path_root=".", aug_list=[Broken()])
    with pytest.raises(KeyError, match="8, 8, 3") as caught:
        next(batches)
    assert isinstance(caught.value.__cause__, ValueError)
    assert caught.value.__notes__ == ["sample 0 of the epoch, 0.png"]


def test_an_augmenter_that_raises_stop_iteration_does_not_end_the_epoch() -> None:
    class Exhausted(Augmenter):
        def __call__(self, src: Any) -> Any:
            return next(iter([] if src.shape else [src]))

    batches = ImageIter(
        1, (3, 8, 8), path_imglist="files.lst", path_root=".", aug_list=[Exhausted()]
    )
    with pytest.raises(HyError, match=r"^0\.png: an augmenter, .* raised StopIteration") as caught:
        next(batches)
    assert isinstance(caught.value.__cause__, StopIteration)


def test_damage_tells_the_sample() -> None:
    Path("1.png").write_bytes(encoded(1)[:40])
    batches = ImageIter(1, (3, 8, 8), path_imglist="files.lst", path_root=".")
    next(batches)
    with pytest.raises(HyError, match=r"^1\.png: byte 0: image: expected a whole image"):
        next(batches)
    assert next(batches).label[0].asscalar() == 20


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"path_imgrec": None}, ArgumentError, "needs path_imgrec, path_imglist or a list"),
        ({"shuffle": True}, ArgumentError, "path_imgidx is needed; make one with"),
        ({"num_parts": 2}, ArgumentError, "path_imgidx is needed"),
        ({"num_parts": 2, "part_index": 2}, ArgumentError, "part_index must be within"),
        ({"data_shape": (3, 8)}, ShapeError, "data_shape should have length 3"),
        ({"data_shape": (1, 8, 8)}, ShapeError, "expects inputs to have 3 channels, not 1"),
        (
            {"data_shape": (3, 9, 9)},
            ShapeError,
            r"give images of shape \(3, 8, 8\), but data_shape",
        ),
        ({"dtype": "uint8"}, ArgumentError, "dtype must be one of"),
        ({"last_batch_handle": "keep"}, ArgumentError, "last_batch_handle must be one of"),
        ({"path_imgrec": "nowhere.rec"}, OSError, "nowhere.rec"),
    ],
)
def test_what_makes_no_sense_is_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        next(images(**arguments))


def test_a_damaged_list_is_refused() -> None:
    Path("bad.lst").write_text("0\t1\t0.png\n1\tone\t1.png\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"bad\.lst: byte 10: line: expected a number, labels"):
        ImageIter(1, (3, 8, 8), path_imglist="bad.lst")


def test_the_module_shows_its_parts() -> None:
    assert image.image.ImageIter is image.ImageIter
    assert image.det.ImageDetIter is image.detection.ImageDetIter is image.ImageDetIter
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(image, "nothing")  # noqa: B009
    method = importlib.import_module("hy_gluon.image")._get_interp_method
    assert [method(i) for i in (0, 1, 2, 3, 4, 9)] == [0, 1, 2, 3, 4, 2]
    sizes = ((1, 1, 2, 2), (2, 2, 1, 1), (2, 1, 1, 2))
    assert [method(9, each) for each in sizes] == [2, 3, 1]
    assert method(10) in range(5)
    with pytest.raises(ArgumentError, match="interpolation must be"):
        method(5)
