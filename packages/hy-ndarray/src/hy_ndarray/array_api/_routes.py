"""Routes of functions: the catalogue's operators on the device, or numpy on the host.

The operators of the catalogue have gradients and run on every device, but they know MXNet's dtypes
alone, and some of them have results of MXNet's. Each function here says for which dtypes they have
the standard's meaning; numpy computes the rest, on the host.
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

__all__ = ["CLASSIC", "FLOATS", "INTEGERS", "NUMBERS", "Route", "on_host", "to_host"]

FLOATS = frozenset(("float16", "bfloat16", "float32", "float64"))
INTEGERS = frozenset(("int8", "uint8", "int32", "int64"))
NUMBERS = FLOATS | INTEGERS


class Route:
    """Function of ``np`` for some dtypes, with numpy's function of that name for the others.

    Args:
        name: Of both functions.
        dtypes: Those of which that of ``np`` has the standard's meaning.
        constant: Whether results do not change with small changes of operands, so that numpy may
            compute them while gradients are recorded.
        own: What computes in place of the function of ``np``.
        host: What computes in place of numpy's.
    """

    def __init__(
        self,
        name: str,
        dtypes: Collection[str] = frozenset(),
        *,
        constant: bool = False,
        own: Callable[..., Any] | None = None,
        host: Callable[..., Any] | None = None,
    ) -> None:
        self.name = name
        self.dtypes = dtypes
        self.constant = constant
        self._own = (own or getattr(np, name)) if dtypes else None
        self._host = host or getattr(onp, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the result for these arguments."""
        if self._own is not None and all(
            name_of(x) in self.dtypes for x in arrays_in(args, ndarray)
        ):
            return self._own(*args, **kwargs)
        return self.on_host(*args, **kwargs)

    def on_host(self, *args: Any, **kwargs: Any) -> Any:
        """Return numpy's result, computed on the host for any dtypes."""
        return on_host(self._host, *args, constant=self.constant, **kwargs)


def on_host(function: Callable[..., Any], *args: Any, constant: bool = False, **kwargs: Any) -> Any:
    """Return numpy's result for the arrays' values, on their device.

    Args:
        function: Numpy's.
        args: Its arguments, with arrays among them and in lists.
        constant: As of :class:`Route`.
        kwargs: Its options.

    Raises:
        AutogradError: A gradient would have to flow through.
        ContextError: They are on different devices.
    """
    arrays = [*arrays_in(args, ndarray)]
    context = arrays[0].context if arrays else None
    if any(x.context is not context for x in arrays):
        where = ", ".join(str(x.context) for x in arrays)
        raise ContextError(f"{function.__name__}: arrays are on different devices ({where})")
    if _state.scope.recording and not constant and any(x.in_graph for x in arrays):
        raise AutogradError(
            f"{function.__name__}: numpy computes it for these dtypes, and no gradient flows "
            "through; call it outside autograd.record(), or on x.detach()"
        )
    with onp.errstate(all="ignore"):
        result = function(*to_host(args), **{key: to_host(x) for key, x in kwargs.items()})
    return _to_arrays(result, context)


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
