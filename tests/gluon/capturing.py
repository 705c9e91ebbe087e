"""A kernel table that captures, for tests without a GPU."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import pytest

from hy_ndarray import Buffer, NDArray, kernel_table, nd, use_kernels

__all__ = ["STATIC", "Capturing", "drawn", "table"]

STATIC: dict[str, Any] = {"static_alloc": True, "static_shape": True}


class Capturing:
    """The numpy table, which runs what it captured on memory of its own, as GPUs do."""

    capture_types = ("cpu",)

    def __init__(self) -> None:
        self.captures_draws = True
        self.loads = True
        """Whether kernels take numbers in buffers, as those of GPUs do; these read them."""
        self._table = kernel_table("numpy")
        self.captured = 0
        self.again = 0
        self.refuses_from: int | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def find(self, kernel: str) -> Any:
        record: Any = self._table.find(kernel)
        if record is None or not self.loads:
            return record

        def run(*inputs: Any, **params: Any) -> Any:
            return record.function(*inputs, **{k: _on_host(x) for k, x in params.items()})

        return replace(record, function=run, loads=tuple(signature(record.function).parameters))

    def capture(
        self,
        run: Callable[[list[Buffer]], tuple[Buffer, ...]],
        inputs: Sequence[Buffer],
        fixed: Collection[int],
        lent: Collection[int],
        device: Any,  # noqa: ARG002
        draws: tuple[Any, Callable[[], Any]] | None = None,
    ) -> Callable[[Sequence[Buffer]], tuple[Buffer, ...]]:
        if self.refuses_from == self.captured + 1:
            raise RuntimeError("a copy to the host")
        self.captured += 1
        own = [x if k in fixed else x.copy() for k, x in enumerate(inputs)]
        places: dict[int, Buffer] = {}

        def again(buffers: Sequence[Buffer]) -> tuple[Buffer, ...]:
            self.again += 1
            for k, x in enumerate(buffers):
                if k in fixed:
                    assert x is own[k]
                else:
                    own[k][...] = x
            if draws is None:
                results = [*run([*own])]
            else:
                stream, theirs = draws[0].bit_generator, draws[1]().bit_generator
                stream.state = theirs.state
                results = [*run([*own])]
                theirs.state = stream.state
            for k in lent:
                places.setdefault(k, results[k].copy())[...] = results[k]
                results[k] = places[k]
            return tuple(results)

        return again


def _on_host(value: Any) -> Any:
    """A parameter whose numbers were perhaps given in buffers."""
    if isinstance(value, np.float64):
        return float(value)
    if isinstance(value, tuple) and any(isinstance(x, np.float64) for x in value):
        return tuple([float(x) for x in value])
    return value


@pytest.fixture
def table() -> Iterator[Capturing]:
    made = Capturing()
    with use_kernels(made):
        yield made


def drawn(seed: int, count: int = 5) -> NDArray:
    return nd.array(np.random.default_rng(seed).normal(size=(count, 3)))
