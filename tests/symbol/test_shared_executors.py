"""Executors that are bound to one symbol for arrays of the same types share what is planned."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, cpu, nd
from hy_symbol import Differentiable, Executor, Symbol, sym
from hy_symbol.compile.planning import plan
from hy_symbol.execution.cache import MAX_SIGNATURES, shared_caches

SHAPE = (64, 128)  # large enough for an arena


def net() -> Symbol:
    hidden = sym.tanh(sym.FullyConnected(sym.var("x"), num_hidden=64, name="fc"))
    return sym.make_loss(sym.sum(sym.square(hidden) * sym.var("scale")))


def bound(symbol: Symbol, shape: tuple[int, int] = SHAPE) -> Executor:
    found = symbol.simple_bind(cpu(), x=shape, scale=(shape[0], 64))
    for k, array in enumerate(found.arg_arrays):
        array[:] = drawn(array.shape, k)
    return found


def drawn(shape: tuple[int, ...], seed: int = 0) -> NDArray:
    return nd.array(np.random.default_rng(seed).normal(size=shape))


def passed(executor: Executor) -> list[Any]:
    (y,) = executor.forward(is_train=True)
    executor.backward()
    return [y.asnumpy(), *(x.asnumpy() for x in executor.grad_arrays if x is not None)]


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was planned, of graphs that are not known yet."""
    shared_caches.forget()
    made: list[str] = []
    of_partition = Differentiable.of_partition

    def planned(*args: Any, **kwargs: Any) -> Any:
        made.append("Program")
        return plan(*args, **kwargs)

    def differentiated(*args: Any, **kwargs: Any) -> Any:
        made.append("Differentiable")
        return of_partition(*args, **kwargs)

    monkeypatch.setattr("hy_symbol.execution.program.plan", planned)
    monkeypatch.setattr(Differentiable, "of_partition", differentiated)
    return made


def test_a_symbol_that_is_bound_again_is_planned_once(planned: list[str]) -> None:
    symbol = net()
    values = [bound(symbol).forward()[0].asnumpy() for _ in range(3)]
    assert planned == ["Program"]
    np.testing.assert_array_equal(values[0], values[2])
    passes = [passed(bound(symbol)) for _ in range(3)]
    assert planned == ["Program", "Differentiable"]
    for first, last in zip(passes[0], passes[2], strict=True):
        np.testing.assert_array_equal(first, last)


def test_other_shapes_and_other_symbols_are_planned_for_themselves(planned: list[str]) -> None:
    symbol = net()
    for executor in (bound(symbol), bound(symbol, (32, 128)), bound(net())):
        for _ in range(3):
            executor.forward()
    assert len(planned) == 3


def test_a_graph_that_predicts_once_is_not_planned(planned: list[str]) -> None:
    bound(net()).forward()
    assert not planned


def test_executors_that_share_a_plan_keep_their_values_apart() -> None:
    symbol = net()
    first, second = bound(symbol), bound(symbol)
    expected = passed(first)
    second.arg_dict["x"][:] = 2
    (y,) = first.forward(is_train=True)
    second.forward(is_train=True)  # while what the first one saved is still needed
    first.backward()
    found = [y.asnumpy(), *(x.asnumpy() for x in first.grad_arrays if x is not None)]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_is_shared_is_freed_with_the_last_equal_graph() -> None:
    symbol = net()
    executor = bound(symbol)
    executor.forward()
    kept = weakref.ref(executor._executables)
    pool = weakref.ref(executor._own.options.pool)
    del executor
    gc.collect()
    assert kept() is not None
    assert pool() is None  # the memory of an executor goes with it
    del symbol
    shared_caches.forget()
    gc.collect()
    assert kept() is None


def test_only_so_many_signatures_are_cached() -> None:
    symbol = net()
    caches = {bound(symbol, (n, 128))._executables.cache for n in range(1, MAX_SIGNATURES + 4)}
    (cache,) = caches
    assert len(cache.signatures) == MAX_SIGNATURES
