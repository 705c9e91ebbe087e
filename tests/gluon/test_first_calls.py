"""Any number of threads may call one block, the first time too, while others change it."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, nn, rnn
from hy_ndarray import NDArray, autograd, nd
from tests.gluon.races import ROUNDS, race

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("_short_turns"),
    # BLAS raised this flag for finite numbers, seldom, in threads; tables ignore it, too
    pytest.mark.filterwarnings("ignore:invalid value encountered in dot:RuntimeWarning"),
]
THREADS = 16


class Plain(HybridBlock):
    """Without F, with a parameter of its own."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.inner = nn.Dense(4)
            self.scale = self.params.get("scale", shape=(1, 4), init="ones")

    def forward(self, x: Any, *_: Any) -> Any:
        return nd.broadcast_mul(nd.relu(self.inner(x)), self.scale.data())


class ReadsShape(HybridBlock):
    """A graph for each shape."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.inner = nn.Dense(4)

    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        return F.slice_axis(self.inner(x), axis=1, begin=0, end=min(x.shape[0], 4))


def stacked(*blocks: HybridBlock) -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(*blocks)
    return net


def deep() -> HybridBlock:
    return stacked(
        nn.Dense(6, activation="relu"),
        nn.BatchNorm(),
        stacked(nn.Dense(5), nn.Dropout(0.5)),
        Plain(),
    )


BLOCKS: dict[str, Callable[[], HybridBlock]] = {
    "dense": partial(nn.Dense, 3),
    "deep": deep,
    "plain": Plain,
    "reads_shape": ReadsShape,
}
WAYS: dict[str, dict[str, Any] | None] = {
    "eager": None,
    "hybrid": {},
    "static": {"static_alloc": True, "static_shape": True},
}


def fresh(make: Callable[[], HybridBlock], way: str) -> HybridBlock:
    block = make()
    block.initialize()
    flags = WAYS[way]
    if flags is not None:
        block.hybridize(**flags)
    return block


def some(rng: np.random.Generator) -> list[NDArray]:
    return [nd.array(rng.standard_normal((n % 3 + 1, 5))) for n in range(THREADS)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", BLOCKS)
def test_first_calls_in_threads_give_what_later_calls_give(
    kind: str, way: str, rng: np.random.Generator
) -> None:
    for _ in range(ROUNDS):
        block, inputs = fresh(BLOCKS[kind], way), some(rng)
        results = race([partial(block, x) for x in inputs])
        for x, y in zip(inputs, results, strict=True):
            np.testing.assert_array_equal(y.asnumpy(), block(x).asnumpy())


@pytest.mark.parametrize("way", WAYS)
def test_first_calls_of_blocks_that_share_parameters(way: str, rng: np.random.Generator) -> None:
    for _ in range(ROUNDS):
        first = nn.Dense(3)
        blocks = [first, *(nn.Dense(3, params=first.params) for _ in range(3))]
        first.initialize()
        for block in blocks[1 if way == "static" else 0 :]:
            block.hybridize(way != "eager")
        inputs = some(rng)
        results = race([partial(blocks[i % 4], x) for i, x in enumerate(inputs)])
        weight, bias = (p.data().asnumpy() for p in first.params.values())
        for x, y in zip(inputs, results, strict=True):
            expected = x.asnumpy() @ weight.T + bias  # sums of five terms may all but cancel
            np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", BLOCKS)
def test_a_block_may_be_hybridized_while_it_is_called(kind: str, rng: np.random.Generator) -> None:
    for _ in range(ROUNDS):
        block, inputs = fresh(BLOCKS[kind], "hybrid"), some(rng)

        def change(block: HybridBlock = block) -> None:
            for active, static in ((True, True), (False, False), (True, False), (True, True)):
                block.hybridize(active, static_alloc=static)

        results = race([change, *(partial(block, x) for x in inputs)])[1:]
        for x, y in zip(inputs, results, strict=True):
            np.testing.assert_allclose(y.asnumpy(), block(x).asnumpy(), rtol=1e-5, atol=1e-6)


class Words(HybridBlock):
    """Takes whole numbers, whatever the dtype of its parameters."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.vectors = nn.Embedding(7, 4)
            self.dense = nn.Dense(3)
            self.norm = nn.LayerNorm()

    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:  # noqa: ARG002
        return self.norm(self.dense(self.vectors(x)))


@pytest.mark.parametrize("way", ["hybrid", "static"])
def test_a_call_sees_the_old_dtype_or_the_new_one(way: str, rng: np.random.Generator) -> None:
    for _ in range(ROUNDS):
        block = fresh(Words, way)
        inputs = [nd.array(rng.integers(0, 7, (2, 3)), dtype="int32") for _ in range(THREADS)]

        def change(block: HybridBlock = block) -> None:
            for dtype in ("float64", "float32", "float64"):
                block.cast(dtype)

        results = race([change, *(partial(block, x) for x in inputs)])[1:]
        for dtype in ("float64", "float32"):
            block.cast(dtype)
            for x, y in zip(inputs, results, strict=True):
                if np.dtype(y.dtype) == dtype:
                    np.testing.assert_allclose(
                        y.asnumpy(), block(x).asnumpy(), rtol=1e-4, atol=1e-5
                    )
        assert {np.dtype(y.dtype).name for y in results} <= {"float32", "float64"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", BLOCKS)
def test_training_may_begin_in_threads(kind: str, way: str, rng: np.random.Generator) -> None:
    def step(block: HybridBlock, x: NDArray) -> tuple[Any, Any]:
        with autograd.record(train_mode=False):
            y = block(x)
        (dx,) = autograd.grad(y, [x])
        return y.asnumpy(), dx.asnumpy()

    for _ in range(ROUNDS):
        block, inputs = fresh(BLOCKS[kind], way), some(rng)
        for x in inputs:
            x.attach_grad()
        results = race([partial(step, block, x) for x in inputs])
        for x, found in zip(inputs, results, strict=True):
            for a, b in zip(found, step(block, x), strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("way", WAYS)
def test_layers_that_draw_and_that_count_train_in_threads(
    way: str, rng: np.random.Generator
) -> None:
    def step(block: HybridBlock, x: NDArray) -> Any:
        with autograd.record():
            y = block(x)
        y.backward()
        return y.asnumpy()

    for _ in range(ROUNDS):
        block = fresh(lambda: stacked(nn.Dropout(0.5), nn.BatchNorm(scale=False)), way)
        x = rng.integers(1, 9, (64, 4)).astype("float32")
        for y in race([partial(step, block, nd.array(x)) for _ in range(THREADS)]):
            np.testing.assert_allclose(y.mean(0), 0, atol=1e-4)  # each by its own batch
            np.testing.assert_allclose(y.std(0), 1, atol=1e-3)
        found = block.collect_params(".*running_mean").values()
        mean = next(iter(found)).data().asnumpy()
        assert (mean > 0).all()
        assert (mean < x.max()).all()


@pytest.mark.parametrize("way", WAYS)
def test_recurrent_layers_with_and_without_states(way: str, rng: np.random.Generator) -> None:
    for _ in range(ROUNDS):
        layer = fresh(partial(rnn.LSTM, 4), way)
        x = nd.array(rng.standard_normal((3, 2, 5)))
        states = [nd.zeros((1, 2, 4)), nd.zeros((1, 2, 4))]
        jobs = [partial(layer, x), partial(layer, x, states)] * (THREADS // 2)
        results = race(jobs)
        expected = layer(x).asnumpy()
        for i, found in enumerate(results):
            y = found[0] if i % 2 else found
            assert isinstance(y, NDArray)
            np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5, atol=1e-6)
