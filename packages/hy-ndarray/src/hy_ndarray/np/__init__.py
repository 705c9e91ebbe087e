"""MXNet's NumPy interface, ``mx.np``: numpy's functions on arrays with devices and gradients.

Example:
    >>> from hy_ndarray import autograd, np
    >>> x = np.array([[1, 2], [3, 4]])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = (x**2).sum()
    >>> y.backward()
    >>> y, x.grad
    (array(30.), array([[2., 4.],
           [6., 8.]]))
"""

import numpy as onp

from hy_ndarray.np import (
    fallback as fallback,
    linalg as linalg,
    multiarray as multiarray,
    random as random,
)
from hy_ndarray.np.arrays import *  # noqa: F403
from hy_ndarray.np.counting import *  # noqa: F403
from hy_ndarray.np.elementwise import *  # noqa: F403
from hy_ndarray.np.elementwise import nonzero as nonzero
from hy_ndarray.np.fallback import *  # noqa: F403
from hy_ndarray.np.fallback import (
    broadcast_arrays as broadcast_arrays,
    genfromtxt as genfromtxt,
    resize as resize,
    set_printoptions as set_printoptions,
    shape as shape,
    unravel_index as unravel_index,
)
from hy_ndarray.np.joining import *  # noqa: F403
from hy_ndarray.np.multiarray import ndarray as ndarray
from hy_ndarray.np.pairwise import *  # noqa: F403
from hy_ndarray.np.products import *  # noqa: F403
from hy_ndarray.np.reducing import *  # noqa: F403
from hy_ndarray.np.shaping import *  # noqa: F403
from hy_ndarray.np.since_mxnet2 import *  # noqa: F403
from hy_ndarray.np.since_numpy2 import *  # noqa: F403
from hy_ndarray.suggestion import suggest_members as _suggest_members

pi = onp.pi
e = onp.e
euler_gamma = onp.euler_gamma
inf = PINF = onp.inf
NINF = -onp.inf
nan = NaN = NAN = onp.nan
# Positive and negative zero.
PZERO = 0.0
NZERO = -0.0
newaxis = None

bool = bool  # noqa: PLW0127  # numpy's name
bool_ = onp.bool_
float16 = onp.float16
float32 = onp.float32
float64 = onp.float64
int8 = onp.int8
int32 = onp.int32
int64 = onp.int64
uint8 = onp.uint8
finfo = onp.finfo
iinfo = onp.iinfo
dtype = onp.dtype

multiarray.functions.update({key: value for key, value in vars().items() if callable(value)})
multiarray.linalg_functions.update({key: getattr(linalg, key) for key in linalg.__all__})
_suggest_members(globals())
