"""Pooling over windows or whole planes (max, mean, sum, p-norm), and its gradients.

Windows are read in place, channels first or last; whole planes are reductions. Sums are float32, so
that float16 and bfloat16 are rounded once. Bytes moved: forward the input and the result, once;
backward of maxima twice the input, the gradient, and four bytes a window twice; of p-norms twice
the input, the gradient and the result. P-norms are those of Gulcehre et al., 2014, arXiv:1311.1780,
with signs for odd powers, as in MXNet.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import gcd, prod
from typing import Any

import torch

from hy_kernels.record import Params
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn._pool_windows import PoolWindows, windows_of
from hy_kernels.triton._formula import Formula, Reduction, Step
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._tiles import next_power
from hy_kernels.triton.device import pool as device
from hy_kernels.triton.reduce.reductions import total_of
from hy_kernels.triton.runtime._launch import launch, runs_on
from hy_kernels.windows import pooling_windows

Size = tuple[int, ...]
_THREADS, _VECTOR = 128, 16  # of a program; bytes that a thread reads at once
_MIN_COLUMNS = 8  # of a tile of rows that are as long: a vector of 16-bit numbers
_GROUPS = (2, 4)  # strides of windows whose elements vectors hold
_INT32_ELEMENTS = 1 << 31  # elements that 32-bit offsets reach
_KINDS = ("max", "avg", "sum", "lp")
_CUBE = Step("power_scalar", (0,), (("scalar", "3.0"),))
_LENGTHS = {
    2: Formula(1, (Step("square", (0,)),), (), Reduction("sum", 1, (Step("sqrt", (0,)),))),
    3: Formula(1, (_CUBE,), (), Reduction("sum", 1, (Step("cbrt", (0,)),))),
}
_TOTALS = {kind: Formula(1, (), (), Reduction(kind, 0)) for kind in ("max", "sum")}
_SPACE = 3  # spatial axes at most


@dataclass(frozen=True, eq=False)
class _Geometry:
    """Shapes and windows of a pooling, from which launch arguments follow; cached by value."""

    windows: PoolWindows
    data: Size
    shape: Size
    """Shape of the result."""
    channels: int
    last: bool
    numbers: Size
    """Samples, channels, and sizes and windows along each of three spatial axes."""
    is_whole: bool
    """Whether the only window is the whole plane."""

    @classmethod
    def of(cls, data: Tensor, layout: str | None, params: Params) -> "_Geometry":
        """Return the cached geometry of a tensor and the parameters of its windows."""
        last = layout is not None and layout[-1] == "C"
        return _geometry(data.shape, last, *pooling_windows(params))

    @lru_cache(maxsize=1024)  # noqa: B019  # numbers, which hold nothing
    def launch_arguments(self, itemsize: int, *, back: bool) -> tuple[tuple[int], dict[str, Any]]:
        """Return the grid and constants of a forward launch, or of a backward one if ``back``."""
        windows, written = self.windows, prod(self.data if back else self.shape)
        sizes = _constants(windows.kernel, windows.stride, windows.pad)
        stride = windows.stride[-1]
        group = stride if not self.last and stride in _GROUPS else 1
        # Each thread reads a vector of a row of windows that overlap: what it has of the windows'
        # other rows waits in registers.
        block = _THREADS * _VECTOR // (itemsize * group)
        block = block * group if back else block
        lengths = (self.channels,) * 2 if self.last else (windows.size[-1], windows.number[-1])
        length = lengths[not back]
        columns = _columns(length, block)
        rows = written // length * -(-length // columns)
        return (-(-rows // (block // columns)),), {
            "LAST": self.last,
            "WIDE": max(prod(self.data), prod(self.shape)) >= _INT32_ELEMENTS,
            "ALIGN_X": gcd(lengths[0], _VECTOR),
            "ALIGN_Y": gcd(lengths[1], _VECTOR),
            "GROUP": group,
            "ROWS": block // columns,
            "COLUMNS": columns,
            **sizes,
        }


@lru_cache(maxsize=1024)
def _geometry(shape: Size, last: bool, *window_params: Any) -> _Geometry:
    space, channels = (shape[1:-1], shape[-1]) if last else (shape[2:], shape[1])
    windows = windows_of(tuple(space), *window_params)
    number = windows.number[-len(space) :]
    result = (shape[0], *number, channels) if last else (shape[0], channels, *number)
    sizes = (*_whole(windows.size, 1), *_whole(windows.number, 1))
    is_all = windows.kernel == windows.size and not any(windows.pad)
    is_whole = is_all and prod(windows.number) == 1
    numbers = (shape[0], channels, *sizes)
    return _Geometry(windows, shape, result, channels, last, numbers, is_whole)


@lru_cache(maxsize=1024)
def _constants(kernel: Size, stride: Size, pad: Size) -> dict[str, int]:
    result = dict[str, int]()
    for name, values, default in (("K", kernel, 1), ("S", stride, 1), ("P", pad, 0)):
        result |= {f"{name}{i}": n for i, n in enumerate(_whole(values, default))}
    return result


@lru_cache(maxsize=1024)
def _columns(length: int, block: int) -> int:
    """Return the number of a tile's columns for which the fewest lie beyond the end of a row."""
    if length <= _MIN_COLUMNS:
        return next_power(length)
    fits = [1 << k for k in range(block.bit_length()) if _MIN_COLUMNS <= 1 << k <= block]
    # Idle lanes first: rows of 56 are seven tiles of 8, of which a program has many, and not one of
    # 64. Of equals the widest has the fewest divisions.
    return min(fits, key=lambda columns: (-(-length // columns) * columns, -columns))


def _whole(values: Size, default: int) -> Size:
    return (*(default,) * (_SPACE - len(values)), *values)


def _launched(
    data: Tensor,
    geometry: _Geometry,
    kind: str,
    *,
    padded: bool,
    power: int = 1,
    output: str = "result",
    values: Tensor | None = None,
) -> Tensor:
    """Return the ``output``: pooled results, positions of maxima, or ``values`` at these."""
    x = data.contiguous()
    dtype = torch.int32 if output == "places" else data.dtype
    y = data.new_empty(geometry.shape, dtype=dtype)
    grid, constants = geometry.launch_arguments(data.itemsize, back=False)
    launch(
        device.pooled_windows,
        grid,
        *(x, x if values is None else values.contiguous(), y),
        *geometry.numbers,
        KIND=kind,
        POWER=power,
        PADDED=padded,
        OUTPUT=output,
        **constants,
    )
    return y


def _to_data(
    dy: Tensor,
    data: Tensor,
    geometry: _Geometry,
    kind: str,
    *,
    padded: bool = False,
    power: int = 1,
    result: Tensor | None = None,
) -> Tensor:
    """Return the gradient to the data; ``result``: positions of maxima, or p-norms."""
    operands = dy.contiguous()
    dx = data.new_empty(data.shape)
    windows = geometry.windows
    each = zip(windows.kernel, windows.stride, windows.number, strict=True)
    # Windows that an element is in: of stride 2 and size 3 two along an axis, of which the code has
    # that many steps, and not one for each tap.
    limit = _whole(tuple(min(-(-k // s), n) for k, s, n in each), 1)
    y = operands if result is None else result.contiguous()
    grid, constants = geometry.launch_arguments(data.itemsize, back=True)
    launch(
        device.pooled_windows_backward,
        grid,
        *(operands, y, data.contiguous() if kind == "lp" else dx, dx),
        *geometry.numbers,
        KIND=kind,
        POWER=power,
        PADDED=padded,
        **constants,
        **{f"M{i}": n for i, n in enumerate(limit)},
    )
    return dx


def _reduced(data: Tensor, geometry: _Geometry, kind: str, power: int = 1) -> Tensor:
    """Return the pooling over whole planes: one value for each image and channel."""
    y = data.new_empty(geometry.shape)
    axes = [*(range(1, data.ndim - 1) if geometry.last else range(2, data.ndim))]
    if kind == "lp":
        total_of(_LENGTHS[power], [data], axes, y)
        return y
    count = prod(geometry.windows.size) if kind == "avg" else 1
    total_of(_TOTALS["max" if kind == "max" else "sum"], [data], axes, y, count)
    return y


def _supports(data: Tensor, *, pool_type: str = "max", **_: Any) -> bool:
    is_standard = data.dtype.is_floating_point and data.numel() > 0 and 3 <= data.ndim <= 2 + _SPACE
    return is_standard and pool_type in _KINDS and runs_on(data)


@overlay(supports=_supports)
def pooling(
    data: Tensor,
    *,
    pool_type: str,
    p_value: int | None,
    count_include_pad: bool | None,
    layout: str | None,
    **params: Any,
) -> Tensor:
    """Return the maximum, mean, sum or p-norm of each window."""
    geometry = _Geometry.of(data, layout, params)
    power = (p_value or 1) if pool_type == "lp" else 1
    pool_type = "sum" if pool_type == "lp" and power == 1 else pool_type
    if geometry.is_whole:
        return _reduced(data, geometry, pool_type, power)
    padded = pool_type == "avg" and count_include_pad is not False
    return _launched(data, geometry, pool_type, padded=padded, power=power)


@overlay(supports=_supports)
def pooling_v1(data: Tensor, *, pool_type: str, **params: Any) -> Tensor:
    """Return the maximum, mean or sum of each window; padding counts as zeros."""
    geometry = _Geometry.of(data, None, params)
    if geometry.is_whole:
        return _reduced(data, geometry, pool_type)
    if pool_type == "max":
        return _launched(data, geometry, "max", padded=True)
    y = _launched(data, geometry, "sum", padded=True)
    return y.div_(prod(geometry.windows.kernel)) if pool_type == "avg" else y


def _supports_backward(dy: Tensor, data: Tensor, *more: Tensor, **_: Any) -> bool:
    operands = (dy, *more)
    return _supports(data) and all(x.dtype is data.dtype for x in operands) and runs_on(*operands)


def _supports_places(dy: Tensor, data: Tensor, **_: Any) -> bool:
    """Return :func:`_supports_backward` if positions in a plane also fit 32 bits."""
    planes = prod(data.shape[2:]), prod(data.shape[1:-1])
    return _supports_backward(dy, data) and max(planes) < _INT32_ELEMENTS


@overlay(supports=_supports_places)
def pooling_max_backward(
    dy: Tensor, data: Tensor, *, layout: str | None, zero_pad: bool, **params: Any
) -> Tensor:
    """Return the gradient of maxima: ``dy`` at the first maximum of each window."""
    geometry = _Geometry.of(data, layout, params)
    places = _launched(data, geometry, "max", padded=zero_pad, output="places")
    return _to_data(dy, data, geometry, "max", result=places)


@overlay(supports=_supports_places)
def pooling_max_select(
    values: Tensor, data: Tensor, *, layout: str | None, zero_pad: bool, **params: Any
) -> Tensor:
    """Return ``values`` at the first maximum of each window of ``data``."""
    geometry = _Geometry.of(data, layout, params)
    return _launched(data, geometry, "max", padded=zero_pad, output="values", values=values)


@overlay(supports=_supports_backward)
def pooling_sum_backward(
    dy: Tensor,
    data: Tensor,  # only its type matters
    *,
    pool_type: str,
    count_include_pad: bool | None,
    layout: str | None,
    **params: Any,
) -> Tensor:
    """Return the gradient of sums, or of means: ``dy`` at every element of each window."""
    geometry = _Geometry.of(data, layout, params)
    padded = count_include_pad is not False
    return _to_data(dy, data, geometry, pool_type, padded=padded)


@overlay(supports=_supports_backward)
def pooling_lp_backward(
    dy: Tensor,
    data: Tensor,
    output: Tensor,
    *,
    p_value: int | None,
    layout: str | None,
    **params: Any,
) -> Tensor:
    """Return ``dy · (data / output)^(p - 1)``, the gradient of p-norms; zero where they are."""
    geometry = _Geometry.of(data, layout, params)
    power = p_value or 1
    if power == 1:
        return _to_data(dy, data, geometry, "sum")
    return _to_data(dy, data, geometry, "lp", power=power, result=output)
