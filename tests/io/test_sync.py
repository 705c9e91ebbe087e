"""Saves wait for the disk, but for those that are asked not to."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hy_io import (
    MXIndexedRecordIO,
    load_ndarrays,
    load_safetensors,
    no_sync,
    save_checkpoint,
    save_ndarrays,
    save_npz,
    save_torch,
)
from hy_io.cli import main

ARRAYS = {"arg:a": np.arange(1 << 23, dtype=np.float32)}
"""Large enough for the disk to be told before the end."""


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was asked of the disk."""
    asked: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda _: asked.append("fsync"))
    if hasattr(os, "posix_fadvise"):
        monkeypatch.setattr(os, "posix_fadvise", lambda *_: asked.append("advice"))
    return asked


def records(path: Path) -> None:
    file = MXIndexedRecordIO(str(path.with_suffix(".idx")), str(path), "w")
    file.write_idx(0, b"record")
    file.close()


SAVES: list[Callable[[Path], object]] = [
    lambda path: save_ndarrays(path, ARRAYS),
    lambda path: save_npz(path, ARRAYS),
    lambda path: save_torch(path, ARRAYS),
    lambda path: save_checkpoint(path, 3, "{}", {"a": ARRAYS["arg:a"]}, {}),
    records,
]


@pytest.mark.parametrize("save", SAVES)
def test_a_save_waits_for_the_disk_unless_it_is_asked_not_to(
    save: Callable[[Path], object], waits: list[str], tmp_path: Path
) -> None:
    with no_sync():
        save(tmp_path / "first")
    assert waits == []
    save(tmp_path / "second")
    assert "fsync" in waits


def test_the_block_ends_with_an_error_too(waits: list[str], tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), no_sync():
        raise ZeroDivisionError
    save_ndarrays(tmp_path / "a", {})
    assert waits


def test_blocks_lie_in_each_other(waits: list[str], tmp_path: Path) -> None:
    with no_sync():
        with no_sync():
            save_ndarrays(tmp_path / "a", {})
        save_ndarrays(tmp_path / "a", {})
    assert not waits


def test_a_save_that_fails_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.params"
    save_ndarrays(path, {"a": np.ones(2)})

    def fail(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space left"), no_sync():
        save_ndarrays(path, {"a": np.zeros(2)})
    assert list(tmp_path.iterdir()) == [path]
    found = load_ndarrays(path)
    assert isinstance(found, dict)
    assert np.array_equal(np.asarray(found["a"]), [1, 1])


def test_conversions_need_not_wait(waits: list[str], tmp_path: Path) -> None:
    source, target = tmp_path / "a.params", tmp_path / "a.safetensors"
    with no_sync():
        save_ndarrays(source, ARRAYS)
    assert main(["convert", str(source), str(target), "--no-sync"]) == 0
    assert waits == []
    found = load_safetensors(target).arrays
    assert isinstance(found, dict)
    assert np.array_equal(found["arg:a"], ARRAYS["arg:a"])
    assert main(["convert", str(source), str(target)]) == 0
    assert "fsync" in waits
