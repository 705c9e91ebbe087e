"""Kernel tables that capture: one that does as if, for tests without a GPU, and torch's on one."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any
from weakref import WeakSet

import numpy as np
import pytest

from hy_ndarray import Buffer, Context, NDArray, cpu, gpu, kernel_table, nd, use_kernels

__all__ = ["STATIC", "Capturing", "drawn", "has_cuda", "table", "without_capture"]

STATIC: dict[str, Any] = {"static_alloc": True, "static_shape": True}

Run = Callable[[list[Buffer]], tuple[Buffer, ...]]
Again = Callable[[Sequence[Buffer]], tuple[Buffer, ...]]
Draws = tuple[Any, Callable[[], Any]]


class Loading:
    """A step of the numpy table that reads numbers in buffers."""

    def __init__(self, step: Any, loads: bool) -> None:
        self._step = step
        self.loads = loads

    def __call__(self, rows: Sequence[Any], numbers: Sequence[Any]) -> None:
        self._step(rows, [tuple(map(_on_host, own)) for own in numbers])


class Capturing:
    """The numpy table, which runs what it captured on memory of its own, as GPUs do."""

    capture_types: tuple[str, ...] = ("cpu",)
    plain = "numpy"
    """The same table without capture."""
    contexts = cpu(0), cpu(1)

    def __init__(self) -> None:
        self.captures_draws = True
        self.loads = True
        """Whether kernels take numbers in buffers, as those of GPUs do; these read them."""
        self._table: Any = kernel_table(self.plain)
        self.captured = 0
        self.again = 0
        self.refuses_from: int | None = None
        self.made: WeakSet[Again] = WeakSet()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def find(self, kernel: str) -> Any:
        record: Any = self._table.find(kernel)
        if record is None or not self.loads:
            return record

        def run(*inputs: Any, **params: Any) -> Any:
            return record.function(*inputs, **{k: _on_host(x) for k, x in params.items()})

        # Of a ufunc, whose signature NumPy before 2.4 does not tell, there are none.
        known = (
            () if isinstance(record.function, np.ufunc) else signature(record.function).parameters
        )
        return replace(record, function=run, loads=tuple(known))

    def step(self, rule: Any) -> Any:
        made = self._table.step(rule)
        return None if made is None else Loading(made, self.loads)

    def capture(
        self,
        run: Run,
        inputs: Sequence[Buffer],
        fixed: Collection[int],
        lent: Collection[int],
        device: Any,
        draws: Draws | None = None,
    ) -> Again | None:
        if self.refuses_from == self.captured + 1:
            raise RuntimeError("a copy to the host")
        self.captured += 1
        made = self._made(run, inputs, fixed, lent, device, draws)
        assert made is not None

        def again(buffers: Sequence[Buffer]) -> tuple[Buffer, ...]:
            self.again += 1
            return made(buffers)

        self.made.add(again)
        return again

    def _made(
        self,
        run: Run,
        inputs: Sequence[Buffer],
        fixed: Collection[int],
        lent: Collection[int],
        device: Any,  # noqa: ARG002
        draws: Draws | None = None,
    ) -> Again | None:
        own = [x if k in fixed else x.copy() for k, x in enumerate(inputs)]
        places: dict[int, Buffer] = {}

        def again(buffers: Sequence[Buffer]) -> tuple[Buffer, ...]:
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


class OnGpu(Capturing):
    """The torch table on GPUs: its CUDA graphs are counted."""

    capture_types: tuple[str, ...] = ("gpu",)
    plain = "torch"
    contexts = gpu(0), gpu(1)

    def find(self, kernel: str) -> Any:
        record = self._table.find(kernel)
        return record if record is None or self.loads else replace(record, loads=())

    def step(self, rule: Any) -> Any:
        made = self._table.step(rule)
        return made if made is None or self.loads else Loading(made, False)

    def _made(self, *given: Any) -> Again | None:
        made: Again | None = self._table.capture(*given)
        return made


def has_cuda() -> bool:
    """Whether PyTorch is here, and finds a GPU of NVIDIA's."""
    return find_spec("torch") is not None and import_module("torch").cuda.is_available()


def kind_of(table: Capturing) -> str:
    return table.contexts[0].device_type


def without_capture(table: Capturing) -> AbstractContextManager[None]:
    """Inside, the same is computed without capture."""
    return use_kernels(table.plain, device=kind_of(table))


@pytest.fixture(params=[Capturing, pytest.param(OnGpu, marks=pytest.mark.gpu)])
def table(request: pytest.FixtureRequest) -> Iterator[Capturing]:
    if request.param is OnGpu and not has_cuda():
        pytest.skip("there is no CUDA device")
    made: Capturing = request.param()
    first: Context = made.contexts[0]
    with use_kernels(made, device=kind_of(made)), first:
        yield made


def drawn(seed: int, count: int = 5) -> NDArray:
    return nd.array(np.random.default_rng(seed).normal(size=(count, 3)))
