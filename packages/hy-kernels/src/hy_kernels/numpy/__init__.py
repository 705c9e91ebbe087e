"""The numpy kernel table: the reference for every operator, and the default on CPUs."""

from hy_kernels.numpy._table import NumpyTable as NumpyTable, table as table
from hy_kernels.numpy.runtime._pool import (
    num_threads as num_threads,
    set_num_threads as set_num_threads,
)
