"""LibSVMIter: batches of the rows of a text file that names the elements that are not zero."""

from dataclasses import dataclass
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np

from hy_io import FileFormatError, list_files, read_file
from hy_ndarray import ArgumentError, NDArray, ShapeError, nd
from mxnet.io.mx_data_iter import MXDataIter
from mxnet.io.stream import SampleStream, check_part
from mxnet.io.tables import SparseTable
from mxnet.io.values import read_parameters

__all__ = ["LibSVMIter"]


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
    r"""Batches of the rows of a text file: a label, then ``column:value`` for what is not zero.

    Args:
        kwargs: ``data_libsvm``, the file, several with ``;`` between them, or a folder;
            ``data_shape``, ``(columns,)``, which count from 0;
            ``batch_size``; ``label_libsvm``, files of the same form whose rows are the labels, and
            ``label_shape``, its columns; ``num_parts``, ``part_index``: which of several parts of
            as many bytes is read, with whole rows; ``data_name`` and ``label_name``. Samples of the
            next epoch fill the last batch up, which the next epoch then leaves out. Others that
            MXNet has are accepted and have no influence.

    Returns:
        Batches of csr arrays ``[batch_size, columns]`` with labels ``[batch_size]``, or csr ones
        out of ``label_libsvm``; all float32.

    Raises:
        ArgumentError: A parameter is missing, of another type, or asks for what there is not.
        FileFormatError: A row has something else than numbers, or a column that there is not.
        ShapeError: A shape has not one size, or there are not as many labels as rows.
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
    _check(wanted)
    data, label = _rows(wanted.data_libsvm, wanted, wanted.data_shape)
    if wanted.label_libsvm != "NULL":
        label, _ = _rows(wanted.label_libsvm, wanted, wanted.label_shape)
        if len(label) != len(data):
            raise ShapeError(
                f"LibSVMIter: {wanted.label_libsvm} has {len(label)} rows, but "
                f"{wanted.data_libsvm} has {len(data)}"
            )
    stream = SampleStream(len(data), wanted.batch_size)
    return MXDataIter(SparseTable(stream, data, label), wanted.data_name, wanted.label_name)


def _check(wanted: _Parameters) -> None:
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


def _rows(path: str, wanted: _Parameters, shape: tuple[int, ...]) -> tuple[NDArray, NDArray]:
    """The rows of a part of files, csr, and the labels before them."""
    contents = [(file, read_file(file)) for file in list_files(path)]
    step = -(-sum(len(content) for _, content in contents) // wanted.num_parts)
    first, last = step * wanted.part_index, step * (wanted.part_index + 1)
    labels: list[float] = []
    columns: list[int] = []
    values: list[float] = []
    starts, offset = [0], 0  # of the row, in all files together
    for file, content in contents:
        begin = offset
        for line in content.splitlines(keepends=True):
            # A row belongs to the part that its first byte is in, one on the border to that before.
            cells = line.split(b"#", 1)[0].split()
            if cells and (first < offset <= last or offset == first == 0):
                try:
                    labels.append(float(cells[0]))
                    for cell in cells[1:]:
                        column, _, value = cell.partition(b":")
                        columns.append(int(column))
                        values.append(float(value))
                except ValueError as error:
                    expected = "a number, then column:value"
                    raise _damage(file, offset - begin, expected, line) from error
                if any(not 0 <= n < shape[0] for n in columns[starts[-1] :]):
                    raise _damage(file, offset - begin, f"columns from 0 to {shape[0] - 1}", line)
                starts.append(len(columns))
            offset += len(line)
    parts = np.array(values, np.float32), np.array(columns, np.int64), np.array(starts, np.int64)
    rows = nd.sparse.csr_matrix(parts, (len(labels), shape[0]), dtype="float32")
    return rows, nd.array(labels, dtype="float32")


def _damage(path: Path, offset: int, expected: str, line: bytes) -> FileFormatError:
    return FileFormatError(fspath(path), offset, "row", expected, repr(line[:60]))
