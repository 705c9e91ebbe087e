"""Commands that hy-symbol adds to ``hy-io``: ``info`` of graphs, and ``draw``."""

import argparse
from pathlib import Path

from hy_io.commands import Command, Result, add_model_arguments
from hy_io.model_files import ModelFiles, find_model
from hy_ndarray import ArgumentError
from hy_symbol import viz
from hy_symbol.files import read_graph
from hy_symbol.symbol.symbol import Symbol

__all__ = ["DRAW", "INFO", "asked_model", "example_input"]


def asked_model(options: argparse.Namespace) -> tuple[Symbol, ModelFiles]:
    """Load the graph that a command's arguments name; return it with its files.

    Raises:
        GraphFormatError, FileFormatError: A file is damaged.
        ArgumentError: There is no graph, or it lacks an input named by ``--input``.
    """
    files = find_model(options.model, options.params)
    symbol = read_graph(files.graph, files.path)
    known = symbol.list_inputs()
    if unknown := [name for name, _ in options.input if name not in known]:
        there = ", ".join(known)
        raise ArgumentError(f"{files.path}: no input {', '.join(unknown)}; there are {there}")
    return symbol, files


def example_input(symbol: Symbol) -> str:
    """Return an example of the option ``--input`` for messages, with the first input's name."""
    return f"--input {next(iter(symbol.list_inputs()), 'data')}=1,3,224,224"


def _info(options: argparse.Namespace) -> Result:
    symbol, files = asked_model(options)
    text = viz.summary(symbol, shape=dict(options.input) or None)
    if not options.input and symbol.list_inputs():
        text += (
            f"\nnot all sizes are known: give those of each input, such as {example_input(symbol)}"
        )
    done = {
        "inputs": symbol.list_arguments(),
        "states": symbol.list_auxiliary_states(),
        "outputs": symbol.list_outputs(),
        "params": files.params,
    }
    return done, text


def _draw(options: argparse.Namespace) -> Result:
    target = options.target or str(Path(options.model).with_suffix(".svg"))
    if not target.lower().endswith(".svg"):
        raise ArgumentError(f"{target}: the ending must be .svg, the format of drawings")
    symbol, _ = asked_model(options)
    picture = viz.svg(symbol, shape=dict(options.input) or None)
    Path(target).write_text(picture, encoding="utf-8")
    return {"files": [target]}, target


def _add_draw_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("target", nargs="?", help="default: the model with the ending .svg")


INFO = Command("Show the layers of a graph.", add_arguments=add_model_arguments, run=_info)
DRAW = Command("Draw a graph as an SVG file.", add_arguments=_add_draw_arguments, run=_draw)
