"""Sparse arrays, and MXNet's operators on them: ``nd.sparse``."""

from typing import TYPE_CHECKING

from hy_ndarray import namespaces
from hy_ndarray.array._functions import array_function
from hy_ndarray.sparse.arrays import BaseSparseNDArray, CSRNDArray, RowSparseNDArray
from hy_ndarray.sparse.functions import (
    add,
    array,
    csr_matrix,
    divide,
    empty,
    multiply,
    retain,
    row_sparse_array,
    subtract,
    zeros,
)

__all__ = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "RowSparseNDArray",
    "add",
    "array",
    "csr_matrix",
    "divide",
    "empty",
    "multiply",
    "retain",
    "row_sparse_array",
    "subtract",
    "zeros",
]

if TYPE_CHECKING:
    from hy_ndarray.nd._operators.sparse import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), array_function, "sparse")
