"""MXNet's setters of array and symbol classes, which accept only hy's own classes."""

from collections.abc import Callable
from typing import Any

from hy_ndarray import NDArray
from hy_symbol import Symbol
from mxnet._private.errors import OperandError

NDArrayBase = NDArray
"""The base class of arrays, which here is the class itself."""
SymbolBase = Symbol
"""The base class of symbols, which here is the class itself."""


def _check_kind(cls: Any, kind: type) -> None:
    if not (isinstance(cls, type) and issubclass(cls, kind)):
        raise OperandError(
            f"hy makes objects of {kind.__module__}.{kind.__name__} and its subclasses alone, "
            f"not of {cls!r}"
        )
    # Subclasses are refused as well: hy's operators choose the class of results.
    if cls is not kind:
        raise OperandError(
            f"operators give {kind.__name__}; subclasses of it are made by your own functions"
        )


def _set_ndarray_class(cls: Any) -> None:
    """Raise an error unless the array class is ``mx.nd.NDArray``.

    Raises:
        OperandError: ``cls`` is another class.
    """
    _check_kind(cls, NDArray)


def _set_np_ndarray_class(cls: Any) -> None:
    """Raise an error unless the array class of ``mx.np`` is ``mx.np.ndarray``."""
    from hy_ndarray import np  # noqa: PLC0415  # its neighbours need this module

    _check_kind(cls, np.ndarray)


def _set_symbol_class(cls: Any) -> None:
    """Raise an error unless the symbol class is ``mx.sym.Symbol``."""
    _check_kind(cls, Symbol)


def _set_np_symbol_class(cls: Any) -> None:
    """Raise an error unless the symbol class of ``mx.sym.np`` is ``mx.sym.np._Symbol``."""
    from hy_symbol.sym import np  # noqa: PLC0415

    _check_kind(cls, np._Symbol)


def _monitor_callback_wrapper(callback: Callable[..., Any]) -> Callable[..., None]:
    """Return a callback of names and arrays that also accepts an unused third argument."""

    def callback_handle(name: Any, array: Any, *rest: Any) -> None:
        # MXNet's C code passes a pointer as the last argument.
        callback(name, array, *rest[:-1])

    return callback_handle
