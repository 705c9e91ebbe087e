"""The first training pass is computed node by node; programs are made if there is a second one."""

import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import cpu, device_of, random
from hy_symbol import DeferredTraining, Differentiable, Joint, Symbol, TypedGraph, sym
from hy_symbol.compile import linking
from hy_symbol.compile.arena import Pool
from hy_symbol.runtime import deferred, deferred_training

pytestmark = pytest.mark.usefixtures("_on_numpy")  # its buffers

Net = tuple[Symbol, list[Any]]


def runs_of(net: Symbol, arrays: list[Any], pool: Pool | None = None) -> DeferredTraining:
    device = device_of(cpu())
    typed = TypedGraph.of(net.graph, [(array.shape, array.dtype.name) for array in arrays])
    joint = Joint.of(net.graph, range(len(net.list_arguments())), is_train=True)
    return DeferredTraining(joint.partition(device, typed, fuses=pool is not None), pool)


def drawn(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def convolved() -> Net:
    x = sym.Convolution(sym.var("x"), kernel=(3, 3), num_filter=4, name="conv")
    x = sym.Pooling(sym.relu(sym.BatchNorm(x, fix_gamma=False)), kernel=(2, 2), pool_type="max")
    states = [np.zeros(4, np.float32), np.ones(4, np.float32)]
    return x, [drawn(2, 3, 9, 9), drawn(4, 3, 3, 3), drawn(4), drawn(4), drawn(4), *states]


def classified() -> Net:
    x = sym.Activation(sym.FullyConnected(sym.var("x"), num_hidden=5), act_type="relu")
    x = sym.Dropout(sym.FullyConnected(x, num_hidden=4), p=0.5)
    loss = -sym.pick(sym.log_softmax(x), sym.var("label"))
    return loss, [
        *(drawn(3, 8), drawn(5, 8), drawn(5), drawn(4, 5), drawn(4)),
        np.arange(3, dtype=np.float32),
    ]


def unrolled() -> Net:
    x, w = sym.var("x"), sym.var("w")
    y = sym.zeros((2, 3))
    for part in sym.split(x, num_outputs=3, axis=0, squeeze_axis=True):
        i, f = sym.split(sym.dot(part, w) + sym.concat(y, y, dim=1), num_outputs=2, axis=1)
        y = sym.sigmoid(i) * y + sym.tanh(f)
    return sym.Group([sym.reshape(y, shape=(-1,)), x]), [drawn(3, 2, 4), drawn(4, 6)]


def pointwise() -> Net:
    x = sym.var("x")
    return sym.tanh(sym.exp(x) * x + sym.ones((300, 300))), [drawn(300, 300)]


def step(runs: DeferredTraining, arrays: list[Any], last: bool = True) -> list[Any]:
    """Outputs, gradients and states of a pass on copies."""
    random.seed(3)
    inputs = [array.copy() for array in arrays]
    outputs, saved = runs.run(inputs)
    heads = [drawn(*y.shape) for y in outputs]
    found = [*outputs, *runs.gradients(heads, inputs, saved, last=last), *inputs]
    return [np.array(value) for value in found]


NETS = pytest.mark.parametrize("made", [convolved, classified, unrolled, pointwise])


@pytest.mark.parametrize("pool", [False, True], ids=["", "static"])
@NETS
def test_all_passes_give_the_same_bits(made: Callable[[], Net], pool: bool) -> None:
    net, arrays = made()
    runs = runs_of(net, arrays, Pool() if pool else None)
    first, second, third = (step(runs, arrays) for _ in range(3))
    for one, other, last in zip(first, second, third, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, last)


def test_the_first_pass_plans_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = []
    monkeypatch.setattr(Differentiable, "of_partition", lambda *_, **__: planned.append(1))
    net, arrays = classified()
    step(runs_of(net, arrays), arrays)
    assert not planned


@pytest.mark.parametrize("rows", [1, 1 << 13])
def test_large_values_are_in_an_arena_from_the_beginning(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    once: list[int] = []
    compute = deferred.computed_once

    def counted(*args: Any, **kwargs: Any) -> Any:
        once.append(1)
        return compute(*args, **kwargs)

    monkeypatch.setattr(deferred_training, "computed_once", counted)
    x = np.ones((rows, 1024), np.float32)
    step(runs_of(sym.tanh(sym.sigmoid(sym.var("x"))), [x], Pool()), [x])
    assert len(once) == (2 if rows == 1 else 0)


@pytest.mark.parametrize("pool", [False, True], ids=["", "static"])
def test_gradients_of_one_pass_can_be_asked_for_again_and_behind_other_passes(pool: bool) -> None:
    net, arrays = unrolled()
    runs = runs_of(net, arrays, Pool() if pool else None)
    outputs, saved = runs.run([*arrays])
    heads = [drawn(*y.shape) for y in outputs]
    first = runs.gradients(heads, arrays, saved)
    again = runs.gradients(heads, arrays, saved)
    step(runs, arrays)
    behind = runs.gradients(heads, arrays, saved, last=True)
    assert not saved
    for one, other, last in zip(first, again, behind, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, last)


class _Counted(np.ndarray[Any, Any]):
    """An array that can be referred to weakly."""


def test_what_was_saved_is_freed_while_the_first_backward_pass_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alive: list[weakref.ref[Any]] = []
    seen: list[int] = []

    def kernel(*args: Any, **_: Any) -> Any:
        seen.append(sum(ref() is not None for ref in alive))
        y = np.array(args[0]).view(_Counted)
        alive.append(weakref.ref(y))
        return y

    found = linking.LinkedStep(kernel, True, None)
    monkeypatch.setattr(deferred, "linked_step", lambda *_, **__: found)
    net = sym.var("x")
    for _ in range(6):
        net = sym.tanh(net)
    x = np.ones(2)
    runs = runs_of(net, [x])
    outputs, saved = runs.run([x])
    count = sum(ref() is not None for ref in alive)
    assert count == 6
    runs.gradients([np.ones(2)], [x], saved, last=True)
    del outputs
    assert sum(ref() is not None for ref in alive) == 0
    assert seen[-1] < count


def test_threads_may_meet_at_the_first_pass() -> None:
    net, arrays = unrolled()
    expected = step(runs_of(net, arrays), arrays)
    for _ in range(10):
        runs = runs_of(net, arrays)
        right: list[bool] = []
        start = threading.Barrier(4)

        def work(
            runs: DeferredTraining = runs, right: list[bool] = right, start: Any = start
        ) -> None:
            start.wait()
            found = step(runs, arrays)
            right.append(all(map(np.array_equal, found, expected)))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert right == [True] * 4
