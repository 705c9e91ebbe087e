"""Recurrent layers."""

from typing import Any

import numpy as np

from hy_gluon.onnx.from_onnx.call import Call
from hy_gluon.onnx.from_onnx.registry import reader
from hy_gluon.onnx.from_onnx.value import Tensor

__all__: list[str] = []

_ORDER = {"lstm": (0, 2, 3, 1), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
"""Where the catalogue has each gate: i, f, g, o of i, o, f, c, and r, z, n of z, r, h."""

_PLAIN = {"lstm": ["Sigmoid", "Tanh", "Tanh"], "gru": ["Sigmoid", "Tanh"]}


def _mode(call: Call) -> str:
    directions = 2 if call.attr("direction", "forward") == "bidirectional" else 1
    given = call.attr("activations")
    if call.node.op == "RNN":
        kinds = set(given or ["Tanh"])
        if kinds not in ({"Tanh"}, {"Relu"}):
            raise call.refused(f"activations={given}; the catalogue has Tanh and Relu")
        return "rnn_relu" if kinds == {"Relu"} else "rnn_tanh"
    mode = call.node.op.lower()
    if given and list(given) != _PLAIN[mode] * directions:
        raise call.refused(f"activations={given}; the catalogue has {_PLAIN[mode]}")
    if mode == "gru" and not call.attr("linear_before_reset", 0):
        raise call.refused("linear_before_reset=0; the catalogue's GRU resets behind the product")
    return mode


def _check(call: Call) -> None:
    for name in ("clip", "layout", "input_forget"):
        if call.attr(name):
            raise call.refused(f"{name}={call.attr(name)}; the catalogue's layers have none")
    if call.has(7):
        raise call.refused("peepholes, which the catalogue's LSTM has not")


def _weights(call: Call, mode: str, hidden: int) -> Tensor:
    """All weights as the vector that the catalogue's operator takes."""
    order = list(_ORDER[mode])
    w, u = call.known(1, "weight W"), call.known(2, "weight R")
    count = len(order) * hidden
    biases = call.known(3, "bias B") if call.has(3) else np.zeros((len(w), 2 * count), w.dtype)
    parts: list[Any] = []
    for a, b in zip(w, u, strict=True):
        parts += [m.reshape(len(order), hidden, -1)[order].reshape(-1) for m in (a, b)]
    for both in biases:
        parts += [
            v.reshape(len(order), hidden)[order].reshape(-1) for v in (both[:count], both[count:])
        ]
    return call.graph.parameter(f"{call.title}_parameters", np.concatenate(parts))


@reader("LSTM", "GRU", "RNN")
def _recurrent(call: Call) -> list[Tensor]:
    _check(call)
    mode, hidden = _mode(call), call.attr("hidden_size")
    directions = 2 if call.attr("direction", "forward") == "bidirectional" else 1
    states = [_state(call, 5, directions, hidden)]
    if mode == "lstm":
        states.append(_state(call, 6, directions, hidden))
    lengths = [call.tensor(4)] if call.has(4) else []
    back = call.attr("direction", "forward") == "reverse"
    y, *last = call.ops(
        "RNN",
        _turned(call, call.x, lengths) if back else call.x,
        _weights(call, mode, hidden),
        *states,
        *lengths,
        state_size=hidden,
        num_layers=1,
        bidirectional=directions == 2,  # noqa: PLR2004
        mode=mode,
        state_outputs=True,
        use_sequence_length=bool(lengths),
    )
    y = _turned(call, y, lengths) if back else y
    y = call.op("Reshape", y, shape=(0, 0, -4, directions, hidden))
    return [call.transpose(y, 0, 2, 1, 3), *last[: len(states)]]


def _turned(call: Call, x: Tensor, lengths: list[Tensor]) -> Tensor:
    """Sequences from last to first."""
    if lengths:
        return call.op("SequenceReverse", x, *lengths, use_sequence_length=True)
    return call.op("reverse", x, axis=(0,))


def _state(call: Call, i: int, directions: int, hidden: int) -> Tensor:
    """The state at the begin, zeros if it is left out."""
    if call.has(i):
        return call.tensor(i)
    zeros = call.constant(np.zeros((directions, 1, hidden), call.x.dtype))
    return call.op("broadcast_like", zeros, call.x, lhs_axes=(1,), rhs_axes=(1,))
