"""Quantized layers, on ``int8`` and ``uint8`` arrays with the range that they represent."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from hy_ndarray._errors import ArgumentError, DTypeError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.elementwise.quantization import (
    RANGED,
    Quantized,
    calibrated,
    ranged,
    ranges,
    ranges_of,
)
from hy_ndarray.ops.indexing.take import OF_ROWS
from hy_ndarray.ops.nn.conv import convolution
from hy_ndarray.ops.nn.dense import fully_connected
from hy_ndarray.ops.nn.normalization.norm import batch_norm
from hy_ndarray.ops.nn.pool import pooling
from hy_ndarray.ops.record.params import Count, DType
from hy_ndarray.ops.record.ranges import Positive
from hy_ndarray.ops.record.rules import check_axis, same_shape
from hy_ndarray.ops.record.schema import operator
from hy_ndarray.ops.record.types import TensorType, element_count
from hy_ndarray.ops.shaping.joining import concat

Optional: TypeAlias = TensorType | None

_OUTPUTS = ("output", "min_output", "max_output")
_WITH_BIAS = (
    *("data", "weight", "bias", "min_data", "max_data"),
    *("min_weight", "max_weight", "min_bias", "max_bias"),
)


def _inputs(params: Params) -> Sequence[str]:
    return [n for n in _WITH_BIAS if "bias" not in n] if params["no_bias"] else _WITH_BIAS


def _check_8_bit(*types: Optional) -> None:
    """Raise :class:`DTypeError` unless all operands are ``int8`` or ``uint8``."""
    for t in types:
        if t is not None and t.dtype not in (None, "int8", "uint8"):
            raise DTypeError(f"{t.label}{t.dtype} must be int8 or uint8")


def _common_dtype(*types: TensorType) -> str | None:
    """Return ``uint8`` if all operands are, else ``int8``; None while a dtype is unknown."""
    dtypes = {t.dtype for t in types}
    return None if None in dtypes else "uint8" if dtypes == {"uint8"} else "int8"


def _result_of_both(
    lhs: TensorType, rhs: TensorType, low: float | None, high: float | None
) -> TensorType:
    """Return the type of a sum or product: 8-bit integers in a calibrated range, else ``int32``."""
    same_shape(lhs, rhs)
    _check_8_bit(lhs, rhs)
    return lhs.with_dtype(_common_dtype(lhs, rhs) if calibrated(low, high) else "int32")


def _products(params: Params) -> Sequence[str]:
    return _OUTPUTS[:1] if params["enable_float_output"] else _OUTPUTS


def _type_by_rule(rule: Any, *types: Optional, **params: Any) -> TensorType:
    """Return the result of the floating-point layer's type rule, with dtypes unknown."""
    shapes = [None if t is None else t.with_dtype(None) for t in types]
    # Messages of errors name the input.
    for shape, t in zip(shapes, types, strict=True):
        if shape is not None and t is not None:
            shape.name = t.name
    result: TensorType = rule.op.rule(*shapes, **params)
    return result


def _quantized_layer(
    data: TensorType, weight: TensorType, bias: Optional, filters: int, *ends: Optional
) -> None:
    _check_8_bit(data)
    weight.set_dtype("int8")
    if bias is not None:
        bias.set_dtype("int8")
    of_data, of_weight, of_bias = ends[:2], ends[2:4], ends[4:]
    ranges(*(end for end in (*of_data, *of_bias) if end is not None))
    ranges_of(filters, *(end for end in of_weight if end is not None))


@operator("_contrib_quantized_fully_connected", active=_inputs, outputs=_OUTPUTS)
def quantized_fully_connected(
    data: TensorType,
    weight: TensorType,
    bias: Optional = None,
    min_data: Optional = None,
    max_data: Optional = None,
    min_weight: Optional = None,
    max_weight: Optional = None,
    min_bias: Optional = None,
    max_bias: Optional = None,
    *,
    num_hidden: Positive,
    no_bias: bool = False,
    flatten: bool = True,
) -> Quantized:
    """Return ``FullyConnected`` of 8-bit integers, accumulated in ``int32``.

    Args:
        data: ``[N, *rest]``, ``int8`` or ``uint8``; with ``flatten=False`` ``[*batch, I]``.
        weight: ``[num_hidden, I]``, ``int8``.
        bias: ``[num_hidden]``, ``int8``, rescaled to the unit of the accumulators.
        min_data: ``[1]``, the least number that ``data`` can represent.
        max_data: ``[1]``, the greatest number that ``data`` can represent.
        min_weight: Least number of ``weight``: ``[1]``, or ``[num_hidden]`` for one per row.
        max_weight: Greatest number of ``weight``, in the shape of ``min_weight``.
        min_bias: ``[1]``, the least number that ``bias`` can represent.
        max_bias: ``[1]``, the greatest number that ``bias`` can represent.
        num_hidden: Size of the result's last axis.
        no_bias: Whether there is neither a bias nor a range for it.
        flatten: Whether to flatten all axes but the first.

    Returns:
        The accumulators, ``int32``, and the ends of the range that ``int32`` represents.

    Raises:
        ShapeError: ``weight`` or ``bias`` does not match ``data`` and ``num_hidden``.
    """
    ends = (min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    _quantized_layer(data, weight, bias, num_hidden, *ends)
    options: dict[str, Any] = {"num_hidden": num_hidden, "no_bias": no_bias, "flatten": flatten}
    y = _type_by_rule(fully_connected, data, weight, bias, **options)
    return ranged(y.with_dtype("int32"))


@operator("_contrib_quantized_conv", active=_inputs, outputs=_OUTPUTS, params_of=convolution)
def quantized_conv(  # noqa: D417  # the parameters are inherited
    data: TensorType,
    weight: TensorType,
    bias: Optional = None,
    min_data: Optional = None,
    max_data: Optional = None,
    min_weight: Optional = None,
    max_weight: Optional = None,
    min_bias: Optional = None,
    max_bias: Optional = None,
    **params: Any,
) -> Quantized:
    """Return ``Convolution`` of 8-bit integers, accumulated in ``int32``.

    Args:
        data: ``[N, C, *space]`` or the layout's order, ``int8`` or ``uint8``.
        weight: ``[num_filter, C / num_group, *kernel]``, ``int8``.
        bias: ``[num_filter]``, ``int8``, rescaled to the unit of the accumulators.
        min_data: ``[1]``, the least number that ``data`` can represent.
        max_data: ``[1]``, the greatest number that ``data`` can represent.
        min_weight: Least number of ``weight``: ``[1]``, or ``[num_filter]`` for one per filter.
        max_weight: Greatest number of ``weight``, in the shape of ``min_weight``.
        min_bias: ``[1]``, the least number that ``bias`` can represent.
        max_bias: ``[1]``, the greatest number that ``bias`` can represent.
        kernel: Size of the window along each spatial axis.
        stride: Step between windows along each axis; 1 by default.
        dilate: Step between the elements of a window along each axis; 1 by default.
        pad: Zeros added at both ends of each spatial axis; none by default.
        num_filter: Number of output channels.
        num_group: Number of groups of channels and filters.
        workspace: Accepted and ignored.
        no_bias: Whether there is neither a bias nor a range for it.
        cudnn_tune: Accepted and ignored.
        cudnn_off: Accepted and ignored.
        layout: Order of the axes, ``NCW``, ``NCHW`` or ``NCDHW`` by default.

    Returns:
        The accumulators, ``int32``, and the ends of the range that ``int32`` represents.

    Raises:
        ShapeError: The operands are incompatible, or no window fits.
    """
    ends = (min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    _quantized_layer(data, weight, bias, params["num_filter"], *ends)
    y = _type_by_rule(convolution, data, weight, bias, **params)
    return ranged(y.with_dtype("int32"))


@operator("_contrib_quantized_pooling", outputs=_OUTPUTS, params_of=pooling)
def quantized_pooling(
    data: TensorType, min_data: TensorType, max_data: TensorType, **params: Any
) -> Quantized:
    """Return ``Pooling`` of 8-bit integers: maxima, or rounded averages.

    The parameters are those of ``Pooling``; ``data`` is ``int8`` or ``uint8`` and keeps its range.

    Raises:
        ArgumentError: ``pool_type`` is neither ``"max"`` nor ``"avg"``, whose results alone are in
            the range of ``data``.
        ShapeError: ``data`` has other axes, or is smaller than the window.
    """
    if params["pool_type"] not in ("max", "avg"):
        raise ArgumentError(f"pool_type={params['pool_type']!r} must be 'max' or 'avg'")
    _check_8_bit(data)
    ranges(min_data, max_data)
    y = _type_by_rule(pooling, data, **params)
    return ranged(data.with_shape(y.shape))


@operator("_contrib_quantized_act", outputs=_OUTPUTS)
def quantized_act(
    data: TensorType,
    min_data: TensorType,
    max_data: TensorType,
    *,
    act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"],
) -> Quantized:
    """Return ReLU of 8-bit integers; dtype and range do not change.

    Raises:
        ArgumentError: ``act_type`` is not ``"relu"``.
    """
    if act_type != "relu":
        raise ArgumentError(f"act_type={act_type!r} must be 'relu'")
    _check_8_bit(data)
    ranges(min_data, max_data)
    return ranged(data)


@operator("_contrib_quantized_flatten", outputs=_OUTPUTS)
def quantized_flatten(data: TensorType, min_data: TensorType, max_data: TensorType) -> Quantized:
    """Return quantized ``data`` with all axes but the first flattened; the range does not change.

    Args:
        data: ``[N, *rest]``.
        min_data: ``[1]``, the least number that ``data`` can represent.
        max_data: ``[1]``, the greatest number that ``data`` can represent.

    Returns:
        ``[N, the product of rest]``, and the range.
    """
    ranges(min_data, max_data)
    if data.shape is None:
        return ranged(data.with_shape(None))
    if not data.shape:
        raise ShapeError(f"{data!r} must have at least one axis")
    return ranged(data.with_shape((data.shape[0], element_count(data.shape[1:]))))


@operator("_contrib_quantized_concat", outputs=_OUTPUTS)
def quantized_concat(*data: TensorType, num_args: Count, dim: int = 1) -> Quantized:
    """Return the concatenation of quantized arrays, converted to a common range.

    Args:
        data: The arrays, ``int8`` or ``uint8``, then the ends of the range of each:
            ``a, b, min_a, max_a, min_b, max_b``.
        num_args: Number of arrays, not counting the ends of their ranges.
        dim: The axis; a negative one counts from the end.

    Returns:
        The concatenated array, ``uint8`` if all arrays are, else ``int8``, and the ends of a range
        that contains the ranges of all arrays.

    Raises:
        ArgumentError: There are not two ends of a range for each array.
        ShapeError: The other axes differ, or there is no axis ``dim``.
    """
    if num_args < 1 or len(data) != 3 * num_args:
        raise ArgumentError(
            f"num_args={num_args} needs {3 * num_args} inputs (arrays, minima, maxima), got "
            f"{len(data)}"
        )
    arrays, ends = data[:num_args], data[num_args:]
    _check_8_bit(*arrays)
    ranges(*ends)
    y = _type_by_rule(concat, *arrays, dim=dim)
    return ranged(y.with_dtype(_common_dtype(*arrays)))


@operator("_contrib_quantized_elemwise_add", outputs=_OUTPUTS, traits=RANGED)
def quantized_elemwise_add(
    lhs: TensorType,
    rhs: TensorType,
    lhs_min: TensorType,
    lhs_max: TensorType,
    rhs_min: TensorType,
    rhs_max: TensorType,
    *,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> Quantized:
    """Return the sum of two quantized arrays, whose ranges may differ.

    Args:
        lhs: ``[*S]``, ``int8`` or ``uint8``.
        rhs: ``[*S]``, ``int8`` or ``uint8``.
        lhs_min: ``[1]``, the least number that ``lhs`` can represent.
        lhs_max: ``[1]``, the greatest number that ``lhs`` can represent.
        rhs_min: ``[1]``, the least number that ``rhs`` can represent.
        rhs_max: ``[1]``, the greatest number that ``rhs`` can represent.
        min_calib_range: The least sum to represent; ``int32`` sums by default.
        max_calib_range: The greatest number to represent.

    Returns:
        The sum and the ends of its range. With a calibrated range, 8-bit integers: ``uint8`` if
        both operands are, else ``int8``; by default ``int32``, over a range that holds every sum.

    Raises:
        ArgumentError: The minimum of the range exceeds its maximum.
        ShapeError: The shapes differ.
    """
    y = _result_of_both(lhs, rhs, min_calib_range, max_calib_range)
    ranges(lhs_min, lhs_max, rhs_min, rhs_max)
    return ranged(y)


@operator("_contrib_quantized_elemwise_mul", outputs=_products, traits=RANGED)
def quantized_elemwise_mul(
    lhs: TensorType,
    rhs: TensorType,
    lhs_min: TensorType,
    lhs_max: TensorType,
    rhs_min: TensorType,
    rhs_max: TensorType,
    *,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    enable_float_output: bool = False,
) -> Quantized | TensorType:
    """Return the product of two quantized arrays, whose ranges may differ.

    Args:
        lhs: ``[*S]``, ``int8`` or ``uint8``.
        rhs: ``[*S]``, ``int8`` or ``uint8``.
        lhs_min: ``[1]``, the least number that ``lhs`` can represent.
        lhs_max: ``[1]``, the greatest number that ``lhs`` can represent.
        rhs_min: ``[1]``, the least number that ``rhs`` can represent.
        rhs_max: ``[1]``, the greatest number that ``rhs`` can represent.
        min_calib_range: The least product to represent; ``int32`` products by default.
        max_calib_range: The greatest number to represent.
        enable_float_output: Return the product as ``float32``, without a range.

    Returns:
        The product and the ends of its range. With a calibrated range, 8-bit integers: ``uint8`` if
        both operands are, else ``int8``; by default ``int32``, over the range that ``int32``
        represents. A ``float32`` product has no range.

    Raises:
        ArgumentError: The minimum of the range exceeds its maximum.
        ShapeError: The shapes differ.
    """
    y = _result_of_both(lhs, rhs, min_calib_range, max_calib_range)
    ranges(lhs_min, lhs_max, rhs_min, rhs_max)
    return y.with_dtype("float32") if enable_float_output else ranged(y)


@operator(
    "_contrib_quantized_batch_norm",
    outputs=_OUTPUTS,
    aux=("moving_mean", "moving_var"),
    traits=RANGED,
    params_of=batch_norm,
)
def quantized_batch_norm(  # noqa: D417  # the parameters are inherited
    data: TensorType,
    gamma: TensorType,
    beta: TensorType,
    moving_mean: TensorType,
    moving_var: TensorType,
    min_data: TensorType,
    max_data: TensorType,
    **params: Any,
) -> Quantized:
    """Return ``BatchNorm`` of 8-bit integers, with the moving averages as in prediction.

    Args:
        data: ``[*shape]``, ``int8`` or ``uint8``, ``C`` channels along ``axis``.
        gamma: ``[C]``, float32.
        beta: ``[C]``, float32.
        moving_mean: ``[C]``, float32, auxiliary state.
        moving_var: ``[C]``, float32, auxiliary state.
        min_data: ``[1]``, the least number that ``data`` can represent.
        max_data: ``[1]``, the greatest number that ``data`` can represent.
        eps: Added to the variance.
        momentum: Accepted and ignored.
        fix_gamma: Treat ``gamma`` as ones.
        use_global_stats: Accepted and ignored.
        output_mean_var: Accepted and ignored.
        axis: The axis of the channels.
        cudnn_off: Accepted and ignored.
        min_calib_range: The least result to represent; the minimum of the results by default.
        max_calib_range: The greatest number to represent.

    Returns:
        ``int8`` of the shape of ``data``, and the range.

    Raises:
        ArgumentError: The minimum of the range exceeds its maximum.
        ShapeError: ``data`` has no such axis, or an operand has not one element per channel.
    """
    _check_8_bit(data)
    ranges(min_data, max_data)
    where = check_axis(params["axis"], data)
    for vector in (gamma, beta, moving_mean, moving_var):
        vector.set_dtype("float32")
        if where is not None and data.shape is not None:
            vector.set_shape((data.shape[where],))
    calibrated(params["min_calib_range"], params["max_calib_range"])
    return ranged(data.with_dtype("int8"))


@operator("_contrib_quantized_embedding", outputs=_OUTPUTS, traits=OF_ROWS)
def quantized_embedding(
    data: TensorType,
    weight: TensorType,
    min_weight: TensorType,
    max_weight: TensorType,
    *,
    input_dim: Positive,
    output_dim: Positive,
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
    sparse_grad: bool = False,
) -> Quantized:
    """Return the row of a quantized ``weight`` for each index; the range does not change.

    Args:
        data: ``[*I]``, any dtype; indices out of range are clipped.
        weight: ``[input_dim, output_dim]``, ``int8``.
        min_weight: ``[1]``, the least number that ``weight`` can represent.
        max_weight: ``[1]``, the greatest number that ``weight`` can represent.
        input_dim: Number of rows.
        output_dim: Length of a row.
        dtype: Accepted and ignored; rows are ``int8``.
        sparse_grad: Accepted and ignored.

    Returns:
        ``[*I, output_dim]``, and the range.

    Raises:
        ShapeError: ``weight`` is not ``[input_dim, output_dim]``.
    """
    weight.set_shape((input_dim, output_dim))
    weight.set_dtype("int8")
    ranges(min_weight, max_weight)
    shape = None if data.shape is None else (*data.shape, output_dim)
    return ranged(weight.with_shape(shape))
