"""Reading and writing parts of an array, as MXNet does."""

from typing import Any


def get(array: Any, key: Any) -> Any:
    return type(array).from_buffer(array._data[key], array._device)


def put(array: Any, key: Any, value: Any) -> None:
    array._data[key] = value
