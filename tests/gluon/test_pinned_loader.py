"""Loaders put batches into page-locked memory, where the kernel table has such."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from hy_gluon.data import ArrayDataset, DataLoader
from hy_ndarray import Buffer, autograd, cpu, cpu_pinned, gpu, kernel_table, nd, use_kernels
from tests.gluon.stand_in import TwoGpus


class PinningMemory:
    """Numpy's memory, where arrays are page-locked once they are asked to be."""

    def __init__(self) -> None:
        self._memory = kernel_table("numpy").memory
        self.locked: list[Buffer] = []
        self.sent_to: list[tuple[bool, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)

    def is_locked(self, buffer: Buffer) -> bool:
        return any(buffer is each for each in self.locked)

    def pinned(self, buffer: Buffer) -> Buffer:
        if not self.is_locked(buffer):
            buffer = buffer.copy()
            self.locked.append(buffer)
        return buffer

    def sent(self, buffer: Buffer, device: Any) -> Buffer:
        self.sent_to.append((self.is_locked(buffer), device))
        return buffer.copy()


class PinningTable(TwoGpus):
    """A table with GPUs and such memory."""

    def __init__(self) -> None:
        super().__init__()
        self.memory = PinningMemory()


@pytest.fixture
def memory() -> Iterator[PinningMemory]:
    table: Any = PinningTable()
    with use_kernels(table), use_kernels(table, device="gpu"):
        yield table.memory


def loader(**how: Any) -> DataLoader:
    return DataLoader(ArrayDataset(np.arange(6.0).reshape(3, 2), [5, 6, 7]), 2, **how)


@pytest.mark.parametrize("workers", [{}, {"num_workers": 2, "thread_pool": True}])
def test_batches_are_page_locked(memory: PinningMemory, workers: dict[str, Any]) -> None:
    found = list(loader(pin_memory=True, **workers))
    assert [[x.asnumpy().tolist() for x in batch] for batch in found] == [
        [[[0, 1], [2, 3]], [5, 6]],
        [[[4, 5]], [7]],
    ]
    assert all(memory.is_locked(x.buffer) for batch in found for x in batch)
    assert {x.context for batch in found for x in batch} == {cpu_pinned()}


def test_other_batches_are_not(memory: PinningMemory) -> None:
    list(loader())
    assert memory.locked == []


class Pair(NamedTuple):
    first: Any
    second: Any


def test_batches_keep_their_structure(memory: PinningMemory) -> None:
    def batchify(items: list[Any]) -> Any:
        x = nd.array([item[1] for item in items])
        return {
            "x": (x, [x, "text"]),
            "pair": Pair(1, 2),
            "sparse": x.reshape((1, -1)).tostype("csr"),
        }

    batch, _ = loader(pin_memory=True, batchify_fn=batchify)
    assert [type(part) for part in (batch, batch["x"], batch["x"][1])] == [dict, tuple, list]
    assert batch["x"][1][1] == "text"
    assert batch["pair"] == Pair(1, 2)
    assert batch["sparse"].stype == "csr"
    assert memory.is_locked(batch["x"][0].buffer)


def test_copies_to_the_gpu_are_made_by_the_memory(memory: PinningMemory) -> None:
    (x, _), _ = loader(pin_memory=True)
    there = x.as_in_context(gpu())
    assert there.context == gpu()
    assert memory.sent_to == [(True, ("gpu", 0))]
    x[:] = 7
    assert there.asnumpy().tolist() == [[0, 1], [2, 3]]


def test_gradients_come_back_from_there(memory: PinningMemory) -> None:
    (x, _), _ = loader(pin_memory=True)
    x.attach_grad()
    with autograd.record():
        y = x.as_in_context(gpu()) * 3
    y.backward()
    assert x.grad.context == cpu_pinned()
    assert x.grad.asnumpy().tolist() == [[3, 3], [3, 3]]


@pytest.mark.parametrize("workers", [{}, {"num_workers": 1}])
def test_without_such_memory_batches_are_on_the_context_by_name(workers: dict[str, Any]) -> None:
    (x, y), _ = loader(pin_memory=True, pin_device_id=3, **workers)
    assert x.asnumpy().tolist() == [[0, 1], [2, 3]]
    assert str(x.context) == str(y.context) == "cpu_pinned(3)"
    assert x.as_in_context(cpu()).context == cpu()
