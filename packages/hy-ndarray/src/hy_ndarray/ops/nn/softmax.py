"""Softmax and its variants."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from hy_ndarray._errors import DTypeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.elementwise.exponential import exp
from hy_ndarray.ops.families import family
from hy_ndarray.ops.record.rules import check_axis, floating, same_shape
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits, rows_across
from hy_ndarray.ops.record.types import TensorType

Floating: TypeAlias = Literal["float16", "float32", "float64"]


def _softmax_params(params: Params) -> dict[str, Any]:
    return {"axis": params["axis"], "temperature": params["temperature"]}


def _result_type(data: TensorType, axis: int, dtype: str | None) -> TensorType:
    # An array without axes is a single score: axis 0 or -1 then means itself, as in MXNet.
    if data.rank != 0 or axis not in (0, -1):
        check_axis(axis, data)
    floating(data)
    return data if dtype is None else data.with_dtype(dtype)


def _grad_softmax(saved: Saved, dy: Any) -> tuple[Any, None]:
    data, _ = saved.inputs
    return softmax_backward(dy, saved.outputs[0], data, **_softmax_params(saved.params)), None


def _independent_rows(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    """Return the positions of inputs that can be split along ``axis`` independently."""
    across = params["axis"] % ranks[0]
    # The lengths lack the axis of softmax, so that only axes before it have the same number in
    # both.
    if params["use_length"]:
        return (0, 1) if axis < across else ()
    return (0,) if axis != across else ()


@operator(
    "softmax",
    "_npx_softmax",
    active=lambda params: ("data", "length") if params["use_length"] else ("data",),
    grad=_grad_softmax,
    traits=Traits(rows=_independent_rows),
)
def softmax(
    data: TensorType,
    length: TensorType | None = None,
    *,
    axis: int = -1,
    temperature: float | None = None,
    dtype: Floating | None = None,
    use_length: bool = False,  # decides the inputs
) -> TensorType:
    """Return the softmax along ``axis``: exponentials normalized to sum to 1.

    Args:
        data: ``[*shape]``, floating.
        length: ``shape`` without ``axis``, integers; with ``use_length=True``. Positions from
            ``length`` on are treated as minus infinity.
        axis: The axis to normalize.
        temperature: Divisor of ``data`` before the exponential.
        dtype: Dtype of the result; that of ``data`` by default.
        use_length: Whether ``length`` is given.

    Raises:
        ShapeError: ``data`` has no such axis, or ``length`` has a wrong shape.
        DTypeError: ``length`` does not hold integers.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.softmax(nd.array([[1, 1, 1, 1], [9, 0, 0, 0]])).asnumpy().round(2)
        array([[0.25, 0.25, 0.25, 0.25],
               [1.  , 0.  , 0.  , 0.  ]], dtype=float32)
    """
    if length is not None:
        where = check_axis(axis, data)
        if length.dtype not in (None, "int32", "int64"):
            raise DTypeError(f"length {length.dtype} must be int32 or int64")
        if where is not None and data.shape is not None:
            length.set_shape(data.shape[:where] + data.shape[where + 1 :])
    return _result_type(data, axis, dtype)


def _grad_softmin(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    return (-softmax_backward(dy, saved.outputs[0], data, **_softmax_params(saved.params)),)


def _grad_log_softmax(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    return (log_softmax_backward(dy, saved.outputs[0], data, **_softmax_params(saved.params)),)


def _of_softmax(
    data: TensorType,
    *,
    axis: int = -1,
    temperature: float | None = None,
    dtype: Floating | None = None,
    use_length: bool = False,  # MXNet's signature has it, without the input
) -> TensorType:
    """Return the type of the result.

    Args:
        data: ``[*shape]``, floating.
        axis: The axis to normalize.
        temperature: Divisor of ``data`` before the exponential.
        dtype: Dtype of the result; that of ``data`` by default.
        use_length: Accepted and ignored.

    Raises:
        ShapeError: ``data`` has no such axis.
    """
    return _result_type(data, axis, dtype)


_softmax = family(_of_softmax, name="{}", traits=Traits(rows=rows_across("axis")))

softmin = _softmax("softmin", text="Return the softmax of ``-data``.", grad=_grad_softmin)
log_softmax = _softmax(
    "log_softmax",
    "_npx_log_softmax",
    text="Return the logarithm of the softmax along ``axis``, exact also where softmax underflows.",
    grad=_grad_log_softmax,
)


def _by_temperature(value: Any, params: Params) -> Any:
    """Return ``value`` divided by the temperature, unless that is None."""
    temperature = params["temperature"]
    return value if temperature is None else value * (1.0 / temperature)


def _grad_softmax_backward(saved: Saved, ddata: Any) -> tuple[Any, Any, None]:
    dy, output, _ = saved.inputs
    axis = saved.params["axis"]
    # The gradient to data is output (dy - sum(dy output)) / temperature.
    to_output = ddata * (dy - axis_total(dy * output, axis=axis)) - dy * axis_total(
        ddata * output, axis=axis
    )
    return (
        softmax_backward(ddata, output, dy, **saved.params),
        _by_temperature(to_output, saved.params),
        None,
    )


@operator("_softmax_backward", grad=_grad_softmax_backward)
def softmax_backward(
    dy: TensorType,
    output: TensorType,
    data: TensorType,
    *,
    axis: int = -1,
    temperature: float | None = None,
) -> TensorType:
    """Return the gradient of ``softmax`` with respect to ``data``.

    Only the type of ``data`` is used.
    """
    same_shape(dy, output, data)
    return data


def _grad_log_softmax_backward(saved: Saved, ddata: Any) -> tuple[Any, Any, None]:
    # The gradient to data is (dy - exp(output) sum(dy)) / temperature.
    dy, output, _ = saved.inputs
    axis = saved.params["axis"]
    p = exp(output)
    return (
        _by_temperature(ddata - axis_total(ddata * p, axis=axis), saved.params),
        _by_temperature(-(ddata * p * axis_total(dy, axis=axis)), saved.params),
        None,
    )


@operator("_log_softmax_backward", grad=_grad_log_softmax_backward, params_of=softmax_backward)
def log_softmax_backward(
    dy: TensorType, output: TensorType, data: TensorType, **params: Any
) -> TensorType:
    """Return the gradient of ``log_softmax`` with respect to ``data``.

    Only the type of ``data`` is used.
    """
    floating(data)
    same_shape(dy, output, data)
    return data


def _grad_softmax_activation(saved: Saved, dy: Any) -> tuple[Any]:
    axis = 1 if saved.params["mode"] == "channel" else -1
    return (softmax_backward(dy, saved.outputs[0], saved.inputs[0], axis=axis),)


@operator("SoftmaxActivation", grad=_grad_softmax_activation)
def softmax_activation(
    data: TensorType, *, mode: Literal["channel", "instance"] = "instance"
) -> TensorType:
    """Return the softmax along the last axis, or along the channels.

    Args:
        data: ``[N, C, *space]``, floating.
        mode: ``"instance"`` for the last axis, ``"channel"`` for axis 1.

    Raises:
        ShapeError: There is no such axis.
    """
    return _result_type(data, 1 if mode == "channel" else -1, None)


@operator("_axis_total", grad=gradient_by("_axis_total"))
def axis_total(data: TensorType, *, axis: int = -1) -> TensorType:
    """Return for each element the sum over ``axis``, broadcast to the shape of ``data``."""
    return data
