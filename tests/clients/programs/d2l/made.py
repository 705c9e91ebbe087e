"""What the chapters' programs share: values by formula, curves in numbers, files made up."""

import contextlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy
from d2l import mxnet as d2l

from mxnet import np, npx
from tests.clients.formula import uniform, words

__all__ = ["array", "curves", "downloaded", "ids", "in_turn"]

npx.set_np()


def array(name: str, *shape: int) -> Any:
    """Values by formula."""
    return np.array(uniform(name, shape))


def ids(name: str, *shape: int, count: int = 10) -> Any:
    """Indices by formula."""
    return np.array(words(name, shape, count))


def in_turn(*arrays: Any, size: int) -> Any:
    """A data iterator that does not shuffle."""
    return d2l.load_array(arrays, size, is_train=False)


class Curves:
    """Takes the place of the book's `Animator`: keeps the points that it would draw."""

    def __init__(self) -> None:
        self.Y: list[list[float]] = []

    def add(self, x: Any, y: Any) -> None:
        """One point of each curve, or None; all at the same place."""
        del x
        values = y if hasattr(y, "__len__") else [y]
        self.Y = self.Y or [[] for _ in values]
        for line, value in zip(self.Y, values, strict=True):
            line.extend([] if value is None else [float(value)])


def curves(train: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Any]:
    """Run a training loop of the book; the heights of the curves that it would draw."""
    made = Curves()
    with (
        mock.patch.object(d2l, "Animator", return_value=made),
        contextlib.redirect_stdout(io.StringIO()),  # it prints how fast it was
    ):
        train(*args, **kwargs)
    return [numpy.array(line) for line in made.Y]


@contextlib.contextmanager
def downloaded(files: dict[str, str | bytes]) -> Iterator[str]:
    """A folder of made-up files, where `download` and `download_extract` find them."""
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        only = str(Path(folder) / next(iter(files)))
        with (
            mock.patch.object(d2l, "download", return_value=only),
            mock.patch.object(
                d2l, "download_extract", lambda *names: str(Path(folder, *names[1:]))
            ),
        ):
            yield folder
