"""`FileFormatError` tells all it knows, and survives a journey between processes."""

import pickle
from pathlib import Path

import pytest

import hy_io
from hy_io import FileFormatError, HyError


def test_message_and_attributes_agree() -> None:
    error = FileFormatError("a.params", 8, "count", "at most 3", "70", "fetch it again")
    assert str(error) == "a.params: byte 8: count: expected at most 3, found 70; fetch it again"
    assert (error.path, error.offset, error.field) == ("a.params", 8, "count")
    assert (error.expected, error.found, error.remedy) == ("at most 3", "70", "fetch it again")
    assert isinstance(error, ValueError)


def test_error_without_path_or_remedy() -> None:
    error = FileFormatError(None, 0, "magic", "0x112", "0x0")
    assert str(error) == "<bytes>: byte 0: magic: expected 0x112, found 0x0"


def test_error_is_pickled_with_its_notes() -> None:
    error = FileFormatError("a.params", 8, "count", "at most 3", "70")
    error.add_note("while loading the encoder")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(again) is FileFormatError
    assert str(again) == str(error)
    assert again.offset == 8
    assert again.__notes__ == ["while loading the encoder"]


def test_what_the_system_refuses_is_pickled_whole(tmp_path: Path) -> None:
    with pytest.raises(HyError) as caught:
        hy_io.load_ndarrays(tmp_path / "missing")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert type(again) is hy_io.MissingFileError
    assert str(again) == str(caught.value)
    assert again.filename == str(tmp_path / "missing")


def test_other_errors_of_the_system_stay_as_they_are() -> None:
    with pytest.raises(ConnectionResetError) as caught, hy_io.os_errors():
        raise ConnectionResetError(104, "reset")
    assert not isinstance(caught.value, HyError)


def test_a_name_is_given_to_bytes_alone() -> None:
    def named(path: str | None) -> FileFormatError:
        with pytest.raises(FileFormatError) as caught, hy_io.named_source("x.rec: record 3"):
            raise FileFormatError(path, 8, "count", "at most 3", "70")
        return caught.value

    assert str(named(None)).startswith("x.rec: record 3: byte 8: count")
    assert isinstance(named(None).__cause__, FileFormatError)
    assert str(named("a.params")).startswith("a.params: byte 8")
    assert named("a.params").__cause__ is None
