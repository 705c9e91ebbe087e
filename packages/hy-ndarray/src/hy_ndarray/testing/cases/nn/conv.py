"""Cases of convolution and its gradients."""

from itertools import product
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _convolution(
    data: Any,
    weight: Any,
    bias: Any = None,
    *,
    stride: Any = (),
    dilate: Any = (),
    pad: Any = (),
    num_group: int = 1,
    layout: str | None = None,
    **_: Any,
) -> Any:
    """Return the convolution computed from its definition, element by element."""
    last = layout is not None and layout.endswith("C")
    if last:
        data, weight = np.moveaxis(data, -1, 1), np.moveaxis(weight, -1, 1)
    rank = data.ndim - 2
    kernel = weight.shape[2:]
    stride, dilate, pad = stride or (1,) * rank, dilate or (1,) * rank, pad or (0,) * rank
    padded = np.pad(data, [(0, 0), (0, 0), *((p, p) for p in pad)])
    count = [
        (padded.shape[i + 2] - dilate[i] * (kernel[i] - 1) - 1) // stride[i] + 1
        for i in range(rank)
    ]
    y: Any = np.zeros((len(data), len(weight), *count))
    channels, filters = data.shape[1] // num_group, len(weight) // num_group
    for f, where in product(range(len(weight)), product(*map(range, count))):
        group = f // filters
        window = tuple(
            slice(i * s, i * s + d * (k - 1) + 1, d)
            for i, s, d, k in zip(where, stride, dilate, kernel, strict=True)
        )
        seen = padded[(slice(None), slice(group * channels, (group + 1) * channels), *window)]
        at: Any = (slice(None), f, *where)
        y[at] = (seen * weight[f]).sum(tuple(range(1, data.ndim)))
        if bias is not None:
            y[at] += bias[f]
    return np.moveaxis(y, 1, -1) if last else y


def _backward_data(dy: Any, weight: Any, data: Any, **params: Any) -> Any:
    """Return the gradient of convolution with respect to ``data``, one element at a time."""
    result = np.zeros(data.shape)
    for where in np.ndindex(*data.shape):
        unit = np.zeros(data.shape)
        unit[where] = 1
        result[where] = (_convolution(unit, weight, **params) * dy).sum()
    return result


def _backward_weight(dy: Any, data: Any, weight: Any, **params: Any) -> Any:
    result = np.zeros(weight.shape)
    for where in np.ndindex(*weight.shape):
        unit = np.zeros(weight.shape)
        unit[where] = 1
        result[where] = (_convolution(data, unit, **params) * dy).sum()
    return result


def _case(
    data: Any, weight: Any, *, bias: bool = True, op: str = "Convolution", **extra: Any
) -> Any:
    kernel = weight[1:-1] if extra.get("layout", "").endswith("C") else weight[2:]
    params = {"kernel": kernel, "num_filter": weight[0], "no_bias": not bias, **extra}
    return OpCase(op, (data, weight, (weight[0],) if bias else None), _convolution, params)


_PARAMS: dict[str, Any] = {"stride": (2, 1), "dilate": (1, 2), "pad": (1, 2), "num_group": 2}

CASES = (
    _case((2, 3, 7), (4, 3, 3)),
    _case((2, 3, 8), (2, 3, 2), stride=(3,), pad=(2,), dilate=(2,)),
    _case((2, 3, 5, 6), (4, 3, 3, 2)),
    _case((2, 3, 5, 6), (4, 3, 1, 1)),
    _case((3, 4, 5, 6), (6, 2, 1, 1), num_group=2, bias=False),
    _case((2, 3, 5, 6), (4, 3, 1, 1), stride=(2, 3)),
    _case((2, 3, 3, 2), (4, 3, 1, 1), pad=(1, 1)),
    _case((2, 4, 7, 5), (6, 2, 3, 2), **_PARAMS),
    _case((1, 2, 12, 12), (2, 2, 1, 2)),
    _case((2, 4, 5, 5), (4, 1, 3, 3), num_group=4, pad=(1, 1)),
    _case((2, 3, 6, 5), (6, 1, 2, 3), num_group=3, stride=(2, 1), dilate=(2, 1), bias=False),
    _case((1, 2, 3, 4, 3), (3, 2, 2, 2, 2), pad=(0, 1, 1), stride=(1, 2, 1)),
    _case((1, 2, 3, 4, 3), (2, 1, 2, 2, 1), num_group=2),
    _case((2, 5, 6, 3), (4, 3, 2, 3), layout="NHWC", pad=(1, 0)),
    _case((2, 5, 6, 2), (4, 3, 2, 1), layout="NHWC", num_group=2),
    _case((1, 3, 4, 3, 2), (2, 2, 2, 2, 2), layout="NDHWC", bias=False),
    _case((1, 64, 13, 14), (64, 64, 3, 3), pad=(1, 1)),
    _case((2, 64, 24, 9), (65, 64, 3, 3), pad=(0, 2), bias=False),
    _case((0, 3, 5, 5), (2, 3, 3, 3)),
    _case((1, 1, 1, 1), (1, 1, 1, 1)),
    _case((2, 3, 5, 6), (4, 3, 3, 2), op="Convolution_v1"),
    OpCase("_convolution_project", ((2, 4, 7, 5), (6, 2, 3, 2)), _convolution, _PARAMS),
    OpCase("_convolution_project", ((2, 3, 7), (4, 3, 3)), _convolution, {"pad": (1,)}),
    OpCase(
        "_convolution_backward_data",
        ((2, 6, 4, 7), (6, 2, 3, 2), (2, 4, 7, 5)),
        _backward_data,
        _PARAMS,
        grad_inputs=(0, 1),
    ),
    OpCase(
        "_convolution_backward_data",
        ((2, 4, 5, 5), (4, 1, 3, 3), (2, 2, 7, 7)),
        _backward_data,
        {"num_group": 2},
        grad_inputs=(0, 1),
    ),
    OpCase(
        "_convolution_backward_weight",
        ((2, 6, 4, 7), (2, 4, 7, 5), (6, 2, 3, 2)),
        _backward_weight,
        _PARAMS,
        grad_inputs=(0, 1),
    ),
    OpCase(
        "_convolution_backward_weight",
        ((1, 1, 12, 12), (1, 2, 14, 13), (1, 2, 3, 2)),
        _backward_weight,
        grad_inputs=(0, 1),
    ),
    OpCase(
        "_convolution_backward_weight",
        ((2, 4, 5, 5), (2, 2, 7, 7), (4, 1, 3, 3)),
        _backward_weight,
        {"num_group": 2},
        grad_inputs=(0, 1),
    ),
    OpCase("_channel_sum", ((2, 3, 4), (3,)), lambda x, like, **_: x.sum((0, 2)), grad_inputs=(0,)),
    OpCase(
        "_channel_sum",
        ((2, 3, 4), (4,)),
        lambda x, like, axis: x.sum((0, 1)),
        {"axis": -1},
        grad_inputs=(0,),
    ),
    OpCase(
        "_channel_spread",
        ((3,), (2, 3, 4)),
        lambda x, like: np.broadcast_to(x[:, None], like.shape),
        grad_inputs=(0,),
    ),
)
