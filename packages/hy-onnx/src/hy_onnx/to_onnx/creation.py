"""Export of creation operators, as constants."""

import numpy as np

from hy_ndarray import NDArray, ops
from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []


def _filled(call: Call, value: float) -> str:
    dims, dtype = call.out_dims(), call.out_dtype()
    if all(isinstance(n, int) for n in dims):
        return call.constant(np.full(call.out_shape(), value), dtype)
    return call.expand(call.constant(value, dtype), dims)


@converter("_zeros", "_zeros_without_dtype", "zeros_like")
def _zeros(call: Call) -> str:
    return _filled(call, 0)


@converter("_ones", "ones_like")
def _ones(call: Call) -> str:
    return _filled(call, 1)


@converter("_full")
def _full(call: Call) -> str:
    return _filled(call, call.params["value"])


@converter("_npi_full_like")
def _full_like(call: Call) -> str:
    return _filled(call, call.params["fill_value"])


@converter(
    "_arange",
    "_eye",
    "_linspace",
    "_npi_arange",
    "_npi_blackman",
    "_npi_eye",
    "_npi_hamming",
    "_npi_hanning",
    "_npi_identity",
    "_npi_indices",
    "_npi_logspace",
)
def _computed_now(call: Call) -> str:
    """Compute a node without inputs during export; return its value as a constant."""
    params = {**call.params}
    if params.get("infer_range"):
        numbers = params["start"] + params["step"] * np.arange(call.out_shape()[0])
        return call.constant(numbers, call.out_dtype())
    op = ops.find(call.op_name)
    array = NDArray.call_operator(op, op.name, (), {**params})
    return call.constant(array.asnumpy(), call.out_dtype())
