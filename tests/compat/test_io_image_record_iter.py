"""``mx.io.ImageRecordIter``: which images come when, labels, parts, threads, forks and damage."""

import io
import os
import threading
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PIL import Image

import mxnet as mx
from hy_io import IRHeader, MXIndexedRecordIO, pack
from mxnet.io import ImageRecordIter, ImageRecordIter_v1, MXDataIter

COUNT = 10


def encoded(value: int, size: int = 8) -> bytes:
    content = io.BytesIO()
    Image.fromarray(np.full((size, size, 3), value, np.uint8)).save(content, "PNG")
    return content.getvalue()


def write(path: Path, labels: Any, images: Any = None) -> None:
    with MXIndexedRecordIO(path.with_suffix(".idx"), path, "w") as file:
        for i, label in enumerate(labels):
            content = encoded(i) if images is None else images[i]
            file.write_idx(i, pack(IRHeader(0, label, 100 + i, 0), content))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("a.rec"), map(float, range(COUNT)))
    write(Path("three.rec"), [[i, i + 0.5, -i] for i in range(6)])


def batches_of(**kwargs: Any) -> MXDataIter:
    given: dict[str, Any] = {"path_imgrec": "a.rec", "data_shape": (3, 8, 8), "batch_size": 4}
    return ImageRecordIter(**(given | kwargs))


def epoch(batches: MXDataIter) -> list[tuple[list[int], int]]:
    """Labels and pads; the images and the ids belong to them."""
    found = []
    for batch in batches:
        label = batch.label[0].asnumpy().astype(int)
        whole = len(label) - (batch.pad or 0) * (batch.index[-1] == 0)
        assert_array_equal(batch.data[0][:, 0, 0, 0].asnumpy(), label)
        assert_array_equal(batch.index[:whole], 100 + label[:whole])
        found.append((label.tolist(), batch.pad or 0))
    batches.reset()
    return found


ROUNDED = [
    [([0, 1, 2, 3], 0), ([4, 5, 6, 7], 0), ([8, 9, 0, 1], 2)],
    [([2, 3, 4, 5], 0), ([6, 7, 8, 9], 0)],
]


@pytest.mark.parametrize("make", [ImageRecordIter, ImageRecordIter_v1])
def test_the_next_epoch_leaves_out_what_filled_up_the_last_batch(make: Any) -> None:
    batches = make(path_imgrec="a.rec", data_shape="(3, 8, 8)", batch_size="4")
    assert isinstance(batches, MXDataIter)
    assert repr(batches.provide_data) == (
        "[DataDesc[data,(4, 3, 8, 8),<class 'numpy.float32'>,NCHW]]"
    )
    assert [epoch(batches) for _ in range(3)] == [*ROUNDED, ROUNDED[0]]
    batches.close()


def test_without_rounding_the_last_batch_is_filled_with_zeros() -> None:
    batches = batches_of(round_batch=False)
    expected = [*ROUNDED[0][:2], ([8, 9, 0, 0], 2)]
    assert [epoch(batches), epoch(batches)] == [expected, expected]
    batches.close()


def test_every_epoch_has_another_order_drawn_by_the_seed() -> None:
    def orders(**kwargs: Any) -> list[list[int]]:
        batches = batches_of(shuffle=True, batch_size=5, **kwargs)
        found = [[i for label, _ in epoch(batches) for i in label] for _ in range(3)]
        batches.close()
        return found

    first = orders()
    assert all(sorted(order) == list(range(COUNT)) for order in first)
    assert len(set(map(tuple, first))) == 3
    assert first == orders() != orders(seed=1)
    assert first == orders(path_imgidx="a.idx")
    assert first == orders(preprocess_threads=1, prefetch_buffer=1)


def test_a_shuffled_epoch_leaves_out_what_filled_up_the_last_batch() -> None:
    batches = batches_of(shuffle=True)
    first, second = epoch(batches), epoch(batches)
    taken = first[-1][0][2:] + second[0][0] + second[1][0]
    assert sorted(taken) == list(range(COUNT))
    batches.close()


@pytest.mark.parametrize(
    ("parts", "index", "expected"),
    [
        (2, "", [6, 4]),
        (3, "", [4, 3, 3]),
        (4, "", [3, 3, 2, 2]),
        (7, "", [2, 1, 2, 1, 2, 1, 1]),
        (2, "a.idx", [5, 5]),
        (3, "a.idx", [4, 4, 2]),
        (4, "a.idx", [3, 3, 3, 1]),
    ],
)
def test_a_file_is_divided_into_parts(parts: int, index: str, expected: list[int]) -> None:
    found = []
    for i in range(parts):
        batches = batches_of(num_parts=parts, part_index=i, path_imgidx=index, batch_size=1)
        found.append([label[0] for label, _ in epoch(batches)])
        batches.close()
    assert [len(part) for part in found] == expected
    assert [label for part in found for label in part] == list(range(COUNT))
    with pytest.raises(TypeError, match="part_index must be within"):
        batches_of(num_parts=parts, part_index=parts)


def test_several_files_and_folders_are_read_as_one() -> None:
    Path("folder").mkdir()
    for name in ("b.rec", "c.rec"):
        Path("folder", name).write_bytes(Path("a.rec").read_bytes())
    for path, count in (("a.rec;folder/b.rec", 2), ("folder", 2), ("folder;a.rec", 3)):
        batches = batches_of(path_imgrec=path, batch_size=10)
        assert epoch(batches) == [(list(range(COUNT)), 0)] * count
        batches.close()
    with pytest.raises(TypeError, match="path_imgidx is the index of one file"):
        batches_of(path_imgrec="folder", path_imgidx="a.idx")


def test_labels_are_several_or_those_of_a_list() -> None:
    batches = batches_of(path_imgrec="three.rec", label_width=3, batch_size=2)
    assert batches.provide_label[0].shape == (2, 3)
    assert next(batches).label[0].asnumpy().tolist() == [[0, 0.5, 0], [1, 1.5, -1]]
    batches.close()
    lines = [f"{100 + i}\t{i * 10}\t{i * 10 + 1}\tx{i}.png\n" for i in range(COUNT)]
    Path("a.lst").write_text("".join(lines), encoding="utf-8")
    for width, expected in ((1, [0, 10, 20, 30]), (2, [[0, 1], [10, 11], [20, 21], [30, 31]])):
        batches = batches_of(path_imglist="a.lst", label_width=width)
        assert next(batches).label[0].asnumpy().tolist() == expected
        batches.close()


@pytest.mark.parametrize(
    ("text", "width", "error", "message"),
    [
        ("100\t1\tx\n", 1, TypeError, "a.lst has no labels for 101"),
        ("100\t1\tx\n101\tx\n", 1, ValueError, "a.lst: byte 8: line: expected a number, 1 labels"),
        ("100\t1\tx\n", 2, ValueError, "a.lst: byte 0: line: expected a number, 2 labels"),
    ],
)
def test_a_list_without_the_labels_is_refused(
    text: str, width: int, error: type[Exception], message: str
) -> None:
    Path("a.lst").write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message):
        epoch(batches_of(path_imglist="a.lst", label_width=width))


def test_augmentation_is_the_same_with_any_number_of_threads() -> None:
    images = [encoded(i, 40) for i in range(COUNT)]
    write(Path("b.rec"), [0.0] * COUNT, images)

    def found(threads: int) -> list[bytes]:
        batches = batches_of(
            path_imgrec="b.rec",
            shuffle=True,
            rand_crop=True,
            brightness=0.5,
            max_random_illumination=9,
            preprocess_threads=threads,
            seed=4,
        )
        result = []
        for _ in range(2):
            result += [batch.data[0].asnumpy().tobytes() for batch in batches]
            batches.reset()
        batches.close()
        return result

    assert found(1) == found(2) == found(8)
    assert len(set(found(1))) == 5


def test_damage_is_raised_by_its_batch_once_and_tells_the_record() -> None:
    images = [encoded(i) for i in range(COUNT)]
    images[5] = images[5][:40]
    write(Path("b.rec"), map(float, range(COUNT)), images)
    batches = batches_of(path_imgrec="b.rec", batch_size=2)
    assert next(batches).label[0].asnumpy().tolist() == [0, 1]
    assert next(batches).label[0].asnumpy().tolist() == [2, 3]
    with pytest.raises(
        mx.MXNetError, match=r"^b\.rec: record 5 at byte \d+: byte 0: image"
    ) as caught:
        next(batches)
    assert "UnidentifiedImageError" in "".join(traceback.format_exception(caught.value))
    assert [batch.label[0].asnumpy().tolist() for batch in batches] == [[6, 7], [8, 9]]
    batches.reset()
    assert next(batches).label[0].asnumpy().tolist() == [0, 1]
    batches.close()


def test_damage_met_while_the_mean_is_computed_names_the_record() -> None:
    write(Path("b.rec"), [0.0, 1.0], [encoded(0), encoded(1)[:40]])
    with pytest.raises(mx.MXNetError, match=r"^b\.rec: record 1 at byte \d+: byte 0: image"):
        batches_of(path_imgrec="b.rec", mean_img="mean.params")


def test_a_reset_amid_an_epoch_begins_anew() -> None:
    batches = batches_of()
    batches.reset()
    next(batches)
    batches.reset()
    assert epoch(batches) == ROUNDED[0]
    batches.close()


def test_closing_leaves_no_thread_and_the_iterator_usable() -> None:
    before = set(threading.enumerate())
    batches = batches_of()
    assert set(threading.enumerate()) == before  # threads begin with the first batch
    next(batches)
    assert set(threading.enumerate()) > before
    batches.close()
    batches.close()
    assert set(threading.enumerate()) == before
    batches.reset()
    assert epoch(batches) == ROUNDED[0]
    del batches


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_forked_process_goes_on_with_threads_of_its_own() -> None:
    batches = batches_of(shuffle=True)
    next(batches)
    rest = [batch.label[0].asnumpy().tolist() for batch in batches_of(shuffle=True)][1:]
    child = os.fork()
    if child == 0:
        good = [batch.label[0].asnumpy().tolist() for batch in batches] == rest
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert [batch.label[0].asnumpy().tolist() for batch in batches] == rest
    batches.close()


def test_names_of_data_and_label_can_be_chosen() -> None:
    batches = batches_of(data_name="q", label_name="l")
    assert [batches.provide_data[0].name, batches.provide_label[0].name] == ["q", "l"]
    assert isinstance(batches, mx.io.DataIter)
