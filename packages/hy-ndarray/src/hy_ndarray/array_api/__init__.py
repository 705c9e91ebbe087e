"""The Array API standard: the namespace that arrays of ``np`` offer to other libraries.

``x.__array_namespace__()`` returns this module, whose functions take and return arrays of ``np``.
Where the standard and MXNet define a function differently, ``np`` follows MXNet and this module the
standard.

Example:
    >>> from hy_ndarray import array_api as xp
    >>> x = xp.asarray([[1, 2], [3, 4]], dtype=xp.float32)
    >>> xp.sum(x, axis=0), x.__array_namespace__() is xp
    (array([4., 6.]), True)
"""

from math import e as e, inf as inf, nan as nan, pi as pi

from hy_ndarray.array_api import fft as fft, linalg as linalg
from hy_ndarray.array_api._info import namespace_info as _info
from hy_ndarray.array_api._promotion import as_dtype as _as_dtype
from hy_ndarray.array_api.creation import *  # noqa: F403
from hy_ndarray.array_api.dtypes import *  # noqa: F403
from hy_ndarray.array_api.elementwise import *  # noqa: F403
from hy_ndarray.array_api.indexing import *  # noqa: F403
from hy_ndarray.array_api.manipulation import *  # noqa: F403
from hy_ndarray.array_api.products import *  # noqa: F403
from hy_ndarray.array_api.searching import *  # noqa: F403
from hy_ndarray.array_api.sets import *  # noqa: F403
from hy_ndarray.array_api.sorting import *  # noqa: F403
from hy_ndarray.array_api.statistical import *  # noqa: F403
from hy_ndarray.array_api.utility import *  # noqa: F403

__array_api_version__ = "2025.12"
bool = _as_dtype("bool")
newaxis = None
__array_namespace_info__ = _info
