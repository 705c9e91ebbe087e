"""Graphs with two products and a softmax between them become one step, and one for gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, nn
from hy_kernels.triton._launch import watched
from hy_kernels.triton._overlay import OVERLAYS
from hy_ndarray import NDArray, autograd, nd, random
from tests.kernels.triton.parity import on_table

FORWARD = ["attention_forward"]
BOTH = [*FORWARD, "attention_along", "attention_backward_keys", "attention_backward_queries"]
TOLERANCES = {"float32": 1e-5, "float16": 2**-8}  # weights and results rounded to 11 bits
Scores = Callable[[Any, Any, Any], Any]


def plain(F: Any, scores: Any, mask: Any) -> Any:  # as Gluon calls it
    return F.softmax(scores)


def times(F: Any, scores: Any, mask: Any) -> Any:
    return F.softmax(scores * 0.5, axis=-1)


def over(F: Any, scores: Any, mask: Any) -> Any:
    return F.softmax(scores / 4, axis=2)


def bert(F: Any, scores: Any, mask: Any) -> Any:
    """As GluonNLP's cells mask: weights of what is hidden are 0."""
    scores = F.where(mask, scores, -1e4 * F.ones_like(scores))
    return F.softmax(scores, axis=-1) * mask


def factor(F: Any, scores: Any, mask: Any) -> Any:
    scores = F.where(mask, scores, F.zeros_like(scores))
    return F.broadcast_mul(mask, F.softmax(scores, axis=-1))


def hidden(F: Any, scores: Any, mask: Any) -> Any:
    return F.softmax(F.where(mask, F.contrib.div_sqrt_dim(scores), -1e4 * F.ones_like(scores)))


def added(F: Any, scores: Any, mask: Any) -> Any:
    return F.softmax(scores + (mask - 1) * 2)


def spread(F: Any, scores: Any, mask: Any) -> Any:
    first = F.slice_axis(mask, axis=1, begin=0, end=1)
    return F.softmax(F.broadcast_add(scores, (first - 1) * 2))


class Products(HybridBlock):
    """Attention as two products."""

    def __init__(self, weigh: Scores, rate: float = 0.0, *, shown: bool = False) -> None:
        super().__init__()
        self.weigh, self.shown = weigh, shown
        with self.name_scope():
            self.drop = nn.Dropout(rate)

    def hybrid_forward(self, F: Any, query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        weights = self.weigh(F, F.batch_dot(query, key, transpose_b=True), mask)
        y = F.batch_dot(self.drop(weights), value)
        return (y, weights) if self.shown else y


class Interleaved(HybridBlock):
    """Attention on projections side by side, of one sequence or of two."""

    def __init__(self, of: str, rate: float = 0.0) -> None:
        super().__init__()
        self.of = of
        with self.name_scope():
            self.drop = nn.Dropout(rate)

    def hybrid_forward(self, F: Any, data: Any, other: Any, length: Any) -> Any:
        if self.of == "self":
            scores = F.contrib.interleaved_matmul_selfatt_qk(data, heads=2)
            weights = self.drop(F.softmax(scores, length, use_length=True, axis=-1))
            y = F.contrib.interleaved_matmul_selfatt_valatt(data, weights, heads=2)
            return y + 0 * F.sum(other)
        scores = F.contrib.interleaved_matmul_encdec_qk(data, other, heads=2)
        weights = self.drop(F.softmax(scores, length, use_length=True, axis=-1))
        return F.contrib.interleaved_matmul_encdec_valatt(other, weights, heads=2)


def products(dtype: str = "float32", sizes: tuple[int, int] = (8, 8)) -> list[NDArray]:
    rng = np.random.default_rng(1)
    shapes = [(4, 5, sizes[0]), (4, 7, sizes[0]), (4, 7, sizes[1])]
    mask = rng.integers(0, 2, (4, 5, 7))
    mask[0, 0] = 0
    given = [nd.array(rng.uniform(-1, 1, shape), dtype=dtype) for shape in shapes]
    return [*given, nd.array(mask, dtype=dtype)]


def interleaved(of: str) -> list[NDArray]:
    rng = np.random.default_rng(2)
    shapes = [(5, 3, 24), (1,)] if of == "self" else [(5, 3, 8), (6, 3, 16)]
    given = [nd.array(rng.uniform(-1, 1, shape), dtype="float32") for shape in shapes]
    return [*given, nd.array(rng.integers(1, 6, (6, 5)), dtype="int32")]


def _step(net: HybridBlock, arrays: list[NDArray]) -> NDArray:
    with autograd.record():
        y: NDArray = net(*arrays)
        y.backward(nd.cos(nd.arange(y.size)).reshape(y.shape).astype(y.dtype))
    return y


def predicted(net: HybridBlock, arrays: list[NDArray], **options: Any) -> tuple[Any, list[str]]:
    """Result of the second call, and what was launched for it."""
    net.initialize()
    net.hybridize(**options)
    net(*arrays)
    with watched() as launches:
        y = net(*arrays)
    return y, [each.name for each in launches]


def trained(
    net: HybridBlock, arrays: list[NDArray], count: int, **options: Any
) -> tuple[list[Any], list[str]]:
    """Result and gradients of the third step, and what was launched for it."""
    net.initialize()
    net.hybridize(**options)
    for x in arrays[:count]:
        x.attach_grad()
    for _ in range(2):  # what comes again is planned
        _step(net, arrays)
    with watched() as launches:
        y = _step(net, arrays)
    found = [y.asnumpy()]
    for x in arrays[:count]:
        assert x.grad is not None
        found.append(x.grad.asnumpy())
    return found, [each.name for each in launches]


UNMASKED: list[Scores] = [plain, times, over]
WAYS = [*UNMASKED, bert, factor, hidden, added, spread]


def taken(weigh: Scores, dtype: str = "float32") -> list[NDArray]:
    """What a net takes."""
    return products(dtype)[: 3 if weigh in UNMASKED else 4]


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("weigh", WAYS)
def test_products_train_as_one_step_and_one_for_gradients(weigh: Scores, dtype: str) -> None:
    found = []
    for name in ("triton", "numpy"):
        with on_table(name):
            results, launches = trained(Products(weigh), taken(weigh, dtype), 3)
        found.append(results)
        if name == "triton":
            assert [each for each in launches if each != "fused"] == BOTH
    for mine, right in zip(*found, strict=True):
        limit = TOLERANCES[dtype] * max(1, float(np.abs(right).max()))
        np.testing.assert_allclose(mine, right, rtol=0, atol=limit)


@pytest.mark.parametrize("options", [{}, {"static_alloc": True}, {"backend": "channels_last"}])
@pytest.mark.parametrize("weigh", WAYS)
def test_products_predict_as_one_step(weigh: Scores, options: dict[str, Any]) -> None:
    found = []
    for name in ("triton", "numpy"):
        with on_table(name):
            y, launches = predicted(Products(weigh, 0.5), taken(weigh), **options)
            found.append(y.asnumpy())
        if name == "triton":
            assert [each for each in launches if each != "fused"] == FORWARD
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-5)


@pytest.mark.parametrize("of", ["self", "two"])
def test_interleaved_projections_train_as_one_step_and_one_for_gradients(of: str) -> None:
    found = []
    for name in ("triton", "numpy"):
        with on_table(name):
            results, launches = trained(Interleaved(of), interleaved(of), 2)
        found.append(results)
        if name == "triton":
            assert [each for each in launches if each.startswith("attention")] == BOTH
            assert "softmax_rows" not in launches
    for mine, right in zip(*found, strict=True):
        np.testing.assert_allclose(mine, right, rtol=0, atol=1e-5)


@pytest.mark.parametrize("options", [{}, {"static_alloc": True}])
@pytest.mark.parametrize("of", ["self", "two", "products"])
def test_dropped_weights_are_the_same_whether_torch_computes_the_step_or_its_gradients(
    of: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def once() -> tuple[list[Any], list[str]]:
        random.seed(3)
        if of == "products":
            return trained(Products(bert, 0.5), products(), 3, **options)
        return trained(Interleaved(of, 0.5), interleaved(of), 2, **options)

    with on_table("triton"):
        ours, launches = once()
    assert [each for each in launches if each.startswith("attention")] == BOTH
    assert ours[0].any()
    for name in ("attention", "attention_backward"):
        with monkeypatch.context() as patch, on_table("triton") as _:
            by_torch = OVERLAYS[name].below
            assert by_torch is not None
            patch.setattr("hy_kernels.triton._overlay._Chosen.__call__", _instead(name, by_torch))
            theirs, launches = once()
        assert [each for each in launches if each.startswith("attention")] != BOTH
        for mine, right in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(mine, right, rtol=0, atol=1e-5)


def _instead(name: str, kernel: Any) -> Any:
    """A call of a table's kernel, which for one name is torch's."""

    def call(self: Any, *tensors: Any, **params: Any) -> Any:
        if self._name == name:
            return kernel.function(*tensors, **params)
        suits = self._suits(*tensors, **params)
        return (self._ours if suits else self._theirs)(*tensors, **params)

    return call


def test_what_somebody_else_reads_stays() -> None:
    with on_table("triton"):
        (_, weights), launches = predicted(Products(times, shown=True), taken(times))
    np.testing.assert_allclose(weights.asnumpy().sum(-1), 1, rtol=1e-5)
    assert not {*launches} & {*FORWARD}


def test_a_mask_that_is_trained_stays_a_step_of_its_own() -> None:
    def biased(F: Any, scores: Any, mask: Any) -> Any:
        return F.softmax(scores + mask)

    found = []
    for name in ("triton", "numpy"):
        with on_table(name):
            results, launches = trained(Products(biased), products(), 4)
        found.append(results)
        assert not {*launches} & {*BOTH}
    for mine, right in zip(*found, strict=True):
        np.testing.assert_allclose(mine, right, rtol=0, atol=1e-5)


@pytest.mark.parametrize("sizes", [(300, 300), (8, 6)])
def test_vectors_that_do_not_suit_stay_two_products(sizes: tuple[int, int]) -> None:
    with on_table("triton"):
        _, launches = predicted(Products(times), products(sizes=sizes)[:3])
    assert not {*launches} & {*FORWARD}
