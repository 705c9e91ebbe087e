"""vmap: axes, trees, what it refuses and how, and writes inside of it."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as onp
import pytest

from hy_ndarray import (
    ArgumentError,
    NDArray,
    ShapeError,
    TransformError,
    autograd,
    cpu,
    nd,
    np,
)
from hy_ndarray.transforms import grad, jvp, vmap
from hy_ndarray.transforms.batching import looping

X = onp.arange(24, dtype="float32").reshape(4, 6)


class Pair(NamedTuple):
    first: NDArray
    second: NDArray


def same(result: Any, wanted: Any) -> None:
    onp.testing.assert_allclose(result.asnumpy(), wanted, rtol=1e-5, atol=1e-6)


def test_axes_of_arguments_and_results() -> None:
    def outer(a: NDArray, b: NDArray) -> NDArray:
        return a.expand_dims(1) * b

    x, y = nd.array(X), nd.array(X[:2] + 1)
    wanted = onp.stack([onp.outer(X[:, i], X[1] + 1) for i in range(6)])
    same(vmap(outer, in_axes=(1, None))(x, y[1]), wanted)
    same(vmap(outer, in_axes=(-1, None), out_axes=-1)(x, y[1]), onp.moveaxis(wanted, 0, -1))
    same(vmap(outer, in_axes=(1, None), out_axes=1)(x, y[1]), onp.moveaxis(wanted, 0, 1))


def test_trees_of_arguments_and_results() -> None:
    def run(pair: Pair, more: dict[str, list[NDArray]], scale: NDArray) -> dict[str, Any]:
        return {"sum": pair.first + pair.second, "rest": (more["x"][0] * scale, None)}

    x = nd.array(X)
    axes = (0, {"x": [1]}, None)
    result = vmap(run, axes, {"sum": 0, "rest": (1, None)})(Pair(x, x), {"x": [x.T]}, x[0] * 0 + 2)
    same(result["sum"], 2 * X)
    same(result["rest"][0], 2 * X.T)
    assert result["rest"][1] is None


def test_arguments_by_name_and_results_that_samples_share() -> None:
    x = np.array(X)
    result = vmap(lambda a, scale: (a * scale, np.ones(2)), in_axes=0)(x, scale=np.array(X[:, 0]))
    same(result[0], X * X[:, :1])
    assert type(result[0]) is np.ndarray
    assert result[1].shape == (4, 2)
    _, shared = vmap(lambda a: (a, np.ones(2)), out_axes=(0, None))(x)
    assert shared.shape == (2,)


def test_chunks_give_the_same() -> None:
    x = nd.array(X)
    for size in (1, 3, 4, 9):
        result = vmap(lambda a: (a.sum(), a * 2), out_axes=(0, 1), chunk_size=size)(x)
        same(result[0].reshape((4,)), X.sum(1))
        same(result[1], 2 * X.T)


def test_maps_in_maps() -> None:
    row, column = nd.array(X[0]), nd.array(X[1])
    table = vmap(vmap(lambda a, b: a - b, (None, 0)), (0, None))(row, column)
    same(table, onp.subtract.outer(X[0], X[1]))


def test_what_is_closed_over_is_shared() -> None:
    x, weight = nd.array(X), nd.array(onp.ones((3, 6)))
    result = vmap(lambda a: nd.dot(weight, a) + nd.arange(3))(x)
    same(result, X.sum(1, keepdims=True) + onp.arange(3))


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ((0, 0), "1 arguments"),
        (None, "must be mapped over"),
        (2, "axis 2"),
        ("0", "must be an int, None, or a tuple"),
    ],
)
def test_axes_that_do_not_fit(axes: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        vmap(lambda a: a, in_axes=axes)(nd.array(X))


def test_numbers_of_samples_agree() -> None:
    with pytest.raises(ShapeError, match=r"\[4, 6\]"):
        vmap(lambda a, b: a + b, in_axes=(0, 1))(nd.array(X), nd.array(X))


@pytest.mark.parametrize("size", [0, -1])
def test_chunks_have_samples(size: int) -> None:
    with pytest.raises(ArgumentError, match="chunk_size"):
        vmap(lambda a: a, chunk_size=size)


@pytest.mark.parametrize(
    "read",
    [lambda a: a.asnumpy(), lambda a: float(a.sum()), lambda a: a if a.sum() > 0 else -a],
    ids=["asnumpy", "float", "if"],
)
def test_values_are_not_read(read: Any) -> None:
    with pytest.raises(TransformError, match=r"cannot read the values.*where"):
        vmap(read)(nd.array(X))


def test_values_that_samples_share_are_read() -> None:
    result = vmap(lambda a, b: a * float(b.sum()), in_axes=(0, None))(nd.array(X), nd.ones((2,)))
    same(result, 2 * X)


@pytest.mark.parametrize("run", [np.unique, np.nonzero, lambda a: a[a > 1]])
def test_shapes_that_follow_from_values_are_refused(run: Any) -> None:
    with pytest.raises(TransformError):
        vmap(run)(np.array(X))


def test_a_refusal_names_the_operator() -> None:
    with pytest.raises(TransformError, match=r"_contrib_boolean_mask.*where"):
        vmap(lambda a: nd.contrib.boolean_mask(a, a))(nd.array(X))


def test_an_operator_without_a_rule_is_called_for_each_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(looping, "_warned", set())
    run = vmap(lambda a: nd.contrib.fft(a.expand_dims(0)))
    with pytest.warns(UserWarning, match="_contrib_fft has no batching rule"):
        result = run(nd.array(X))
    same(result.reshape((4, 12)), nd.contrib.fft(nd.array(X)).asnumpy())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(nd.array(X))  # said once


def test_a_derived_operator_is_its_composition_of_all_samples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    called: list[str] = []
    monkeypatch.setattr(looping, "each_sample", lambda call, _: called.append(call.op.name))
    x = np.array(X.reshape(4, 2, 3))
    y = vmap(lambda each: np.polyval(each[0], each))(x)
    onp.testing.assert_allclose(y.asnumpy()[3], onp.polyval(X[3, :3], X[3].reshape(2, 3)), 1e-6)
    assert not called


def test_shapes_and_text_are_those_of_one_sample() -> None:
    seen: list[Any] = []

    def run(a: NDArray) -> NDArray:
        seen.extend([a.shape, a.dtype, len(a), repr(a), str(a)])
        return a

    vmap(run)(np.array(X))
    assert seen[:3] == [(6,), onp.dtype("float32"), 6]
    assert "(6,) of each of 4 samples" in seen[3]
    assert "23." in seen[4]


def written(a: NDArray) -> NDArray:
    a = a * 1
    a[1] = 7
    a += 1
    a[:2] = nd.ones((6,))[:2]
    part = a[2:5]
    part[1:] = a[:2] * 3
    table = a.reshape((2, 3)) * 1
    table[0, 1:] = a[2:4] * 5
    flat = table.reshape((-1,))
    flat[5:] = a[:1] - 4
    table[:] = table + 1
    return nd.concat(a, table.reshape((6,)), dim=0)


def test_writes_reach_what_views_are_of() -> None:
    x = nd.array(X)
    same(vmap(written)(x), onp.stack([written(row).asnumpy() for row in x]))


def test_samples_do_not_write_into_what_they_share() -> None:
    total = nd.zeros((6,))

    def add(a: NDArray) -> NDArray:
        total[:] = a
        return total

    with pytest.raises(TransformError, match="in_axes=0"):
        vmap(add)(nd.array(X))
    assert total.sum().asscalar() == 0

    def shared(a: NDArray, b: NDArray) -> NDArray:
        b[2:] = a[2:]
        return b

    same(vmap(shared, in_axes=(0, None))(nd.array(X), nd.zeros((6,))), X * (onp.arange(6) > 1))


def test_an_array_that_left_is_not_taken_elsewhere() -> None:
    retained: list[NDArray] = []

    def keep(a: NDArray) -> NDArray:
        retained.append(a)
        return a

    vmap(keep)(nd.array(X))
    with pytest.raises(TransformError, match="has ended"):
        vmap(lambda a: a + retained[0])(nd.array(X))


@pytest.mark.parametrize(
    "give",
    [
        lambda a: a.__dlpack__(),
        lambda a: a.__dlpack_device__(),
        onp.asarray,
        lambda a: a.tolist(),
    ],
    ids=["capsule", "device", "numpy", "lists"],
)
def test_other_libraries_do_not_take_what_differs_by_sample(give: Any) -> None:
    with pytest.raises(TransformError):
        vmap(give)(nd.array(X))


def test_copies_on_the_same_context_keep_what_is_followed() -> None:
    for move in (lambda a: a.copyto(cpu()), lambda a: a.as_in_context(cpu())):
        same(vmap(move)(nd.array(X)), X)
        _, tangent = jvp(move, (nd.array(X),), (nd.array(2 * X),))
        same(tangent, 2 * X)


def test_gradients_by_autograd_inside() -> None:
    def slope(a: NDArray) -> Any:
        a = a.copy()
        a.attach_grad()
        with autograd.record():
            y = (a * a).sum()
        y.backward()
        return a.grad

    same(vmap(slope)(nd.array(X)), 2 * X)


def test_randomness_is_one_of_three() -> None:
    with pytest.raises(ArgumentError, match="randomness"):
        vmap(lambda a: a, randomness="some")  # type: ignore[arg-type]


def test_threads_map_on_their_own() -> None:
    def run(scale: int) -> Any:
        x = nd.array(X * scale)
        rows = [vmap(grad(lambda a: (a**2).sum()), chunk_size=2)(x).asnumpy() for _ in range(20)]
        return onp.stack(rows)

    with ThreadPoolExecutor(4) as pool:
        for scale, rows in zip(range(1, 9), pool.map(run, range(1, 9)), strict=True):
            onp.testing.assert_allclose(rows, onp.stack([2 * scale * X] * 20), rtol=1e-5)
