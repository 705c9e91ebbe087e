"""Random numbers inside of transforms: errors, the same ones in each sample, or others."""

from typing import Any

import numpy as onp
import pytest

from hy_ndarray import NDArray, TransformError, autograd, nd, np, random
from hy_ndarray.transforms import checkpoint, grad, hessian, jacfwd, jacrev, jvp, vmap

ONES = nd.ones((5, 40))
DRAWS = {
    "dropout": lambda a: nd.Dropout(a, p=0.5),
    "like": nd.random.normal_like,
    "without operands": lambda a: nd.random.uniform(shape=(40,)) + 0 * a,
    "not mapped": lambda a: nd.random.uniform(shape=(40,)),
    "parameters": lambda a: nd.random.normal(a, a),
    "parameters of np": lambda a: np.random.normal(a.as_np_ndarray(), 1.0).as_nd_ndarray(),
    "sizes of np": lambda a: np.random.uniform(size=(40,)).as_nd_ndarray(),
    "shuffled": lambda a: nd.random.shuffle(nd.arange(40)),
    "one for another": lambda a: nd.LeakyReLU(-a, act_type="rrelu")[0],
}
DRAWN = pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)


def rows(result: NDArray) -> int:
    """The number of rows that differ."""
    return len(onp.unique(result.asnumpy(), axis=0))


@DRAWN
def test_draws_have_to_be_asked_for(draw: Any) -> None:
    with autograd.train_mode(), pytest.raises(TransformError, match="randomness='same'"):
        vmap(draw)(ONES)


@DRAWN
def test_samples_draw_the_same(draw: Any) -> None:
    with autograd.train_mode():
        result = vmap(draw, randomness="same")(ONES)
    assert result.shape == (5, 40)
    assert rows(result) == 1
    assert len(onp.unique(result.asnumpy()[0])) > 1


@DRAWN
def test_samples_draw_others(draw: Any) -> None:
    with autograd.train_mode():
        result = vmap(draw, randomness="different")(ONES)
    assert result.shape == (5, 40)
    assert rows(result) == 5


@DRAWN
def test_a_seed_gives_the_same_again(draw: Any) -> None:
    for randomness in ("same", "different"):
        result: list[Any] = []
        for _ in range(2):
            random.seed(3)
            with autograd.train_mode():
                result.append(vmap(draw, randomness=randomness)(ONES).asnumpy())
        onp.testing.assert_array_equal(result[0], result[1])


def test_each_map_has_its_own() -> None:
    def draw(a: NDArray) -> NDArray:
        return nd.Dropout(a, p=0.5)

    x = nd.ones((3, 2, 40))
    with autograd.train_mode():
        both = vmap(vmap(draw, randomness="different"), randomness="different")(x)
        assert rows(both.reshape((6, 40))) == 6
        outer = vmap(vmap(draw, randomness="same"), randomness="different")(x)
        assert rows(outer.reshape((6, 40))) == 3
        inner = vmap(vmap(draw, randomness="different"), randomness="same")(x)
        assert rows(inner.reshape((6, 40))) == 2
        with pytest.raises(TransformError, match="Dropout"):
            vmap(vmap(draw, randomness="different"))(x)


def test_what_draws_nothing_needs_no_permission() -> None:
    assert rows(vmap(lambda a: nd.Dropout(a, p=0.5))(ONES)) == 1


def test_derivatives_are_those_of_what_was_drawn() -> None:
    def run(a: NDArray) -> NDArray:
        return nd.Dropout(a, p=0.5) ** 2

    x = nd.array(onp.arange(1, 41, dtype="float32"))
    with autograd.train_mode():
        y, dy = jvp(run, (x,), (x * 0 + 1,))
        onp.testing.assert_allclose(dy.asnumpy(), 2 * y.asnumpy() / x.asnumpy(), rtol=1e-5)
        slope, value = grad(lambda a: (run(a).sum(), run(a)), has_aux=True)(x)
        assert set(onp.unique((slope / x).asnumpy())) <= {0, 8}
        table = jacrev(run)(x).asnumpy()
        assert (table == onp.diag(onp.diag(table))).all()
        assert set(onp.unique(onp.diag(table) / x.asnumpy())) <= {0, 8}
        same = jacfwd(run, randomness="same")(x).asnumpy()
        assert (same == onp.diag(onp.diag(same))).all()
        assert set(onp.unique(onp.diag(same) / x.asnumpy())) <= {0, 8}
        per_row = vmap(grad(lambda a: run(a).sum()), randomness="different")(ONES)
        assert rows(per_row) == 5
        assert value.shape == (40,)


def test_hessians_of_what_draws() -> None:
    with autograd.train_mode():
        outer = grad(lambda x: grad(lambda x: (nd.Dropout(x, p=0.5) ** 3).sum())(x).sum())
        result = outer(nd.ones((40,))).asnumpy()
    assert set(onp.unique(result)) == {0, 48}
    with pytest.raises(TransformError, match="Dropout"), autograd.train_mode():
        hessian(lambda x: nd.Dropout(x, p=0.5).sum())(nd.ones((3,)))


def test_a_checkpoint_draws_the_same_again() -> None:
    x = nd.array(onp.arange(1, 41, dtype="float32"))
    x.attach_grad()
    for run in (lambda a: nd.Dropout(a, p=0.5), lambda a: a * nd.random.uniform(shape=(40,))):
        with autograd.record():
            y = checkpoint(run)(x)
        nd.random.uniform(shape=(7,))
        y.backward()
        assert x.grad is not None
        onp.testing.assert_allclose(x.grad.asnumpy(), (y / x).asnumpy(), rtol=1e-5)
