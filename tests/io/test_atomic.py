"""A file is replaced whole or not at all."""

import errno
import os
import stat
from pathlib import Path

import pytest

from hy_io._atomic import atomic_write


def write(path: Path, content: bytes) -> None:
    with atomic_write(path) as file:
        file.write(content)


def test_new_file_appears_and_old_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    write(path, b"old")
    assert path.read_bytes() == b"old"
    write(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("interruption", [RuntimeError, KeyboardInterrupt])
def test_error_while_writing_keeps_the_old_file(
    tmp_path: Path, interruption: type[BaseException]
) -> None:
    path = tmp_path / "weights"
    path.write_bytes(b"old")

    def write_half() -> None:
        with atomic_write(path) as file:
            file.write(b"half of the n")
            raise interruption

    with pytest.raises(interruption):
        write_half()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_error_while_writing_leaves_no_new_file(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), atomic_write(tmp_path / "weights"):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failing_disk_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "weights"
    path.write_bytes(b"old")

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((os, "fsync", fail) if step == "fsync" else (Path, "replace", fail)))
    with pytest.raises(OSError, match="No space left"):
        write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_content_reaches_the_disk_before_the_name_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def record_fsync(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        steps.append("flush folder" if is_folder else "flush file")
        fsync(descriptor)

    def record_replace(source: Path, target: Path) -> Path:
        steps.append("rename")
        assert source.parent == target.parent
        assert source.read_bytes() == b"new"
        return replace(source, target)

    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(Path, "replace", record_replace)
    write(tmp_path / "weights", b"new")
    assert steps == ["flush file", "rename", "flush folder"]


def test_permissions_of_the_old_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    plain, path = tmp_path / "plain", tmp_path / "weights"
    plain.write_bytes(b"")
    write(path, b"new")
    assert path.stat().st_mode == plain.stat().st_mode


def test_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    target, link = tmp_path / "store" / "weights", tmp_path / "latest"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_device_is_written_and_not_replaced() -> None:
    write(Path(os.devnull), b"new")
    assert not Path(os.devnull).is_file()


def test_missing_folder_is_named(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "weights"
    with pytest.raises(FileNotFoundError) as caught:
        write(path, b"new")
    assert caught.value.filename == str(path)


def test_longest_name_has_room_for_the_temporary_file(tmp_path: Path) -> None:
    path = tmp_path / ("\u00e9" * 127)  # 254 bytes of the 255 that file systems allow
    write(path, b"new")
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("written", [0, 1 << 20, 3 << 20])
def test_room_that_is_taken_before_does_not_show(tmp_path: Path, written: int) -> None:
    path = tmp_path / "weights"
    with atomic_write(path, size=2 << 20) as file:
        file.write(b"x" * written)
    assert path.read_bytes() == b"x" * written


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="room cannot be taken before")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EINVAL])
def test_full_disk_is_found_before_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "posix_fallocate", fail)
    path = tmp_path / "weights"
    if number == errno.EINVAL:  # the file system cannot do it
        with atomic_write(path, size=2 << 20) as file:
            file.write(b"new")
        assert path.read_bytes() == b"new"
    else:
        with pytest.raises(OSError, match="No space left"), atomic_write(path, size=2 << 20):
            pytest.fail("nothing is written")
        assert list(tmp_path.iterdir()) == []
