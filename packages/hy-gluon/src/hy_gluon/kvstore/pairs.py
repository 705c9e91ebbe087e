"""Conversion of keys and values, single or in lists, to pairs."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from hy_gluon.kvstore.interface import Values, listed
from hy_ndarray import ArgumentError, NDArray
from hy_ndarray.foreign import conversion, kind_of

__all__ = ["Key", "flat", "only", "paired"]

Key: TypeAlias = int | str


def paired(key: Any, value: Values) -> list[tuple[Key, list[NDArray]]]:
    """Return one pair of key and list of arrays for each key.

    Raises:
        ArgumentError: A key is neither an integer nor a string, a value is not an array, or the
            numbers of keys and values differ.
    """
    if not isinstance(key, list | tuple):
        return [(_key(key), [_array(key, x) for x in listed(value)])]
    if not isinstance(value, list | tuple):
        raise ArgumentError(f"{len(key)} keys need a list of values, not a {type(value).__name__}")
    if len(key) != len(value):
        raise ArgumentError(f"{len(key)} keys need as many values, not {len(value)}")
    return [(_key(k), [_array(k, x) for x in listed(v)]) for k, v in zip(key, value, strict=True)]


def _key(key: Any) -> Key:
    if isinstance(key, int | str) and not isinstance(key, bool):
        return key
    raise ArgumentError(f"a key is a number or a text, not {key!r}")


def _array(key: Any, value: Any) -> NDArray:
    # Classic arrays: a store's sums and copies are the same for both interfaces.
    if isinstance(value, NDArray):
        return value.as_nd_ndarray()
    raise ArgumentError(
        f"key {key!r}: a value is an NDArray, not {kind_of(value)}{conversion(value)}"
    )


def only(key: Key, values: Sequence[NDArray]) -> NDArray:
    """Return the single value of a key; raise an error if there are several."""
    if len(values) != 1:
        raise ArgumentError(f"init: key {key!r} has {len(values)} values; it takes one")
    return values[0]


def flat(values: Any) -> Iterator[NDArray]:
    """Yield all arrays in nested lists."""
    for value in listed(values):
        if isinstance(value, NDArray):
            yield value
        elif isinstance(value, list | tuple):
            yield from flat(value)
        else:
            raise ArgumentError(f"row_ids holds arrays, not a {type(value).__name__}")
