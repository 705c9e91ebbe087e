"""The numpy table: the reference of what every operator computes, and the default on CPUs."""

from hy_kernels.numpy._table import NumpyTable as NumpyTable, table as table
