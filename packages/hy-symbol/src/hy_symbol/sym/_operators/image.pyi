# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Mapping, Sequence
from typing import overload
from hy_symbol.symbol.symbol import Symbol

@overload
def adjust_lighting(data: Symbol, alpha: float | Sequence[float], *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the image shifted along the principal components of ImageNet's colors."""
@overload
def adjust_lighting(data: Symbol | None = None, *, alpha: float | Sequence[float],
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def crop(data: Symbol, x: int, y: int, width: int, height: int, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return a rectangular crop of an image."""
@overload
def crop(data: Symbol | None = None, *, x: int, y: int, width: int, height: int,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def crop_backward(dy: Symbol, data: Symbol, x: int, y: int, width: int, height: int, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the gradient of ``_image_crop`` with respect to ``data``."""
@overload
def crop_backward(dy: Symbol | None = None, data: Symbol | None = None, *, x: int, y: int,
        width: int, height: int, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def flip_left_right(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the image mirrored horizontally."""
def flip_top_bottom(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the image mirrored vertically."""
def normalize(data: Symbol | None = None, mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0), *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``(data - mean) / std`` for each channel."""
@overload
def random_brightness(data: Symbol, min_factor: float, max_factor: float, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the image multiplied by a random factor."""
@overload
def random_brightness(data: Symbol | None = None, *, min_factor: float, max_factor: float,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def random_color_jitter(data: Symbol, brightness: float, contrast: float, saturation: float,
        hue: float, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the image with random brightness, contrast, saturation and hue, in random order."""
@overload
def random_color_jitter(data: Symbol | None = None, *, brightness: float, contrast: float,
        saturation: float, hue: float, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def random_contrast(data: Symbol, min_factor: float, max_factor: float, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the image with its contrast, the distance from the mean gray, scaled randomly."""
@overload
def random_contrast(data: Symbol | None = None, *, min_factor: float, max_factor: float,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def random_flip_left_right(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the image, mirrored horizontally with probability 1/2."""
def random_flip_top_bottom(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the image, mirrored vertically with probability 1/2."""
@overload
def random_hue(data: Symbol, min_factor: float, max_factor: float, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the image with its hue rotated by a random angle."""
@overload
def random_hue(data: Symbol | None = None, *, min_factor: float, max_factor: float,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def random_lighting(data: Symbol | None = None, alpha_std: float = 0.05, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the image randomly shifted along the principal components of ImageNet's colors."""
@overload
def random_saturation(data: Symbol, min_factor: float, max_factor: float, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the image with its saturation, the distance from gray, scaled randomly."""
@overload
def random_saturation(data: Symbol | None = None, *, min_factor: float, max_factor: float,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def resize(data: Symbol | None = None, size: int | Sequence[int] = (), keep_ratio: bool = False,
        interp: int = 1, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return an image resized, with the same results as OpenCV."""
def to_tensor(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return an image scaled from 0 … 255 to 0 … 1, with channels first."""
