"""Eager convolutions transform an unchanged weight once; a changed one counts at once."""

import gc
from collections.abc import Callable
from threading import Thread
from typing import Any
from weakref import ref

import numpy as np
import pytest

from hy_kernels.numpy.nn.convolution import _winograd
from hy_ndarray import NDArray, autograd, nd, use_kernels

SHAPE = (1, 64, 56, 56)
OPTIONS: dict[str, Any] = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 64, "no_bias": True}


@pytest.fixture(autouse=True)
def table() -> Any:
    with use_kernels("numpy"):
        yield


@pytest.fixture
def packs(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that grows by each transform of a weight: whether it is scratch memory."""
    calls: list[bool] = []
    transformed = _winograd.transformed_weight

    def counted(weight: Any, tile: Any, *, reused: bool = False, **options: Any) -> Any:
        calls.append(reused)
        return transformed(weight, tile, reused=reused, **options)

    monkeypatch.setattr(_winograd, "transformed_weight", counted)
    return calls


def drawn(*shape: int, seed: int = 0) -> NDArray:
    return nd.array(np.random.default_rng(seed).normal(size=shape))


def convolved(x: NDArray, weight: NDArray) -> Any:
    y: NDArray = nd.Convolution(x, weight, **OPTIONS)
    return y.asnumpy()


def test_an_unchanged_weight_is_transformed_twice_and_gives_the_same_bits(
    packs: list[bool],
) -> None:
    x, weight = drawn(*SHAPE), drawn(64, 64, 3, 3, seed=1)
    results = [convolved(x, weight) for _ in range(5)]
    # In the first call nobody knows whether there is a second one.
    assert packs == [True, False]
    for y in results:
        np.testing.assert_array_equal(y, results[0])
    other = drawn(2, 64, 30, 30, seed=2)  # the same packed weight serves other sizes
    y = convolved(other, weight)
    assert packs == [True, False]
    np.testing.assert_array_equal(y, convolved(other, weight.copy()))


def _optimizer_step(weight: NDArray) -> None:
    nd.sgd_update(weight, nd.ones_like(weight), lr=0.5, out=weight)


CHANGES: dict[str, Callable[[NDArray], object]] = {
    "all": lambda weight: weight.__setitem__(slice(None), 0.5),
    "an element": lambda weight: weight.__setitem__((0, 0, 0, 0), 100),
    "a view": lambda weight: weight[3].__setitem__(slice(None), 2),
    "in place": lambda weight: weight.__iadd__(1),
    "out": lambda weight: nd.sigmoid(weight, out=weight),
    "a copy into it": lambda weight: nd.ones_like(weight).copyto(weight),
    "an optimizer": _optimizer_step,
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_weight_counts_in_the_next_call(change: str) -> None:
    x, weight = drawn(*SHAPE), drawn(64, 64, 3, 3, seed=1)
    before, *_ = [convolved(x, weight) for _ in range(3)]
    for _ in range(3):
        CHANGES[change](weight)
        for _ in range(2):
            y = convolved(x, weight)
            assert not np.array_equal(y, before)
            np.testing.assert_array_equal(y, convolved(x, weight.copy()))


def test_a_weight_that_changes_before_each_call_is_not_cached(packs: list[bool]) -> None:
    x, weight = drawn(*SHAPE), drawn(64, 64, 3, 3, seed=1)
    weight.attach_grad()
    for _ in range(4):
        with autograd.record():
            y = nd.Convolution(x, weight, **OPTIONS)
        y.backward()
        _optimizer_step(weight)
    assert packs.count(False) == 0
    assert packs.count(True) >= 4


def test_memory_that_another_library_shares_is_not_cached(packs: list[bool]) -> None:
    x, values = drawn(*SHAPE), np.ones((64, 64, 3, 3), np.float32)
    weight = nd.from_numpy(values, zero_copy=True)
    shared = nd.to_dlpack_for_write(weight)
    for _ in range(3):
        convolved(x, weight)
    assert packs == [True] * 3
    del shared


def test_a_freed_weight_frees_its_transform(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    transformed = _winograd.transformed_weight

    def noted(weight: Any, tile: Any, *, reused: bool = False, **options: Any) -> Any:
        result = transformed(weight, tile, reused=reused, **options)
        if not reused:
            made.append(ref(result.base))
        return result

    monkeypatch.setattr(_winograd, "transformed_weight", noted)
    x, weight = drawn(*SHAPE), drawn(64, 64, 3, 3, seed=1)
    for _ in range(3):
        convolved(x, weight)
    (packed,) = made
    assert packed() is not None
    del weight
    gc.collect()
    assert packed() is None


def test_threads_share_a_weight() -> None:
    x, weight = drawn(*SHAPE), drawn(64, 64, 3, 3, seed=1)
    expected = convolved(x, weight)
    results: list[Any] = []

    def repeat() -> None:
        with use_kernels("numpy"):  # a scope is of one thread
            results.extend(convolved(x, weight) for _ in range(5))

    threads = [Thread(target=repeat) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 20
    for y in results:
        np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(
    "options",
    [
        {"pad": (0, 0)},
        {"stride": (2, 2)},
        {"dilate": (2, 2), "pad": (2, 2)},
        {"num_group": 2, "num_filter": 32},
        {"no_bias": False},
        {"layout": "NCHW"},
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_calls_of_all_kinds_repeat_their_result(options: dict[str, Any], dtype: str) -> None:
    known = {**OPTIONS, **options}
    x = drawn(*SHAPE).astype(dtype)
    filters, groups = known["num_filter"], known.get("num_group", 1)
    weight = drawn(filters, 64 // groups, 3, 3, seed=1).astype(dtype)
    inputs = [x, weight] if known["no_bias"] else [x, weight, drawn(filters, seed=2).astype(dtype)]
    first, *others = [nd.Convolution(*inputs, **known).asnumpy() for _ in range(4)]
    for y in others:
        np.testing.assert_array_equal(y, first)
