"""Export of stacked recurrent layers, one ONNX node per layer."""

from dataclasses import dataclass
from math import prod

import numpy as np

from hy_onnx.model import Array
from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []

_ORDER = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
"""Positions of ONNX's gates among MXNet's: i, o, f, c in i, f, g, o; z, r, h in r, z, n."""

_OPS = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN", "rnn_relu": "RNN"}


@dataclass
class _Weights:
    """Flat vector of all weights, from which slices are taken in order."""

    call: Call
    constant_value: Array | None
    """Values of the vector, if they are constant."""
    at: int = 0

    def take(self, *shape: int) -> str:
        """Return the next slice of the vector in a shape, with gates in ONNX's order."""
        begin, self.at = self.at, self.at + prod(shape)
        order = _ORDER[self.call.params["mode"]]
        if self.constant_value is not None:
            # Gates are put into ONNX's order now, where weights are known.
            part = self.constant_value[begin : self.at].reshape(len(order), -1)[list(order)]
            return self.call.builder.constant(part.reshape(shape), f"{self.call.node.name}_weight")
        part_name = self.call.slice(self.call.name(1), 0, begin, self.at)
        gates = self.call.op("Reshape", part_name, self.call.ints(len(order), -1))
        sorted_gates = self.call.op("Gather", gates, self.call.ints(*order), axis=0)
        return self.call.op("Reshape", sorted_gates, self.call.ints(*shape))


def _refuse_variants(call: Call) -> None:
    params = call.params
    for name in ("projection_size", "lstm_state_clip_min", "lstm_state_clip_max"):
        if params[name] is not None:
            raise call.refused(f"{name}={params[name]}: recurrent layers of ONNX have none")


def _layer_weights(call: Call) -> list[list[tuple[str, str]]]:
    """Return (input, state) weights per direction for each layer, then biases likewise."""
    params = call.params
    weights = _Weights(call, call.value(1))
    hidden, directions = params["state_size"], 2 if params["bidirectional"] else 1
    rows = len(_ORDER[params["mode"]]) * hidden
    matrices = []
    for layer in range(params["num_layers"]):
        width = directions * hidden if layer else call.size(0, 2)
        matrices.append(
            [(weights.take(rows, width), weights.take(rows, hidden)) for _ in range(directions)]
        )
    biases = [
        [(weights.take(rows), weights.take(rows)) for _ in range(directions)]
        for _ in range(params["num_layers"])
    ]
    return [*matrices, *biases]


def _stacked(call: Call, parts: list[str]) -> str:
    """Stack the arrays of all directions along a new first axis."""
    constants = [call.builder.constants.get(name) for name in parts]
    known = [array for array in constants if array is not None]
    if len(known) == len(parts):
        return call.builder.constant(np.stack(known), f"{call.node.name}_weight")
    return call.op("Concat", *(call.unsqueeze(name, 0) for name in parts), axis=0)


@converter("RNN")
def _recurrent(call: Call) -> list[str]:
    _refuse_variants(call)
    params = call.params
    count, mode = params["num_layers"], params["mode"]
    directions = 2 if params["bidirectional"] else 1
    matrices = _layer_weights(call)
    lengths = call.cast(call.name(4), "int32") if call.has(4) else None
    activations = {"rnn_relu": "Relu", "rnn_tanh": "Tanh"}.get(mode)
    options = {
        "hidden_size": params["state_size"],
        "direction": "bidirectional" if directions == 2 else "forward",  # noqa: PLR2004
        # MXNet's GRU resets after the product.
        "linear_before_reset": 1 if mode == "gru" else None,
        "activations": [activations] * directions if activations else None,
    }
    x, states, memories = call.x, [], []
    for layer in range(count):
        pairs, biases = matrices[layer], matrices[count + layer]
        inputs = [
            x,
            _stacked(call, [w for w, _ in pairs]),
            _stacked(call, [u for _, u in pairs]),
            _stacked(call, [_concatenated(call, *pair) for pair in biases]),
            lengths,
            _of_layer(call, 2, layer, directions),
        ]
        if mode == "lstm":
            inputs.append(_of_layer(call, 3, layer, directions))
        results = call.ops(3 if mode == "lstm" else 2, _OPS[mode], *inputs, **options)
        states.append(results[1])
        memories += results[2:]
        x = _merged(call, results[0], directions)
    outputs = [x, call.op("Concat", *states, axis=0)]
    return [*outputs, call.op("Concat", *memories, axis=0)] if memories else outputs


def _concatenated(call: Call, a: str, b: str) -> str:
    """Concatenate the two biases of a direction."""
    first, second = call.builder.constants.get(a), call.builder.constants.get(b)
    if first is not None and second is not None:
        return call.builder.constant(np.concatenate([first, second]))
    return call.op("Concat", a, b, axis=0)


def _of_layer(call: Call, i: int, layer: int, directions: int) -> str:
    """Return the initial states of one layer from input ``i``."""
    if call.params["num_layers"] == 1:
        return call.name(i)
    return call.slice(call.name(i), 0, layer * directions, (layer + 1) * directions)


def _merged(call: Call, y: str, directions: int) -> str:
    """Merge directions: reshape ``[T, D, N, H]`` to ``[T, N, D * H]``."""
    if directions == 1:
        return call.squeeze(y, 1)
    width = directions * call.params["state_size"]
    return call.op("Reshape", call.transpose(y, 0, 2, 1, 3), call.ints(0, 0, width))
