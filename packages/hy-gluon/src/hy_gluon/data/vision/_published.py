"""Files of published datasets: found in a folder, or fetched; and the formats they are in."""

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon.utils import DownloadError, _get_repo_file_url, download
from hy_io import FileFormatError, read_expanded

__all__ = ["Published", "check_size", "idx_array"]

_IDX_BYTES = 8
"""The code of unsigned bytes in the third byte of an IDX file."""


@dataclass(frozen=True)
class Published:
    """The files of a dataset.

    Args:
        name: Name of its folder in the repository.
        files: SHA-1 of each file.
    """

    name: str
    files: Mapping[str, str]

    def content(self, root: Path, file: str) -> tuple[bytes, Path]:
        """What a packed file holds, or the same file unpacked; and the path of it.

        Raises:
            DownloadError: None of them is there, and it cannot be fetched.
            FileFormatError: It is damaged.
            FileLimitError: It is far larger than the packed file.
        """
        folder = root.expanduser()
        unpacked = folder / file.removesuffix(".gz")
        if unpacked.is_file():
            return unpacked.read_bytes(), unpacked
        packed = self._fetched(folder, file)
        try:
            with gzip.open(packed) as source:
                return read_expanded(source, packed), packed
        except (OSError, EOFError, zlib.error) as error:
            raise FileFormatError(
                str(packed), 0, "content", "whole gzip data", str(error)
            ) from error

    def member(self, root: Path, name: str) -> tuple[bytes, Path]:
        """What a file holds that is in the archive, or beside it; and the path of that.

        Raises:
            DownloadError: Neither is there, and the archive cannot be fetched.
            FileFormatError: The archive is damaged, or has no such member.
            FileLimitError: The member is far larger than the archive.
        """
        folder = root.expanduser()
        if (folder / name).is_file():
            return (folder / name).read_bytes(), folder / name
        (file,) = self.files
        archive = self._fetched(folder, file)
        try:
            content = (_zipped if archive.suffix == ".zip" else _tarred)(archive, name)
        except (tarfile.TarError, zipfile.BadZipFile, OSError, EOFError, zlib.error) as error:
            raise FileFormatError(
                str(archive), 0, "archive", "a whole archive", str(error)
            ) from error
        if content is not None:
            return content, archive
        raise FileFormatError(str(archive), 0, "archive", f"a member {name}", "none of that name")

    def _fetched(self, folder: Path, file: str) -> Path:
        path = folder / file
        if path.is_file():
            return path
        url = _get_repo_file_url(f"gluon/dataset/{self.name}", file)
        try:
            return Path(download(url, str(path), sha1_hash=self.files[file]))
        except OSError as error:
            problem = DownloadError(f"the dataset {self.name} could not be fetched: {error}")
            problem.add_note(
                f"without a network, put the file {file} (SHA-1 {self.files[file]}) into {folder}, "
                "or name another folder with root=...; to use a mirror, set MXNET_GLUON_REPO to "
                "its address"
            )
            raise problem from error


def _tarred(archive: Path, name: str) -> bytes | None:
    """What the file of that name in an archive holds; None if there is none."""
    with tarfile.open(archive) as members:
        for member in members:
            if member.isfile() and Path(member.name).name == name:
                source = members.extractfile(member)
                assert source is not None
                return read_expanded(source, archive)
    return None


def _zipped(archive: Path, name: str) -> bytes | None:
    with zipfile.ZipFile(archive) as members:
        for path in members.namelist():
            if Path(path).name == name:
                with members.open(path) as source:
                    return read_expanded(source, archive)
    return None


def idx_array(content: bytes, path: Path) -> npt.NDArray[Any]:
    """The array in an IDX file of unsigned bytes: a head with its shape, then its elements.

    Args:
        content: What the file holds.
        path: Where it is, for messages.

    Raises:
        FileFormatError: It is something else, or damaged.

    Example:
        >>> idx_array(bytes([0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 7, 9]), Path("two"))
        array([[7, 9]], dtype=uint8)
    """
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] != _IDX_BYTES:  # noqa: PLR2004
        raise FileFormatError(
            str(path), 0, "head", "an IDX file of unsigned bytes", content[:4].hex()
        )
    rank = content[3]
    start = 4 + 4 * rank
    if len(content) < start:
        raise FileFormatError(str(path), 4, "shape", f"{rank} sizes", f"{len(content) - 4} bytes")
    shape = tuple(int(n) for n in np.frombuffer(content[4:start], ">u4"))
    found = len(content) - start
    expected = 1
    for size in shape:
        expected *= size
    if found != expected:
        raise FileFormatError(
            str(path), start, "elements", f"{expected} of shape {shape}", f"{found}"
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def check_size(path: Path, size: int, row: int) -> None:
    """Refuse a file that is not made of whole rows.

    Raises:
        FileFormatError: It is not.
    """
    if size == 0 or size % row:
        raise FileFormatError(
            str(path), size, "rows", f"whole rows of {row} bytes", f"{size} bytes"
        )
