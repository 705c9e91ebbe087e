"""Texts that ship with Python, and pieces of them to train on."""

import importlib
import inspect
from typing import Any

import numpy as np

from hy_ndarray import NDArray, nd

__all__ = ["Batches", "docstrings", "sources"]

Text = np.ndarray[Any, np.dtype[np.uint8]]

MODULES = "argparse ast asyncio collections datetime decimal difflib email functools inspect json \
logging os pathlib random re shutil socket statistics string subprocess tarfile threading typing \
unittest urllib.request zipfile"


def docstrings() -> Text:
    """Return the text, as bytes."""
    texts: list[str] = []
    for name in MODULES.split():
        module = importlib.import_module(name)
        owners = [module, *(x for _, x in inspect.getmembers(module, inspect.isclass))]
        for owner in owners:
            texts += [inspect.getdoc(x) or "" for _, x in inspect.getmembers(owner, callable)]
    whole = "\n\n".join(dict.fromkeys(text for text in texts if len(text) > 80))  # noqa: PLR2004
    return np.frombuffer(whole.encode("utf-8"), np.uint8)


class Batches:
    """Pieces of a text; those of a step are always the same."""

    def __init__(self, text: Text, batch: int, length: int) -> None:
        self.text, self.batch, self.length = text, batch, length

    def __call__(self, step: int) -> tuple[NDArray, NDArray]:
        """Tokens, and for each the one that follows it."""
        rng = np.random.default_rng([7, step])
        begins = rng.integers(0, len(self.text) - self.length, self.batch)
        rows = np.stack([self.text[i : i + self.length + 1] for i in begins])
        return nd.array(rows[:, :-1], dtype="int32"), nd.array(rows[:, 1:], dtype="int32")


def sources() -> Text:
    """Return the code of some of these modules, as bytes."""
    names = ("bisect", "heapq", "queue", "sched", "statistics", "textwrap")
    whole = "\n\n".join(inspect.getsource(importlib.import_module(name)) for name in names)
    return np.frombuffer(whole.encode("utf-8"), np.uint8)
