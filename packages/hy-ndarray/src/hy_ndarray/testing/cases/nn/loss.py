"""Cases of output layers with the gradient of a loss, and of cross entropy."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _softmax(data: Any, axis: int = -1) -> Any:
    e = np.exp(data)
    return e / e.sum(axis, keepdims=True)


def _hot(label: Any, classes: int) -> Any:
    return np.eye(classes)[label.astype(int)]


def _softmax_output(data: Any, label: Any, *, multi_output: bool = False, **_: Any) -> Any:
    return _softmax(data, 1 if multi_output else -1)


def _softmax_gradient(
    output: Any,
    label: Any,
    *,
    smooth_alpha: float = 0.0,
    use_ignore: bool = False,
    ignore_label: float = -1.0,
    normalization: str = "null",
    multi_output: bool = False,
) -> Any:
    axis = 1 if multi_output else -1
    classes = output.shape[axis]
    target = np.moveaxis(_hot(label % classes, classes), -1, axis)
    target = target * (1 - smooth_alpha) + (1 - target) * smooth_alpha / (classes - 1)
    counted = label != ignore_label
    error = (output - target) * (np.expand_dims(counted, axis) if use_ignore else 1)
    positions = label[0].size if multi_output else 1
    count = {"null": positions, "batch": positions * len(label), "valid": counted.sum()}[
        normalization
    ]
    return error / count


def _cross_entropy(data: Any, label: Any) -> Any:
    return -np.log((_softmax(data) * _hot(label, data.shape[1])).sum(1)).sum(keepdims=True)


def _svm(
    output: Any,
    label: Any,
    *,
    margin: float = 1.0,
    regularization_coefficient: float = 1.0,
    use_linear: bool = False,
) -> Any:
    sign = 1 - 2 * _hot(label, output.shape[-1])
    slack = np.maximum(margin + sign * output, 0)
    return regularization_coefficient * sign * ((slack > 0) if use_linear else 2 * slack)


_LABEL = np.array([1.0, 0.0, 2.0])
_INDICES = np.array([[1.0, 0.0], [2.0, 1.0]])

CASES = (
    OpCase("SoftmaxOutput", ((3, 4), None), _softmax_output, inputs={1: _LABEL}),
    OpCase(
        "SoftmaxOutput",
        ((2, 3, 2), None),
        _softmax_output,
        {"multi_output": True},
        inputs={1: _INDICES},
    ),
    OpCase(
        "SoftmaxOutput",
        ((2, 2, 3), None),
        _softmax_output,
        {"preserve_shape": True},
        inputs={1: _INDICES},
    ),
    *(
        OpCase("_softmax_output_backward", ((3, 4), None), _softmax_gradient, p, inputs={1: _LABEL})
        for p in (
            {},
            {"normalization": "batch", "smooth_alpha": 0.3},
            {"normalization": "valid", "ignore_label": 2.0, "use_ignore": True},
        )
    ),
    OpCase(
        "_softmax_output_backward",
        ((2, 3, 2), None),
        _softmax_gradient,
        {"multi_output": True, "normalization": "batch"},
        inputs={1: _INDICES},
    ),
    OpCase(
        "_softmax_output_backward",
        ((2, 3, 2), None),
        lambda y, t, **params: _softmax_gradient(y, t[:, 0], **params),
        {"multi_output": True, "normalization": "valid", "use_ignore": True, "ignore_label": 1.0},
        inputs={1: _INDICES[:, None]},
    ),
    OpCase("_softmax_output_backward", ((3, 4), (3, 4)), lambda y, t: y - t),
    OpCase("LinearRegressionOutput", ((3, 2), (3, 2)), lambda x, t: x),
    OpCase("LinearRegressionOutput", ((3, 1), (3,)), lambda x, t: x),
    OpCase("MAERegressionOutput", ((3, 2), (3, 2)), lambda x, t: x),
    OpCase("MAERegressionOutput", ((3, 1), (3,)), lambda x, t: x),
    OpCase("LogisticRegressionOutput", ((3, 1), (3,)), lambda x, t: 1 / (1 + np.exp(-x))),
    OpCase("LogisticRegressionOutput", ((3, 2), (3, 2)), lambda x, t: 1 / (1 + np.exp(-x))),
    OpCase(
        "_regression_backward",
        ((3, 2), (3, 2)),
        lambda y, t, **_: (y - t) * 3 / 2,
        {"grad_scale": 3.0, "sign": False},
    ),
    OpCase(
        "_regression_backward",
        ((3, 1), (3,)),
        lambda y, t, **_: np.sign(y - t[:, None]),
        {"grad_scale": 1.0, "sign": True},
    ),
    OpCase("softmax_cross_entropy", ((3, 4), None), _cross_entropy, inputs={1: _LABEL}),
    OpCase(
        "_softmax_cross_entropy_backward",
        ((1,), (3, 4), None),
        lambda dy, x, t: dy * (_softmax(x) - _hot(t, 4)),
        inputs={2: _LABEL},
    ),
    OpCase("SVMOutput", ((3, 4), None), lambda x, t: x, inputs={1: _LABEL}),
    OpCase("_svm_output_backward", ((3, 4), None), _svm, inputs={1: _LABEL}),
    OpCase(
        "_svm_output_backward",
        ((3, 4), None),
        _svm,
        {"use_linear": True, "margin": 0.5, "regularization_coefficient": 2.0},
        inputs={1: _LABEL},
    ),
    OpCase("SVMOutput", ((2, 2, 3), None), lambda x, t: x, inputs={1: _INDICES}),
    OpCase("_svm_output_backward", ((2, 2, 3), None), _svm, inputs={1: _INDICES}),
    OpCase("MakeLoss", ((3, 4),), lambda x: x),
    OpCase(
        "_make_loss_scaled_backward",
        ((3, 4),),
        lambda x, normalization, grad_scale: np.full(x.shape, 2 / 3),
        {"normalization": "batch", "grad_scale": 2.0},
    ),
    *(
        OpCase(
            "_make_loss_scaled_backward",
            (shape,),
            lambda x, normalization: np.full(x.shape, x.shape[-1] / x.size if x.ndim > 1 else 1),
            {"normalization": "batch"},
        )
        for shape in ((6,), (2, 3, 4))
    ),
    OpCase(
        "_make_loss_scaled_backward",
        ((3, 4),),
        lambda x, normalization: np.full(x.shape, 1 / 12),
        {"normalization": "valid"},
        low=0.5,
    ),
)
