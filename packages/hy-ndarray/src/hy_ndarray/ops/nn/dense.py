"""The fully connected layer."""

from collections.abc import Sequence
from math import prod
from typing import Any, cast

from hy_ndarray._errors import ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import Bilinear
from hy_ndarray.ops.elementwise.broadcast import sum_like
from hy_ndarray.ops.record.ranges import Positive
from hy_ndarray.ops.record.rules import expect_axes, expect_rank, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Quantized, Traits, rows_of_dense
from hy_ndarray.ops.record.types import TensorType, show

_QUANTIZED = Quantized(
    "_contrib_quantized_fully_connected",
    weights=("weight", "bias"),
    by_filter=("weight",),
    sums=True,
    is_profitable=True,
)


def _grad(saved: Saved, dy: Any) -> tuple[Any, ...]:
    data, weight, bias = saved.inputs
    flatten = saved.params["flatten"]
    wants = saved.wants
    return (
        fully_connected_backward_data(dy, weight, data, flatten=flatten) if wants(0) else None,
        fully_connected_backward_weight(dy, data, weight, flatten=flatten) if wants(1) else None,
        sum_like(dy, bias) if bias is not None and wants(2) else None,
    )


def _infer_data(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    """Infer the batch axes of ``data`` from the shape of the result."""
    data, known = inputs[0], outputs[0].shape
    if data.shape is None or known is None:
        return
    if params["flatten"]:
        data.set_shape((known[0], *data.shape[1:]))
    else:
        data.set_shape((*known[:-1], data.shape[-1]))


@operator(
    "FullyConnected",
    "_npx_fully_connected",
    "_sparse_FullyConnected",
    active=lambda params: ("data", "weight") if params["no_bias"] else ("data", "weight", "bias"),
    grad=_grad,
    back=_infer_data,
    traits=Traits(rows=rows_of_dense, quantized=_QUANTIZED),
)
def fully_connected(
    data: TensorType,
    weight: TensorType,
    bias: TensorType | None = None,
    *,
    num_hidden: Positive,
    no_bias: bool = False,  # decides the inputs
    flatten: bool = True,
) -> TensorType:
    """Return ``data · weightᵀ + bias``.

    Args:
        data: ``[N, *rest]``, floating; ``[*batch, I]`` with ``flatten=False``.
        weight: ``[num_hidden, I]``, where ``I`` is the product of ``rest``.
        bias: ``[num_hidden]``; left out with ``no_bias=True``.
        num_hidden: Size of the result's last axis.
        no_bias: Whether there is no bias.
        flatten: Whether to flatten all axes but the first.

    Returns:
        ``[N, num_hidden]``; with ``flatten=False`` ``[*batch, num_hidden]``.

    Raises:
        ShapeError: ``weight`` or ``bias`` does not match ``data`` and ``num_hidden``.

    Example:
        >>> from hy_ndarray import nd
        >>> x, w, b = nd.array([[1, 2]]), nd.array([[3, 4], [5, 6]]), nd.array([1, 1])
        >>> nd.FullyConnected(x, w, b, num_hidden=2).asnumpy()
        array([[12., 18.]], dtype=float32)
    """
    return _result_type(data, weight, bias, num_hidden, flatten)


def _result_type(
    data: TensorType,
    weight: TensorType,
    bias: TensorType | None,
    num_hidden: int | None,
    flatten: bool,
) -> TensorType:
    same_dtype(data, weight, bias)
    expect_axes(data, 1)
    if data.shape is None:
        return data.with_shape(None)
    # Before the features are checked: num_hidden is known even if those of ``data`` are not.
    weight.set_shape((num_hidden, None))
    if bias is not None:
        bias.set_shape((num_hidden,))
    rest = data.shape[1:] if flatten else data.shape[-1:]
    if None not in rest:
        size = prod(cast("tuple[int, ...]", rest))
        try:
            weight.set_shape((num_hidden, size))
        except ShapeError as error:
            taken = weight.shape[1] if weight.shape is not None else None
            raise ShapeError(
                f"{error}: data {show(data.shape)} has {size} features, the weight takes {taken}"
            ) from None
    leading = data.shape[:1] if flatten else data.shape[:-1]
    return data.with_shape((*leading, num_hidden))


_PROJECT = Bilinear()


@operator("_fully_connected_project", grad=_PROJECT.grad)
def project(data: TensorType, weight: TensorType, *, flatten: bool = True) -> TensorType:
    """Return ``FullyConnected`` without bias; ``weight`` has ``num_hidden`` rows."""
    expect_rank(weight, 2)
    return _result_type(
        data, weight, None, None if weight.shape is None else weight.shape[0], flatten
    )


fully_connected_backward_data, fully_connected_backward_weight = _PROJECT.gradients_of(
    project, "fully_connected"
)
