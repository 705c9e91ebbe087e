"""Registration of kernels that are functions of one array, as NumPy's ufuncs."""

from collections.abc import Callable, Mapping

from hy_kernels.numpy._array import Array, of_floats
from hy_kernels.numpy._kernels import kernel


def register(functions: Mapping[str, Callable[..., Array]]) -> None:
    """Register a pointwise kernel for each function, as of a ufunc; the keys are their names."""
    for name, function in functions.items():
        kernel(name, pointwise=True)(of_floats(function))
