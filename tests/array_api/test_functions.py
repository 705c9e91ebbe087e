"""Functions of the namespace: numpy's values, and the standard's where these differ."""

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import (
    ArgumentError,
    AutogradError,
    DTypeError,
    OperandError,
    ShapeError,
    array_api as xp,
    autograd,
    np,
)

INF, NAN = float("inf"), float("nan")
DTYPES = ("int16", "uint8", "uint16", "uint64", "int32", "float32", "float64", "complex64")
VALUES = onp.array([[3, 1, 2, 1], [0, 5, 1, 4], [7, 7, 0, 2]])
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "broadcast_to": lambda f, x: f.broadcast_to(x, (2, 3, 4)),
    "concat": lambda f, x: f.concat([x, x], axis=1),
    "concat flattened": lambda f, x: f.concat([x, x], axis=None),
    "cumulative_prod": lambda f, x: f.cumulative_prod(x, axis=0),
    "cumulative_sum": lambda f, x: f.cumulative_sum(x, axis=1, include_initial=True),
    "diff": lambda f, x: f.diff(x, n=2, axis=1),
    "expand_dims": lambda f, x: f.expand_dims(x, axis=(0, -1)),
    "flip": lambda f, x: f.flip(x, axis=1),
    "isin": lambda f, x: f.isin(x, x[0]),
    "matmul": lambda f, x: f.matmul(x, x.T),
    "mean": lambda f, x: f.mean(x, axis=0),
    "moveaxis": lambda f, x: f.moveaxis(x, 0, 1),
    "nonzero": lambda f, x: f.nonzero(x)[1],
    "prod": lambda f, x: f.prod(x, axis=0),
    "repeat": lambda f, x: f.repeat(x, 2, axis=1),
    "reshape": lambda f, x: f.reshape(x, (2, -1)),
    "roll": lambda f, x: f.roll(x, (1, 2), axis=(0, 1)),
    "squeeze": lambda f, x: f.squeeze(x[:1], axis=0),
    "stack": lambda f, x: f.stack([x, x], axis=1),
    "sum": lambda f, x: f.sum(x, axis=1, keepdims=True),
    "take": lambda f, x: f.take(x, f.asarray([2, 0]), axis=1),
    "take_along_axis": lambda f, x: f.take_along_axis(x, f.argsort(x, axis=0, stable=True), axis=0),
    "tensordot": lambda f, x: f.tensordot(x, x, axes=((0,), (0,))),
    "tile": lambda f, x: f.tile(x, (2, 1)),
    "tril": lambda f, x: f.tril(x, k=-1),
    "triu": lambda f, x: f.triu(x),
    "unique_values": lambda f, x: f.unique_values(x),
    "unique_all": lambda f, x: f.unique_all(x).inverse_indices,
    "unstack": lambda f, x: f.unstack(x, axis=1)[2],
    "vecdot": lambda f, x: f.vecdot(x, x, axis=0),
    "where": lambda f, x: f.where(x == x[0], x, f.zeros_like(x)),
    "step": lambda f, x: x[::2, ::-1],
    "mask": lambda f, x: x[x != 1],
    "linalg.diagonal": lambda f, x: f.linalg.diagonal(x, offset=1),
    "linalg.trace": lambda f, x: f.linalg.trace(x),
}
REAL: dict[str, Callable[[Any, Any], Any]] = {
    "argmax": lambda f, x: f.argmax(x, axis=1),
    "argsort": lambda f, x: f.argsort(x, axis=1, stable=True),
    "max": lambda f, x: f.max(x, axis=0),
    "min": lambda f, x: f.min(x),
    "maximum": lambda f, x: f.maximum(x, x[0]),
    "searchsorted": lambda f, x: f.searchsorted(f.sort(x[0]), x[1]),
    "sort": lambda f, x: f.sort(x, axis=0),
}


def takes(name: str, dtype: str) -> bool:
    """Complex numbers have no order, and the standard has no mean of integers."""
    return not (dtype == "complex64" if name in REAL else name == "mean" and "int" in dtype)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, dtype) for name in (*FUNCTIONS, *REAL) for dtype in DTYPES if takes(name, dtype)],
)
def test_values_are_numpys(name: str, dtype: str) -> None:
    call = {**FUNCTIONS, **REAL}[name]
    values = VALUES.astype(dtype)
    found, expected = call(xp, xp.asarray(values)), onp.asarray(call(onp, values))
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    onp.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


SPECIAL: list[tuple[Callable[..., Any], list[float], Any]] = [
    (xp.sign, [NAN, -2, 0, 3], [NAN, -1, 0, 1]),
    (xp.round, [0.5, 1.5, -2.5, 2.4], [0, 2, -2, 2]),
    (lambda x: xp.remainder(x, 0.0), [5, -5, 0, NAN], [NAN] * 4),
    (lambda x: xp.remainder(x, 3.0), [5, -5, -0.0, INF], [2, 1, 0, NAN]),
    (lambda x: xp.remainder(x, -3.0), [5, -5, 0, 3], [-1, -2, -0.0, -0.0]),
    (lambda x: xp.floor_divide(x, 2.0), [INF, -INF, 5, -5], [INF, -INF, 2, -3]),
    (lambda x: xp.floor_divide(x, INF), [5, -5, 0, INF], [0, -0.0, 0, NAN]),
    (lambda x: xp.floor_divide(x, 0.0), [5, -5, 0, NAN], [INF, -INF, NAN, NAN]),
    (lambda x: xp.maximum(x, 1.0), [NAN, 0, 2, -INF], [NAN, 1, 2, 1]),
    (lambda x: xp.clip(x, 0.0, 1.0), [NAN, -1, 0.5, INF], [NAN, 0, 0.5, 1]),
    (lambda x: xp.logaddexp(x, 0.0), [0, -INF, 100, NAN], [0.6931472, 0, 100, NAN]),
    (lambda x: xp.sort(x, descending=True), [1, 3, 2, 0], [3, 2, 1, 0]),
    (lambda x: xp.std(x, correction=1.5), [1, 2, 3, 4], 2**0.5),
]


@pytest.mark.parametrize(("call", "values", "expected"), SPECIAL)
def test_special_values(call: Callable[..., Any], values: list[float], expected: Any) -> None:
    found = call(xp.asarray(values, dtype=xp.float32)).asnumpy()
    onp.testing.assert_allclose(found, expected, rtol=1e-6)
    signs = onp.signbit(found)[~onp.isnan(found)]
    wanted = onp.signbit(expected)[~onp.isnan(found)]
    assert signs.tolist() == wanted.tolist()


def test_expm1_of_complex_infinity_and_zero() -> None:
    x = xp.asarray([complex(INF, 0), complex(-INF, INF), 0j, 1e-9 + 0j])
    found = xp.expm1(x).asnumpy()
    assert (found[0].real, found[1].real, found[2]) == (INF, -1, 0)
    assert found[3].real == pytest.approx(1e-9)


@pytest.mark.parametrize("part", [2.0, -2.0])
def test_tanh_of_complex_infinity_is_real(part: float) -> None:
    found = complex(xp.tanh(xp.asarray(complex(INF, part))))
    assert (found.real, found.imag) == (1, 0)
    assert onp.signbit(found.imag) == (part < 0)


def test_means_of_nothing_are_nan() -> None:
    x = xp.zeros((0,))
    assert all(xp.isnan(f(x)) for f in (xp.mean, xp.var, xp.std))


def test_sorting_backwards_leaves_equal_elements_in_their_order() -> None:
    assert xp.argsort(xp.asarray([1, 3, 1, 3]), descending=True).tolist() == [1, 3, 0, 2]


def test_sums_of_integers_have_64_bits() -> None:
    x = xp.asarray([200, 100], dtype=xp.uint8)
    assert (xp.sum(x).dtype, int(xp.sum(x))) == (xp.uint64, 300)
    assert (xp.sum(x, dtype=xp.uint8).dtype, int(xp.sum(x, dtype=xp.uint8))) == (xp.uint8, 44)


# --- linear algebra and Fourier transforms ---------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_factors_give_the_matrix_again(dtype: str) -> None:
    a = onp.array([[4, 1, 2], [1, 5, 3], [2, 3, 6]], dtype)
    x = xp.asarray(a)
    q, r = xp.linalg.qr(x)
    u, s, v = xp.linalg.svd(x)
    low = xp.linalg.cholesky(x)
    values, vectors = xp.linalg.eigh(x)
    for found in (
        q @ r,
        (u * s) @ v,
        low @ xp.conj(low).mT,
        (vectors * values) @ xp.conj(vectors).mT,
    ):
        onp.testing.assert_allclose(found.asnumpy(), a, rtol=1e-4)
    onp.testing.assert_allclose((xp.linalg.inv(x) @ x).asnumpy(), onp.eye(3), atol=1e-5)
    onp.testing.assert_allclose(xp.linalg.det(x).asnumpy(), onp.linalg.det(a), rtol=1e-4)
    onp.testing.assert_allclose(xp.linalg.solve(x, x).asnumpy(), onp.eye(3), atol=1e-5)
    assert (s.dtype, int(xp.linalg.matrix_rank(x))) == (onp.abs(a).dtype, 3)


def test_singular_matrices_have_no_inverse() -> None:
    with pytest.raises(ArgumentError, match="inv: Singular matrix"):
        xp.linalg.inv(xp.zeros((2, 2)))
    with pytest.raises(DTypeError, match="det: x must have a floating dtype, got int64"):
        xp.linalg.det(xp.asarray([[1]]))


def test_eigenvalues_of_any_matrix_are_complex() -> None:
    found = xp.linalg.eigvals(xp.asarray([[2.0, 0.0], [0.0, 3.0]]))
    assert (found.dtype, found.tolist()) == (xp.complex64, [2, 3])


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_fourier_transforms_are_numpys(dtype: str) -> None:
    a = onp.array([[1, 2, 0, -1], [0, 3, 1, 2]], dtype)
    x = xp.asarray(a)
    for found, expected in (
        (xp.fft.fft(x), onp.fft.fft(a)),
        (xp.fft.ifft(x, norm="ortho"), onp.fft.ifft(a, norm="ortho")),
        (xp.fft.fftn(x, s=(3,)), onp.fft.fftn(a, s=(3,), axes=(-1,))),
        (xp.fft.hfft(x), onp.fft.hfft(a)),
        (xp.fft.fftshift(x), onp.fft.fftshift(a)),
    ):
        assert found.dtype == expected.dtype
        onp.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)
    assert xp.fft.rfftfreq(4).tolist() == [0, 0.25, 0.5]
    with pytest.raises(DTypeError, match=r"fft: x must be float16 .* got int64"):
        xp.fft.fft(xp.asarray([1]))


# --- gradients and errors ---------------------------------------------------------------------


def test_gradients_flow_through_floats() -> None:
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    x.attach_grad()
    with autograd.record():
        y = xp.matmul(xp.sin(x), xp.matrix_transpose(xp.where(x > 2, x, 0.5)))
        z = xp.sum(xp.sort(y, axis=0) * xp.sign(y))
    z.backward()
    assert x.grad is not None
    assert bool(xp.all(xp.isfinite(x.grad)))
    assert float(abs(x.grad).sum()) > 1


def test_where_numpy_computes_no_gradient_is_lost_silently() -> None:
    x = np.array([1.0, 2.0])
    x.attach_grad()
    with (
        autograd.record(),
        pytest.raises(AutogradError, match="fft: these dtypes are computed by numpy"),
    ):
        xp.fft.fft(x)


def test_errors_say_what_is_wrong() -> None:
    x = xp.asarray([1.0, 2.0])
    with pytest.raises(OperandError, match="sin: takes arrays, not a list"):
        xp.sin([1.0])  # type: ignore[arg-type]
    with pytest.raises(DTypeError, match="sin: not defined for int64; convert"):
        xp.sin(xp.asarray([1]))
    with pytest.raises(ShapeError, match="squeeze: axis 0 of an array"):
        xp.squeeze(x, axis=0)
    with pytest.raises(ShapeError, match="nonzero: x must have at least one axis"):
        xp.nonzero(xp.asarray(1.0))
    with pytest.raises(ArgumentError, match="asarray: copy=False"):
        xp.asarray([1.0], copy=False)


def test_an_array_without_axes_is_taken_by_a_truth() -> None:
    x = xp.asarray(3.0)
    assert x[xp.asarray(True)].shape == (1,)
    assert x[xp.asarray(False)].shape == (0,)


# --- memory -----------------------------------------------------------------------------------


def test_other_libraries_arrays_are_taken_over() -> None:
    values = onp.arange(3, dtype="uint16")
    x = xp.from_dlpack(values)
    x[0] = 9
    assert values.tolist() == [9, 1, 2]
    assert xp.from_dlpack(values, copy=True)[0] == 9
    assert np.from_dlpack(onp.ones(2)).dtype == "float64"


def test_memory_is_given_with_and_without_a_copy() -> None:
    x = xp.asarray([1.0, 2.0])
    shared = onp.from_dlpack(x)
    own = onp.from_dlpack(x, copy=True)
    x[0] = 5
    assert (shared.tolist(), own.tolist()) == ([5, 2], [1, 2])
    assert type(x.__dlpack__(max_version=(1, 0), dl_device=(1, 0))).__name__ == "PyCapsule"
    with pytest.raises(BufferError, match="cannot export an array on"):
        x.__dlpack__(dl_device=(2, 0))


def test_devices_are_what_arrays_say_contexts_and_texts() -> None:
    x = xp.ones(2)
    for device in (x.device, x.context, "cpu(0)"):
        assert x.to_device(device) is x
        assert xp.zeros(1, device=device).context == x.context
    with pytest.raises(ArgumentError, match="device is an int"):
        xp.zeros(1, device=1)
