"""What lies in a mapped file goes from file to file, and arrives whole however that goes."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Thread, active_count
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hy_io import (
    FileFormatError,
    StoredArray,
    _transfer,
    load_ndarrays,
    load_safetensors,
    save_ndarrays,
    save_safetensors,
    save_together,
)
from hy_io._binary import U64, BinaryReader, map_file, numbers
from hy_io._transfer import write_parts

SIZE = 50_000
PIECE = 1 << 24  # bytes
ARRAYS: dict[str, StoredArray] = {
    "arg:small": np.arange(3),
    "arg:large": np.arange(SIZE, dtype=np.float32),
    "aux:turned": np.arange(SIZE * 2.0).reshape(2, SIZE).T,
}
ARRAYS_BYTES = SIZE * 4 + SIZE * 2 * 8


def refused(*arguments: object) -> int:
    raise OSError(errno.EINVAL, "Invalid argument")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    save_ndarrays(tmp_path / "source.params", ARRAYS)
    return tmp_path / "source.params"


@pytest.fixture(autouse=True)
def _advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_transfer, "_ADVISED_BYTES", PIECE)  # of four times as many


def open_files() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


def assert_converted(source: Path) -> None:
    """To safetensors and back, and as one of two files, the content stays the same."""
    views: Any = load_ndarrays(source, copy=False)
    middle, back = source.with_name("a.safetensors"), source.with_name("b.params")
    save_safetensors(middle, views)
    arrays = load_safetensors(middle, copy=False).arrays
    save_ndarrays(back, arrays)
    assert back.read_bytes() == source.read_bytes()
    together: Any = {"-symbol.json": "{}", "-0000.params": arrays}
    save_together(source.with_name("c"), together)
    assert source.with_name("c-0000.params").read_bytes() == source.read_bytes()


def test_files_are_converted_whole(source: Path) -> None:
    assert_converted(source)


def test_few_bytes_at_a_time_arrive_whole(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy, read = getattr(os, "copy_file_range", None), os.preadv
    copied = []

    def some_copied(*arguments: int) -> int:
        copied.append(arguments)
        descriptor, target, size, *offsets = arguments
        assert copy is not None
        count: int = copy(descriptor, target, min(size, 10_007), *offsets)
        return count

    def some(descriptor: int, buffers: list[memoryview], offset: int) -> int:
        return read(descriptor, [buffers[0][:10_001]], offset)

    if copy is not None:
        monkeypatch.setattr(os, "copy_file_range", some_copied)
        assert_converted(source)
        assert len(copied) > ARRAYS_BYTES // 10_007
    monkeypatch.setattr(os, "copy_file_range", refused, raising=False)
    monkeypatch.setattr(os, "preadv", some)
    assert_converted(source)


def test_systems_that_read_at_no_place_write_the_map(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "copy_file_range", raising=False)
    monkeypatch.delattr(os, "preadv")
    assert_converted(source)


@pytest.mark.parametrize("refuses_later", [False, True])
def test_what_the_system_does_not_copy_is_read(
    source: Path, monkeypatch: pytest.MonkeyPatch, refuses_later: bool
) -> None:
    read = os.preadv
    sizes: list[int] = []
    copied: list[int] = []

    def counted(descriptor: int, buffers: list[memoryview], offset: int) -> int:
        sizes.append(sum(map(len, buffers)))
        return read(descriptor, buffers, offset)

    def some(descriptor: int, target: int, size: int, start: int, place: int) -> int:
        if copied or not refuses_later:
            raise OSError(errno.EXDEV, "Cross-device link")
        copied.append(os.pwrite(target, os.pread(descriptor, 10_000, start), place))
        return copied[-1]

    views = load_ndarrays(source, copy=False)
    monkeypatch.setattr(os, "copy_file_range", some, raising=False)
    monkeypatch.setattr(os, "preadv", counted)
    save_ndarrays(source.with_name("b"), views)
    assert sizes == [SIZE * 4 - sum(copied), SIZE * 2 * 8]
    assert source.with_name("b").read_bytes() == source.read_bytes()


@pytest.mark.skipif(not hasattr(os, "copy_file_range"), reason="the system copies no ranges")
def test_large_views_are_copied_by_the_system(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    views = load_ndarrays(source, copy=False)
    monkeypatch.setattr(os, "preadv", refused)  # what is copied is not read
    save_ndarrays(source.with_name("b"), views)
    assert source.with_name("b").read_bytes() == source.read_bytes()


def test_fields_are_read_past_the_map(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = BinaryReader(map_file(source), "source")
    reader.take(8, "magic")
    sizes = []
    read = os.pread

    def counted(descriptor: int, size: int, offset: int) -> bytes:
        sizes.append((size, offset))
        return read(descriptor, size, offset)

    monkeypatch.setattr(os, "pread", counted)
    assert reader.unpack(numbers("Q", 2), "numbers") == (0, 3)
    assert sizes == [(4096, 8)]
    reader.offset = 0
    os.truncate(source, 4)
    with pytest.raises(FileFormatError, match=r"source: byte 0: magic: .* it was cut short"):
        reader.unpack(U64, "magic")


def test_a_source_that_was_cut_short_is_told(source: Path) -> None:
    target = source.with_name("b.safetensors")
    target.write_bytes(b"old")
    views: Any = load_ndarrays(source, copy=False)
    os.truncate(source, SIZE)
    with pytest.raises(FileFormatError, match=r"source\.params: byte .* it was cut short"):
        save_safetensors(target, {"large": views["arg:large"]})
    assert target.read_bytes() == b"old"


@pytest.fixture
def large() -> npt.NDArray[Any]:
    """Two pieces and a half."""
    return np.arange(5 * PIECE // 8, dtype=np.float32)


def test_the_disk_begins_before_all_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: npt.NDArray[Any]
) -> None:
    steps: list[tuple[str, int, int]] = []
    fsync = os.fsync

    def advise(descriptor: int, start: int, count: int, advice: int) -> None:
        assert advice == os.POSIX_FADV_DONTNEED
        size = os.lseek(descriptor, 0, os.SEEK_CUR)
        assert start + count <= size < large.nbytes + PIECE
        steps.append(("begin", start, count))

    def flush(descriptor: int) -> None:
        steps.append(("wait", 0, 0))
        fsync(descriptor)

    save_ndarrays(tmp_path / "a", [large])
    monkeypatch.setattr(os, "posix_fadvise", advise, raising=False)
    monkeypatch.setattr(os, "POSIX_FADV_DONTNEED", 4, raising=False)
    monkeypatch.setattr(os, "fsync", flush)
    head = (tmp_path / "a").stat().st_size - large.nbytes - 8  # behind the values: no names
    expected = [("begin", 0, head + PIECE), ("begin", head + PIECE, PIECE)]
    waits = [("wait", 0, 0)] * 2  # for the file and for its folder
    save_ndarrays(tmp_path / "b", [large])
    assert steps == [*expected, *waits]
    steps.clear()
    monkeypatch.setattr(os, "copy_file_range", refused, raising=False)
    save_ndarrays(tmp_path / "c", load_ndarrays(tmp_path / "a", copy=False))
    assert steps == [*expected, *waits]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() == (tmp_path / "c").read_bytes()


def test_the_disk_begins_with_arrays_that_are_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: npt.NDArray[Any]
) -> None:
    told: list[int] = []
    parts = np.array_split(large, 10)
    monkeypatch.setattr(os, "posix_fadvise", lambda *given: told.append(given[2]), raising=False)
    save_safetensors(tmp_path / "a", parts)
    save_ndarrays(tmp_path / "b", parts)
    save_ndarrays(tmp_path / "c", load_ndarrays(tmp_path / "b", copy=False))
    assert len(told) == 6
    assert all(PIECE <= count < 1.5 * PIECE for count in told)


def test_what_is_not_to_be_told_to_the_disk_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: npt.NDArray[Any]
) -> None:
    monkeypatch.setattr(os, "posix_fadvise", refused, raising=False)
    save_ndarrays(tmp_path / "a", [large])
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    save_ndarrays(tmp_path / "b", load_ndarrays(tmp_path / "a", copy=False))
    for name in ("a", "b"):
        (found,) = load_ndarrays(tmp_path / name)
        np.testing.assert_array_equal(found, large)


def test_where_no_thread_starts_the_disk_begins_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: npt.NDArray[Any]
) -> None:
    told: list[int] = []

    def no_thread(thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(os, "posix_fadvise", lambda *given: told.append(given[2]), raising=False)
    monkeypatch.setattr(Thread, "start", no_thread)
    save_ndarrays(tmp_path / "a", [large])
    assert len(told) == 2
    (found,) = load_ndarrays(tmp_path / "a")
    np.testing.assert_array_equal(found, large)


def test_the_thread_that_tells_the_disk_ends_with_a_failed_save(
    tmp_path: Path,
) -> None:
    def broken() -> Iterator[bytes]:
        yield bytes(2 * PIECE)
        raise ValueError("no more")

    before = active_count()
    with pytest.raises(ValueError, match="no more"), (tmp_path / "a").open("wb") as file:
        write_parts(file, broken())
    assert active_count() == before


@pytest.mark.parametrize("size", [SIZE, 2 * PIECE])
def test_a_pipe_takes_what_lies_in_a_file(tmp_path: Path, size: int) -> None:
    source, pipe = tmp_path / "source.params", tmp_path / "pipe"
    save_ndarrays(source, {"values": np.arange(size, dtype=np.uint8)})
    os.mkfifo(pipe)
    content: list[bytes] = []
    reader = Thread(target=lambda: content.append(pipe.read_bytes()))
    reader.start()
    save_ndarrays(pipe, load_ndarrays(source, copy=False))
    reader.join()
    assert content == [source.read_bytes()]


def test_what_was_written_to_views_is_saved(source: Path) -> None:
    views: Any = load_ndarrays(source, copy="on_write")
    views["arg:large"][:] = 7
    save_ndarrays(source, views)
    loaded: Any = load_ndarrays(source)
    assert (loaded["arg:large"] == 7).all()
    np.testing.assert_array_equal(loaded["aux:turned"], ARRAYS["aux:turned"])


def test_a_map_lets_go_of_its_file(source: Path) -> None:
    before = open_files()
    views = load_ndarrays(source, copy=False)
    assert open_files() > before
    del views
    assert open_files() == before
