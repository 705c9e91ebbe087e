"""Nested arguments and results: flattened to a list, and put together again."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from hy_gluon._errors import StructureError
from hy_ndarray import NDArray
from hy_symbol import Symbol

__all__ = ["Format", "flatten", "regroup"]

Format: TypeAlias = Any
"""0: one array; n: a symbol of n outputs; -1: None; a list: a sequence of formats."""


def flatten(args: Any, inout_str: str) -> tuple[list[Any], Format]:
    """All arrays or symbols in a nested structure, and the format to regroup them by.

    Args:
        args: An NDArray, a Symbol, None, or a nested list or tuple of them.
        inout_str: ``"input"`` or ``"output"``, for messages.

    Raises:
        StructureError: Something else is in it.
    """
    if isinstance(args, NDArray):
        return [args], 0
    if isinstance(args, Symbol):
        length = args.num_outputs
        return [args], length if length > 1 else 0
    if args is None:
        return [None], -1
    if not isinstance(args, list | tuple):
        raise StructureError(
            f"the {inout_str} of a hybridized block must be an NDArray or Symbol, None, or a "
            f"(nested) list of them, not a {type(args).__name__}: {args!r}"
        )
    flat: list[Any] = []
    formats: list[Format] = []
    for item in args:
        part, form = flatten(item, inout_str)
        flat.extend(part)
        formats.append(form)
    return flat, formats


def regroup(args: Sequence[Any], fmt: Format) -> Any:
    """The structure that :func:`flatten` took apart."""
    result, rest = _merged(list(args), fmt)
    assert not rest, f"{len(rest)} values too many for {fmt}"
    return result


def _merged(args: list[Any], fmt: Format) -> tuple[Any, list[Any]]:
    if isinstance(fmt, int):
        if fmt == -1:
            if args[0] is not None:
                raise StructureError(
                    "an argument that was None when the block was traced must stay None; "
                    f"got a {type(args[0]).__name__}"
                )
            return None, args[1:]
        return (args[0], args[1:]) if fmt == 0 else (args[:fmt], args[fmt:])
    results = []
    for part in fmt:
        result, args = _merged(args, part)
        results.append(result)
    return results, args
