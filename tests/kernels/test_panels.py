"""Products with a matrix in panels give what one product gives."""

import numpy as np
import pytest

from hy_kernels.numpy.nn._panels import as_panels, laid_out, multiply


@pytest.mark.parametrize(
    ("front", "rows", "inner", "columns", "panels"),
    [
        ((), 3, 5, 4, (1, 1, 5, 4)),
        ((), 100, 64, 192, (1, 3, 64, 64)),
        ((), 30, 300, 97, (1, 1, 300, 97)),
        ((), 50, 4608, 128, (3, 2, 1536, 64)),
        ((2,), 20, 4608, 96, (2, 3, 2, 1536, 48)),
        ((), 9, 4603, 24, (1, 1, 4603, 24)),
        ((4,), 40, 512, 256, (4, 1, 4, 512, 64)),
        ((2,), 0, 3, 16, (2, 1, 1, 3, 16)),
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
    ],
)
def test_it_is_the_product(
    front: tuple[int, ...], rows: int, inner: int, columns: int, panels: tuple[int, ...]
) -> None:
    draw = np.random.default_rng(rows)
    left, matrix = (
        draw.normal(size=(*front, rows, inner)),
        draw.normal(size=(*front, inner, columns)),
    )
    laid = laid_out(matrix)
    assert laid.shape == matrix.shape
    assert as_panels(laid).shape == panels
    found = np.full((*front, rows, columns), np.nan)
    multiply(left, as_panels(laid), found)
    np.testing.assert_allclose(found, left @ matrix, rtol=1e-9, atol=1e-9)


def test_it_fills_some_columns_of_a_larger_result() -> None:
    draw = np.random.default_rng(0)
    left, matrix = draw.normal(size=(90, 128)), draw.normal(size=(128, 256))
    whole = np.zeros((90, 256))
    multiply(left, as_panels(laid_out(matrix))[:, 1:3], whole[:, 64:192])
    np.testing.assert_allclose(whole[:, 64:192], (left @ matrix)[:, 64:192], rtol=1e-9, atol=1e-9)
    assert not whole[:, :64].any()
