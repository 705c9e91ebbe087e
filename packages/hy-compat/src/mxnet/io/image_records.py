"""Records of images in files: those of one part, with labels."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_io import FileFormatError, IRHeader, RecordFile, list_files, named_source, read_file, unpack
from hy_ndarray import ArgumentError
from mxnet.io.stream import check_part, part_of

__all__ = ["ImageRecords", "labels_of_list"]


@dataclass(frozen=True, slots=True)
class ImageRecords:
    """Records of one part of one or several files."""

    files: tuple[RecordFile, ...]
    locations: tuple[tuple[int, int], ...]
    """Which file, and which of its records."""

    @classmethod
    def open(cls, path: str, index: str, num_parts: int, part_index: int) -> "ImageRecords":
        """Open record files, and return the records of a part.

        Args:
            path: A file, several with ``;`` between them, or a folder.
            index: The index of the file; may be empty.
            num_parts: Number of parts: equal numbers of records if there is an index, otherwise
                equal numbers of bytes.
            part_index: Index of the part.

        Raises:
            ArgumentError: There is no file or no such part, or an index of several files.
            FileFormatError: A file is damaged.
            OSError: A file cannot be opened.
        """
        check_part(num_parts, part_index)
        paths = list_files(path)
        if not paths:
            raise ArgumentError(f"path_imgrec must be a file of records, not {path!r}")
        if index and len(paths) > 1:
            raise ArgumentError("path_imgidx is the index of one file, but path_imgrec has several")
        files = tuple(RecordFile(file, index or None) for file in paths)
        locations = [(i, j) for i, file in enumerate(files) for j in range(len(file))]
        # An index says where records are, so parts are by number; without one dmlc divides by
        # bytes.
        if index:
            part = part_of(len(locations), num_parts, part_index)
        else:
            part = _part_by_bytes(files, num_parts, part_index)
        return cls(files, tuple(locations[part.start : part.stop]))

    def read(self, number: int) -> tuple[IRHeader, bytes]:
        """Return the header and the image of a record.

        Raises:
            FileFormatError: The record is damaged; names the record.
        """
        file, record = self.locations[number]
        with named_source(self.name(number)):
            return unpack(self.files[file][record])

    def name(self, number: int) -> str:
        """Return the name of a record for error messages."""
        file, record = self.locations[number]
        records = self.files[file]
        return f"{records.path}: record {record} at byte {records.offsets[record]}"

    def __len__(self) -> int:
        return len(self.locations)


def _part_by_bytes(files: tuple[RecordFile, ...], num_parts: int, part_index: int) -> range:
    begins, total = [], 0
    for file in files:
        begins += [total + offset for offset in file.offsets]
        total += file.size
    step = -(-total // num_parts)
    # Records are aligned to 4 bytes, and so are dmlc's parts.
    step += -step % 4
    first, last = (bisect_left(begins, step * (part_index + i)) for i in range(2))
    return range(first, last)


def labels_of_list(path: str, width: int) -> Mapping[int, npt.NDArray[np.float32]]:
    """Return the labels in a list file, by number of record.

    Args:
        path: Lines ``number<TAB>label<TAB>…<TAB>name``.
        width: Number of labels of a record; -1 for all.

    Raises:
        FileFormatError: A line has another form, or fewer labels.
        OSError: The file cannot be read.
    """
    by_index: dict[int, Any] = {}
    offset = 0
    for line in read_file(path).splitlines(keepends=True):
        # im2rec's list: number, labels, name, with tabs between them.
        cells = line.strip().split(b"\t")
        if line.strip():
            try:
                labels = np.array([float(cell) for cell in cells[1:-1]], np.float32)
                key = int(cells[0])
            except ValueError:
                labels, key = np.zeros(0, np.float32), 0
            if len(labels) < max(width, 1):
                expected = f"a number, {max(width, 1)} labels and a name with tabs between them"
                raise FileFormatError(path, offset, "line", expected, repr(line[:60]))
            by_index[key] = labels if width < 0 else labels[:width]
        offset += len(line)
    return by_index
