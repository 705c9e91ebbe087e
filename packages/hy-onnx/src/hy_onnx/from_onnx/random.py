"""Import of random operators, seeded by ``random.seed``; a model's seed is ignored."""

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.dtypes import DTYPES
from hy_onnx.from_onnx.registry import reader
from hy_onnx.from_onnx.value import Tensor

__all__: list[str] = []


def _random_node(call: Call, op: str, **options: float) -> Tensor:
    code = call.attr("dtype", 0 if call.operands else 1)
    dtype = DTYPES.get(code) if code else call.x.dtype
    if dtype not in ("float16", "float32", "float64"):
        raise call.refused(f"numbers of dtype {dtype or code}; the catalogue draws floating ones")
    if not call.operands:
        return call.op(op, shape=tuple(call.attr("shape")), dtype=dtype, **options)
    return call.cast(call.op(f"{op}_like", call.cast(call.x, dtype), **options), dtype)


@reader("RandomUniform", "RandomUniformLike")
def _uniform(call: Call) -> Tensor:
    options = {"low": call.attr("low", 0.0), "high": call.attr("high", 1.0)}
    return _random_node(call, "_random_uniform", **options)


@reader("RandomNormal", "RandomNormalLike")
def _normal(call: Call) -> Tensor:
    options = {"loc": call.attr("mean", 0.0), "scale": call.attr("scale", 1.0)}
    return _random_node(call, "_random_normal", **options)


@reader("Bernoulli")
def _bernoulli(call: Call) -> Tensor:
    """Draw 1 with probability ``x``; ONNX's function definition has the probability of 0."""
    x, code = call.x, call.attr("dtype", 0)
    if code and code not in DTYPES:
        raise call.refused(f"dtype={code}: hy has no such dtype")
    drawn = call.op("_random_uniform_like", x, low=0.0, high=1.0)
    return call.cast(call.op("_npi_less", drawn, x), DTYPES[code] if code else x.dtype)
