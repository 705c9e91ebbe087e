"""Dispatch of functions: to the catalogue's operators, or to NumPy on the host.

The catalogue's operators have gradients and run on every device, but support only MXNet's dtypes,
and some of them deviate from the standard. Each function here states for which dtypes its operator
conforms; NumPy computes the other dtypes, on the host.
"""

from collections.abc import Callable, Collection
from typing import Any

import numpy as onp

from hy_ndarray import np
from hy_ndarray._dtypes import CLASSIC
from hy_ndarray._errors import AutogradError, ContextError
from hy_ndarray.array.ndarray import array_from
from hy_ndarray.array_api._promotion import name_of
from hy_ndarray.core import _state
from hy_ndarray.devices.context import Context
from hy_ndarray.np import ndarray
from hy_ndarray.np.host import arrays_in

__all__ = [
    "CLASSIC",
    "FLOATS",
    "INTEGERS",
    "NUMBERS",
    "Route",
    "on_host",
    "several_on_host",
    "to_host",
]

FLOATS = frozenset(("float16", "bfloat16", "float32", "float64"))
INTEGERS = frozenset(("int8", "uint8", "int32", "int64"))
NUMBERS = FLOATS | INTEGERS


class Route:
    """Function that dispatches by dtype: to a function of ``np``, or to NumPy's of the same name.

    Args:
        name: Name of both functions.
        dtypes: Dtypes for which the function of ``np`` conforms to the standard.
        constant: Whether the function is piecewise constant, so that NumPy may compute it while
            gradients are recorded.
        own: Function to call instead of that of ``np``.
        host: Function to call instead of NumPy's.
    """

    def __init__(
        self,
        name: str,
        dtypes: Collection[str] = frozenset(),
        *,
        constant: bool = False,
        own: Callable[..., ndarray] | None = None,
        host: Callable[..., Any] | None = None,
    ) -> None:
        self.name = name
        self.dtypes = dtypes
        self.constant = constant
        self._own: Callable[..., ndarray] | None = (own or getattr(np, name)) if dtypes else None
        self._host = host or getattr(onp, name)

    def __call__(self, *args: Any, **kwargs: Any) -> ndarray:
        """Return the result, computed by ``np`` or by NumPy according to the dtypes."""
        if self._own is not None and all(
            name_of(x) in self.dtypes for x in arrays_in(args, ndarray)
        ):
            return self._own(*args, **kwargs)
        return self.on_host(*args, **kwargs)

    def on_host(self, *args: Any, **kwargs: Any) -> ndarray:
        """Return NumPy's result, computed on the host whatever the dtypes."""
        return on_host(self._host, *args, constant=self.constant, **kwargs)


def several_on_host(
    function: Callable[..., Any], *args: Any, constant: bool = False, **kwargs: Any
) -> Any:
    """Return the results of a NumPy function, as arrays on the device of the arguments.

    Args:
        function: The NumPy function.
        args: Positional arguments, which may be or contain arrays.
        constant: As in :class:`Route`.
        kwargs: Keyword arguments.

    Raises:
        AutogradError: The result would need a gradient, which NumPy's functions do not have.
        ContextError: The arrays are on different devices.
    """
    arrays = [*arrays_in(args, ndarray)]
    context = arrays[0].context if arrays else None
    if any(x.context is not context for x in arrays):
        where = ", ".join(str(x.context) for x in arrays)
        raise ContextError(
            f"{function.__name__}: arrays are on different devices ({where}); move them with "
            "to_device"
        )
    if _state.scope.recording and not constant and any(x.in_graph for x in arrays):
        raise AutogradError(
            f"{function.__name__}: these dtypes are computed by numpy, so no gradient flows "
            "through; call it outside autograd.record(), or on x.detach()"
        )
    with onp.errstate(all="ignore"):
        result = function(*to_host(args), **{key: to_host(x) for key, x in kwargs.items()})
    return _to_arrays(result, context)


on_host: Callable[..., ndarray] = several_on_host
""":func:`several_on_host` for functions of one result."""


def to_host(value: Any) -> Any:
    """Return nested lists and tuples with arrays replaced by numpy arrays."""
    if isinstance(value, ndarray):
        return value.device.memory.to_numpy(value.buffer)
    if isinstance(value, list | tuple):
        return type(value)(to_host(x) for x in value)
    return value


def _to_arrays(value: Any, context: Context | None) -> Any:
    if isinstance(value, onp.ndarray | onp.generic):
        return array_from(onp.asarray(value), context, ndarray)
    if isinstance(value, list | tuple):
        parts = [_to_arrays(x, context) for x in value]
        return parts if isinstance(value, list) else tuple(parts)
    return value
