"""Private functions and classes of ``mxnet.util`` for NumPy semantics."""

import threading
from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Self

from hy_ndarray import HyError
from hy_ndarray.core.semantics import is_np_array, set_np_array, set_np_shape


class UnsupportedParameterError(HyError, NotImplementedError):
    """A function does not support one of its parameters."""


class _NumpyShapeScope:
    """Scope that turns NumPy's shape semantics on or off.

    Args:
        is_np_shape: Whether sizes may be 0, and arrays may have no axes.
    """

    def __init__(self, is_np_shape: bool) -> None:
        self._enter_is_np_shape = is_np_shape
        self._prev_is_np_shape: bool | None = None

    def __enter__(self) -> None:
        self._prev_is_np_shape = set_np_shape(self._enter_is_np_shape)

    def __exit__(self, *_: object) -> None:
        if self._prev_is_np_shape is not None:
            set_np_shape(self._prev_is_np_shape)


class _NumpyArrayScope:
    """Scope that turns NumPy's array class on or off; may also be entered without ``with``.

    Args:
        is_np_array: Whether blocks, parameters and data use ``mx.np.ndarray``.
    """

    _current: ClassVar[Any] = threading.local()

    def __init__(self, is_np_array: bool) -> None:
        self._old_scope: Any = None
        self._is_np_array = is_np_array

    def __enter__(self) -> Self:
        self._old_scope = set_np_array(self._is_np_array)
        # Programs read the innermost scope here, as MXNet's own code does.
        _NumpyArrayScope._current.value = self
        return self

    def __exit__(self, *_: object) -> None:
        set_np_array(self._old_scope)


def _set_np_array(active: bool) -> bool:
    """Turn NumPy's array class on or off, and return the previous setting."""
    before = is_np_array()
    set_np_array(active)
    return before


def _sanity_check_params(
    func_name: str, unsupported_params: Collection[str], param_dict: Mapping[str, Any]
) -> None:
    """Raise an error if a function does not support a given parameter.

    Raises:
        UnsupportedParameterError: A parameter is not supported.
    """
    for name in param_dict:
        if name in unsupported_params:
            raise UnsupportedParameterError(
                f"function {func_name} does not support parameter {name}; leave it out"
            )
