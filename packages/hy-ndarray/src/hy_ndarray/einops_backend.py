"""einops backend: importing this module makes einops accept hy's arrays.

einops finds the backend of a tensor among the subclasses of its backend class. It must be
installed: ``pip install 'hy-ndarray[einops]'``.

Example:
    >>> import hy_ndarray.einops_backend
    >>> from einops import rearrange
    >>> from hy_ndarray import np
    >>> rearrange(np.ones((2, 3, 4)), "a b c -> c (a b)").shape
    (4, 6)
"""

from collections.abc import Sequence
from typing import Any

import numpy as onp
from einops._backends import AbstractBackend

from hy_ndarray import nd, np
from hy_ndarray.array.ndarray import NDArray

__all__ = ["HyBackend"]


class HyBackend(AbstractBackend):
    """Backend of einops for arrays of ``nd`` and ``np``, without layers (``einops.layers``)."""

    framework_name = "hy_ndarray"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Return whether ``tensor`` is an array of hy."""
        return isinstance(tensor, NDArray)

    def from_numpy(self, x: Any) -> NDArray:
        """Return an array of ``np`` with the values of a NumPy array."""
        return np.array(x, dtype=x.dtype)

    def to_numpy(self, x: NDArray) -> Any:
        """Return a NumPy array with the values of ``x``."""
        return x.asnumpy()

    def arange(self, start: int, stop: int) -> NDArray:
        """Return the integers from ``start`` to ``stop - 1``."""
        return np.arange(start, stop)

    def reduce(self, x: NDArray, operation: str, axes: Sequence[int]) -> Any:
        """Return the reduction along ``axes`` by ``operation``, such as ``"sum"`` or ``"any"``."""
        axes = tuple(axes)
        if operation in ("any", "all"):
            values = x.as_np_ndarray() != 0
            reduced = getattr(np, "max" if operation == "any" else "min")(values, axis=axes)
            return _in_class_of(reduced, x)
        return getattr(x, operation)(axis=axes)

    def stack_on_zeroth_dimension(self, tensors: list[NDArray]) -> Any:
        """Return the arrays stacked along a new first axis."""
        functions = _functions_of(tensors[0])
        return functions.stack(*([tensors] if functions is np else tensors), axis=0)

    def add_axis(self, x: NDArray, new_position: int) -> Any:
        """Return the array with a new axis of size 1 at ``new_position``."""
        return x.expand_dims(axis=new_position)

    def tile(self, x: NDArray, repeats: Sequence[int]) -> Any:
        """Return the array tiled along its axes."""
        return _functions_of(x).tile(x, tuple(repeats))

    def concat(self, tensors: list[NDArray], axis: int) -> Any:
        """Return the arrays concatenated along an axis."""
        if isinstance(tensors[0], np.ndarray):
            return _functions_of(tensors[0]).concatenate(tensors, axis=axis)
        return nd.concat(*tensors, dim=axis)

    def is_float_type(self, x: NDArray) -> bool:
        """Return whether the dtype is floating, bfloat16 included."""
        return not onp.issubdtype(x.dtype, onp.integer) and x.dtype != onp.bool_

    def einsum(self, pattern: str, *x: NDArray) -> Any:
        """Return sums of products, as :func:`hy_ndarray.np.einsum`."""
        return _in_class_of(np.einsum(pattern, *(one.as_np_ndarray() for one in x)), x[0])


def _functions_of(x: NDArray) -> Any:
    return np if isinstance(x, np.ndarray) else nd


def _in_class_of(value: Any, x: NDArray) -> Any:
    """Return a result of ``np``, converted to the class of the operand ``x``."""
    return value if isinstance(x, np.ndarray) else value.as_nd_ndarray()
