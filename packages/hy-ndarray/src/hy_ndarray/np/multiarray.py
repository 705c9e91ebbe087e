"""``np.ndarray``: arrays with NumPy's semantics, on the same memory as NDArray."""

import sys
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as onp

from hy_ndarray import namespaces
from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import ArgumentError, ScalarError, ShapeError, UnsupportedError
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.core._copying import as_dtype
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._levels import Level
from hy_ndarray.devices.context import Context
from hy_ndarray.np import protocols
from hy_ndarray.np.methods import NumpyMethods

__all__ = ["functions", "linalg_functions", "ndarray"]

functions: dict[str, Callable[..., Any]] = {}
"""Functions of ``np`` by name, which numpy's functions dispatch to; ``np`` registers them here."""
linalg_functions: dict[str, Callable[..., Any]] = {}
"""Functions of ``np.linalg`` by name, to which those of ``numpy.linalg`` dispatch."""


class ndarray(NumpyMethods, NDArray, behaviour="np"):  # type: ignore[misc]  # noqa: N801  # numpy's
    """A multi-dimensional array with NumPy's semantics, on a device and with gradients.

    Arrays are created by ``np.array``, ``np.zeros`` …, by operators, or from an NDArray by
    ``as_np_ndarray()``. They may have no axes, and axes of size 0.

    Example:
        >>> from hy_ndarray import np
        >>> x = np.array([[1, 2], [3, 4]])
        >>> x[0, 1], x.sum(), x > 2
        (array(2.), array(10.), array([[False, False],
               [ True,  True]]))
    """

    __slots__ = ()
    _single: ClassVar[tuple[int, ...]] = ()
    _reshaping: ClassVar[tuple[str, str]] = ("_np_reshape", "newshape")

    # --- what it is -------------------------------------------------------------------------

    @property
    def dtype(self) -> onp.dtype[Any]:  # type: ignore[override]
        """Numpy dtype object of the elements."""
        return onp.dtype(super().dtype)

    def __repr__(self) -> str:
        if isinstance(self._device, Level):
            return self._device.shown(self)
        values = self.asnumpy()
        text = repr(values)
        name = self._device.memory.dtype(self._data)
        # numpy leaves out its own default dtypes; here float32 is the default one.
        if name == "float32":
            text = text.replace(", dtype=float32", "").replace(" dtype=float32", "")
        elif name in ("int64", "float64") and "dtype=" not in text:
            text = f"{text[:-1]}, dtype={name})"
        if self.context.device_type != "cpu":
            text = f"{text[:-1]}, ctx={self.context})"
        return text

    def __str__(self) -> str:
        if isinstance(self._device, Level):
            return self._device.shown(self)
        return str(self.asnumpy())

    def __format__(self, fmt: str) -> str:
        if self.ndim == 0:
            return format(self.item(), fmt)
        if fmt:
            raise ArgumentError(
                f"format: {fmt!r} is not supported for an array {self.shape}; format single "
                "elements, x[i].item()"
            )
        return str(self)

    def __bool__(self) -> bool:
        if self.size > 1:
            raise ShapeError(
                f"the truth value of an array {self.shape} is ambiguous; use x.any() or x.all()"
            )
        return bool(self.size and self.asscalar())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    # --- values and copies ------------------------------------------------------------------

    def item(self, *args: Any) -> Any:
        """Return the only element, or that at an index, as a Python number.

        Raises:
            ShapeError: There is not exactly one element, and no index is given.
        """
        if not args and self.size != 1:
            raise ScalarError(f"item: an array {self.shape} has {self.size} elements, not 1")
        return self._device.memory.to_numpy(self._data).item(*args)

    def astype(  # type: ignore[override]  # numpy's arguments
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Self:
        """Return the array cast to a dtype; with ``copy=False``, itself if it has that dtype.

        Raises:
            ArgumentError: The value of ``order``, ``casting`` or ``subok`` is not supported.
        """
        if order not in ("K", "C") or casting != "unsafe" or not subok:
            raise ArgumentError(
                f"astype: order={order!r}, casting={casting!r} and subok={subok!r} are not "
                "supported; use order='K' or 'C', casting='unsafe' and subok=True"
            )
        return as_dtype(self, "float32" if dtype is None else dtype_name(dtype), copy=copy)

    def copy(self, order: str = "C") -> Self:
        """Return a copy on the same device.

        Raises:
            UnsupportedError: ``order`` is not ``"C"``.
        """
        if order != "C":
            raise UnsupportedError(f"copy: order={order!r}; only 'C' is supported")
        return super().copy()

    def as_in_ctx(self, ctx: Context) -> Self:
        """Return the array on ``ctx``; the array itself if it is there already."""
        return self.as_in_context(ctx)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Self:
        """Return the array on a device; the array itself if it is there already.

        Args:
            device: A context, the ``device`` of an array, or a string such as ``"gpu(0)"``.
            stream: Must be None; copies use the stream of all other work.

        Raises:
            UnsupportedError: ``stream`` is not None.
        """
        if stream is not None:
            raise UnsupportedError(f"to_device: stream={stream!r} is not supported; leave it out")
        if not isinstance(device, Context):
            device = device.context if isinstance(device, Device) else Context.parse(str(device))
        return self.as_in_context(device)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """Return the Array API namespace of this array, :mod:`hy_ndarray.array_api`.

        Raises:
            UnsupportedError: ``api_version`` is not supported.
        """
        space = namespaces.extension("np", "array_api")
        newest = space.__array_api_version__
        if api_version is not None and not "2021.12" <= api_version <= newest:
            raise UnsupportedError(
                f"api_version={api_version!r}; 2021.12 to {newest} are supported"
            )
        return space

    @property
    def mT(self) -> Self:  # noqa: N802  # the standard's name
        """Array with the last two axes exchanged."""
        result: Self = self.__array_namespace__().matrix_transpose(self)
        return result

    def reshape_view(self, *shape: Any, **kwargs: Any) -> Self:
        """Return a view in another shape, with the special sizes of ``NDArray.reshape``."""
        return NDArray.reshape(self, *shape, **kwargs)

    # --- operators of the standard that MXNet has not ---------------------------------------

    def __floordiv__(self, other: Any) -> Self:
        return self._by_standard("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Self:
        return self._by_standard("floor_divide", other, self)

    def __lshift__(self, other: Any) -> Self:
        return self._by_standard("bitwise_left_shift", self, other)

    def __rlshift__(self, other: Any) -> Self:
        return self._by_standard("bitwise_left_shift", other, self)

    def __rshift__(self, other: Any) -> Self:
        return self._by_standard("bitwise_right_shift", self, other)

    def __rrshift__(self, other: Any) -> Self:
        return self._by_standard("bitwise_right_shift", other, self)

    def _by_standard(self, name: str, x1: Any, x2: Any) -> Self:
        result: Self = getattr(self.__array_namespace__(), name)(x1, x2)
        return result

    # --- in place ---------------------------------------------------------------------------

    def __ifloordiv__(self, other: Any) -> Self:
        return self._assigned(self // other)

    def __ilshift__(self, other: Any) -> Self:
        return self._assigned(self << other)

    def __irshift__(self, other: Any) -> Self:
        return self._assigned(self >> other)

    def __iand__(self, other: Any) -> Self:
        return self._assigned(self & other)

    def __ior__(self, other: Any) -> Self:
        return self._assigned(self | other)

    def __ixor__(self, other: Any) -> Self:
        return self._assigned(self ^ other)

    def __imatmul__(self, other: Any) -> Self:
        return self._assigned(self @ other)

    def _assigned(self, value: "ndarray") -> Self:
        self._assign_from(value)
        return self

    # --- numpy's functions on these arrays --------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Return the result of a numpy ufunc on arrays; see :mod:`hy_ndarray.np.protocols`."""
        function = functions.get(ufunc.__name__)
        return protocols.run_ufunc(function, ufunc, method, inputs, kwargs, ndarray)

    def __array_function__(
        self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Return a numpy function's result on arrays; refuse functions that write to arguments."""
        if not all(issubclass(kind, NDArray | onp.ndarray) for kind in types):
            return NotImplemented
        space = linalg_functions if func.__module__.endswith("linalg") else functions
        return protocols.run_function(space.get(func.__name__), func, args, kwargs, ndarray)


def __getattr__(name: str) -> Any:
    """Return a member of package ``np``; MXNet defines all functions in this module."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(sys.modules[__package__], name)
