"""Deformable convolution: windows sample the image at learned offsets, between pixels."""

from typing import Any, NamedTuple

import torch

from hy_kernels.record import Params
from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor
from hy_kernels.torch.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.windows import geometry_by_axis, window_counts

Size = tuple[int, ...]


class _Corners(NamedTuple):
    """The four pixels around each of ``K * P`` samples, for bilinear interpolation.

    They are upper left and right, lower left and right. ``D`` groups of channels of ``N`` images
    share positions of ``K`` taps in ``P`` windows.
    """

    pixels: Tensor
    """``[4, N D, K P]``, indices into the flat image."""
    inside: Tensor
    """``[4, N D, K P]``: whether the pixel is inside the image."""
    down: Tensor
    """``[N D, K P]``: fraction of the position between the two rows."""
    right: Tensor

    @property
    def weights(self) -> Tensor:
        """Weights of the pixels in bilinear interpolation, ``[4, N D, K P]``."""
        up, left = 1 - self.down, 1 - self.right
        shares = [up * left, up * self.right, self.down * left, self.down * self.right]
        return torch.stack(shares) * self.inside

    def derivatives(self) -> tuple[Tensor, Tensor]:
        """Return the derivatives of the weights with respect to the position, down and right."""
        up, left = 1 - self.down, 1 - self.right
        along_y = torch.stack([-left, -self.right, left, self.right])
        along_x = torch.stack([-up, up, -self.down, self.down])
        return along_y * self.inside, along_x * self.inside


class _Layer(NamedTuple):
    """Checked operands of a deformable convolution, and sizes derived from them."""

    images: Tensor
    """``[N D, C / D, H W]``."""
    corners: _Corners
    strength: Tensor | None
    """``[N D, 1, K P]``, the mask."""
    matrix: Tensor
    """``[G, O / G, C / G K]``, the weight."""
    number: Size

    @classmethod
    def of(
        cls,
        data: Tensor,
        offset: Tensor,
        mask: Tensor | None,
        weight: Tensor,
        params: Params,
    ) -> "_Layer":
        """Return the layer that an operator's parameters describe."""
        groups, deformable = params["num_group"], params["num_deformable_group"]
        x, w = to_compute_dtype(data), to_compute_dtype(weight)
        count, channels, height, width = x.shape
        kernel = w.shape[2:]
        steps = params["stride"], params["dilate"], params["pad"]
        stride, dilate, pad = geometry_by_axis(2, *steps)
        number = window_counts((height, width), kernel, stride, dilate, pad)
        shift = to_compute_dtype(offset).reshape(
            count * deformable, kernel[0] * kernel[1], 2, *number
        )
        lines = [
            torch.arange(k, device=x.device)[:, None] * d - p + torch.arange(n, device=x.device) * s
            for k, n, s, d, p in zip(kernel, number, stride, dilate, pad, strict=True)
        ]
        grids = lines[0][:, None, :, None], lines[1][None, :, None, :]
        y, across = (
            (grid.expand(*kernel, *number).reshape(-1, *number) + shift[:, :, axis]).flatten(1)
            for axis, grid in enumerate(grids)
        )
        lost = ~torch.isfinite(y + across)  # such positions are outside of the image, too
        # NaN and infinity cast to integers are undefined; -2 is outside in both versions.
        y, across = y.masked_fill(lost, -2), across.masked_fill(lost, -2)
        find = _clamped if mask is None else _with_zeros_outside
        strength = (
            None
            if mask is None
            else to_compute_dtype(mask).reshape(count * deformable, 1, y.shape[1])
        )
        images = x.reshape(count * deformable, channels // deformable, height * width)
        matrix = w.reshape(groups, len(w) // groups, -1)
        return cls(images, find(y, across, height, width), strength, matrix, number)

    def columns(self) -> tuple[Tensor, Tensor]:
        """Return samples ``[N D, C / D, K P]``, and the samples times the mask."""
        samples = _sampled(self.images, self.corners, self.corners.weights)
        return samples, samples if self.strength is None else samples * self.strength

    def grouped(self, columns: Tensor, count: int) -> Tensor:
        """Return columns as ``[N, G, C / G K, P]``: ``G`` groups, ``K`` taps, ``P`` windows."""
        groups, _, inner = self.matrix.shape
        return columns.view(count, groups, inner, self.number[0] * self.number[1])


def _with_zeros_outside(y: Tensor, x: Tensor, height: int, width: int) -> _Corners:
    """Return corners of samples that fade to zero within one pixel outside of the image."""
    # Version 2 (Zhu et al. 2019): MXNet reads positions from -1 to the size, with zeros outside.
    top, left = torch.floor(y), torch.floor(x)
    rows = torch.stack([top, top, top + 1, top + 1])
    columns = torch.stack([left, left + 1, left, left + 1])
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    index = torch.where(inside, rows * width + columns, 0).to(torch.int64)
    return _Corners(pixels=index, inside=inside, down=y - top, right=x - left)


def _clamped(y: Tensor, x: Tensor, height: int, width: int) -> _Corners:
    """Return corners of samples that are clamped to the image; zero if they are outside."""
    # Version 1 (Dai et al. 2017): MXNet reads positions from 0 to the size, and repeats the edge.
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    y, x = y.clamp(0, height - 1), x.clamp(0, width - 1)
    top, left = torch.floor(y), torch.floor(x)
    low, far = (top + 1).clamp_max(height - 1), (left + 1).clamp_max(width - 1)
    index = torch.stack([top, top, low, low]) * width + torch.stack([left, far, left, far])
    return _Corners(
        pixels=index.to(torch.int64),
        inside=inside.expand(index.shape),
        down=y - top,
        right=x - left,
    )


def _sampled(images: Tensor, corners: _Corners, weights: Tensor) -> Tensor:
    """Return samples ``[N D, C / D, K P]``: weighted sums of corners in ``[N D, C / D, H W]``."""
    shape = (-1, images.shape[1], -1)
    total = images.new_zeros((*images.shape[:2], corners.pixels.shape[-1]))
    # Corner by corner: all four at once would take four times the memory.
    for index, weight in zip(corners.pixels, weights.to(images.dtype), strict=True):
        total.addcmul_(images.gather(2, index[:, None].expand(shape)), weight[:, None])
    return total


def _scatter_to_corners(columns: Tensor, corners: _Corners, images: Tensor) -> Tensor:
    """Return gradients of samples added to their corners, in the shape of ``images``."""
    total = torch.zeros_like(images)
    for index, weight in zip(corners.pixels, corners.weights.to(columns.dtype), strict=True):
        total.scatter_add_(2, index[:, None].expand(columns.shape), columns * weight[:, None])
    return total


def _forward(
    data: Tensor,
    offset: Tensor,
    mask: Tensor | None,
    weight: Tensor,
    bias: Tensor | None,
    params: Params,
    out: OutBuffers,
) -> Tensor:
    layer = _Layer.of(data, offset, mask, weight, params)
    shape = (len(data), len(weight), *layer.number)
    if data.numel():
        y = (layer.matrix @ layer.grouped(layer.columns()[1], len(data))).view(shape)
    else:
        y = layer.matrix.new_zeros(shape)
    if bias is not None:
        y += to_compute_dtype(bias)[:, None, None]
    return to_storage_dtype(y, data.dtype, out)


def _backward(
    dy: Tensor,
    data: Tensor,
    offset: Tensor,
    mask: Tensor | None,
    weight: Tensor,
    params: Params,
) -> tuple[Tensor, Tensor, Tensor | None, Tensor]:
    """Return the gradients to images, offsets, masks (None without masks) and weights."""
    if not data.numel():
        dmask = None if mask is None else torch.zeros_like(mask)
        dx, doffset, dweight = map(torch.zeros_like, (data, offset, weight))
        return dx, doffset, dmask, dweight
    layer = _Layer.of(data, offset, mask, weight, params)
    samples, columns = layer.columns()
    own = to_compute_dtype(dy).reshape(len(data), *layer.matrix.shape[:2], -1)
    dweight = (own @ layer.grouped(columns, len(data)).transpose(2, 3)).sum(0)
    back = (layer.matrix.transpose(1, 2) @ own).reshape(samples.shape)
    dmask = None
    if mask is not None and layer.strength is not None:
        dmask = (back * samples).sum(1).reshape(mask.shape).to(mask.dtype)
        back = back * layer.strength
    dx = _scatter_to_corners(back, layer.corners, layer.images)
    moved = [
        (back * _sampled(layer.images, layer.corners, derivative)).sum(1)
        for derivative in layer.corners.derivatives()
    ]
    windows = layer.number[0] * layer.number[1]
    doffset = torch.stack([each.view(len(each), -1, windows) for each in moved], 2)
    return (
        dx.reshape(data.shape).to(data.dtype),
        doffset.reshape(offset.shape).to(offset.dtype),
        dmask,
        dweight.reshape(weight.shape).to(weight.dtype),
    )


@kernel(out="apart")
@with_integer_fallback()
def deformable_convolution(
    data: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> Tensor:
    """Return the deformable convolution of data and weight, plus bias."""
    return _forward(data, offset, None, weight, bias, params, out)


@kernel()
@with_integer_fallback()
def deformable_convolution_backward(
    dy: Tensor, data: Tensor, offset: Tensor, weight: Tensor, **params: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients to ``data``, ``offset`` and ``weight``."""
    dx, doffset, _, dweight = _backward(dy, data, offset, None, weight, params)
    return dx, doffset, dweight


@kernel(out="apart")
@with_integer_fallback()
def modulated_deformable_convolution(
    data: Tensor,
    offset: Tensor,
    mask: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> Tensor:
    """Return the deformable convolution of data times mask and weight, plus bias."""
    return _forward(data, offset, mask, weight, bias, params, out)


@kernel()
@with_integer_fallback()
def modulated_deformable_convolution_backward(
    dy: Tensor, data: Tensor, offset: Tensor, mask: Tensor, weight: Tensor, **params: Any
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the gradients to ``data``, ``offset``, ``mask`` and ``weight``."""
    dx, doffset, dmask, dweight = _backward(dy, data, offset, mask, weight, params)
    assert dmask is not None
    return dx, doffset, dmask, dweight
