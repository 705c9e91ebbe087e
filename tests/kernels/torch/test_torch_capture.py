"""CUDA graphs of what draws random numbers; a stand-in shows what is asked of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import pytest
import torch

from hy_gluon import nn
from hy_kernels.torch import table
from hy_ndarray import autograd, gpu, nd, random

CUDA = torch.device("cuda", 0)


class Graph:
    """Notes what it is told, and does again what was done while it was captured."""

    made: "list[Graph]"
    captures: "Graph | None" = None

    def __init__(self) -> None:
        self.generators: list[torch.Generator] = []
        self.again: list[Callable[[], object]] = []
        self.made.append(self)

    def register_generator_state(self, generator: torch.Generator) -> None:
        assert not self.again, "it is captured already"
        self.generators.append(generator)

    def replay(self) -> None:
        for do in self.again:
            do()


@contextmanager
def _captured(graph: Graph, **_: Any) -> Iterator[None]:
    Graph.captures = graph
    try:
        yield
    finally:
        Graph.captures = None


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[Graph]:
    monkeypatch.setattr(Graph, "made", [], raising=False)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", Graph)
    monkeypatch.setattr(torch.cuda, "graph", _captured)
    monkeypatch.setattr(torch.cuda, "device", nullcontext)
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
