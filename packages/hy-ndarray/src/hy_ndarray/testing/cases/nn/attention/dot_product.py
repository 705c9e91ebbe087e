"""Cases of scaled dot-product attention."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

_HIDDEN = np.where(np.arange(5) < np.array([[5], [3], [0], [1]]), 0.0, -np.inf)
_OP = "_contrib_scaled_dot_product_attention"


def _attention(
    query: Any, key: Any, value: Any, bias: Any = None, *, causal: bool = False,
    scale: float | None = None, kv_repeat: int = 1, layout: str = "BHLD"
) -> Any:  # fmt: skip
    order = [layout.index(axis) for axis in "BHLD"]
    query, key, value = (x.transpose(order) for x in (query, key, value))
    key, value = (x.repeat(kv_repeat, 1) for x in (key, value))
    scores = query @ key.swapaxes(-1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    rows, columns = scores.shape[-2:]
    if causal:
        scores = np.where(np.tri(rows, columns, columns - rows), scores, -np.inf)
    peak = scores.max(-1, keepdims=True)
    shares = np.exp(scores - np.where(np.isinf(peak), 0, peak))
    weights = shares / np.maximum(shares.sum(-1, keepdims=True), 1e-300)
    return (weights @ value).transpose(np.argsort(order))


def _backward(dy: Any, query: Any, key: Any, value: Any, output: Any, sums: Any) -> Any:
    scale = query.shape[-1] ** -0.5
    weights = np.exp(query @ key.swapaxes(-1, -2) * scale - sums[..., None])
    ds = weights * (dy @ value.swapaxes(-1, -2) - (dy * output).sum(-1, keepdims=True)) * scale
    return ds @ key, ds.swapaxes(-1, -2) @ query, weights.swapaxes(-1, -2) @ dy


_QUERY = np.linspace(-1, 1, 24).reshape(1, 2, 4, 3)
_KEY = np.linspace(1, -0.5, 30).reshape(1, 2, 5, 3)
_VALUE = np.cos(3 * _KEY)
_LOG_SUMS = np.log(np.exp(_QUERY @ _KEY.swapaxes(-1, -2) * 3**-0.5).sum(-1))

CASES = (
    OpCase(
        "_scaled_dot_product_attention_backward",
        ((1, 2, 4, 3), *((1, 2, n, 3) for n in (4, 5, 5, 4)), (1, 2, 4)),
        _backward,
        inputs={1: _QUERY, 2: _KEY, 3: _VALUE, 4: _attention(_QUERY, _KEY, _VALUE), 5: _LOG_SUMS},
        check_grad=False,
    ),
    OpCase(_OP, ((2, 2, 4, 3), (2, 2, 5, 3), (2, 2, 5, 3)), _attention),
    OpCase(_OP, ((2, 2, 4, 3),) * 3, _attention, {"causal": True}),
    OpCase(_OP, ((1, 2, 4, 3),) * 3, _attention, {"causal": True, "scale": 0.0}),
    OpCase(_OP, ((1, 2, 4, 3),) * 3, _attention, {"causal": True, "scale": -0.5}),
    OpCase(_OP, ((1, 2, 3, 2), (1, 2, 5, 2), (1, 2, 5, 2)), _attention, {"causal": True}),
    OpCase(_OP, ((1, 1, 5, 2), (1, 1, 3, 2), (1, 1, 3, 2)), _attention, {"causal": True}),
    OpCase(
        _OP,
        ((2, 4, 1, 3), (2, 2, 5, 3), (2, 2, 5, 3)),
        _attention,
        {"kv_repeat": 2, "causal": True, "scale": 0.3},
    ),
    OpCase(
        _OP,
        ((3, 2, 4, 2), (3, 1, 3, 2), (3, 1, 3, 2), (2, 1, 3)),
        _attention,
        {"kv_repeat": 2, "scale": 0.7},
    ),
    OpCase(
        _OP,
        ((2, 4, 6, 3), (2, 5, 2, 3), (2, 5, 2, 3), (2, 1, 1, 5)),
        _attention,
        {"kv_repeat": 3, "layout": "BLHD"},
    ),
    OpCase(_OP, ((4, 2, 2, 3), (4, 2, 2, 3), (4, 2, 2, 3)), _attention,
           {"layout": "LBHD", "causal": True}),
    OpCase(
        _OP,
        ((2, 2, 4, 3), (2, 2, 5, 3), (2, 2, 5, 3), (4, 5)),
        _attention,
        inputs={3: _HIDDEN},
        grad_inputs=(0, 1, 2),
    ),
)  # fmt: skip
