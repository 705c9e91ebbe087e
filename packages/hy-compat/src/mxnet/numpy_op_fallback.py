"""Custom operators for functions that MXNet's ``mx.np`` computes by numpy.

hy's ``mx.np`` has native functions; these operators are for graphs that name them. hy_symbol has
all of them except ``empty_like_fallback``.
"""

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from hy_symbol.symbol.numpy_fallbacks import (
    Fallback,
    FallbackProp,
    MultivariateNormalProp,
    ResizeProp,
    UnravelIndexProp as Unravel_indexProp,
)
from mxnet import operator
from mxnet._private.values import _STR_2_DTYPE_

__all__ = [
    "EmptyLike",
    "EmptyLikeProp",
    "MultivariateNormal",
    "MultivariateNormalProp",
    "Resize",
    "ResizeProp",
    "Unravel_index",
    "Unravel_indexProp",
    "register",
]

_Props = type[operator.CustomOpProp]


def register(
    op_name: str, imperative: bool = True, symbolic: bool = True
) -> Callable[[_Props], _Props]:
    """Return a decorator that registers a custom operator's property class.

    Args:
        op_name: Name of the operator: ``mx.nd.Custom(…, op_type=op_name)``.
        imperative: Has no effect: the operator works on arrays.
        symbolic: Has no effect: the operator works in graphs.
    """
    del imperative, symbolic
    return operator.register(op_name)


def _attribute_value(text: Any) -> Any:
    """Return the value of an attribute given as text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


@register("empty_like_fallback")
class EmptyLikeProp(FallbackProp):
    """Properties of :class:`EmptyLike`."""

    _hy_label = "empty_like"
    _hy_inputs: tuple[str, ...] = ("prototype",)

    def __init__(self, dtype: str, order: str, subok: str, shape: str) -> None:
        super().__init__()
        self._dtype = _STR_2_DTYPE_[str(dtype)]
        self._shape = _attribute_value(shape)
        self._options: dict[str, Any] = {"order": order, "subok": bool(_attribute_value(subok))}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of input, output and states."""
        return (in_shape[0],), (in_shape[0] if self._shape is None else self._shape,), ()

    def infer_type(self, in_type: Any) -> Any:
        """Return the dtypes of input, output and states."""
        return (in_type[0],), (in_type[0] if self._dtype is None else self._dtype,), ()

    def _hy_computed(self, *inputs: Any) -> Any:
        """Return an uninitialized array like the input."""
        like = inputs[0].asnumpy()
        return np.empty_like(like, self._dtype, shape=self._shape, **self._options)


class EmptyLike(Fallback):
    """Custom operator that returns an uninitialized array like its input.

    Args:
        dtype: Dtype of the array.
        order: Memory layout of the array.
        subok: Has no effect.
        shape: Shape of the result; that of the input if None.
    """

    def __init__(self, dtype: Any, order: str, subok: bool, shape: Any) -> None:
        super().__init__(EmptyLikeProp(dtype, order, str(subok), str(shape)))


class Resize(Fallback):
    """Custom operator that returns elements in another shape, repeated if it is larger.

    Args:
        new_shape: Shape of the result.
    """

    def __init__(self, new_shape: Any) -> None:
        super().__init__(ResizeProp(str(new_shape)))


class Unravel_index(Fallback):  # noqa: N801  # MXNet's name
    """Custom operator that returns the coordinates of flat indices.

    Args:
        shape: Shape of the indexed array.
    """

    def __init__(self, shape: Any) -> None:
        super().__init__(Unravel_indexProp(str(shape)))


class MultivariateNormal(Fallback):
    """Custom operator that draws from a multivariate normal distribution.

    Args:
        size: Number of draws.
    """

    def __init__(self, size: Any = None) -> None:
        super().__init__(MultivariateNormalProp(None if size is None else str(size)))
