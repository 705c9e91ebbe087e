"""Page-locked memory is copied to a GPU beside its work: streams that stand in tell the order."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch

from hy_gluon import Trainer
from hy_gluon.parameter import Parameter
from hy_kernels.torch import _constants, table
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.runtime import _capture, _copies
from hy_kernels.torch.runtime._memory import TensorMemory
from hy_ndarray import autograd, cpu, gpu, nd, use_kernels
from tests.kernels.torch.capturing import CapturingTable

CUDA = torch.device("cuda", 1)
CAPTURED = torch.device("cuda", 2)
"""Its stream is being captured."""


class Stream:
    """Notes what is queued on it."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name = name
        self._log = log

    def record_event(self) -> str:
        self._log.append(f"{self.name}: event")
        return f"event of {self.name}"

    def wait_event(self, event: str) -> None:
        self._log.append(f"{self.name}: wait for {event}")


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What CUDA is asked to do, in order."""
    noted: list[str] = []
    active = [Stream("computing", noted)]

    @contextmanager
    def stream(other: Stream) -> Iterator[None]:
        active.append(other)
        yield
        active.pop()

    def made(device: torch.device) -> Stream:
        noted.append(f"new stream on {device}")
        return Stream("copying", noted)

    @contextmanager
    def current(device: torch.device) -> Iterator[None]:
        asked.append(device)
        yield
        asked.pop()

    asked: list[torch.device] = []
    plain = torch.Tensor.to

    def to(tensor: torch.Tensor, device: Any, **how: Any) -> torch.Tensor:
        if not isinstance(device, torch.device) or device.type != "cuda":  # else it is a dtype
            return plain(tensor, device, **how)
        kind = "queued" if how.get("non_blocking") else "waited for"
        noted.append(f"{active[-1].name}: copy to {device}, {kind}")
        return tensor.clone(memory_format=how.get("memory_format", torch.preserve_format))

    def record_stream(_: torch.Tensor, other: Stream) -> None:
        noted.append(f"{other.name}: reads it")

    monkeypatch.setattr(_copies, "_streams", {})
    monkeypatch.setattr(torch.cuda, "device", current)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: asked[-1:] == [CAPTURED])
    monkeypatch.setattr(torch.cuda, "Stream", made)
    monkeypatch.setattr(torch.cuda, "stream", stream)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _: active[-1])
    monkeypatch.setattr(torch.Tensor, "to", to)
    monkeypatch.setattr(torch.Tensor, "record_stream", record_stream)
    return noted


COPY = [
    "copying: copy to cuda:1, queued",
    "copying: event",
    "computing: wait for event of copying",
    "computing: reads it",
]


def test_a_copy_is_queued_beside_the_work_and_later_work_waits(
    log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.Tensor, "is_pinned", lambda _: True)
    x = torch.arange(6.0).view(2, 3).t()
    there = table().memory.sent(x, CUDA)
    assert there.is_contiguous()
    assert torch.equal(there, x)
    table().memory.sent(x, CUDA)
    assert log == ["new stream on cuda:1", *COPY, *COPY]


def test_each_device_has_a_stream_for_copies(
    log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.Tensor, "is_pinned", lambda _: True)
    for index in (0, 1, 0):
        table().memory.sent(torch.ones(2), torch.device("cuda", index))
    assert [line for line in log if line.startswith("new")] == [
        "new stream on cuda:0",
        "new stream on cuda:1",
    ]


def test_other_memory_is_waited_for(log: list[str]) -> None:
    table().memory.sent(torch.ones(2), CUDA)
    assert log == ["computing: copy to cuda:1, waited for"]


def test_a_captured_copy_is_on_the_captured_stream_alone(
    log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.Tensor, "is_pinned", lambda _: True)
    x = torch.arange(6.0).view(2, 3).t()
    there = table().memory.sent(x, CAPTURED)
    assert there.is_contiguous()
    assert torch.equal(there, x)
    assert log == ["computing: copy to cuda:2, queued"]
    table().memory.sent(x, CUDA)
    assert log[1:] == ["new stream on cuda:1", *COPY]


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Bytes of what is copied to page-locked memory."""
    sizes: list[int] = []

    def pin(tensor: torch.Tensor) -> torch.Tensor:
        sizes.append(tensor.nbytes)
        return tensor.clone()

    monkeypatch.setattr(torch.Tensor, "pin_memory", pin)
    return sizes


def test_a_small_array_of_the_host_is_not_waited_for(log: list[str], pinned: list[int]) -> None:
    memory = table().memory
    memory.from_numpy(np.arange(3.0), CUDA)
    assert (pinned, log) == ([24], ["computing: copy to cuda:1, queued"])
    memory.from_numpy(np.zeros(COSTS.memory.pinned), CUDA)
    memory.from_numpy(np.zeros(0), CUDA)
    assert pinned == [24]
    assert log[1:] == ["computing: copy to cuda:1, waited for"] * 2


def test_no_graph_reads_an_array_of_the_host_again(log: list[str], pinned: list[int]) -> None:
    with _constants.captured_reads():  # where torch refuses the copy, and nothing is captured
        table().memory.from_numpy(np.arange(3.0), CUDA)
    assert (pinned, log) == ([], ["computing: copy to cuda:1, waited for"])


def test_a_captured_step_s_rates_go_to_a_gpu_without_a_wait(
    log: list[str], pinned: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A captured step copies its rates there, every time others."""
    plain = TensorMemory.from_numpy
    monkeypatch.setattr(  # only the copies, the step itself is on the CPU
        TensorMemory, "from_numpy", lambda self, array, _: plain(self, array, CUDA)
    )
    parameter = Parameter("weight", shape=(2,))
    capturing = CapturingTable()
    with use_kernels(capturing):
        parameter.initialize("zeros")
        trainer = Trainer([parameter], "sgd", {"learning_rate": 0.5})
        for k in range(6):
            with autograd.record():
                loss = (parameter.data() * 2).sum()
            loss.backward()
            trainer.set_learning_rate(0.5 / (k + 1))
            log.clear()
            pinned.clear()
            trainer.step(1)
    assert capturing.again == 4
    assert log == ["computing: copy to cuda:1, queued"]
    assert pinned == [8]  # the rate alone: a decay that does not change is a constant


@pytest.mark.parametrize("is_public", [False, True])
def test_memory_that_nothing_uses_is_given_back(
    is_public: bool, log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: log.append("of the device"))
    monkeypatch.delattr(torch.accelerator, "empty_host_cache", raising=False)
    place, name = (
        (torch.accelerator, "empty_host_cache") if is_public else (torch._C, "_host_emptyCache")
    )
    monkeypatch.setattr(place, name, lambda: log.append("page-locked"), raising=False)
    table().memory.release(torch.device("cpu"))
    table().memory.release(CUDA)
    assert log == ["of the device", "page-locked"]


def test_a_context_gives_back_the_memory_of_its_device(monkeypatch: pytest.MonkeyPatch) -> None:
    released: list[torch.device] = []
    monkeypatch.setattr(TensorMemory, "release", lambda _, device: released.append(device))
    with use_kernels("torch"):
        nd.ones(1)
        cpu(0).empty_cache()
    assert {*released} == {torch.device("cpu")}  # once for each table that the process has used


def test_what_captured_copies_read_is_kept_for_the_thread_that_captures(
    log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.Tensor, "is_pinned", lambda _: True)
    read, other = torch.ones(2), torch.ones(3)
    with _constants.captured_reads() as sources:
        table().memory.sent(read, CAPTURED)
        table().memory.sent(other, CUDA)
        thread = threading.Thread(target=table().memory.sent, args=(other, CAPTURED))
        thread.start()
        thread.join()
    table().memory.sent(other, CAPTURED)
    assert [id(x) for x in sources] == [id(read)]
    assert log.count("computing: copy to cuda:2, queued") == 3


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_a_graph_copies_what_the_page_locked_memory_holds_when_it_runs() -> None:
    device = torch.device("cuda", 0)
    host = table().memory.pinned(torch.ones(1 << 20))
    given = torch.full((1 << 20,), 2.0, device=device)
    run = _capture.capture(
        lambda tensors: (table().memory.sent(host, device) * tensors.pop(),),
        [given],
        (),
        (),
        device,
    )
    assert run is not None
    for k in (1.0, 3.0):
        host.fill_(k)
        (found,) = run([given])
        assert (found.cpu() == 2 * k).all()


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_batches_arrive_whole_while_the_gpu_computes() -> None:
    with use_kernels("torch"), use_kernels("torch", device="gpu"):
        work = nd.ones((2048, 2048), ctx=gpu())
        for k in range(20):
            host = nd.full((1 << 20,), k)
            host = host.from_buffer(table().memory.pinned(host.buffer), host.device)
            nd.dot(work, work)
            there = host.as_in_context(gpu()) * 2
            assert (there.asnumpy() == 2 * k).all()
