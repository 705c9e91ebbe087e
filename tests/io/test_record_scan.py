"""Damaged record files: what is whole is read, what is not is told; lost indexes are made again."""

import time
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from hy_io import (
    FileFormatError,
    IRHeader,
    MXIndexedRecordIO,
    pack,
    rebuild_index,
    scan_records,
)
from hy_io._records import FIRST, HEAD, MAGIC, MAGIC_BYTES, RecordSource, frame

DATA = Path(__file__).parent / "data" / "recordio"
WORDS = [b"some", b"words", MAGIC_BYTES + b"in" + MAGIC_BYTES + MAGIC_BYTES, b"parts", b"", b"end"]
FRAMES = [frame(word) for word in WORDS]
WHOLE = b"".join(FRAMES)
STARTS = [sum(map(len, FRAMES[:index])) for index in range(len(FRAMES))]


def scan(path: Path, content: bytes) -> tuple[list[bytes], list[tuple[int, int]]]:
    path.write_bytes(content)
    found = scan_records(path)
    records = [record for _, record in found]
    assert found.damaged_bytes == sum(damage.length for damage in found.damages)
    return records, [(damage.offset, damage.length) for damage in found.damages]


def test_whole_files_have_no_damage(tmp_path: Path) -> None:
    assert scan(tmp_path / "a", WHOLE) == (WORDS, [])
    assert scan(tmp_path / "a", b"") == ([], [])
    found = scan_records(DATA / "train.rec")
    assert len(list(found)) == 7
    assert found.damages == []


@pytest.mark.parametrize("index", range(len(WORDS)))
def test_lost_begin_costs_one_record(tmp_path: Path, index: int) -> None:
    content = bytearray(WHOLE)
    content[STARTS[index] : STARTS[index] + 4] = b"????"
    records, damages = scan(tmp_path / "a", bytes(content))
    assert records == WORDS[:index] + WORDS[index + 1 :]
    assert damages == [(STARTS[index], len(FRAMES[index]))]


@pytest.mark.parametrize("length", [0, 1, 9, 20, 30, 200, (1 << 29) - 1, 1 << 29, 7 << 29])
def test_wrong_length_costs_one_record(tmp_path: Path, length: int) -> None:
    content = bytearray(WHOLE)
    content[STARTS[1] : STARTS[1] + 8] = HEAD.pack(MAGIC, length)
    records, damages = scan(tmp_path / "a", bytes(content))
    assert records == WORDS[:1] + WORDS[2:]
    assert damages == [(STARTS[1], len(FRAMES[1]))]


def test_cut_end_and_junk_are_told(tmp_path: Path) -> None:
    assert scan(tmp_path / "a", WHOLE[:-6]) == (WORDS[:-1], [(STARTS[-1], 6)])
    assert scan(tmp_path / "a", b"junk" + WHOLE) == (WORDS, [(0, 4)])
    assert scan(tmp_path / "a", WHOLE + b"xy") == (WORDS, [(len(WHOLE), 2)])
    assert scan(tmp_path / "a", b"no records here") == ([], [(0, 15)])
    found = scan_records(tmp_path / "a")
    list(found)
    assert "record magic: expected 0xced7230a" in found.damages[0].reason


def test_parts_that_end_too_early_do_not_hide_the_next_record(tmp_path: Path) -> None:
    first = HEAD.pack(MAGIC, 1 << 29 | 4) + b"part"
    middle = HEAD.pack(MAGIC, 2 << 29 | 4) + b"part"
    content = first + middle + frame(b"good") + first + frame(b"fine") + middle + frame(b"last")
    assert scan(tmp_path / "a", content) == (
        [b"good", b"fine", b"last"],
        [(0, 24), (36, 12), (60, 12)],
    )


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.data())
def test_random_damage_costs_what_it_touches(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("scan") / "a"
    records, damages = scan(path, bytes(content))
    ends = [offset + length for offset, length in damages]
    assert all(ends[i] <= damages[i + 1][0] for i in range(len(ends) - 1))
    assert sum(map(len, records)) + sum(length for _, length in damages) <= len(content)
    assert len(records) >= len(WORDS) - 6  # a length and a flag next to it: two records each


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        MAGIC_BYTES,
        HEAD.pack(MAGIC, 1 << 29),
        HEAD.pack(MAGIC, 1 << 29) + HEAD.pack(MAGIC, 2 << 29),
        HEAD.pack(MAGIC, 4000),
        HEAD.pack(MAGIC, 200_000) + b"\x00" * 60,
        b"\x00" + MAGIC_BYTES + b"\x00\x00\x00",
    ],
    ids=["magic", "first", "first_middle", "short", "long", "unaligned"],
)
def test_nothing_takes_quadratic_time(tmp_path: Path, unit: bytes) -> None:
    begin = time.perf_counter()
    scan(tmp_path / "a", unit * (400_000 // len(unit)))
    assert time.perf_counter() - begin < 10


@pytest.mark.parametrize("name", ["packed", "train"])
def test_index_is_made_again(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.rec"
    path.write_bytes((DATA / f"{name}.rec").read_bytes())
    assert rebuild_index(path).damages == []
    assert (tmp_path / "a.idx").read_bytes() == (DATA / f"{name}.idx").read_bytes()


def test_index_by_ids_leaves_damage_out(tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    packed = [frame(pack(IRHeader(0, 0.0, index, 0), b"x" * 5)) for index in (30, 10, 20)]
    path.write_bytes(packed[0] + b"????" + packed[1][4:] + packed[2])
    found = rebuild_index(path, tmp_path / "b.idx", key="id")
    assert len(found.damages) == 1
    with MXIndexedRecordIO(tmp_path / "b.idx", path, "r") as file:
        assert file.keys == [30, 20]
        assert file.read_idx(20) == pack(IRHeader(0, 0.0, 20, 0), b"x" * 5)


def test_a_file_of_another_kind_replaces_no_index(tmp_path: Path) -> None:
    (tmp_path / "a.params").write_bytes(bytes(range(100)))
    (tmp_path / "a.idx").write_bytes(b"0\t0\n")
    with pytest.raises(FileFormatError, match="this is no file of records"):
        rebuild_index(tmp_path / "a.params")
    assert (tmp_path / "a.idx").read_bytes() == b"0\t0\n"
    (tmp_path / "b.rec").write_bytes(b"")  # of no records
    rebuild_index(tmp_path / "b.rec")
    assert (tmp_path / "b.idx").read_bytes() == b""


def test_a_scan_reads_little_of_a_file_for_each_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.rec"
    path.write_bytes(HEAD.pack(MAGIC, FIRST << 29) * 20_000 + frame(b"whole"))
    read = []
    plain = RecordSource.bytes_at

    def counted(source: RecordSource, offset: int, size: int) -> bytes:
        read.append(len(plain(source, offset, size)))
        return plain(source, offset, size)

    monkeypatch.setattr(RecordSource, "bytes_at", counted)
    found = scan_records(path)
    assert [record for _, record in found] == [b"whole"]
    assert found.damaged_bytes == 160_000
    assert sum(read) < 20_000 * 10_000


def test_index_by_ids_needs_ids(tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    path.write_bytes(frame(b"short"))
    with pytest.raises(FileFormatError, match=r"record header: .*; use key='order'"):
        rebuild_index(path, key="id")
    path.write_bytes(frame(pack(IRHeader(0, 0.0, 1, 0), b"")) * 2)
    with pytest.raises(ValueError, match="both have the id 1; use key='order'"):
        rebuild_index(path, key="id")
    assert not (tmp_path / "a.idx").exists()
