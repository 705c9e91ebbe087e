"""bfloat16 and float8: with ml_dtypes in their own dtypes, without it as float32, always all."""

import json
import struct
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hy_io import (
    FileFormatError,
    load_ndarrays,
    load_safetensors,
    load_torch,
    open_ndarrays,
    open_safetensors,
    save_ndarrays,
    save_safetensors,
    save_torch,
)

NARROW = [
    "bfloat16",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e8m0fnu",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
]
READ_AS_FLOAT32 = r'is read as float32, without ml_dtypes; `pip install "hy-io\[bfloat16\]"`'


def every_value(name: str) -> Any:
    dtype = np.dtype(getattr(ml_dtypes, name))
    bits = {1: np.uint8, 2: np.uint16}[dtype.itemsize]
    return np.arange(1 << 8 * dtype.itemsize).astype(bits).view(dtype).reshape(2, -1)


@pytest.mark.parametrize("name", NARROW)
def test_safetensors_have_them_in_their_own_dtype(tmp_path: Path, name: str) -> None:
    values = every_value(name)
    save_safetensors(tmp_path / "a", {"x": values})
    found: Any = load_safetensors(tmp_path / "a").arrays
    assert found["x"].dtype == values.dtype
    assert found["x"].tobytes() == values.tobytes()


@pytest.mark.parametrize("name", NARROW)
def test_without_ml_dtypes_every_value_is_that_float32(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = every_value(name)
    save_safetensors(tmp_path / "a", {"x": values, "one": values[0, 60:61].reshape(())})
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.warns(UserWarning, match=f"{name} {READ_AS_FLOAT32}"):
        found: Any = load_safetensors(tmp_path / "a").arrays
    expected = values.astype(np.float32)
    assert_array_equal(found["x"], expected, strict=True)
    numbers = ~np.isnan(expected)
    assert_array_equal(np.signbit(found["x"])[numbers], np.signbit(expected)[numbers])
    assert_array_equal(found["one"], expected[0, 60], strict=True)


@pytest.mark.parametrize("form", ["params", "torch", "safetensors"])
def test_one_of_them_spoils_no_other(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole = tmp_path / "a", np.arange(6, dtype=np.float32).reshape(2, 3)
    arrays = {"whole": whole, "narrow": np.array([1, -2.5], ml_dtypes.bfloat16)}
    save: Any = {"params": save_ndarrays, "torch": save_torch, "safetensors": save_safetensors}
    save[form](path, arrays)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    load: Any = {
        "params": load_ndarrays,
        "torch": load_torch,
        "safetensors": lambda path: load_safetensors(path).arrays,
    }
    with pytest.warns(UserWarning, match=READ_AS_FLOAT32):
        found = load[form](path)
    assert_array_equal(found["whole"], whole, strict=True)
    assert_array_equal(found["narrow"], np.array([1, -2.5], np.float32), strict=True)


@pytest.mark.parametrize("form", ["params", "safetensors"])
def test_opened_files_widen_only_what_is_taken(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, arrays = tmp_path / "a", {"x": np.ones(2), "y": np.ones(2, ml_dtypes.bfloat16)}
    save: Any = {"params": save_ndarrays, "safetensors": save_safetensors}
    save[form](path, arrays)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    open_file: Any = {"params": open_ndarrays, "safetensors": open_safetensors}
    with open_file[form](path) as file:
        assert_array_equal(file["x"], np.ones(2), strict=True)  # no warning
        assert file.info("y").dtype == "bfloat16"
        with pytest.warns(UserWarning, match=READ_AS_FLOAT32):
            wide = file["y"]
    assert_array_equal(wide, np.ones(2, np.float32), strict=True)
    assert not wide.flags.writeable


def test_a_dtype_of_the_future_spoils_no_other_array_of_an_opened_file(tmp_path: Path) -> None:
    header = {
        "__metadata__": {"by": "somebody"},
        "four": {"dtype": "F4", "shape": [2, 2], "data_offsets": [0, 2]},
        "x": {"dtype": "F32", "shape": [1], "data_offsets": [2, 6]},
    }
    text = json.dumps(header).encode()
    path = tmp_path / "a.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"\x12\x34" + struct.pack("<f", 1.5))
    message = r"dtype of 'four': expected one of .*F32.*, found 'F4'; .*`hy_io.open_safetensors`"
    with pytest.raises(FileFormatError, match=message):
        load_safetensors(path)
    with open_safetensors(path) as file:
        assert list(file) == ["four", "x"]
        assert (file.info("four").dtype, file.info("four").shape) == ("F4", (2, 2))
        assert file["x"] == [1.5]
        with pytest.raises(FileFormatError, match="dtype of 'four'"):
            file["four"]


def test_opened_safetensors_tell_what_the_loaded_ones_do(tmp_path: Path) -> None:
    path = tmp_path / "a"
    arrays: dict[str, Any] = {"byte": np.ones(1, np.uint8), "wide": np.ones(3)}
    save_safetensors(path, arrays, symbol="{}", np_shape=True, metadata={"by": "me"})
    with open_safetensors(path) as file:
        assert list(file) == ["byte", "wide"]
        assert (file.named, file.symbol, file.np_shape) == (True, "{}", True)
        assert file.metadata == {"by": "me", "format": "np"}
        wide = file["wide"]
    assert_array_equal(wide, np.ones(3), strict=True)
    with pytest.raises(ValueError, match="is closed: take arrays inside the `with` block"):
        file["wide"]
