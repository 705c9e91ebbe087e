"""Files of numpy: what numpy writes is read, and anything else is refused with one error."""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib import format as npy
from numpy.testing import assert_array_equal

from hy_io import FileFormatError, load_npz, save_npz


def header(text: str, version: tuple[int, int] = (1, 0)) -> bytes:
    raw = text.encode("latin-1")
    width = 2 if version == (1, 0) else 4
    return npy.magic(*version) + len(raw).to_bytes(width, "little") + raw


def whole(descr: str = "<f4", shape: str = "(2,)", order: str = "False", body: int = 8) -> bytes:
    text = f"{{'descr': {descr!r}, 'fortran_order': {order}, 'shape': {shape}, }}"
    return header(text) + b"\0" * body


def refused(tmp_path: Path, content: bytes, match: str | None = None) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=match) as caught:
        load_npz(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize(
    "array",
    [
        np.array(2.5),
        np.arange(6, dtype=">i4").reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.zeros((0, 7), np.complex64),
        np.array([True, False]),
        np.arange(3, dtype=np.float16),
    ],
    ids=lambda array: f"{array.dtype}-{array.shape}",
)
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_numpy_come_back(tmp_path: Path, array: Any, save: Any) -> None:
    save(tmp_path / "a.npz", x=array)
    np.save(tmp_path / "a.npy", array)
    for name, key in (("a.npz", "x"), ("a.npy", "array")):
        (found,) = load_npz(tmp_path / name).items()
        assert found[0] == key
        assert found[1].dtype == array.dtype.newbyteorder("=")
        assert_array_equal(found[1], array)


ARRAYS: dict[str, Any] = {
    "plain": np.arange(70_000, dtype=np.float32),
    "turned": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "steps": np.arange(20)[::3],
    "big-endian": np.arange(6, dtype=">i4"),
    "bool": np.array([True, False]),
    "none": np.zeros((0, 7)),
    "0-d": np.array(2.5),
    "é": np.ones(1),
}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed, None])
def test_arrays_that_are_stored_as_they_are_can_be_views(tmp_path: Path, save: Any) -> None:
    path = tmp_path / "a.npz"
    if save is None:
        save_npz(path, ARRAYS)
    else:
        save(path, **ARRAYS)
    found = load_npz(path, copy=False)
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype.newbyteorder("=")
        assert_array_equal(found[name], array)
    assert found["plain"].flags.writeable == (save is np.savez_compressed)
    assert found["turned"].flags.f_contiguous
    save_npz(tmp_path / "b.npz", found)
    with np.load(tmp_path / "b.npz") as again:
        assert all((again[name] == array).all() for name, array in ARRAYS.items())


def test_views_of_damaged_values_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    for values, message in (
        (np.arange(5.0), r"CRC-32 of 'a\.npy': expected"),
        (np.array([True, False]), r"CRC-32 of 'a\.npy': expected"),
    ):
        save_npz(path, {"a": values})
        content = bytearray(path.read_bytes())
        content[content.index(values.tobytes())] ^= 2
        path.write_bytes(content)
        with pytest.raises(FileFormatError, match=message):
            load_npz(path, copy=False)


@pytest.mark.parametrize("damaged", range(5))
def test_the_damaged_one_of_several_views_is_named(tmp_path: Path, damaged: int) -> None:
    """Their checksums are computed by several threads."""
    path = tmp_path / "a.npz"
    arrays = {f"a{k}": np.full(40_000, k + 0.5) for k in range(5)}
    save_npz(path, arrays)
    content = bytearray(path.read_bytes())
    content[content.index(arrays[f"a{damaged}"].tobytes())] ^= 2
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=rf"CRC-32 of 'a{damaged}\.npy': expected"):
        load_npz(path, copy=False)


@pytest.mark.parametrize(
    "content", [b"PK", whole(body=7), whole(shape="(1 << 70,)"), whole("<O8")], ids=range(4)
)
def test_views_of_no_arrays_are_refused(tmp_path: Path, content: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("a.npy", content)
    for copy in (True, False):
        with pytest.raises(FileFormatError):
            load_npz(tmp_path / "a.npz", copy=copy)


def test_what_is_saved_comes_back_and_numpy_reads_it(tmp_path: Path) -> None:
    arrays: dict[str, Any] = {"a/b": np.arange(3), "": np.ones((2, 2), np.float32)}
    save_npz(tmp_path / "a.npz", arrays)
    with np.load(tmp_path / "a.npz") as archive:
        assert sorted(archive) == sorted(arrays)
    for name, found in load_npz(tmp_path / "a.npz").items():
        assert_array_equal(found, arrays[name])


@pytest.mark.parametrize(
    "text",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }",
        '{"shape":(2),"descr":"<f4","fortran_order":False}\n',
        "{ 'shape' : ( 2 , ) , 'fortran_order' : False , 'descr' : '<f4' }   ",
    ],
)
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_headers_of_every_age_are_read(tmp_path: Path, text: str, version: tuple[int, int]) -> None:
    (tmp_path / "a.npy").write_bytes(header(text, version) + b"\0" * 8)
    assert load_npz(tmp_path / "a.npy")["array"].tolist() == [0, 0]


@pytest.mark.parametrize(
    "content",
    [
        whole("|O", body=16),
        whole("<U2", body=16),
        whole("<M8[s]", body=16),
        whole("<f3"),
        whole("<f0"),
        whole(shape="(3,)"),
        whole(shape="(-2,)"),
        whole(shape="(2,)*2"),
        whole(shape="2"),
        whole(shape="[2]"),
        whole(shape="(99999999999999999999,)"),
        whole(shape=f"(0, {1 << 62})", body=0),
        whole(shape="(" + "1," * 70 + ")", body=4),
        whole(shape=f"({'1' * 9000})"),
        whole(shape=f"({' ' * 9000}2"),
        whole(shape="(" * 9000),
        whole(order="None"),
        whole("|b1", body=1)[:-1] + b"\0\2",
        header("{'descr': '<f4'}") + b"\0" * 8,
        header("{" + "'descr': '<f4', " * 3 + "}") + b"\0" * 8,
        header("[" * 9000),
        header("__import__('os')"),
        header(" " * 10_001),
        header("{}", (1, 0))[:-1],
        npy.MAGIC_PREFIX + b"\x09\0",
        npy.MAGIC_PREFIX,
        whole()[:-1],
        whole() + b"\0",
    ],
    ids=lambda content: repr(content[10:60]),
)
def test_damaged_headers_are_refused(tmp_path: Path, content: bytes) -> None:
    refused(tmp_path, content)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", content)
    refused(tmp_path, file.getvalue())


def zipped(how: int = zipfile.ZIP_DEFLATED, **members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


def test_members_have_one_name_each(tmp_path: Path) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", whole())
        archive.writestr("a.npy", whole())
    refused(tmp_path, file.getvalue(), r"name: expected a new name, found 'a' again")


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_numpys_compression_is_unpacked(tmp_path: Path, how: int) -> None:
    refused(tmp_path, zipped(how, a=whole()), r"compression of 'a\.npy': expected stored or defl")


@pytest.mark.parametrize("place", [20, 24], ids=["stored", "unpacked"])
def test_sizes_that_the_directory_invents_are_refused(
    tmp_path: Path, place: int, request: pytest.FixtureRequest
) -> None:
    content = bytearray(zipped(a=whole()))
    at = content.index(b"PK\x01\x02") + place
    content[at : at + 4] = (1 << 30).to_bytes(4, "little")
    refused(tmp_path, bytes(content), f"{request.node.callspec.id} size of 'a.npy'")


def test_a_changed_value_is_found(tmp_path: Path) -> None:
    content = bytearray(zipped(zipfile.ZIP_STORED, a=whole()))
    content[content.index(b"PK\x01\x02") - 1] ^= 1
    refused(tmp_path, bytes(content), "CRC")


def test_a_missing_file_is_no_damage(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_npz(tmp_path / "none.npz")


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_cut_archives_are_refused_at_every_byte(tmp_path: Path, how: int) -> None:
    content = zipped(how, a=whole(), b=whole(shape="()", body=4))
    for end in range(len(content)):
        refused(tmp_path, content[:end])
