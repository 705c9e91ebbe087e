"""Brightness, contrast, saturation, hue and lighting of images."""

from collections.abc import Callable
from typing import TypeAlias

import torch

from hy_kernels.torch._constants import constant
from hy_kernels.torch._dtypes import accumulator, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, is_integer, stored
from hy_kernels.torch.random._draws import Generator, device_of, seeded

Change: TypeAlias = Callable[[Tensor, Tensor], Tensor]

# Rec. 601 luma, which OpenCV and MXNet use.
_GRAY = (0.299, 0.587, 0.114)


def _float_copy(data: Tensor) -> Tensor:
    """Return a floating copy, to be changed in place."""
    return copied(data, dtype=torch.float32 if is_integer(data) else accumulator(data.dtype))


def _saturated(image: Tensor, data: Tensor, out: OutBuffers) -> Tensor:
    """Return the image in the dtype of ``data``; for integers clipped and truncated."""
    # Cut off towards zero, as MXNet casts.
    if is_integer(data) and data.dtype is not torch.bool:
        limits = torch.iinfo(data.dtype)
        image = image.clamp(limits.min, limits.max)
    return stored(image.to(data.dtype), out)


def _gray(image: Tensor) -> Tensor:
    """Return the image in gray, ``[H, W, 1]``."""
    return (
        image @ constant(_GRAY, image.dtype, image.device)[:, None]
        if image.shape[-1] == 3
        else image
    )


def _brightness(image: Tensor, factor: Tensor) -> Tensor:
    return image.mul_(factor)


def _contrast(image: Tensor, factor: Tensor) -> Tensor:
    if not image.numel():
        return image
    mean = _gray(image).mean()
    return image.mul_(factor).add_((1 - factor) * mean)


def _saturation(image: Tensor, factor: Tensor) -> Tensor:
    if image.shape[-1] != 3:
        return image
    gray = _gray(image)
    return image.mul_(factor).add_(gray * (1 - factor))


def _hue(image: Tensor, factor: Tensor) -> Tensor:
    """Return the image with hues rotated by ``factor`` of the circle, at the same lightness."""
    if image.shape[-1] != 3:
        return image
    red, green, blue = image.unbind(-1)
    high, low = image.amax(-1), image.amin(-1)
    span = high - low
    hue = torch.where(
        high == red,
        (green - blue) / span,
        torch.where(high == green, (blue - red) / span + 2, (red - green) / span + 4),
    )
    # Hue in sixths of the circle; a shift of it turns all colours.
    hue = torch.where(span > 0, hue, 0) + 6 * factor
    # Each color rises and falls between the lowest and the highest along the circle.
    at = (hue[..., None] + constant((2, 0, -2), hue.dtype, hue.device)).remainder(6)
    share = (2 - (at - 2).abs()).clamp(0, 1)
    return image.copy_(low[..., None] + span[..., None] * share)


def _uniform(rng: Generator, low: float, high: float) -> Tensor:
    """Return a random number in ``[low, high)`` as a tensor on the device."""
    # A 0-dimensional tensor: factors stay on the device.
    drawn = torch.rand((), **seeded(rng), dtype=widest(device_of(rng)), device=device_of(rng))
    return drawn.mul_(high - low).add_(low)


def _enter(name: str, change: Change) -> None:
    """Register the kernel of a change by a random factor."""

    @kernel(name, out="apart")
    def changed(
        data: Tensor,
        *,
        min_factor: float,
        max_factor: float,
        rng: Generator,
        out: OutBuffers = None,
    ) -> Tensor:
        factor = _uniform(rng, min_factor, max_factor)
        return _saturated(change(_float_copy(data), factor), data, out)


_enter("image_random_contrast", _contrast)
_enter("image_random_saturation", _saturation)
_enter("image_random_hue", _hue)


@kernel(out="apart")
def image_random_color_jitter(
    data: Tensor,
    *,
    brightness: float,
    contrast: float,
    saturation: float,
    hue: float,
    rng: Generator,
    out: OutBuffers = None,
) -> Tensor:
    """Return the image with random brightness, contrast, saturation and hue, in random order."""
    changes: list[tuple[Change, float, float]] = [
        (_brightness, 1, brightness),
        (_contrast, 1, contrast),
        (_saturation, 1, saturation),
        (_hue, 0, hue),
    ]
    image = _float_copy(data)
    order = torch.randperm(len(changes), **seeded(rng), device=device_of(rng))
    if image.is_cpu:
        for i in order.tolist():
            change, middle, width = changes[i]
            if width > 0:
                image = change(image, _uniform(rng, middle - width, middle + width))
        return _saturated(image, data, out)
    factors = [_uniform(rng, middle - width, middle + width) for _, middle, width in changes]
    for k in order.split(1):  # all four are computed: the host would wait to read which is next
        ways = [
            change(image.clone(), factor) if width > 0 else image
            for (change, _, width), factor in zip(changes, factors, strict=True)
        ]
        image = torch.stack(ways).index_select(0, k)[0]
    return _saturated(image, data, out)
