"""Registry of converters, which export a node, by catalogue operator."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hy_ndarray.ops import Operator
from hy_onnx.to_onnx.call import Call

__all__ = ["CONVERTERS", "Converter", "converter", "converter_of"]

Converter: TypeAlias = Callable[[Call], str | Sequence[str]]
"""Function that adds ONNX nodes for a call; returns the names of the visible outputs."""

CONVERTERS: dict[str, Converter] = {}
"""Converters by canonical name of the operator."""


def converter(*names: str) -> Callable[[Converter], Converter]:
    """Decorator: register a function as the converter of these operators."""

    def register(function: Converter) -> Converter:
        for name in names:
            assert name not in CONVERTERS, f"two converters for {name}"
            CONVERTERS[name] = function
        return function

    return register


def converter_of(op: Operator) -> Converter | None:
    """Return the converter of an operator, or of the operator it is a synonym of; else None."""
    converter = CONVERTERS.get(op.name)
    return CONVERTERS.get(op.synonym_of) if converter is None and op.synonym_of else converter
