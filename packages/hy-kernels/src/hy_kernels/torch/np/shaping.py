"""Reshaping and broadcasting of tensors, as copies."""

from collections.abc import Sequence

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied

__all__ = [
    "np_atleast_1d",
    "np_atleast_2d",
    "np_atleast_3d",
    "np_broadcast_to",
    "np_reshape",
    "np_squeeze",
    "npx_reshape",
]


@kernel(out="apart")
def np_reshape(
    a: Tensor, *, newshape: tuple[int, ...], order: str, out: OutBuffers = None
) -> Tensor:
    """Return a copy in the shape ``newshape``."""
    if order != "C":
        raise ValueError(f"order is {order!r}; only 'C' is supported")
    return copied(a.reshape(newshape), out)


def _shape_of_codes(codes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """Return the shape that the codes of ``npx_reshape`` mean, perhaps with a -1 in it."""
    result: list[int] = []
    # npx.reshape's codes: -2 keeps, -3 drops a 1, -4 the rest, -5 joins two, -6 divides.
    at = i = 0
    while i < len(codes):
        code = codes[i]
        i += 1
        if code >= -1:
            result.append(code)
            at += 1
        elif code == -2:
            result.append(shape[at])
            at += 1
        elif code == -3:
            if shape[at] != 1:
                raise ValueError(
                    f"code -3 leaves out axes of size 1, not axis {at} of {tuple(shape)}"
                )
            at += 1
        elif code == -4:
            result.extend(shape[at:])
            at = len(shape)
        elif code == -5:
            result.append(shape[at] * shape[at + 1])
            at += 2
        elif code == -6:
            result.extend(_split_size(shape[at], codes[i], codes[i + 1]))
            at += 1
            i += 2
        else:
            raise ValueError(f"unknown code {code} in {tuple(codes)}")
    return result


def _split_size(size: int, first: int, second: int) -> tuple[int, int]:
    """Return the two sizes an axis is divided into, of which one may be asked for as -1."""
    # first * second is -known where one of them is -1.
    known = second if first == -1 else first
    if known <= 0 or size % known or first * second not in (size, -known):
        raise ValueError(f"an axis of {size} cannot be divided into {first} and {second}")
    return (size // known, known) if first == -1 else (known, size // known)


@kernel(out="apart")
def npx_reshape(
    a: Tensor, *, newshape: tuple[int, ...], reverse: bool, order: str, out: OutBuffers = None
) -> Tensor:
    """Return a copy in the shape that codes mean, read from either end."""
    if order != "C":
        raise ValueError(f"order is {order!r}; only 'C' is supported")
    # From the right: codes and shape reversed, and the result again.
    direction = slice(None, None, -1 if reverse else 1)
    target = _shape_of_codes(newshape[direction], a.shape[direction])[direction]
    return copied(a.reshape(target), out)


@kernel(out="apart")
def np_squeeze(a: Tensor, *, axis: tuple[int, ...] | None, out: OutBuffers = None) -> Tensor:
    """Return a copy without axes of size 1."""
    if axis is None or not a.ndim:
        return copied(a.squeeze(), out)
    if any(a.shape[i] != 1 for i in axis):  # torch would leave the axis as it is
        raise ValueError(f"axes {axis} of {tuple(a.shape)} are not all of size 1")
    return copied(a.squeeze(axis), out)


@kernel(out="apart")
def np_broadcast_to(array: Tensor, *, shape: tuple[int, ...], out: OutBuffers = None) -> Tensor:
    """Return a copy broadcast to ``shape``, in which -2 keeps a size."""
    own = (1,) * (len(shape) - array.ndim) + tuple(array.shape)
    # MXNet: -2 keeps an axis.
    target = [size if n == -2 else n for size, n in zip(own, shape, strict=True)]
    return copied(array.broadcast_to(target), out)


def _copies(arrays: Sequence[Tensor], out: OutBuffers) -> Tensor | tuple[Tensor, ...]:
    copies = tuple([copied(x, out, k) for k, x in enumerate(arrays)])
    return copies[0] if len(copies) == 1 else copies


@kernel(out="apart")
def np_atleast_1d(
    *arys: Tensor, num_args: int, out: OutBuffers = None
) -> Tensor | tuple[Tensor, ...]:
    """Return copies with one axis at least."""
    return _copies([x.reshape(1) if not x.ndim else x for x in arys], out)


@kernel(out="apart")
def np_atleast_2d(
    *arys: Tensor, num_args: int, out: OutBuffers = None
) -> Tensor | tuple[Tensor, ...]:
    """Return copies with two axes at least."""
    return _copies([x if x.ndim > 1 else x.reshape(1, -1) for x in arys], out)


def _with_three_axes(x: Tensor) -> Tensor:
    if x.ndim > 2:
        return x
    return x[:, :, None] if x.ndim == 2 else x.reshape(1, -1, 1)


@kernel(out="apart")
def np_atleast_3d(
    *arys: Tensor, num_args: int, out: OutBuffers = None
) -> Tensor | tuple[Tensor, ...]:
    """Return copies with three axes at least."""
    return _copies([_with_three_axes(x) for x in arys], out)
