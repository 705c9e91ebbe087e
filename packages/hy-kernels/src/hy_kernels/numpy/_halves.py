"""Conversion between float16 and float32 by vectorized arithmetic, which NumPy's is not."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_kernels.numpy.costs import COSTS

Array: TypeAlias = npt.NDArray[Any]

_HALF, _SINGLE = np.dtype(np.float16), np.dtype(np.float32)


def _bits(value: int) -> Array:
    return np.array(value, np.uint32).view(np.int32)


# A float32 has a sign (bit 31), an exponent (23 to 30, of 2^-127 · 2^e) and a fraction, a float16
# has a sign (bit 15), an exponent (10 to 14, of 2^-15 · 2^e) and a fraction. Multiplied by 2^-112,
# a float32 has the exponent and fraction of the float16, 13 bits above these; results below 2^-126
# are subnormal, as the float16 is.
_SHIFT, _SIGN_SHIFT = _bits(13), _bits(16)
_EXPONENT = _bits(0x7F800000)
_WITHOUT_COPIES = _bits(0x8FFFFFFF)
_HALF_SIGN, _HALF_EXPONENT = _bits(0x8000), np.int16(0x7C00)
_LARGE = 0x47000000  # exponent of 2^15, the last of float16
_SMALLEST, _LARGEST = np.float32(2.0**-14), np.float32(2.0**15)
_ROUNDING = np.array(1.5 * 2.0**13, np.float32)
_DOWN, _UP = np.array(2.0**-112, np.float32), np.array(2.0**112, np.float32)


def is_vectorized(value: Array, dtype: np.dtype[Any]) -> bool:
    """Return whether :func:`convert` converts an array to ``dtype`` faster than NumPy."""
    dtypes = value.dtype, dtype
    is_between = dtypes in ((_HALF, _SINGLE), (_SINGLE, _HALF))
    return is_between and value.size >= COSTS.memory.halves and value.flags.c_contiguous


def convert(value: Array, target: Array) -> None:
    """Write a contiguous array of float16 or float32 to a contiguous one of the other, rounded.

    The result is NumPy's to the last bit. Blocks with infinity, nan or from 2^15 on are NumPy's.
    """
    kind = _to_half if target.dtype == _HALF else _to_single
    source, result = value.reshape(-1), target.reshape(-1)
    step = COSTS.blocks.halves
    scratch = np.empty((2, min(step, source.size)), np.int32)
    for start in range(0, source.size, step):
        part, own = source[start : start + step], result[start : start + step]
        if not kind(part, own, scratch[:, : part.size]):
            own[...] = part


def _to_half(x: Array, y: Array, scratch: Array) -> bool:
    """Round ``x`` to float16 in ``y``; False if an element is too large."""
    exponents, bits = scratch
    unit, rounded = scratch.view(np.float32)
    np.bitwise_and(x.view(np.int32), _EXPONENT, out=exponents)
    if exponents.max() >= _LARGE:
        return False
    # To add and to subtract 1.5 · 2^13 times the power of two below x rounds x to the 11 digits of
    # a float16, half to even; below 2^-14 to multiples of 2^-24.
    unit.clip(_SMALLEST, _LARGEST, unit)
    np.multiply(unit, _ROUNDING, out=unit)
    np.add(x, unit, out=rounded)
    np.subtract(rounded, unit, out=rounded)
    np.multiply(rounded, _DOWN, out=rounded)
    np.right_shift(bits, _SHIFT, out=bits)
    sign = exponents
    np.right_shift(x.view(np.int32), _SIGN_SHIFT, out=sign)
    np.bitwise_and(sign, _HALF_SIGN, out=sign)
    np.bitwise_or(bits, sign, out=bits)
    np.copyto(y.view(np.int16), bits, casting="unsafe")
    return True


def _to_single(x: Array, y: Array, scratch: Array) -> bool:
    """Convert ``x`` to float32 in ``y``; False if an element is not finite."""
    exponents = scratch.reshape(-1).view(np.int16)[: x.size]
    np.bitwise_and(x.view(np.int16), _HALF_EXPONENT, out=exponents)
    if exponents.max() == _HALF_EXPONENT:
        return False
    bits = y.view(np.int32)
    # Three copies of the sign are in front of the exponent, which are cleared.
    bits[...] = x.view(np.int16)
    np.left_shift(bits, _SHIFT, out=bits)
    np.bitwise_and(bits, _WITHOUT_COPIES, out=bits)
    np.multiply(y, _UP, out=y)
    return True
