"""grad, value_and_grad, vjp, jvp, Jacobians and Hessians; what they refuse."""

from typing import Any

import numpy as onp
import pytest

from hy_ndarray import (
    ArgumentError,
    AutogradError,
    DTypeError,
    NDArray,
    ShapeError,
    TransformError,
    autograd,
    nd,
    np,
)
from hy_ndarray.transforms import (
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)

X = onp.random.default_rng(0).uniform(0.5, 1.5, (4, 3))
W = onp.random.default_rng(1).uniform(-1, 1, (3, 2))


def array(value: Any) -> Any:
    return np.array(value, dtype="float64")


def layer(x: Any) -> Any:
    return np.tanh(np.dot(x, array(W)))


def same(result: Any, wanted: Any) -> None:
    values = wanted.asnumpy() if isinstance(wanted, NDArray) else wanted
    onp.testing.assert_allclose(result.asnumpy(), values, rtol=1e-6, atol=1e-9)


def test_gradients_of_trees_and_several_arguments() -> None:
    def loss(p: dict[str, NDArray], x: NDArray, scale: float) -> NDArray:
        return (p["w"] * x).sum() * scale + p["b"][0].sum()

    p, x = {"w": array(X), "b": (array(W),)}, array(2 * X)
    value, slopes = value_and_grad(loss)(p, x, 3.0)
    same(value, 6 * (X * X).sum() + W.sum())
    same(slopes["w"], 6 * X)
    same(slopes["b"][0], onp.ones_like(W))
    first, second = grad(loss, (0, 1))(p, x, scale=3.0)
    same(first["w"], 6 * X)
    same(second, 3 * X)
    assert type(second) is np.ndarray


def test_more_than_the_value() -> None:
    def run(x: NDArray) -> tuple[NDArray, NDArray]:
        return (x * x).sum(), x + 1

    (value, more), slope = value_and_grad(run, has_aux=True)(array(X))
    same(value, (X * X).sum())
    same(more, X + 1)
    same(slope, 2 * X)
    slope, more = grad(run, has_aux=True)(array(X))
    same(more, X + 1)
    assert not more.in_graph


def test_gradients_leave_arrays_and_modes_as_they_are() -> None:
    x = nd.array(X)
    x.attach_grad()
    seen: list[bool] = []

    def square(x: NDArray) -> NDArray:
        seen.append(autograd.is_training())
        return (x * x).sum()

    grad(square)(x)
    with autograd.train_mode():
        grad(square)(x)
    assert seen == [False, True]
    assert x.grad is not None
    assert x.grad.asnumpy().sum() == 0
    assert not autograd.is_recording()


def test_what_a_result_does_not_depend_on_has_zeros() -> None:
    first, second = grad(lambda x, y: (x * x).sum(), (0, 1))(array(X), array(W))
    same(first, 2 * X)
    same(second, 0 * W)
    same(grad(lambda x: array(3.0))(array(X)), 0 * X)


def test_recorded_programs_differentiate_transforms() -> None:
    x = array(X)
    x.attach_grad()
    with autograd.record():
        y = grad(lambda x: (x * x * x).sum())(x).sum()
    y.backward()
    assert x.grad is not None
    same(x.grad, 6 * X)


def test_a_pullback_may_be_called_again() -> None:
    (y, z), pullback = vjp(lambda x, w: (np.dot(x, w), x.sum()), array(X), array(W))
    same(z, X.sum())
    for scale in (1, 2):
        dx, dw = pullback((y * 0 + scale, z * 0))
        same(dx, scale * onp.ones((4, 2)) @ W.T)
        same(dw, scale * X.T @ onp.ones((4, 2)))


def test_tangents_of_trees() -> None:
    x, t = {"a": array(X), "b": array(W)}, {"a": array(2 * X), "b": None}
    (y, z), (dy, dz) = jvp(lambda p: (p["a"] ** 2, p["b"] * 2), (x,), (t,))
    same(y, X**2)
    same(dy, 4 * X**2)
    same(z, 2 * W)
    same(dz, 0 * W)


def test_values_are_read_in_forward_mode() -> None:
    y, dy = jvp(lambda x: x * 2 if float(x.sum()) > 0 else x, (array(X),), (array(X),))
    same(y, 2 * X)
    same(dy, 2 * X)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_jacobians(mode: Any) -> None:
    result = jacobian(layer, mode=mode)(array(X))
    slope = 1 - onp.tanh(X @ W) ** 2
    same(result, onp.einsum("ij,ik,lj->ijkl", slope, onp.eye(4), W))
    x, y = array(X[0]), array(X[1])
    rows = jacobian(lambda p, y: {"s": p["x"] * y, "t": p["x"].sum()}, (0, 1), mode=mode)(
        {"x": x}, y
    )
    same(rows["s"][0]["x"], onp.diag(X[1]))
    same(rows["s"][1], onp.diag(X[0]))
    same(rows["t"][0]["x"], onp.ones(3))


@pytest.mark.parametrize("of", [jacrev, jacfwd])
def test_chunks_and_more_of_a_jacobian(of: Any) -> None:
    whole, more = of(lambda x: (layer(x), x + 1), has_aux=True, chunk_size=3)(array(X))
    same(whole, jacrev(layer)(array(X)))
    same(more, X + 1)


def test_hessians_in_all_orders() -> None:
    def loss(x: Any) -> Any:
        return (layer(x) ** 2).sum()

    wanted = hessian(loss)(array(X))
    assert wanted.shape == (4, 3, 4, 3)
    for of in (jacrev, jacfwd):
        for again in (jacrev, jacfwd):
            same(of(again(loss))(array(X)), wanted)
    direction = array(X * 0.5)
    product = onp.einsum("abcd,cd->ab", wanted.asnumpy(), direction.asnumpy())
    same(jvp(grad(loss), (array(X),), (direction,))[1], product)
    same(grad(lambda x: jvp(loss, (x,), (direction,))[1])(array(X)), product)


def test_writes_take_tangents_along() -> None:
    def run(x: NDArray) -> NDArray:
        y = x * 1
        y[1:] = x[:3] * 3
        y[0] = 5
        return y

    y, dy = jvp(run, (array(X),), (array(X * 10),))
    same(y, run(array(X)))
    same(dy, onp.concatenate([0 * X[:1], 30 * X[:3]]))
    with pytest.raises(TransformError, match="tangent"):
        jvp(lambda x: np.zeros((4, 3)).__setitem__(0, x[0]), (array(X),), (array(X),))


def test_detached_values_are_constants() -> None:
    def run(x: NDArray) -> NDArray:
        return (x.detach() * x).sum()

    same(grad(run)(array(X)), X)
    same(jvp(run, (array(X),), (array(X),))[1], (X * X).sum())


def same_one(x: Any) -> Any:
    return x


def resampled(x: Any) -> Any:
    grid = nd.zeros((1, 2, 2, 2), dtype="float64")
    return nd.BilinearSampler(x.reshape((1, 1, 4, 3)).as_nd_ndarray(), grid)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (grad(same_one), ShapeError, r"\(4, 3\).*jacrev"),
        (grad(lambda x: (x, x)), ArgumentError, "2 arrays.*has_aux"),
        (grad(lambda x: x.sum(), 1), ArgumentError, "argnums=1"),
        (lambda x: grad(np.sum)(x.astype("int32")), AutogradError, "int32.*astype"),
        (grad(lambda _: 3), ArgumentError, "an int"),
        (lambda _: grad(np.sum)(3), ArgumentError, "an int"),
        (lambda x: vjp(same_one, x)[1](x[0]), ShapeError, r"\(3,\).*\(4, 3\)"),
        (lambda x: jvp(same_one, (x,), (x[0],)), ShapeError, r"\(3,\).*\(4, 3\)"),
        (lambda x: jvp(same_one, (x,), (x.astype("float32"),)), DTypeError, "float32"),
        (lambda x: jvp(same_one, x, x), ArgumentError, "tuples"),
        (lambda x: jvp(same_one, (x,), ([x],)), ArgumentError, "argument|array"),
        (lambda x: jvp(resampled, (x,), (x,)), AutogradError, "_bilinear_sampler_backward is not"),
    ],
)
def test_refusals(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(array(X))


def test_modes_of_jacobians_have_names() -> None:
    mode: Any = "both"
    with pytest.raises(ArgumentError, match="both"):
        jacobian(same_one, mode=mode)
