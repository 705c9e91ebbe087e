"""Functions that numpy computes on the host; no gradients flow through them."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as onp

from hy_ndarray.np import host
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
    "broadcast_arrays",
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
    "genfromtxt",
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
    "nonzero",
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
    "resize",
    "result_type",
    "rollaxis",
    "roots",
    "searchsorted",
    "select",
    "set_printoptions",
    "setdiff1d",
    "setxor1d",
    "shape",
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
    "unravel_index",
    "unwrap",
    "vander",
]


def on_host(name: str) -> Callable[..., Any]:
    """Numpy's function of that name, on arrays and giving arrays.

    Args:
        name: Below ``numpy``, such as ``"linalg.qr"``.
    """
    original: Callable[..., Any] = attrgetter(name)(onp)
    short = name.rpartition(".")[2]

    def function(*args: Any, **kwargs: Any) -> Any:
        return host.call(original, short, args, kwargs, ndarray)

    function.__name__ = function.__qualname__ = short
    function.__module__ = "hy_ndarray.np"
    function.__doc__ = f"``numpy.{name}``, computed on the host."
    return function


allclose = on_host("allclose")
alltrue = on_host("all")
apply_along_axis = on_host("apply_along_axis")
apply_over_axes = on_host("apply_over_axes")
argpartition = on_host("argpartition")
argwhere = on_host("argwhere")
array_equal = on_host("array_equal")
array_equiv = on_host("array_equiv")
choose = on_host("choose")
compress = on_host("compress")
corrcoef = on_host("corrcoef")
correlate = on_host("correlate")
count_nonzero = on_host("count_nonzero")
cov = on_host("cov")
digitize = on_host("digitize")
divmod = on_host("divmod")
extract = on_host("extract")
flatnonzero = on_host("flatnonzero")
float_power = on_host("float_power")
frexp = on_host("frexp")
genfromtxt = on_host("genfromtxt")
heaviside = on_host("heaviside")
histogram2d = on_host("histogram2d")
histogram_bin_edges = on_host("histogram_bin_edges")
histogramdd = on_host("histogramdd")
i0 = on_host("i0")
interp = on_host("interp")
intersect1d = on_host("intersect1d")
isclose = on_host("isclose")
isin = on_host("isin")
ix_ = on_host("ix_")
lexsort = on_host("lexsort")
min_scalar_type = on_host("min_scalar_type")
modf = on_host("modf")
nanargmax = on_host("nanargmax")
nanargmin = on_host("nanargmin")
nancumprod = on_host("nancumprod")
nancumsum = on_host("nancumsum")
nanmax = on_host("nanmax")
nanmedian = on_host("nanmedian")
nanmin = on_host("nanmin")
nanprod = on_host("nanprod")
packbits = on_host("packbits")
partition = on_host("partition")
piecewise = on_host("piecewise")
poly = on_host("poly")
polyadd = on_host("polyadd")
polydiv = on_host("polydiv")
polyfit = on_host("polyfit")
polyint = on_host("polyint")
polymul = on_host("polymul")
polysub = on_host("polysub")
positive = on_host("positive")
promote_types = on_host("promote_types")
ptp = on_host("ptp")
real = on_host("real")
resize = on_host("resize")
result_type = on_host("result_type")
rollaxis = on_host("rollaxis")
roots = on_host("roots")
searchsorted = on_host("searchsorted")
select = on_host("select")
set_printoptions = onp.set_printoptions
setdiff1d = on_host("setdiff1d")
setxor1d = on_host("setxor1d")
signbit = on_host("signbit")
spacing = on_host("spacing")
take_along_axis = on_host("take_along_axis")
trapz = on_host("trapezoid")
tril_indices_from = on_host("tril_indices_from")
trim_zeros = on_host("trim_zeros")
triu_indices_from = on_host("triu_indices_from")
union1d = on_host("union1d")
unpackbits = on_host("unpackbits")
unravel_index = on_host("unravel_index")
unwrap = on_host("unwrap")
vander = on_host("vander")


def nanpercentile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    """As :func:`percentile`, computed in float64 on the host, without the elements that are nan."""
    return on_host("nanpercentile")(
        a, onp.asarray(host.lowered(q, "nanpercentile"), "f8"), *args, **kwargs
    )


def nanquantile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    """As :func:`quantile`, computed in float64 on the host, without the elements that are nan."""
    return on_host("nanquantile")(
        a, onp.asarray(host.lowered(q, "nanquantile"), "f8"), *args, **kwargs
    )


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Whether each element of the flattened ``ar1`` is in ``ar2``."""
    return isin(ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


def msort(a: Any) -> Any:
    """A copy sorted along the first axis."""
    return sort(a, 0)


def broadcast_arrays(*args: Any) -> list[Any]:
    """Copies of all arrays in the shape they broadcast to."""
    target = onp.broadcast_shapes(*(x.shape for x in args))
    return [x.broadcast_to(target) for x in args]


def nonzero(a: Any) -> Any:
    """Indices by axis of the elements that are not 0, int64."""
    return a.nonzero()


def shape(a: Any) -> tuple[int, ...]:
    """Sizes by axis, of lists and numbers, too."""
    return tuple(a.shape) if hasattr(a, "shape") else onp.shape(a)


def ndim(a: Any) -> int:
    """Number of axes, of lists and numbers, too."""
    return len(shape(a))


def size(a: Any, axis: int | None = None) -> int:
    """Number of elements, of all or along an axis."""
    sizes = shape(a)
    return int(onp.prod(sizes, dtype=onp.int64)) if axis is None else sizes[axis]
