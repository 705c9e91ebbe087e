"""Capture in training: the forward and the backward program of a block."""

import threading
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, Trainer, loss, nn
from hy_ndarray import NDArray, autograd, nd, random
from tests.gluon.capturing import STATIC, Capturing, drawn, table, without_capture

__all__ = ["table"]


def net(**how: Any) -> nn.HybridSequential:
    made = nn.HybridSequential()
    made.add(
        nn.Dense(4, in_units=3, activation="tanh"),
        nn.BatchNorm(in_channels=4),
        nn.Dense(2, in_units=4),
    )
    made.initialize()
    for k, parameter in enumerate(made.collect_params().values()):
        draw = np.random.default_rng(k)
        parameter.set_data(nd.array(draw.uniform(0.5, 1.0, parameter.shape)))
    if how:
        made.hybridize(**how)
    return made


def passed(block: HybridBlock, x: NDArray) -> list[Any]:
    """What a forward and a backward pass give: the result, gradients, and moving statistics."""
    with autograd.record():
        y = block(x)
    y.backward(nd.array(np.arange(y.size).reshape(y.shape)))
    return [y.asnumpy(), *states(block)]


def states(block: HybridBlock) -> list[Any]:
    return [
        (p.data() if p.grad_req == "null" else p.grad()).asnumpy().copy()
        for p in block.collect_params().values()
    ]


def same(found: list[Any], wanted: list[Any]) -> None:
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_both_programs_are_captured_and_give_the_same(table: Capturing) -> None:
    block, plain = net(**STATIC), net()
    for k in range(8):
        same(passed(block, drawn(k)), passed(plain, drawn(k)))
    assert table.captured == 2
    assert table.again == (8 - 2) + (8 - 4)  # the backward one begins to count when it can
    with autograd.record():
        assert block.explain(drawn(1)).why is None


def test_without_static_shapes_training_is_not_captured(table: Capturing) -> None:
    block = net(static_alloc=True)
    for k in range(6):
        passed(block, drawn(k))
    assert table.captured == 0


def test_each_shape_has_captured_programs_of_its_own(table: Capturing) -> None:
    block, plain = net(**STATIC), net()
    for k in range(8):
        for count in (5, 7):
            same(passed(block, drawn(k, count)), passed(plain, drawn(k, count)))
    assert table.captured == 4


def test_two_forward_passes_may_come_before_a_backward_pass(table: Capturing) -> None:
    block, plain = net(**STATIC), net()
    for k in range(6):
        passed(block, drawn(k))
        passed(plain, drawn(k))
    for one in (block, plain):
        for parameter in one.collect_params().values():
            if parameter.grad_req != "null":
                parameter.grad_req = "add"
    for one in (block, plain):
        with autograd.record():
            ys = [one(drawn(10)), one(drawn(11)), one(drawn(12))]
        for y in reversed(ys):
            y.backward()
    same(states(block), states(plain))


def test_a_graph_that_is_kept_is_gone_through_again(table: Capturing) -> None:
    block, plain = net(**STATIC), net()
    for k in range(6):
        passed(block, drawn(k))
        passed(plain, drawn(k))
    for one in (block, plain):
        with autograd.record():
            y = one(drawn(9))
        y.backward(retain_graph=True)
        before = states(one)
        with autograd.record():
            one(drawn(8))
        y.backward()
        same(states(one)[:2], before[:2])
    same(states(block), states(plain))


def test_a_result_that_is_let_go_of_frees_what_was_saved(table: Capturing) -> None:
    block = net(**STATIC)
    for k in range(6):
        passed(block, drawn(k))
    before = table.again
    for k in range(3):
        with autograd.record():
            block(drawn(k))
    assert table.again == before + 3


def test_results_stay_as_they_are_when_the_next_are_computed(table: Capturing) -> None:
    block = net(**STATIC)
    for k in range(6):
        passed(block, drawn(k))
    with autograd.record():
        first = block(drawn(1))
    first.backward()
    gradient, value = block[0].weight.grad(), first.asnumpy().copy()
    before = gradient.asnumpy().copy()
    with autograd.record():
        block(drawn(2))
    np.testing.assert_array_equal(first.asnumpy(), value)
    np.testing.assert_array_equal(gradient.asnumpy(), before)


def test_second_gradients_of_a_captured_block_are_recorded(table: Capturing) -> None:
    block = nn.HybridSequential()
    block.add(nn.Dense(2, in_units=3, activation="tanh"))
    block.initialize()
    block.hybridize(**STATIC)
    for k in range(6):
        passed(block, drawn(k))
    x = drawn(3)
    x.attach_grad()

    def slope(called: Any) -> Any:
        with autograd.record():
            (dx,) = autograd.grad(called(x), [x], create_graph=True)
            total = (dx * dx).sum()
        total.backward()
        assert x.grad is not None
        return x.grad.asnumpy().copy()

    found = slope(block)
    block.hybridize(False)
    np.testing.assert_allclose(found, slope(block), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("at", [1, 2], ids=["forward", "backward"])
def test_what_cannot_be_captured_runs_and_says_why(table: Capturing, at: int) -> None:
    block, plain = net(**STATIC), net()
    table.refuses_from = at
    for k in range(8):
        same(passed(block, drawn(k)), passed(plain, drawn(k)))
    with autograd.record():
        assert block.explain(drawn(1)).why == "RuntimeError: a copy to the host"


def test_what_is_dropped_in_captured_training_is_what_the_context_draws(table: Capturing) -> None:
    def learned(**options: Any) -> list[Any]:
        block = nn.HybridSequential()
        block.add(nn.Dense(2, in_units=3), nn.Dropout(0.5))
        block.initialize()
        for parameter in block.collect_params().values():
            parameter.set_data(nd.ones(parameter.shape))
        block.hybridize(**options)
        random.seed(2)
        return [passed(block, drawn(k)) for k in range(8)]

    found = learned(**STATIC)
    assert (table.captured, table.again) == (2, (8 - 2) + (8 - 4))
    for one, other in zip(found, learned(static_alloc=True), strict=True):
        same(one, other)


def test_a_table_may_capture_no_random_numbers_in_training(table: Capturing) -> None:
    table.captures_draws = False
    block = nn.HybridSequential()
    block.add(nn.Dense(2, in_units=3), nn.Dropout(0.5, prefix="drop_"))
    block.initialize()
    block.hybridize(**STATIC)
    for k in range(4):
        passed(block, drawn(k))
    assert table.captured == 0
    with autograd.record():
        assert "'drop_fwd' draws random numbers" in str(block.explain(drawn(1)))


def test_threads_train_each_by_its_own_gradients(table: Capturing) -> None:
    block, plain = net(**STATIC), net()
    inputs = [drawn(k) for k in range(3)]
    wanted = [input_gradient(plain, x) for x in inputs]
    for _ in range(6):
        input_gradient(block, inputs[0])
    right: list[bool] = []

    def work(k: int) -> None:
        right.extend(
            bool(np.allclose(input_gradient(block, inputs[k]), wanted[k], rtol=1e-4, atol=1e-6))
            for _ in range(20)
        )

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 60


def input_gradient(block: HybridBlock, x: NDArray) -> Any:
    own = x.copy()
    own.attach_grad()
    with autograd.record():
        (dx,) = autograd.grad([block(own)], [own])
    return dx.asnumpy()


def test_a_net_learns_the_same_by_capture(table: Capturing) -> None:
    def learned(block: HybridBlock) -> list[Any]:
        trainer = Trainer(block.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
        loss_of = loss.L2Loss()
        loss_of.hybridize(**STATIC)
        for k in range(8):
            with autograd.record():
                found = loss_of(block(drawn(k)), nd.ones((5, 2)))
            found.backward()
            trainer.step(5)
        return [p.data().asnumpy() for p in block.collect_params().values()]

    found = learned(net(**STATIC))
    assert table.captured > 0
    with without_capture(table):
        same(found, learned(net()))
