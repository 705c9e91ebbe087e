"""Graphs with two products and a softmax between them become one step, and one for gradients."""

from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock
from hy_kernels.triton._overlay import OVERLAYS
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import NDArray, autograd, nd, random
from tests.kernels.attention_nets import (
    MULTIPLYING,
    WAYS,
    Interleaved,
    Multiplied,
    Products,
    Scores,
    added,
    bert,
    hidden,
    interleaved,
    products,
    taken,
    times,
)
from tests.kernels.triton.parity import on_table

FORWARD = ["attention_forward"]
BOTH = [*FORWARD, "attention_along", "attention_backward_keys", "attention_backward_queries"]
TOLERANCES = {"float32": 1e-5, "float16": 2**-8}  # weights and results rounded to 11 bits


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


@pytest.mark.parametrize("trains", [False, True])
@pytest.mark.parametrize("weigh", [times, bert, hidden, added])
@pytest.mark.parametrize("multiply", MULTIPLYING)
def test_keys_may_be_transposed_by_a_step_and_products_have_a_factor(
    multiply: Scores, weigh: Scores, trains: bool
) -> None:
    found = []
    for name in ("triton", "numpy"):
        with on_table(name):
            net, arrays = Multiplied(multiply, weigh), taken(weigh)
            if trains:
                results, launches = trained(net, arrays, 3)
            else:
                y, launches = predicted(net, arrays)
                results = [y.asnumpy()]
        found.append(results)
        if name == "triton":
            assert [x for x in launches if x != "fused"] == (BOTH if trains else FORWARD)
    for mine, right in zip(*found, strict=True):
        np.testing.assert_allclose(mine, right, rtol=0, atol=1e-5)


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
            patch.setattr("hy_kernels.triton._overlay._Selected.__call__", _instead(name, by_torch))
            theirs, launches = once()
        assert [each for each in launches if each.startswith("attention")] != BOTH
        for mine, right in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(mine, right, rtol=0, atol=1e-5)


def _instead(name: str, kernel: Any) -> Any:
    """A call of a table's kernel, which for one name is torch's."""

    def call(self: Any, *tensors: Any, **params: Any) -> Any:
        if self._name == name:
            return kernel.function(*tensors, **params)
        supports = self._supports(*tensors, **params)
        return (self._ours if supports else self._theirs)(*tensors, **params)

    return call


def test_what_somebody_else_reads_stays() -> None:
    with on_table("triton"):
        (_, weights), launches = predicted(Products(times, shown=True), taken(times))
    np.testing.assert_allclose(weights.asnumpy().sum(-1), 1, rtol=1e-5)
    assert not {*launches} & {*FORWARD}


def test_values_whose_product_has_a_factor_stay_two_products() -> None:
    class Doubled(HybridBlock):
        def hybrid_forward(self, F: Any, query: Any, key: Any, value: Any) -> Any:
            weights = F.softmax(F.batch_dot(query, key, transpose_b=True))
            return F.linalg_gemm2(weights, value, alpha=2.0)

    with on_table("triton"):
        _, launches = predicted(Doubled(), taken(times))
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
