"""Module ``mxnet.io.io``, MXNet's path of the iterators."""

from typing import Any

from mxnet import io as _io

__all__ = [name for name in dir(_io) if not name.startswith("_") and name not in ("io", "utils")]


def __getattr__(name: str) -> Any:
    return getattr(_io, name)


def __dir__() -> list[str]:
    return [*__all__]
