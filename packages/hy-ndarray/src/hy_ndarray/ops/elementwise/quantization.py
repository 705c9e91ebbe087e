"""Quantization of floating-point arrays to small integers with a range, and dequantization."""

from typing import Literal, TypeAlias

from hy_ndarray._errors import ArgumentError, DTypeError, ShapeError
from hy_ndarray.ops.record.ranges import Positive
from hy_ndarray.ops.record.rules import expect_rank
from hy_ndarray.ops.record.schema import operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import TensorType, show

Quantized: TypeAlias = tuple[TensorType, TensorType, TensorType]
OutType: TypeAlias = Literal["auto", "int8", "uint8"]

RANGED = Traits(ranged=True)
_OUTPUTS = ("output0", "output1", "output2")


def scalar() -> TensorType:
    """Return the type of one end of a range: float32, shape ``(1,)``."""
    return TensorType((1,), "float32")


def ranged(integers: TensorType) -> Quantized:
    """Return the types of integers and of the two ends of the range that they represent."""
    return integers, scalar(), scalar()


def ranges(*ends: TensorType) -> None:
    """Check that each end of a range is one float32 number, and set unknown shapes and dtypes."""
    for end in ends:
        end.set_dtype("float32")
        if end.sizes is not None and end.sizes not in ((), (1,)):
            raise ShapeError(f"{end.label}{show(end.shape)} must have one element")
        if end.shape is None:
            end.set_shape((1,))


def ranges_of(filters: int | None, *ends: TensorType) -> None:
    """Check that each end of a range is one number, or a vector of one number per filter."""
    for end in ends:
        if end.sizes is not None and len(end.sizes) == 1 and end.sizes != (1,):
            end.set_dtype("float32")
            if filters is not None:
                end.set_shape((filters,))
        else:
            ranges(end)


def calibrated(low: float | None, high: float | None) -> bool:
    """Return whether both ends of a calibrated range are given, and check their order.

    Raises:
        ArgumentError: The minimum of the range exceeds its maximum.
    """
    if low is None or high is None:
        return False
    if low > high:
        raise ArgumentError(f"min_calib_range={low} must not exceed max_calib_range={high}")
    return True


def out_dtype(out_type: str, low: float | None, high: float | None) -> str:
    """Return ``out_type``, resolving ``"auto"``: uint8 for a range without negatives, else int8."""
    positive = calibrated(low, high) and low is not None and low >= 0
    return ("uint8" if positive else "int8") if out_type == "auto" else out_type


@operator("_contrib_quantize", outputs=_OUTPUTS)
def quantize(
    data: TensorType,
    min_range: TensorType,
    max_range: TensorType,
    *,
    out_type: Literal["int8", "uint8"] = "uint8",
) -> Quantized:
    """Return ``data`` quantized to integers over a given range.

    With ``r = max(|min_range|, |max_range|)`` the integers are ``data · 127 / r``, or for ``uint8``
    ``data · 255 / r``, rounded and clipped to the range of the dtype, so that negative numbers
    become zero in ``uint8``.

    Args:
        data: ``[*S]``, float32.
        min_range: ``[1]``, the least number to represent.
        max_range: ``[1]``, the greatest number to represent.
        out_type: Dtype of the integers.

    Returns:
        The integers ``[*S]``, and the ends of the range that they represent: ``-r`` and ``r`` for
        ``int8``, else the given ones.

    Raises:
        ShapeError: An end of the range is not one number.

    Example:
        >>> from hy_ndarray import nd
        >>> x, low, high = nd.array([-2, 0.5, 1]), nd.array([-1]), nd.array([1])
        >>> nd.contrib.quantize(x, low, high, out_type="int8")[0].asnumpy()
        array([-128,   64,  127], dtype=int8)
    """
    data.set_dtype("float32")
    ranges(min_range, max_range)
    return ranged(data.with_dtype(out_type))


@operator("_contrib_quantize_v2", outputs=_OUTPUTS, traits=RANGED)
def quantize_v2(
    data: TensorType,
    *,
    out_type: OutType = "int8",
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> Quantized:
    """Return ``data`` quantized to integers, over a calibrated range or the range of ``data``.

    With the largest magnitude ``r`` of the range, the integers are ``data · 127.5 / r``, or for
    ``uint8`` ``data · 255.5 / r``, rounded and clipped to the range of the dtype.

    Args:
        data: ``[*S]``, float32.
        out_type: Dtype of the integers; ``"auto"`` is ``uint8`` if the given range has no negative
            numbers, else ``int8``.
        min_calib_range: The least number to represent; the minimum of ``data`` by default.
        max_calib_range: The greatest number to represent; the maximum of ``data`` by default.

    Returns:
        The integers ``[*S]``, and the ends of the range that they represent: ``-r`` and ``r`` for
        ``int8``, else the given or computed ones.

    Raises:
        ArgumentError: The minimum of the range exceeds its maximum.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.quantize_v2(nd.array([-1, 0.5, 1]))[0].asnumpy()
        array([-128,   64,  127], dtype=int8)
    """
    data.set_dtype("float32")
    dtype = out_dtype(out_type, min_calib_range, max_calib_range)
    return ranged(data.with_dtype(dtype))


@operator("_contrib_dequantize")
def dequantize(
    data: TensorType,
    min_range: TensorType,
    max_range: TensorType,
    *,
    out_type: Literal["float32"] = "float32",
) -> TensorType:
    """Return the real numbers that integers represent, the inverse of :func:`quantize_v2`.

    Args:
        data: ``[*S]``, ``int8``, ``uint8`` or ``int32``.
        min_range: ``[1]``, the least number that ``data`` can represent.
        max_range: ``[1]``, the greatest number that ``data`` can represent.
        out_type: Dtype of the result, ``float32``.

    Returns:
        ``[*S]``: ``data · r / n`` for the largest magnitude ``r`` of the range, where ``n`` is
        127.5, 255.5 or ``2³¹ - 1``.

    Raises:
        ShapeError: An end of the range is not one number.

    Example:
        >>> from hy_ndarray import nd
        >>> q = nd.array([-51, 102], dtype="int8")
        >>> nd.contrib.dequantize(q, nd.array([-1]), nd.array([1])).asnumpy().round(3)
        array([-0.4,  0.8], dtype=float32)
    """
    ranges(min_range, max_range)
    if data.dtype not in (None, "int8", "uint8", "int32"):
        raise DTypeError(f"{data!r} must be int8, uint8 or int32")
    return data.with_dtype(out_type)


@operator("_contrib_requantize", outputs=_OUTPUTS, traits=RANGED)
def requantize(
    data: TensorType,
    min_range: TensorType,
    max_range: TensorType,
    *,
    out_type: OutType = "int8",
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> Quantized:
    """Return ``int32`` accumulators quantized to 8 bits, over a calibrated or computed range.

    Args:
        data: ``[*S]``, ``int32``.
        min_range: ``[1]``, the least number that ``data`` can represent.
        max_range: ``[1]``, the greatest number that ``data`` can represent.
        out_type: Dtype of the integers; ``"auto"`` is ``uint8`` if the given range has no negative
            numbers, else ``int8``.
        min_calib_range: The least number to represent; the minimum of ``data`` by default.
        max_calib_range: The greatest number to represent; the maximum of ``data`` by default.

    Returns:
        The integers ``[*S]``, and the ends of the range that they represent: minus the largest
        magnitude, or 0 for ``uint8``, and the largest magnitude.

    Raises:
        ArgumentError: The minimum of the range exceeds its maximum.
        ShapeError: An end of the range is not one number.
    """
    data.set_dtype("int32")
    ranges(min_range, max_range)
    dtype = out_dtype(out_type, min_calib_range, max_calib_range)
    return ranged(data.with_dtype(dtype))


@operator("_contrib_calibrate_entropy", outputs=("threshold", "divergence"))
def calibrate_entropy(
    hist: TensorType, hist_edges: TensorType, *, num_quantized_bins: Positive = 255
) -> tuple[TensorType, TensorType]:
    """Return the clipping threshold for quantization with the least KL divergence.

    Each candidate threshold keeps the bins in the middle of the histogram, and counts the numbers
    outside of them in the outermost kept bins. The returned threshold is the one for which merging
    the kept bins into ``num_quantized_bins`` changes the distribution least.

    Args:
        hist: ``[B]``, the count of each bin; ``B`` is odd, and the bins are symmetric about zero.
        hist_edges: ``[B + 1]``, the edges of the bins.
        num_quantized_bins: Number of quantized levels, odd and at most ``B``.

    Returns:
        The threshold and its divergence, ``[1]`` each.

    Raises:
        ArgumentError: There are fewer bins than quantized levels.
        ShapeError: The edges do not match the histogram.

    Source:
        Migacz, 8-bit Inference with TensorRT, 2017.
    """
    expect_rank(hist, 1)
    expect_rank(hist_edges, 1)
    for t in (hist, hist_edges):
        t.set_dtype("float32")
    bins = None if hist.shape is None else hist.shape[0]
    if bins is not None:
        if bins < num_quantized_bins:
            raise ArgumentError(
                f"num_quantized_bins={num_quantized_bins} exceeds the {bins} bins of hist"
            )
        hist_edges.set_shape((bins + 1,))
    return scalar(), scalar()
