"""Arguments of CachedOp: where its outputs go, and how many arrays it takes."""

from collections.abc import Callable
from typing import Any

import pytest

from hy_gluon.execution.cached_op import CachedOp
from hy_ndarray import ArgumentError, autograd, nd
from hy_symbol import sym

a = sym.var("a")
one = CachedOp(a + 1)
two = CachedOp(sym.Group([a + 1, a * 2]))


def test_outputs_are_written_where_they_are_to_go() -> None:
    x, y, z = nd.ones((2,)), nd.zeros((2,)), nd.zeros((2,))
    assert one(x, out=y) is y
    assert y.asnumpy().tolist() == [2, 2]
    assert two(x, out=[y, z])[1] is z
    assert (y.asnumpy().tolist(), z.asnumpy().tolist()) == ([2, 2], [2, 2])
    assert one(x, out=None).asnumpy().tolist() == [2, 2]


def test_gradients_flow_through_an_array_that_is_written_to() -> None:
    x, y = nd.ones((2,)), nd.zeros((2,))
    x.attach_grad()
    with autograd.record():
        one(x, out=y)
        z = y * 3
    z.backward()
    assert x.grad is not None
    assert x.grad.asnumpy().tolist() == [3, 3]


def test_another_number_of_arrays_is_refused() -> None:
    x: Any = nd.ones((2,))
    calls: tuple[Callable[[], Any], ...] = (
        one,
        lambda: one(x, x),
        lambda: two(x, out=x),
        lambda: two(x, out=[x]),
        lambda: one(x, out=3),
    )
    for call in calls:
        with pytest.raises(ArgumentError, match="CachedOp: "):
            call()
