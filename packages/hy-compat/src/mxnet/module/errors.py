"""Errors of modules, and checks of names."""

from collections.abc import Sequence
from typing import Any

from hy_gluon.batches import DataDesc
from hy_ndarray import HyError
from hy_ndarray.warning import warn
from hy_symbol import Symbol

__all__ = [
    "ModuleError",
    "NamesError",
    "NoBatchError",
    "check_input_names",
    "check_module",
    "descriptions",
    "parse_data_desc",
]

# Arguments with these ends are parameters, and are not proposed as inputs.
_PARAMETER_ENDS = ("_weight", "_bias", "_gamma", "_beta")


class ModuleError(HyError, AssertionError):
    """Methods of a module are called in the wrong order, or it was bound with other options."""


class NoBatchError(HyError, StopIteration):
    """Data to train on have no batch left; MXNet's ``fit`` raises StopIteration."""


class NamesError(HyError, ValueError):
    """Names of inputs or parameters do not match the symbol."""


def check_module(holds: bool, message: str) -> None:
    """Raise :class:`ModuleError` unless a condition holds."""
    if not holds:
        raise ModuleError(message)


def check_input_names(symbol: Symbol, names: Sequence[str], typename: str, throw: bool) -> None:
    """Raise an error, or warn, if a name is not an argument of the symbol.

    Args:
        symbol: The graph.
        names: Names that should be arguments of the graph.
        typename: Kind of the names, for messages.
        throw: Whether to raise an error instead of a warning.

    Raises:
        NamesError: A name is not an argument, and ``throw`` is True.
    """
    arguments = symbol.list_arguments()
    for name in names:
        if name in arguments:
            continue
        # Data and labels are meant, so no parameters are suggested.
        inputs = [a for a in arguments if not a.endswith(_PARAMETER_ENDS)]
        message = (
            f"You created Module with Module(..., {typename}={list(names)}) but input with name "
            f"'{name}' is not found in symbol.list_arguments(). Did you mean one of:\n\t"
            + "\n\t".join(inputs)
        )
        if throw:
            raise NamesError(message)
        warn(message)


def parse_data_desc(
    data_names: Sequence[str], label_names: Sequence[str], data_shapes: Any, label_shapes: Any
) -> tuple[list[DataDesc], list[DataDesc] | None]:
    """Return descriptions of data and labels whose names match, else raise an error or warn.

    Raises:
        NamesError: Names of the data differ; for labels, this is a warning.
    """
    data = descriptions(data_shapes)
    labels = descriptions(label_shapes) if label_shapes is not None else None
    _check_match(data_names, data, "data", True)
    _check_match(label_names, labels or [], "label", False)
    return data, labels


def descriptions(shapes: Any) -> list[DataDesc]:
    """Return descriptions from pairs of name and shape; descriptions are returned unchanged."""
    return [x if isinstance(x, DataDesc) else DataDesc(*x) for x in shapes]


def _check_match(
    names: Sequence[str], descriptions: Sequence[DataDesc], kind: str, throw: bool
) -> None:
    if sorted(names) == sorted(desc.name for desc in descriptions):
        return
    message = (
        f"Data provided by {kind}_shapes don't match names specified by {kind}_names "
        f"({list(descriptions)} vs. {list(names)})"
    )
    if throw:
        raise NamesError(message)
    warn(message)
