"""The table of converters: what writes each operator of the catalogue."""

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
    """Enter a function as what writes these operators."""

    def register(function: Converter) -> Converter:
        for name in names:
            assert name not in CONVERTERS, f"two converters for {name}"
            CONVERTERS[name] = function
        return function

    return register


def converter_of(op: Operator) -> Converter | None:
    """Return the converter of an operator, or of the operator whose synonym it is."""
    converter = CONVERTERS.get(op.name)
    return CONVERTERS.get(op.synonym_of) if converter is None and op.synonym_of else converter
