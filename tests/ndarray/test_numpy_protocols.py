"""Numpy's own functions on arrays: numpy's results, or a TypeError."""

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import AutogradError, NDArray, autograd, np

A = onp.array([[1.5, 2.0], [3.0, -4.0]], onp.float32)
B = onp.array([[0.5, 1.0], [2.0, 3.0]], onp.float32)
V = onp.array([1.0, 2.0, 3.0], onp.float32)
I = onp.array([0, 1, 1])  # noqa: E741  # integers
Made = Callable[[Any], Any]
CALLS: list[Callable[[Any, Made], Any]] = [
    lambda f, c: f(c(A)),
    lambda f, c: f(c(V)),
    lambda f, c: f(c(I)),
    lambda f, c: f(c(A), c(B)),
    lambda f, c: f(c(A), B.copy()),
    lambda f, c: f(A.copy(), c(B)),
    lambda f, c: f([c(A), c(B)]),
    lambda f, c: f([c(A), B.copy()]),
    lambda f, c: f(c(A), 1),
    lambda f, c: f(c(A), 0, 1),
    lambda f, c: f(c(A), (0, 1)),
    lambda f, c: f(c(A), axis=0),
    lambda f, c: f(c(A), axis=0, keepdims=True),
    lambda f, c: f(c(A), dtype="float64"),
    lambda f, c: f(c(A), out=c(onp.zeros_like(A))),
    lambda f, c: f(c(A), out=onp.zeros_like(A)),
    lambda f, c: f(c(A), out=c(onp.zeros_like(A)), where=c(A > 0)),
    lambda f, c: f(c(V), c(V)),
    lambda f, c: f(c(V), c(I)),
    lambda f, c: f(c(I), c(I)),
    lambda f, c: f(c(V), c(V), c(V)),
    lambda f, c: f(c(A > 0), c(A), c(B)),
]
NOT_OF_ARRAYS = """
array2string array_repr array_str asmatrix bmat busday_count busday_offset copyto empty empty_like
errstate fill_diagonal frombuffer fromfile fromfunction fromiter frompyfunc fromregex genfromtxt
info is_busday isfortran load loadtxt mintypecode nditer place printoptions put put_along_axis
putmask save savetxt savez savez_compressed set_printoptions setbufsize seterr seterrcall
show_config show_runtime test
"""
"""Functions that read files, make text, write into arguments, or ask for memory or flags."""


def functions() -> Iterator[tuple[str, Any]]:
    spaces: dict[str, ModuleType] = {"": onp, "linalg.": onp.linalg, "fft.": onp.fft}
    for prefix, space in spaces.items():
        for name in dir(space):
            function = getattr(space, name)
            public = not name.startswith("_") and name not in NOT_OF_ARRAYS.split()
            if public and callable(function) and not isinstance(function, type):
                yield prefix + name, function


def lowered(value: Any) -> Any:
    if isinstance(value, NDArray):
        return value.asnumpy()
    if isinstance(value, list | tuple):
        return [lowered(one) for one in value]
    return value


def assert_same(found: Any, expected: Any) -> None:
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, onp.ndarray | onp.generic | int | float | complex):
        assert onp.shape(found) == onp.shape(expected)
        wanted: Any = expected
        onp.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    else:
        assert str(found) == str(expected)


FUNCTIONS = dict(functions())


@pytest.mark.filterwarnings("ignore")  # numpy's own: divisions by 0, functions to be removed
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_numpy_s(name: str) -> None:
    function = FUNCTIONS[name]
    compared = 0
    for call in CALLS:
        try:
            expected = lowered(call(function, lambda x: x.copy()))
        except Exception:  # noqa: S112  # numpy has no such call
            continue
        try:
            found = lowered(call(function, lambda x: np.array(x, dtype=x.dtype)))
        except TypeError as error:
            # The second of fromstring in numpy 2.1, which asks nobody before it reads memory.
            told = "no implementation found", "a bytes-like object is required"
            assert any(text in str(error) for text in told), name  # noqa: PT017
            continue
        assert_same(found, expected)
        compared += 1
    assert compared or name not in {"sin", "add", "concatenate", "linalg.svd", "fft.fft", "std"}


def test_methods_of_ufuncs_refuse_arrays_as_on_mxnet() -> None:
    x = np.array(V)
    for call in (
        lambda: onp.add.reduce(x),
        lambda: onp.multiply.accumulate(x),
        lambda: onp.subtract.outer(x, x),
        lambda: onp.subtract.outer(V, x),
        lambda: onp.maximum.reduceat(x, [0, 1]),
        lambda: onp.add.at(x, [0], 1),
    ):
        with pytest.raises(TypeError, match=r"__array_ufunc__|operand type"):
            call()


def test_results_stay_arrays_and_out_is_returned() -> None:
    x: Any = np.array(A)
    out: Any = np.zeros((2, 2))
    assert isinstance(onp.sin(x), np.ndarray)
    assert isinstance(onp.add(x, B), np.ndarray)
    assert onp.sin(x, out=out) is out
    assert onp.add(x, B, out=out) is out
    assert_same(out.asnumpy(), A + B)
    whole: Any = np.zeros((2, 2))
    rest = onp.zeros_like(A)
    found: Any = onp.divmod(x, B, out=(whole, rest))
    assert found[0] is whole
    assert found[1] is rest
    assert_same(whole.asnumpy(), A // B)


def test_numpy_is_told_which_memory_is_shared() -> None:
    x = np.array(V)
    view = onp.asarray(x)
    for shares in (onp.may_share_memory, onp.shares_memory, np.may_share_memory):
        assert shares(x, view) is True
        assert shares(view[:1], x) is True
        assert shares(x, x) is True
        assert shares(x, V) is False


def test_gradients_flow_through_numpy_s_functions_or_it_is_said_that_they_do_not() -> None:
    x: Any = np.array(V)
    x.attach_grad()
    with autograd.record():
        y = onp.sum(onp.multiply(onp.sin(x), V) + onp.concatenate([x, x])[:3])
    y.backward()
    assert_same(x.grad.asnumpy(), onp.cos(V) * V + 1)
    with autograd.record(), pytest.raises(AutogradError, match="no gradient flows through it"):
        onp.fft.fft(x)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("kind", [onp.float64, onp.int64, onp.float32])
def test_scalars_of_numpy_leave_the_dtype_to_the_array(dtype: str, kind: type[Any]) -> None:
    # MXNet: float16 and float32; numpy of 2.0 itself would return float64.
    x: Any = np.array([1, 2]).astype(dtype)
    two = kind(2)
    for found, expected in (
        (two * x, [2, 4]),
        (two + x, [3, 4]),
        (two - x, [1, 0]),
        (two**x, [2, 4]),
        (two / x, [2, 1]),
        (onp.maximum(x, two), [2, 2]),
    ):
        assert found.dtype == onp.dtype(dtype)
        assert found.tolist() == expected
    whole: Any = np.array([1, 2], dtype="int32")
    assert (onp.int64(2) * whole).dtype == onp.int32
    assert (onp.float32(1.5) * whole).tolist() == [1.5, 3.0]
