"""Loops in executors that may take many steps: those that are taken run, and no others."""

from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock
from hy_ndarray import NDArray, ShapeError, autograd, cpu, nd
from hy_ndarray.custom import CustomOp, CustomOpProp, register
from hy_symbol import Executor, sym

STEPS = [0]


class Counted(CustomOp):
    def forward(self, *given: Any) -> None:
        _, req, in_data, out_data, _ = given
        STEPS[0] += 1
        self.assign(out_data[0], req[0], in_data[0] * 2)


@register("counted_doubling")
class CountedProp(CustomOpProp):
    def create_operator(self, *_: Any) -> Counted:
        return Counted()


def loop(most: int, steps: int, body: Any = None) -> tuple[Executor, dict[str, NDArray | None]]:
    """``s`` becomes ``s * w + i``, and ``i`` one more, ``steps`` times."""
    i, s, w = sym.var("i"), sym.var("s"), sym.var("w")
    rows, states = sym.contrib.while_loop(
        lambda i, s: i < steps,
        body or (lambda i, s: (sym.broadcast_mul(s, i), (i + 1, sym.broadcast_add(s * w, i)))),
        [i, s],
        max_iterations=most,
    )
    arrays = {"i": nd.array([0]), "s": nd.array([1, 2, 3]), "w": nd.array([0.5, 1, 2])}
    net = sym.Group([rows, *states])
    arrays = {name: x for name, x in arrays.items() if name in net.list_arguments()}
    gradients = {name: nd.zeros(x.shape) for name, x in arrays.items()}
    return net.bind(cpu(), arrays, gradients), dict(gradients)


@pytest.mark.parametrize("steps", [0, 1, 3, 6])
def test_a_long_loop_has_the_results_and_gradients_of_a_short_one(steps: int) -> None:
    results = []
    for most in (6, 200):  # unrolled, and step by step
        executor, gradients = loop(most, steps)
        rows, *states = executor.forward(is_train=True)
        assert rows.shape == (most, 3)
        assert not rows[steps:].asnumpy().any()
        heads = nd.zeros(rows.shape)
        heads[:6] = nd.array(np.arange(18).reshape(6, 3))
        executor.backward([heads, *(nd.ones(x.shape) for x in states)])
        values = [rows[:6], *states, *gradients.values()]
        results.append([x.asnumpy() for x in values if x is not None])
    for short, long in zip(*results, strict=True):
        np.testing.assert_allclose(long, short, rtol=1e-6)


def test_steps_that_are_not_taken_are_not_computed() -> None:
    def body(i: Any, s: Any) -> Any:
        return s, (i + 1, sym.Custom(s, op_type="counted_doubling"))

    executor, _ = loop(1000, 5, body)
    STEPS[0] = 0
    _, count, last = executor.forward()
    assert (STEPS[0], count.asscalar(), last.asnumpy().tolist()) == (5, 5, [32, 64, 96])


def test_a_long_loop_in_a_loop_and_a_branch_runs_step_by_step() -> None:
    def row(x: Any, total: Any) -> Any:
        _, (_, s) = sym.contrib.while_loop(
            lambda i, s: i < 3, lambda i, s: ([], (i + 1, s + x)), [total * 0, total], 500
        )
        return sym.contrib.cond(sym.sum(s) > 10, lambda: s * 10, lambda: s), s

    rows, last = sym.contrib.foreach(row, sym.var("x"), sym.var("s"))
    arrays = {"x": nd.array([[1], [2], [4]]), "s": nd.array([0])}
    found = sym.Group([rows, last]).bind(cpu(), arrays).forward()
    assert [x.asnumpy().tolist() for x in found] == [[[3], [9], [210]], [21]]


def test_a_contradiction_in_a_long_loop_is_found_when_it_is_bound() -> None:
    with pytest.raises(ShapeError):
        loop(500, 2, lambda i, s: (s, (i + 1, sym.concat(s, s, dim=0))))


def test_a_long_loop_is_listed_and_reshaped() -> None:
    executor, _ = loop(500, 2)
    assert "Total 0 MB allocated" in executor.debug_str()
    smaller = executor.reshape(partial_shaping=True, i=(1,), s=(2,), w=(2,))
    assert smaller.forward()[0].shape == (500, 2)


class Growing(HybridBlock):
    """``s`` is multiplied by 1.5 of the weights as long as ``i`` is below 4."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        with self.name_scope():
            self.w = self.params.get("w", shape=(3,), init="ones")

    def hybrid_forward(self, F: Any, i: Any, s: Any, w: Any) -> Any:
        rows, states = F.contrib.while_loop(
            lambda i, s: i < 4,
            lambda i, s: (F.Custom(s, op_type="counted_doubling"), (i + 1, s * w * 1.5)),
            [i, s],
            max_iterations=self.most,
        )
        return rows, states[1]


@pytest.mark.parametrize("most", [6, 500])
def test_a_hybridized_block_runs_a_long_loop_step_by_step(most: int) -> None:
    net = Growing(most)
    net.initialize()
    i, s = nd.array([1.0]), nd.array([1.0, 2, 3])
    found = []
    for hybridize in (False, True):
        if hybridize:
            net.hybridize()
        STEPS[0] = 0
        with autograd.record():
            rows, last = net(i, s)
            loss = last.sum()
        loss.backward()
        found.append(
            [STEPS[0], rows.shape, last.asnumpy().tolist(), net.w.grad().asnumpy().tolist()]
        )
    assert found[0][:3] == [3, (most, 3), [3.375, 6.75, 10.125]]
    assert found[1][1:] == found[0][1:]
    assert found[1][0] == (3 if most > 100 else 6)  # unrolled, all steps are computed
