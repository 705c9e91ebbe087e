"""What each thread is doing: recording gradients, in training or prediction mode."""

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hy_ndarray.casting import CastingPolicy

__all__ = ["is_np_array", "is_np_shape", "policy", "scope", "set_np_array", "set_np_shape"]


class _Scope(threading.local):
    recording: bool = False
    training: bool = False
    np_shape: bool = False
    uncast: bool = False
    np_array: bool = False


scope = _Scope()

policy: "CastingPolicy | None" = None
"""What casts the inputs of operators that the program calls; of the whole process."""


def is_np_shape() -> bool:
    """Whether this thread reads shapes as numpy does."""
    return scope.np_shape


def set_np_shape(active: bool) -> bool:
    """Choose how this thread reads shapes where they cross the API; returns the choice before.

    Args:
        active: True: 0 is a size, ``()`` a shape without axes, and -1 a size that is not known.
            False, as in MXNet before numpy semantics: 0 is a size that is not known, and ``()`` a
            shape of which nothing is known.
    """
    before = scope.np_shape
    scope.np_shape = bool(active)
    return before


def is_np_array() -> bool:
    """Whether blocks, parameters and data in this thread are made of ``np.ndarray``."""
    return scope.np_array


def set_np_array(active: bool) -> bool:
    """Choose the class of arrays that blocks, parameters and data use; returns the choice before.

    Args:
        active: True for ``np.ndarray``, False for ``NDArray``.
    """
    before = scope.np_array
    scope.np_array = bool(active)
    return before
