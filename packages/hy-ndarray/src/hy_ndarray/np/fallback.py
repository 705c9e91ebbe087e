"""Functions of ``np`` that numpy computes on the host, without gradients."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as onp

from hy_ndarray._errors import ArgumentError, UnsupportedError
from hy_ndarray.array.ndarray import array_from
from hy_ndarray.np import host
from hy_ndarray.np.calls import A, is_number
from hy_ndarray.np.multiarray import ndarray
from hy_ndarray.np.shaping import ravel, sort

__all__ = [
    "allclose",
    "alltrue",
    "apply_along_axis",
    "apply_over_axes",
    "argpartition",
    "argwhere",
    "array_equal",
    "array_equiv",
    "choose",
    "compress",
    "corrcoef",
    "correlate",
    "count_nonzero",
    "cov",
    "digitize",
    "divmod",
    "extract",
    "flatnonzero",
    "float_power",
    "frexp",
    "heaviside",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
    "i0",
    "in1d",
    "interp",
    "intersect1d",
    "isclose",
    "isin",
    "ix_",
    "lexsort",
    "min_scalar_type",
    "modf",
    "msort",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "ndim",
    "packbits",
    "partition",
    "piecewise",
    "poly",
    "polyadd",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "positive",
    "promote_types",
    "ptp",
    "real",
    "result_type",
    "rollaxis",
    "roots",
    "searchsorted",
    "select",
    "setdiff1d",
    "setxor1d",
    "signbit",
    "size",
    "spacing",
    "take_along_axis",
    "trapz",
    "tril_indices_from",
    "trim_zeros",
    "triu_indices_from",
    "union1d",
    "unpackbits",
    "unwrap",
    "vander",
]

Value: TypeAlias = ndarray | Any
"""An array, or a numpy scalar in place of an array without axes."""
ToArray: TypeAlias = Callable[..., ndarray]
ToArrays: TypeAlias = Callable[..., tuple[ndarray, ...]]
ToValue: TypeAlias = Callable[..., Value]
ToPair: TypeAlias = Callable[..., tuple[Value, Value]]
ToBool: TypeAlias = Callable[..., bool]
ToDType: TypeAlias = Callable[..., onp.dtype[Any]]


def on_host(name: str) -> Callable[..., Any]:
    """Return numpy's function ``name`` wrapped to take and return arrays.

    Args:
        name: The name within ``numpy``, such as ``"linalg.qr"``.
    """
    original: Callable[..., Any] = attrgetter(name)(onp)
    numpy_name = name.rpartition(".")[2]

    def function(*args: Any, **kwargs: Any) -> Any:
        return host.call(original, numpy_name, args, kwargs, ndarray)

    function.__name__ = function.__qualname__ = numpy_name
    function.__module__ = "hy_ndarray.np"
    function.__doc__ = f"``numpy.{name}``, computed on the host."
    return function


allclose: ToBool = on_host("allclose")
alltrue: ToValue = on_host("all")
apply_along_axis: ToArray = on_host("apply_along_axis")
apply_over_axes: ToArray = on_host("apply_over_axes")
argpartition: ToArray = on_host("argpartition")
argwhere: ToArray = on_host("argwhere")
array_equal: ToBool = on_host("array_equal")
array_equiv: ToBool = on_host("array_equiv")
choose: ToArray = on_host("choose")
compress: ToArray = on_host("compress")
corrcoef: ToValue = on_host("corrcoef")
correlate: ToArray = on_host("correlate")
count_nonzero: ToValue = on_host("count_nonzero")
cov: ToValue = on_host("cov")
digitize: ToValue = on_host("digitize")
divmod: ToPair = on_host("divmod")
extract: ToArray = on_host("extract")
flatnonzero: ToArray = on_host("flatnonzero")
float_power: ToValue = on_host("float_power")
frexp: ToPair = on_host("frexp")
genfromtxt: ToValue = on_host("genfromtxt")
heaviside: ToValue = on_host("heaviside")
histogram2d: Callable[..., tuple[ndarray, ndarray, ndarray]] = on_host("histogram2d")
histogram_bin_edges: ToArray = on_host("histogram_bin_edges")
histogramdd: Callable[..., tuple[ndarray, Sequence[ndarray]]] = on_host("histogramdd")
i0: ToValue = on_host("i0")
interp: ToValue = on_host("interp")
intersect1d: ToArray = on_host("intersect1d")
isclose: ToValue = on_host("isclose")
isin: ToValue = on_host("isin")
ix_: ToArrays = on_host("ix_")
lexsort: ToArray = on_host("lexsort")
min_scalar_type: ToDType = on_host("min_scalar_type")
modf: ToPair = on_host("modf")
nanargmax: ToValue = on_host("nanargmax")
nanargmin: ToValue = on_host("nanargmin")
nancumprod: ToArray = on_host("nancumprod")
nancumsum: ToArray = on_host("nancumsum")
nanmax: ToValue = on_host("nanmax")
nanmedian: ToValue = on_host("nanmedian")
nanmin: ToValue = on_host("nanmin")
nanprod: ToValue = on_host("nanprod")
packbits: ToArray = on_host("packbits")
partition: ToArray = on_host("partition")
piecewise: ToArray = on_host("piecewise")
poly: ToArray = on_host("poly")
polyadd: ToArray = on_host("polyadd")
polydiv: ToArrays = on_host("polydiv")
polyfit: ToValue = on_host("polyfit")
polyint: ToArray = on_host("polyint")
polymul: ToArray = on_host("polymul")
polysub: ToArray = on_host("polysub")
positive: ToValue = on_host("positive")
promote_types: ToDType = on_host("promote_types")
ptp: ToValue = on_host("ptp")
real: ToValue = on_host("real")
resize: ToArray = on_host("resize")
result_type: ToDType = on_host("result_type")
rollaxis: ToArray = on_host("rollaxis")
roots: ToArray = on_host("roots")
searchsorted: ToValue = on_host("searchsorted")
select: ToArray = on_host("select")
set_printoptions = onp.set_printoptions
setdiff1d: ToArray = on_host("setdiff1d")
setxor1d: ToArray = on_host("setxor1d")
signbit: ToValue = on_host("signbit")
spacing: ToValue = on_host("spacing")
take_along_axis: ToArray = on_host("take_along_axis")
trapz: ToValue = on_host("trapezoid")
tril_indices_from: ToArrays = on_host("tril_indices_from")
trim_zeros: ToArray = on_host("trim_zeros")
triu_indices_from: ToArrays = on_host("triu_indices_from")
union1d: ToArray = on_host("union1d")
unpackbits: ToArray = on_host("unpackbits")
unwrap: ToArray = on_host("unwrap")
vander: ToArray = on_host("vander")


def nanpercentile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Value:
    """Return percentiles ignoring nan, computed in float64 on the host; see :func:`percentile`."""
    return on_host("nanpercentile")(
        a, onp.asarray(host.lowered(q, "nanpercentile"), "f8"), *args, **kwargs
    )


def nanquantile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Value:
    """Return quantiles ignoring nan, computed in float64 on the host; see :func:`quantile`."""
    return on_host("nanquantile")(
        a, onp.asarray(host.lowered(q, "nanquantile"), "f8"), *args, **kwargs
    )


def unravel_index(indices: Any, shape: Any, order: str = "C") -> Any:
    """Convert flat indices to coordinates, a tuple with one array per axis.

    Args:
        indices: ``[*S]``, integers; or a number.
        shape: The shape of the array that is indexed.
        order: Only ``"C"`` is supported.

    Returns:
        A tuple of arrays ``[*S]`` in the dtype of ``indices``; a tuple of numbers for a number.

    Raises:
        ArgumentError: An index is not an integer, or out of range.
        UnsupportedError: ``order`` is not ``"C"``.
    """
    if order != "C":
        raise UnsupportedError(f"unravel_index: order={order!r}; only 'C' is supported")
    numbers = host.lowered(indices, "unravel_index")
    try:
        unraveled = onp.unravel_index(numbers, shape)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"unravel_index: indices of shape={shape}: {error}") from error
    if is_number(indices) or not isinstance(indices, ndarray):
        return unraveled
    context = indices.context
    return tuple(array_from(onp.asarray(x, numbers.dtype), context, ndarray) for x in unraveled)


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Value:
    """Return whether each element of the flattened ``ar1`` is in ``ar2``."""
    return isin(ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


def msort(a: A) -> A:
    """Return a copy sorted along the first axis."""
    return sort(a, 0)


def broadcast_arrays(*args: ndarray) -> list[ndarray]:
    """Return copies of the arrays broadcast to their common shape."""
    target = onp.broadcast_shapes(*(x.shape for x in args))
    return [x.broadcast_to(target) for x in args]


def shape(a: Any) -> tuple[int, ...]:
    """Return the shape of an array, number or nested list."""
    return tuple(a.shape) if hasattr(a, "shape") else onp.shape(a)


def ndim(a: Any) -> int:
    """Return the number of axes of an array, number or nested list."""
    return len(shape(a))


def size(a: Any, axis: int | None = None) -> int:
    """Return the number of elements of an array, number or list, or its size along an axis."""
    sizes = shape(a)
    return int(onp.prod(sizes, dtype=onp.int64)) if axis is None else sizes[axis]
