"""Copies of views are those of numpy, whichever way they take."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy._array import copied
from hy_kernels.numpy._copying import assign


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((64, 1024), (1, 0)),  # rows 4 KiB apart
        ((33, 256), (1, 0)),
        ((16, 3, 32, 32), (1, 2, 3, 0)),  # the batch last
        ((2, 40, 16, 16), (0, 2, 3, 1)),  # a matrix for each image
        ((2, 3, 128, 256), (0, 1, 3, 2)),
        ((5, 7, 3), (1, 0, 2)),  # short runs
        ((300, 200), (1, 0)),
        ((0, 256), (1, 0)),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8"])
def test_transposed_copies_are_numpys(
    shape: Any, axes: Any, dtype: str, rng: np.random.Generator
) -> None:
    view = (100 * rng.standard_normal(shape)).astype(dtype).transpose(axes)
    copy = copied(view)
    assert copy.flags.c_contiguous
    np.testing.assert_array_equal(copy, view)


def test_reversed_and_broadcast_views_are_copied(rng: np.random.Generator) -> None:
    photo = rng.integers(0, 256, (20, 30, 3), np.uint8)
    np.testing.assert_array_equal(copied(photo[:, ::-1]), photo[:, ::-1])
    rows = np.broadcast_to(rng.standard_normal((512, 1)), (512, 64))
    np.testing.assert_array_equal(copied(rows), rows)


@pytest.mark.parametrize("dtype", [None, np.dtype("float32")])
@pytest.mark.parametrize("value", [np.float64(2.5), np.array(2.5)], ids=["scalar", "array"])
def test_the_copy_of_a_number_can_be_written_to(value: Any, dtype: Any) -> None:
    copy = copied(value, dtype=dtype)
    np.add(copy, 1, out=copy)
    assert (float(copy), float(value)) == (3.5, 2.5)


def test_a_target_may_have_another_dtype_or_gaps(rng: np.random.Generator) -> None:
    view = rng.standard_normal((64, 1024)).T
    whole = np.zeros((1024, 128), np.float32)
    assign(whole[:, ::2], view)
    np.testing.assert_array_equal(whole[:, ::2], view.astype(np.float32))
    single = np.empty(view.shape, np.float32)
    assign(single, view)
    np.testing.assert_array_equal(single, view.astype(np.float32))
