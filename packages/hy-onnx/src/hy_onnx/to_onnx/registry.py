"""Registry of converters by catalogue operator."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hy_ndarray.ops import Operator
from hy_onnx.to_onnx.call import Call

__all__ = ["CONVERTERS", "Converter", "converter", "converter_of"]

Converter: TypeAlias = Callable[[Call], str | Sequence[str]]
"""Adds ONNX nodes for a call; gives the values of the node's visible outputs, in order."""

CONVERTERS: dict[str, Converter] = {}
"""By canonical name of the operator."""


def converter(*names: str) -> Callable[[Converter], Converter]:
    """Return a decorator that registers a function as the converter of operators."""

    def register(function: Converter) -> Converter:
        for name in names:
            assert name not in CONVERTERS, f"two converters for {name}"
            CONVERTERS[name] = function
        return function

    return register


def converter_of(op: Operator) -> Converter | None:
    """Return the converter of an operator or of its synonym."""
    converter = CONVERTERS.get(op.name)
    return CONVERTERS.get(op.synonym_of) if converter is None and op.synonym_of else converter
