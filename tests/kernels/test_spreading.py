"""Numbers of rows, spread along them: numpy has a small buffer meanwhile, then its own again."""

import numpy as np
import pytest

from hy_kernels.numpy._spreading import spreading
from hy_kernels.numpy.runtime._pool import together


def test_the_buffer_is_small_for_long_rows_alone() -> None:
    before = np.getbufsize()
    with spreading(255):
        assert np.getbufsize() == before
    with spreading(256):
        assert np.getbufsize() == 256
    assert np.getbufsize() == before


@pytest.mark.usefixtures("two_threads")
def test_tasks_that_are_shared_have_it_too() -> None:
    with spreading(1000):
        assert together([np.getbufsize] * 4) == [256] * 4
    assert together([np.getbufsize] * 4) == [np.getbufsize()] * 4


def fail() -> None:
    raise ValueError("within")


def test_an_error_within_leaves_it_as_it_was() -> None:
    before = np.getbufsize()
    with pytest.raises(ValueError, match="within"), spreading(1000):
        fail()
    assert np.getbufsize() == before
