"""Methods that call the operator of their name, and those that do a little more."""

import inspect
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, ShapeError, autograd, nd, ops
from hy_ndarray.array.fluent import Fluent

X = np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]], dtype="float32")

METHODS = sorted(
    name
    for name, member in vars(Fluent).items()
    if inspect.isfunction(member) and not name.startswith("_") and name != "call_operator"
)
# Arguments of the methods that need some; the methods of MXNet's NDArray are all here.
ARGUMENTS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "broadcast_axes": ((), {"axis": (), "size": ()}),
    "clip": ((-0.5, 0.5), {}),
    "flip": ((1,), {}),
    "one_hot": ((3,), {}),
    "pick": ((nd.array([0, 2]),), {"axis": 1}),
    "repeat": ((2,), {"axis": 0}),
    "reshape_like": ((nd.zeros((3, 2)),), {}),
    "slice": (((0, 1), (2, 3)), {}),
    "slice_axis": ((), {"axis": 1, "begin": 0, "end": 2}),
    "slice_like": ((nd.zeros((1, 2)),), {}),
    "split": ((3,), {"axis": 1}),
    "swapaxes": ((0, 1), {}),
    "take": ((nd.array([1, 0]),), {"axis": 1}),
    "tile": (((1, 2),), {}),
    "topk": ((), {"k": 2, "ret_typ": "value"}),
}
FOUR_AXES = {
    "depth_to_space": ((2,), {}),
    "space_to_depth": ((2,), {}),
    "pad": ((), {"mode": "edge", "pad_width": (0, 0, 0, 0, 1, 1, 1, 1)}),
}


def same(actual: Any, expected: Any) -> None:
    actual = actual if isinstance(actual, list) else [actual]
    expected = expected if isinstance(expected, list) else [expected]
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(a.asnumpy(), e.asnumpy())


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_the_operator_of_its_name(name: str) -> None:
    assert ops.exists(name)
    args, kwargs = {**ARGUMENTS, **FOUR_AXES}.get(name, ((), {}))
    x = nd.array(X) if name not in FOUR_AXES else nd.arange(64).reshape(1, 4, 4, 4)
    same(getattr(x, name)(*args, **kwargs), getattr(nd, name)(x, *args, **kwargs))
    assert getattr(Fluent, name).__doc__


def test_a_method_takes_what_its_operator_takes() -> None:
    x = nd.array(X)
    out = nd.zeros((2,))
    assert x.sum(1, out=out) is out
    np.testing.assert_allclose(x.sum(axis=1, keepdims=True).asnumpy(), [[0.2], [0.3]], rtol=1e-6)
    with pytest.raises(ArgumentError, match="sum: unknown argument 'axes'; did you mean 'axis'"):
        x.sum(axes=1)  # type: ignore[call-arg]


# --- reshape ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "kwargs", "shape"),
    [
        ((3, 2), {}, (3, 2)),
        (((3, 2),), {}, (3, 2)),
        (([3, 2],), {}, (3, 2)),
        ((), {"shape": (3, 2)}, (3, 2)),
        ((6,), {}, (6,)),
        ((-1,), {}, (6,)),
        ((np.int64(6),), {}, (6,)),
        ((0, -1), {}, (2, 3)),
        (((-1, 0),), {"reverse": True}, (2, 3)),
        ((-2,), {}, (2, 3)),
        ((-3,), {}, (6,)),
        ((-4, 1, 2, -2), {}, (1, 2, 3)),
        (((0, 1, -1),), {}, (2, 1, 3)),
        ((3, 2), {"shape": (2, 3)}, (3, 2)),
    ],
    ids=str,
)
def test_reshape_takes_sizes_and_codes(args: Any, kwargs: Any, shape: tuple[int, ...]) -> None:
    y = nd.array(X).reshape(*args, **kwargs)
    assert y.shape == shape
    np.testing.assert_array_equal(y.asnumpy(), X.reshape(shape))


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "message"),
    [
        ((4, 2), {}, ShapeError, r"\(2, 3\) \(6 elements\) into \(4, 2\) \(8 elements\)"),
        ((1, 2), {}, ShapeError, r"\(2, 3\) \(6 elements\) into \(1, 2\)"),
        (((),), {}, ShapeError, r"\(2, 3\) \(6 elements\) into \(\) \(1 elements\)"),
        ((4, -1), {}, ShapeError, "cannot reshape 6 elements into"),
        ((-1, -1), {}, ShapeError, "more than one -1"),
        ((0, 0, 0), {}, ShapeError, "needs axis 2, but the input has only 2 axes"),
        ((), {}, ArgumentError, "the shape is missing"),
        ((6,), {"shpe": 1}, ArgumentError, "unknown argument 'shpe'"),
        (((2.0, 3),), {}, ArgumentError, "must be a tuple of integers"),
    ],
    ids=str,
)
def test_reshape_says_what_is_wrong(args: Any, kwargs: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        nd.array(X).reshape(*args, **kwargs)


def test_one_element_can_lose_all_axes() -> None:
    assert nd.array([1]).reshape(()).shape == ()
    assert nd.array([]).reshape(0, 1).shape == (0, 1)


def test_reshape_shares_memory_even_of_what_lies_in_column_order() -> None:
    x = nd.from_dlpack(np.asfortranarray(X))
    flat = x.reshape(-1)
    np.testing.assert_array_equal(flat.asnumpy(), X.ravel())
    flat[0] = 9
    assert x[0, 0].asscalar() == 9


# --- the others -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "target", "result"),
    [
        ((1, 3), (2, 3), (2, 3)),
        ((3,), (2, 3), (2, 3)),
        ((2, 3), (2, 2, 3), (2, 2, 3)),
        ((1, 3), (0, 3), (1, 3)),
    ],
)
def test_broadcast_to_adds_axes_in_front(
    shape: tuple[int, ...], target: tuple[int, ...], result: tuple[int, ...]
) -> None:
    x = nd.arange(int(np.prod(shape))).reshape(shape)
    y = x.broadcast_to(target)
    np.testing.assert_array_equal(y.asnumpy(), np.broadcast_to(x.asnumpy(), result))
    assert x.broadcast_like(nd.zeros(result)).shape == result


def test_broadcast_to_keeps_sizes_that_are_asked_for_as_0() -> None:
    assert nd.zeros((2, 3)).broadcast_to((2, 0)).shape == (2, 3)


@pytest.mark.parametrize(("shape", "target"), [((2,), (2, 3)), ((2, 3), (3,))])
def test_broadcast_to_refuses_what_does_not_fit(
    shape: tuple[int, ...], target: tuple[int, ...]
) -> None:
    x = nd.zeros(shape)
    with pytest.raises(ShapeError, match="cannot broadcast"):
        x.broadcast_to(target)


def test_gradients_of_broadcast_arrays_are_sums() -> None:
    x = nd.array([1, 2, 3])
    x.attach_grad()
    with autograd.record():
        y = x.broadcast_to((2, 3)) * nd.array([[1, 1, 1], [2, 2, 2]])
    y.backward()
    assert x.grad is not None
    assert x.grad.tolist() == [3, 3, 3]


@pytest.mark.parametrize("inplace", [False, True])
def test_axes_of_size_one_come_and_go(inplace: bool) -> None:
    x = nd.zeros((1, 2, 1))
    assert x.squeeze(inplace=inplace).shape == (2,)
    assert x.squeeze(0, inplace=inplace).shape == (2, 1)
    assert x.squeeze((0, 2), inplace=inplace).shape == (2,)
    assert nd.zeros((1, 1)).squeeze(inplace=inplace).shape == (1,)
    assert x.expand_dims(axis=-1, inplace=inplace).shape == (1, 2, 1, 1)
    assert nd.zeros((2, 3, 4)).flatten(inplace=inplace).shape == (2, 12)
    assert nd.zeros((2,)).flatten(inplace=inplace).shape == (2, 1)
    with pytest.raises(ShapeError):
        x.squeeze(axis=1, inplace=inplace)
    with pytest.raises(ShapeError):
        x.expand_dims(5, inplace=inplace)


def test_diag_takes_the_number_of_the_diagonal() -> None:
    x = nd.array(X)
    np.testing.assert_array_equal(x.diag().asnumpy(), np.diag(X))
    np.testing.assert_array_equal(x.diag(1).asnumpy(), np.diag(X, 1))
    np.testing.assert_array_equal(x.diag(k=-1).asnumpy(), np.diag(X, -1))


@pytest.mark.parametrize(
    "method",
    [
        lambda x: x.reshape(3, 2),
        lambda x: x.flatten(inplace=True),
        lambda x: x.expand_dims(0, inplace=True),
        lambda x: x.squeeze(inplace=True),
        lambda x: x.T,
        lambda x: nd.concatenate(x.split_v2(3, axis=1), axis=1),
        lambda x: nd.moveaxis(x, 0, 1),
    ],
)
def test_gradients_flow_through_other_shapes(method: Any) -> None:
    x = nd.array(X)
    x.attach_grad()
    with autograd.record():
        y = method(x)
        z = y * y
    z.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * X)  # type: ignore[union-attr]
