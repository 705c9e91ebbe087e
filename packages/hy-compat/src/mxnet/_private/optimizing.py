"""Private functions of ``mxnet.optimizer.optimizer``."""

from typing import Any

from hy_gluon.optimizer import Optimizer
from hy_ndarray import NDArray, np as mx_np
from mxnet._private.errors import ShapesError
from mxnet._private.nesting import _flatten_list

__all__ = ["_flatten_list"]

register = Optimizer.register


def _as_classic(a: Any, allow_np: bool) -> Any:
    """Return arrays of ``mx.np``, also in a list or tuple, as those of ``mx.nd``.

    Args:
        a: An array, or several; anything else stays as it is.
        allow_np: Whether there may be such.

    Raises:
        ShapesError: There may not.
    """
    if isinstance(a, tuple | list):
        return [_as_classic(part, allow_np) for part in a]
    if not isinstance(a, NDArray):
        return a
    if isinstance(a, mx_np.ndarray) and not allow_np:
        raise ShapesError(
            "Converting np.ndarray to mx.nd.NDArray is not allowed; as_nd_ndarray() does it"
        )
    return a.as_nd_ndarray()
