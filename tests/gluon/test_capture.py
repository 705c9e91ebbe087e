"""Capture: what static shapes ask of a table, and why a program is not captured."""

import gc
import threading
from typing import Any
from weakref import ref

import numpy as np
import pytest

from hy_gluon import nn
from hy_ndarray import autograd, nd, profiler, random, use_kernels
from hy_symbol.execution.cache import MAX_SIGNATURES as KEPT
from hy_symbol.execution.tiers import Tier
from tests.gluon.capturing import STATIC, Capturing, drawn, table
from tests.profiles import configure, finish

__all__ = ["table"]


def net(*more: nn.HybridBlock) -> nn.HybridSequential:
    made = nn.HybridSequential()
    made.add(nn.Dense(4, in_units=3, activation="relu"), *more, nn.Dense(2, in_units=4))
    made.initialize()
    made.hybridize(**STATIC)
    return made


def values(block: nn.HybridSequential, x: nd.NDArray) -> Any:
    """What the layers compute."""
    hidden = np.maximum(x.asnumpy() @ weights(block[0])[0].T + weights(block[0])[1], 0)
    return hidden @ weights(block[1])[0].T + weights(block[1])[1]


def weights(layer: Any) -> tuple[Any, Any]:
    weight, bias = layer.weight.list_data()[0], layer.bias.list_data()[0]
    return weight.asnumpy(), bias.asnumpy()


def test_a_program_is_captured_when_it_runs_for_the_third_time(table: Capturing) -> None:
    block = net()
    for k in range(5):
        np.testing.assert_allclose(
            block(drawn(k)).asnumpy(), values(block, drawn(k)), rtol=1e-4, atol=1e-6
        )
        assert (table.captured, table.again) == ((0, 0) if k < 2 else (1, k - 1))
    assert str(block.explain(drawn(1))).endswith("; captured")


def test_without_static_shapes_nothing_is_captured(table: Capturing) -> None:
    block = net()
    block.hybridize(static_alloc=True)
    for k in range(4):
        block(drawn(k))
    assert table.captured == 0
    assert block.explain(drawn(1)).why == "shapes are not static"


def test_each_shape_is_captured_for_itself(table: Capturing) -> None:
    block = net()
    for _ in range(4):
        for count in (5, 7):
            x = drawn(count, count)
            np.testing.assert_allclose(block(x).asnumpy(), values(block, x), rtol=1e-4, atol=1e-6)
    assert table.captured == 2


def test_more_shapes_than_are_kept_give_way_to_each_other(table: Capturing) -> None:
    block = net()
    for count in range(1, KEPT + 3):
        x = drawn(count, count)
        for _ in range(4):
            np.testing.assert_allclose(block(x).asnumpy(), values(block, x), rtol=1e-4, atol=1e-6)
    assert table.captured == KEPT + 2
    block(drawn(0, KEPT + 2))
    assert table.captured == KEPT + 2  # it is still there
    x = drawn(7, 1)
    for k in range(4):  # it made way
        np.testing.assert_allclose(block(x).asnumpy(), values(block, x), rtol=1e-4, atol=1e-6)
        assert table.captured == KEPT + (2 if k < 2 else 3)


def test_what_gave_way_is_freed(table: Capturing) -> None:
    block = net()
    for _ in range(3):
        block(drawn(1, 1))
    held = [ref(again) for again in table.made]
    assert [again() is None for again in held] == [False]
    for count in range(2, KEPT + 2):
        block(drawn(1, count))
    gc.collect()
    assert [again() is None for again in held] == [True]


def test_each_context_has_a_capture_of_its_own(table: Capturing) -> None:
    if table.count(table.contexts[0].device_type) < 2 and table.plain == "torch":
        pytest.skip("there is one GPU")
    block = net()
    block.collect_params().reset_ctx(list(table.contexts))
    for k in range(5):
        for context in table.contexts:
            x = drawn(k).as_in_context(context)
            found = block(x)
            assert found.context == context
            np.testing.assert_allclose(found.asnumpy(), values(block, x), rtol=1e-4, atol=1e-6)
    assert (table.captured, table.again) == (2, 6)


def test_weights_may_change_between_runs(table: Capturing) -> None:
    block = net()
    for k in range(5):
        block[0].weight.set_data(nd.ones((4, 3)) * k)
        np.testing.assert_allclose(
            block(drawn(k)).asnumpy(), values(block, drawn(k)), rtol=1e-4, atol=1e-6
        )
    assert table.captured == 1


def test_weights_that_moved_are_captured_anew_a_few_times(table: Capturing) -> None:
    block, x = net(), drawn(1)
    for _ in range(8):
        block[0].weight._data[0]._data = block[0].weight.data().copy().buffer
        np.testing.assert_allclose(block(x).asnumpy(), values(block, x), rtol=1e-4, atol=1e-6)
    assert table.captured == 4
    assert "not captured: its parameters are others again and again" in str(block.explain(x))


def test_what_cannot_be_captured_runs_and_says_why(table: Capturing) -> None:
    block, x = net(), drawn(1)
    table.refuses_from = 1
    for _ in range(4):
        np.testing.assert_allclose(block(x).asnumpy(), values(block, x), rtol=1e-4, atol=1e-6)
    assert "not captured: RuntimeError: a copy to the host" in str(block.explain(x))


def test_captured_programs_draw_anew_what_the_context_would_draw(table: Capturing) -> None:
    def dropped(**options: Any) -> list[Any]:
        block = nn.Dropout(0.5)
        block.hybridize(**options)
        random.seed(3)
        found = []
        with autograd.train_mode():
            for k in range(6):
                found.append(block(nd.ones((20,))).asnumpy())
                found.append(nd.random.uniform(shape=(3,)).asnumpy())  # in between
                if k == 4:
                    random.seed(5)
        return found

    found = dropped(**STATIC)
    assert (table.captured, table.again) == (1, 4)
    assert not np.array_equal(found[4], found[6])
    for one, other in zip(found, dropped(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_table_may_capture_no_random_numbers(table: Capturing) -> None:
    table.captures_draws = False
    block = net(nn.Dropout(0.5, prefix="drop_"))
    with autograd.train_mode():
        for _ in range(4):
            block(drawn(1))
        assert str(block.explain(drawn(1))).endswith(
            "not captured: 'drop_fwd' draws random numbers, "
            f"and the table {table.plain!r} captures none"
        )
    assert table.captured == 0


def test_a_table_that_captures_nothing_is_named() -> None:
    block, x = net(), drawn(1)
    block(x)
    with use_kernels("numpy"):
        block(x)  # perhaps for the first time on this table
        found = block.explain(x)
        assert found.tier is Tier.COMPILED
        assert found.why == "the table 'numpy' captures nothing on cpu(0)"


def test_steps_are_seen_while_they_are_observed(table: Capturing, trace_file: Any) -> None:
    block, x = net(), drawn(1)
    for _ in range(4):
        block(x)
    before = table.again
    configure(trace_file)
    profiler.set_state("run")
    block(x)
    profiler.set_state("stop")
    assert table.again == before
    finish()
    block(x)
    assert table.again == before + 1


def test_threads_take_turns(table: Capturing) -> None:
    block = net()
    inputs = [drawn(k) for k in range(4)]
    wanted = [values(block, x) for x in inputs]
    right: list[bool] = []

    def work(k: int) -> None:
        right.extend(
            bool(np.allclose(block(inputs[k]).asnumpy(), wanted[k], rtol=1e-4, atol=1e-6))
            for _ in range(20)
        )

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 80
