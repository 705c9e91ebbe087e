"""Which methods iterators call of themselves: those that MXNet 1.9.1 calls, in its order.

The logs are what MXNet gave for subclasses that override every method of a class.
"""

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import mxnet as mx
from mxnet.contrib.io import DataLoaderIter

DATA = np.arange(10.0).reshape(5, 2)
COMMON = ("next", "iter_next", "reset", "getdata", "getlabel", "getpad", "getindex")
BATCHES = (
    *COMMON,
    "hard_reset",
    "_shuffle_data",
    "_batchify",
    "_getdata",
    "_concat",
    "_tile",
    "provide_data",
    "provide_label",
)
IMAGES = (
    *COMMON,
    "hard_reset",
    "_batchify",
    "next_sample",
    "read_image",
    "imdecode",
    "check_data_shape",
    "check_valid_image",
    "augmentation_transform",
    "postprocess_data",
    "_estimate_label_shape",
    "_parse_label",
    "_check_valid_label",
    "check_label_shape",
)


def logged(kind: Any, names: tuple[str, ...], calls: list[str]) -> Any:
    """A subclass that notes each call of a method or property."""

    def method(name: str) -> Callable[..., Any]:
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            calls.append(name)
            return getattr(super(subclass, self), name)(*args, **kwargs)

        return call

    def attribute(name: str) -> Any:
        def get(self: Any) -> Any:
            calls.append(name)
            return getattr(super(subclass, self), name)

        return property(get)

    members = {
        name: (attribute if isinstance(getattr(kind, name), property) else method)(name)
        for name in names
        if hasattr(kind, name)
    }
    subclass: Any = type("Logged", (kind,), members)
    return subclass


class Log:
    """The calls of one iterator, step by step."""

    def __init__(self, kind: Any, names: tuple[str, ...], *args: Any, **kwargs: Any) -> None:
        self._calls: list[str] = []
        self.batches = logged(kind, names, self._calls)(*args, **kwargs)
        self.made = self._taken()

    def _taken(self) -> str:
        runs = [(name, len([*run])) for name, run in groupby(self._calls)]
        self._calls.clear()
        return " ".join(f"{name}*{length}" if length > 1 else name for name, length in runs)

    def of(self, step: Callable[[Any], Any]) -> str:
        """The calls that a step makes."""
        step(self.batches)
        return self._taken()


def rest(batches: Iterator[Any]) -> None:
    """Go on to the end of the epoch."""
    for _ in batches:
        pass


def reset(batches: Any) -> None:
    batches.reset()


WHOLE = "next iter_next getdata _batchify _getdata getlabel _batchify _getdata getpad"
PADDED = (
    "next iter_next getdata _batchify _getdata*2 _concat getlabel _batchify _getdata*2 _concat "
    "getpad next iter_next"
)
SHORT = "next iter_next getdata _batchify _getdata getlabel _batchify _getdata"
ROLLED = (
    "next iter_next getdata _batchify _getdata _concat getlabel _batchify _getdata _concat getpad"
)


@pytest.mark.parametrize(
    ("arguments", "made", "end", "again", "after"),
    [
        ({}, "reset", PADDED, "reset", WHOLE),
        ({"shuffle": True}, "reset _shuffle_data", PADDED, "reset _shuffle_data", WHOLE),
        ({"last_batch_handle": "discard"}, "reset", SHORT, "reset", WHOLE),
        (
            {"last_batch_handle": "roll_over", "shuffle": True},
            "reset _shuffle_data",
            SHORT,
            "reset _shuffle_data",
            ROLLED,
        ),
    ],
)
def test_batches_of_arrays(
    arguments: dict[str, Any], made: str, end: str, again: str, after: str
) -> None:
    log = Log(mx.io.NDArrayIter, BATCHES, DATA, DATA[:, 0], 2, **arguments)
    assert log.made == made
    assert [log.of(next) for _ in range(2)] == [WHOLE, WHOLE]
    assert log.of(rest) == end
    assert log.of(reset) == again
    assert log.of(next) == after
    assert log.of(lambda batches: batches.hard_reset()).split()[0] == "hard_reset"


def test_a_batch_of_several_epochs() -> None:
    log = Log(mx.io.NDArrayIter, BATCHES, DATA, None, 13)
    step = "_batchify _getdata*2 _tile _getdata _concat*2"
    assert log.of(next) == f"next iter_next getdata {step} getlabel {step} getpad"


def test_batches_of_another_number() -> None:
    log = Log(mx.io.ResizeIter, COMMON, mx.io.NDArrayIter(DATA, DATA[:, 0], 2), 2)
    step = "next iter_next getdata getlabel getpad getindex"
    assert log.made == ""
    assert [log.of(next) for _ in range(2)] == [step, step]
    assert log.of(rest) == "next iter_next"
    assert log.of(reset) == "reset"


def test_batches_ahead() -> None:
    log = Log(mx.io.PrefetchingIter, BATCHES, mx.io.NDArrayIter(DATA, DATA[:, 0], 3))
    step = "next iter_next provide_data provide_label"
    assert log.made == "provide_data"
    assert [log.of(next) for _ in range(2)] == [step, step]
    assert log.of(rest) == "next iter_next"
    assert log.of(reset) == "reset"
    log.batches.close()


def test_batches_of_sentences() -> None:
    log = Log(mx.rnn.BucketSentenceIter, COMMON, [[1, 2], [3, 4]], 1, buckets=[2])
    assert log.made == "reset"
    assert log.of(rest) == "next*3"


def test_batches_of_a_loader() -> None:
    dataset = mx.gluon.data.ArrayDataset(DATA, DATA[:, 0])
    log = Log(DataLoaderIter, COMMON, mx.gluon.data.DataLoader(dataset, 3))
    step = "next iter_next getdata getpad getlabel getpad*2 getindex"
    assert log.made == "reset"
    assert log.of(rest) == f"{step} {step} next iter_next"


@pytest.fixture
def images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (8, 8)).save("x.png")
    rows = [f"{i}\t{i}\tx.png\n" for i in range(5)]
    Path("x.lst").write_text("".join(rows), encoding="utf-8")
    rows = [f"{i}\t2\t5\t{i}\t0.1\t0.1\t0.5\t0.5\tx.png\n" for i in range(5)]
    Path("boxes.lst").write_text("".join(rows), encoding="utf-8")
    with mx.recordio.MXIndexedRecordIO("x.idx", "x.rec", "w") as records:
        for i in range(5):
            header = mx.recordio.IRHeader(0, float(i), i, 0)
            records.write_idx(i, mx.recordio.pack(header, Path("x.png").read_bytes()))


SAMPLE = "imdecode check_valid_image augmentation_transform postprocess_data"


@pytest.mark.usefixtures("images")
@pytest.mark.parametrize(
    ("arguments", "sample"),
    [
        ({"path_imglist": "x.lst", "path_root": "."}, f"next_sample read_image {SAMPLE}"),
        ({"path_imgrec": "x.rec"}, f"next_sample {SAMPLE}"),
        ({"path_imgrec": "x.rec", "path_imgidx": "x.idx"}, f"next_sample {SAMPLE}"),
    ],
)
def test_batches_of_images(arguments: dict[str, Any], sample: str) -> None:
    log = Log(mx.image.ImageIter, IMAGES, 2, (3, 8, 8), **arguments)
    step = f"next _batchify {sample} {sample}"
    assert log.made == "check_data_shape reset"
    assert [log.of(next) for _ in range(2)] == [step, step]
    filled = f"next _batchify {sample} next_sample _batchify {sample}"
    assert log.of(rest) == f"{filled} next _batchify next_sample"
    assert log.of(reset) == "reset"
    assert log.of(next) == step


@pytest.mark.usefixtures("images")
def test_batches_of_images_that_roll_over() -> None:
    arguments = {"path_imgrec": "x.rec", "last_batch_handle": "roll_over"}
    log = Log(mx.image.ImageIter, IMAGES, 3, (3, 8, 8), **arguments)
    sample = f"next_sample {SAMPLE}"
    assert log.of(next) == f"next _batchify {sample} {sample} {sample}"
    assert log.of(rest) == f"next _batchify {sample} {sample} next_sample"
    assert log.of(reset) == "reset"
    assert log.of(next) == f"next _batchify {sample}"


@pytest.mark.usefixtures("images")
def test_batches_of_images_with_boxes() -> None:
    arguments = {"path_imglist": "boxes.lst", "path_root": "."}
    log = Log(mx.image.ImageDetIter, IMAGES, 2, (3, 8, 8), **arguments)
    labels = " ".join(["next_sample read_image _parse_label"] * 5)
    begin = "check_data_shape reset _estimate_label_shape reset"
    assert log.made == f"{begin} {labels} next_sample reset"
    sample = (
        "next_sample read_image imdecode check_valid_image _parse_label augmentation_transform "
        "_check_valid_label postprocess_data"
    )
    assert log.of(next) == f"next _batchify {sample} {sample}"
    reshape = log.of(lambda batches: batches.reshape((3, 8, 8), (3, 5)))
    assert reshape == "check_data_shape check_label_shape"


def test_a_subclass_prepares_its_state_in_reset() -> None:
    class Counting(mx.io.NDArrayIter):
        def reset(self) -> None:
            self.steps = 0
            super().reset()

        def next(self) -> mx.io.DataBatch:
            self.steps += 1
            return super().next()

    batches = Counting(DATA, DATA[:, 0], 2)
    assert len([*batches]) == 3
    assert batches.steps == 4


def test_a_subclass_replaces_shuffling() -> None:
    class Reversed(mx.io.NDArrayIter):
        def _shuffle_data(self) -> None:
            self.data = [(name, array[::-1]) for name, array in self.data]

    state = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    batches = Reversed(DATA, batch_size=5, shuffle=True)
    assert next(batches).data[0][:, 0].asnumpy().tolist() == [8, 6, 4, 2, 0]
    assert np.random.get_state()[1].tolist() == state  # type: ignore[index]  # noqa: NPY002


def test_a_subclass_replaces_the_batches_of_another_number() -> None:
    class Doubled(mx.io.ResizeIter):
        def getdata(self) -> Any:
            return [2 * array for array in super().getdata()]

    batches = Doubled(mx.io.NDArrayIter(DATA, batch_size=5), 1)
    assert next(batches).data[0][:, 0].asnumpy().tolist() == [0, 4, 8, 12, 16]


@pytest.mark.usefixtures("images")
def test_a_runtime_error_of_a_check_leaves_the_sample_out_as_in_mxnet() -> None:
    class Even(mx.image.ImageIter):
        def check_valid_image(self, data: Any) -> None:
            assert data.shape == (8, 8, 3)
            if self.cur % 2 == 0:
                raise RuntimeError("odd")

    batches = Even(3, (3, 8, 8), path_imgrec="x.rec")
    assert next(batches).label[0].asnumpy().tolist() == [0, 2, 4]


@pytest.mark.usefixtures("images")
def test_a_check_that_refuses_all_samples_is_an_error_with_the_reason() -> None:
    class Refusing(mx.image.ImageIter):
        def check_valid_image(self, data: Any) -> None:
            raise RuntimeError(f"refused {data.shape}")

    batches = Refusing(3, (3, 8, 8), path_imgrec="x.rec")
    with pytest.raises(mx.MXNetError, match=r"5 left out: x\.rec: record 0: refused") as caught:
        next(batches)
    assert isinstance(caught.value.__cause__, RuntimeError)
