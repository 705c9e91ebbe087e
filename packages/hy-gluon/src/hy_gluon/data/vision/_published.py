"""Files of published datasets, found in a folder or downloaded."""

import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hy_gluon._home import expanded
from hy_gluon.utils import DownloadError, _get_repo_file_url, download
from hy_io import FileFormatError, read_expanded


@dataclass(frozen=True)
class Published:
    """Files of a published dataset, with their checksums.

    Args:
        name: Folder of the dataset in the repository.
        files: SHA-1 by file name.
    """

    name: str
    files: Mapping[str, str]

    def unpacked(self, root: Path, file: str) -> Path:
        """Return the path of a decompressed file if it exists, else of the ``.gz`` file.

        Raises:
            DownloadError: Both are missing, and the file cannot be downloaded.
        """
        folder = expanded(root)
        unpacked = folder / file.removesuffix(".gz")
        # The unpacked file is preferred: users who put it there have no archive.
        return unpacked if unpacked.is_file() else self._fetched(folder, file)

    def member(self, root: Path, name: str) -> tuple[bytes, Path]:
        """Return content and path of a file in the folder, or of that member of the archive.

        Raises:
            DownloadError: Both are missing, and the archive cannot be downloaded.
            FileFormatError: The archive is damaged, or has no such member.
            FileLimitError: The member is far larger than the archive.
        """
        folder = expanded(root)
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
            # The SHA-1 is that of the published file; a mirror's error page does not match.
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
    """Return the content of a file in a tar archive; None if it is not there."""
    with tarfile.open(archive) as members:
        for member in members:
            # By the last part of the name: archives have a folder inside, by whatever name.
            if member.isfile() and Path(member.name).name == name:
                source = members.extractfile(member)
                assert source is not None
                # Up to the limit of expansion, as archives come from the network.
                return read_expanded(source, archive)
    return None


def _zipped(archive: Path, name: str) -> bytes | None:
    with zipfile.ZipFile(archive) as members:
        for path in members.namelist():
            if Path(path).name == name:
                with members.open(path) as source:
                    return read_expanded(source, archive)
    return None


def check_size(path: Path, size: int, row: int) -> None:
    """Raise an error if a file's size is not a positive multiple of the row size.

    Raises:
        FileFormatError: The size is not a multiple of ``row``.
    """
    # A download that was cut short ends within a row.
    if size == 0 or size % row:
        raise FileFormatError(
            str(path), size, "rows", f"whole rows of {row} bytes", f"{size} bytes"
        )
