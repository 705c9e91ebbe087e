"""Dtypes of the standard: what they are, how they meet, how arrays have them."""

from typing import Any

import numpy as onp
import pytest

from hy_ndarray import ArgumentError, DTypeError, array_api as xp, nd, np

WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
ALL = ("bool", *WHOLE, *FLOATS, "complex64", "complex128")
MEETING = [
    *((a, b) for a in WHOLE for b in WHOLE if {a[0], b[0], "64"} != {"i", "u", a[-2:]}),
    *((a, b) for a in (*FLOATS, "complex64", "complex128") for b in FLOATS),
]


def made(values: Any, dtype: str) -> np.ndarray:
    return xp.asarray(values, dtype=getattr(xp, dtype))


@pytest.mark.parametrize("dtype", [*ALL, "float16", "bfloat16"])
def test_arrays_have_every_dtype(dtype: str) -> None:
    x = made([0, 1], dtype)
    assert (x.dtype.name, x.tolist()) == (dtype, [0, 1])
    assert xp.asarray(x.asnumpy()).dtype == x.dtype
    assert x[1:].dtype == xp.reshape(x, (2, 1)).dtype == x.copy().dtype == x.dtype


@pytest.mark.parametrize(("a", "b"), MEETING)
def test_dtypes_meet_where_numpys_do(a: str, b: str) -> None:
    expected = onp.promote_types(a, b)
    if expected.kind != "f" or a.startswith("float"):
        assert xp.result_type(getattr(xp, a), getattr(xp, b)) == expected
        assert (made([1], a) + made([1], b)).dtype == expected


def test_integers_and_floats_meet_in_the_floats() -> None:
    assert xp.result_type(xp.int64, xp.float32) == xp.float32
    assert xp.result_type(xp.float16, xp.bfloat16) == xp.float32


def test_numbers_do_not_widen_a_dtype_of_their_kind() -> None:
    assert xp.result_type(xp.int8, 1000) == xp.int8
    assert xp.result_type(xp.ones(2, dtype=xp.float32), 1.5) == xp.float32
    assert xp.result_type(xp.float64, 1j) == xp.complex128
    with pytest.raises(DTypeError, match="a float and an array of int8"):
        xp.result_type(xp.int8, 1.5)
    with pytest.raises(ArgumentError, match="at least one array or dtype"):
        xp.result_type(1)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("bool", ("bool",)),
        ("signed integer", WHOLE[:4]),
        ("unsigned integer", WHOLE[4:]),
        ("integral", WHOLE),
        ("real floating", FLOATS),
        ("complex floating", ("complex64", "complex128")),
        ("numeric", ALL[1:]),
        (xp.int8, ("int8",)),
        (("bool", xp.float32), ("bool", "float32")),
    ],
)
def test_kinds(kind: Any, expected: tuple[str, ...]) -> None:
    found = tuple(name for name in ALL if xp.isdtype(getattr(xp, name), kind))
    assert found == expected


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ArgumentError, match="unknown kind 'real'; known: bool, signed integer"):
        xp.isdtype(xp.int8, "real")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_limits_of_floats_are_numpys(dtype: str) -> None:
    found, expected = xp.finfo(getattr(xp, dtype)), onp.finfo(dtype)
    for name in ("bits", "eps", "max", "smallest_normal"):
        assert getattr(found, name) == getattr(expected, name)
    assert type(found.eps) is float
    assert found.dtype == expected.dtype


def test_limits_of_bfloat16_and_of_integers() -> None:
    assert xp.finfo(xp.bfloat16).eps == 2**-7
    assert (xp.iinfo(xp.uint64).max, xp.iinfo(made([1], "int16")).min) == (2**64 - 1, -(2**15))
    with pytest.raises(DTypeError, match="int8 is not a floating dtype"):
        xp.finfo(xp.int8)
    with pytest.raises(DTypeError, match="float32 is not an integer dtype"):
        xp.iinfo(xp.float32)


def test_casts() -> None:
    assert xp.can_cast(xp.int8, xp.int16)
    assert not xp.can_cast(xp.int16, xp.uint16)
    x = made([1.5, -2.5], "float32")
    assert xp.astype(x, xp.int16).tolist() == [1, -2]
    assert xp.astype(x, xp.complex64).tolist() == [1.5, -2.5]
    assert xp.astype(x, xp.float32, copy=False) is x
    with pytest.raises(DTypeError, match="complex64 to float32 would discard the imaginary part"):
        xp.astype(made([1j], "complex64"), xp.float32)


def test_python_s_numbers_have_default_dtypes() -> None:
    values: list[Any] = [True, 1, 1.5, 1j]
    assert [xp.asarray([x]).dtype.name for x in values] == [
        "bool",
        "int64",
        "float32",
        "complex64",
    ]
    assert xp.asarray(onp.array([1.5])).dtype == xp.float64
    with pytest.raises(OverflowError):
        xp.asarray(300, dtype=xp.uint8)


def test_classic_arrays_of_the_new_dtypes() -> None:
    x = nd.array([1, 70000], dtype="uint32")
    assert x.dtype is onp.uint32
    assert xp.asarray(x).dtype == xp.uint32
