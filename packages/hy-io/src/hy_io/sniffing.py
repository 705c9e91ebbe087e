"""Detection of a file's format by its first bytes."""

import os
import re
from pathlib import Path
from typing import NamedTuple

__all__ = ["FileKind", "described", "kind_of_file", "sniff"]

_HEAD_SIZE = 1024  # bytes


class FileKind(NamedTuple):
    """Format of a file as detected by `sniff`, with texts for error messages."""

    form: str
    """Identifier of the format, such as ``"safetensors"``."""
    what: str
    """Description of the content of such a file, for messages."""
    how: str
    """Advice to the user, for messages."""


_UNPACK = "unpack it first"
_KINDS = {
    kind.form: kind
    for kind in (
        FileKind(
            "empty", "nothing: the file is empty", "was it written to the end? fetch it again"
        ),
        FileKind("params", "arrays of MXNet (.params)", "load_parameters or nd.load reads it"),
        FileKind(
            "symbol",
            "a graph in JSON (-symbol.json)",
            "sym.load reads it; SymbolBlock.imports takes it first, then the inputs, then the "
            "parameters",
        ),
        FileKind("json", "JSON that is no graph", "is it the -symbol.json of this model?"),
        FileKind("safetensors", "safetensors", "hy_io.load_safetensors reads it"),
        FileKind("npz", "arrays of numpy", "npx.load or hy_io.load_npz reads it"),
        FileKind("torch", "tensors of PyTorch", "hy_io.load_torch reads it"),
        FileKind("zip", "a ZIP archive", _UNPACK),
        FileKind("onnx", "a model of ONNX", "import_graph of hy_onnx reads it"),
        FileKind(
            "pickle",
            "a Python pickle",
            "`hy-io convert --allow-pickle` reads states of MXNet's optimizers",
        ),
        FileKind("records", "records (.rec)", "recordio.MXRecordIO or RecordFileDataset reads it"),
        FileKind("hdf5", "HDF5", "h5py reads it"),
        FileKind("idx", "an array of IDX, as MNIST's", "hy_io.load_idx reads it"),
        FileKind("image", "an image", "image.imread reads it"),
        FileKind("gzip", "what gzip packed", f"{_UNPACK}: gunzip"),
        FileKind("bzip2", "what bzip2 packed", f"{_UNPACK}: bunzip2"),
        FileKind("xz", "what xz packed", f"{_UNPACK}: unxz"),
        FileKind("zstd", "what zstd packed", f"{_UNPACK}: unzstd"),
        FileKind("tar", "a tar archive", f"{_UNPACK}: tar -xf"),
        FileKind("lfs", "a pointer of Git LFS", "run `git lfs pull`"),
        FileKind("html", "a web page", "the download may have failed"),
        FileKind("text", "text", "is it the right file?"),
    )
}
_BEGINS: tuple[tuple[bytes, str], ...] = (
    (b"\x12\x01\0\0\0\0\0\0", "params"),
    (b"\x0a\x23\xd7\xce", "records"),
    (b"\x93NUMPY", "npz"),
    (b"PK\x05\x06", "npz"),
    (b"\x89HDF\r\n\x1a\n", "hdf5"),
    (b"\x89PNG", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"version https://git-lfs", "lfs"),
)
_ZIPPED = re.compile(rb"PK\x03\x04.{22}(?P<size>..)..(?P<name>[^\0]*)", re.DOTALL)
_PICKLED = re.compile(rb"\x80[\x02-\x05]|\(dp\d|\(lp\d|ccopy_reg\n")
_ONNX = re.compile(rb"\x08[\x01-\x14][\x12\x1a\x22\x28\x32\x3a\x42]")
# IDX: two zeros, a dtype code, then at most 8 axes; MXNet's magic cannot match.
_IDX = re.compile(rb"\0\0[\x08\x09\x0b-\x0e][\x01-\x08]")
_PAGE = re.compile(rb"\s*<(!doctype|html|\?xml)", re.IGNORECASE)
_PATTERNS = ((_PICKLED, "pickle"), (_ONNX, "onnx"), (_IDX, "idx"), (_PAGE, "html"))


def sniff(head: bytes) -> FileKind | None:
    """Detect the format of a file by its first bytes; return None if it is unknown.

    Args:
        head: The first 1024 bytes of the file, or all if it is shorter.

    Example:
        >>> sniff(b'{"nodes": []}').what, sniff(bytes(24))
        ('a graph in JSON (-symbol.json)', None)
    """
    form = _form(bytes(head[:_HEAD_SIZE]))
    return None if form is None else _KINDS[form]


def _form(head: bytes) -> str | None:
    if not head:
        return "empty"
    begins = next((form for begin, form in _BEGINS if head.startswith(begin)), None)
    if begins is not None:
        return begins
    if head.startswith(b"PK\x03\x04"):
        return _zipped(head)
    # No magic: the length of the JSON header, then "{"; a bound keeps texts with a brace there out.
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 40:
        return "safetensors"
    # POSIX tar has its magic at byte 257.
    if head[257:262] == b"ustar":
        return "tar"
    matches = (form for pattern, form in _PATTERNS if pattern.match(head))
    return next(matches, None) or _of_text(head)


def _zipped(head: bytes) -> str:
    """Return the form of a ZIP archive by the name of its first member: torch, npz or zip."""
    match = _ZIPPED.match(head)
    name = match["name"][: int.from_bytes(match["size"], "little")] if match else b""
    if name.endswith(b"/data.pkl"):
        return "torch"
    return "npz" if name.endswith(b".npy") else "zip"


def _of_text(head: bytes) -> str | None:
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Up to 3 bytes of a character may be cut off by the end of the head.
        if error.start < len(head) - 4:
            return None
        text = head[: error.start].decode("utf-8-sig")
    if not all(letter.isprintable() or letter.isspace() for letter in text):
        return None
    if text.lstrip().startswith(("{", "[")):
        # Every graph of MXNet has a list "nodes".
        return "symbol" if '"nodes"' in text else "json"
    return "text"


def kind_of_file(path: str | os.PathLike[str]) -> FileKind | None:
    """Detect the format of a file by its first bytes, see :func:`sniff`.

    Raises:
        OSError: The file cannot be read.
    """
    with Path(path).open("rb") as file:
        return sniff(file.read(_HEAD_SIZE))


def described(head: bytes, expected: str) -> str:
    """Return a clause that names a file's actual format; empty if that is the expected one.

    Args:
        head: The first bytes of the file, see :func:`sniff`.
        expected: The expected ``form`` of a `FileKind`.

    Returns:
        The clause, or an empty string if the format is the expected one or unknown.

    Example:
        >>> described(b"hello", "symbol")
        'it holds text; is it the right file?'
    """
    kind = sniff(head)
    return "" if kind is None or kind.form == expected else f"it holds {kind.what}; {kind.how}"
