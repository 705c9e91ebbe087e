"""Fourier transforms and random projections of vectors."""

from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.record.ranges import Positive
from hy_ndarray.ops.record.rules import like_result
from hy_ndarray.ops.record.schema import operator
from hy_ndarray.ops.record.types import TensorType, show


def _last_size(data: TensorType) -> int | None:
    if data.shape is None:
        return None
    if not data.shape:
        raise ShapeError(f"{data.label}() must have at least one axis")
    return data.shape[-1]


@operator("_contrib_fft", grad=gradient_by("_contrib_ifft"))
def fft(data: TensorType, *, compute_size: int = 128) -> TensorType:
    """Return the discrete Fourier transform of real vectors.

    Args:
        data: ``[*batch, D]``, floating.
        compute_size: Accepted and ignored.

    Returns:
        ``[*batch, 2 * D]``: real and imaginary parts, interleaved.

    Raises:
        ShapeError: ``data`` has no axis.
    """
    size = _last_size(data)
    if data.shape is None:
        return data.with_shape(None)
    return data.with_shape((*data.shape[:-1], None if size is None else 2 * size))


@operator("_contrib_ifft", grad=gradient_by("_contrib_fft"))
def ifft(data: TensorType, *, compute_size: int = 128) -> TensorType:
    """Return the real part of the inverse Fourier transform, not divided by ``D``.

    Args:
        data: ``[*batch, 2 * D]``: real and imaginary parts, interleaved.
        compute_size: Accepted and ignored.

    Returns:
        ``[*batch, D]``; ``ifft(fft(x))`` is ``D * x``.

    Raises:
        ShapeError: The last size of ``data`` is odd.
    """
    size = _last_size(data)
    if data.shape is None:
        return data.with_shape(None)
    if size is not None and size % 2:
        raise ShapeError(
            f"{data.label}{show(data.shape)} must have an even last axis: real and imaginary parts "
            "alternate"
        )
    return data.with_shape((*data.shape[:-1], None if size is None else size // 2))


def _check_sketch(data: TensorType, h: TensorType, s: TensorType) -> None:
    size = _last_size(data)
    for t in (h, s):
        if t.sizes is not None and size is not None and t.sizes not in ((1, size), (size,)):
            raise ShapeError(f"{t.label}{show(t.shape)} must be (1, {size}) or ({size},)")
        if t.shape is None:
            t.set_shape((1, size))


@operator("_contrib_count_sketch", grad=gradient_by("_count_sketch_backward", 1, 2, 0))
def count_sketch(
    data: TensorType,
    h: TensorType,
    s: TensorType,
    *,
    out_dim: Positive,
    processing_batch_size: int = 32,
) -> TensorType:
    """Return the count sketch: element ``j`` is added to element ``h[j]`` with sign ``s[j]``.

    Args:
        data: ``[*batch, D]``.
        h: ``[1, D]``, positions below ``out_dim``.
        s: ``[1, D]``, signs: 1 or -1.
        out_dim: Size of the result's last axis.
        processing_batch_size: Accepted and ignored.

    Returns:
        ``[*batch, out_dim]``.

    Raises:
        ShapeError: ``h`` or ``s`` does not match ``data``.

    Gradient:
        With respect to ``data`` only.

    Source:
        Pham, Pagh 2013, "Fast and scalable polynomial kernels via explicit feature maps", KDD.
    """
    _check_sketch(data, h, s)
    return data.with_shape(None if data.shape is None else (*data.shape[:-1], out_dim))


@operator(
    "_count_sketch_backward",
    grad=gradient_by("_contrib_count_sketch", 1, 2),
    params_of=count_sketch,
)
def count_sketch_backward(
    dy: TensorType, h: TensorType, s: TensorType, data: TensorType, **params: Any
) -> TensorType:
    """Return the gradient of ``count_sketch``: element ``j`` is ``s[j] * dy[h[j]]``."""
    like_result(dy, count_sketch, data, h, s, **params)
    return data.with_dtype(dy.dtype)
