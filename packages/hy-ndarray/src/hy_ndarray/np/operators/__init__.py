"""MXNet's ``nd.numpy``: functions of ``np`` with operators' own arguments.

Example:
    >>> from hy_ndarray import np
    >>> from hy_ndarray.np import operators
    >>> operators.all(data=np.array([1, 0]), name="both")
    array(False)
"""

from hy_ndarray import namespaces as _namespaces
from hy_ndarray.array._functions import array_function as _array_function
from hy_ndarray.np import *  # noqa: F403

globals().update(_namespaces.under_numpy_names(globals(), _array_function))
