"""MXNet's neural network extensions of its NumPy interface, ``mx.npx``.

Example:
    >>> from hy_ndarray import np, npx
    >>> npx.relu(np.array([-1, 2]))
    array([0., 2.])
"""

from typing import TYPE_CHECKING

from hy_ndarray import namespaces
from hy_ndarray.array._functions import array_function
from hy_ndarray.core.semantics import (
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
from hy_ndarray.devices.context import (
    Context as Context,
    cpu as cpu,
    cpu_pinned as cpu_pinned,
    current_context as current_context,
    gpu as gpu,
    gpu_memory_info as gpu_memory_info,
    num_gpus as num_gpus,
)
from hy_ndarray.nd import waitall as waitall
from hy_ndarray.npx import image as image, random as random
from hy_ndarray.npx.functions import (
    constraint_check as constraint_check,
    digamma as digamma,
    group_norm as group_norm,
    index_add as index_add,
    index_update as index_update,
    masked_log_softmax as masked_log_softmax,
    masked_softmax as masked_softmax,
    nonzero as nonzero,
    reshape as reshape,
    scaled_dot_product_attention as scaled_dot_product_attention,
    stop_gradient as stop_gradient,
)

if TYPE_CHECKING:
    from hy_ndarray.npx._operators import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), array_function, "npx", "npx")
