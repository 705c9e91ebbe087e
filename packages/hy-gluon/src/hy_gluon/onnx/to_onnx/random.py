"""Random numbers, which are other ones in each run and on each machine."""

from hy_gluon.onnx.to_onnx.call import DTYPE_CODES, Call
from hy_gluon.onnx.to_onnx.registry import converter

__all__: list[str] = []


@converter("_random_uniform", "_random_uniform_like")
def _uniform(call: Call) -> str:
    return _drawn(call, "RandomUniform", low=call.params["low"], high=call.params["high"])


@converter("_random_normal", "_random_normal_like")
def _normal(call: Call) -> str:
    return _drawn(call, "RandomNormal", mean=call.params["loc"], scale=call.params["scale"])


def _drawn(call: Call, op: str, **how: float) -> str:
    code = DTYPE_CODES[call.out_dtype()]
    if call.names:
        return call.op(f"{op}Like", call.x, dtype=code, **how)
    return call.op(op, dtype=code, shape=list(call.out_shape()), **how)
