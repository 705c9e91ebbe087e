"""Python operators on operands outside the catalogue's dtypes, by the standard's functions."""

from typing import Any

from hy_ndarray import namespaces
from hy_ndarray._errors import UnsupportedError
from hy_ndarray.array_api.elementwise import BY_NUMPY_NAME


def by_standard(name: str, *operands: Any) -> Any:
    """Return the result of the standard's function for operands.

    Args:
        name: NumPy's name of the function.
        operands: Arrays and numbers.

    Raises:
        UnsupportedError: The standard has no such function.
        HyError: The function rejects the operands.
    """
    function = BY_NUMPY_NAME.get(name)
    if function is None:
        raise UnsupportedError(f"{name} is not a function of the Array API standard")
    return function(*operands)


namespaces.register("np", by_standard=by_standard)
