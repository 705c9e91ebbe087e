"""Several tensors joined into one, and one divided into several."""

from collections.abc import Sequence
from itertools import accumulate

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Places, Tensor, place, target
from hy_kernels.torch.joining import split_v2

__all__ = [
    "join_backward",
    "join_like",
    "np_column_stack",
    "np_concatenate",
    "np_dstack",
    "np_hsplit",
    "np_hstack",
    "np_stack",
    "np_vstack",
]


def _one_dtype(tensors: Sequence[Tensor]) -> None:
    if any(x.dtype != tensors[0].dtype for x in tensors):
        raise TypeError("the dtypes differ")


@kernel(out="apart")
def np_concatenate(*data: Tensor, axis: int | None, out: Places = None) -> Tensor:
    """Along an axis, or flattened."""
    _one_dtype(data)
    if axis is None:
        return torch.cat([x.reshape(-1) for x in data], out=place(out))
    if any(x.ndim != data[0].ndim for x in data):  # torch takes empty vectors beside anything
        raise ValueError("the numbers of axes differ")
    return torch.cat(data, axis, out=place(out))


@kernel(out="apart")
def np_stack(*data: Tensor, axis: int, out: Places = None) -> Tensor:
    """Along a new axis."""
    _one_dtype(data)
    return torch.stack(data, axis, out=place(out))


@kernel(out="apart")
def np_vstack(*data: Tensor, out: Places = None) -> Tensor:
    """One below the other."""
    y: Tensor = np_concatenate(*map(torch.atleast_2d, data), axis=0, out=out)
    return y


@kernel(out="apart")
def np_hstack(*data: Tensor, dim: int, out: Places = None) -> Tensor:
    """Side by side."""
    along = int(data[0].ndim > 1)
    y: Tensor = np_concatenate(*map(torch.atleast_1d, data), axis=along, out=out)
    return y


@kernel(out="apart")
def np_dstack(*data: Tensor, dim: int, out: Places = None) -> Tensor:
    """Along the third axis."""
    y: Tensor = np_concatenate(*map(torch.atleast_3d, data), axis=2, out=out)
    return y


@kernel(out="apart")
def np_column_stack(*data: Tensor, out: Places = None) -> Tensor:
    """Side by side, vectors as columns."""
    columns = [x if x.ndim > 1 else x.reshape(-1, 1) for x in data]
    y: Tensor = np_concatenate(*columns, axis=1, out=out)
    return y


def _axis(dy: Tensor, axis: int | None) -> int:
    """The axis counted from the front; the second, or the only one, if None."""
    return int(dy.ndim > 1) if axis is None else axis % dy.ndim


@kernel(out="apart")
def join_backward(
    dy: Tensor, *data: Tensor, axis: int | None, parts: int, out: Places = None
) -> Tensor | tuple[Tensor, ...]:
    """Divided by numbers of elements, each part in the shape of its tensor."""
    at = _axis(dy, axis)
    slab = dy.numel() // dy.shape[at] if dy.numel() else 0
    sizes = [x.numel() // slab if slab else 0 for x in data]
    ends = list(accumulate(sizes, initial=0))
    shaped = []
    for k, (x, start, size) in enumerate(zip(data, ends, sizes, strict=False)):
        y = target(out, x.shape, dy.dtype, dy.device, k)
        piece = dy.narrow(at, start, size) if slab else y.zero_()
        y.view(piece.shape).copy_(piece)
        shaped.append(y)
    return shaped[0] if parts == 1 else tuple(shaped)


@kernel(out="apart")
def join_like(*data: Tensor, axis: int | None, out: Places = None) -> Tensor:
    """All but the first joined, in the shape of the first."""
    like, *parts = data
    at = _axis(like, axis)
    front, after = like.shape[:at], like.shape[at + 1 :]
    slab = like.numel() // like.shape[at] if like.numel() else 0
    if not slab:
        return torch.zeros(like.shape, dtype=parts[0].dtype, device=like.device)
    shaped = [part.reshape(*front, part.numel() // slab, *after) for part in parts]
    return torch.cat(shaped, at, out=place(out))


@kernel(out="apart")
def np_hsplit(
    data: Tensor,
    *,
    indices: tuple[int, ...],
    axis: int,
    squeeze_axis: bool,
    sections: int,
    out: Places = None,
) -> Tensor | tuple[Tensor, ...]:
    """Along the second axis, or the only one."""
    along = 0 if data.ndim == 1 else 1
    return split_v2(
        data, indices=indices, axis=along, squeeze_axis=False, sections=sections, out=out
    )
