"""Files that change together, and what killed writers leave."""

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_io import (
    FileFormatError,
    atomic_write,
    current_file,
    load_ndarrays,
    save_checkpoint,
    save_ndarrays,
    save_together,
)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills need fork")

ENDINGS = [("-symbol.json", "-0000.params"), ("-model.json", "-model.params")]
KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
import hy_io
from hy_io import _atomic, file_set

folder, ends, steps = Path(sys.argv[1]), sys.argv[2:4], int(sys.argv[4])

def save(prefix, value):
    arrays = {"w": np.full(3, value, np.float32)}
    hy_io.save_together(prefix, {ends[0]: '{"nodes": [%d]}' % value, ends[1]: arrays})

for step in range(steps):
    (folder / str(step)).mkdir()
    prefix = folder / str(step) / "net"
    save(prefix, 0)
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        continue
    left = [step]
    def counted(work):
        def wrapper(*arguments, **options):
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return work(*arguments, **options)
        return wrapper
    Path.replace, Path.unlink = counted(Path.replace), counted(Path.unlink)
    os.fsync = counted(os.fsync)
    save(prefix, 1)
    (prefix.parent / "finished").touch()
    os._exit(0)
"""


def value_of(graph: Path, params: Path) -> int:
    arrays = load_ndarrays(params)
    assert isinstance(arrays, dict)
    value = int(np.asarray(arrays["w"])[0])
    assert graph.read_text() == f'{{"nodes": [{value}]}}', "files of two saves"
    return value


@pytest.mark.slow
@pytest.mark.parametrize("ends", ENDINGS, ids=["exported", "model"])
def test_a_kill_at_any_step_leaves_files_of_one_save(tmp_path: Path, ends: tuple[str, str]) -> None:
    steps = 24
    subprocess.run([sys.executable, "-c", KILLED, tmp_path, *ends, str(steps)], check=True)  # noqa: S603
    finished, values = 0, set()
    for step in range(steps):
        folder = tmp_path / str(step)
        files = [folder / f"net{end}" for end in ends]
        values.add(value_of(*map(current_file, files)))
        if files[0].exists():  # as a program without our list finds the pair
            value_of(files[0], files[1])
        finished += (folder / "finished").exists()
        save_together(folder / "net", {ends[0]: '{"nodes": [2]}', ends[1]: {"w": np.full(1, 2.0)}})
        assert value_of(*files) == 2
        left = {path.name for path in folder.iterdir()} - {"finished"}
        assert left == {f"net{end}" for end in ends}, "something is left behind"
    assert 0 < finished < steps
    assert values == {0, 1}


def test_names_that_change_together_are_known(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'\.params' ends no name of files"):
        save_together(tmp_path / "net", {".params": {}})
    assert current_file(tmp_path / "other.params") == tmp_path / "other.params"
    (tmp_path / ".net.commit").write_text("junk")
    with pytest.raises(FileFormatError, match="delete it"):
        current_file(tmp_path / "net-symbol.json")


def test_permissions_are_kept(tmp_path: Path) -> None:
    contents: Any = {"-symbol.json": "{}", "-0000.params": {"w": np.ones(1)}}
    save_together(tmp_path / "net", contents)
    (tmp_path / "net-0000.params").chmod(0o640)
    save_together(tmp_path / "net", {**contents, "-symbol.json": "[]"})
    assert stat.S_IMODE((tmp_path / "net-0000.params").stat().st_mode) == 0o640


def leave_temporary(path: Path) -> Path:
    """What a process leaves that is killed while it writes ``path``."""
    code = (
        "import os, signal, sys\n"
        "from hy_io import atomic_write\n"
        "with atomic_write(sys.argv[1]) as file:\n"
        "    file.write(b'half'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    before = set(path.parent.iterdir())
    subprocess.run([sys.executable, "-c", code, path], check=False)  # noqa: S603
    (left,) = set(path.parent.iterdir()) - before
    return left


def test_the_next_save_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    path = tmp_path / "net.params"
    left = leave_temporary(path)
    assert left.name.endswith(".tmp")
    other = leave_temporary(tmp_path / "other.params")
    save_ndarrays(path, [np.ones(2)])
    assert sorted(tmp_path.iterdir()) == sorted([path, other])


def test_a_writer_that_lives_keeps_its_file(tmp_path: Path) -> None:
    path = tmp_path / "net.params"
    with atomic_write(path) as slow:
        slow.write(b"slow")
        with atomic_write(path) as quick:
            quick.write(b"quick")
        assert path.read_bytes() == b"quick"
    assert path.read_bytes() == b"slow"
    assert list(tmp_path.iterdir()) == [path]


def test_files_without_locks_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.params"
    left = leave_temporary(path)

    def no_locks(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", no_locks)
    save_ndarrays(path, [np.ones(2)])
    save_checkpoint(tmp_path / "net", 0, "{}", {}, {})
    assert left.exists()
    assert path.exists()


def test_a_file_that_a_sweep_takes_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl  # noqa: PLC0415  # not on every system

    path = tmp_path / "net.params"
    flock = fcntl.flock
    taken: list[Path] = []

    def first_swept(descriptor: int, how: int) -> None:
        if not taken:
            (temporary,) = tmp_path.glob(".*.tmp")
            taken.append(temporary)
            temporary.unlink()
        flock(descriptor, how)

    monkeypatch.setattr("fcntl.flock", first_swept)
    with atomic_write(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert len(taken) == 1
    assert list(tmp_path.iterdir()) == [path]
