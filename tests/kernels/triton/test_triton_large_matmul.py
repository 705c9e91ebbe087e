"""Large products by descriptors of tiles, and products of float8 within their error."""

from typing import Any

import pytest
import torch
import triton
from triton.runtime import _allocation

from hy_kernels.triton.functional import linear
from hy_kernels.triton.linalg import large_matmul
from hy_kernels.triton.linalg.large_matmul import by_descriptors, fits, quantized
from hy_kernels.triton.linalg.matmul import product
from hy_kernels.triton.linalg.tiles import Tiles
from hy_kernels.triton.runtime._launch import recorded
from tests.kernels.triton.parity import DEVICE

SMALL = Tiles(32, 32, 32, 4, 2)
SIZES = [(70, 40, 72), (33, 64, 32), (160, 8, 40)]
"""Rows, inner and columns; edges within tiles, and more tiles than one."""


def drawn(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    generator = torch.Generator().manual_seed(len(shape) + shape[-1])
    return torch.randn(shape, generator=generator).to(DEVICE, dtype)


@pytest.mark.parametrize("order", ["rows", "columns"])
@pytest.mark.parametrize("size", SIZES)
def test_products_by_descriptors(size: tuple[int, int, int], order: str) -> None:
    rows, inner, columns = size
    a, b = drawn(rows, inner), drawn(inner, columns)
    b = b.t().contiguous().t() if order == "columns" else b
    bias, y = drawn(columns), a.new_empty(rows, columns)
    by_descriptors(SMALL, a, b, bias, "relu", y)
    wanted = torch.relu(a.float() @ b.float() + bias.float())
    torch.testing.assert_close(y.float(), wanted, rtol=2**-9, atol=2**-9)


def test_programs_make_tile_after_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_matmul, "multiprocessors", lambda _: 3)
    a, b = drawn(130, 40), drawn(40, 96)
    y = a.new_empty(130, 96)
    by_descriptors(SMALL, a, b, None, "none", y)  # fifteen tiles, in rows of eight
    torch.testing.assert_close(y.float(), a.float() @ b.float(), rtol=2**-9, atol=2**-9)


def test_a_program_s_own_allocator_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_matmul, "launch", lambda *_, **__: None)
    asked: list[int] = []

    def own(size: int, alignment: int, stream: int | None) -> Any:
        asked.append(size)

    triton.set_allocator(own)
    by_descriptors(SMALL, drawn(8, 8), drawn(8, 8), None, "none", drawn(8, 8))
    _allocation._allocator.get()(5, 1, None)
    assert asked == [5]


@pytest.mark.parametrize(
    ("shape", "why"),
    [
        ((2048, 2048, 2048), None),
        ((2048, 2044, 2048), "rows of a do not begin at multiples of 16 bytes"),
        ((2048, 2048, 512), "few tiles"),
        ((2048, 2048, 2044), "nor do those of the result"),
    ],
)
def test_which_products_are_made_so(shape: tuple[int, int, int], why: str | None) -> None:
    rows, inner, columns = shape
    a, b = (torch.empty(n, inner, dtype=torch.float16, device="meta") for n in (rows, columns))
    y = a.new_empty(rows, columns)
    assert fits(a, b.t(), y) == (why is None)
    assert not fits(a.float(), b.float().t(), y.float())
    with recorded(80):
        assert not fits(a, b.t(), y)


def test_where_they_are_the_fastest_they_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []

    def chosen(problem: Any, ways: Any, **_: Any) -> str:
        found.extend(way for way in ways() if way.startswith("descriptors"))
        return str(found[0])

    monkeypatch.setattr("hy_kernels.triton.linalg.matmul.choose", chosen)
    with recorded() as launches:
        a = torch.empty(2048, 2048, dtype=torch.bfloat16, device="meta")
        product(a, a.t())
    assert found == ["descriptors 128x256x64x8x3", "descriptors 128x128x64x4x4"]
    assert [each.name for each in launches] == ["large_product_tiles"]


def bound(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """The largest error of a product of float8.

    An element is off by 2^-4 of itself, or where it is below 2^-6 of 448ths by 2^-10 of a 448th of
    the row's largest.
    """

    def parts(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        size = rows.float().abs()
        return size, size * 2**-4 + size.amax(1, keepdim=True) / 448 * 2**-10

    (one, near), (other, far) = parts(x), parts(weight)
    return near @ other.T + one @ far.T + near @ far.T


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("inner", [64, 150])
def test_float8_is_within_its_error(inner: int, dtype: torch.dtype) -> None:
    x, weight = drawn(5, inner, dtype=dtype), drawn(24, inner, dtype=dtype)
    x[1] *= 100
    x[2], weight[3] = 0, 0
    x[3, 1:] *= 1e-3
    y, exact = linear(x, weight, float8=True).float(), x.float() @ weight.float().T
    off = (y - exact).abs()
    assert (off <= bound(x, weight) + exact.abs() * 2**-8 + 1e-6).all()
    assert off.max() > exact.abs().max() * 2**-8  # it was rounded
    assert (y[2] == 0).all()
    assert (y[:, 3] == 0).all()


def test_rows_are_scaled_to_the_largest_of_float8() -> None:
    x = drawn(3, 20)
    rounded, scale = quantized(x)
    assert rounded.dtype is torch.float8_e4m3fn
    assert rounded.shape == (3, 32)
    torch.testing.assert_close(rounded.float().abs().amax(1), torch.full((3,), 448.0))
    near = rounded.float()[:, :20] * scale[:, None]
    torch.testing.assert_close(near, x.float(), rtol=2**-4, atol=1e-5)


def test_gradients_of_float8_are_those_of_16_bits() -> None:
    x, weight = (drawn(8, 16).requires_grad_() for _ in range(2))
    own = torch.autograd.grad(linear(x, weight, float8=True).sum(), [x, weight])
    plain = torch.autograd.grad(linear(x, weight).sum(), [x, weight])
    for mine, theirs in zip(own, plain, strict=True):
        torch.testing.assert_close(mine, theirs)


def test_what_float8_is_not_for_is_told() -> None:
    with pytest.raises(TypeError, match=r"x float32\(2, 16\)"):
        linear(drawn(2, 16).float(), drawn(8, 16).float(), float8=True)
    with pytest.raises(ValueError, match="7 columns; they have to be a multiple of 8"):
        linear(drawn(2, 16), drawn(7, 16), float8=True)
