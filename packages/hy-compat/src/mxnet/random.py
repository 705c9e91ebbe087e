"""Random numbers: ``mx.random.seed``, and the functions of ``mx.nd.random``."""

from typing import Any

from hy_ndarray import nd
from hy_ndarray.random import seed

__all__ = ["seed"]
__all__ += nd.random.__all__


def __getattr__(name: str) -> Any:
    return getattr(nd.random, name)


def __dir__() -> list[str]:
    return sorted(__all__)
