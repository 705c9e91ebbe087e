"""Products with a matrix in panels give what one product gives, whatever CPU they are made for."""

from collections.abc import Iterator

import numpy as np
import pytest

from hy_kernels.numpy.nn.convolution import _panels
from hy_kernels.numpy.nn.convolution._panels import (
    as_panels,
    empty_panels,
    filters_to_panels,
    multiply,
)
from hy_kernels.numpy.nn.convolution._winograd import transformed_weight
from hy_kernels.winograd import TILES


@pytest.fixture(autouse=True, params=[True, False], ids=["fast", "slow"])
def has_small_kernels(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[bool]:
    """Lay out for a CPU on which small products are fast, or not; it need not be this one."""
    _panels._sizes_by.cache_clear()
    monkeypatch.setattr(_panels, "has_small_kernels", lambda: request.param)
    yield request.param
    monkeypatch.undo()
    _panels._sizes_by.cache_clear()


def laid_out(matrix: np.ndarray) -> np.ndarray:
    """Return a matrix ``[..., K, N]`` in the order of panels."""
    *front, inner, columns = matrix.shape
    result = empty_panels(tuple(front), inner, columns, np.empty)
    panels = as_panels(result)
    layers, count, long, width = panels.shape[-4:]
    panels[...] = matrix.reshape(*front, layers, long, count, width).swapaxes(-3, -2)
    return result


@pytest.mark.parametrize(
    ("front", "rows", "inner", "columns"),
    [
        ((), 3, 5, 4),
        ((), 100, 64, 192),
        ((), 30, 300, 97),
        ((), 50, 4608, 128),
        ((2,), 20, 4608, 96),
        ((), 9, 4603, 24),
        ((4,), 40, 512, 256),
        ((2,), 0, 3, 16),
        ((), 400, 100, 384),
    ],
    ids=[
        "small",
        "three panels",
        "of a prime width",
        "long rows",
        "planes of long rows",
        "long rows that cannot be cut",
        "planes",
        "no rows",
        "wide panels",
    ],
)
def test_it_is_the_product(front: tuple[int, ...], rows: int, inner: int, columns: int) -> None:
    draw = np.random.default_rng(rows)
    left, matrix = (
        draw.normal(size=(*front, rows, inner)),
        draw.normal(size=(*front, inner, columns)),
    )
    laid = laid_out(matrix)
    assert laid.shape == matrix.shape
    found = np.full((*front, rows, columns), np.nan)
    multiply(left, as_panels(laid), found)
    np.testing.assert_allclose(found, left @ matrix, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("inner", "columns", "small", "large"),
    [
        (64, 192, (1, 3, 64, 64), (1, 2, 64, 96)),
        (512, 256, (1, 4, 512, 64), (1, 2, 512, 128)),
        (4608, 128, (3, 2, 1536, 64), (1, 1, 4608, 128)),
        (4608, 96, (3, 2, 1536, 48), (1, 1, 4608, 96)),
        (4603, 24, (1, 1, 4603, 24), (1, 1, 4603, 24)),
        (30, 97, (1, 1, 30, 97), (1, 1, 30, 97)),
    ],
)
def test_panels_suit_the_cpu(
    has_small_kernels: bool,
    inner: int,
    columns: int,
    small: tuple[int, ...],
    large: tuple[int, ...],
) -> None:
    assert as_panels(np.zeros((inner, columns))).shape == (small if has_small_kernels else large)


@pytest.mark.parametrize(("inner", "columns"), [(64, 192), (192, 192), (384, 192), (385, 192)])
def test_the_longer_side_lies_in_one_piece_where_products_are_whole(
    has_small_kernels: bool, inner: int, columns: int
) -> None:
    laid = empty_panels((), inner, columns, np.zeros)
    by_columns = not has_small_kernels and inner > 2 * columns
    assert laid.flags.f_contiguous == by_columns
    assert laid.flags.c_contiguous != by_columns


def test_panels_may_be_multiplied_apart() -> None:
    draw = np.random.default_rng(0)
    left, matrix = draw.normal(size=(2, 30, 64)), draw.normal(size=(2, 64, 512))
    panels = as_panels(laid_out(matrix))
    count = panels.shape[-3]
    found = np.full((2, 30, 512), np.nan)
    multiply(left, panels, found, cuts=[slice(0, 1), slice(1, count)])
    np.testing.assert_allclose(found, left @ matrix, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "shape", [(192, 64), (96, 3, 3, 512), (24, 4603), (97, 30), (256, 1, 1, 1024)]
)
def test_filters_are_the_columns_of_a_matrix(
    has_small_kernels: bool, shape: tuple[int, ...]
) -> None:
    filters = np.random.default_rng(0).normal(size=shape)
    matrix = filters.reshape(shape[0], -1).T
    expected = as_panels(laid_out(matrix))
    swapped = np.ascontiguousarray(filters.swapaxes(1, -1)).swapaxes(1, -1)
    for given in (filters, swapped):
        np.testing.assert_array_equal(as_panels(filters_to_panels(given)), expected)


def test_it_fills_some_columns_of_a_larger_result() -> None:
    draw = np.random.default_rng(0)
    left, matrix = draw.normal(size=(90, 128)), draw.normal(size=(128, 256))
    whole = np.zeros((90, 256))
    panels = as_panels(laid_out(matrix))
    own = slice(panels.shape[-1], 2 * panels.shape[-1])
    multiply(left, panels[:, 1:2], whole[:, own])
    np.testing.assert_allclose(whole[:, own], (left @ matrix)[:, own], rtol=1e-9, atol=1e-9)
    assert not whole[:, : own.start].any()


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("tile", ["winograd2", "winograd4"])
@pytest.mark.parametrize("shape", [(64, 96, 3, 3), (24, 129, 3, 3), (3, 2, 3, 3), (48, 1540, 3, 3)])
def test_transformed_kernels_are_laid_out_at_once(
    shape: tuple[int, ...], tile: str, transposed: bool
) -> None:
    weight = np.random.default_rng(0).normal(size=shape)
    kernels = weight[..., ::-1, ::-1].swapaxes(0, 1) if transposed else weight
    flat = kernels.reshape(*kernels.shape[:2], 9)
    planes = np.einsum("ij,ocj->ico", TILES[tile].kernel, flat)
    found = transformed_weight(weight, TILES[tile], transposed=transposed)
    assert found.shape == planes.shape
    np.testing.assert_allclose(as_panels(found), as_panels(laid_out(planes)), rtol=0, atol=1e-12)
