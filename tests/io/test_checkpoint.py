"""Checkpoints: graph and parameters belong together, whatever happens while they are written."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hy_io import (
    FileFormatError,
    checkpoint_epochs,
    load_checkpoint,
    load_ndarrays,
    rename_parameters,
    save_checkpoint,
    save_ndarrays,
    sha256_of,
    split_arg_aux,
    to_exported,
)

DATA = Path(__file__).parent / "data"
GRAPH_A, GRAPH_B = '{"nodes": ["a"]}', '{"nodes": ["b"]}'


def weights(value: float) -> dict[str, Any]:
    return {"fc_weight": np.full((2, 3), value, np.float32)}


def test_checkpoint_has_the_files_of_mxnet_and_comes_back(tmp_path: Path) -> None:
    arg, aux = split_arg_aux(load_ndarrays(DATA / "module.params"))  # type: ignore[arg-type]  # named
    path = save_checkpoint(tmp_path / "net", 2, GRAPH_A, arg, aux)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net-0002.params", "net-symbol.json"]
    assert path.read_bytes() == (DATA / "module.params").read_bytes()
    graph, arg2, aux2 = load_checkpoint(tmp_path / "net", 2)
    assert graph == GRAPH_A
    assert list(arg2) == list(arg)
    for name, array in aux.items():
        assert_array_equal(aux2[name], array)


def test_files_without_graph_or_marks_are_read(tmp_path: Path) -> None:
    save_ndarrays(
        tmp_path / "net-0000.params", {"bn_gamma": np.ones(2), "bn_moving_mean": np.zeros(2)}
    )
    graph, arg, aux = load_checkpoint(tmp_path / "net")
    assert graph is None
    assert (list(arg), list(aux)) == (["bn_gamma"], ["bn_moving_mean"])
    save_ndarrays(tmp_path / "net-0001.params", [])
    assert load_checkpoint(tmp_path / "net", 1) == (None, {}, {})
    save_ndarrays(tmp_path / "net-0001.params", [np.zeros(1)])
    with pytest.raises(FileFormatError, match="expected arrays with names"):
        load_checkpoint(tmp_path / "net", 1)


def test_last_epochs_are_kept(tmp_path: Path) -> None:
    prefix = tmp_path / "a.b[c]"
    save_checkpoint(prefix, 12345, GRAPH_A, weights(0), {}, manifest=True)
    for epoch in range(5):
        save_checkpoint(prefix, epoch, None, weights(epoch), {}, manifest=True, keep=2)
    assert checkpoint_epochs(prefix) == [3, 4, 12345]
    assert len(list(tmp_path.glob("*.sha256"))) == 3
    with pytest.raises(FileNotFoundError, match="epochs of it: 3, 4, 12345"):
        load_checkpoint(prefix, 2)


def test_manifest_is_that_of_sha256sum_and_is_compared(tmp_path: Path) -> None:
    prefix = tmp_path / "net"
    path = save_checkpoint(prefix, 1, GRAPH_A, weights(1), {}, manifest=True)
    assert (tmp_path / "net-0001.sha256").read_text() == (
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  net-0001.params\n"
        f"{sha256_of(tmp_path / 'net-symbol.json')}  net-symbol.json\n"
    )
    load_checkpoint(prefix, 1)
    content = bytearray(path.read_bytes())
    content[-30] ^= 1
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"byte 0: digest of net-0001\.params: expected") as e:
        load_checkpoint(prefix, 1)
    assert e.value.path == str(tmp_path / "net-0001.sha256")
    load_checkpoint(prefix, 1, verify=False)
    save_checkpoint(prefix, 1, GRAPH_A, weights(2), {})  # without: says nothing of other files
    load_checkpoint(prefix, 1)
    (tmp_path / "net-0001.sha256").write_bytes(b"junk\n")
    with pytest.raises(FileFormatError, match="expected 64 hexadecimal digits"):
        load_checkpoint(prefix, 1)


def test_graph_of_another_save_is_told(tmp_path: Path) -> None:
    prefix = tmp_path / "net"
    save_checkpoint(prefix, 1, GRAPH_A, weights(1), {}, manifest=True)
    save_checkpoint(prefix, 2, GRAPH_B, weights(2), {}, manifest=True)
    load_checkpoint(prefix, 2)
    with pytest.raises(FileFormatError, match=r"digest of net-symbol\.json: .* not of one save"):
        load_checkpoint(prefix, 1)


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    for epoch, keep in ((-1, None), (0, 0)):
        with pytest.raises(ValueError, match="needs epoch >= 0 and keep >= 1"):
            save_checkpoint(tmp_path / "net", epoch, None, {}, {}, keep=keep)
    with pytest.raises(ValueError, match="symbol must be a graph as JSON"):
        save_checkpoint(tmp_path / "net", 0, "{", {}, {})
    (tmp_path / "net-symbol.json").write_bytes(b'{"a": \xff}')
    save_checkpoint(tmp_path / "net", 0, None, {}, {})
    with pytest.raises(FileFormatError, match="byte 6: graph: expected JSON"):
        load_checkpoint(tmp_path / "net", 0)


class Crash(BaseException):
    """Stands for the end of the process."""


def crash_at(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Let the process end before its ``step``-th change of a name in the folder."""
    left = [step]

    def counted(work: Any) -> Any:
        def wrapper(*arguments: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Crash
            return work(*arguments, **options)

        return wrapper

    monkeypatch.setattr(Path, "replace", counted(Path.replace))
    monkeypatch.setattr(Path, "unlink", counted(Path.unlink))


@pytest.mark.parametrize("manifest", [False, True])
def test_crash_at_any_step_leaves_one_save(tmp_path: Path, manifest: bool) -> None:
    finished = 0
    for step in range(30):
        folder = tmp_path / str(step)
        folder.mkdir()
        prefix = folder / "net"
        save_checkpoint(prefix, 0, GRAPH_A, weights(0), {}, manifest=manifest)
        with pytest.MonkeyPatch.context() as patch:
            crash_at(patch, step)
            try:
                save_checkpoint(prefix, 0, GRAPH_B, weights(1), {}, manifest=manifest)
                finished += 1
            except Crash:
                pass
        graph, arg, _ = load_checkpoint(prefix, 0)
        value = float(np.asarray(arg["fc_weight"])[0, 0])
        assert (graph, value) in {(GRAPH_A, 0), (GRAPH_B, 1)}
        assert checkpoint_epochs(prefix) == [0]
        if (folder / "net-symbol.json").exists():  # what a program without our list finds
            by_name = load_ndarrays(folder / "net-0000.params")
            assert isinstance(by_name, dict)
            found = float(np.asarray(by_name["arg:fc_weight"])[0, 0])
            assert json.loads((folder / "net-symbol.json").read_text())["nodes"] == [
                "ab"[int(found)]
            ]
        save_checkpoint(prefix, 1, None, weights(2), {})  # finishes what is left
        assert not (folder / ".net.commit").exists()
        assert load_checkpoint(prefix, 0)[0] == graph
    assert 0 < finished < 30


@pytest.mark.parametrize(
    "content",
    [
        b"junk",
        b"[]",
        b'{"net-0000.params": "../../etc/passwd"}',
        b'{"other-0000.params": 3}',
        b"[" * 100_000,
    ],
)
def test_foreign_list_of_files_is_refused(tmp_path: Path, content: bytes) -> None:
    save_checkpoint(tmp_path / "net", 0, GRAPH_A, weights(0), {})
    (tmp_path / ".net.commit").write_bytes(content)
    for work in (
        lambda: load_checkpoint(tmp_path / "net", 0),
        lambda: save_checkpoint(tmp_path / "net", 1, None, {}, {}),
    ):
        with pytest.raises(FileFormatError, match=r"expected names of files of net, .* delete it"):
            work()


def test_failed_save_leaves_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_checkpoint(tmp_path / "net", 0, GRAPH_A, weights(0), {})
    before = sorted(tmp_path.iterdir())

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="No space left"):
            save_checkpoint(tmp_path / "net", 0, GRAPH_B, weights(1), {})
    assert sorted(tmp_path.iterdir()) == before
    assert load_checkpoint(tmp_path / "net", 0)[0] == GRAPH_A


STRUCTURE = {"0.weight": "net_dense0_weight", "1.running_mean": "net_bn0_running_mean"}
NAMES = {
    "structural": ["0.weight", "1.running_mean"],
    "prefixed": ["net_dense0_weight", "net_bn0_running_mean"],
    "exported": ["arg:net_dense0_weight", "aux:net_bn0_running_mean"],
}


@pytest.mark.parametrize("old", NAMES)
@pytest.mark.parametrize("new", NAMES)
def test_every_dialect_is_turned_into_every_other(old: str, new: Any) -> None:
    renamed = rename_parameters(dict(zip(NAMES[old], [1, 2], strict=True)), new, STRUCTURE)
    assert renamed == dict(zip(NAMES[new], [1, 2], strict=True))


def test_shared_parameters_and_given_states() -> None:
    shared = {"a.weight": "w", "b.weight": "w"}
    assert rename_parameters({"w": 1}, "structural", shared) == {"a.weight": 1, "b.weight": 1}
    assert rename_parameters({"a.weight": 1, "b.weight": 1}, "prefixed", shared) == {"w": 1}
    assert to_exported({"x": 1, "y": 2}, aux=["x"]) == {"aux:x": 1, "arg:y": 2}
    assert rename_parameters({"a.weight": 1}, "exported", shared, aux=["a.weight"]) == {"aux:w": 1}
    assert rename_parameters({}, "exported") == {}


def test_names_that_cannot_be_turned_are_told() -> None:
    with pytest.raises(ValueError, match="from prefixed to structural names needs `structure`"):
        rename_parameters({"w": 1}, "structural")
    with pytest.raises(ValueError, match=r"structure does not know \['2\.bias'\]"):
        rename_parameters({"2.bias": 1}, "prefixed", STRUCTURE)
    with pytest.raises(ValueError, match="under arg: and under aux:"):
        rename_parameters({"arg:w": 1, "aux:w": 2}, "prefixed")
