"""Errors of modules, and checks of names."""

from collections.abc import Sequence
from typing import Any

from hy_gluon.batches import DataDesc
from hy_ndarray import HyError
from hy_ndarray.warning import warn
from hy_symbol import Symbol

__all__ = [
    "LabelsError",
    "ModuleError",
    "NamesError",
    "NoBatchError",
    "check_input_names",
    "check_labels",
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


class LabelsError(NamesError, KeyError):
    """Labels of a batch are none of a graph that needs labels; a KeyError in MXNet."""

    __str__ = HyError.__str__  # KeyError's puts the message into quotes


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


def check_labels(
    arguments: Sequence[str], label_names: Sequence[str], labels: Sequence[DataDesc] | None
) -> None:
    """Raise an error if a graph with labels is given labels that it does not have.

    A graph without labels, as for prediction, takes no notice of those of its data.

    Args:
        arguments: Names of the graph's arguments.
        label_names: Names of the module's labels.
        labels: Descriptions of the labels that batches will have; None without labels.

    Raises:
        LabelsError: A label is no argument, and the graph has one of ``label_names``.
    """
    expected = [name for name in label_names if name in arguments]
    unknown = [desc.name for desc in labels or [] if desc.name not in arguments]
    if expected and unknown:
        raise LabelsError(
            f"the data have labels {unknown}, but the graph has {expected}; the labels of an "
            "iterator are named by its label_name, those of a module by label_names"
        )


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
