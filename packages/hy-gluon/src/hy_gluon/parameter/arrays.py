"""Access to the arrays and gradients of parameters."""

from hy_ndarray import NDArray, is_np_array

__all__ = ["gradient_of", "shown"]


def shown(array: NDArray, is_np: bool = False) -> NDArray:
    """Return a dense array as ``mx.np.ndarray`` after ``npx.set_np()``; other arrays unchanged.

    Args:
        array: The array.
        is_np: Convert a dense array in any case.
    """
    if not (is_np or is_np_array()) or array.stype != "default":
        return array
    np_array: NDArray = array.as_np_ndarray()
    return np_array


def gradient_of(array: NDArray) -> NDArray:
    """Return the gradient array of a variable, which must have one."""
    gradient = array.grad
    assert gradient is not None
    return gradient
