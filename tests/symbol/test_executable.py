"""Graphs for prediction run node by node at first, and are planned and compiled afterwards."""

import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import KernelError, cpu, device_of
from hy_symbol import Executable, Program, Symbol, TypedGraph, sym
from hy_symbol.compile import linking
from hy_symbol.compile.arena import Pool
from hy_symbol.execution import calls
from hy_symbol.execution.cache import PredictionPlans
from hy_symbol.execution.tiers import LONG_RUNS_BEFORE_CODE, MAX_SMALL_NODES, Tier

pytestmark = pytest.mark.usefixtures("_on_numpy")  # its buffers


def runs_of(net: Symbol, *arrays: Any, pool: Pool | None = None) -> Executable:
    known = [(array.shape, array.dtype.name) for array in arrays]
    return PredictionPlans(device_of(cpu()), pool).executable(TypedGraph.of(net.graph, known))


def drawn(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def convolved() -> tuple[Symbol, list[Any]]:
    x = sym.Convolution(sym.var("x"), kernel=(3, 3), num_filter=4, name="conv")
    net = sym.Pooling(sym.relu(x), kernel=(2, 2), pool_type="avg")
    return net, [drawn(2, 3, 9, 9), drawn(4, 3, 3, 3), drawn(4)]


def dense() -> tuple[Symbol, list[Any]]:
    net = sym.Activation(sym.FullyConnected(sym.var("x"), num_hidden=5), act_type="relu")
    return net + 1, [drawn(3, 8), drawn(5, 8), drawn(5)]


def split() -> tuple[Symbol, list[Any]]:
    parts = sym.split(sym.var("x"), num_outputs=3, axis=1)
    return sym.Group([parts[0] * parts[2], sym.reshape(parts[1], shape=(-1,))]), [drawn(4, 6)]


def pointwise() -> tuple[Symbol, list[Any]]:
    x = sym.var("x")
    return sym.tanh(sym.exp(x) * x + sym.ones((300, 300))), [drawn(300, 300)]


@pytest.mark.parametrize("pool", [False, True], ids=["", "static"])
@pytest.mark.parametrize("made", [convolved, dense, split, pointwise])
def test_all_runs_give_the_same_bits(
    made: Callable[[], tuple[Symbol, list[Any]]], pool: bool
) -> None:
    net, arrays = made()
    runs = runs_of(net, *arrays, pool=Pool() if pool else None)
    first, second, third = (runs.run([*arrays]) for _ in range(3))
    for one, other, last in zip(first, second, third, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, last)


def test_the_first_run_plans_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(Program, "in_pool", lambda *_: made.append(1))
    net, arrays = dense()
    runs_of(net, *arrays).run([*arrays])
    assert not made


@pytest.mark.parametrize(
    ("nodes", "interpreted"), [(MAX_SMALL_NODES, 1), (MAX_SMALL_NODES + 1, LONG_RUNS_BEFORE_CODE)]
)
def test_larger_graphs_are_interpreted_in_more_runs(nodes: int, interpreted: int) -> None:
    net = sym.var("x")
    for _ in range(nodes - 1):
        net = sym.sin(net)
    x = drawn(3)
    runs = runs_of(net, x)
    in_other_memory = runs.in_memory_of(Pool())
    tiers, results = [], []
    for k in range(interpreted + 2):
        one = (runs, in_other_memory)[k % 2]  # runs in the memory of all callers count together
        results.append(one.run([x])[0])
        tiers.append(one.tier)
    assert tiers == [Tier.INTERPRETED] * interpreted + [Tier.COMPILED] * 2
    assert all(np.array_equal(result, results[0]) for result in results)


def test_an_executable_tells_how_many_runs_are_interpreted() -> None:
    net = sym.var("x")
    for _ in range(MAX_SMALL_NODES):
        net = sym.sin(net)
    x = drawn(3)
    runs = runs_of(net, x)
    found = [runs.why]
    for _ in range(LONG_RUNS_BEFORE_CODE + 1):
        runs.run([x])
        found.append(runs.why)
    again = "it is compiled when it runs again"
    assert found == [
        *(f"it is compiled after {n}" for n in ("3 more runs", "2 more runs", "1 more run")),
        again,
        None,
    ]


def test_an_input_may_be_an_output_and_an_output_may_be_given_twice() -> None:
    a = sym.var("a")
    y = sym.square(a)
    x = np.array([3.0])
    found = runs_of(sym.Group([a, y, y]), x).run([x])
    assert [value[0] for value in found] == [3.0, 9.0, 9.0]


def test_states_that_an_operator_writes_are_written() -> None:
    net = sym.sgd_mom_update(*map(sym.var, ("w", "g", "m")), lr=0.5, momentum=0.5)
    w, g, m = (np.full(2, x, np.float32) for x in (1.0, 2.0, 4.0))
    (found,) = runs_of(net, w, g, m).run([w, g, m])
    np.testing.assert_array_equal(m, [1.0, 1.0])
    np.testing.assert_array_equal(found, [2.0, 2.0])


def test_random_numbers_differ_between_runs() -> None:
    runs = runs_of(sym.random.uniform(shape=(8,)))
    assert not np.array_equal(runs.run([])[0], runs.run([])[0])


class _Counted(np.ndarray[Any, Any]):
    """An array that can be referred to weakly."""


def test_values_are_freed_after_their_last_use(monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[weakref.ref[Any]] = []
    seen: list[int] = []

    def kernel(x: Any) -> Any:
        seen.append(sum(ref() is not None for ref in alive))
        y = np.array(x).view(_Counted)
        alive.append(weakref.ref(y))
        return y

    step = linking.LinkedStep(kernel, True, None)
    monkeypatch.setattr(calls, "linked_step", lambda *_, **__: step)
    net = sym.var("x")
    for _ in range(6):
        net = sym.relu(net)
    runs_of(net, np.ones(2)).run([np.ones(2)])
    assert len(seen) == 6
    assert max(seen) <= 1


def test_a_failing_kernel_is_reported_with_its_operands(monkeypatch: pytest.MonkeyPatch) -> None:
    def kernel(x: Any) -> Any:
        raise RuntimeError("out of order")

    step = linking.LinkedStep(kernel, True, None)
    monkeypatch.setattr(calls, "linked_step", lambda *_, **__: step)
    with pytest.raises(KernelError, match=r"relu 'act': the kernel failed on .*out of order") as e:
        runs_of(sym.relu(sym.var("x"), name="act"), np.ones(2)).run([np.ones(2)])
    assert any("node made at" in note for note in e.value.__notes__)


def test_threads_may_meet_at_the_first_run() -> None:
    net, arrays = dense()
    expected = runs_of(net, *arrays).run([*arrays])[0]
    for _ in range(20):
        runs = runs_of(net, *arrays)
        right: list[bool] = []
        start = threading.Barrier(4)

        def work(runs: Executable = runs, right: list[bool] = right, start: Any = start) -> None:
            start.wait()
            right.append(np.array_equal(runs.run([*arrays])[0], expected))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert right == [True] * 4
