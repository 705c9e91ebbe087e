"""Registration of kernels that are NumPy's ufuncs of one array."""

from collections.abc import Mapping

import numpy as np

from hy_kernels.numpy._array import of_floats
from hy_kernels.numpy._kernels import kernel


def register(functions: Mapping[str, np.ufunc]) -> None:
    """Register a pointwise kernel for each ufunc; ``functions`` maps kernel names to ufuncs."""
    for name, function in functions.items():
        kernel(name, pointwise=True)(of_floats(function))
