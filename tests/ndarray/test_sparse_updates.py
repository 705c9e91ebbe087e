"""Lazy updates: optimizers' steps change only the rows of a row_sparse gradient."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import nd
from hy_ndarray.nd import sparse
from hy_ndarray.sparse.rows import rows_of, write_rows

WEIGHT = np.arange(10, dtype="float32").reshape(5, 2) / 10 + 0.1
ROWS = [1, 3]


def gradient() -> Any:
    return sparse.row_sparse_array(([[1, 2], [3, 4]], ROWS), shape=(5, 2))


# Operator, states, parameters, and what MXNet 1.9.1 makes of the weight in two steps.
STEPS: list[tuple[str, int, dict[str, float], list[list[float]]]] = [
    ("sgd_update", 0, {"lr": 0.1, "wd": 0.01}, [[0.0995, -0.0006], [0.0989, -0.0012]]),
    (
        "sgd_mom_update",
        1,
        {"lr": 0.1, "wd": 0.01, "momentum": 0.9},
        [[0.0092, -0.181], [-0.1717, -0.3619]],
    ),
    ("_sparse_adagrad_update", 1, {"lr": 0.1}, [[0.1293, 0.2293], [0.5293, 0.6293]]),
    (
        "_sparse_adagrad_update",
        1,
        {"lr": 0.1, "rescale_grad": 0.5, "clip_gradient": 1.2},
        [[0.1293, 0.2293], [0.5293, 0.6293]],
    ),
    ("_contrib_group_adagrad_update", 1, {"lr": 0.1}, [[0.192, 0.1841], [0.5551, 0.6069]]),
]


def call(name: str, *args: Any, **params: Any) -> Any:
    prefix, _, rest = name.partition("_sparse_" if "_sparse_" in name else "_contrib_")
    space = {"_sparse_": nd.sparse, "_contrib_": nd.contrib}.get(name.removesuffix(rest), nd)
    return getattr(space, rest or prefix)(*args, **params)


def states_of(name: str, count: int, stype: str) -> list[Any]:
    width = 1 if "group" in name else 2
    return [nd.zeros((5, width), stype=stype) for _ in range(count)]


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
@pytest.mark.parametrize(("name", "states", "params", "expected"), STEPS)
def test_a_lazy_step_changes_the_rows_of_the_gradient_as_mxnet_does(
    name: str, states: int, params: dict[str, float], expected: list[list[float]], stype: str
) -> None:
    weight = nd.array(WEIGHT).tostype(stype)
    kept = states_of(name, states, stype)
    eps = {"epsilon": 1e-7 if "_sparse_" in name else 1e-5} if "adagrad" in name else {}
    for _ in range(2):
        call(name, weight, gradient(), *kept, **params, **eps, out=weight)
    wanted = WEIGHT.copy()
    wanted[ROWS] = expected
    np.testing.assert_allclose(weight.asnumpy(), wanted, atol=6e-5)
    assert {weight.stype, *[x.stype for x in kept]} == {stype}
    for x in kept:
        assert np.flatnonzero(x.asnumpy().any(axis=1)).tolist() == ROWS


@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize("stype", ["default", "row_sparse"])
def test_without_lazy_update_all_rows_decay(stype: str, lazy: bool) -> None:
    weight = nd.array(WEIGHT).tostype(stype)
    params = {"lr": 0.1, "wd": 0.5}
    weights = weight, nd.array(WEIGHT)
    for target, grad in zip(weights, (gradient(), gradient().tostype("default")), strict=True):
        states = states_of("", 2, "default")
        call("adam_update", target, grad, *states, **params, lazy_update=lazy, out=target)
    wanted = weights[1].asnumpy()
    if lazy:
        others = [0, 2, 4]
        wanted[others] = WEIGHT[others]
    np.testing.assert_allclose(weight.asnumpy(), wanted, rtol=1e-6)


def test_ftrl_is_lazy_for_row_sparse_weights_alone() -> None:
    params = {"lr": 0.1, "lamda1": 0.01, "wd": 0.1}
    weight = nd.array(WEIGHT).tostype("row_sparse")
    kept = states_of("", 2, "row_sparse")
    call("ftrl_update", weight, gradient(), *kept, **params, out=weight)
    wanted = WEIGHT.copy()
    wanted[ROWS] = [[0.099, 0.199], [0.4486, 0.5587]]
    np.testing.assert_allclose(weight.asnumpy(), wanted, atol=6e-5)
    dense = nd.array(WEIGHT)
    call("ftrl_update", dense, gradient(), *states_of("", 2, "default"), **params, out=dense)
    np.testing.assert_array_equal(dense.asnumpy()[[0, 2, 4]], 0)


def test_a_step_without_out_gives_a_new_weight() -> None:
    weight = nd.array(WEIGHT)
    new = nd.sgd_update(weight, gradient(), lr=0.1)
    np.testing.assert_array_equal(weight.asnumpy(), WEIGHT)
    np.testing.assert_allclose(new.asnumpy()[ROWS], [[0.2, 0.2], [0.4, 0.4]], rtol=1e-6)


def test_a_gradient_without_rows_changes_nothing() -> None:
    weight = nd.array(WEIGHT)
    none = nd.zeros((5, 2), stype="row_sparse")
    nd.sgd_update(weight, none, lr=0.1, wd=0.5, out=weight)
    np.testing.assert_array_equal(weight.asnumpy(), WEIGHT)


def test_copies_of_a_row_sparse_array_keep_their_values_when_its_rows_are_written() -> None:
    x: Any = nd.array(WEIGHT).tostype("row_sparse")
    other = nd.zeros((5, 2), stype="row_sparse")
    other[:] = x
    twins = [x.copy(), x.as_in_context(x.context.__class__("cpu", 1)), sparse.array(x), other]
    write_rows(x, np.array([2]), nd.ones((1, 2)))
    assert rows_of(x, np.array([2])).asnumpy().tolist() == [[1, 1]]
    for twin in twins:
        np.testing.assert_array_equal(twin.asnumpy(), WEIGHT)


def test_rows_that_a_row_sparse_array_does_not_store_are_zero() -> None:
    x = gradient()
    assert rows_of(x, np.array([0, 3, 4])).asnumpy().tolist() == [[0, 0], [3, 4], [0, 0]]
    assert rows_of(nd.zeros((3, 1), stype="row_sparse"), np.array([2])).asnumpy().tolist() == [[0]]
