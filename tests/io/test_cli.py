"""The command `hy-io`, run as a user runs it, but in this process."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_io import CSRArray, load_ndarrays, load_safetensors, load_states, save_ndarrays
from hy_io.cli import main

DATA = Path(__file__).parent / "data"
BNNET = DATA / "exported_bnnet.params"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def work(*arguments: object) -> tuple[int, str, str]:
        code = main(list(map(str, arguments)))
        return code, *capsys.readouterr()

    return work


def as_json(text: str) -> Any:
    (line,) = text.splitlines()
    return json.loads(line)


def test_info_is_a_table_or_json(run: Any) -> None:
    code, text, _ = run("info", BNNET)
    assert code == 0
    lines = text.splitlines()
    assert lines[0] == f"{BNNET}: params, 8 arrays, 572 bytes"
    assert lines[1].split() == ["name", "shape", "dtype", "storage", "bytes", "sha256"]
    assert lines[2].split()[:5] == ["arg:bnnet_conv0_weight", "4x3x3x3", "float32", "dense", "432"]
    code, text, _ = run("info", "--json", "--no-sha", DATA / "sparse_dict.nd")
    summary = as_json(text)
    assert {row["storage"] for row in summary["arrays"]} == {"dense", "row_sparse", "csr"}
    assert "sha256" not in summary["arrays"][0]
    assert as_json(run("info", "--json", DATA / "shapes.npz")[1])["format"] == "npz"
    assert len(as_json(run("info", "--json", DATA / "sparse_list.nd")[1])["arrays"]) == 5


@pytest.mark.parametrize("ending", ["safetensors", "npz"])
@pytest.mark.parametrize("name", ["exported_bnnet.params", "dict_all_dtypes.nd", "bfloat16.nd"])
def test_conversions_come_back_byte_for_byte(
    run: Any, tmp_path: Path, ending: str, name: str
) -> None:
    if (name, ending) == ("bfloat16.nd", "npz"):
        pytest.skip("numpy's files have no bfloat16")
    other, back = tmp_path / f"a.{ending}", tmp_path / "b.params"
    assert run("convert", DATA / name, other)[0] == 0
    assert run("verify", other)[0] == 0
    assert run("convert", other, back)[0] == 0
    assert back.read_bytes() == (DATA / name).read_bytes()


def test_lists_and_graphs_are_kept(run: Any, tmp_path: Path) -> None:
    graph = tmp_path / "net-symbol.json"
    graph.write_text('{"nodes": []}')
    first, back = tmp_path / "a.safetensors", tmp_path / "b.params"
    assert run("convert", DATA / "np_list.nd", first, "--symbol", graph)[0] == 0
    assert load_safetensors(first).symbol == '{"nodes": []}'
    code, text, _ = run("convert", "--json", first, back, "--symbol", tmp_path / "again.json")
    assert code == 0
    assert as_json(text) == {
        "ok": True,
        "source": str(first),
        "target": str(back),
        "from": "safetensors",
        "to": "params",
        "arrays": 3,
        "files": [str(back), str(tmp_path / "again.json")],
    }
    assert back.read_bytes() == (DATA / "np_list.nd").read_bytes()
    assert (tmp_path / "again.json").read_text() == '{"nodes": []}'


def test_states_are_converted_on_request_only(run: Any, tmp_path: Path) -> None:
    old, new = DATA / "states" / "adam.states", tmp_path / "new.states"
    code, _, error = run("convert", old, new)
    assert code == 1
    assert "pass --allow-pickle" in error
    assert not new.exists()
    assert run("convert", "--allow-pickle", old, new)[0] == 0
    assert load_states(new)["optimizer"]["name"] == "adam"
    assert run("verify", new)[0] == 0


def test_verify_tells_damage(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.params"
    path.write_bytes(BNNET.read_bytes())
    digest = as_json(run("verify", "--json", path)[1])["sha256"]
    assert run("verify", path, "--sha256", digest.upper())[0] == 0
    code, _, error = run("verify", path, "--sha256", "0" * 64)
    assert code == 1
    assert "sha256 of the file: expected 0000" in error
    path.write_bytes(BNNET.read_bytes()[:-1])
    code, text, _ = run("verify", "--json", path)
    assert code == 1
    told = as_json(text)
    assert (told["ok"], told["path"], told["field"]) == (False, str(path), "name 7")
    assert told["remedy"] == "the file is cut short"


def test_wrong_uses_are_told(run: Any, tmp_path: Path) -> None:
    junk = tmp_path / "a.junk"
    junk.write_bytes(b"junk")
    sparse = tmp_path / "s.params"
    save_ndarrays(sparse, {"s": CSRArray(np.ones(1), np.array([0]), np.array([0, 1]), (1, 2))})
    for arguments, message in [
        (("verify", tmp_path / "none"), "No such file"),
        (("info", junk), "its format is not known"),
        (("info", DATA / "recordio" / "raw.rec"), "use `hy-io rec info`"),
        (
            ("convert", BNNET, tmp_path / "a.bin"),
            "a.bin must be one of .pt, .pth, .params, .nd, .npz, .safetensors",
        ),
        (("convert", sparse, tmp_path / "a.npz"), "array 's' is sparse"),
        (("convert", BNNET, tmp_path / "a.npz", "--symbol", "x"), "No such file or directory: 'x'"),
    ]:
        code, text, error = run(*arguments)
        assert (code, text) == (1, "")
        assert message in error
    with pytest.raises(SystemExit) as caught:
        run("rec")
    assert caught.value.code == 2
    assert not (tmp_path / "a.npz").exists()


def test_records_are_counted_listed_extracted_and_indexed(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    content = (DATA / "recordio" / "indexed.rec").read_bytes()
    path.write_bytes(content)
    assert run("rec", "info", path)[:2] == (0, f"{path}: 6 records, 0 damaged ranges\n")
    rows = as_json(run("rec", "list", "--json", path)[1])["records"]
    assert rows[1] == {
        "offset": 196,
        "bytes": 216,
        "id": 101,
        "label": [1.0, 0.5, -2.0],
        "content": "png",
    }
    assert "1.0, 0.5, -2.0" in run("rec", "list", path)[1]
    assert run("rec", "extract", path, tmp_path / "out")[0] == 0
    assert sorted(p.suffix for p in (tmp_path / "out").iterdir()) == [".jpg"] * 2 + [".png"] * 4
    assert run("rec", "reindex", path, "--key", "id")[0] == 0
    assert (tmp_path / "a.idx").read_text().splitlines()[1] == "101\t196"
    path.write_bytes(content[:200] + b"????" + content[204:])
    code, text, _ = run("rec", "info", path)
    assert code == 1
    assert "byte 196: 224 bytes skipped, record: expected" in text
    for command in (("rec", "reindex", path), ("rec", "list", path), ("verify", path)):
        assert run(*command)[0] == 1
    assert len((tmp_path / "a.idx").read_text().splitlines()) == 5
    assert run("rec", "extract", "--raw", path, tmp_path / "raw")[0] == 1
    assert run("rec", "extract", DATA / "recordio" / "raw.rec", tmp_path / "raw")[0] == 0


@pytest.mark.parametrize("has_tqdm", [True, False])
def test_progress_is_shown_on_a_terminal(
    run: Any, monkeypatch: pytest.MonkeyPatch, has_tqdm: bool
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    if not has_tqdm:
        monkeypatch.setitem(__import__("sys").modules, "tqdm", None)
    assert "of 8" in run("info", BNNET)[2] or has_tqdm
    assert run("info", "--quiet", BNNET)[2] == ""


def test_a_conversion_shows_what_is_written_on_a_terminal(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("hy_io.cli._SHOWN_BYTES", 100)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert "\r0 MB\r" in run("convert", BNNET, tmp_path / "a.npz")[2]
    assert run("convert", "--quiet", BNNET, tmp_path / "b.npz")[2] == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    assert run("convert", BNNET, tmp_path / "c.params")[2] == ""


def test_damaged_npz_is_told(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, a=np.arange(4))
    whole = path.read_bytes()
    assert run("verify", path)[0] == 0
    for content in (whole[:-30], whole.replace(b"(4,)", b"(9,)"), b"PK\x03\x04" + bytes(40)):
        path.write_bytes(content)
        assert run("verify", path)[0] == 1
    np.savez(path, a=np.array([None]))
    assert "array 'a.npy': expected" in run("verify", path)[2]
    np.save(tmp_path / "b.npy", np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    assert run("convert", tmp_path / "b.npy", tmp_path / "b.params")[0] == 0
    loaded = load_ndarrays(tmp_path / "b.params")
    assert isinstance(loaded, dict)
    assert np.asarray(loaded["array"]).tolist() == [[0, 1, 2], [3, 4, 5]]
