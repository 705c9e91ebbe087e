"""CUDA in forked processes: what the torch table says where CUDA was used before."""

import os
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from typing import Any

import pytest
import torch

from hy_gluon.data import DataLoader, SimpleDataset
from hy_kernels.torch import table
from hy_kernels.torch.runtime import _forks
from hy_ndarray import ContextError, gpu, nd
from hy_ndarray.devices import _tables

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")

CUDA = torch.device("cuda", 0)
MESSAGE = r"had used a GPU.*set_start_method\('spawn'\).*thread_pool=True.*before anything is on"


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """CUDA says that it is in use, so that there is a driver."""
    monkeypatch.setattr(_tables, "may_have_gpus", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    yield
    _forks._Use.process = None


def in_child(run: Callable[[], Any]) -> Any:
    """What a forked process gets of it, or the error it raises."""
    ours, theirs = get_context("fork").Pipe(duplex=False)

    def work() -> None:
        try:
            theirs.send(run())
        except Exception as error:
            theirs.send(error)

    process = get_context("fork").Process(target=work)
    process.start()
    assert ours.poll(60)
    found = ours.recv()
    process.join()
    return found


@pytest.mark.usefixtures("used")
@pytest.mark.parametrize(
    "ask",
    [
        lambda: table().count("gpu"),
        lambda: table().device("gpu", 0),
        lambda: table().memory.to_numpy(torch.empty(2, device="meta")),
        lambda: table().memory.sent(torch.ones(2), CUDA),
    ],
    ids=["count", "device", "to_numpy", "sent"],
)
def test_a_child_is_told_what_to_do(ask: Callable[[], Any]) -> None:
    with pytest.raises(_forks.ForkedError, match=MESSAGE):
        raise in_child(ask)
    with pytest.raises(_forks.ForkedError, match=MESSAGE):
        raise in_child(lambda: in_child(ask))


@pytest.mark.usefixtures("used")
def test_the_process_itself_and_the_cpu_go_on() -> None:
    assert in_child(lambda: table().memory.to_numpy(torch.ones(2)).tolist()) == [1, 1]
    assert in_child(lambda: table().count("cpu")) == 1
    table().count("gpu")


def test_a_child_of_a_process_without_use_may_use_it() -> None:
    if torch.cuda.is_initialized():
        pytest.skip("it is in use")
    assert in_child(lambda: table().count("gpu")) == table().count("gpu")


class OnGpu(SimpleDataset):
    def __getitem__(self, idx: int) -> Any:
        return nd.ones((2,), ctx=gpu())


@pytest.mark.usefixtures("used")
def test_a_worker_of_a_loader_raises_an_error_of_hy_s() -> None:
    with pytest.raises(ContextError, match=rf"^gpu\(0\): .*{MESSAGE}"):
        list(DataLoader(OnGpu([1]), 1, num_workers=1))
