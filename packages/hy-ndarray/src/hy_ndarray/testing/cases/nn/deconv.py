"""Cases of transposed convolution and its gradients."""

from itertools import product
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _deconvolution(
    data: Any,
    weight: Any,
    bias: Any = None,
    *,
    stride: Any = (),
    dilate: Any = (),
    pad: Any = (),
    adj: Any = (),
    target_shape: Any = (),
    num_group: int = 1,
    layout: str | None = None,
    **_: Any,
) -> Any:
    """Return the transposed convolution computed from its definition, element by element."""
    last = layout is not None and layout.endswith("C")
    if last:
        data, weight = np.moveaxis(data, -1, 1), np.moveaxis(weight, -1, 1)
    rank = data.ndim - 2
    kernel, size = weight.shape[2:], data.shape[2:]
    stride, dilate = stride or (1,) * rank, dilate or (1,) * rank
    span = [(size[i] - 1) * stride[i] + dilate[i] * (kernel[i] - 1) + 1 for i in range(rank)]
    if target_shape:
        pad = [-(-(s - t) // 2) for s, t in zip(span, target_shape, strict=True)]
        adj = [(s - t) % 2 for s, t in zip(span, target_shape, strict=True)]
    pad, adj = pad or (0,) * rank, adj or (0,) * rank
    each, channels = weight.shape[1], data.shape[1] // num_group
    whole = [s + a for s, a in zip(span, adj, strict=True)]
    y: Any = np.zeros((len(data), each * num_group, *whole))
    for c, where in product(range(data.shape[1]), product(*map(range, size))):
        first = c // channels * each
        window = tuple(
            slice(i * s, i * s + d * (k - 1) + 1, d)
            for i, s, d, k in zip(where, stride, dilate, kernel, strict=True)
        )
        at: Any = (slice(None), c, *where)
        value = data[at].reshape(-1, *(1,) * (rank + 1))
        y[(slice(None), slice(first, first + each), *window)] += value * weight[c]
    y = y[(..., *(slice(p, n - p) for p, n in zip(pad, whole, strict=True)))]
    if bias is not None:
        y = y + bias.reshape(-1, *(1,) * rank)
    return np.moveaxis(y, 1, -1) if last else y


def _case(data: Any, weight: Any, *, bias: bool = True, **extra: Any) -> Any:
    kernel = weight[1:-1] if extra.get("layout", "").endswith("C") else weight[2:]
    each = weight[-1] if extra.get("layout", "").endswith("C") else weight[1]
    filters = each * extra.get("num_group", 1)
    params = {"kernel": kernel, "num_filter": filters, "no_bias": not bias, **extra}
    shapes = (data, weight, (filters,) if bias else None)
    return OpCase("Deconvolution", shapes, _deconvolution, params)


_PARAMS: dict[str, Any] = {"stride": (2, 3), "dilate": (1, 2), "pad": (1, 0), "adj": (1, 2)}
_GROUPS: dict[str, Any] = {"stride": (2, 1), "num_group": 2}
_GEOMETRY = (
    (_PARAMS, (2, 3, 3, 2), (3, 2, 3, 2), (2, 2, 6, 8)),
    (_GROUPS, (2, 2, 3, 2), (2, 1, 3, 2), (2, 2, 7, 3)),
    ({"target_shape": (6, 4)}, (1, 2, 4, 4), (2, 2, 3, 3), (1, 2, 6, 4)),
)

CASES = (
    _case((2, 3, 4), (3, 4, 3)),
    _case((2, 3, 3, 2), (3, 2, 3, 2), **_PARAMS),
    _case((2, 4, 3, 2), (4, 3, 3, 2), bias=False, **_GROUPS),
    _case((2, 3, 2, 3), (3, 2, 2, 2), num_group=3),
    _case((1, 2, 3, 3), (2, 2, 3, 3), stride=(2, 2), target_shape=(6, 5)),
    _case((1, 2, 2, 3, 2), (2, 3, 2, 2, 2), stride=(2, 1, 1), adj=(1, 0, 0)),
    _case((1, 3, 2, 3), (3, 2, 2, 4), layout="NHWC"),
    _case((0, 3, 4), (3, 4, 3)),
    _case((1, 1, 1), (1, 1, 1)),
    *(
        OpCase("_deconvolution_project", (x, w), _deconvolution, extra)
        for extra, x, w, _ in _GEOMETRY
    ),
    *(
        OpCase("_deconvolution_backward_data", (dy, w, x), None, extra, grad_inputs=(0, 1))
        for extra, x, w, dy in _GEOMETRY
    ),
    *(
        OpCase("_deconvolution_backward_weight", (dy, x, w), None, extra, grad_inputs=(0, 1))
        for extra, x, w, dy in _GEOMETRY
    ),
)
