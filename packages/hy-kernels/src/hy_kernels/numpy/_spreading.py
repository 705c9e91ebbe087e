"""Broadcasting of one number per row without NumPy's buffer.

If rows are shorter than its buffer of 8,192 elements, NumPy first copies the repeated numbers into
the buffer to run one long loop; such a pass takes up to three times as long.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np

from hy_kernels.numpy.costs import COSTS

__all__ = ["spreading"]


_NOTHING = nullcontext()


def spreading(length: int) -> AbstractContextManager[None]:
    """Return a context in which NumPy runs one loop per row, also in tasks handed to the pool.

    Args:
        length: Elements of a row; the context does nothing for short rows.
    """
    return _NOTHING if length < COSTS.rows.loop else _small_buffer()


@contextmanager
def _small_buffer() -> Iterator[None]:
    before = np.setbufsize(COSTS.rows.loop)
    try:
        yield
    finally:
        np.setbufsize(before)
