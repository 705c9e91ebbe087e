"""Arrays out of nothing, or of the shape of another."""

from typing import Any

from hy_ndarray.ops._schema import Saved, operator
from hy_ndarray.ops._types import TensorType

__all__ = ["ones_like", "zeros_like"]


def _no_influence(saved: Saved, dy: Any) -> tuple[None]:
    return (None,)


@operator("zeros_like", "_sparse_zeros_like", grad=_no_influence)
def zeros_like(data: TensorType) -> TensorType:
    """Zeros in the shape and dtype of ``data``.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


@operator("ones_like", grad=_no_influence)
def ones_like(data: TensorType) -> TensorType:
    """Ones in the shape and dtype of ``data``.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data
