"""The kernel tables that pass the suite beside numpy's: a line for each."""

from importlib.util import find_spec

from hy_kernels.numpy import table as numpy_table
from hy_ndarray.testing import TestedTable, Tolerance
from tests.kernels.tiny_table import TinyTable

__all__ = ["TABLES"]

_TORCH = {
    ("Convolution", "float32"): Tolerance(1e-4, 1e-4),  # numpy's has the error of Winograd
}

TABLES = (
    TestedTable(TinyTable("blocks", tuple(numpy_table().names()))),  # no numpy arrays
    *([TestedTable("torch", tolerances=_TORCH)] if find_spec("torch") else []),
)
