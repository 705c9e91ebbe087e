"""MXNet's extensions of its NumPy interface, ``mx.npx``: operators of networks on ``np.ndarray``.

Example:
    >>> from hy_ndarray import np, npx
    >>> npx.relu(np.array([-1, 2]))
    array([0., 2.])
"""

from typing import Any

from hy_ndarray import namespaces
from hy_ndarray.context import (
    cpu as cpu,
    cpu_pinned as cpu_pinned,
    current_context as current_context,
    gpu as gpu,
    num_gpus as num_gpus,
)
from hy_ndarray.nd import waitall as waitall
from hy_ndarray.npx import image as image, random as random
from hy_ndarray.npx.attributes import attribute, names
from hy_ndarray.npx.functions import (
    constraint_check as constraint_check,
    nonzero as nonzero,
    reshape as reshape,
)
from hy_ndarray.semantics import (
    is_np_array as is_np_array,
    is_np_shape as is_np_shape,
    np_array as np_array,
    np_shape as np_shape,
    reset_np as reset_np,
    set_np as set_np,
    use_np as use_np,
    use_np_array as use_np_array,
    use_np_shape as use_np_shape,
)


def __getattr__(name: str) -> Any:
    """The operator function of that name, made when first asked for."""
    added = namespaces.extension("npx", name)
    return added or attribute(__name__, globals(), name, "_npx_")


def __dir__() -> list[str]:
    return sorted({*globals(), *names("_npx_"), *namespaces.extensions("npx")})
