"""Methods of arrays that symbols lack; each raises :class:`NotForSymbolError`."""

from typing import Any, ClassVar, NoReturn

from hy_ndarray import NDArray
from hy_ndarray.suggestion import unknown_attribute
from hy_symbol._errors import ArrayAttributeError, NotForSymbolError, NoValueError

__all__ = ["ArrayOnly"]

_OF_TRACES = frozenset(("shape", "ndim", "size", "dtype"))


class ArrayOnly:
    """Base class whose methods raise :class:`NotForSymbolError`, as they need values or a device.

    By this error, callers that trace code written for arrays can tell that tracing is impossible,
    not that the code is wrong.
    """

    __slots__ = ()

    array_type: ClassVar[type[Any]] = NDArray
    """The arrays that such a symbol stands for."""

    def __getattr__(self, name: str) -> NoReturn:
        if name in _OF_TRACES:
            raise ArrayAttributeError(
                f"{self!r} has no {name} by itself: it follows from what it is bound to; "
                "ask infer_shape and infer_type"
            )
        if hasattr(type(self).array_type, name):
            raise ArrayAttributeError(
                f"{self!r} has no attribute {name!r}, which only arrays have; call the block "
                "without hybridize() if it needs that"
            )
        kind = type(self)
        raise unknown_attribute(f"{kind.__name__!r} object", name, lambda: dir(kind))

    def __bool__(self) -> bool:
        raise NotForSymbolError(
            f"the value of {self!r} is not known while the graph is built, so it cannot decide a "
            "branch; use where(), or contrib.cond()"
        )

    def __setitem__(self, key: Any, value: Any) -> None:
        raise NotForSymbolError(
            f"parts of {self!r} cannot be overwritten while the graph is built; use where(), "
            "concat() or slice_assign of arrays, or call the block without hybridize()"
        )

    def _unknown_value(self, *_args: Any, **_kwargs: Any) -> Any:
        raise NoValueError(
            f"{self!r} has no value before it is bound to arrays; bind it, or call the block "
            "without hybridize()"
        )

    as_in_context = as_in_ctx = asnumpy = asscalar = backward = copy = detach = _unknown_value
    attach_grad = item = wait_to_read = _unknown_value
    __int__ = __float__ = __index__ = __array__ = _unknown_value
