"""Export of random operators, whose results depend on the runtime."""

import numpy as np

from hy_onnx.to_onnx.call import DTYPE_CODES, Call
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []

_SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)
"""Lower bound of numbers before their logarithm is taken."""


@converter("_random_uniform", "_random_uniform_like")
def _uniform(call: Call) -> str:
    return _random_node(call, "RandomUniform", low=call.params["low"], high=call.params["high"])


@converter("_random_normal", "_random_normal_like")
def _normal(call: Call) -> str:
    return _random_node(call, "RandomNormal", mean=call.params["loc"], scale=call.params["scale"])


@converter("_random_exponential", "_random_exponential_like")
def _exponential(call: Call) -> str:
    y = call.op(
        "Neg", call.op("Log", _random_node(call, "RandomUniform", low=_SMALLEST_NORMAL, high=1.0))
    )
    return call.op("Div", y, call.constant(call.params["lam"], call.out_dtype()))


def _random_node(call: Call, op: str, **options: float) -> str:
    code = DTYPE_CODES[call.out_dtype()]
    if call.names:
        return call.op(f"{op}Like", call.x, dtype=code, **options)
    return call.op(op, dtype=code, shape=list(call.out_shape()), **options)


# --- with parameters that are numbers, or arrays that broadcast -----------------------------------


def _noise(call: Call, op: str = "RandomUniform", low: float = 0.0) -> str:
    """Return float32 noise in the output's shape: uniform in ``[low, 1)``, or standard normal."""
    options = {"low": low, "high": 1.0} if op == "RandomUniform" else {"mean": 0.0, "scale": 1.0}
    return call.op(op, dtype=DTYPE_CODES["float32"], shape=list(call.out_shape()), **options)


def _parameters(call: Call, *names: str) -> list[str]:
    """Return parameters in float32: the node's numbers, or its inputs where these are None."""
    inputs = iter(range(len(call.names)))
    parameters = []
    for name in names:
        value = call.params[name]
        if value is None:
            i = next(inputs)
            parameters.append(call.cast_from(call.name(i), call.dtype(i), "float32"))
        else:
            parameters.append(call.constant(value, "float32"))
    return parameters


def _located(call: Call, noise: str, low: str, width: str) -> str:
    return call.to_output(call.op("Add", call.op("Mul", noise, width), low), "float32")


@converter("_npi_uniform", "_npi_uniform_n")
def _np_uniform(call: Call) -> str:
    low, high = _parameters(call, "low", "high")
    return _located(call, _noise(call), low, call.op("Sub", high, low))


@converter("_npi_normal", "_npi_normal_n")
def _np_normal(call: Call) -> str:
    return _located(call, _noise(call, "RandomNormal"), *_parameters(call, "loc", "scale"))


@converter("_npi_bernoulli")
def _bernoulli(call: Call) -> str:
    if call.params["is_logit"]:
        (probability,) = (call.op("Sigmoid", x) for x in _parameters(call, "logit"))
    else:
        (probability,) = _parameters(call, "prob")
    return call.to_output(call.op("Less", _noise(call), probability), "bool")


@converter("_npi_exponential")
def _np_exponential(call: Call) -> str:
    noise = call.op("Neg", call.op("Log", _noise(call, low=_SMALLEST_NORMAL)))
    return call.op("Mul", noise, *_parameters(call, "scale"))
