"""Subcommands of ``hy-io`` that other packages add: drawing, timing and others that need more.

An entry point of the group ``hy_io.commands`` is one: its name is what users type, its value a
`Command`. It is loaded when it is called, or listed. ``info`` and ``verify`` are those of files of
arrays; entry points of these names are those of graphs.
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
"""What a command found: fields for ``--json``, and the text that is printed without."""


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand of ``hy-io``.

    Args:
        text: What it does, in a line.
        add_arguments: Adds its arguments to a parser, which has ``--json``.
        run: Does it; errors of files, and `HyError`, are reported in a line.
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
    """Return the command that a package adds under this name.

    Raises:
        LookupError: No installed package adds it.
        ImportError: Its package cannot load.
        TypeError: What the package offers is no `Command`.
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
    """Add the argument ``--input``, which may be repeated.

    Args:
        parser: Where it is added.
        kind: `shape` or `open_shape`.
        text: What is said of it.
    """
    parser.add_argument(
        "--input", metavar="NAME=SHAPE", action="append", type=kind, default=[], help=text
    )


def shape(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the name and shape in the text of an ``--input``.

    Raises:
        ArgumentTypeError: It gives none.

    Example:
        >>> shape("data=1,3,224,224")
        ('data', (1, 3, 224, 224))
    """
    name, sizes = open_shape(text)
    if names := [size for size in sizes if isinstance(size, str)]:
        raise argparse.ArgumentTypeError(f"{text!r}: give a number in the place of {names[0]}")
    return name, tuple(map(int, sizes))


def open_shape(text: str) -> tuple[str, Sequence[int | str]]:
    """Return the name and shape in the text of an ``--input``; sizes may be names of open ones.

    Raises:
        ArgumentTypeError: It gives none.

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
