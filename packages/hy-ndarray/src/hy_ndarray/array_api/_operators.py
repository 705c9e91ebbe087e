"""Operators on operands that the catalogue refuses, by the standard's functions."""

from typing import Any

from hy_ndarray import namespaces
from hy_ndarray._errors import UnsupportedError
from hy_ndarray.array_api.elementwise import BY_NUMPY_NAME

__all__ = ["by_standard"]


def by_standard(name: str, *operands: Any) -> Any:
    """Return the result of a function of the standard.

    Args:
        name: Its name in numpy.
        operands: Arrays and numbers.

    Raises:
        UnsupportedError: The standard has no such function.
        HyError: It refuses the operands.
    """
    function = BY_NUMPY_NAME.get(name)
    if function is None:
        raise UnsupportedError(f"{name} is no function of the Array API standard")
    return function(*operands)


namespaces.register("np", by_standard=by_standard)
