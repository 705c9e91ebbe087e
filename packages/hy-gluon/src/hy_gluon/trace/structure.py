"""Nested arguments and results: flattened to a list, and regrouped."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

from hy_gluon._errors import StructureError
from hy_ndarray import NDArray
from hy_ndarray.foreign import conversion, kind_of
from hy_symbol import Symbol

__all__ = [
    "Format",
    "count",
    "first_operand",
    "flatten",
    "is_flat",
    "regroup",
    "structure_of",
    "structured",
    "swaps_none",
    "without_last_none",
]

_ATTRIBUTE = "hy_structure"
Format: TypeAlias = Any
"""0: one array; n: a symbol of n outputs; -1: None; a list: a sequence of formats."""


def flatten(args: Any, inout_str: str) -> tuple[list[Any], Format]:
    """Return the arrays or symbols in a nested structure as a list, and its format.

    Args:
        args: An NDArray, a Symbol, None, or a nested list or tuple of them.
        inout_str: ``"input"`` or ``"output"``, for messages.

    Raises:
        StructureError: ``args`` contains another object.
    """
    if isinstance(args, NDArray):
        return [args], 0
    if isinstance(args, Symbol):
        # Of a symbol with several outputs the count is the format; regroup makes a list of them.
        length = args.num_outputs
        return [args], length if length > 1 else 0
    if args is None:
        return [None], -1
    if not isinstance(args, list | tuple):
        raise StructureError(
            f"the {inout_str} of a hybridized block must be an NDArray or Symbol, None, or a "
            f"(nested) list of them, not {kind_of(args)}{conversion(args)}: {args!r}"
        )
    flat: list[Any] = []
    formats: list[Format] = []
    for item in args:
        part, form = flatten(item, inout_str)
        flat.extend(part)
        formats.append(form)
    return flat, formats


def regroup(args: Sequence[Any], fmt: Format) -> Any:
    """Return a flat list nested as ``fmt`` says; the inverse of :func:`flatten`."""
    rest = iter(args)
    result = _merged(rest, fmt)
    more = [*rest]
    assert not more, f"{len(more)} values too many for {fmt}"
    return result


def is_flat(fmt: Format) -> bool:
    """Return whether a format describes one array or a plain list of arrays."""
    return fmt == 0 or (isinstance(fmt, list) and all(part == 0 for part in fmt))


def without_last_none(form: Format) -> Format:
    """Return the format without trailing entries of None, as if arguments were omitted."""
    if not isinstance(form, list):
        return form
    count = len(form)
    while count and form[count - 1] == -1:
        count -= 1
    return form[:count]


def swaps_none(form: Format, other: Format) -> bool:
    """Return whether, at some position, exactly one of two formats has None.

    Example:
        >>> swaps_none([0, [0, -1]], [0, [0, 0]]), swaps_none([0, 0], [0, [0]])
        (True, False)
    """
    if isinstance(form, list) and isinstance(other, list):
        return any(map(swaps_none, form, other))
    return (form == -1) is not (other == -1)


def first_operand(args: Sequence[Any]) -> Any:
    """Return the first array or symbol in nested arguments, or None."""
    for arg in args:
        operand = first_operand(arg) if isinstance(arg, list | tuple) else arg
        if isinstance(operand, NDArray | Symbol):
            return operand
    return None


def count(fmt: Format) -> int:
    """Return the number of arrays that a format describes.

    Raises:
        StructureError: ``fmt`` is not a valid format.
    """
    if isinstance(fmt, list):
        return sum(count(part) for part in fmt)
    if not isinstance(fmt, int) or isinstance(fmt, bool) or fmt < -1:
        raise StructureError(f"{fmt!r} is not a format of nested arrays")
    return {0: 1, -1: 0}.get(fmt, fmt)


def structured(text: str, inputs: Format, outputs: Format) -> str:
    """Return a graph's JSON with the formats of its inputs and outputs as an attribute.

    Unchanged if both are flat.
    """
    # Flat graphs stay byte for byte what MXNet would write.
    if is_flat(inputs) and (is_flat(outputs) or isinstance(outputs, int)):
        return text
    document = json.loads(text)
    # A list of type and value is the form of MXNet's graph attributes, whose reader ignores unknown
    # ones.
    document["attrs"][_ATTRIBUTE] = ["str", json.dumps([inputs, outputs])]
    return json.dumps(document, indent=2)


def structure_of(text: bytes, inputs: int, outputs: int) -> tuple[Format, Format] | None:
    """Return the input and output formats that :func:`structured` added to JSON, or None.

    Args:
        text: JSON of the graph, which has already been parsed as a graph.
        inputs: Requested number of inputs; None is returned if the formats have another number.
        outputs: Number of outputs of the graph.

    Raises:
        StructureError: The attribute is damaged.
    """
    # A search in the text spares parsing JSON of megabytes a second time.
    if _ATTRIBUTE.encode() not in text:
        return None
    try:
        _, formats = json.loads(text)["attrs"][_ATTRIBUTE]
        arguments, results = json.loads(formats)
    except (KeyError, TypeError, ValueError) as error:
        raise StructureError(f"the structure of inputs and outputs is damaged: {error}") from error
    if count(results) != outputs:
        raise StructureError(
            f"the graph has {outputs} outputs, which cannot be regrouped as {results}"
        )
    return (arguments, results) if count(arguments) == inputs else None


def _merged(args: Iterator[Any], fmt: Format) -> Any:
    if not isinstance(fmt, int):
        return [next(args) if part == 0 else _merged(args, part) for part in fmt]
    if fmt != -1:
        return next(args) if fmt == 0 else [*islice(args, fmt)]
    value = next(args)
    if value is not None:
        raise StructureError(
            "an argument that was None when the block was traced must stay None; "
            f"got a {type(value).__name__}"
        )
    return None
