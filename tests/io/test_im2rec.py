"""`hy-io im2rec` and `rec2idx`: the lists and records that MXNet's tools make."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PIL import Image

from hy_io import MXIndexedRecordIO, RecordFile, unpack, unpack_img
from hy_io.cli import main

FILES = ("7.png", "a/1.png", "a/2.jpg", "a/x/3.jpeg", "b/4.png", "b/5.txt", "b/6.PNG")
LINES = [
    "0\t0.000000\t7.png",
    "1\t1.000000\ta/1.png",
    "2\t1.000000\ta/2.jpg",
    "3\t2.000000\ta/x/3.jpeg",
    "4\t3.000000\tb/4.png",
    "5\t3.000000\tb/6.PNG",
]
SHUFFLED = [LINES[i] for i in (2, 5, 0, 4, 3, 1)]


@pytest.fixture(autouse=True)
def images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in FILES:
        path = Path("tree", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = io.BytesIO()
        pixels = np.random.default_rng(len(name)).integers(0, 256, (20, 24, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(content, "PNG")
        path.write_bytes(content.getvalue())


def im2rec(*arguments: str) -> int:
    return main(["im2rec", *arguments, "out", "tree"])


def lines(name: str) -> list[str]:
    return Path(name).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], {"out.lst": LINES[:1]}),
        (["--recursive"], {"out.lst": SHUFFLED}),
        (["--recursive", "--no-shuffle"], {"out.lst": LINES}),
        (["--recursive", "--chunks", "2"], {"out_0.lst": SHUFFLED[:3], "out_1.lst": SHUFFLED[3:]}),
        (
            ["--recursive", "--train-ratio", "0.5", "--test-ratio", "0.25"],
            {
                "out_test.lst": SHUFFLED[:1],
                "out_train.lst": SHUFFLED[1:4],
                "out_val.lst": SHUFFLED[4:],
            },
        ),
        (
            ["--recursive", "--train-ratio", "0.5"],
            {"out_train.lst": SHUFFLED[:3], "out_val.lst": SHUFFLED[3:]},
        ),
        (["--recursive", "--exts=.txt"], {"out.lst": ["0\t0.000000\tb/5.txt"]}),
    ],
)
def test_lists_are_those_of_mxnet(arguments: list[str], expected: dict[str, list[str]]) -> None:
    assert im2rec("--list", *arguments) == 0
    assert {path.name: lines(path.name) for path in Path().glob("*.lst")} == expected


def test_the_folders_are_told_with_their_labels(capsys: pytest.CaptureFixture[str]) -> None:
    im2rec("--list", "--recursive")
    told = capsys.readouterr().out.splitlines()
    assert told == [". 0", "a 1", "a/x 2", "b 3", "out.lst: 6 images"]
    im2rec("--list", "--recursive", "--json")
    assert json.loads(capsys.readouterr().out)["folders"] == {".": 0, "a": 1, "a/x": 2, "b": 3}


@pytest.mark.parametrize("threads", ["1", "3"])
def test_files_are_packed_as_they_are_in_the_order_of_the_list(threads: str) -> None:
    im2rec("--list", "--recursive")
    assert im2rec("--pass-through", "--num-thread", threads) == 0
    found = [unpack(record) for record in RecordFile("out.rec")]
    expected = [line.split("\t") for line in SHUFFLED]
    assert [[header.id, header.label] for header, _ in found] == [
        [int(number), float(label)] for number, label, _ in expected
    ]
    for (_, content), (_, _, path) in zip(found, expected, strict=True):
        assert content == Path("tree", path).read_bytes()
    with MXIndexedRecordIO("out.idx", "out.rec", "r") as file:
        assert file.keys == [2, 5, 0, 4, 3, 1]
        assert unpack(file.read_idx(4))[0].id == 4


@pytest.mark.parametrize(
    ("arguments", "shape"),
    [
        ([], (20, 24, 3)),
        (["--resize", "10"], (10, 12, 3)),
        (["--center-crop"], (20, 20, 3)),
        (["--center-crop", "--resize", "8"], (8, 8, 3)),
        (["--color", "0"], (20, 24)),
    ],
)
def test_images_are_cropped_resized_and_encoded(arguments: list[str], shape: Any) -> None:
    im2rec("--list")
    assert im2rec("--encoding", ".png", "--quality", "3", *arguments) == 0
    (record,) = RecordFile("out.rec")
    pixels = unpack_img(record)[1]
    assert pixels.shape == shape
    if not arguments:
        stored = np.asarray(Image.open("tree/7.png"))
        assert_array_equal(pixels[:, :, ::-1], stored)
    im2rec(*arguments)
    assert unpack(next(iter(RecordFile("out.rec"))))[1].startswith(b"\xff\xd8")


def test_all_labels_of_a_list_are_packed_if_asked_for() -> None:
    Path("out.lst").write_text("3\t1.5\t2\t3\ta/1.png\n4\t7\tb/4.png\n", encoding="utf-8")
    assert im2rec("--pass-through", "--pack-label") == 0
    first, second = (unpack(record)[0] for record in RecordFile("out.rec"))
    assert (first.flag, first.label.tolist(), first.id) == (3, [1.5, 2, 3], 3)
    assert (second.flag, second.label, second.id) == (0, 7, 4)
    im2rec("--pass-through")
    assert [unpack(record)[0].label for record in RecordFile("out.rec")] == [1.5, 7]


def test_what_is_no_image_is_left_out_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.lst").write_text("0\t1\tnope.png\n1\t1\ta/1.png\n2\t1\tb/5.txt\n", encoding="utf-8")
    Path("tree/b/5.txt").write_bytes(b"no image")
    assert im2rec("--num-thread", "2") == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "out.rec: 1 records"
    assert [line.split(":")[0] for line in told[1:]] == [
        "  left out nope.png",
        "  left out b/5.txt",
    ]
    assert [unpack(record)[0].id for record in RecordFile("out.rec", "out.idx")] == [1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--list", "--chunks", "0"], "--chunks must be at least 1, got 0"),
        (["--list", "--train-ratio", "0.8", "--test-ratio", "0.3"], "must be parts of 1"),
        ([], "there is no out*.lst; make one with --list"),
    ],
)
def test_what_makes_no_sense_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert im2rec(*arguments) == 1
    assert message in capsys.readouterr().err


def test_a_damaged_list_leaves_the_records_that_were_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    im2rec("--list")
    im2rec()
    before = Path("out.rec").read_bytes()
    Path("out.lst").write_text("x\t1\t7.png\n0\t7.png\n", encoding="utf-8")
    assert im2rec() == 1
    error = capsys.readouterr().err
    assert "out.lst: byte 0: list: expected lines of a list, found none; out.lst, line 1" in error
    assert Path("out.rec").read_bytes() == before
    assert not list(Path().glob("*.part"))


def test_a_bad_line_of_a_list_is_left_out_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [b"0\t1\ta/1.png", b"x\t1\t7.png", b"", b"2\t7.png", b"3\t\xff\t7.png", b"4\t1\t7.png"]
    Path("out.lst").write_bytes(b"\n".join(lines))
    assert im2rec() == 1
    expected = "expected a number, labels and a path with tabs between them, found"
    assert capsys.readouterr().out.splitlines() == [
        "out.rec: 2 records",
        f"  left out out.lst, line 2: {expected} {lines[1]!r}",
        f"  left out out.lst, line 4: {expected} {lines[3]!r}",
        f"  left out out.lst, line 5: {expected} {lines[4]!r}",
    ]
    assert [unpack(record)[0].id for record in RecordFile("out.rec", "out.idx")] == [0, 4]


def test_a_lost_index_is_written_anew() -> None:
    im2rec("--list", "--recursive", "--no-shuffle")
    im2rec("--pass-through")
    index = Path("out.idx").read_bytes()
    Path("out.idx").unlink()
    assert main(["rec2idx", "out.rec"]) == 0
    assert Path("out.idx").read_bytes() == index
    assert main(["rec2idx", "out.rec", "other.idx", "--key", "id"]) == 0
    assert Path("other.idx").read_bytes() == index


@pytest.mark.parametrize("terminal", [True, False])
def test_packing_shows_how_far_it_is_on_a_terminal(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    im2rec("--list", "--recursive")
    capsys.readouterr()
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert im2rec() == 0
    assert ("0 of 6" in capsys.readouterr().err) == terminal
    assert im2rec("--quiet") == 0
    assert capsys.readouterr().err == ""
