"""Fourier transforms, computed by NumPy."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as onp

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import DTypeError
from hy_ndarray.array.ndarray import array_from
from hy_ndarray.array_api._devices import context_of
from hy_ndarray.array_api._promotion import KINDS, DType, as_dtype, name_of
from hy_ndarray.array_api._routes import on_host
from hy_ndarray.np import ndarray

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

Norm = Literal["backward", "ortho", "forward"]


def _call_fft(name: str, x: ndarray, *args: Any, real: bool) -> ndarray:
    allowed = KINDS["real floating"] + (() if real else KINDS["complex floating"])
    if name_of(x) not in allowed:
        raise DTypeError(
            f"{name}: x must be {' or '.join(allowed)}, got {name_of(x)}; convert it with astype"
        )
    return on_host(getattr(onp.fft, name), x, *args)


def fft(x: ndarray, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> ndarray:
    """Return the discrete Fourier transform along an axis.

    Args:
        x: Real or complex numbers.
        n: Length of the transform: ``x`` is cut or padded with zeros; its size if None.
        axis: The axis.
        norm: ``"backward"`` or ``"forward"``, the direction that is divided by ``n``; or
            ``"ortho"``: both are divided by ``sqrt(n)``.

    Raises:
        DTypeError: ``x`` holds integers or booleans.
        AutogradError: The result would need a gradient.

    Example:
        >>> from hy_ndarray import array_api as xp
        >>> xp.fft.fft(xp.asarray([1.0, 0.0]))
        array([1.+0.j, 1.+0.j], dtype=complex64)
    """
    return _call_fft("fft", x, n, axis, norm, real=False)


def ifft(
    x: ndarray, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward"
) -> ndarray:
    """Return the inverse of :func:`fft`; same arguments."""
    return _call_fft("ifft", x, n, axis, norm, real=False)


def rfft(
    x: ndarray, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward"
) -> ndarray:
    """Return the non-negative frequencies of :func:`fft` of real numbers; same arguments."""
    return _call_fft("rfft", x, n, axis, norm, real=True)


def irfft(
    x: ndarray, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward"
) -> ndarray:
    """Return the inverse of :func:`rfft`; same arguments, with ``n`` the length of the result."""
    return _call_fft("irfft", x, n, axis, norm, real=False)


def hfft(
    x: ndarray, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward"
) -> ndarray:
    """Return the real transform of a Hermitian-symmetric signal, given by its first half."""
    return _call_fft("hfft", x, n, axis, norm, real=False)


def ihfft(
    x: ndarray, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward"
) -> ndarray:
    """Return the inverse of :func:`hfft`; same arguments."""
    return _call_fft("ihfft", x, n, axis, norm, real=True)


def fftn(
    x: ndarray,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> ndarray:
    """Return :func:`fft` along several axes, all by default, of lengths ``s``."""
    return _call_fft("fftn", x, s, _transformed_axes(x, s, axes), norm, real=False)


def ifftn(
    x: ndarray,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> ndarray:
    """Return the inverse of :func:`fftn`; same arguments."""
    return _call_fft("ifftn", x, s, _transformed_axes(x, s, axes), norm, real=False)


def rfftn(
    x: ndarray,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> ndarray:
    """Return :func:`fftn` of real numbers: only non-negative frequencies of the last axis."""
    return _call_fft("rfftn", x, s, _transformed_axes(x, s, axes), norm, real=True)


def irfftn(
    x: ndarray,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> ndarray:
    """Return the inverse of :func:`rfftn`; same arguments."""
    return _call_fft("irfftn", x, s, _transformed_axes(x, s, axes), norm, real=False)


def _transformed_axes(x: ndarray, s: Sequence[int] | None, axes: Sequence[int] | None) -> Any:
    """Return the axes to transform: the last ``len(s)`` ones if only ``s`` is given."""
    if axes is None and s is not None:
        return tuple(range(x.ndim - len(s), x.ndim))
    return axes


def fftfreq(
    n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: Any = None
) -> ndarray:
    """Return the sample frequencies of :func:`fft`.

    Args:
        n: Length of the transform.
        d: Sample spacing.
        dtype: Dtype of the result; float32 if None.
        device: Device of the result; the current context if None.
    """
    return _frequencies(onp.fft.fftfreq(n, d), dtype, device)


def rfftfreq(
    n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: Any = None
) -> ndarray:
    """Return the sample frequencies of :func:`rfft`; arguments as :func:`fftfreq`."""
    return _frequencies(onp.fft.rfftfreq(n, d), dtype, device)


def _frequencies(values: Any, dtype: Any, device: Any) -> ndarray:
    name = "float32" if dtype is None else dtype_name(dtype)
    return array_from(values.astype(as_dtype(name)), context_of(device), ndarray)


def fftshift(x: ndarray, /, *, axes: int | Sequence[int] | None = None) -> ndarray:
    """Return the array with the zero frequency shifted to the middle."""
    return _call_fft("fftshift", x, axes, real=False)


def ifftshift(x: ndarray, /, *, axes: int | Sequence[int] | None = None) -> ndarray:
    """Return the inverse of :func:`fftshift`."""
    return _call_fft("ifftshift", x, axes, real=False)
