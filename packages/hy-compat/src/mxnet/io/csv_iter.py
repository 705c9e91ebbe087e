"""CSVIter: batches of rows from text files of numbers."""

from dataclasses import dataclass
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_io import FileFormatError, list_files, read_file
from hy_ndarray import ArgumentError, ShapeError
from mxnet.io.decimals import Cells, NumberError, numbers, unix_lines
from mxnet.io.mx_data_iter import MXDataIter
from mxnet.io.stream import LastBatch, SampleStream
from mxnet.io.tables import Table
from mxnet.io.values import read_parameters

__all__ = ["CSVIter"]

_DTYPES = ("float32", "int32", "int64")


@dataclass(frozen=True, slots=True)
class _Parameters:
    data_csv: str
    data_shape: tuple[int, ...]
    batch_size: int
    label_csv: str = "NULL"
    label_shape: tuple[int, ...] = (1,)
    round_batch: bool = True
    prefetch_buffer: int = 4
    ctx: str = "cpu"
    dtype: str | None = None
    data_name: str = "data"
    label_name: str = "softmax_label"


def CSVIter(**kwargs: Any) -> MXDataIter:  # noqa: N802  # MXNet's name
    r"""Return an iterator over rows of a text file of comma-separated numbers.

    Args:
        kwargs: ``data_csv``: a file, several files separated by ``;``, or a folder;
            ``data_shape``: shape of a row; ``batch_size``; ``label_csv``: files with the labels of
            each row (zeros if not given); ``label_shape``; ``round_batch``: whether the last batch
            is filled with samples that the next epoch then skips (otherwise, its end keeps values
            of the previous batch); ``dtype``: float32, int32 or int64; ``data_name``;
            ``label_name``. Other parameters of MXNet have no effect.

    Returns:
        Batches of ``[batch_size, *data_shape]`` with labels ``[batch_size, *label_shape]``, or
        ``[batch_size]`` for the label shape ``(1,)``.

    Raises:
        ArgumentError: A parameter is missing or of another type.
        FileFormatError: A row has a cell that is no number, or another length.
        ShapeError: The numbers of labels and rows differ.
        OSError: A file cannot be read.

    Example:
        >>> import mxnet as mx
        >>> from pathlib import Path
        >>> _ = Path("rows.csv").write_text("1,2\n3,4\n5,6\n", encoding="utf-8")
        >>> rows = mx.io.CSVIter(data_csv="rows.csv", data_shape=(2,), batch_size=2)
        >>> [(batch.data[0].asnumpy().tolist(), batch.pad) for batch in rows]
        [([[1.0, 2.0], [3.0, 4.0]], 0), ([[5.0, 6.0], [1.0, 2.0]], 1)]
    """
    wanted = read_parameters(_Parameters, "CSVIter", kwargs)
    dtype = wanted.dtype or "float32"
    if dtype not in _DTYPES:
        raise ArgumentError(f"CSVIter: dtype must be one of {_DTYPES}, not {dtype!r}")
    data = _read_rows(wanted.data_csv, wanted.data_shape, dtype)
    # As in MXNet, a single label of a sample has no axis of its own.
    shape = () if wanted.label_shape == (1,) else wanted.label_shape
    if wanted.label_csv == "NULL":
        label = np.zeros((len(data), *shape), dtype)
    else:
        label = _read_rows(wanted.label_csv, wanted.label_shape, dtype).reshape(-1, *shape)
    if len(label) < len(data):
        raise ShapeError(
            f"CSVIter: {wanted.label_csv} has {len(label)} rows, but {wanted.data_csv} has "
            f"{len(data)}"
        )
    last_batch: LastBatch = "round" if wanted.round_batch else "pad"
    stream = SampleStream(len(data), wanted.batch_size, last_batch=last_batch)
    index = np.arange(len(data), dtype=np.uint64)
    return MXDataIter(Table(stream, data, label, index), wanted.data_name, wanted.label_name)


def _read_rows(path: str, shape: tuple[int, ...], dtype: str) -> npt.NDArray[Any]:
    """Return the rows of files, each reshaped to ``shape``."""
    size = int(np.prod(shape))
    parts = [_numbers_of_file(file, size, dtype) for file in list_files(path)]
    return np.concatenate(parts or [np.empty(0, dtype)]).reshape(-1, *shape)


def _numbers_of_file(file: Path, size: int, dtype: str) -> npt.NDArray[Any]:
    """Return the numbers of a file as a flat array, row by row."""
    text = unix_lines(read_file(file)) or b"\n"
    seen = np.frombuffer(text, np.uint8)
    # All separators at once; cells lie between them.
    ends = np.append(np.flatnonzero((seen == ord(",")) | (seen == ord("\n"))), len(text))
    starts = np.append(0, ends[:-1] + 1)
    cells = Cells(text, starts, ends).stripped()
    ends_row = np.append(seen[ends[:-1]] == ord("\n"), True)
    last = np.flatnonzero(ends_row)
    counts = np.diff(last, prepend=-1)
    # Empty lines are no rows.
    is_blank = (counts == 1) & (cells.starts == cells.ends)[last]
    wrong = np.flatnonzero((counts != size) & ~is_blank)
    first = last - counts + 1  # cell of each row
    if len(wrong):
        row = wrong[0]
        expected, actual = f"{size} numbers, as in the shape", f"{counts[row]}"
        raise FileFormatError(fspath(file), int(starts[first[row]]), "row", expected, actual)
    used = np.flatnonzero(~is_blank.repeat(counts))
    try:
        read = numbers(cells.of(used), float if dtype == "float32" else int)
    except NumberError as error:
        offset = int(starts[first[np.searchsorted(last, used[error.index])]])
        line = text[offset:].split(b"\n", 1)[0]
        kind = "numbers" if dtype == "float32" else "whole numbers"
        raise FileFormatError(
            fspath(file), offset, "row", f"{kind} and commas", repr(line[:60])
        ) from error
    return read.astype(dtype)
