"""Export of normalisation layers."""

from collections.abc import Sequence

import numpy as np

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []


@converter("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm", "_contrib_BatchNormWithReLU")
def _batch_norm(call: Call) -> list[str]:
    params = call.params
    x, dtype = call.x, call.dtype()
    rank = call.rank()
    axis = call.axis(params.get("axis", 1))
    names = [call.name(i) for i in range(1, 5)]
    of_weights = call.dtype(1)
    if params["fix_gamma"]:
        # fix_gamma: the stored gamma is ignored.
        names[0] = call.constant(np.ones(call.shape(1)), of_weights)
    x = call.cast_from(x, dtype, of_weights)  # float16 data is normalised in float32
    if rank == 1:
        raise call.refused("its data has one axis; ONNX's BatchNormalization takes two or more")
    # BatchNormalization wants channels at axis 1.
    axis_first = [0, axis, *(i for i in range(1, rank) if i != axis)] if axis else None
    if axis == 0:
        x = call.unsqueeze(x, 0)
    elif axis_first is not None:
        x = call.transpose(x, *axis_first)
    y = call.op("BatchNormalization", x, *names, epsilon=params["eps"])
    if axis == 0:
        y = call.squeeze(y, 0)
    elif axis_first is not None:
        y = call.transpose(y, *np.argsort(axis_first).tolist())
    y = call.cast_from(y, of_weights, dtype)
    if call.op_name == "_contrib_BatchNormWithReLU":
        y = call.op("Relu", y)
    if call.op_name == "_contrib_SyncBatchNorm":
        return [y, names[2], names[3]]
    deviation = call.op("Sqrt", call.op("Add", names[3], call.constant(params["eps"], of_weights)))
    return [y, names[2], call.op("Reciprocal", deviation)]


def _standardised(call: Call, x: str, axes: Sequence[int]) -> tuple[str, str, str]:
    """Return ``(x - mean) / sqrt(var + eps)``, the mean, and ``sqrt(var + eps)``."""
    mean = call.reduce("ReduceMean", x, axes, keepdims=True)
    centred = call.op("Sub", x, mean)
    variance = call.reduce("ReduceMean", call.op("Mul", centred, centred), axes, keepdims=True)
    deviation = call.op("Sqrt", call.op("Add", variance, call.like(call.params["eps"])))
    return call.op("Div", centred, deviation), mean, deviation


def _scaled_and_shifted(call: Call, y: str, shape: Sequence[int]) -> str:
    """Return ``y * gamma + beta``, with inputs 1 and 2 reshaped to ``shape``."""
    gamma, beta = (call.op("Reshape", call.name(i), call.ints(*shape)) for i in (1, 2))
    return call.op("Add", call.op("Mul", y, gamma), beta)


@converter("LayerNorm")
def _layer_norm(call: Call) -> list[str]:
    params, rank = call.params, call.rank()
    axis = call.axis(params["axis"])
    y, mean, deviation = _standardised(call, call.x, [axis])
    # LayerNormalization came with opset 17.
    if axis == rank - 1 and call.opset >= 17:  # noqa: PLR2004
        names = call.x, call.name(1), call.name(2)
        return [call.op("LayerNormalization", *names, epsilon=params["eps"]), mean, deviation]
    shape = [1] * rank
    shape[axis] = -1
    return [_scaled_and_shifted(call, y, shape), mean, deviation]


@converter("GroupNorm")
def _group_norm(call: Call) -> list[str]:
    groups, dims = call.params["num_groups"], call.dims()
    rows = call.op("Reshape", call.x, call.ints(0, groups, -1))
    y, mean, deviation = _standardised(call, rows, [2])
    y = _scaled_and_shifted(call, y, (1, groups, 1))
    return [call.reshape(y, dims), call.squeeze(mean, 2), call.squeeze(deviation, 2)]


@converter("InstanceNorm")
def _instance_norm(call: Call) -> str:
    names = call.x, call.name(1), call.name(2)
    return call.op("InstanceNormalization", *names, epsilon=call.params["eps"])


@converter("L2Normalization")
def _l2_normalization(call: Call) -> str:
    mode, rank = call.params["mode"], call.rank()
    axes = {"instance": range(1, rank), "channel": [1], "spatial": range(2, rank)}[mode]
    total = call.reduce("ReduceSumSquare", call.x, list(axes), keepdims=True)
    length = call.op("Sqrt", call.op("Add", total, call.like(call.params["eps"])))
    return call.op("Div", call.x, length)


@converter("LRN")
def _lrn(call: Call) -> str:
    params = call.params
    options = {"alpha": params["alpha"], "beta": params["beta"], "bias": params["knorm"]}
    return call.op("LRN", call.x, size=params["nsize"], **options)
