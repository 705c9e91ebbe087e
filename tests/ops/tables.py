"""The kernel tables that pass the suite beside numpy's: a line for each."""

import os
from importlib import import_module
from importlib.util import find_spec

from hy_kernels.numpy import table as numpy_table
from hy_ndarray import ops
from hy_ndarray.testing import OpCase, TestedTable, Tolerance, values_of
from hy_ndarray.testing.cases import FAMILIES
from tests.kernels.tiny_table import TinyTable
from tests.ops.primitives_table import PrimitivesTable

__all__ = ["TABLES", "is_computed", "rows_of"]

_TORCH = {
    ("Convolution", "float32"): Tolerance(1e-4, 1e-4),  # numpy's has the error of Winograd
}


def _torch() -> list[TestedTable]:
    """The torch table, on CPUs and where there is CUDA on a GPU."""
    if find_spec("torch") is None:
        return []
    devices = ("cpu", "gpu") if import_module("torch").cuda.is_available() else ("cpu",)
    return [TestedTable("torch", device, tolerances=_TORCH) for device in devices]


TABLES = (
    TestedTable(TinyTable("blocks", tuple(numpy_table().names()))),  # no numpy arrays
    TestedTable(PrimitivesTable()),
    *_torch(),
)


def is_computed(tested: TestedTable, case: OpCase) -> bool:
    """Whether the table computes a row on its device: what numpy does for torch is on the CPU."""
    if tested.device == "cpu":
        return True
    dtypes = [values.dtype.name for values in values_of(case) if values is not None]
    borrowed: str = (
        import_module("hy_kernels.torch")
        .table()
        .borrowed(ops.find(case.op).kernel, tested.device, dtypes)
    )
    return not borrowed


def rows_of(tested: TestedTable, family: str) -> list[OpCase]:
    """The rows of a family that a table is tested with.

    Of primitives one of each operator, or all where ``HY_ALL_ROWS`` is set: each runs as many
    kernels as its operator is composed of.
    """
    if tested.name != "primitives" or os.environ.get("HY_ALL_ROWS"):
        return [*FAMILIES[family]]
    return [*{case.op: case for case in reversed(FAMILIES[family])}.values()]
