"""``mx.io.CSVIter`` and ``MNISTIter``: batches and errors, with the numbers of MXNet 1.9.1."""

import doctest
import gzip
import importlib
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.io import CSVIter, MNISTIter, MXDataIter

IMAGES = np.arange(160, dtype=np.uint8).reshape(10, 4, 4)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{2 * i + 0.5},{2 * i + 1.5}\n" for i in range(10)]
    Path("x.csv").write_text("".join(rows), encoding="utf-8")
    Path("y.csv").write_text("".join(f"{i}\n" for i in range(10)), encoding="utf-8")
    images = struct.pack(">4i", 2051, 10, 4, 4) + IMAGES.tobytes()
    labels = struct.pack(">2i", 2049, 10) + bytes(range(10))
    Path("images").write_bytes(images)
    Path("labels").write_bytes(labels)
    Path("images.gz").write_bytes(gzip.compress(images))
    Path("labels.gz").write_bytes(gzip.compress(labels))


def rows(**kwargs: Any) -> MXDataIter:
    return CSVIter(**({"data_csv": "x.csv", "data_shape": (2,), "batch_size": 4} | kwargs))


def digits(**kwargs: Any) -> MXDataIter:
    given = {"image": "images", "label": "labels", "batch_size": 4, "shuffle": False}
    return MNISTIter(**(given | kwargs))


def epoch(batches: MXDataIter) -> list[tuple[list[float], list[float], int, list[int]]]:
    found = []
    for batch in batches:
        first = batch.data[0].asnumpy().reshape(len(batch.data[0]), -1)[:, 0]
        label = batch.label[0].asnumpy()
        found.append((first.tolist(), label.tolist(), batch.pad or 0, batch.index.tolist()))
    batches.reset()
    return found


def test_the_next_epoch_leaves_out_what_filled_up_the_last_batch() -> None:
    batches = rows(label_csv="y.csv")
    assert [epoch(batches) for _ in range(3)][::2] == [
        [
            ([0.5, 2.5, 4.5, 6.5], [0, 1, 2, 3], 0, [0, 1, 2, 3]),
            ([8.5, 10.5, 12.5, 14.5], [4, 5, 6, 7], 0, [4, 5, 6, 7]),
            ([16.5, 18.5, 0.5, 2.5], [8, 9, 0, 1], 2, [8, 9, 0, 1]),
        ]
    ] * 2
    assert [(label, pad) for _, label, pad, _ in epoch(batches)] == [
        ([2, 3, 4, 5], 0),
        ([6, 7, 8, 9], 0),
    ]


def test_a_batch_larger_than_the_file_takes_more_of_the_next_epoch() -> None:
    batches = rows(batch_size=13, label_csv="y.csv")
    assert [epoch(batches)[0][1:3] for _ in range(2)] == [
        ([*range(10), 0, 1, 2], 3),
        ([*range(3, 10), 0, 1, 2, 3, 4, 5], 6),
    ]


def test_without_rounding_the_last_batch_keeps_rows_of_the_one_before() -> None:
    batches = rows(label_csv="y.csv", round_batch=False)
    for _ in range(2):
        assert epoch(batches)[2] == ([16.5, 18.5, 12.5, 14.5], [8, 9, 6, 7], 2, [8, 9, 6, 7])
    (only,) = epoch(rows(label_csv="y.csv", round_batch=False, batch_size=12))
    assert only[1:3] == ([*range(10), 0, 0], 2)


def test_rows_have_the_shape_and_dtype_asked_for() -> None:
    batches = rows(data_shape="(2, 1)", dtype="float32")
    assert batches.provide_data[0].shape == next(batches).data[0].shape == (4, 2, 1)
    assert (
        repr(rows().provide_label) == "[DataDesc[softmax_label,(4,),<class 'numpy.float32'>,NCHW]]"
    )
    wide = rows(label_csv="x.csv", label_shape=(2,), label_name="l", data_name="d")
    assert [desc[0] for desc in [*wide.provide_data, *wide.provide_label]] == ["d", "l"]
    assert next(wide).label[0].shape == (4, 2)
    Path("i.csv").write_text("1.0\n16777217\n", encoding="utf-8")
    whole = rows(data_csv="i.csv", data_shape=(1,), dtype="int64", batch_size=2)
    assert next(whole).data[0].asnumpy().tolist() == [[1], [16777217]]


@pytest.mark.parametrize(
    ("text", "arguments", "error", "message"),
    [
        ("1,2\n3,x\n", {}, ValueError, r"bad\.csv: byte 4: row: expected numbers and commas"),
        ("1,2.5\n", {"dtype": "int32"}, ValueError, "expected whole numbers and commas, found"),
        ("1,2\n3\n", {}, ValueError, r"bad\.csv: byte 4: row: expected 2 numbers.*found 1"),
        ("", {}, TypeError, "there are no samples"),
        ("1,2\n", {"label_csv": "none.csv"}, OSError, "none.csv"),
        ("1,2\n" * 11, {"label_csv": "y.csv"}, ValueError, "y.csv has 10 rows, but bad.csv has 11"),
        ("1,2\n", {"dtype": "float64"}, TypeError, "dtype must be one of"),
        ("1,2\n", {"batch_size": "four"}, TypeError, "batch_size must be an integer, not 'four'"),
        ("1,2\n", {"batch_size": 0}, TypeError, "batch_size must be at least 1"),
    ],
)
def test_damaged_files_of_rows_are_refused(
    text: str, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    Path("bad.csv").write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message):
        rows(data_csv="bad.csv", **arguments)


def test_a_missing_parameter_is_an_error_and_an_unknown_one_a_warning() -> None:
    with pytest.raises(TypeError, match="CSVIter needs data_csv and batch_size"):
        CSVIter(data_shape=(2,))
    with pytest.warns(UserWarning, match="data_shap is no parameter.*did you mean 'data_shape'"):
        rows(data_shap=2)


def test_digits_are_below_one_and_incomplete_batches_are_left_out() -> None:
    batches = digits()
    assert batches.provide_data[0].shape == (4, 1, 4, 4)
    for _ in range(2):
        assert [found[1] for found in epoch(batches)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert next(batches).data[0].asnumpy()[:, 0, 0, 1].tolist() == [
        0.00390625,
        0.06640625,
        0.12890625,
        0.19140625,
    ]
    assert (
        digits(flat=True).provide_data[0].shape == next(digits(flat=True)).data[0].shape == (4, 16)
    )
    assert epoch(digits(batch_size=11)) == []


def test_digits_come_in_one_order_drawn_by_the_seed() -> None:
    batches = digits(shuffle=True, batch_size=10, seed=1)
    (first,) = epoch(batches)
    assert sorted(first[1]) == list(range(10)) != first[1]
    assert [first] == epoch(batches) == epoch(digits(shuffle=True, batch_size=10, seed=1))
    assert [first] != epoch(digits(shuffle=True, batch_size=10, seed=2))
    assert [value * 256 for value in first[0]] == [16 * label for label in first[1]]


def test_digits_are_divided_into_parts() -> None:
    found = [epoch(digits(num_parts=3, part_index=i, batch_size=1)) for i in range(3)]
    assert [[label for _, (label,), _, _ in part] for part in found] == [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8, 9],
    ]
    with pytest.raises(TypeError, match="part_index must be within 0 to num_parts - 1, not 3 of 3"):
        digits(num_parts=3, part_index=3)


def test_compressed_digits_are_read() -> None:
    assert epoch(digits(image="images.gz", label="labels.gz")) == epoch(digits())


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"label": "images"}, ValueError, "images: byte 2: dtype and axes: expected 0x0801"),
        (
            {"image": "y.csv"},
            ValueError,
            "y.csv: byte 0: format: expected an array of IDX, found text",
        ),
        ({"image": "cut"}, ValueError, "cut: byte 16: elements: expected 160 bytes"),
        ({"image": "fewer"}, ValueError, "fewer has 9 images, but labels has 10 labels"),
        ({"image": "nowhere"}, OSError, "nowhere"),
    ],
)
def test_damaged_files_of_digits_are_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    content = Path("images").read_bytes()
    Path("cut").write_bytes(content[:-1])
    Path("fewer").write_bytes(content[:7] + b"\x09" + content[8:-16])
    with pytest.raises(error, match=message):
        digits(**arguments)


def test_a_reset_before_any_batch_changes_nothing_and_one_amid_an_epoch_begins_anew() -> None:
    batches = rows(label_csv="y.csv")
    batches.reset()
    assert next(batches).label[0].asnumpy().tolist() == [0, 1, 2, 3]
    batches.reset()
    assert len(epoch(batches)) == 3
    for _ in range(2):
        batches.next()
    with pytest.raises(StopIteration):
        batches.next()
    with pytest.raises(StopIteration):
        batches.next()
    with pytest.raises(mx.MXNetError, match=r"the epoch is over: call reset\(\)"):
        batches.getdata()


def test_the_steps_of_a_batch_can_be_called_singly() -> None:
    batches = rows(label_csv="y.csv")
    assert batches.getdata()[:, 0].asnumpy().tolist() == [0.5, 2.5, 4.5, 6.5]  # before the first
    assert batches.iter_next()
    assert batches.getlabel().asnumpy().tolist() == [0, 1, 2, 3]
    assert batches.getpad() == 0
    assert batches.getindex().dtype == np.uint64
    assert batches.iter_next()
    assert batches.getlabel().asnumpy().tolist() == [4, 5, 6, 7]


def test_loading_can_be_left_out() -> None:
    batches = rows(label_csv="y.csv")
    batches.debug_skip_load()
    assert [next(batches).label[0].asnumpy().tolist() for _ in range(9)] == [[0, 1, 2, 3]] * 9


@pytest.mark.parametrize("name", ["csv_iter", "stream", "combined"])
def test_the_examples_run(name: str) -> None:
    module = importlib.import_module(f"mxnet.io.{name}")
    assert doctest.testmod(module).attempted > 0
    assert doctest.testmod(module).failed == 0
