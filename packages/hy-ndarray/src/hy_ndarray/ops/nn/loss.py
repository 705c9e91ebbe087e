"""Output layers, whose gradient is that of a loss, and cross entropy.

The forward pass of an output layer returns the prediction; its backward pass returns the gradient
of a loss against the label, and ignores the gradient of the output.
"""

from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np

from hy_ndarray._errors import ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.families import family
from hy_ndarray.ops.record.indices import Indices, Others, Shapes, Values, along
from hy_ndarray.ops.record.ranges import Probability
from hy_ndarray.ops.record.rules import (
    expect_axes,
    expect_rank,
    floating,
    like_result,
    same_dtype,
    same_shape,
)
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import IDENTITY, Traits
from hy_ndarray.ops.record.types import PartialShape, TensorType, show

Normalization: TypeAlias = Literal["batch", "null", "valid"]


# --- regression ------------------------------------------------------------------------------


def _regression(data: TensorType, label: TensorType) -> TensorType:
    """Check that ``label`` has the shape of ``data``, or ``[N]`` for one output per sample."""
    same_dtype(data, label)
    if label.shape is None and data.shape is not None and data.rank == 2 and data.shape[1] == 1:
        label.set_shape(data.shape[:1])
    elif data.sizes is not None and label.sizes is not None and data.rank != label.rank:
        if prod(data.sizes) != prod(label.sizes) or data.sizes[:1] != label.sizes[:1]:
            raise ShapeError(f"{label!r} must have one value for each element of {data!r}")
    elif data.rank == label.rank or label.shape is None:
        same_shape(data, label)
    return data


def _grad_difference(saved: Saved, _: Any) -> tuple[Any, None]:
    scale = saved.params["grad_scale"]
    return (
        regression_backward(saved.outputs[0], saved.inputs[1], grad_scale=scale, sign=False),
        None,
    )


def _grad_sign(saved: Saved, _: Any) -> tuple[Any, None]:
    scale = saved.params["grad_scale"]
    return regression_backward(saved.outputs[0], saved.inputs[1], grad_scale=scale, sign=True), None


def _of_regression(data: TensorType, label: TensorType, *, grad_scale: float = 1.0) -> TensorType:
    """Return the type of ``data``.

    Args:
        data: ``[N, *outputs]``, floating.
        label: {note} in the shape of ``data``; ``[N]`` if there is one output per sample.
        grad_scale: Multiplies the gradient, which is divided by the number of outputs per sample.

    Raises:
        ShapeError: ``label`` does not have one value per output.
    """
    return _regression(data, label)


_output = family(_of_regression, kernel="{}_regression_output", ignored="*", ignores_head_grad=True)

linear_regression_output = _output(
    "linear",
    "LinearRegressionOutput",
    "_sparse_LinearRegressionOutput",
    text="Return ``data``; the gradient is that of ``(data - label)² / 2``.",
    note="Numbers",
    grad=_grad_difference,
    traits=Traits(identity=True),
)
logistic_regression_output = _output(
    "logistic",
    "LogisticRegressionOutput",
    "_sparse_LogisticRegressionOutput",
    text="Return ``sigmoid(data)``; the gradient is that of its cross entropy with ``label``.",
    note="Probabilities",
    grad=_grad_difference,
)
mae_regression_output = _output(
    "mae",
    "MAERegressionOutput",
    "_sparse_MAERegressionOutput",
    text="Return ``data``; the gradient is that of ``|data - label|``.",
    note="Numbers",
    grad=_grad_sign,
    traits=Traits(identity=True),
)


@operator("_regression_backward")
def regression_backward(
    output: TensorType, label: TensorType, *, grad_scale: float, sign: bool
) -> TensorType:
    """Return ``output - label``, or its sign, times ``grad_scale`` per output."""
    return _regression(output, label)


# --- classification --------------------------------------------------------------------------


def _grad_softmax_output(saved: Saved, dy: Any) -> tuple[Any, None]:
    params = {name: value for name, value in saved.params.items() if name != "out_grad"}
    gradient = softmax_output_backward(saved.outputs[0], saved.inputs[1], **params)
    return (gradient * dy if saved.params["out_grad"] else gradient), None


def _check_label(data: PartialShape, label: TensorType, multi_output: bool) -> None:
    """Check that ``label`` has one class per sample or position, or the shape of ``data``."""
    if not multi_output:
        label.set_shape(data if label.rank == len(data) else data[:-1])
        return
    space = data[2:]
    # MXNet takes labels of positions in three shapes, and keeps probabilities in that of the data.
    known = [n for n in space if n is not None]
    flat = (data[0], prod(known) if len(known) == len(space) else None)
    if label.shape is None:
        label.set_shape(flat)
        return
    forms = (data, flat, (data[0], *space), (data[0], 1, *space))
    for form in forms:
        if len(form) == label.rank and all(
            None in sizes or sizes[0] == sizes[1] for sizes in zip(form, label.shape, strict=True)
        ):
            label.set_shape(form)
            return
    wanted = " or ".join(dict.fromkeys(map(show, forms)))
    raise ShapeError(f"{label.label}{show(label.shape)} must be {wanted}")


@operator("SoftmaxOutput", "Softmax", grad=_grad_softmax_output, ignores_head_grad=True)
def softmax_output(
    data: TensorType,
    label: TensorType,
    *,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: Normalization = "null",
    out_grad: bool = False,
    smooth_alpha: Probability = 0.0,
) -> TensorType:
    """Return the softmax of ``data``; the gradient is that of the cross entropy with ``label``.

    Args:
        data: ``[N, C]``, floating; ``[N, C, *space]`` with ``multi_output=True``; ``[*rows, C]``
            with ``preserve_shape=True``.
        label: Class numbers, ``[N]``, ``[*rows]``, or, with ``multi_output=True``,
            ``[N, *space]``, ``[N, 1, *space]`` or ``[N, positions]``; or probabilities in the shape
            of ``data``.
        grad_scale: Multiplies the gradient.
        ignore_label: Samples with this label have a zero gradient, with ``use_ignore=True``.
        multi_output: Whether there is a label for each position, and the classes are axis 1.
        use_ignore: Whether ``ignore_label`` has an effect.
        preserve_shape: Whether the classes are the last axis, and all other axes samples.
        normalization: Divisor of the gradient: ``"batch"``, the number of samples; ``"valid"``, the
            number of labels that are not ignored; ``"null"``, 1. With ``multi_output`` the gradient
            is also divided by the number of positions, except for ``"valid"``.
        out_grad: Multiply by the gradient of the output, which is ignored otherwise.
        smooth_alpha: Label smoothing: the probability that is given to the other classes.

    Raises:
        ShapeError: ``label`` does not match ``data``.
    """
    floating(data, label)
    if data.shape is None:
        return data
    if len(data.shape) < 2:
        raise ShapeError(f"{data!r} must have at least 2 axes")
    _check_label(data.shape, label, multi_output)
    return data


def _label_count(shapes: Shapes, params: Params) -> int | None:
    """Return the number of classes; None if labels are probabilities."""
    output = shapes["output"]
    if shapes["label"] == output:
        return None
    if params["multi_output"]:
        return output[1]
    return output[-1] if params["preserve_shape"] else prod(output[1:])


def _ignored_labels(values: Values, others: Others, params: Params) -> Values:
    """Return a mask of labels that are ignored, or beyond one per sample and so not read."""
    output = others("output")
    assert output is not None
    shape = output.shape
    count = prod(shape[:1] if not params["preserve_shape"] else shape[:-1])
    if params["multi_output"]:
        count = shape[0] * prod(shape[2:])
    unread = np.arange(values.size).reshape(values.shape) >= count
    if not params["use_ignore"]:
        return unread
    ignored: Values = unread | (values == params["ignore_label"])
    return ignored


@operator(
    "_softmax_output_backward",
    traits=Traits(indices=(Indices("label", _label_count, _ignored_labels, of="SoftmaxOutput"),)),
)
def softmax_output_backward(
    output: TensorType,
    label: TensorType,
    *,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: Normalization = "null",
    smooth_alpha: Probability = 0.0,
) -> TensorType:
    """Return the gradient of the cross entropy with respect to the input of softmax."""
    like_result(output, softmax_output, output, label, multi_output=multi_output)
    return output


@operator(
    "softmax_cross_entropy",
    grad=gradient_by("_softmax_cross_entropy_backward", 0, 1),
    traits=Traits(indices=(Indices("label", along("data", 1)),)),
)
def softmax_cross_entropy(data: TensorType, label: TensorType) -> TensorType:
    """Return the sum over all samples of ``-log softmax(data)[label]``.

    Args:
        data: ``[N, C]``, floating.
        label: ``[N]``, class numbers.

    Returns:
        ``[1]``.

    Raises:
        ShapeError: ``data`` does not have two axes, or ``label`` does not match it.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.softmax_cross_entropy(nd.array([[0, 0]]), nd.array([1])).asnumpy().round(4)
        array([0.6931], dtype=float32)
    """
    expect_rank(data, 2)
    floating(data, label)
    if data.shape is not None:
        label.set_shape(data.shape[:1])
    return data.with_shape((1,))


@operator("_softmax_cross_entropy_backward")
def softmax_cross_entropy_backward(
    dy: TensorType, data: TensorType, label: TensorType
) -> TensorType:
    """Return the gradient of ``softmax_cross_entropy`` with respect to ``data``."""
    like_result(dy, softmax_cross_entropy, data, label)
    return data


def _grad_svm(saved: Saved, _: Any) -> tuple[Any, None]:
    data, label = saved.inputs
    return svm_output_backward(data, label, **saved.params), None


@operator("SVMOutput", grad=_grad_svm, ignores_head_grad=True, traits=Traits(identity=True))
def svm_output(
    data: TensorType,
    label: TensorType,
    *,
    margin: float = 1.0,
    regularization_coefficient: float = 1.0,
    use_linear: bool = False,
) -> TensorType:
    """Return ``data``; the gradient is that of one-vs-rest hinge losses, squared by default.

    Args:
        data: ``[*rows, C]``, floating.
        label: ``[*rows]``, class numbers.
        margin: Distance of a score from zero, on the correct side, from which there is no loss.
        regularization_coefficient: Multiplies the gradient.
        use_linear: Use the hinge loss; the squared hinge loss by default.

    Raises:
        ShapeError: ``label`` does not match ``data``.
    """
    expect_axes(data, 1)
    same_dtype(data, label)
    if data.shape is not None:
        label.set_shape(data.shape[:-1])
    return data


@operator(
    "_svm_output_backward",
    traits=Traits(indices=(Indices("label", along("output", 1), of="SVMOutput"),)),
    params_of=svm_output,
)
def svm_output_backward(output: TensorType, label: TensorType, **params: Any) -> TensorType:
    """Return the gradient of the (squared) hinge loss of each class against the others."""
    like_result(output, svm_output, output, label, **params)
    return output


# --- any loss --------------------------------------------------------------------------------


def _grad_make_loss(saved: Saved, _: Any) -> tuple[Any]:
    return (make_loss_scaled_backward(saved.inputs[0], **saved.params),)


@operator("MakeLoss", grad=_grad_make_loss, ignores_head_grad=True, traits=IDENTITY)
def make_loss_scaled(
    data: TensorType,
    *,
    grad_scale: float = 1.0,
    valid_thresh: float = 0.0,
    normalization: Normalization = "null",
) -> TensorType:
    """Return ``data`` as a loss: its gradient is ``grad_scale``, divided as specified.

    Args:
        data: ``[*rows, C]``, floating.
        grad_scale: The gradient of each element.
        valid_thresh: Elements above it are valid.
        normalization: Divisor of the gradient: ``"batch"``, the number of rows, which is 1 for
            data of one axis; ``"valid"``, the number of valid elements; ``"null"``, 1.
    """
    return data


@operator("_make_loss_scaled_backward", params_of=make_loss_scaled)
def make_loss_scaled_backward(data: TensorType, **params: Any) -> TensorType:
    """Return the gradient of ``MakeLoss``."""
    return data
