"""Permutation of axes, space-to-depth and depth-to-space, diagonals."""

from hy_kernels.numpy._array import Array, OutBuffers, copied, target, zeroed
from hy_kernels.numpy._kernels import kernel


@kernel(out="apart")
def transpose(data: Array, *, axes: tuple[int, ...], out: OutBuffers = None) -> Array:
    """Return a contiguous copy with its axes permuted."""
    return copied(data.transpose(axes or None), out)


@kernel(out="apart")
def swapaxes(data: Array, *, dim1: int, dim2: int, out: OutBuffers = None) -> Array:
    """Return a contiguous copy with two axes exchanged."""
    return copied(data.swapaxes(dim1, dim2), out)


@kernel(out="apart")
def depth_to_space(data: Array, *, block_size: int, out: OutBuffers = None) -> Array:
    """Rearrange ``[N, C, H, W]`` to ``[N, C / b², H b, W b]``: channels to blocks of pixels."""
    n, c, h, w = data.shape
    b = block_size
    # ONNX's DCR order: along the channels, the position in the block varies slowest.
    blocks = data.reshape(n, b, b, c // (b * b), h, w).transpose(0, 3, 4, 1, 5, 2)
    y = target(out, (n, c // (b * b), h * b, w * b), data.dtype)
    y.reshape(blocks.shape)[...] = blocks
    return y


@kernel(out="apart")
def diag(data: Array, *, k: int, axis1: int, axis2: int, out: OutBuffers = None) -> Array:
    """Return a diagonal of matrices, or the matrix that has a vector as diagonal."""
    if data.ndim > 1:
        return copied(data.diagonal(k, axis1, axis2), out)
    size = len(data) + abs(k)
    y = zeroed(out, (size, size), data.dtype)
    # In the flat matrix, a diagonal is every (size + 1)-th element.
    first = max(-k, 0) * size + max(k, 0)
    y.reshape(-1)[first :: size + 1][: len(data)] = data
    return y
