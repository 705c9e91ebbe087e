"""Decimal numbers in text are what Python reads, to the last bit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.io.decimals import Cells, NumberError, numbers

EDGES = ["0", "-0", "+1", "1.", ".5", "-.25", "007", "999999999999999", "0.000000000000001"]
ONE_BY_ONE = ["1e3", "-2.5E-3", "nan", "inf", "1234567890123456789", "0.1234567890123456789", " 1 "]


def cells(words: list[str]) -> Cells:
    text = ",".join(words).encode()
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    return Cells(text, ends - [len(word) for word in words], ends)


def test_numbers_are_those_of_python() -> None:
    random = np.random.default_rng(0)
    values = random.standard_normal(20_000) * 10.0 ** random.integers(-6, 7, 20_000)
    words = [f"{x:.{n}f}" for x, n in zip(values, random.integers(0, 9, 20_000), strict=True)]
    words += EDGES + ONE_BY_ONE
    np.testing.assert_array_equal(numbers(cells(words)), [float(word) for word in words])


def test_integers_are_exact() -> None:
    words = ["0", "-7", "+12", "123456789012345", "9007199254740993", "-9223372036854775808"]
    found = numbers(cells(words), int)
    assert found.dtype == np.int64
    assert found.tolist() == [int(word) for word in words]


@pytest.mark.parametrize("word", ["", "-", ".", "1.2.3", "x", "1x", "--1", "1-", "1 2", "0x10"])
def test_what_is_no_number_is_found(word: str) -> None:
    with pytest.raises(NumberError) as caught:
        numbers(cells(["1", word, "2"]))
    assert caught.value.index == 1


def test_integers_may_have_a_point_but_no_fraction() -> None:
    assert numbers(cells(["1.0", "-2.", "1e2", "1234567890123456.0"]), int).tolist() == [
        1,
        -2,
        100,
        1234567890123456,
    ]
    for word in ("1.5", "1e-1", "nan", "inf", "1.00000000000000001x"):
        with pytest.raises(NumberError):
            numbers(cells(["1", word]), int)


@pytest.mark.parametrize(
    "row", ["1 0::1", "1 0:", "1 :2", "1 0:1 :", "1 0 :1", "0:1", "1 0:1:2", ":"]
)
def test_colons_stand_between_a_column_and_its_value(row: str, tmp_path: Path) -> None:
    file = tmp_path / "x.libsvm"
    file.write_text(f"1 0:1\n{row}\n", "utf-8")
    with pytest.raises(mx.MXNetError, match="byte 6: row: expected a number, then column:value"):
        mx.io.LibSVMIter(data_libsvm=str(file), data_shape=(3,), batch_size=1)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "\n", "\n \n"])
def test_lines_end_in_every_way(end: str, last: str, tmp_path: Path) -> None:
    table, rows = tmp_path / "x.csv", tmp_path / "x.libsvm"
    table.write_bytes((f"1, 2\n\n -3,\t4e0{last}").replace("\n", end).encode())
    rows.write_bytes((f"1 0:2 # one\n\n2 2:-3{last}").replace("\n", end).encode())
    batch: Any = next(mx.io.CSVIter(data_csv=str(table), data_shape=(2,), batch_size=2))
    assert batch.data[0].asnumpy().tolist() == [[1, 2], [-3, 4]]
    batch = next(mx.io.LibSVMIter(data_libsvm=str(rows), data_shape=(3,), batch_size=2))
    assert batch.data[0].asnumpy().tolist() == [[2, 0, 0], [0, 0, -3]]
    assert batch.label[0].asnumpy().tolist() == [1, 2]
