"""PyTorch's files are read and written without it; ``data/torch/make.py`` made some with it."""

import io
import json
import struct
import sys
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hy_io._zip
from hy_io import (
    CSRArray,
    FileFormatError,
    FileLimitError,
    load_ndarrays,
    load_safetensors,
    load_torch,
    save_ndarrays,
    save_safetensors,
    save_torch,
)
from hy_io._pickle_machine import PickleMachine
from hy_io._transfer import write_parts
from hy_io._zip import zip_parts
from hy_io.cli import main

DATA = Path(__file__).parent / "data" / "torch"
BASE = np.arange(12, dtype=np.float32).reshape(3, 4)
DTYPES = (
    *("bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
YOUNG = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
WAYS = pytest.mark.parametrize("copy", [True, False, "on_write"])


def of_all_dtypes() -> dict[str, Any]:
    values = np.array([[0, 1], [1, 0]])
    young = {name: values.astype(getattr(ml_dtypes, name)) for name in YOUNG}
    return {name: values.astype(name) for name in DTYPES} | young


def assert_same(actual: Any, expected: Any) -> None:
    assert sorted(actual) == sorted(expected)
    for name, array in expected.items():
        assert actual[name].dtype == array.dtype, name
        assert_array_equal(actual[name], array, strict=True)


# --- files of PyTorch -------------------------------------------------------------------------


@WAYS
def test_a_state_dict_is_read(copy: Any) -> None:
    arrays = load_torch(DATA / "module.pt", copy=copy, check=True)
    assert list(arrays) == [
        *("0.weight", "0.bias", "1.weight", "1.bias"),
        *("1.running_mean", "1.running_var", "1.num_batches_tracked"),
    ]
    assert_same(arrays, arrays | {"0.weight": BASE.reshape(4, 3)})
    assert_same(arrays, arrays | {"1.running_var": np.arange(5, 9, dtype=np.float32)})
    assert_same(arrays, arrays | {"1.num_batches_tracked": np.array(6)})
    assert arrays["0.weight"].flags.writeable == (copy is not False)


@WAYS
def test_every_dtype_is_read(copy: Any) -> None:
    assert_same(load_torch(DATA / "dtypes.pt", copy=copy), of_all_dtypes())


@WAYS
def test_turned_and_shared_tensors_are_read(copy: Any) -> None:
    arrays = load_torch(DATA / "views.pt", copy=copy)
    expected = {
        "base": BASE,
        "turned": BASE.T,
        "part": BASE[1:, 2:],
        "spread": np.full(5, 7, np.float32),
        "empty": np.zeros((0, 3), np.float32),
        "number": np.array(2.5, np.float32),
        "parameter": BASE[0],
    }
    assert_same(arrays, expected)
    assert np.shares_memory(arrays["base"], arrays["turned"])
    assert arrays["turned"].strides == BASE.T.strides


def test_what_lies_beside_a_state_dict_is_left_away() -> None:
    assert_same(load_torch(DATA / "checkpoint.pt"), {"w": np.arange(3, dtype=np.float32)})


def test_files_without_checksums_are_read() -> None:
    assert_same(load_torch(DATA / "no_checksums.pt", check=True), {"a": BASE})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("older", "found its older form; write it anew with PyTorch: torch.save"),
        ("sparse", "found 'torch._utils._rebuild_sparse_tensor'; save the `state_dict()`"),
        ("conj", "one that is conjugated or negated"),
        ("whole_module", "found 'torch.nn.modules.container.Sequential'; save the `state_dict()`"),
        ("tensor", "state_dict: expected tensors by name, found a tensor"),
        ("script", "found a program (TorchScript); torch.save(torch.jit.load(path).state_dict()"),
    ],
)
def test_what_is_no_state_dict_is_told(name: str, message: str) -> None:
    with pytest.raises(FileFormatError) as caught:
        load_torch(DATA / f"{name}.pt")
    assert message in str(caught.value)
    assert caught.value.path == str(DATA / f"{name}.pt")


# --- files of ours ----------------------------------------------------------------------------


@WAYS
def test_what_is_written_is_read(tmp_path: Path, rng: np.random.Generator, copy: Any) -> None:
    arrays = of_all_dtypes() | {
        "turned": rng.normal(size=(4, 3)).T,
        "large": rng.normal(size=(700, 300)),
        "none": np.zeros((0, 2)),
        "0-d": np.array(3.0),
        "": np.ones(1),
        "é": np.ones(2),
    }
    save_torch(tmp_path / "a.pt", arrays)
    found = load_torch(tmp_path / "a.pt", copy=copy, check=True)
    assert_same(found, arrays)
    assert list(found) == list(arrays)
    save_torch(tmp_path / "b.pt", found)
    assert (tmp_path / "b.pt").read_bytes() == (tmp_path / "a.pt").read_bytes()


def test_other_tools_unpack_what_is_written(tmp_path: Path) -> None:
    save_torch(tmp_path / "a.pt", {"a": BASE, "b": np.arange(100_000)})
    with zipfile.ZipFile(tmp_path / "a.pt") as archive:
        assert archive.testzip() is None
        names = ["data.pkl", "byteorder", "version", "data/0", "data/1"]
        assert archive.namelist() == [f"archive/{name}" for name in names]
        assert archive.read("archive/data/0") == BASE.tobytes()
        assert archive.read("archive/version") == b"3\n"


def test_values_are_aligned_as_pytorch_has_them(tmp_path: Path) -> None:
    save_torch(tmp_path / "a.pt", {"a" * n: np.ones(n, np.uint8) for n in range(1, 70)})
    content = (tmp_path / "a.pt").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.pt") as archive:
        for info in archive.infolist():
            name, extra = struct.unpack_from("<2H", content, info.header_offset + 26)
            assert (info.header_offset + 30 + name + extra) % 64 == 0


def test_an_empty_state_dict_goes_both_ways(tmp_path: Path) -> None:
    save_torch(tmp_path / "a.pt", {})
    assert load_torch(tmp_path / "a.pt") == {}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": [1]}, "'a' must be the name of a numpy array, got list"),
        ({1: BASE}, "1 must be the name of a numpy array"),
        ({"a": np.array(["x"])}, "dtype <U1, which PyTorch does not have; it has bool"),
        ({"a": CSRArray(np.ones(1), np.array([0]), np.array([0, 1]), (1, 1))}, "to_dense()"),
    ],
)
def test_what_cannot_be_written_is_told_and_leaves_the_file(
    tmp_path: Path, arrays: Any, message: str
) -> None:
    path = tmp_path / "a.pt"
    path.write_bytes(b"old")
    with pytest.raises(TypeError) as caught:
        save_torch(path, arrays)
    assert message in str(caught.value)
    assert path.read_bytes() == b"old"


def test_archives_with_sizes_of_64_bits_are_written_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hy_io._zip, "_MAX32", 300)
    monkeypatch.setattr(hy_io._zip, "_MAX16", 3)
    arrays = {"a": np.arange(100), "b": np.ones(3)}
    with pytest.MonkeyPatch.context() as limits:
        limits.setattr(hy_io._zip, "_MAX32", 0xFFFFFFFF)
        save_torch(tmp_path / "plain.pt", arrays)
    save_torch(tmp_path / "large.pt", arrays)
    content = (tmp_path / "large.pt").read_bytes()
    assert b"PK\6\6" in content
    assert b"PK\6\7" in content
    whole = content.replace(struct.pack("<I", 300), struct.pack("<I", 0xFFFFFFFF))
    whole = whole[:-14] + struct.pack("<2H", 0xFFFF, 0xFFFF) + whole[-10:]
    (tmp_path / "large.pt").write_bytes(whole)
    monkeypatch.undo()
    assert_same(load_torch(tmp_path / "large.pt", check=True), arrays)
    with zipfile.ZipFile(tmp_path / "large.pt") as archive:
        assert archive.testzip() is None
    for at in (0, 7):  # what the record of 64-bit sizes says, is checked as well
        damaged = bytearray(whole)
        damaged[whole.index(b"PK\6\6") + 40 + at] ^= 0x40
        (tmp_path / "large.pt").write_bytes(damaged)
        with pytest.raises(FileFormatError):
            load_torch(tmp_path / "large.pt")


# --- damage -----------------------------------------------------------------------------------


def archive(path: Path, pickle: bytes, **members: bytes) -> Path:
    """A file with a pickle; ``d0=...`` is the storage 0."""
    texts = {"data.pkl": pickle, "version": b"3\n"} | members
    parts = [
        (f"x/{name.replace('d', 'data/') if name[1:].isdigit() else name}", len(text), [text])
        for name, text in texts.items()
    ]
    with path.open("wb") as file:
        write_parts(file, zip_parts(parts))
    return path


def tensor(
    kind: bytes = b"torch\nFloatStorage",
    key: bytes = b"0",
    length: int = 12,
    first: int = 0,
    shape: tuple[int, ...] = (3, 4),
    steps: tuple[int, ...] = (4, 1),
    call: bytes = b"torch._utils\n_rebuild_tensor_v2",
    rest: bytes = b"\x89N",
) -> bytes:
    """A pickle of ``{"a": tensor}``."""

    def numbers(values: tuple[int, ...]) -> bytes:
        return b"(" + b"".join(b"I%d\n" % value for value in values) + b"t"

    storage = b"(Vstorage\nc%b\nV%b\nVcpu\nI%d\ntQ" % (kind, key, length)
    body = storage + b"I%d\n" % first + numbers(shape) + numbers(steps) + rest
    return b"}(Va\nc%b\n(%btRu." % (call, body)


def test_a_plain_tensor_is_read(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.pt", tensor(), d0=BASE.tobytes())
    assert_same(load_torch(path), {"a": BASE})


def test_other_byte_orders_are_read(tmp_path: Path) -> None:
    values = BASE.astype(">f4").tobytes()
    path = archive(tmp_path / "a.pt", tensor(), d0=values, byteorder=b"big")
    for copy in (True, False):
        assert_same(load_torch(path, copy=copy), {"a": BASE})
    path = archive(tmp_path / "a.pt", tensor(), d0=values, byteorder=b"both")
    with pytest.raises(FileFormatError, match="byteorder: expected little or big, found b'both'"):
        load_torch(path)


def test_tensors_of_the_first_version_are_read(tmp_path: Path) -> None:
    pickle = tensor(call=b"torch._utils\n_rebuild_tensor", rest=b"")
    path = archive(tmp_path / "a.pt", pickle, d0=BASE.tobytes())
    assert_same(load_torch(path), {"a": BASE})


@pytest.mark.parametrize(
    ("pickle", "message"),
    [
        (tensor(shape=(4, 4)), "tensor 'a': expected numbers among the 12 of its storage"),
        (tensor(first=1), "tensor 'a': expected numbers among the 12 of its storage"),
        (tensor(steps=(1 << 62, 1)), "tensor 'a': expected numbers among the 12"),
        (tensor(shape=(3, 4, 1 << 40), steps=(4, 1, 0)), "expected at most 4294967296 bytes more"),
        (tensor(shape=(0, 1 << 60), steps=(1, 1)), "expected at most 4294967296 bytes more"),
        (tensor(shape=(1,) * 65, steps=(1,) * 65), "expected at most 64 axes, found 65"),
        (tensor(first=-1), "-1 is no number of 0 or more"),
        (tensor(steps=(-4, 1)), "-4 is no number of 0 or more"),
        (tensor(length=-12), "-12 is no number of 0 or more"),
        (tensor(steps=(4,)), "2 sizes and 1 steps"),
        (
            tensor(length=11, shape=(2, 4)),
            "storage '0': expected 11 numbers of 4 bytes, found 48 bytes",
        ),
        (tensor(length=1 << 60), "storage '0': expected 1152921504606846976 numbers of 4 bytes"),
        (tensor(key=b"1"), "storage '1': expected a member 'x/data/1', found none"),
        (tensor(key=b"../version"), "expected a member 'x/data/../version', found none"),
        (tensor(kind=b"torch\nQInt8Storage"), "found 'torch.QInt8Storage'"),
        (tensor(kind=b"collections\nOrderedDict"), "expected a storage"),
        (tensor(kind=b"torch.storage\nUntypedStorage"), "expected one dtype"),
        (tensor(kind=b"os\nsystem"), "found 'os.system'"),
        (tensor(call=b"os\nsystem"), "expected tensors, numbers and texts, found 'os.system'"),
        (tensor(call=b"torch\nfloat32"), "expected a call that makes a tensor"),
        (tensor(rest=b"\x89N}Vconj\nI01\ns"), "one that is conjugated or negated"),
        (tensor(call=b"torch._utils\n_rebuild_tensor_v3", rest=b"\x89Nctorch\nuint16\n"), "dtype"),
        (b"}I1\nI2\ns.", "name 1: expected a text"),
        (b"}Va\nI2\ns.", "value of 'a': expected a tensor, found a int"),
        (b"]Va\na.", "state_dict: expected tensors by name, found a list"),
        (b"}Vstate_dict\nNs.", "state_dict: expected tensors by name, found a NoneType"),
        (b"N0.", "expected a whole pickle"),
        (b"}b.", "expected a whole pickle"),
        (b"Vx\n}b.", "needs a dict, not a str"),
        (b"", "expected a whole pickle"),
    ],
)
def test_hostile_pickles_are_refused(tmp_path: Path, pickle: bytes, message: str) -> None:
    path = archive(tmp_path / "a.pt", pickle, d0=BASE.tobytes())
    with pytest.raises(FileFormatError) as caught:
        load_torch(path)
    assert message in str(caught.value)


def test_an_expanded_tensor_is_read_up_to_the_limit(tmp_path: Path) -> None:
    pickle = tensor(length=1, shape=(1000, 1000), steps=(0, 0))
    path = archive(tmp_path / "a.pt", pickle, d0=b"\0" * 4)
    with pytest.raises(FileLimitError, match="tensor 'a' of shape"):
        load_torch(path, max_expansion=1_000_000)
    assert load_torch(path)["a"].sum() == 0


def test_bytes_that_are_neither_true_nor_false_are_refused(tmp_path: Path) -> None:
    pickle = tensor(b"torch\nBoolStorage", length=2, shape=(2,), steps=(1,))
    path = archive(tmp_path / "a.pt", pickle, d0=b"\1\2")
    with pytest.raises(FileFormatError, match="values of 'a': expected 0 and 1, found 2"):
        load_torch(path)


def repacked(change: Any) -> bytes:
    """A file whose members have been changed; the directory is made for what they were."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("x/data.pkl", tensor())
        made.writestr("x/data/0", BASE.tobytes())
        change(made)
    return file.getvalue()


def again(made: zipfile.ZipFile) -> None:
    made.filelist.append(made.filelist[0])


def overlapping(made: zipfile.ZipFile) -> None:
    info = made.filelist[0]
    info.file_size = info.compress_size = info.file_size + 50


def beyond(made: zipfile.ZipFile) -> None:
    info = made.filelist[1]
    info.file_size = info.compress_size = 1 << 30


def elsewhere(made: zipfile.ZipFile) -> None:
    made.filelist[1].header_offset = 1 << 30


def inside(made: zipfile.ZipFile) -> None:
    made.filelist[1].header_offset += 1


def packed(made: zipfile.ZipFile) -> None:
    made.filelist[1].compress_type = zipfile.ZIP_DEFLATED


def unpacks(made: zipfile.ZipFile) -> None:
    made.filelist[1].file_size = 1 << 30


def secret(made: zipfile.ZipFile) -> None:
    made.filelist[1].flag_bits |= 1


def renamed(made: zipfile.ZipFile) -> None:
    made.filelist[1].filename = made.filelist[1].orig_filename = "x/data/1"


def damaged(made: zipfile.ZipFile) -> None:
    made.filelist[0].CRC ^= 1


def unnamed(made: zipfile.ZipFile) -> None:
    made.filelist[0].filename = "y.pkl"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (again, "name: expected a new name, found 'x/data.pkl' again"),
        (overlapping, "member 'x/data/0': expected an offset of"),
        (beyond, "size of 'x/data/0': expected at most"),
        (elsewhere, "header of 'x/data/0': expected an offset below"),
        (inside, "header of 'x/data/0': expected the mark and that name"),
        (packed, "member 'x/data/0': expected bytes as they are, found method 8 of packing"),
        (unpacks, "member 'x/data/0': expected bytes as they are, found method 0 of packing"),
        (secret, "member 'x/data/0': expected bytes as they are, found encrypted ones"),
        (renamed, "header of 'x/data/1': expected the mark and that name"),
        (damaged, "CRC-32 of 'x/data.pkl'"),
        (unnamed, "header of 'y.pkl': expected the mark and that name"),
    ],
)
def test_hostile_archives_are_refused(tmp_path: Path, change: Any, message: str) -> None:
    (tmp_path / "a.pt").write_bytes(repacked(lambda made: None))
    assert_same(load_torch(tmp_path / "a.pt"), {"a": BASE})
    (tmp_path / "a.pt").write_bytes(repacked(change))
    with pytest.raises(FileFormatError) as caught:
        load_torch(tmp_path / "a.pt")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "found nothing: the file is empty"),
        (
            b"{}",
            "expected tensors of PyTorch, as torch.save writes them, found JSON that is no graph",
        ),
        (b"\1\2", "expected a ZIP archive, which torch.save writes, found b'\\x01\\x02'"),
        (b"PK\3\4", "end of the archive: expected its record, found none; the file is cut short"),
        (b"PK\3\4PK\5\6" + b"\0" * 18, "one member FOLDER/data.pkl, as in files of torch.save"),
        (b"PK\3\4PK\5\6" + b"\0" * 19, "comment: expected 0 bytes to the end, found 1 bytes"),
        (b"PK\3\4PK\5\6\1" + b"\0" * 17, "expected one file"),
        (b"PK\3\4PK\5\6\0\0\0\0\1\0\1\0" + b"\0" * 10, "expected 1 members in the 4 bytes before"),
        (b"PK\3\4PK\5\6\0\0\0\0" + b"\xff" * 12 + b"\0\0", "offset of 64-bit sizes"),
    ],
)
def test_what_is_no_archive_is_told(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.pt").write_bytes(content)
    with pytest.raises(FileFormatError) as caught:
        load_torch(tmp_path / "a.pt")
    assert message in str(caught.value)


def test_a_file_that_is_cut_anywhere_is_refused(tmp_path: Path) -> None:
    save_torch(tmp_path / "a.pt", {"a": BASE})
    content = (tmp_path / "a.pt").read_bytes()
    for size in range(0, len(content), 3):
        (tmp_path / "a.pt").write_bytes(content[:size])
        with pytest.raises(FileFormatError):
            load_torch(tmp_path / "a.pt")


def test_a_file_that_is_changed_anywhere_is_read_or_refused(tmp_path: Path) -> None:
    content = (DATA / "module.pt").read_bytes()
    path = tmp_path / "a.pt"
    for at in range(0, len(content), 11):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
        with suppress(FileFormatError):
            load_torch(path, check=True)


def test_nothing_of_a_file_is_imported_or_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    before = set(sys.modules)
    for name in ("module", "checkpoint", "views"):
        load_torch(DATA / f"{name}.pt")
    assert set(sys.modules) == before
    with pytest.raises(FileFormatError, match=r"found 'os\.mkdir'"):
        load_torch(archive(tmp_path / "a.pt", b"cos\nmkdir\n(V%s\ntR." % bytes(tmp_path / "made")))
    assert not (tmp_path / "made").exists()


def test_a_machine_without_hooks_knows_nothing() -> None:
    for pickle, found in ((b"cos\nmkdir\n.", "'os mkdir'"), (b"Vx\nQ.", "'x'")):
        with pytest.raises(FileFormatError) as caught:
            PickleMachine("a", 10).read(pickle)
        assert caught.value.found == found


# --- conversions ------------------------------------------------------------------------------


def test_every_format_holds_what_the_others_hold(tmp_path: Path) -> None:
    first, state = tmp_path / "a.params", tmp_path / "a.pt"
    middle, last = tmp_path / "a.safetensors", tmp_path / "b.params"
    arrays: Any = {"arg:w": np.arange(70_000, dtype=np.float32), "aux:m": np.ones(3)}
    save_ndarrays(first, arrays)
    views: Any = load_ndarrays(first, copy=False)
    save_torch(state, views)
    save_safetensors(middle, load_torch(state, copy=False))
    found: Any = load_safetensors(middle, copy=False).arrays
    save_ndarrays(last, found)
    assert last.read_bytes() == first.read_bytes()


def test_the_command_tells_converts_and_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state, params = str(DATA / "module.pt"), str(tmp_path / "a.params")
    for path in (state, str(tmp_path / "unknown.bin")):
        (tmp_path / "unknown.bin").write_bytes((DATA / "module.pt").read_bytes())
        assert main(["info", path, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["format"], told["arrays"][0]["shape"]) == ("torch", [4, 3])
    assert main(["convert", state, params, "--from", "mxnet"]) == 0
    assert_same(load_ndarrays(params), load_torch(state))
    assert main(["convert", params, str(tmp_path / "b.pth"), "--to", "mxnet"]) == 0
    assert_same(load_torch(tmp_path / "b.pth"), load_torch(state))
    assert main(["verify", str(tmp_path / "b.pth")]) == 0
    content = bytearray((tmp_path / "b.pth").read_bytes())
    content[content.index(np.float32(11).tobytes())] ^= 1
    (tmp_path / "b.pth").write_bytes(content)
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "b.pth")]) == 1
    assert "CRC-32 of 'archive/data/0'" in capsys.readouterr().err
    save_ndarrays(params, [BASE])
    assert main(["convert", params, str(tmp_path / "c.pt")]) == 1
    assert "the arrays have no names, which torch files need" in capsys.readouterr().err


def test_checksums_are_those_of_the_bytes(tmp_path: Path) -> None:
    arrays: dict[str, Any] = {"a": np.arange(1_000_000), "b": np.arange(9, dtype=np.int8)}
    save_ndarrays(tmp_path / "a.params", arrays)
    views: Any = load_ndarrays(tmp_path / "a.params", copy=False)
    for given in (arrays, views):
        save_torch(tmp_path / "a.pt", given)
        with zipfile.ZipFile(tmp_path / "a.pt") as made:
            sums = [made.getinfo(f"archive/data/{index}").CRC for index in range(2)]
        assert sums == [zlib.crc32(array.tobytes()) for array in arrays.values()]
