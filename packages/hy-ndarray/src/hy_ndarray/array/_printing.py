"""Text form of arrays, as MXNet prints them: numpy's text, then type, shape and context."""

from hy_ndarray.core._array import Array

__all__ = ["show"]


def show(array: Array) -> str:
    """``repr(array)``; numpy's print options apply."""
    shape = "x".join(map(str, array.shape))
    return f"\n{array.asnumpy()!s}\n<{type(array).__name__} {shape} @{array.context}>"
