"""LibSVMIter: batches of sparse rows from text files."""

import re
from dataclasses import dataclass
from os import fspath
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_io import FileFormatError, list_files, read_file
from hy_ndarray import ArgumentError, NDArray, ShapeError, nd
from mxnet.io.decimals import BLANK, Cells, NumberError, numbers, unix_lines
from mxnet.io.mx_data_iter import MXDataIter
from mxnet.io.stream import SampleStream, check_part
from mxnet.io.tables import SparseTable
from mxnet.io.values import read_parameters

__all__ = ["LibSVMIter"]

Array: TypeAlias = npt.NDArray[Any]

_COLON = ord(":")
_COMMENT = re.compile(rb"#[^\n]*")


@dataclass(frozen=True, slots=True)
class _Parameters:
    data_libsvm: str
    data_shape: tuple[int, ...]
    batch_size: int
    label_libsvm: str = "NULL"
    label_shape: tuple[int, ...] = (1,)
    num_parts: int = 1
    part_index: int = 0
    round_batch: bool = True
    prefetch_buffer: int = 4
    ctx: str = "cpu"
    dtype: str | None = None
    data_name: str = "data"
    label_name: str = "softmax_label"


def LibSVMIter(**kwargs: Any) -> MXDataIter:  # noqa: N802  # MXNet's name
    r"""Return an iterator over text files with a label and ``column:value`` pairs per line.

    Args:
        kwargs: ``data_libsvm``: a file, several files separated by ``;``, or a folder;
            ``data_shape``: ``(columns,)``, where columns count from 0; ``batch_size``;
            ``label_libsvm``: files of the same format whose rows are the labels; ``label_shape``:
            their ``(columns,)``; ``num_parts`` and ``part_index``: number and index of the part to
            read, where parts have equal numbers of bytes, rounded to rows; ``data_name``;
            ``label_name``. The last batch is filled with samples that the next epoch then skips.
            Other parameters of MXNet have no effect.

    Returns:
        Batches of csr arrays ``[batch_size, columns]`` with labels ``[batch_size]``, or csr labels
        from ``label_libsvm``; all float32.

    Raises:
        ArgumentError: A parameter is missing, of another type, or out of range.
        FileFormatError: A row has a cell that is no number, or a column out of range.
        ShapeError: A shape is not 1-D, or the numbers of labels and rows differ.
        OSError: A file cannot be read.

    Example:
        >>> import mxnet as mx
        >>> from pathlib import Path
        >>> _ = Path("rows.libsvm").write_text("1 0:0.5 2:2\n0 1:3\n", encoding="utf-8")
        >>> rows = mx.io.LibSVMIter(data_libsvm="rows.libsvm", data_shape=(3,), batch_size=2)
        >>> batch = next(rows)
        >>> batch.data[0].stype, batch.data[0].asnumpy().tolist(), batch.label[0].asnumpy()
        ('csr', [[0.5, 0.0, 2.0], [0.0, 3.0, 0.0]], array([1., 0.], dtype=float32))
    """
    wanted = read_parameters(_Parameters, "LibSVMIter", kwargs)
    _check_parameters(wanted)
    data, label = _read_part(wanted.data_libsvm, wanted, wanted.data_shape)
    if wanted.label_libsvm != "NULL":
        label, _ = _read_part(wanted.label_libsvm, wanted, wanted.label_shape)
        if len(label) != len(data):
            raise ShapeError(
                f"LibSVMIter: {wanted.label_libsvm} has {len(label)} rows, but "
                f"{wanted.data_libsvm} has {len(data)}"
            )
    stream = SampleStream(len(data), wanted.batch_size)
    return MXDataIter(SparseTable(stream, data, label), wanted.data_name, wanted.label_name)


def _check_parameters(wanted: _Parameters) -> None:
    check_part(wanted.num_parts, wanted.part_index)
    for name, shape in (("data_shape", wanted.data_shape), ("label_shape", wanted.label_shape)):
        if len(shape) != 1 or shape[0] < 1:
            raise ShapeError(f"LibSVMIter: dimension of {name} is expected to be 1, got {shape}")
    if wanted.label_libsvm == "NULL" and wanted.label_shape != (1,):
        raise ShapeError(
            f"LibSVMIter: label_shape is expected to be (1,) when label_libsvm is NULL, not "
            f"{wanted.label_shape}"
        )
    if not wanted.round_batch:
        raise ArgumentError("LibSVMIter: round_batch=False is not supported, as in MXNet")
    if wanted.dtype not in (None, "float32"):
        raise ArgumentError(f"LibSVMIter: dtype must be float32, not {wanted.dtype!r}")


def _read_part(path: str, wanted: _Parameters, shape: tuple[int, ...]) -> tuple[NDArray, NDArray]:
    """Return the csr rows of one part of files, and their labels."""
    # The part is by bytes over all files together, as dmlc's InputSplit divides them.
    contents = [(file, read_file(file)) for file in list_files(path)]
    step = -(-sum(len(content) for _, content in contents) // wanted.num_parts)
    first, last = step * wanted.part_index, step * (wanted.part_index + 1)
    parts, begin = [], 0  # of the file, in all files together
    for file, content in contents:
        parts.append(_rows_of_file(file, content, shape[0], (first - begin, last - begin)))
        begin += len(content)
    labels, columns, values, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
    starts = np.append(0, np.cumsum(counts))
    stored = values.astype(np.float32), columns, starts
    rows = nd.sparse.csr_matrix(stored, (len(labels), shape[0]), dtype="float32")
    return rows, nd.array(labels, dtype="float32")


class _Lines:
    """Lines of a file that contain the rows of one part.

    A row belongs to the part with its first byte; a row that begins at a border, to the part
    before.
    """

    def __init__(self, file: Path, content: bytes, part: tuple[int, int]) -> None:
        self._file, self._content = file, content
        # Comments become blanks of the same length, so offsets in messages stay true.
        text = _COMMENT.sub(lambda match: b" " * len(match[0]), unix_lines(content)) or b"\n"
        # numpy's view of the bytes: cells of millions of numbers are found without a loop in
        # Python.
        self._bytes = np.frombuffer(text, np.uint8)
        self._starts = np.append(0, np.flatnonzero(self._bytes == ord("\n")) + 1)
        first, last = part
        starts = self._starts
        self._selected = (starts <= last) & ((starts > first) | ((starts == 0) & (first == 0)))
        is_cell = (self._bytes > BLANK) & (self._bytes != _COLON)
        edges = np.flatnonzero(np.diff(is_cell, prepend=False, append=False))
        self.cells, self.line = self._in_selected(edges[::2], Cells(text, edges[::2], edges[1::2]))

    def _in_selected(self, offsets: Array, cells: Cells) -> tuple[Cells, Array]:
        line = self.lines_of(offsets)
        if self._selected.all():
            return cells, line
        selected = self._selected[line]
        return cells.of(selected), line[selected]

    def lines_of(self, offsets: Array) -> Array:
        """Return the line number of each byte offset, given in increasing order."""
        # The lines are looked for among the bytes, of which there are many more.
        first = np.searchsorted(offsets, self._starts)
        return np.repeat(np.arange(len(first)), np.diff(first, append=len(offsets)))

    def kinds(self) -> tuple[Array, Array]:
        """Return masks of the cells that are labels, and of those that are values.

        Raises:
            FileFormatError: A line is not a label followed by ``column:value`` pairs.
        """
        starts, ends = self.cells.starts, self.cells.ends
        is_label = np.diff(self.line, prepend=-1) != 0
        # `column:value` are two cells with one byte between them.
        follows_directly = (
            np.append(False, (ends[:-1] + 1 == starts[1:])) if len(starts) else is_label
        )
        is_value = (
            follows_directly & (self._bytes.take(starts - 1, mode="clip") == _COLON) & ~is_label
        )
        is_column = np.append(is_value[1:], False) if len(starts) else is_label
        colons = self.lines_of(np.flatnonzero(self._bytes == _COLON))
        count = len(self._starts)
        # Each colon must join two numbers, so their counts by line agree.
        wrong = np.bincount(colons, minlength=count) != np.bincount(
            self.line[is_value], minlength=count
        )
        single = is_label.astype(np.int8) + is_value + is_column != 1
        wrong[self.line[single]] = True
        wrong &= self._selected
        if wrong.any():
            raise self.damage(int(np.flatnonzero(wrong)[0]), "a number, then column:value")
        return is_label, is_value

    def damage(self, line: int, expected: str) -> FileFormatError:
        """Return an error with the file and the number of a line."""
        offset = int(self._starts[line])
        row = self._content[offset:].splitlines(keepends=True)[0]
        return FileFormatError(fspath(self._file), offset, "row", expected, repr(row[:60]))

    def numbers(self, selected: Array, kind: type[float] | type[int] = float) -> Array:
        """Return the numbers in the selected cells."""
        try:
            return numbers(self.cells.of(selected), kind)
        except NumberError as error:
            line = int(self.line[selected][error.index])
            raise self.damage(line, "a number, then column:value") from error


def _rows_of_file(
    file: Path, content: bytes, size: int, part: tuple[int, int]
) -> tuple[Array, Array, Array, Array]:
    """Return labels, columns, values and number of values per row, of the rows in a file."""
    lines = _Lines(file, content, part)
    is_label, is_value = lines.kinds()
    is_column = ~is_label & ~is_value
    columns = lines.numbers(is_column, int)
    outside = np.flatnonzero((columns < 0) | (columns >= size))
    if len(outside):
        line = int(lines.line[is_column][outside[0]])
        raise lines.damage(line, f"columns from 0 to {size - 1}")
    # After its label a row has pairs of column and value.
    counts = np.diff(np.append(np.flatnonzero(is_label), len(is_label))) // 2
    return lines.numbers(is_label), columns, lines.numbers(is_value), counts
