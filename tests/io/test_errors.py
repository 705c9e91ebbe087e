"""`FileFormatError` tells all it knows, and survives a journey between processes."""

import pickle

from hy_io import FileFormatError


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
