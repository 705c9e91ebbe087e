"""Arrays of parameters, in the form for users and for trainers."""

from hy_ndarray import NDArray, is_np_array

__all__ = ["gradient_of", "shown"]


def shown(array: NDArray, is_np: bool = False) -> NDArray:
    """Return a dense array in the class that users expect: of ``mx.np`` after ``npx.set_np()``.

    Args:
        array: The array.
        is_np: It is one of ``mx.np`` in any case, if it is dense.
    """
    if not (is_np or is_np_array()) or array.stype != "default":
        return array
    np_array: NDArray = array.as_np_ndarray()
    return np_array


def gradient_of(array: NDArray) -> NDArray:
    """Return the gradient of a variable."""
    gradient = array.grad
    assert gradient is not None
    return gradient
