"""Slicing, assignment to slices and cropping, and their gradients."""

from builtins import slice as span

from hy_kernels.numpy._array import Array, OutBuffers, copied, zeroed
from hy_kernels.numpy._kernels import kernel

Ends = tuple[int | None, ...]


def _key(begin: Ends, end: Ends, step: Ends) -> tuple[span, ...]:
    """Return the NumPy index ``[begin:end:step, …]``."""
    return tuple(map(span, begin, end, step or (None,) * len(begin)))


@kernel(out="apart")
def slice(data: Array, *, begin: Ends, end: Ends, step: Ends, out: OutBuffers = None) -> Array:
    """Return a copy of ``data[begin:end:step, …]``."""
    return copied(data[_key(begin, end, step)], out)


@kernel(out="apart")
def slice_backward(
    dy: Array, data: Array, *, begin: Ends, end: Ends, step: Ends, out: OutBuffers = None
) -> Array:
    """Return the gradient of ``slice``: zeros, with ``dy`` at the slice."""
    dx = zeroed(out, data.shape, dy.dtype)
    dx[_key(begin, end, step)] = dy
    return dx


@kernel(out="apart")
def slice_axis(
    data: Array, *, axis: int, begin: int, end: int | None, out: OutBuffers = None
) -> Array:
    """Return a copy of the slice ``begin:end`` along one axis."""
    size = data.shape[axis]
    first = begin + size if begin < 0 else begin
    last = size if end is None else end + size if end < 0 else end
    before = (span(None),) * (axis % data.ndim)
    return copied(data[(*before, span(first, last))], out)


@kernel(out="first")
def slice_assign(
    lhs: Array, rhs: Array, *, begin: Ends, end: Ends, step: Ends, out: OutBuffers = None
) -> Array:
    """Return a copy of ``lhs`` with ``rhs`` assigned to the slice ``[begin:end:step, …]``."""
    y = copied(lhs, out)
    part = y[_key(begin, end, step)]
    # NumPy would cast and repeat it: operands of gradients are not checked before.
    if part.shape != rhs.shape or rhs.dtype != y.dtype:
        raise ValueError(
            f"rhs {rhs.shape} {rhs.dtype} must have the type of the part, {part.shape} {y.dtype}"
        )
    part[...] = rhs
    return y


@kernel(out="first")
def slice_assign_scalar(
    data: Array, *, scalar: float, begin: Ends, end: Ends, step: Ends, out: OutBuffers = None
) -> Array:
    """Return a copy of ``data`` with ``scalar`` assigned to the slice ``[begin:end:step, …]``."""
    y = copied(data, out)
    y[_key(begin, end, step)] = scalar
    return y
