"""Plug-in interface for subcommands of ``hy-io`` that other packages add.

Each entry point of the group ``hy_io.commands`` is a subcommand: its name is the name on the
command line, its value a `Command`. It is loaded only when the subcommand is called or all are
listed. Entry points named ``info`` and ``verify`` handle graphs; hy-io itself handles files of
arrays.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = [
    "Command",
    "Result",
    "add_input_argument",
    "add_model_arguments",
    "find_command",
    "installed_commands",
    "open_shape",
    "shape",
]

_GROUP = "hy_io.commands"

Result: TypeAlias = tuple[dict[str, Any], str]
"""Result of a command: the fields to print with ``--json``, and the text to print without it."""


@dataclass(frozen=True, slots=True)
class Command:
    """Subcommand of ``hy-io``.

    Args:
        text: One-line help text.
        add_arguments: Adds the arguments of the subcommand to a parser, which already has
            ``--json``.
        run: Runs the subcommand with the parsed arguments; errors of files and `HyError` are
            reported in one line.
    """

    text: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Result]


def installed_commands() -> tuple[str, ...]:
    """Return the names of the commands that other packages add, sorted."""
    # Imported here: importlib.metadata takes 10 ms, most calls name a command of this package.
    from importlib.metadata import entry_points  # noqa: PLC0415  # 10 ms, and most calls need none

    return tuple(sorted(point.name for point in entry_points(group=_GROUP)))


def find_command(name: str) -> Command:
    """Return the command of this name that an installed package adds.

    Raises:
        LookupError: No installed package adds it.
        ImportError: The package of the command cannot be imported.
        TypeError: The entry point is not a `Command`.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415  # as above

    for point in entry_points(group=_GROUP, name=name):
        command = point.load()
        if not isinstance(command, Command):
            raise TypeError(
                f"entry point {name!r} of the group {_GROUP} must be a hy_io.commands.Command, and "
                f"{point.value} is a {type(command).__name__}"
            )
        return command
    raise LookupError(f"no installed package adds the command {name!r}")


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that select a model: ``model``, ``--params`` and ``--input``."""
    parser.add_argument("model", help="net-symbol.json, or a file that holds a graph")
    parser.add_argument("--params", metavar="FILE", help="default: the newest beside the graph")
    add_input_argument(parser, shape, "shape of an input, such as data=1,3,224,224")


def add_input_argument(
    parser: argparse.ArgumentParser, kind: Callable[[str], object], text: str
) -> None:
    """Add the repeatable argument ``--input NAME=SHAPE``.

    Args:
        parser: The parser to add the argument to.
        kind: Converter of the text: `shape` or `open_shape`.
        text: Help text.
    """
    parser.add_argument(
        "--input", metavar="NAME=SHAPE", action="append", type=kind, default=[], help=text
    )


def shape(text: str) -> tuple[str, tuple[int, ...]]:
    """Parse an argument ``NAME=SHAPE`` with fixed sizes into name and shape.

    Raises:
        ArgumentTypeError: The text does not have this form.

    Example:
        >>> shape("data=1,3,224,224")
        ('data', (1, 3, 224, 224))
    """
    name, sizes = open_shape(text)
    if names := [size for size in sizes if isinstance(size, str)]:
        raise argparse.ArgumentTypeError(f"{text!r}: give a number in the place of {names[0]}")
    return name, tuple(map(int, sizes))


def open_shape(text: str) -> tuple[str, Sequence[int | str]]:
    """Parse an argument ``NAME=SHAPE`` in which sizes may be names of dynamic axes.

    Raises:
        ArgumentTypeError: The text does not have this form.

    Example:
        >>> open_shape("data=N,3")
        ('data', ('N', 3))
    """
    name, _, sizes = text.partition("=")
    words = sizes.split(",")
    if not name or not all(word.isdecimal() or word.isidentifier() for word in words):
        raise argparse.ArgumentTypeError(
            f"{text!r}: give a name and sizes, such as data=1,3,224,224"
        )
    return name, tuple(int(word) if word.isdecimal() else word for word in words)
