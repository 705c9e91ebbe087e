# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Mapping, Sequence
from typing import overload
from hy_symbol.symbol.symbol import Symbol

@overload
def adjust_lighting(data: Symbol, alpha: float | Sequence[float], *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """All pixels shifted along the principal components of the colors of ImageNet."""
@overload
def adjust_lighting(data: Symbol | None = None, *, alpha: float | Sequence[float],
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def crop(data: Symbol, x: int, y: int, width: int, height: int, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """A part of an image."""
@overload
def crop(data: Symbol | None = None, *, x: int, y: int, width: int, height: int,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def crop_backward(dy: Symbol, data: Symbol, x: int, y: int, width: int, height: int, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Zeros like ``data``, and ``dy`` where it was cut out."""
@overload
def crop_backward(dy: Symbol | None = None, data: Symbol | None = None, *, x: int, y: int,
        width: int, height: int, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def flip_left_right(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The mirror image: columns in reverse order."""
def flip_top_bottom(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The image upside down: rows in reverse order."""
def normalize(data: Symbol | None = None, mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0), *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``(data - mean) / std``, by channel."""
@overload
def random_brightness(data: Symbol, min_factor: float, max_factor: float, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The image times a random factor."""
@overload
def random_brightness(data: Symbol | None = None, *, min_factor: float, max_factor: float,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def random_color_jitter(data: Symbol, brightness: float, contrast: float, saturation: float,
        hue: float, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Random brightness, contrast, saturation and hue, one behind the other in random order."""
@overload
def random_color_jitter(data: Symbol | None = None, *, brightness: float, contrast: float,
        saturation: float, hue: float, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def random_contrast(data: Symbol, min_factor: float, max_factor: float, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The difference to the mean gray of the image times a random factor."""
@overload
def random_contrast(data: Symbol | None = None, *, min_factor: float, max_factor: float,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def random_flip_left_right(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The image or its mirror image, with the same chance."""
def random_flip_top_bottom(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The image upside down or not, with the same chance."""
@overload
def random_hue(data: Symbol, min_factor: float, max_factor: float, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Hues turned by a random part of their circle; lightness and saturation stay."""
@overload
def random_hue(data: Symbol | None = None, *, min_factor: float, max_factor: float,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def random_lighting(data: Symbol | None = None, alpha_std: float = 0.05, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """All pixels shifted at random along the principal components of the colors of ImageNet."""
@overload
def random_saturation(data: Symbol, min_factor: float, max_factor: float, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The difference of each pixel to its gray times a random factor."""
@overload
def random_saturation(data: Symbol | None = None, *, min_factor: float, max_factor: float,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def resize(data: Symbol | None = None, size: int | Sequence[int] = (), keep_ratio: bool = False,
        interp: int = 1, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """An image in another size, with the numbers OpenCV has."""
def to_tensor(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """An image of values from 0 to 255 as one from 0 to 1, with the channels first."""
