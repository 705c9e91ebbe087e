"""Private functions of ``mxnet.optimizer.optimizer``."""

from typing import Any

from hy_gluon.optimizer import Optimizer
from hy_ndarray import NDArray, np as mx_np
from mxnet._private.errors import ShapesError
from mxnet._private.nesting import _flatten_list

__all__ = ["_flatten_list"]

register = Optimizer.register


def _as_classic(a: Any, allow_np: bool) -> Any:
    """Return arrays of ``mx.np`` (also in a list or tuple) as arrays of ``mx.nd``.

    Args:
        a: An array, or several; other values are returned unchanged.
        allow_np: Whether arrays of ``mx.np`` are allowed.

    Raises:
        ShapesError: There is an array of ``mx.np``, and ``allow_np`` is False.
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
