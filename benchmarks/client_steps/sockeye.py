"""Sockeye: training for four updates and translation of 12 sentences, by its commands."""

from typing import Any

from tests.clients.programs.sockeye import commands


def training() -> Any:
    """The whole command, files included."""
    data = commands.corpus()
    arguments = f"{data} {commands.HELD_OUT} --output model {commands.SIZES} {commands.TRAINING}"
    return lambda: commands.call("train", f"{arguments} --max-updates 4")


def prediction() -> Any:
    """Beam search."""
    folder = commands.trained("")
    return lambda: commands.translated(folder)
