"""A GPU that was used before a fork is an error in the child, which says what to do; no hang."""

import os
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from typing import Any

import pytest

from hy_gluon import nn
from hy_gluon.data import DataLoader, SimpleDataset
from hy_ndarray import ContextError, NDArray, cpu, gpu, nd, use_kernels
from hy_ndarray.devices.context import num_gpus
from tests.gluon.stand_in import TwoGpus

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")

WHY = "this process was forked from one that had used a GPU"


class Ours(TwoGpus):
    """A table with GPUs for the process that made it."""

    def __init__(self) -> None:
        super().__init__()
        self._process = os.getpid()

    def _check(self, device_type: str) -> None:
        if device_type == "gpu" and os.getpid() != self._process:
            raise RuntimeError(WHY)

    def count(self, device_type: str) -> int:
        self._check(device_type)
        return super().count(device_type)

    def device(self, device_type: str, device_id: int) -> Any:
        self._check(device_type)
        return super().device(device_type, device_id)


@pytest.fixture(autouse=True)
def _table() -> Iterator[None]:
    table: Any = Ours()
    with use_kernels(table), use_kernels(table, device="gpu"):
        yield


def in_child(run: Callable[[], Any]) -> str:
    """What a forked process gets of it, or the error it raises."""
    ours, theirs = get_context("fork").Pipe(duplex=False)

    def work() -> None:
        try:
            theirs.send(repr(run()))
        except Exception as error:
            theirs.send(f"{type(error).__name__}: {error}")

    process = get_context("fork").Process(target=work)
    process.start()
    assert ours.poll(60)
    found: str = ours.recv()
    process.join()
    return found


USES: dict[str, Callable[[NDArray], Any]] = {
    "made": lambda _: nd.ones((2,), ctx=gpu()),
    "on another one": lambda _: nd.ones((2,), ctx=gpu(1)),
    "computed with": lambda x: x + 1,
    "read": lambda x: x.asnumpy(),
    "read from": lambda x: x[0].asscalar(),
    "written to": lambda x: x.__setitem__(0, 1),
    "waited for": lambda x: x.wait_to_read(),
    "copied": lambda x: x.copy(),
    "brought back": lambda x: x.as_in_context(cpu()),
}


@pytest.mark.parametrize("use", USES)
def test_every_use_is_an_error_that_names_the_gpu(use: str) -> None:
    x = nd.ones((2,), ctx=gpu())
    place = "gpu(1)" if use == "on another one" else "gpu(0)"
    assert in_child(lambda: USES[use](x)) == f"ContextError: {place}: {WHY}"
    USES[use](x)  # here it goes on


def test_the_number_of_gpus_is_not_told() -> None:
    assert num_gpus() == 2
    assert in_child(num_gpus) == f"ContextError: num_gpus: {WHY}"


def test_a_block_that_was_called_there_is_not() -> None:
    net = nn.Dense(2, in_units=2)
    net.initialize(ctx=gpu())
    net.hybridize()
    x = nd.ones((1, 2), ctx=gpu())
    net(x)
    assert in_child(lambda: net(x)) == f"ContextError: gpu(0): {WHY}"


def test_the_cpu_goes_on() -> None:
    x = nd.ones((2,), ctx=gpu()).as_in_context(cpu())

    def run() -> Any:
        nd.waitall()
        return (x + 1).asnumpy().tolist()

    assert in_child(run) == "[2.0, 2.0]"


class OnGpu(SimpleDataset):
    def __getitem__(self, idx: int) -> Any:
        return nd.ones((2,), ctx=gpu()) * super().__getitem__(idx)


def test_a_worker_of_a_loader_tells_it() -> None:
    nd.ones((2,), ctx=gpu())
    with pytest.raises(ContextError, match=WHY) as caught:
        list(DataLoader(OnGpu([1, 2]), 1, num_workers=1))
    assert any("worker process" in note for note in caught.value.__notes__)
    threads = DataLoader(OnGpu([1, 2]), 1, num_workers=1, thread_pool=True)
    assert [x.context for x in threads] == [gpu(), gpu()]


def test_workers_make_batches_on_the_cpu_wherever_the_loader_is_made() -> None:
    with gpu():
        found = list(DataLoader(SimpleDataset([1, 2]), 1, num_workers=1))
    assert [(x.context, x.asnumpy().tolist()) for x in found] == [(cpu(), [1]), (cpu(), [2])]
