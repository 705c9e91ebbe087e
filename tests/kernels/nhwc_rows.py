"""Rows of convolution with the channels innermost, to which prediction is lowered."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hy_kernels.numpy._bounds import Bounds
from hy_ndarray.testing.cases.nn.conv import _convolution
from hy_ndarray.testing.op_case import OpCase

RELU, CLIP = (0.0, np.inf), (-0.25, 0.5)
_POINTS = {
    2: [[1, 0, 0], [1 / 2, 1 / 2, 1 / 2], [1 / 2, -1 / 2, 1 / 2], [0, 0, 1]],
    4: [
        [1 / 4, 0, 0],
        [-1 / 6, -1 / 6, -1 / 6],
        [-1 / 6, 1 / 6, -1 / 6],
        [1 / 24, 1 / 12, 1 / 6],
        [1 / 24, -1 / 12, 1 / 6],
        [0, 0, 1],
    ],
}
"""The transform of a kernel along one axis, by the side of the tiles."""


def _prepared(weight: Any, *, method: str) -> Any:
    """From the definitions: a matrix, kernels by channel, or ``G w Gᵀ``."""
    if method == "direct":
        return weight.transpose(2, 3, 1, 0).reshape(-1, len(weight))
    if method == "depthwise":
        return weight[:, 0].transpose(1, 2, 0)
    points = np.array(_POINTS[int(method[-1])])
    planes = np.einsum("ai,ocij,bj->abco", points, weight, points)
    return planes.reshape(-1, *planes.shape[2:])


def _predicted(weight: Any, groups: int) -> Callable[..., Any]:
    """What the operator returns for the weight that was prepared."""

    def expected(data: Any, _: Any, bias: Any = None, addend: Any = None, **params: Any) -> Any:
        how = {name: params.get(name, ()) for name in ("stride", "dilate", "pad")}
        y = _convolution(np.moveaxis(data, -1, 1), weight, bias, num_group=groups, **how)
        y = np.moveaxis(y, 1, -1) + (0 if addend is None else addend)
        bounds = params.get("bounds")
        return y if bounds is None else np.clip(y, *bounds)

    return expected


def _case(
    data: tuple[int, ...],
    weight: tuple[int, ...],
    method: str,
    addend: tuple[int, ...] | None = None,
    *,
    bias: bool = True,
    **how: Any,
) -> OpCase:
    drawn = np.random.default_rng(len(data) + weight[0]).uniform(-1, 1, weight)
    params = {
        "kernel": weight[2:],
        "method": method,
        "with_bias": bias,
        "with_addend": addend is not None,
        **how,
    }
    return OpCase(
        "_nhwc_convolution",
        (data, (1,), (weight[0],) if bias else None, addend),
        _predicted(drawn, data[-1] // weight[1]),
        params,
        inputs={1: _prepared(drawn, method=method)},
    )


def _pair(
    data: tuple[int, ...],
    weight: tuple[int, ...],
    filters: int,
    method: str,
    *,
    addend: bool = False,
    between: Bounds = None,
    bounds: Bounds = None,
    **how: Any,
) -> OpCase:
    """A convolution, and one with 1 by 1 kernels of what it gives."""
    draw = np.random.default_rng(data[-1] + filters)
    first = draw.uniform(-1, 1, weight)
    second = draw.uniform(-1, 1, (filters, weight[0], 1, 1))

    def expected(
        x: Any, _: Any, bias: Any, then: Any, then_bias: Any, *more: Any, **_p: Any
    ) -> Any:
        y = _predicted(first, data[-1] // weight[1])(x, None, bias, bounds=between, **how)
        given = more if addend else (None,)
        return _predicted(second, 1)(y, then, then_bias, *given, bounds=bounds)

    plain = _predicted(first, data[-1] // weight[1])(np.zeros(data), None, **how)
    shape = (*plain.shape[:-1], filters)
    params = {
        "kernel": weight[2:],
        "method": method,
        "bounds_between": between,
        "with_addend": addend,
        "bounds": bounds,
        **how,
    }
    return OpCase(
        "_nhwc_pair",
        (data, (1,), (weight[0],), (1,), (filters,), shape if addend else None),
        expected,
        params,
        inputs={1: _prepared(first, method=method), 3: _prepared(second, method="direct")},
    )


CASES = (
    _pair((2, 6, 5, 4), (4, 1, 3, 3), 3, "depthwise", pad=(1, 1), between=CLIP, bounds=RELU),
    _pair((1, 5, 6, 3), (4, 3, 3, 2), 5, "direct", stride=(2, 1), addend=True, bounds=RELU),
    _pair((3, 7, 9, 3), (2, 3, 3, 3), 4, "winograd4", pad=(1, 1), between=RELU, addend=True),
    _pair((0, 5, 5, 3), (2, 3, 3, 3), 4, "winograd2"),
    *(
        OpCase("_nhwc_weight", ((4, 3, 3, 3),), _prepared, {"method": method})
        for method in ("direct", "winograd2", "winograd4")
    ),
    OpCase("_nhwc_weight", ((5, 1, 3, 2),), _prepared, {"method": "depthwise"}),
    _case((2, 5, 6, 3), (4, 3, 3, 2), "direct", pad=(1, 0), bounds=RELU),
    _case((2, 9, 8, 2), (3, 2, 2, 3), "direct", stride=(2, 1), dilate=(1, 2), pad=(1, 2)),
    _case((2, 5, 6, 3), (4, 3, 1, 1), "direct", (2, 5, 6, 4), bounds=CLIP),
    _case((2, 5, 7, 3), (4, 3, 1, 1), "direct", (2, 3, 3, 4), stride=(2, 3)),
    _case((2, 6, 5, 4), (4, 1, 3, 3), "depthwise", pad=(1, 1), bounds=RELU),
    _case((1, 7, 8, 3), (3, 1, 3, 2), "depthwise", (1, 3, 5, 3), stride=(2, 2), pad=(0, 1)),
    _case((1, 7, 8, 3), (3, 1, 2, 3), "depthwise", dilate=(3, 2), bias=False),
    _case((2, 7, 8, 3), (3, 1, 3, 3), "depthwise", (2, 4, 4, 3), stride=(2, 2), pad=(1, 1)),
    _case((1, 4, 9, 3), (3, 1, 2, 5), "depthwise", (1, 3, 3, 3), stride=(1, 3), pad=(0, 2)),
    _case((1, 3, 8, 3), (3, 1, 1, 2), "depthwise", (1, 2, 5, 3), stride=(2, 3), pad=(0, 3)),
    _case((1, 5, 4, 400), (400, 1, 3, 3), "depthwise", (1, 3, 2, 400), stride=(2, 2), pad=(1, 1)),
    _case((2, 6, 8, 3), (4, 3, 3, 3), "winograd2", (2, 6, 8, 4), pad=(1, 1), bounds=RELU),
    _case((1, 5, 9, 3), (2, 3, 3, 3), "winograd2", bias=False),
    _case((2, 8, 4, 3), (4, 3, 3, 3), "winograd4", pad=(1, 1), bounds=RELU),
    _case((2, 7, 10, 3), (4, 3, 3, 3), "winograd4", (2, 9, 10, 4), pad=(2, 1)),
    _case((1, 3, 3, 1), (1, 1, 3, 3), "winograd4"),
    _case((0, 5, 5, 3), (2, 3, 3, 3), "winograd2"),
    _case((0, 5, 5, 3), (2, 3, 3, 3), "direct", pad=(1, 1)),
)
