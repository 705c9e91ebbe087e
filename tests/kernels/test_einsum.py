"""Sums of products of arrays without elements."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from hy_kernels.numpy.linalg._einsum import einsum
from hy_kernels.numpy.nn.normalization._form import Form

ONES = np.ones((2, 2, 4), np.float32)[..., :0]
NOTHING = as_strided(np.full(1, np.nan, np.float32), (2, 2, 0), (0, 0, 0))
"""No elements, and memory that holds nan."""


@pytest.mark.parametrize("letters", ["", "a", "b", "ab"])
def test_no_element_of_an_empty_array_is_read(letters: str) -> None:
    found = einsum(f"abc,abc->{letters}", ONES, NOTHING)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.zeros((2,) * len(letters)))


def test_operands_with_elements_are_multiplied_by_nothing() -> None:
    memory = np.ones((2, 2), np.float32)
    found = einsum("ab,kc->ak", np.full((2, 3), np.nan, np.float32), NOTHING[0], out=memory)
    assert found is memory
    np.testing.assert_array_equal(memory, np.zeros((2, 2)))


def test_normalisation_of_empty_groups_sums_to_zero() -> None:
    form = Form.of(ONES, "group", 1, 2)
    np.testing.assert_array_equal(form.dot(ONES, NOTHING, "b"), [0, 0])
