"""CUDA graphs of what draws random numbers; a stand-in shows what is asked of them."""

import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from weakref import ref

import numpy as np
import pytest
import torch

from hy_gluon import nn
from hy_kernels.torch import _constants, table
from hy_kernels.torch.runtime import _capture, _capture_memory
from hy_ndarray import autograd, gpu, nd, random

CUDA = torch.device("cuda", 0)


class Stream:
    """A stream of a device, which notes what it waits for."""

    def __init__(self, device: Any) -> None:
        self.device = torch.device(device)
        self.waited: list[Stream] = []

    def wait_stream(self, other: "Stream") -> None:
        self.waited.append(other)


class Graph:
    """Notes what it is told, and does again what was done while it was captured."""

    made: "list[Graph]"
    captures: "Graph | None" = None

    def __init__(self) -> None:
        self.generators: list[torch.Generator] = []
        self.again: list[Callable[[], object]] = []
        self.stream: Stream | None = None
        self.device: torch.device | None = None
        self.pool: object = None
        self.made.append(self)

    def register_generator_state(self, generator: torch.Generator) -> None:
        assert not self.again, "it is captured already"
        self.generators.append(generator)

    def replay(self) -> None:
        for do in self.again:
            do()


class Cuda:
    """What the capture asks of ``torch.cuda``, for two devices."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.at = 0
        self.streams = [Stream(f"cuda:{k}") for k in range(2)]
        self.default_generators = [Generator(), Generator()]
        self.reserved = 0
        self.total = 1 << 30
        patch.setattr(Graph, "made", [], raising=False)
        patch.setattr(torch.cuda, "CUDAGraph", Graph)
        patch.setattr(torch.cuda, "Stream", Stream)
        patch.setattr(torch.cuda, "graph_pool_handle", object)
        patch.setattr(torch.cuda, "mem_get_info", lambda _: (0, self.total))
        patch.setattr(torch.cuda, "memory_reserved", lambda _: self.reserved)
        patch.setattr(torch.cuda, "default_generators", self.default_generators)
        patch.setattr(torch.cuda, "current_device", lambda: self.at)
        patch.setattr(torch.cuda, "current_stream", lambda d: self.streams[d.index])
        for name in ("graph", "device", "stream"):
            patch.setattr(torch.cuda, name, getattr(self, name))
        patch.setattr(_capture, "_streams", {})
        patch.setattr(_capture_memory, "_memories", {})

    @contextmanager
    def device(self, device: torch.device) -> Iterator[None]:
        before, self.at = self.at, device.index
        try:
            yield
        finally:
            self.at = before

    @contextmanager
    def stream(self, stream: Stream) -> Iterator[None]:
        before, self.streams[self.at] = self.streams[self.at], stream
        index = self.at
        try:
            yield
        finally:
            self.streams[index] = before

    @contextmanager
    def graph(self, graph: Graph, *, pool: Any, stream: Stream, **_: Any) -> Iterator[None]:
        """As torch's: where something fails, its stream stays the current one."""
        assert Graph.captures is None, "one at a time"
        assert stream.device.index == self.at
        graph.stream, graph.pool, graph.device = stream, pool, torch.device("cuda", self.at)
        Graph.captures = graph
        self.streams[self.at] = stream
        before = self.default_generators[self.at]
        before.captured = True
        try:
            yield
        except BaseException:
            Graph.captures = None
            raise
        Graph.captures = None
        before.captured = False
        self.streams[self.at] = Stream(f"cuda:{self.at}")


class Generator:
    """Torch's generator of a device, which a graph takes part in while it is captured."""

    captured = False

    def clone_state(self) -> "Generator":
        return Generator()

    def graphsafe_set_state(self, state: "Generator") -> None:
        self.captured = state.captured


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Cuda:
    return Cuda(monkeypatch)


@pytest.fixture
def graphs(cuda: Cuda) -> list[Graph]:
    return Graph.made


def drawing(own: torch.Generator) -> Callable[[list[torch.Tensor]], tuple[torch.Tensor, ...]]:
    """Work that adds what it draws."""

    def run(given: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        (x,) = given
        y = torch.empty_like(x)

        def do() -> None:
            torch.add(x, torch.rand(x.shape, generator=own), out=y)

        assert Graph.captures is not None
        Graph.captures.again.append(do)
        return (y,)

    return run


def test_a_graph_draws_what_the_context_would_draw(graphs: list[Graph]) -> None:
    own, context, alone = (torch.Generator().manual_seed(seed) for seed in (0, 7, 7))
    x = torch.zeros(5)
    found = table().capture(drawing(own), [x], (), (), CUDA, (own, lambda: context))
    assert found is not None
    assert graphs[0].generators == [own]
    for k in range(3):
        (y,) = found([x + k])
        torch.testing.assert_close(y, torch.rand(5, generator=alone) + k)
        between = torch.rand(2, generator=context)
        torch.testing.assert_close(between, torch.rand(2, generator=alone))


def test_a_graph_goes_on_with_the_generator_of_a_new_seed(graphs: list[Graph]) -> None:
    own = torch.Generator()
    streams = [torch.Generator().manual_seed(seed) for seed in (1, 2)]
    found = table().capture(
        drawing(own), [torch.zeros(5)], (), (), CUDA, (own, lambda: streams[-1])
    )
    assert found is not None
    for _ in range(2):
        (y,) = found([torch.zeros(5)])
        seed = streams.pop().initial_seed()
        torch.testing.assert_close(y, torch.rand(5, generator=torch.Generator().manual_seed(seed)))
    assert len(graphs) == 1


def test_what_draws_nothing_registers_nothing(graphs: list[Graph]) -> None:
    def run(given: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        return (given[0] * 2,)

    assert table().capture(run, [torch.ones(2)], (), (), CUDA) is not None
    assert graphs[0].generators == []


def doubling(given: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Work that can be done again."""
    (x,) = given
    y = torch.empty_like(x)
    assert Graph.captures is not None
    Graph.captures.again.append(lambda: torch.mul(x, 2, out=y))
    return (y,)


def captured(device: torch.device = CUDA, lent: Any = (), run: Any = doubling) -> Any:
    return table().capture(run, [torch.ones(2)], (), lent, device)


def test_each_device_captures_on_a_stream_of_its_own(graphs: list[Graph]) -> None:
    for index in (0, 1, 0):
        captured(torch.device("cuda", index))
    assert [g.device.index for g in graphs if g.device] == [0, 1, 0]
    assert [g.stream.device.index for g in graphs if g.stream] == [0, 1, 0]
    assert graphs[0].stream is graphs[2].stream


def test_one_graph_is_captured_at_a_time(graphs: list[Graph]) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow(given: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        inside.set()
        assert go_on.wait(30)
        return (given[0],)

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(captured, run=slow)
        assert inside.wait(30)
        second = threads.submit(captured, torch.device("cuda", 1))
        go_on.set()
        assert first.result() is not None
        assert second.result() is not None
    assert [g.device.index for g in graphs if g.device] == [0, 1]


def test_graphs_share_a_pool_unless_they_lend_results(graphs: list[Graph]) -> None:
    kept = [captured(), captured(), captured(lent=(0,)), captured(torch.device("cuda", 1))]
    one, other, lending, elsewhere = [g.pool for g in graphs]
    assert one is other is not None
    assert lending is None
    assert elsewhere is not None
    assert elsewhere is not one
    del kept
    captured()
    assert graphs[-1].pool is not one, "a pool goes with its last graph"


def test_graphs_of_a_pool_take_turns_on_any_stream(cuda: Cuda) -> None:
    first, second = captured(), captured()
    mine, other = Stream("cuda:0"), Stream("cuda:0")
    for stream, run in ((mine, first), (other, second), (other, first)):
        cuda.streams[0] = stream
        torch.testing.assert_close(run([torch.full((2,), 3.0)])[0], torch.full((2,), 6.0))
    assert mine.waited == []
    assert other.waited == [mine]


def test_graphs_hold_no_more_memory_than_they_may(cuda: Cuda) -> None:
    def large(given: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        cuda.reserved += cuda.total // 4
        return (given[0],)

    kept = [captured(run=large), captured(lent=(0,), run=large)]
    with pytest.raises(RuntimeError, match=r"hold 536,870,912 bytes of cuda:0, and may hold"):
        captured()
    assert captured(torch.device("cuda", 1)) is not None
    kept.pop()
    assert captured() is not None


def test_a_failed_capture_leaves_stream_and_generator_as_they_were(cuda: Cuda) -> None:
    before = cuda.streams[0]

    def waits(_: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        raise RuntimeError("operation not permitted when stream is capturing")

    with pytest.raises(RuntimeError, match="not permitted"):
        captured(run=waits)
    assert cuda.streams[0] is before
    assert not cuda.default_generators[0].captured
    assert captured() is not None


def test_a_graph_keeps_the_constants_that_it_reads(graphs: list[Graph]) -> None:
    seen: list[Any] = []

    def scaled(given: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        factor = _constants.constant((2.0, 5.0), torch.float32, torch.device("cpu"))
        seen.append(ref(factor))
        return (given[0] * factor,)

    again = captured(run=scaled)
    _constants.constant.cache_clear()  # type: ignore[attr-defined]
    gc.collect()
    assert seen[0]() is not None
    del again
    gc.collect()
    assert seen[0]() is None


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_a_captured_dropout_drops_what_it_drops_uncaptured() -> None:
    def dropped(**options: Any) -> list[Any]:
        block = nn.Dropout(0.5)
        block.hybridize(**options)
        random.seed(3)
        x = nd.ones((1000,), ctx=gpu(0))
        with autograd.train_mode():
            found = [block(x).asnumpy() for _ in range(6)]
            if "static_shape" in options:
                assert block.explain(x).why is None
        return found

    found = dropped(static_alloc=True, static_shape=True)
    for k, (one, other) in enumerate(zip(found, dropped(), strict=True)):
        np.testing.assert_array_equal(one, other)
        assert not np.array_equal(one, found[k - 1])


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_a_context_draws_on_where_capturing_fails() -> None:
    with gpu(0):
        device = nd.ones(1).device
        random.seed(4)
        stream = random.generator(device)
        own = table().generator(0, device.handle)

        def run(given: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
            return (given[0] * torch.rand(1, generator=own, device=device.handle).item(),)

        x = torch.ones(2, device=device.handle)
        with pytest.raises(RuntimeError, match="captur"):
            table().capture(run, [x], (), (), device.handle, (own, lambda: stream))
        torch.cuda.synchronize()
        assert nd.random.uniform(shape=(3,)).shape == (3,)
