"""Dtypes of arrays and their representation in files; bool, bfloat16 and float8 as integers."""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_io._binary import BinaryReader
from hy_io._warning import warn

# Layouts of the OCP 8-bit formats (Micikevicius et al. 2022) and their "fnuz" variants (Noune et
# al. 2022), whose only NaN is the code of negative zero.
_FLOAT8 = {  # bits of the mantissa, bias of the exponent, lowest magnitude that is no finite number
    "float8_e4m3fn": (3, 7, 0x7F),
    "float8_e4m3fnuz": (3, 8, 0x80),
    "float8_e5m2": (2, 15, 0x7C),
    "float8_e5m2fnuz": (2, 16, 0x80),
}
_E8M0 = "float8_e8m0fnu"  # an exponent alone
# Codes are moved as integers: numpy has no such dtypes, and a copy must keep NaN payloads.
_INTEGERS = {"bool": "uint8", "bfloat16": "uint16", _E8M0: "uint8"} | dict.fromkeys(
    _FLOAT8, "uint8"
)


@lru_cache
def name_of(dtype: np.dtype[Any]) -> str:
    """Return the name of a dtype, cached, because numpy builds it anew on each access."""
    return dtype.name


@lru_cache
def native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in this machine's byte order."""
    return dtype.newbyteorder("=")


# Cached: `newbyteorder` creates a dtype at each call, and files have hundreds of arrays.
@lru_cache
def stored_dtype(name: str) -> np.dtype[Any]:
    """Return the little-endian dtype that represents a dtype in files."""
    return np.dtype(_INTEGERS.get(name, name)).newbyteorder("<")


def as_dtype(
    reader: BinaryReader, stored: npt.NDArray[Any], name: str, field: str, offset: int
) -> npt.NDArray[Any]:
    """Return values as stored in a file as an array of the named dtype, in native byte order.

    Without ``ml_dtypes``, numpy has neither bfloat16 nor float8: these values are converted to
    float32, exactly.

    Args:
        reader: Reader of the file, which raises the errors.
        stored: The values with the dtype that `stored_dtype` gives; not copied if in native byte
            order.
        name: Name of the dtype.
        field: Name of the values in messages.
        offset: Offset of the values in the file, for messages.

    Raises:
        FileFormatError: The dtype is bool and a value is neither 0 nor 1.
    """
    values = stored if stored.dtype.isnative else stored.astype(native(stored.dtype))
    if name == "bool":
        # numpy's `view` would let a byte of 2 through, which is then unequal to both True and
        # False.
        if values.size and (largest := values.max()) > 1:  # as bool neither True nor False
            raise reader.error(field, "0 and 1", f"{largest}", offset=offset)
        return values.view(np.bool_)
    if name not in _INTEGERS:
        return values
    extended = _extended(name)
    if extended is not None:
        return values.view(extended)
    warn(
        f'{name} is read as float32, without ml_dtypes; `pip install "hy-io[bfloat16]"` lets '
        "files be read in the dtypes that they have"
    )
    wide = _to_float32(values, name)
    wide.flags.writeable = stored.flags.writeable
    return wide


def _extended(name: str) -> np.dtype[Any] | None:
    """Return the dtype of ``ml_dtypes``; None if the package is missing or does not have it."""
    try:
        import ml_dtypes  # noqa: PLC0415  # only files with such dtypes need it
    except ImportError:
        return None
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else None


def _to_float32(values: npt.NDArray[Any], name: str) -> npt.NDArray[np.float32]:
    """Convert bit patterns of the dtype ``name``, bfloat16 or float8, to float32."""
    if name == "bfloat16":  # the upper half of a float32
        bits = values.astype(np.uint32)
        # Shifting into the upper half is exact: bfloat16 is a float32 without its lower 16 bits.
        bits <<= 16
        return bits.view(np.float32)
    # 256 entries, so a table is faster than decoding bit fields of each value.
    wide: npt.NDArray[np.float32] = _float8(name)[values.reshape(-1)]
    return wide.reshape(values.shape)


@lru_cache
def _float8(name: str) -> npt.NDArray[np.float32]:
    """Return the float32 values of the 256 codes of a float8 dtype, as a lookup table."""
    if name == _E8M0:
        # E8M0 stores 2**(code - 127); code 255 is NaN, and there is neither a sign nor a zero.
        return np.append(np.ldexp(np.float32(1), np.arange(-127, 128)), np.float32(np.nan))
    mantissa, bias, special = _FLOAT8[name]
    codes = np.arange(128)
    exponent, fraction = codes >> mantissa, codes & ((1 << mantissa) - 1)
    normal = np.where(exponent, fraction + (1 << mantissa), fraction)
    # Subnormal numbers (exponent 0) have the scale of exponent 1 and no implicit leading bit.
    positive = np.ldexp(normal.astype(np.float32), np.maximum(exponent, 1) - bias - mantissa)
    positive[special:] = np.nan
    if name == "float8_e5m2":  # the only one that has infinity
        positive[special] = np.inf
    both = np.append(positive, -positive)
    if special == 0x80:  # noqa: PLR2004  # no negative zero: its code is the one that is no number
        both[special] = np.nan
    return both
