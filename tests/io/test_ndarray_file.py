"""Files opened for single arrays: headers at first, values when asked for."""

import io
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hy_io import (
    ArrayInfo,
    CSRArray,
    FileFormatError,
    load_ndarrays,
    open_ndarrays,
    save_ndarrays,
)
from tests.io.ndarray_literals import ARRAY_CSR, ARRAY_V2, EVERY_FORM, NAMED_W_B, file_of

DATA = Path(__file__).parent / "data"
FILES = sorted(path.name for pattern in ("*.nd", "*.params") for path in DATA.glob(pattern))


@pytest.mark.parametrize("name", FILES)
def test_arrays_are_those_of_a_whole_load(name: str) -> None:
    loaded = load_ndarrays(DATA / name)
    whole = loaded if isinstance(loaded, dict) else dict(enumerate(loaded))
    with open_ndarrays(DATA / name) as file:
        assert list(file) == list(whole)
        assert file.named == (isinstance(loaded, dict) and bool(loaded))
        for key, array in whole.items():
            assert file.info(key).shape == array.shape
            assert file.info(key).dtype == array.dtype.name
            assert_array_equal(
                file[key] if isinstance(array, np.ndarray) else file[key].to_dense(),  # type: ignore[union-attr]  # sparse
                array if isinstance(array, np.ndarray) else array.to_dense(),
            )


def test_headers_are_told_without_values(tmp_path: Path) -> None:
    path = tmp_path / "forms"
    path.write_bytes(file_of(ARRAY_V2, ARRAY_CSR))
    with open_ndarrays(path) as file:
        assert file.info(0) == ArrayInfo((2,), "float32", "dense", 8, 24)
        assert file.info(1) == ArrayInfo((2, 3), "float32", "csr", 8 + 2 * 8 + 3 * 8, 24 + 40)
        assert isinstance(file[1], CSRArray)
        assert 1 in file
        assert "w" not in file
        assert repr(file) == f"<NDArrayFile {str(path)!r}: 2 arrays>"
        with pytest.raises(KeyError):
            file["w"]


def test_views_outlive_the_file_and_new_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.params"
    save_ndarrays(path, {"w": np.arange(3.0)})
    with open_ndarrays(path) as file:
        view = file["w"]
    assert isinstance(view, np.ndarray)
    assert not view.flags.writeable
    assert view.tolist() == [0, 1, 2]
    assert file.info("w").shape == (3,)
    with pytest.raises(ValueError, match=r"net\.params is closed"):
        file["w"]


def test_values_are_checked_when_taken(tmp_path: Path) -> None:
    path = tmp_path / "bool.nd"
    path.write_bytes((DATA / "bool.nd").read_bytes()[:-9] + b"\x02" + bytes(8))
    with open_ndarrays(path) as file, pytest.raises(FileFormatError, match="expected 0 and 1"):
        file[0]


def test_truncation_at_every_byte_is_refused(tmp_path: Path) -> None:
    content = file_of(ARRAY_V2, ARRAY_V2, names=NAMED_W_B)
    for whole in (content, EVERY_FORM):
        for size in range(len(whole)):
            path = tmp_path / "cut"
            path.write_bytes(whole[:size])
            for read in (open_ndarrays, load_ndarrays):
                with pytest.raises(FileFormatError):
                    read(path)


def test_file_cut_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.params"
    save_ndarrays(path, [np.zeros(1 << 17)])
    read = os.preadv

    def cut(descriptor: int, buffers: list[memoryview], offset: int) -> int:
        os.truncate(path, 500)
        return read(descriptor, buffers, offset)

    monkeypatch.setattr(os, "preadv", cut)
    with pytest.raises(FileFormatError, match="cut short while it was read") as caught:
        load_ndarrays(path)
    assert caught.value.offset == 500


ONE_OF_MANY = """
import resource, sys
import numpy as np
from hy_io import load_ndarrays, open_ndarrays
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if sys.argv[2] == "one":
    with open_ndarrays(sys.argv[1]) as file:
        total = float(file["w7"].sum())
else:
    loaded = load_ndarrays(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux")
@pytest.mark.parametrize(("what", "most"), [("one", 1.2 * 4 + 2), ("all", 1.2 * 64)])
def test_peak_memory_is_what_was_asked_for(tmp_path: Path, what: str, most: float) -> None:
    path = tmp_path / "net.params"
    save_ndarrays(path, {f"w{i}": np.ones(1 << 20, np.float32) for i in range(16)})
    done = subprocess.run(  # noqa: S603  # our own script
        [sys.executable, "-c", ONE_OF_MANY, str(path), what],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) / 1024 < most


def test_opening_allocates_for_headers_only(tmp_path: Path) -> None:
    path = tmp_path / "net.params"
    save_ndarrays(path, {"w": np.zeros(1 << 20), "b": np.zeros(4)})
    open_ndarrays(path).close()
    tracemalloc.start()
    try:
        with open_ndarrays(path) as file:
            assert file["b"].shape == (4,)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000 + io.DEFAULT_BUFFER_SIZE
