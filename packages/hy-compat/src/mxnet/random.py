"""Random numbers: ``mx.random.seed``, and the functions of ``mx.nd.random``."""

from typing import Any

from hy_ndarray import nd
from hy_ndarray.random import seed
from hy_ndarray.suggestion import unknown_attribute

__all__ = ["seed"]
__all__ += nd.random.__all__


def __getattr__(name: str) -> Any:
    try:
        return getattr(nd.random, name)
    except AttributeError:
        raise unknown_attribute("module 'mxnet.random'", name, __dir__) from None


def __dir__() -> list[str]:
    return sorted(__all__)
