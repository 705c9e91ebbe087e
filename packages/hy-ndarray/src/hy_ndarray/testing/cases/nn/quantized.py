"""Cases of quantized layers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hy_ndarray import nd
from hy_ndarray.testing.op_case import OpCase

F = np.float32
INT32 = 2.0**31 - 1  # its largest number


def _array(*values: float) -> Any:
    return np.array(values, F)


def _drawn(dtype: str, *shape: int) -> Any:
    info = np.iinfo(dtype)
    return np.random.default_rng(len(shape)).integers(info.min, info.max, shape, dtype, True)


def _r(low: Any, high: Any) -> float:
    return float(max(abs(low.item()), abs(high.item())))


def _integers(values: Any, dtype: str) -> Any:
    info = np.iinfo(dtype)
    return np.clip(np.rint(values), info.min, info.max).astype(dtype)


def _floating(layer: Callable[..., Any], *arrays: Any, **params: Any) -> Any:
    """Return the float64 result of a layer, the reference for the quantized layer."""
    return layer(*(nd.array(x, dtype="float64") for x in arrays), **params).asnumpy()


def _sums(layer: Callable[..., Any]) -> Callable[..., Any]:
    def expected(data: Any, weight: Any, *rest: Any, **params: Any) -> Any:
        bias = () if params.get("no_bias") else (rest[0].astype(np.float64),)
        ends = rest[len(bias) :]
        levels = 255 if data.dtype == np.uint8 else 127
        if bias:
            steps = (255.5 if data.dtype == np.uint8 else 127.5) / _r(*ends[:2])
            bias = (np.trunc(bias[0] * (steps * _r(*ends[4:6]) / _r(*ends[2:4]))),)
        y = _floating(layer, data, weight, *bias, **params)
        largest = _r(*ends[:2]) / levels * _r(*ends[2:4]) / 127 * INT32
        return y.astype(np.int32), _array(-largest), _array(largest)

    return expected


def _pooling(data: Any, low: Any, high: Any, **params: Any) -> Any:
    return _integers(_floating(nd.Pooling, data, **params), data.dtype.name), low, high


def _act(data: Any, low: Any, high: Any, **_: Any) -> Any:
    return np.maximum(data, 0), low, high


def _flatten(data: Any, low: Any, high: Any) -> Any:
    return data.reshape(len(data), int(np.prod(data.shape[1:]))), low, high


def _concat(*data: Any, num_args: int, dim: int = 1) -> Any:
    arrays, ends = data[:num_args], np.ravel(data[num_args:])
    unsigned = all(x.dtype == np.uint8 for x in arrays)
    r = np.abs(ends).max()
    parts = [
        _integers(
            x
            * (np.abs(pair).max() / r * (255 if unsigned else 127))
            / (255 if x.dtype == np.uint8 else 127),
            "uint8" if unsigned else "int8",
        )
        for x, pair in zip(arrays, ends.reshape(-1, 2), strict=True)
    ]
    return np.concatenate(parts, dim), _array(ends[::2].min()), _array(ends[1::2].max())


def _add(lhs: Any, rhs: Any, *ends: Any, **calib: float) -> Any:
    steps = {"int8": 127.5, "uint8": 255.5}
    left, right = _r(*ends[:2]), _r(*ends[2:])
    one = lhs.astype(F) * F(left / steps[lhs.dtype.name])
    total = one + rhs.astype(F) * F(right / steps[rhs.dtype.name])
    dtype = "uint8" if lhs.dtype == rhs.dtype == np.uint8 else "int8"
    low, high = calib["min_calib_range"], calib["max_calib_range"]
    y = _integers(total / F(max(abs(low), abs(high))) * F(steps[dtype]), dtype)
    return y, _array(low), _array(high)


def _mul(lhs: Any, rhs: Any, *ends: Any, **params: Any) -> Any:
    steps = {"int8": 127.5, "uint8": 255.5}
    unit = _r(*ends[:2]) / steps[lhs.dtype.name] * _r(*ends[2:]) / steps[rhs.dtype.name]
    y = lhs.astype(np.int32) * rhs
    if params.get("enable_float_output"):
        return (y * unit).astype(F)
    dtype = "uint8" if lhs.dtype == rhs.dtype == np.uint8 else "int8"
    if "min_calib_range" in params:
        low, high = params["min_calib_range"], params["max_calib_range"]
        step = steps[dtype] / max(abs(low), abs(high))
        return _integers(y * unit * step, dtype), _array(low), _array(high)
    bound = _r(*ends[:2]) / (steps[lhs.dtype.name] - 0.5) * _r(*ends[2:])
    bound *= INT32 / (steps[rhs.dtype.name] - 0.5)
    return y, _array(-bound), _array(bound)


def _batch_norm(data: Any, gamma: Any, beta: Any, mean: Any, var: Any, *ends: Any, **p: Any) -> Any:
    shape = [1] * data.ndim
    shape[p.get("axis", 1)] = -1
    gamma, beta, mean, var = (x.astype(np.float64).reshape(shape) for x in (gamma, beta, mean, var))
    x = data * (_r(*ends) / (255.5 if data.dtype == np.uint8 else 127.5))
    gamma = gamma if p.get("fix_gamma") is False else 1
    y = gamma * (x - mean) / np.sqrt(var + 1e-3) + beta
    low, high = p["min_calib_range"], p["max_calib_range"]
    return _integers(y * 127.5 / max(abs(low), abs(high)), "int8"), _array(low), _array(high)


def _embedding(data: Any, weight: Any, low: Any, high: Any, **_: Any) -> Any:
    return weight[np.clip(data.astype(int), 0, len(weight) - 1)], low, high


def _case(op: str, expected: Any, *values: Any, **params: Any) -> OpCase:
    shapes = tuple(np.shape(v) if v is not None else None for v in values)
    inputs = {i: v for i, v in enumerate(values) if v is not None}
    return OpCase(f"_contrib_quantized_{op}", shapes, expected, params, inputs=inputs)


ONE = _array(-1.0), _array(1.0)
TWO = _array(-2.0), _array(1.5)
FOUR = _array(-4.0), _array(3.0)
DTYPES = ("int8", "uint8")
VECTORS = (_array(1.5, 2, 0.5), _array(0.1, 0.2, 0.3), _array(0, 0.1, 0.2), _array(1, 2, 0.5))
CALIB = {"min_calib_range": -2.0, "max_calib_range": 2.5}
WITHOUT = (None, None)
W = _drawn("int8", 4, 3, 3, 2)
B = _drawn("int8", 4)

CASES = (
    *(
        _case("fully_connected", _sums(nd.FullyConnected), *values, num_hidden=4, **params)
        for d in DTYPES
        for values, params in (
            ((_drawn(d, 2, 3), _drawn("int8", 4, 3), B, *ONE, *TWO, *FOUR), {}),
            ((_drawn(d, 0, 3), _drawn("int8", 4, 3), B, *ONE, *TWO, *FOUR), {}),
            (
                (_drawn(d, 2, 5, 3), _drawn("int8", 4, 15), None, *ONE, *TWO, *WITHOUT),
                {"no_bias": True},
            ),
            (
                (_drawn(d, 2, 5, 3), _drawn("int8", 4, 3), B, *ONE, *TWO, *FOUR),
                {"flatten": False},
            ),
        )
    ),
    *(
        _case("conv", _sums(nd.Convolution), *values, num_filter=4, **params)
        for d in DTYPES
        for values, params in (
            ((_drawn(d, 2, 3, 5, 4), W, B, *ONE, *TWO, *FOUR), {"kernel": (3, 2)}),
            (
                (_drawn(d, 1, 6, 5, 4), W, None, *ONE, *TWO, *WITHOUT),
                {"kernel": (3, 2), "num_group": 2, "pad": (1, 1), "stride": (2, 1)}
                | {"no_bias": True},
            ),
            (
                (_drawn(d, 2, 9, 9, 4), _drawn("int8", 4, 3, 3, 4), B, *ONE, *TWO, *FOUR),
                {"kernel": (3, 3), "layout": "NHWC"},
            ),
        )
    ),
    *(
        _case("pooling", _pooling, _drawn(d, 2, 3, 5, 4), *ONE, kernel=(2, 3), pool_type=t, **extra)
        for d in DTYPES
        for t in ("avg", "max")
        for extra in ({}, {"pad": (1, 1), "stride": (2, 2)}, {"global_pool": True})
    ),
    *(_case("act", _act, _drawn(d, 2, n), *TWO, act_type="relu") for d in DTYPES for n in (0, 3)),
    *(
        _case("flatten", _flatten, _drawn(d, *shape), *TWO)
        for d in DTYPES
        for shape in ((3,), (2, 3, 5), (0, 3), (2, 0, 3))
    ),
    *(
        _case("concat", _concat, _drawn(a, 2, 3), _drawn(b, 2, 1), *ONE, *TWO, num_args=2, dim=dim)
        for a in DTYPES
        for b in DTYPES
        for dim in (1, -1)
    ),
    *(
        _case("elemwise_add", _add, _drawn(a, *s), _drawn(b, *s), *ONE, *TWO, **CALIB)
        for a in DTYPES
        for b in DTYPES
        for s in ((2, 3), (0,))
    ),
    _case("elemwise_add", None, _drawn("uint8", 2, 3), _drawn("int8", 2, 3), *ONE, *TWO),
    *(
        _case("elemwise_mul", _mul, _drawn(a, *s), _drawn(b, *s), *ONE, *TWO, **extra)
        for a in DTYPES
        for b in DTYPES
        for s in ((2, 3), (0,))
        for extra in ({}, CALIB, {"enable_float_output": True})
    ),
    *(
        _case("batch_norm", _batch_norm, _drawn(d, *s), *VECTORS, *TWO, **extra, **CALIB)
        for d in DTYPES
        for s, extra in (((2, 3, 5), {}), ((1, 2, 3), {"axis": -1, "fix_gamma": False}))
    ),
    _case("batch_norm", None, _drawn("int8", 2, 3, 5), *VECTORS, *TWO),
    _case(
        *("embedding", _embedding, _array(0, 3, 9, -1), _drawn("int8", 4, 3), *TWO),
        input_dim=4,
        output_dim=3,
    ),
)
