"""Dtype promotion of arrays and Python numbers."""

from typing import Any

import numpy as onp

from hy_ndarray._dtypes import dtype_name, numpy_type, promoted_name
from hy_ndarray._errors import ArgumentError, DTypeError, OperandError
from hy_ndarray.array.ndarray import array_from
from hy_ndarray.foreign import kind_of
from hy_ndarray.np import ndarray

DType = onp.dtype[Any]
"""Type of an array's dtype, which is numpy's."""

DEFAULTS: dict[type[Any], str] = {
    bool: "bool",
    int: "int64",
    float: "float32",
    complex: "complex64",
}
"""Default dtype by Python type of number."""


_BOOL: tuple[str, ...] = ("bool",)
_SIGNED = ("int8", "int16", "int32", "int64")
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_REAL = ("float16", "bfloat16", "float32", "float64")
_COMPLEX = ("complex64", "complex128")

KINDS: dict[str, tuple[str, ...]] = {
    "bool": _BOOL,
    "signed integer": _SIGNED,
    "unsigned integer": _UNSIGNED,
    "integral": _SIGNED + _UNSIGNED,
    "real floating": _REAL,
    "complex floating": _COMPLEX,
    "numeric": _SIGNED + _UNSIGNED + _REAL + _COMPLEX,
}
"""Names of dtypes by the standard's kinds."""


def as_dtype(name: str) -> DType:
    """Return the dtype object of a name."""
    return onp.dtype(numpy_type(name))


def name_of(x: ndarray) -> str:
    """Return the name of an array's dtype."""
    return x.device.memory.dtype(x.buffer)


def result_type(*arrays_and_dtypes: ndarray | complex | DType) -> DType:
    """Return the promoted dtype of arrays, dtypes and Python numbers.

    An integer and a floating dtype, a combination that the standard leaves undefined, are promoted
    to the floating one. A number does not widen a dtype of its own kind.

    Args:
        arrays_and_dtypes: At least one array or dtype.

    Raises:
        ArgumentError: There is no array and no dtype.
        DTypeError: A number is of a wider kind than the dtype, such as 1.5 with integers.

    Example:
        >>> from hy_ndarray import array_api as xp
        >>> xp.result_type(xp.int8, xp.uint8), xp.result_type(xp.float64, 1)
        (dtype('int16'), dtype('float64'))
    """
    names: list[str] = []
    numbers: list[complex] = []
    for one in arrays_and_dtypes:
        if isinstance(one, ndarray):
            names.append(name_of(one))
        elif isinstance(one, bool | int | float | complex):
            numbers.append(one)
        else:
            names.append(dtype_name(one))
    if not names:
        raise ArgumentError("result_type: needs at least one array or dtype, got only numbers")
    promoted = names[0]
    for name in names[1:]:
        promoted = promoted_name(promoted, name)
    for number in numbers:
        promoted = _with_number(promoted, number)
    return as_dtype(promoted)


def _with_number(name: str, number: complex) -> str:
    """Return the dtype that an array of dtype ``name`` and a Python number are promoted to."""
    kind = as_dtype(name).kind
    rank = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2, "c": 3}[kind]
    own = [bool, int, float, complex].index(type(number)) if type(number) in DEFAULTS else 2
    if own == 3 and rank == 2:  # noqa: PLR2004  # ranks of complex and of floating
        return promoted_name(name, "complex64")
    if own > rank or (own == 0 and rank > 0):
        raise DTypeError(
            f"cannot promote {kind_of(number)} and an array of {name} to a common dtype; convert "
            "the array with astype"
        )
    return name


def same_dtype(name: str, *operands: Any) -> list[ndarray]:
    """Return all operands as arrays of their promoted dtype.

    Args:
        name: Name of the function, for messages.
        operands: Arrays and numbers, at least one array.

    Raises:
        OperandError: An operand is neither array nor number, or there is no array.
        DTypeError: The operands have no common dtype.
    """
    like = next((x for x in operands if isinstance(x, ndarray)), None)
    for x in operands:
        if like is None or not isinstance(x, ndarray | bool | int | float | complex):
            raise OperandError(f"{name}: operands must be arrays or numbers, got {kind_of(x)}")
    assert like is not None
    dtype = result_type(*operands)
    return [
        x.astype(dtype, copy=False)
        if isinstance(x, ndarray)
        else array_from(onp.asarray(x, dtype), like.context, ndarray)
        for x in operands
    ]
