"""Export of activations, softmax and dropout."""

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__ = ["softmax_along"]

_ACTIVATIONS = {
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "softrelu": "Softplus",
    "softsign": "Softsign",
    "tanh": "Tanh",
}


@converter("Activation")
def _activation(call: Call) -> str:
    return call.op(_ACTIVATIONS[call.params["act_type"]], call.x)


@converter("LeakyReLU")
def _leaky_relu(call: Call) -> str | list[str]:
    params = call.params
    kind = params["act_type"]
    if kind == "leaky":
        return call.op("LeakyRelu", call.x, alpha=params["slope"])
    if kind == "rrelu":
        # In prediction the random slope is its mean.
        alpha = (params["lower_bound"] + params["upper_bound"]) / 2
        positive = call.op("Greater", call.x, call.like(0))
        slopes = call.op("Where", positive, call.like(1), call.like(alpha))
        return [call.op("LeakyRelu", call.x, alpha=alpha), slopes]
    if kind == "elu":
        return call.op("Elu", call.x, alpha=params["slope"])
    if kind == "selu":
        return call.op("Selu", call.x)
    return _gelu(call) if kind == "gelu" else _prelu(call)


def _gelu(call: Call) -> str:
    if call.opset >= 20:  # noqa: PLR2004
        return call.op("Gelu", call.x)
    # Gelu is an operator from opset 20 on.
    curve = call.op("Erf", call.op("Mul", call.x, call.like(0.5**0.5)))
    half = call.op("Mul", call.x, call.like(0.5))
    return call.op("Mul", half, call.op("Add", curve, call.like(1)))


def _prelu(call: Call) -> str:
    gamma, shape = call.name(1), call.shape(1)
    if len(shape) == 1 and shape[0] > 1 and call.rank() > 1:  # a slope for each channel
        gamma = call.op("Reshape", gamma, call.ints(-1, *(1,) * (call.rank() - 2)))
    return call.op("PRelu", call.x, gamma)


def softmax_along(call: Call, op: str, x: str, dtype: str) -> str:
    """Add ``op``, softmax or log softmax, with the node's parameters; return the result's name."""
    params = call.params
    if params["temperature"] not in (None, 1.0):
        x = call.op("Div", x, call.constant(params["temperature"], dtype))
    return call.to_output(call.op(op, x, axis=params["axis"]), dtype)


@converter("softmax")
def _softmax(call: Call) -> str:
    if not call.has(1):
        return softmax_along(call, "Softmax", call.x, call.dtype())
    axis, dims, dtype = call.axis(call.params["axis"]), call.dims(), call.dtype()
    indices = call.positions(axis, call.dtype(1))
    shape = [1] * len(dims)
    shape[axis] = -1
    indices = call.op("Reshape", indices, call.ints(*shape))
    inside = call.op("Less", indices, call.unsqueeze(call.name(1), axis))
    # -inf, so that hidden positions take no part in the sum.
    masked = call.op("Where", inside, call.x, call.constant(float("-inf"), dtype))
    y = softmax_along(call, "Softmax", masked, dtype)
    return call.op("Where", inside, y, call.constant(0, call.out_dtype()))  # of length 0: nan else


@converter("softmin")
def _softmin(call: Call) -> str:
    return softmax_along(call, "Softmax", call.op("Neg", call.x), call.dtype())


@converter("log_softmax")
def _log_softmax(call: Call) -> str:
    return softmax_along(call, "LogSoftmax", call.x, call.dtype())


@converter("Dropout")
def _dropout(call: Call) -> str:
    if call.params["mode"] == "always":
        raise call.refused("mode='always' draws random numbers; export with mode='training'")
    return call.x


@converter("hard_sigmoid")
def _hard_sigmoid(call: Call) -> str:
    return call.op("HardSigmoid", call.x, alpha=call.params["alpha"], beta=call.params["beta"])
