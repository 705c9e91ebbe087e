"""Reshaping and broadcasting of tensors, as copies."""

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied


@kernel(out="apart")
def np_reshape(
    a: Tensor, *, newshape: tuple[int, ...], order: str, out: OutBuffers = None
) -> Tensor:
    """Return a copy in the shape ``newshape``."""
    return copied(a.reshape(newshape), out)


@kernel(out="apart")
def np_squeeze(a: Tensor, *, axis: tuple[int, ...] | None, out: OutBuffers = None) -> Tensor:
    """Return a copy without axes of size 1."""
    if axis is None or not a.ndim:
        return copied(a.squeeze(), out)
    return copied(a.squeeze(axis), out)


@kernel(out="apart")
def np_broadcast_to(array: Tensor, *, shape: tuple[int, ...], out: OutBuffers = None) -> Tensor:
    """Return a copy broadcast to ``shape``, in which -2 keeps a size."""
    own = (1,) * (len(shape) - array.ndim) + tuple(array.shape)
    # MXNet: -2 keeps an axis.
    target = [size if n == -2 else n for size, n in zip(own, shape, strict=True)]
    return copied(array.broadcast_to(target), out)
