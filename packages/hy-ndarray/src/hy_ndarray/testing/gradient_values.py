"""Expected values of gradient operators: numerical derivatives of the forward operators.

The forward operators are tested against expected values of their own, so that nothing is compared
with itself. Derivatives are fourth-order central differences in float64, accurate to about ten
digits.
"""

from collections.abc import Callable, Sequence
from math import pi, prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray import NDArray, nd, ops

__all__ = ["GRADIENTS"]

Array: TypeAlias = npt.NDArray[Any]
Expected: TypeAlias = Callable[..., Any]

_STEPS = ((1, 8 / 12), (-1, -8 / 12), (2, -1 / 12), (-2, 1 / 12))
_CURVED, _STRAIGHT = 1e-3, 1e-5  # steps: of smooth functions, of those straight between kinks


def _evaluated(op: str, inputs: Sequence[Any], **params: Any) -> list[Array]:
    """Return an operator's results as numpy arrays."""
    record = ops.find(op)
    arrays = [None if x is None else nd.array(x, dtype=np.asarray(x).dtype) for x in inputs]
    arrays += [None] * (0 if record.variadic else len(record.inputs) - len(arrays))
    outputs = NDArray.apply_operator(record, arrays, record.parse(params), False)
    return [y.asnumpy() for y in (outputs if isinstance(outputs, list) else [outputs])]


def _pulled_back(
    function: Callable[..., Sequence[Array]],
    heads: Sequence[Any],
    inputs: Sequence[Any],
    where: Sequence[int],
    step: float,
) -> Any:
    """Return the numerical gradients of ``Σ heads · results`` with respect to inputs ``where``."""

    def total(values: Sequence[Any]) -> float:
        pairs = zip(function(*values), heads, strict=False)
        return float(sum((y * head).sum() for y, head in pairs if head is not None))

    gradients = []
    for i in where:
        gradient = np.zeros(inputs[i].shape)
        for index in np.ndindex(inputs[i].shape):
            for times, share in _STEPS:
                moved = [np.array(x) if j == i else x for j, x in enumerate(inputs)]
                moved[i][index] += times * step
                gradient[index] += share / step * total(moved)
        gradients.append(gradient)
    return gradients[0] if len(gradients) == 1 else tuple(gradients)


def _numerical(
    op: str,
    order: Sequence[int],
    *where: int,
    params: Callable[..., dict[str, Any]] = lambda *_, **keywords: keywords,
    step: float = _CURVED,
) -> Expected:
    """Return the function that computes the expected gradients of an operator numerically."""

    def expected(*operands: Any, **keywords: Any) -> Any:
        inputs = [operands[k] for k in order if k < len(operands)]
        resolved = params(*operands, **keywords)
        wrt = [i for i in where if i < len(inputs)]

        def function(*values: Any) -> list[Array]:
            return _evaluated(op, values, **resolved)

        return _pulled_back(function, operands[:1], inputs, wrt, step)

    return expected


# --- parameters that gradients leave out, because arrays tell them -----------------------------


def _convolution(weight: int) -> Callable[..., dict[str, Any]]:
    def params(*operands: Any, **keywords: Any) -> dict[str, Any]:
        shape = operands[weight].shape
        return {"kernel": shape[2:], "num_filter": shape[0], "no_bias": True, **keywords}

    return params


def _deconvolution(weight: int) -> Callable[..., dict[str, Any]]:
    def params(*operands: Any, **keywords: Any) -> dict[str, Any]:
        shape = operands[weight].shape
        filters = shape[1] * keywords.get("num_group", 1)
        return {"kernel": shape[2:], "num_filter": filters, "no_bias": True, **keywords}

    return params


def _resize(dy: Any, data: Any, **keywords: Any) -> dict[str, Any]:
    return {"height": dy.shape[2], "width": dy.shape[3], **keywords}


def _pooled(dy: Any, data: Any) -> dict[str, Any]:
    return {"output_size": dy.shape[2:]}


def _grid(dy: Any, data: Any, **keywords: Any) -> dict[str, Any]:
    flows = keywords["transform_type"] == "warp"
    return keywords if flows else {"target_shape": dy.shape[2:], **keywords}


def _prelu(*_: Any, **keywords: Any) -> dict[str, Any]:
    return {"act_type": "prelu", **keywords}


def _up_sampling(dy: Any, *data: Any, parts: int, **keywords: Any) -> Any:
    scale = dy.shape[2] // data[0].shape[2]
    options = {"scale": scale, "sample_type": "nearest", "num_args": parts, **keywords}

    def function(*values: Any) -> list[Array]:
        return _evaluated("UpSampling", values, **options)

    return _pulled_back(function, [dy], data, range(len(data)), _CURVED)


# --- formulas ----------------------------------------------------------------------------------


def _curve(data: Any, *, act_type: str, slope: float) -> Any:
    """Return the second derivative of an activation of ``LeakyReLU`` at each element."""
    if act_type == "leaky":
        return np.zeros_like(data)
    if act_type == "gelu":
        return np.exp(-(data**2) / 2) / np.sqrt(2 * pi) * (2 - data**2)
    factor = slope if act_type == "elu" else 1.0507009873554804934 * 1.6732632423543772848
    return np.where(data > 0, 0, factor * np.exp(np.minimum(data, 0)))


def _tensor_inverse(dy: Any, y: Any, a: Any) -> Any:
    """Return ``-(Yᵀ dY Yᵀ)`` of the matrices."""
    size = prod(y.shape[1:])
    inverse, slope = y.reshape(size, size), dy.reshape(size, size)
    return -(inverse.T @ slope @ inverse.T).reshape(a.shape)


class _Normalization:
    """Normalization as a function of the data and of its mean and deviation."""

    def __init__(self, data: Any, mean: Any, deviation: Any, options: dict[str, Any]) -> None:
        self.kind = options["kind"]
        axis = options.get("axis", 1) % data.ndim
        self.vector = [size if i == axis else 1 for i, size in enumerate(data.shape)]
        if self.kind == "batch":
            self.axes = tuple(i for i in range(data.ndim) if i != axis)
        elif self.kind == "layer":
            self.axes = (axis,)
        else:  # instance: channels are axis 1
            self.axes = tuple(range(2, data.ndim))
            self.vector = [1, data.shape[1], *(1,) * (data.ndim - 2)]
        self.fixed = (mean, deviation) if options.get("frozen") else None
        self.scales = not options.get("fix_gamma")
        width = 1 / deviation if self.kind == "batch" else deviation
        spread = data.var(self.axes, keepdims=True)
        self.eps = float((width.reshape(spread.shape) ** 2 - spread).mean())
        self.shape = mean.shape

    def statistics(self, data: Any) -> list[Array]:
        """Return mean and standard deviation; the inverse of the latter for batches."""
        if self.fixed:
            return [*self.fixed]
        deviation = np.sqrt(data.var(self.axes) + self.eps)
        shown = 1 / deviation if self.kind == "batch" else deviation
        return [data.mean(self.axes).reshape(self.shape), shown.reshape(self.shape)]

    def results(self, data: Any, gamma: Any, beta: Any) -> list[Array]:
        """Return the normalized data, scaled by gamma and shifted by beta."""
        wide = data.mean(self.axes, keepdims=True).shape
        mean, deviation = (x.reshape(wide) for x in self.statistics(data))
        hat = (data - mean) * (deviation if self.kind == "batch" else 1 / deviation)
        scale = gamma.reshape(self.vector) if self.scales else 1
        return [hat * scale + beta.reshape(self.vector)]


def _normalize(dy: Any, data: Any, gamma: Any, mean: Any, deviation: Any, **options: Any) -> Any:
    form = _Normalization(data, mean, deviation, options)
    inputs = data, gamma, np.zeros_like(gamma)
    return _pulled_back(form.results, [dy], inputs, (0, 1, 2), _CURVED)


def _normalize_again(
    ddata: Any,
    dgamma: Any,
    dbeta: Any,
    dy: Any,
    data: Any,
    gamma: Any,
    mean: Any,
    deviation: Any,
    **options: Any,
) -> Any:
    form = _Normalization(data, mean, deviation, options)

    def first(dy: Any, data: Any, gamma: Any) -> list[Array]:
        inputs = [dy, data, gamma, *form.statistics(data)]
        return _evaluated("_normalize_backward", inputs, **options)

    heads = [ddata, dgamma, dbeta]
    return _pulled_back(first, heads, [dy, data, gamma], (0, 1, 2), _CURVED)


def _statistics(
    dmean: Any, ddeviation: Any, data: Any, mean: Any, deviation: Any, **options: Any
) -> Any:
    form = _Normalization(data, mean, deviation, options)
    return _pulled_back(form.statistics, [dmean, ddeviation], [data], (0,), _CURVED)


def _statistics_again(
    ddata: Any, ddeviation: Any, data: Any, mean: Any, deviation: Any, **options: Any
) -> Any:
    form = _Normalization(data, mean, deviation, options)

    def first(dmean: Any, ddeviation: Any, data: Any) -> list[Array]:
        inputs = [dmean, ddeviation, data, *form.statistics(data)]
        return _evaluated("_normalize_statistics_backward", inputs, **options)

    inputs = [np.zeros_like(mean), ddeviation, data]  # it is linear in the first
    return _pulled_back(first, [ddata], inputs, (0, 1, 2), _CURVED)


def _rnn(dy: Any, data: Any, parameters: Any, state: Any, reserve: Any, **options: Any) -> Any:
    def function(*values: Any) -> list[Array]:
        return _evaluated("RNN", values, **options)[:1]

    return _pulled_back(function, [dy], [data, parameters, state], (0, 1, 2), _CURVED)


def _prelu_again(ddata: Any, dgamma: Any, dy: Any, data: Any, gamma: Any) -> Any:
    def first(*values: Any) -> list[Array]:
        return _evaluated("_prelu_backward", values)

    return _pulled_back(first, [ddata, dgamma], [dy, data, gamma], (0, 1, 2), _STRAIGHT)


def _deformable_pooling(dy: Any, *operands: Any, **options: Any) -> Any:
    def function(*values: Any) -> list[Array]:
        return _evaluated("_contrib_DeformablePSROIPooling", values, **options)[:1]

    where = (0,) if options.get("no_trans") else (0, 2)
    return _pulled_back(function, [dy], operands, where, _STRAIGHT)


GRADIENTS: dict[str, Expected] = {
    "_adaptive_avg_pooling2d_backward": _numerical(
        "_contrib_AdaptiveAvgPooling2D", (1,), 0, params=_pooled
    ),
    "_bilinear_resize2d_backward": _numerical("_contrib_BilinearResize2D", (1,), 0, params=_resize),
    "_bilinear_sampler_backward": _numerical("BilinearSampler", (1, 2), 0, 1, step=_STRAIGHT),
    "_correlation_backward": _numerical("Correlation", (1, 2), 0, 1),
    "_ctc_loss_backward": _numerical("CTCLoss", (1, 2), 0),
    "_deconvolution_backward_data": _numerical(
        "Deconvolution", (2, 1), 0, params=_deconvolution(1)
    ),
    "_deconvolution_backward_weight": _numerical(
        "Deconvolution", (1, 2), 1, params=_deconvolution(2)
    ),
    "_deformable_convolution_backward": _numerical(
        "_contrib_DeformableConvolution", (1, 2, 3), 0, 1, 2, params=_convolution(3), step=_STRAIGHT
    ),
    "_deformable_psroi_pooling_backward": _deformable_pooling,
    "_grid_generator_backward": _numerical("GridGenerator", (1,), 0, params=_grid),
    "_hawkesll_backward": _numerical("_contrib_hawkesll", range(1, 9), 0, 1, 2),
    "_l2_normalization_backward": _numerical("L2Normalization", (1,), 0),
    "_leaky_relu_backward": _numerical("LeakyReLU", (1,), 0, step=1e-4),
    "_leaky_relu_curve": _curve,
    "_lrn_backward": _numerical("LRN", (1,), 0),
    "_modulated_deformable_convolution_backward": _numerical(
        "_contrib_ModulatedDeformableConvolution",
        (1, 2, 3, 4),
        0,
        1,
        2,
        3,
        params=_convolution(4),
        step=_STRAIGHT,
    ),
    "_normalize_backward": _normalize,
    "_normalize_backward_backward": _normalize_again,
    "_normalize_statistics_backward": _statistics,
    "_normalize_statistics_backward_backward": _statistics_again,
    "_np_diff_backward": _numerical("_npi_diff", (1,), 0),
    "_np_ediff1d_backward": _numerical("_npi_ediff1d", (1,), 0),
    "_np_pad_backward": _numerical("_npi_pad", (1,), 0),
    "_np_tensordot_backward_a": _numerical("_npi_tensordot", (2, 1), 0),
    "_np_tensordot_backward_b": _numerical("_npi_tensordot", (1, 2), 1),
    "_np_tensordot_int_axes_backward_a": _numerical("_npi_tensordot_int_axes", (2, 1), 0),
    "_np_tensordot_int_axes_backward_b": _numerical("_npi_tensordot_int_axes", (1, 2), 1),
    "_np_tensorinv_backward": _tensor_inverse,
    "_np_tensorsolve_backward": _numerical("_npi_tensorsolve", (1, 2), 1),
    "_prelu_backward": _numerical("LeakyReLU", (1, 2), 0, 1, params=_prelu, step=_STRAIGHT),
    "_prelu_backward_backward": _prelu_again,
    "_psroi_pooling_backward": _numerical("_contrib_PSROIPooling", (2, 1), 0),
    "_rnn_backward": _rnn,
    "_roi_align_backward": _numerical("_contrib_ROIAlign", (2, 1), 0),
    "_up_sampling_nearest_backward": _up_sampling,
}
