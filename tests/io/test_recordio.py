"""Record files: MXNet's are read and written again byte for byte; indexes, threads, processes."""

import json
import os
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_array_equal

from hy_io import FileFormatError, IRHeader, MXIndexedRecordIO, MXRecordIO, pack, unpack
from hy_io._records import HEAD, MAGIC_BYTES, frame

DATA = Path(__file__).parent / "data" / "recordio"
RECORDS: dict[str, Any] = json.loads((DATA / "records.json").read_text(encoding="utf-8"))
RAW = [bytes.fromhex(text) for text in RECORDS["raw"]]


def write(path: Path, records: list[bytes]) -> Path:
    with MXRecordIO(path, "w") as file:
        for record in records:
            file.write(record)
    return path


def test_records_of_mxnet_are_read_and_written_again(tmp_path: Path) -> None:
    assert list(MXRecordIO(DATA / "raw.rec", "r")) == RAW
    assert write(tmp_path / "raw.rec", RAW).read_bytes() == (DATA / "raw.rec").read_bytes()


@pytest.mark.parametrize("name", ["indexed", "packed", "train"])
def test_indexed_records_of_mxnet_are_read_and_written_again(tmp_path: Path, name: str) -> None:
    with (
        MXIndexedRecordIO(DATA / f"{name}.idx", DATA / f"{name}.rec", "r") as old,
        MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "w") as new,
    ):
        for key in old.keys:
            new.write_idx(key, old.read_idx(key))
    assert (tmp_path / "a.idx").read_bytes() == (DATA / f"{name}.idx").read_bytes()
    assert (tmp_path / "a.rec").read_bytes() == (DATA / f"{name}.rec").read_bytes()


def test_packed_records_of_mxnet_are_unpacked_and_packed_again() -> None:
    with MXIndexedRecordIO(DATA / "packed.idx", DATA / "packed.rec", "r") as file:
        for row in RECORDS["packed"]:
            record = file.read_idx(row["key"])
            header, body = unpack(record)
            assert body.hex() == row["body_hex"]
            assert header.id == row["key"]
            assert np.ravel(header.label).tolist() == row["label"]
            assert pack(header, body) == record


@settings(derandomize=True, deadline=None)
@given(st.lists(st.lists(st.sampled_from([MAGIC_BYTES, b"a", b"bc", b"1234"])).map(b"".join)))
def test_any_records_come_back(
    tmp_path_factory: pytest.TempPathFactory, records: list[bytes]
) -> None:
    path = write(tmp_path_factory.mktemp("records") / "a.rec", records)
    assert list(MXRecordIO(path, "r")) == records


def test_magic_never_lies_aligned_inside_a_part() -> None:
    framed = frame(MAGIC_BYTES + b"a" + MAGIC_BYTES + b"bcd" + MAGIC_BYTES)
    places = [at for at in range(0, len(framed), 4) if framed[at : at + 4] == MAGIC_BYTES]
    flags = [HEAD.unpack_from(framed, at)[1] >> 29 for at in places]
    assert flags == [1, 2, 3]


def test_records_longer_than_the_buffer_come_back(tmp_path: Path, rng: np.random.Generator) -> None:
    records = [rng.bytes(size) for size in (10, 3_000_000, 5, 40_000, 1 << 20)]
    path = write(tmp_path / "a.rec", records)
    assert list(MXRecordIO(path, "r")) == records


def test_too_long_record_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hy_io._records.MAX_PART_BYTES", 8)
    with pytest.raises(ValueError, match="a record holds at most 8 bytes, got 9; split it"):
        frame(b"123456789")


def test_end_reset_and_growth(tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    path.write_bytes(frame(b"one"))
    with MXRecordIO(str(path), "r") as file:
        assert file.read() == b"one"
        assert file.read() is None
        with path.open("ab") as more:
            more.write(frame(b"two"))
        assert file.read() == b"two"
        file.reset()
        assert file.read() == b"one"


def test_truncation_at_every_byte_is_refused(tmp_path: Path) -> None:
    frames = [frame(record) for record in (b"", b"abc", MAGIC_BYTES * 2 + b"a", b"12345")]
    whole = {len(b"".join(frames[:count])) for count in range(5)}
    path = tmp_path / "a.rec"
    for size in range(len(b"".join(frames))):
        path.write_bytes(b"".join(frames)[:size])
        if size in whole:
            list(MXRecordIO(path, "r"))
            continue
        with MXRecordIO(path, "r") as file, pytest.raises(FileFormatError) as caught:
            list(file)
        assert caught.value.path == str(path)
        assert 0 <= caught.value.offset <= size


DAMAGED = [
    (b"junkjunk", 0, "record magic: expected 0xced7230a, found 0x6b6e756a; the file is damaged"),
    (frame(b"a") + b"\x0a", 12, "record header: expected 8 bytes, found 1; the file is cut short"),
    (HEAD.pack(0xCED7230A, 5) + b"1234", 8, "record: expected 8 bytes, found 4; the file is cut"),
    (HEAD.pack(0xCED7230A, 2 << 29), 4, "record flag: expected 0 or 1, a record's begin, found 2"),
    (HEAD.pack(0xCED7230A, 7 << 29), 4, "record flag: expected 0 to 3, found 7"),
    (HEAD.pack(0xCED7230A, 1 << 29) + frame(b"a"), 12, "expected 2 or 3, more of the record"),
    (HEAD.pack(0xCED7230A, (1 << 29) - 1) + bytes(8), 8, "record: expected 536870912 bytes"),
]


@pytest.mark.parametrize(("content", "offset", "message"), DAMAGED)
def test_damage_is_refused_with_its_place(
    tmp_path: Path, content: bytes, offset: int, message: str
) -> None:
    path = tmp_path / "a.rec"
    path.write_bytes(content)
    with MXRecordIO(path, "r") as file, pytest.raises(FileFormatError) as caught:
        list(file)
    assert message in str(caught.value)
    assert caught.value.offset == offset


def test_flags_and_closed_files(tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    with pytest.raises(ValueError, match="flag must be 'r' or 'w', got 'a'"):
        MXRecordIO(path, "a")
    with pytest.raises(FileNotFoundError):
        MXRecordIO(path, "r")
    writer = MXIndexedRecordIO(tmp_path / "a.idx", path, "w")
    assert writer.tell() == 0
    with pytest.raises(RuntimeError, match=r"read: .*a\.rec was opened with flag 'w'"):
        writer.read()
    with pytest.raises(TypeError, match="write: needs bytes, got str"):
        writer.write("text")  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(ValueError, match="invalid literal for int"):
        writer.write_idx("a", b"")
    writer.close()
    writer.close()
    with pytest.raises(RuntimeError, match=r"write: .* is closed"):
        writer.write(b"")
    reader = MXIndexedRecordIO(tmp_path / "a.idx", path, "r")
    with pytest.raises(RuntimeError, match="was opened with flag 'r'"):
        reader.write(b"")
    with pytest.raises(RuntimeError, match=r"tell: .* flag 'r'"):
        reader.tell()
    with pytest.raises(KeyError):
        reader.read_idx(3)


def test_keys_may_be_text(tmp_path: Path) -> None:
    paths = tmp_path / "a.idx", tmp_path / "a.rec"
    with MXIndexedRecordIO(*paths, "w", key_type=str) as file:
        file.write_idx("a b", b"1")
        with pytest.raises(ValueError, match="a key is text without tabs"):
            file.write_idx("a\tb", b"2")
        file.write_idx("k", b"3")
    with MXIndexedRecordIO(*paths, "r", key_type=str) as file:
        assert file.keys == ["a b", "k"]
        assert (file.read_idx("k"), file.read_idx("a b")) == (b"3", b"1")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"7 0\n", r"index line: expected a key \(int\), a tab and an offset, found b'7 0"),
        (b"x\t0\n", "index line"),
        (b"7\tx\n", "index line"),
        (b"\xff\t0\n", "index line"),
        (b"7\t-4\n", "offset of 7: expected 0 to 11, within .*, found -4"),
        (b"7\t12\n", "offset of 7: .* found 12; make a new index with `hy-io rec reindex"),
    ],
)
def test_damaged_index_is_refused(tmp_path: Path, line: bytes, message: str) -> None:
    paths = tmp_path / "a.idx", write(tmp_path / "a.rec", [b"abc"])
    paths[0].write_bytes(b"0\t0\n" + line)
    with pytest.raises(FileFormatError, match=message) as caught:
        MXIndexedRecordIO(*paths, "r")
    assert caught.value.offset == 4
    assert caught.value.path == str(paths[0])


def test_lost_index_says_how_to_make_one(tmp_path: Path) -> None:
    path = write(tmp_path / "a.rec", [b"abc"])
    with pytest.raises(FileNotFoundError) as caught:
        MXIndexedRecordIO(tmp_path / "a.idx", path, "r")
    assert "hy-io rec reindex" in caught.value.__notes__[0]


def test_many_threads_write_and_read(tmp_path: Path) -> None:
    paths = tmp_path / "a.idx", tmp_path / "a.rec"

    def in_threads(work: Any) -> None:
        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def records(worker: int) -> dict[int, bytes]:
        return {worker * 1000 + i: b"%d" % (worker * 7 + i) * (i % 50) for i in range(200)}

    def write_all(worker: int) -> None:
        for key, record in records(worker).items():
            file.write_idx(key, record)

    with MXIndexedRecordIO(*paths, "w") as file:
        in_threads(write_all)
    wrong: list[int] = []
    with MXIndexedRecordIO(*paths, "r") as file:
        assert len(file.keys) == 1600
        in_threads(
            lambda i: wrong.extend(k for k, v in records(i).items() if file.read_idx(k) != v)
        )
    assert wrong == []


def test_reader_is_pickled_and_starts_anew(tmp_path: Path) -> None:
    paths = tmp_path / "a.idx", tmp_path / "a.rec"
    with MXIndexedRecordIO(*paths, "w") as writer:
        writer.write_idx(1, b"one")
        with pytest.raises(TypeError, match="opening it again would empty it"):
            pickle.dumps(writer)
    reader = MXIndexedRecordIO(*paths, "r")
    reader.read()
    again = pickle.loads(pickle.dumps(reader))  # noqa: S301  # our own bytes
    assert again.read() == b"one"
    assert again.read_idx(1) == b"one"
    reader.close()
    assert not pickle.loads(pickle.dumps(reader)).is_open  # noqa: S301


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_forked_process_reads_on_and_does_not_write(tmp_path: Path) -> None:
    path = write(tmp_path / "a.rec", [b"one", b"two", b"three"])
    reader, writer = MXRecordIO(path, "r"), MXRecordIO(tmp_path / "b.rec", "w")
    assert reader.read() == b"one"
    writer.write(b"parent's")
    child = os.fork()
    if not child:
        ok = reader.read() == b"two" and reader.read() == b"three"
        try:
            writer.write(b"child's")
        except RuntimeError as error:
            ok = ok and "opened by another process" in str(error)
        else:
            ok = False
        writer.close()
        os._exit(0 if ok else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert reader.read() == b"two"
    writer.close()
    assert list(MXRecordIO(tmp_path / "b.rec", "r")) == [b"parent's"]


PACKED = [
    (3, bytes.fromhex("00000000 00004040")),
    (np.float64(2), bytes.fromhex("00000000 00000040")),
    ((), bytes(8)),
    (np.array(5.0), bytes.fromhex("01000000 00000000")),
    (np.array([[1, 2], [3, 4]]), bytes.fromhex("04000000 00000000")),
]


@pytest.mark.parametrize(("label", "begin"), PACKED, ids=repr)
def test_labels_are_packed_as_mxnet_does(label: Any, begin: bytes) -> None:
    packed = pack((9, label, 7, 0), b"body")
    assert packed[:8] == begin
    header, body = unpack(packed)
    assert body == b"body"
    assert_array_equal(np.ravel(header.label), np.ravel(label) if begin != bytes(8) else [0.0])


def test_wrong_packs_are_refused() -> None:
    with pytest.raises(TypeError, match="pack: needs bytes, got str"):
        pack(IRHeader(0, 1, 7, 0), "text")  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(ValueError, match=r"pack: id and id2 must be integers within .*, got -7"):
        pack(IRHeader(0, 1, -7, 0), b"")
    with pytest.raises(FileFormatError, match="record header: expected 24 bytes, found 3"):
        unpack(b"abc")
    with pytest.raises(FileFormatError, match="labels: expected 9 labels of 4 bytes, found 1"):
        unpack(b"\x09" + bytes(24))
