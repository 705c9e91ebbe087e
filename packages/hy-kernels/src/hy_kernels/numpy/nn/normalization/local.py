"""L2 normalisation, and local response normalisation (LRN)."""

from collections.abc import Iterator

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, out_buffer, quiet, target
from hy_kernels.numpy._folds import add_up
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.nn._workspace import workspace


def _vector_sums(x: Array, mode: str) -> Array:
    """Return the sums of ``x`` over each vector that L2 normalisation in ``mode`` scales."""
    if mode == "channel":
        axes: tuple[int, ...] = (1,)
    else:
        axes = tuple(range(2 if mode == "spatial" else 1, x.ndim))
    return add_up(x, axes, True)


def _length(x: Array, mode: str, eps: float, out: OutBuffers) -> Array:
    """Return ``sqrt(sum(x²) + eps)`` of each vector; the out buffer holds the squares."""
    square = _vector_sums(np.multiply(x, x, out=out_buffer(out)), mode)
    square += x.dtype.type(eps)
    return np.sqrt(square, out=square)


@kernel(out="apart")
@quiet
def l2_normalization(data: Array, *, eps: float, mode: str, out: OutBuffers = None) -> Array:
    """Return each vector divided by its L2 norm."""
    x = to_compute_dtype(data)
    length = _length(x, mode, eps, out)
    return to_storage_dtype(np.divide(x, length, out=out_buffer(out)), data.dtype)


@kernel(out="apart")
@quiet
def l2_normalization_backward(
    dy: Array, data: Array, *, eps: float, mode: str, out: OutBuffers = None
) -> Array:
    """Return the gradient to the data: ``(dy - y · sum(dy · y)) / norm``, ``y`` normalised."""
    x, g = to_compute_dtype(data), to_compute_dtype(dy)
    length = _length(x, mode, eps, out)
    y = np.divide(x, length, out=out_buffer(out))
    y *= _vector_sums(g * y, mode)
    np.subtract(g, y, out=y)
    y /= length
    return to_storage_dtype(y, data.dtype)


def _window(x: Array, size: int, out: OutBuffers = None) -> Array:
    """Return, for each channel, the sum over the ``size`` channels centred on it."""
    half = (size - 1) // 2  # an even size counts as one less, as in oneDNN
    channels = x.shape[1]
    total = copied(x, out)
    for offset in range(1, min(half, channels - 1) + 1):
        total[:, offset:] += x[:, :-offset]
        total[:, :-offset] += x[:, offset:]
    return total


def _blocks(images: Array) -> Iterator[slice]:
    """Yield slices of images of about ``blocks.rows`` elements, so that blocks fit in the cache."""
    step = max(COSTS.blocks.rows * len(images) // max(images.size, 1), 1)
    for start in range(0, len(images), step):
        yield slice(start, start + step)


def _strength(x: Array, alpha: float, knorm: float, nsize: int) -> Array:
    """Return LRN's ``knorm + alpha / nsize · sum(x²)``, summed over neighbouring channels."""
    squares, s = (workspace(name, x.shape, x.dtype) for name in ("squares", "strength"))
    np.multiply(x, x, out=squares)
    _window(squares, nsize, (s,))
    s *= x.dtype.type(alpha / nsize)
    s += x.dtype.type(knorm)
    return s


def _power(s: Array, exponent: float, out: Array) -> Array:
    """Compute ``s ** exponent`` of positive numbers into ``out``."""
    # NumPy's exp and log are vectorized, and together faster than its power.
    np.log(s, out=out)
    out *= s.dtype.type(exponent)
    return np.asarray(np.exp(out, out=out))


@kernel(out="apart")
@quiet
def lrn(
    data: Array, *, alpha: float, beta: float, knorm: float, nsize: int, out: OutBuffers = None
) -> Array:
    """Return local response normalisation over channels (Krizhevsky et al., 2012)."""
    x = to_compute_dtype(data)
    y = target(out, x.shape, x.dtype)
    for part in _blocks(x):
        s = _strength(x[part], alpha, knorm, nsize)
        np.multiply(_power(s, -beta, s), x[part], out=y[part])
    return to_storage_dtype(y, data.dtype)


@kernel(out="apart")
@quiet
def lrn_backward(
    dy: Array,
    data: Array,
    *,
    alpha: float,
    beta: float,
    knorm: float,
    nsize: int,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient of ``lrn`` to the data."""
    x, gradients = to_compute_dtype(data), to_compute_dtype(dy)
    dx = target(out, x.shape, x.dtype)
    for part in _blocks(x):
        own, g, y = x[part], gradients[part], dx[part]
        s = _strength(own, alpha, knorm, nsize)
        power = _power(s, -beta, workspace("power", s.shape, s.dtype))
        np.multiply(g, power, out=y)
        power /= s
        power *= g
        power *= own
        # dy s**-beta - 2 alpha beta / nsize x window(dy x s**(-beta - 1)): the second term.
        through = _window(power, nsize, (s,))
        through *= own
        through *= x.dtype.type(-2 * alpha * beta / nsize)
        y += through
    return to_storage_dtype(dx, data.dtype)
