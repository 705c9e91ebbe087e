"""Registry of readers, which import a node, by ONNX operator."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hy_onnx.from_onnx.call import Call, Operand
from hy_onnx.from_onnx.value import Tensor

__all__ = ["READERS", "Reader", "reader"]

Reader: TypeAlias = Callable[[Call], Tensor | Sequence[Operand]]
"""Function that adds catalogue nodes for an ONNX node and returns its outputs."""

READERS: dict[str, Reader] = {}
"""Readers by name of the ONNX operator; names in other domains begin with the domain."""


def reader(*names: str) -> Callable[[Reader], Reader]:
    """Decorator: register a function as the reader of these operators."""

    def register(function: Reader) -> Reader:
        for name in names:
            assert name not in READERS, f"two readers for {name}"
            READERS[name] = function
        return function

    return register
