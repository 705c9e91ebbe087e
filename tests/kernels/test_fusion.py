"""Pointwise steps that a table makes one kernel of."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy import table
from hy_ndarray import PointwiseGroup, PointwiseStep
from tests.changed_costs import change_costs

SIZE = 10
GROUP = PointwiseGroup(  # (x + y) * 2 and relu((x + y) * 2 - y)
    2,
    (
        PointwiseStep("broadcast_add", (0, 1), {}),
        PointwiseStep("mul_scalar", (2,), {"scalar": 2.0, "is_int": False}),
        PointwiseStep("broadcast_sub", (3, 1), {}),
        PointwiseStep("relu", (4,), {}),
    ),
    (3, 5),
    ((2, 5), "float64"),
)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    change_costs(monkeypatch, blocks={"pointwise": 3}, threads={"pointwise": 4})


def operands() -> tuple[Any, Any]:
    x = np.linspace(-1, 1, SIZE).reshape(2, 5)
    return x, np.cos(x)


def expected() -> tuple[Any, Any]:
    x, y = operands()
    doubled = (x + y) * 2.0
    return doubled, np.maximum(doubled - y, 0)


def check(results: Any) -> None:
    for result, value in zip(results, expected(), strict=True):
        np.testing.assert_array_equal(result, value)


def test_it_is_the_steps_in_turn() -> None:
    kernel = table().fuse(GROUP)
    assert kernel.name == "broadcast_add+mul_scalar+broadcast_sub+relu"
    check(kernel.function(*operands()))


def test_results_lie_in_the_memory_that_is_given_even_that_of_an_input_read_before() -> None:
    x, y = operands()
    results = table().fuse(GROUP).function(x, y, out=(x, y))
    assert results[0] is x
    assert results[1] is y
    check(results)


def test_memory_with_gaps_is_left_alone() -> None:
    x, y = operands()
    gaps = np.full((2, 10), 7.0)
    results = table().fuse(GROUP).function(x, y, out=(gaps[:, ::2], None))
    check(results)
    assert (gaps == 7).all()


def test_operands_may_have_gaps() -> None:
    x, y = operands()
    check(table().fuse(GROUP).function(np.asfortranarray(x), np.repeat(y, 2, axis=1)[:, ::2]))
