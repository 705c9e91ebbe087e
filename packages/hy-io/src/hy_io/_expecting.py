"""Errors about files whose format differs from the expected one."""

import os

from hy_io._errors import FileFormatError, FileLimitError
from hy_io.sniffing import FileKind, kind_of_file, sniff

_EXPECTED = {
    "params": "arrays of MXNet (.params)",
    "safetensors": "safetensors",
    "npz": "arrays of numpy (.npz, .npy)",
    "torch": "tensors of PyTorch, as torch.save writes them",
    "idx": "an array of IDX",
    "records": "records (.rec)",
}
# Without these, a damaged archive would be reported as "a ZIP file" in place of its own damage.
_WITHIN = {"records": ("text",), "npz": ("zip",), "torch": ("zip", "pickle"), "idx": ("gzip",)}
"""By expected form, forms that `sniff` may report for its files: the reader's own error is kept."""


def another_format(path: str | None, form: str, kind: FileKind | None) -> FileFormatError | None:
    """Return the error about a file of another format; None if the format may be the expected one.

    Args:
        path: The file, for messages.
        form: The expected format, as the ``form`` of a :class:`FileKind`.
        kind: The format that was detected, None if unknown.
    """
    if kind is None or kind.form == form or kind.form in _WITHIN.get(form, ()):
        return None
    return FileFormatError(
        path, 0, "format", expected=_EXPECTED[form], found=kind.what, remedy=kind.how
    )


class expecting:  # noqa: N801  # read as a preposition
    """Context manager around a reader: its errors name the actual format of a file of another one.

    A class, since a generator-based context manager would take more than twice as many steps per
    file.

    Args:
        form: The expected format, as the ``form`` of a :class:`FileKind`.
        source: The path of the file, or its content.

    Raises:
        FileFormatError: The reader raised a `FileFormatError`. It is replaced by an error that
            names the actual format if that is not the expected one.
    """

    def __init__(
        self, form: str, source: str | os.PathLike[str] | bytes | bytearray | memoryview
    ) -> None:
        self._form = form
        self._source = source

    def __enter__(self) -> None:
        """Enter the scope."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # The format is right where a limit is exceeded; nothing to tell apart.
        if not isinstance(error, FileFormatError) or isinstance(error, FileLimitError):
            return
        source = self._source
        if isinstance(source, bytes | bytearray | memoryview):
            other_kind = sniff(bytes(memoryview(source)[:1024]))
        else:
            other_kind = kind_of_file(source)
        other = another_format(error.path, self._form, other_kind)
        # `from None`: "bad magic at byte 0" of the wrong reader would only mislead.
        if other is not None:
            raise other from None
