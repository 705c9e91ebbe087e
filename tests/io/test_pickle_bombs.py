"""Short pickles that say much: none is walked, or made larger, beyond what its length allows."""

import pickle
import zipfile
from pathlib import Path
from struct import pack

import numpy as np
import pytest

from hy_io import FileFormatError, load_torch, read_pickled_states

LEAVES = b")" + b"2\x86" * 40
"""A tuple of the same tuple twice, of the same twice, and so on: 2**40 leaves in 81 bytes."""
LARGE = 1 << 20


def name(module: str, attribute: str) -> bytes:
    return f"c{module}\n{attribute}\n".encode()


def text(value: str) -> bytes:
    return b"X" + pack("<I", len(value)) + value.encode()


def raw(value: bytes) -> bytes:
    return b"B" + pack("<I", len(value)) + value


U1 = name("numpy", "dtype") + text("u1") + b"\x85R"
SGD = name("copyreg", "_reconstructor") + name("mxnet.optimizer.sgd", "SGD") + b"\x85R"
EMPTY = name("numpy.core.multiarray", "_reconstruct") + b")R"
SIZE = b"(J" + pack("<i", LARGE) + b"t"
MANY = b"}(" + b"".join(b"J" + pack("<i", i) + b"N" for i in range(20_000)) + b"u"

STATES = {
    "key of what lies outside": LEAVES + b"Q",
    "coding of a text": name("builtins", "bytes") + text("a") + LEAVES + b"\x86R",
    "coding of bytes": name("_codecs", "encode") + text("a") + LEAVES + b"\x86R",
    "byte order": U1 + b"(K\x01" + LEAVES + b"tb",
    "name of a dtype": name("numpy.core.multiarray", "scalar")
    + (SGD + b"}" + text("name") + LEAVES + b"sb" + raw(b"abcd") + b"\x86R"),
    "shape": EMPTY + b"(K\x01" + LEAVES + U1 + b"\x89" + raw(b"") + b"tb",
    "module": LEAVES + text("SGD") + b"\x93",
    "state": b"}K\x00" + LEAVES + b"s",
    "an object in itself": SGD + b"q\x00}" + text("a") + b"h\x00sb",
    "one array of bytes in many": b"]"
    + (raw(bytes(LARGE)) + b"q\x010")
    + (EMPTY + b"(K\x01" + SIZE + U1 + b"\x89h\x01tba") * 5000,
    "one text encoded often": b"]"
    + (text("a" * LARGE) + b"q\x010" + name("_codecs", "encode") + b"q\x020")
    + (b"h\x02h\x01" + text("latin1") + b"\x86Ra") * 5000,
    "one name spelled often": text("mxnet.optimizer." + "a" * LARGE)
    + (b"q\x010" + b"h\x01h\x01\x930" * 5000),
    "settings taken over often": SGD + MANY + b"q\x01b" + b"h\x01b" * 10_000,
    "keys that may collide": b"}"
    + b"".join(b"\x8a\x08" + pack("<q", i << 43) + b"Ns" for i in range(9)),
}


@pytest.mark.parametrize("steps", STATES.values(), ids=STATES)
def test_states_that_say_too_much_are_refused(steps: bytes) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_pickled_states(b"\x80\x02" + steps + b".")
    assert len(str(caught.value)) < 400


FLOATS = text("storage") + name("torch", "FloatStorage")
STORAGE = b"(" + FLOATS + text("0") + text("cpu") + b"K\x10tQ"
TENSOR = name("torch._utils", "_rebuild_tensor_v2") + b"(" + STORAGE
PAIRS = b"](" + b"".join(text(str(i)) + b"N\x86" for i in range(20_000)) + b"eq\x010"
TENSORS = {
    "length of a storage": STORAGE[:-4] + LEAVES + b"tQ",
    "kind of a storage": b"(" + LEAVES + STORAGE[STORAGE.index(b"ctorch") :],
    "first number": TENSOR + LEAVES + b"(K\x02t(K\x01t\x89tR",
    "sizes": TENSOR + b"K\x00" + LEAVES + b"(K\x01t\x89tR",
    "a dictionary made often": PAIRS
    + (name("collections", "OrderedDict") + b"q\x020]")
    + b"h\x02h\x01\x85Ra" * 5000,
    "nested in itself": b"}q\x00" + text("state_dict") + b"h\x00s",
}


@pytest.mark.parametrize("steps", TENSORS.values(), ids=TENSORS)
def test_tensors_that_say_too_much_are_refused(tmp_path: Path, steps: bytes) -> None:
    path = tmp_path / "a.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/data.pkl", b"\x80\x02" + steps + b".")
        archive.writestr("a/data/0", bytes(64))
    with pytest.raises(FileFormatError) as caught:
        load_torch(path)
    assert len(str(caught.value)) < 400


def test_long_names_are_cut_in_messages(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    with zipfile.ZipFile(path, "w") as archive:
        key = b"(" + FLOATS + text("9" * 5000)
        tensor = TENSOR[: -len(STORAGE)] + key + text("cpu") + b"K\x10tQK\x00(K\x02t(K\x01t\x89tR"
        archive.writestr("a/data.pkl", b"\x80\x02}" + text("b" * 5000) + tensor + b"s.")
    with pytest.raises(FileFormatError, match=r"storage '9{80}': expected a member") as caught:
        load_torch(path)
    assert len(str(caught.value)) < 600


def test_a_warning_that_is_an_error_is_a_refusal() -> None:
    with pytest.raises(FileFormatError, match="invalid escape sequence"):
        read_pickled_states(b"S'\\D'\n.")


@pytest.mark.parametrize("protocol", range(6))
def test_what_is_shared_as_programs_share_it_is_read(protocol: int) -> None:
    one, pair = np.arange(3.0), ("a", 1)
    value = {index: [one, pair, {"x": pair}] for index in range(2000)}
    states = read_pickled_states(pickle.dumps(value, protocol))["states"]
    assert states[1999][0].tolist() == [0, 1, 2]
    assert states[1999][1:] == [pair, {"x": pair}]


@pytest.mark.parametrize("protocol", range(6))
def test_large_arrays_count_once(protocol: int) -> None:
    value = {0: (np.arange(50_000.0), np.ones(50_000))}
    first, second = read_pickled_states(pickle.dumps(value, protocol))["states"][0]
    assert first[-1] == 49_999
    assert second.sum() == 50_000
