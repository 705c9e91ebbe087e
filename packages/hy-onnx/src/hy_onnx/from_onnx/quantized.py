"""Import of quantized layers with zero points.

Sums of products are computed by ``_contrib_quantized_conv`` and
``_contrib_quantized_fully_connected``, which have no zero points. The zero point of a weight is
subtracted during import. The data is padded with its zero point, whose contribution to each sum is
subtracted. If a weight or zero point is computed at run time, or the difference does not fit into
``int8``, sums are computed in float64, which represents them exactly.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.layers import padded, pads_of, window
from hy_onnx.from_onnx.quantization import combined, number_of, rounded
from hy_onnx.from_onnx.registry import reader
from hy_onnx.from_onnx.value import Tensor
from hy_onnx.model import Array

__all__ = ["product_sums", "scale_of", "scaled"]

_X_ZERO = 2
"""Position of the data's zero point among the inputs of all these operators."""


def _weight(call: Call, i: int, zero: int, axis: int) -> Array | None:
    """Return weight ``i`` minus its zero point as ``int8``, None if not constant or too large."""
    weight = call.constant_value(i)
    moved = call.constant_value(zero) if call.has(zero) else np.zeros((), np.int8)
    if weight is None or moved is None:
        return None
    if moved.ndim == 1 and moved.size > 1:
        moved = np.expand_dims(moved, [k for k in range(weight.ndim) if k != axis % weight.ndim])
    difference = weight.astype(np.int32) - moved.astype(np.int32)
    inside = difference.min(initial=0) >= -128 and difference.max(initial=0) <= 127  # noqa: PLR2004
    return difference.astype(np.int8) if inside else None


def _without_zero_point(call: Call, sums: Tensor, share: Array) -> Tensor:
    """Subtract ``share`` times the zero point of the data from sums."""
    number = number_of(call, _X_ZERO)
    if number == 0:
        return sums
    if number is not None:
        # (x - z) · w = x · w - z · sum(w): sums of the weights are known.
        return call.op("_npi_subtract", sums, call.constant((share * int(number)).astype(np.int32)))
    moved = call.cast(call.tensor(_X_ZERO), "int32")
    moved = call.reshape(moved, -1, 1) if moved.rank == 1 else moved  # one for each row
    each = call.op("_npi_multiply", moved, call.constant(share.astype(np.int32)))
    return call.op("_npi_subtract", sums, each)


def _integer_sums(call: Call, op: str, x: Tensor, weight: Array, **options: Any) -> Tensor:
    """Return the int32 sums of a quantized layer of the catalogue; its ranges are not used."""
    one = call.op("_ones", shape=(1,))
    return call.op(op, x, call.constant(weight), *[one] * 4, no_bias=True, **options)


def _minus_zero_point(call: Call, i: int, zero: int, axis: int) -> Tensor:
    """Return input ``i`` minus its zero point, in float64."""
    return combined(call, "Sub", call.cast(call.tensor(i), "float64"), zero, axis)


# --- convolution ----------------------------------------------------------------------------------


def _conv_sums(call: Call, w: int, w_zero: int) -> Tensor:
    """Return the ``int32`` convolution of the first input and input ``w``, minus zero points."""
    x, weight = call.x, _weight(call, w, w_zero, 0)
    filters, _, *kernel = call.tensor(w).shapes[0] if weight is None else weight.shape
    rank, moved = len(kernel), number_of(call, _X_ZERO)
    begin, end = pads_of(call, kernel, x.dims[2:])
    is_wide = weight is None or moved is None
    if is_wide:
        # Without that: float64 holds all sums exactly.
        x, moved = _minus_zero_point(call, 0, _X_ZERO, 1), 0
    # Padding is the zero point, which stands for 0.
    if begin != end or (moved and any(begin)):
        x, begin = padded(call, x, begin, end, moved or 0), [0] * rank
    options = {"kernel": kernel, "pad": begin, "num_filter": filters, **window(call, rank)}
    options["num_group"] = call.attr("group", 1)
    if weight is None or is_wide:
        y = call.op(
            "Convolution", x, _minus_zero_point(call, w, w_zero, 0), no_bias=True, **options
        )
        return call.cast(y, "int32")
    sums = _integer_sums(call, "_contrib_quantized_conv", x, weight, **options)
    share = weight.reshape(filters, -1).sum(1, dtype=np.int64)
    return _without_zero_point(call, sums, share.reshape(1, -1, *[1] * rank))


@reader("ConvInteger")
def _conv_integer(call: Call) -> Tensor:
    return _conv_sums(call, 1, 3)


@reader("QLinearConv")
def _linear_conv(call: Call) -> Tensor:
    sums = _conv_sums(call, 3, 5)
    shape = 1, -1, *[1] * (sums.rank - 2)
    if call.has(8):
        sums = call.op("_npi_add", sums, call.reshape(call.tensor(8), *shape))
    return rounded(call, scaled(call, sums, scale_of(call, 6, shape)), 7)


# --- products of matrices -------------------------------------------------------------------------


def product_sums(call: Call, b: int, b_zero: int) -> Tensor:
    """Return the ``int32`` product of the first input and input ``b``, minus zero points."""
    weight = _weight(call, b, b_zero, -1)
    if weight is None or weight.ndim != 2 or call.x.rank < 2:  # noqa: PLR2004
        y = call.op(
            "_npi_matmul",
            _minus_zero_point(call, 0, _X_ZERO, -2),
            _minus_zero_point(call, b, b_zero, -1),
        )
        return call.cast(y, "int32")
    rows = np.ascontiguousarray(weight.T)
    options = {"num_hidden": len(rows), "flatten": False}
    sums = _integer_sums(call, "_contrib_quantized_fully_connected", call.x, rows, **options)
    return _without_zero_point(call, sums, weight.sum(0, dtype=np.int64))


@reader("MatMulInteger")
def _product_integer(call: Call) -> Tensor:
    return product_sums(call, 1, 3)


@reader("QLinearMatMul")
def _linear_product(call: Call) -> Tensor:
    sums = product_sums(call, 3, 5)
    return rounded(call, scaled(call, sums, scale_of(call, 6, (-1,))), 7)


# --- scales ---------------------------------------------------------------------------------------


def scale_of(call: Call, y: int, shape: Sequence[int]) -> Array:
    """Return the float32 factor of sums: data scale times weight scale over output scale.

    Weight scales per filter are reshaped to ``shape``. The output scale, input ``y``, is 1 if
    omitted, for floating results.
    """
    data, weight = (call.known(i, "a scale").astype(np.float32) for i in (1, 4))
    result = call.known(y, "a scale").astype(np.float32) if call.has(y) else np.ones(1, np.float32)
    if data.size > 1:
        raise call.refused("scales for each row of the data; the catalogue's sums have none")
    if weight.size > 1:
        weight = weight.reshape(shape)
    scale: Array = data.reshape(()) * weight / result.reshape(())
    return scale


def scaled(call: Call, sums: Tensor, scale: Array) -> Tensor:
    """Return sums times ``scale``, in float32."""
    y = call.cast(sums, "float32")
    if scale.size == 1:
        return call.op("_mul_scalar", y, scalar=float(scale.reshape(())), is_int=False)
    return call.op("_npi_multiply", y, call.constant(scale))
