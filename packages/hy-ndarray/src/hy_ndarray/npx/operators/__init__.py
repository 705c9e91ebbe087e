"""MXNet's ``nd.numpy_extension``: functions of ``npx`` with operators' own arguments.

Example:
    >>> from hy_ndarray import np
    >>> from hy_ndarray.npx import operators
    >>> operators.nonzero(x=np.array([0, 2]), name="found")
    array([[1]], dtype=int64)
"""

from hy_ndarray.array._functions import array_function as _array_function
from hy_ndarray.npx import *  # noqa: F403
from hy_ndarray.ops import find as _find

constraint_check = _array_function(_find("_npx_constraint_check"), "constraint_check")
nonzero = _array_function(_find("_npx_nonzero"), "nonzero")
reshape = _array_function(_find("_npx_reshape"), "reshape")
