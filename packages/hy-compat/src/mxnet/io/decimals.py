"""Parsing of decimal numbers in text, vectorized."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["BLANK", "Cells", "NumberError", "numbers", "unix_lines"]

Array: TypeAlias = npt.NDArray[Any]

BLANK = 32
"""Bytes up to this one, a space, are blanks between cells."""
_DIGITS = 15
"""Of a number whose digits and whose power of ten are exact in float64: so its value is rounded
once, as it is where digits are read one by one."""
_LONGEST = _DIGITS + 1  # with a point
# 10 ** 15 and smaller powers are exact in float64.
_POWERS = 10.0 ** np.arange(_DIGITS + 1)
_BLOCK = 1 << 14  # cells at a time: their digits stay in the cache


class NumberError(ValueError):
    """A cell of a text is not a number.

    Args:
        index: Index of the cell.
    """

    def __init__(self, index: int) -> None:
        super().__init__(f"cell {index} is no number")
        self.index = index


class Cells(NamedTuple):
    """Cells of a text: byte ranges from ``starts`` to ``ends`` (exclusive)."""

    text: bytes
    starts: Array
    ends: Array

    def of(self, selected: Any) -> "Cells":
        """Return the cells selected by an index array."""
        return Cells(self.text, self.starts[selected], self.ends[selected])

    def stripped(self) -> "Cells":
        """Return the cells without leading and trailing blanks."""
        seen = np.frombuffer(self.text, np.uint8)
        starts, ends = self.starts.copy(), self.ends.copy()
        # Blanks are taken off a byte at a time from all cells that have one.
        while (blank := (starts < ends) & (seen.take(starts, mode="clip") <= BLANK)).any():
            starts += blank
        while (blank := (starts < ends) & (seen.take(ends - 1, mode="clip") <= BLANK)).any():
            ends -= blank
        return Cells(self.text, starts, ends)


def unix_lines(text: bytes) -> bytes:
    r"""Return a text of the same length, with line ends replaced by ``\n``."""
    return text.replace(b"\r\n", b" \n").replace(b"\r", b"\n") if b"\r" in text else text


def numbers(cells: Cells, kind: type[float] | type[int] = float) -> Array:
    """Return the numbers in cells, as float64 or int64.

    Numbers of up to 15 digits without an exponent are parsed together, digit by digit; others one
    by one, which takes ten times as long per number.

    Raises:
        NumberError: A cell is not a number of that kind.
    """
    result = np.empty(len(cells.starts), np.float64 if kind is float else np.int64)
    for begin in range(0, len(result), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        values, is_read = _parse_simple(cells.of(block), kind)
        result[block] = values
        # Rare forms, such as exponents and nan, are left to Python's parser.
        for index in (np.flatnonzero(~is_read) + begin).tolist():
            cell = cells.text[cells.starts[index] : cells.ends[index]]
            try:
                result[index] = float(cell) if kind is float else _whole(cell)
            except (ValueError, OverflowError):
                raise NumberError(index) from None
    return result


def _whole(cell: bytes) -> int:
    """Return the whole number in a cell; a ValueError is raised for a fraction."""
    try:
        return int(cell)
    except ValueError:
        value = float(cell)
        if not value.is_integer():
            raise
        return int(value)


def _parse_simple(cells: Cells, kind: type[float] | type[int]) -> tuple[Array, Array]:
    """Return the values of cells of sign, digits and point, and a mask of these cells."""
    seen = np.frombuffer(cells.text, np.uint8)
    # mode="clip": cells at the end of the text are empty, and have no byte.
    head = seen.take(cells.starts, mode="clip")
    is_negative = head == ord("-")
    starts = cells.starts + (is_negative | (head == ord("+")))
    lengths = cells.ends - starts
    is_read = (lengths > 0) & (lengths <= _LONGEST)
    values, digits = np.zeros(len(starts)), np.zeros(len(starts), np.int8)
    decimals, has_point = np.zeros(len(starts), np.int8), np.zeros(len(starts), bool)
    for k in range(min(int(lengths.max(initial=0)), _LONGEST)):
        byte = seen.take(starts + k, mode="clip")
        inside = lengths > k
        # uint8 wraps, so bytes below "0" are above 9.
        digit = byte - np.uint8(ord("0"))
        is_digit = (digit <= 9) & inside  # noqa: PLR2004  # the last one
        is_point = (byte == ord(".")) & inside
        is_read &= is_digit | ~inside | (is_point & ~has_point)
        has_point |= is_point
        decimals += is_digit & has_point
        digits += is_digit
        # Times 10 plus the digit, or times 1 plus 0: bytes multiplied, where a choice of floats
        # takes three times as long.
        as_byte = is_digit.view(np.uint8)
        values *= as_byte * np.uint8(9) + np.uint8(1)
        values += digit * as_byte
    is_read &= (digits > 0) & (digits <= _DIGITS)
    # One division of exact numbers: the result is rounded once, like float().
    values /= _POWERS[np.minimum(decimals, _DIGITS)]
    if kind is int:
        is_read &= values == np.floor(values)  # 1.0 is whole, too
    np.negative(values, out=values, where=is_negative)
    return np.where(is_read, values, 0), is_read
