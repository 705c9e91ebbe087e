"""Text form of arrays, as MXNet prints them."""

from typing import Any


def show(array: Any) -> str:
    shape = "x".join(str(n) for n in array.shape)
    return f"\n{array.asnumpy()!s}\n<NDArray {shape} @{array.context}>"
