"""RecordFileDataset: the records of an indexed file."""

import os
from pathlib import Path

from hy_gluon.data.dataset import Dataset
from hy_io import MXIndexedRecordIO

__all__ = ["RecordFileDataset"]


class RecordFileDataset(Dataset):
    """The records of a ``.rec`` file, found by the ``.idx`` file beside it.

    Args:
        filename: The ``.rec`` file.

    Raises:
        OSError: One of the two files cannot be read.
        FileFormatError: The index is damaged.
    """

    def __init__(self, filename: str | os.PathLike[str]) -> None:
        self.filename = os.fspath(filename)
        self.idx_file = str(Path(filename).with_suffix(".idx"))
        self._record = MXIndexedRecordIO(self.idx_file, self.filename, "r")

    def __getitem__(self, idx: int) -> object:
        return self._record.read_idx(self._record.keys[idx])

    def __len__(self) -> int:
        return len(self._record.keys)
