"""Functions of one array that are functions of NumPy's: each a row."""

from collections.abc import Mapping

import numpy as np

from hy_kernels.numpy._array import of_floats
from hy_kernels.numpy._kernels import kernel


def register(functions: Mapping[str, np.ufunc]) -> None:
    """Enter a pointwise kernel of floats for each function, by the names of the kernels."""
    for name, function in functions.items():
        kernel(name, pointwise=True)(of_floats(function))
