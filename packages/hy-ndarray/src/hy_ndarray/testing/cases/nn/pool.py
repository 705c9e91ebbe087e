"""Cases of pooling and its gradients."""

from itertools import product
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _windows(data: Any, p: dict[str, Any]) -> Any:
    """Yield for each window its index in the result and its slices, clipped to the array."""
    size = data.shape[2:]
    rank = len(size)
    if p.get("global_pool"):
        yield (0,) * rank, tuple(slice(0, n) for n in size), size
        return
    kernel, stride = p["kernel"], p.get("stride") or (1,) * rank
    pad = p.get("pad") or (0,) * rank
    up = p.get("pooling_convention") == "full"
    count = [
        int((np.ceil if up else np.floor)((n + 2 * q - k) / s)) + 1
        for n, k, s, q in zip(size, kernel, stride, pad, strict=True)
    ]
    for where in product(*map(range, count)):
        start = [i * s - q for i, s, q in zip(where, stride, pad, strict=True)]
        stop = [min(a + k, n + q) for a, k, n, q in zip(start, kernel, size, pad, strict=True)]
        area = tuple(b - a for a, b in zip(start, stop, strict=True))
        cut = tuple(slice(max(a, 0), min(b, n)) for a, b, n in zip(start, stop, size, strict=True))
        yield where, cut, area


def _pooling(data: Any, *, pool_type: str = "max", layout: str = "", **p: Any) -> Any:
    if layout.endswith("C"):
        data = np.moveaxis(data, -1, 1)
    pooled = {}
    axes = tuple(range(2, data.ndim))
    for where, cut, area in _windows(data, p):
        window = data[(slice(None), slice(None), *cut)]
        if pool_type == "max":
            value = window.max(axes)
        elif pool_type == "lp":
            root: Any = {1: np.copy, 2: np.sqrt, 3: np.cbrt}[p["p_value"]]
            value = root((window ** p["p_value"]).sum(axes))
        else:
            value = window.sum(axes)
            if pool_type == "avg":
                padded = p.get("count_include_pad") is not False
                value = value / (np.prod(area) if padded else np.prod(window.shape[2:]))
        pooled[where] = value
    shape = [1 + max(axis) for axis in zip(*pooled, strict=True)]
    y = np.zeros((*data.shape[:2], *shape))
    for where, value in pooled.items():
        y[(slice(None), slice(None), *where)] = value
    return np.moveaxis(y, 1, -1) if layout.endswith("C") else y


def _sum_backward(dy: Any, data: Any, **params: Any) -> Any:
    result = np.zeros(data.shape)
    for where in np.ndindex(*data.shape):
        unit = np.zeros(data.shape)
        unit[where] = 1
        result[where] = (_pooling(unit, **{"pool_type": "sum", **params}) * dy).sum()
    return result


def _max_select(values: Any, data: Any, **params: Any) -> Any:
    """Return ``values`` at the positions of the maxima of the windows."""
    names = _pooling(data, **params)
    flat = dict(zip(data.ravel(), values.ravel(), strict=True))
    return np.vectorize(flat.__getitem__)(names)


def _max_backward(dy: Any, data: Any, **params: Any) -> Any:
    result = np.zeros(data.shape)
    for v, g in zip(_pooling(data, **params).ravel(), dy.ravel(), strict=True):
        result[data == v] += g
    return result


_ODD: dict[str, Any] = {"kernel": (3, 2), "stride": (2, 1), "pad": (1, 1)}
_FULL: dict[str, Any] = {
    "kernel": (3, 2),
    "stride": (2, 2),
    "pad": (1, 0),
    "pooling_convention": "full",
}
_VARIANTS: tuple[tuple[tuple[int, ...], dict[str, Any]], ...] = (
    ((2, 2, 7), {"kernel": (3,), "stride": (2,), "pad": (1,)}),
    ((2, 2, 6, 4), {"kernel": (2, 2), "stride": (2, 2)}),
    ((2, 2, 7, 5), _ODD),
    ((2, 2, 6, 5), _FULL),
    ((1, 2, 4, 3, 5), {"kernel": (2, 2, 2), "stride": (1, 2, 2)}),
    ((2, 2, 4, 3), {"global_pool": True}),
    ((2, 5, 4, 3), {"kernel": (2, 2), "layout": "NHWC"}),
    ((0, 2, 4), {"kernel": (2,)}),
    ((1, 1, 1), {"kernel": (1,)}),
)

CASES = (
    *(
        OpCase("Pooling", (shape,), _pooling, {**options, "pool_type": kind})
        for (shape, options), kind in product(_VARIANTS, ("max", "avg", "sum"))
    ),
    *(
        OpCase(
            "Pooling",
            (shape,),
            _pooling,
            {**options, "pool_type": "lp", "p_value": power},
            low=0.1,
        )
        for (shape, options), power in product(_VARIANTS[1:3], (1, 2, 3))
    ),
    OpCase(
        "Pooling",
        ((2, 2, 7, 5),),
        _pooling,
        {**_ODD, "pool_type": "avg", "count_include_pad": False},
    ),
    OpCase(
        "Pooling",
        ((2, 2, 6, 5),),
        _pooling,
        {**_FULL, "pool_type": "avg", "count_include_pad": False},
    ),
    OpCase("Pooling_v1", ((2, 2, 6, 4),), _pooling, {"kernel": (2, 2), "stride": (2, 2)}),
    OpCase("Pooling_v1", ((2, 2, 7, 5),), _pooling, {**_FULL, "pool_type": "sum"}),
    OpCase("Pooling_v1", ((2, 2, 7, 5),), _pooling, {**_ODD, "pool_type": "avg"}),
    OpCase("Pooling_v1", ((2, 2, 4, 3),), _pooling, {"global_pool": True, "pool_type": "avg"}),
    OpCase("Pooling_v1", ((2, 2, 5, 5),), _pooling, _ODD, low=0.1),
    OpCase(
        "Pooling_v1",
        ((2, 2, 7, 5),),
        _pooling,
        {"kernel": (2, 2), "stride": (2, 2), "pooling_convention": "full"},
        high=-0.1,
    ),
    OpCase(
        "_pooling_max_backward", ((2, 2, 4, 6), (2, 2, 7, 5)), _max_backward, _ODD, grad_inputs=(0,)
    ),
    OpCase(
        "_pooling_max_select", ((2, 2, 7, 5), (2, 2, 7, 5)), _max_select, _ODD, grad_inputs=(0,)
    ),
    OpCase(
        "_pooling_max_select",
        ((2, 2, 6, 4), (2, 2, 6, 4)),
        _max_select,
        {"kernel": (2, 2), "stride": (2, 2)},
        grad_inputs=(0,),
    ),
    OpCase(
        "_pooling_sum_backward", ((2, 2, 4, 6), (2, 2, 7, 5)), _sum_backward, _ODD, grad_inputs=(0,)
    ),
    OpCase(
        "_pooling_sum_backward",
        ((2, 2, 4, 3), (2, 2, 6, 5)),
        _sum_backward,
        {**_FULL, "pool_type": "avg"},
        grad_inputs=(0,),
    ),
    OpCase(
        "_pooling_lp_backward",
        ((1, 1, 2), (1, 1, 4), (1, 1, 2)),
        lambda dy, x, y, **_: np.repeat(dy / y, 2, -1) * x,
        {"kernel": (2,), "stride": (2,), "p_value": 2},
        low=0.5,
    ),
)
