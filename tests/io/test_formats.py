"""One list of formats, which everything that reads or writes arrays asks."""

import json
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hy_io import (
    Contents,
    CSRArray,
    FileFormatError,
    Format,
    format_for,
    format_of,
    formats,
    known_formats,
    load_arrays,
    register_format,
    save_arrays,
)
from hy_io._own_formats import OWN
from hy_io.cli import main

ARRAYS = {"0.weight": np.arange(6, dtype=np.float32).reshape(2, 3), "0.bias": np.zeros(2)}
WRITTEN = [end for one in OWN if one.save for end in one.suffixes]


def load_csv(path: str, **_: object) -> Contents:
    return Contents({"table": np.loadtxt(path, delimiter=",", skiprows=1)})


def save_csv(path: str, contents: Contents) -> None:
    arrays: Any = contents.arrays
    np.savetxt(path, arrays["table"], delimiter=",", header="csv", comments="")


CSV = Format(
    "csv",
    (".csv",),
    lambda head, _: head.startswith(b"csv\n"),
    load_csv,
    save_csv,
    has_lists=False,
)


@pytest.fixture(autouse=True)
def _only_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "_others", [])
    monkeypatch.setattr(formats, "_installed", [])


@pytest.mark.parametrize("ending", WRITTEN)
def test_what_is_written_by_ending_is_read_by_content(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"net{ending}"
    save_arrays(path, ARRAYS)
    other = path.rename(tmp_path / "net")
    found = format_of(other)
    assert found is not None
    assert ending in found.suffixes
    for copy in (True, False, "on_write"):
        arrays: Any = load_arrays(other, copy=copy).arrays
        assert list(arrays) == list(ARRAYS)
        for name, array in ARRAYS.items():
            assert_array_equal(arrays[name], array, strict=True)


def test_what_a_format_cannot_hold_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    sparse = CSRArray(np.ones(1), np.array([0]), np.array([0, 1]), (1, 2))
    wrong: list[tuple[str, Any, str]] = [
        ("a.npz", {"s": sparse}, "array 's' is sparse, which only .params files hold"),
        ("a.pt", Contents([np.ones(1)]), "the arrays have no names, which torch files need"),
        ("a.xyz", ARRAYS, "the ending of .*a.xyz must be one of .pt, .pth, .params"),
        ("a.rec", ARRAYS, "the ending of .*a.rec must be one of"),
        ("a.npy", ARRAYS, "the ending of .*a.npy must be one of"),
    ]
    for name, contents, message in wrong:
        with pytest.raises(ValueError, match=message):
            save_arrays(tmp_path / name, contents)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_which_nothing_is_known_is_no_file_of_mxnet(tmp_path: Path) -> None:
    path = tmp_path / "net.bin"
    path.write_bytes(b'{"nodes": []}')
    assert format_of(path) is None
    with pytest.raises(FileFormatError, match=r"found a graph in JSON \(-symbol.json\)"):
        load_arrays(path)
    path.write_bytes(b"\x0a\x23\xd7\xce" + bytes(8))
    with pytest.raises(ValueError, match=r"net\.bin holds records, no arrays"):
        load_arrays(path)


def test_an_added_format_is_read_written_converted_and_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    register_format(CSV)
    register_format(CSV)  # replaces the first
    assert [one.name for one in known_formats()].count("csv") == 1
    table, npz = tmp_path / "a.csv", tmp_path / "a.npz"
    save_arrays(table, {"table": np.eye(2)})
    assert format_for("b.CSV") is CSV
    assert_array_equal(load_arrays(table).arrays["table"], np.eye(2))  # type: ignore[call-overload]  # by name
    assert main(["convert", str(table), str(npz)]) == 0
    assert_array_equal(load_arrays(npz).arrays["table"], np.eye(2))  # type: ignore[call-overload]  # by name
    capsys.readouterr()
    assert main(["info", "--json", str(table.rename(tmp_path / "unnamed"))]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == "csv"


def installed(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    point = EntryPoint("csv", value, "hy_io.formats")
    monkeypatch.setattr(metadata, "entry_points", lambda **_: EntryPoints([point]))


def test_installed_packages_add_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, f"{__name__}:CSV")
    monkeypatch.setattr(EntryPoint, "load", lambda _: CSV)
    path = tmp_path / "a.csv"
    save_arrays(path, {"table": np.eye(2)})
    assert path.read_text().startswith("csv\n")
    assert format_of(path) is CSV


def test_an_entry_point_that_is_no_format_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, "math:pi")
    with pytest.raises(TypeError, match=r"'csv' .* must be a hy_io\.Format, and math:pi"):
        known_formats()
