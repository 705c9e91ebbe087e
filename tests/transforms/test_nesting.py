"""Transforms of transforms, in any order; nothing is taken for what another one follows."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import NDArray, np
from hy_ndarray.transforms import checkpoint, grad, jacfwd, jacrev, jvp, vmap

X = onp.random.default_rng(0).uniform(0.5, 1.5, (4, 3))
W = onp.random.default_rng(1).uniform(0.5, 1.5, 3)
Function = Callable[[Any], Any]


def array(value: Any) -> Any:
    return np.array(value, dtype="float64")


def same(result: Any, wanted: Any) -> None:
    values = wanted.asnumpy() if isinstance(wanted, NDArray) else wanted
    onp.testing.assert_allclose(result.asnumpy(), values, rtol=1e-6, atol=1e-9)


def base(x: Any) -> Any:
    return (np.sin(x) * x * array(W)).sum()


def by_grad(f: Function) -> Function:
    return lambda x: (grad(lambda x: f(x).sum())(x) ** 2).sum()


def by_jvp(f: Function) -> Function:
    return lambda x: jvp(f, (x,), (x * 2,))[1].sum()


def by_vmap(f: Function) -> Function:
    return lambda x: vmap(lambda s: f(x * s))(array([1.0, 0.5])).sum()


def by_checkpoint(f: Function) -> Function:
    return checkpoint(f)


def by_jacobian(f: Function) -> Function:
    return lambda x: (jacrev(f)(x) * jacfwd(f)(x)).sum()


WAYS = (by_grad, by_jvp, by_vmap, by_checkpoint, by_jacobian)


def slope(f: Function, x: Any) -> float:
    """The derivative along ones, by a difference."""
    step = 1e-6
    return float(f(x + step).asnumpy() - f(x - step).asnumpy()) / (2 * step)


PAIRS = [*product(WAYS, repeat=2)]


@pytest.mark.parametrize("ways", PAIRS, ids=lambda w: "-".join(f.__name__ for f in w))
def test_two_in_any_order(ways: tuple[Callable[[Function], Function], ...]) -> None:
    outer, inner = ways
    f = outer(inner(base))
    x = array(X[0])
    wanted = slope(f, x)
    onp.testing.assert_allclose(grad(f)(x).sum().asnumpy(), wanted, rtol=1e-5)
    onp.testing.assert_allclose(jvp(f, (x,), (x * 0 + 1,))[1].asnumpy(), wanted, rtol=1e-5)
    same(vmap(f)(array(X)), onp.stack([f(array(row)).asnumpy() for row in X]))


def test_variables_of_several_gradients_are_distinguished() -> None:
    def outer(x: Any) -> Any:
        return x * grad(lambda y: x * y)(array(1.0))

    assert float(grad(outer)(array(3.0))) == 6

    def forward(x: Any) -> Any:
        return x * jvp(lambda y: x * y, (array(1.0),), (array(1.0),))[1]

    assert float(jvp(forward, (array(3.0),), (array(1.0),))[1]) == 6
    assert float(grad(forward)(array(3.0))) == 6
    assert float(jvp(outer, (array(3.0),), (array(1.0),))[1]) == 6


def test_gradients_flow_through_maps_to_what_is_closed_over() -> None:
    x = array(X)

    def loss(w: Any) -> Any:
        return vmap(lambda row: np.sin(w * row).sum())(x).sum()

    same(grad(loss)(array(W)), (onp.cos(W * X) * X).sum(0))

    def curve(w: Any) -> Any:
        return vmap(lambda row: grad(lambda v: np.sin(v * w * row).sum())(w).sum())(x).sum()

    inner = W * W * X
    wanted = (-onp.sin(inner) * 2 * W * X * W * X + onp.cos(inner) * X).sum(0)
    same(grad(curve)(array(W)), wanted)


def test_gradients_by_sample_of_what_is_closed_over() -> None:
    x, w = array(X), array(W)
    wanted = onp.cos(W * X) * X
    same(vmap(lambda row: grad(lambda w: np.sin(w * row).sum())(w))(x), wanted)
    same(vmap(grad(lambda w, row: np.sin(w * row).sum()), in_axes=(None, 0))(w, x), wanted)


def test_detached_in_all_levels() -> None:
    def loss(w: Any) -> Any:
        return vmap(lambda row: ((w * row).detach() * w).sum())(array(X)).sum()

    same(grad(loss)(array(W)), (W * X).sum(0))
