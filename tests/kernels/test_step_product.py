"""Products of a few rows with one matrix: blocks of columns give what one product gives."""

import numpy as np
import pytest

from hy_kernels.numpy.nn.recurrent._step_product import StepProduct


@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [(0, 3, 4), (1, 1, 1), (3, 5, 7), (20, 200, 800), (40, 256, 1021), (64, 512, 96)],
    ids=["empty", "one", "small", "in blocks", "of a prime width", "too large for blocks"],
)
@pytest.mark.parametrize("turned", [False, True], ids=["as it lies", "turned"])
def test_it_is_the_product(rows: int, inner: int, columns: int, turned: bool) -> None:
    draw = np.random.default_rng(rows + inner)
    matrix = draw.normal(size=(inner, columns))
    if turned:
        matrix = np.asfortranarray(matrix)
    product = StepProduct(matrix, rows)
    for _ in range(2):  # the second time in the same memory
        left = draw.normal(size=(rows, inner))
        np.testing.assert_allclose(product(left), left @ matrix, rtol=1e-9, atol=1e-9)


def test_columns_are_scaled_on_the_way() -> None:
    draw = np.random.default_rng(1)
    matrix, left, scale = (
        draw.normal(size=(200, 800)),
        draw.normal(size=(20, 200)),
        np.arange(800.0),
    )
    product = StepProduct(matrix, 20, scale)
    np.testing.assert_allclose(product(left), left @ (matrix * scale), rtol=1e-9, atol=1e-6)
    assert product(left) is product.result
