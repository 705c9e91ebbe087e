"""Import of recurrent layers."""

from typing import Any

import numpy as np

from hy_ndarray import numpy_type
from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.control import for_each
from hy_onnx.from_onnx.registry import reader
from hy_onnx.from_onnx.value import Tensor

__all__: list[str] = []

_ORDER = {"lstm": (0, 2, 3, 1), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
"""Positions of the catalogue's gates among ONNX's: i, f, g, o in i, o, f, c; r, z, n in z, r, h."""

_DEFAULT_ACTIVATIONS = {"lstm": ["Sigmoid", "Tanh", "Tanh"], "gru": ["Sigmoid", "Tanh"]}


def _mode(call: Call) -> str:
    directions = 2 if call.attr("direction", "forward") == "bidirectional" else 1
    activations = call.attr("activations")
    if call.node.op == "RNN":
        kinds = set(activations or ["Tanh"])
        if kinds not in ({"Tanh"}, {"Relu"}):
            raise call.refused(f"activations={activations}; the catalogue has Tanh and Relu")
        return "rnn_relu" if kinds == {"Relu"} else "rnn_tanh"
    mode = call.node.op.lower()
    if activations and list(activations) != _DEFAULT_ACTIVATIONS[mode] * directions:
        raise call.refused(
            f"activations={activations}; the catalogue has {_DEFAULT_ACTIVATIONS[mode]}"
        )
    return mode


def _refuse_variants(call: Call) -> None:
    for name in ("clip", "layout", "input_forget"):
        if call.attr(name):
            raise call.refused(f"{name}={call.attr(name)}; the catalogue's layers have none")
    if call.has(7):
        raise call.refused("peepholes (input P); the catalogue's LSTM has none")


def _parameter_vector(call: Call, mode: str, hidden: int) -> Tensor:
    """Return weights and biases as the flat parameter vector of operator ``RNN``."""
    order = list(_ORDER[mode])
    w, u = call.known(1, "weight W"), call.known(2, "weight R")
    count = len(order) * hidden
    if w.ndim != 3 or w.shape[1] != count or u.shape != (len(w), count, hidden):  # noqa: PLR2004
        raise call.refused(f"weights W {w.shape} and R {u.shape} do not fit hidden_size={hidden}")
    biases = call.known(3, "bias B") if call.has(3) else np.zeros((len(w), 2 * count), w.dtype)
    parts: list[Any] = []
    for a, b in zip(w, u, strict=True):
        # Gates are reordered in the weights, once, not at run time.
        parts += [m.reshape(len(order), hidden, -1)[order].reshape(-1) for m in (a, b)]
    for both in biases:
        parts += [
            v.reshape(len(order), hidden)[order].reshape(-1) for v in (both[:count], both[count:])
        ]
    return call.parameter(f"{call.title}_parameters", np.concatenate(parts))


@reader("LSTM", "GRU", "RNN")
def _recurrent(call: Call) -> list[Tensor]:
    _refuse_variants(call)
    mode, hidden = _mode(call), call.attr("hidden_size")
    # ONNX's default resets the state before the product, cuDNN and MXNet after it.
    if mode == "gru" and not call.attr("linear_before_reset", 0):
        return _gru(call, hidden)  # the catalogue's resets after the product
    directions = 2 if call.attr("direction", "forward") == "bidirectional" else 1
    states = [_state(call, 5, directions, hidden)]
    if mode == "lstm":
        states.append(_state(call, 6, directions, hidden))
    lengths = [call.tensor(4)] if call.has(4) else []
    back = call.attr("direction", "forward") == "reverse"
    y, *last = call.ops(
        "RNN",
        _reversed(call, call.x, lengths) if back else call.x,
        _parameter_vector(call, mode, hidden),
        *states,
        *lengths,
        state_size=hidden,
        num_layers=1,
        bidirectional=directions == 2,  # noqa: PLR2004
        mode=mode,
        state_outputs=True,
        use_sequence_length=bool(lengths),
    )
    y = _reversed(call, y, lengths) if back else y
    y = call.op("Reshape", y, shape=(0, 0, -4, directions, hidden))
    return [call.transpose(y, 0, 2, 1, 3), *last[: len(states)]]


def _reversed(call: Call, x: Tensor, lengths: list[Tensor]) -> Tensor:
    """Return sequences reversed in time, each within its length if lengths are given."""
    if lengths:
        return call.op("SequenceReverse", x, *lengths, use_sequence_length=True)
    return call.op("reverse", x, axis=(0,))


def _state(call: Call, i: int, directions: int, hidden: int) -> Tensor:
    """Return the initial state in input ``i``, zeros if omitted."""
    if call.has(i):
        return call.tensor(i)
    zeros = call.filled((directions, 1, hidden), np.zeros((), numpy_type(call.x.dtype)))
    return call.op("broadcast_like", zeros, call.x, lhs_axes=(1,), rhs_axes=(1,))


# --- a GRU that resets the state before the product ------------------------------------------


def _gru(call: Call, hidden: int) -> list[Tensor]:
    """Convert a GRU that resets before the product to one loop over steps per direction."""
    kind = call.attr("direction", "forward")
    turns = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[kind]
    states = _state(call, 5, len(turns), hidden)
    rows, last = [], []
    for k, back in enumerate(turns):
        begin = call.op("slice_axis", states, axis=0, begin=k, end=k + 1)
        y, after = _direction(call, k, call.op("squeeze", begin, axis=(0,)), back=back)
        rows.append(call.op("expand_dims", y, axis=1))
        last.append(call.op("expand_dims", after, axis=0))
    if len(turns) == 1:
        return [rows[0], last[0]]
    return [call.op("Concat", *rows, dim=1), call.op("Concat", *last, dim=0)]


def _direction(call: Call, k: int, begin: Tensor, *, back: bool) -> tuple[Tensor, Tensor]:
    """Return the outputs and the last state of direction ``k`` of a GRU."""
    lengths = [call.cast(call.tensor(4), "float32")] if call.has(4) else []
    x = _reversed(call, call.x, lengths) if back else call.x
    cell = _Cell(call, k)
    projected = call.op(
        "FullyConnected", x, cell.w, cell.w_bias, num_hidden=3 * cell.hidden, flatten=False
    )
    steps = [call.op("_contrib_arange_like", x, axis=0)] if lengths else []
    data = [projected, *(call.cast(step, "float32") for step in steps)]

    def step(slices: list[Tensor], old: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        new = cell.after(slices[0], old[0])
        if not lengths:
            return [new], [new]
        inside = call.op("expand_dims", call.op("_npi_less", slices[1], lengths[0]), axis=1)
        masked = call.op("_npi_where", inside, new, old[0])
        return [masked], [call.op("_npi_where", inside, new, call.op("zeros_like", new))]

    (last,), (y,) = for_each(call, data, [begin], step, [True] * (len(data) + 1))
    return _reversed(call, y, lengths) if back else y, last


class _Cell:
    """GRU cell with the weights of one direction; gates are in ONNX's order z, r, h."""

    def __init__(self, call: Call, k: int) -> None:
        self._call = call
        w, u = call.known(1, "weight W")[k], call.known(2, "weight R")[k]
        self.hidden = n = u.shape[1]
        biases = call.known(3, "bias B")[k] if call.has(3) else np.zeros(6 * n, w.dtype)
        self.w, self.w_bias = self._learned("W", k, w), self._learned("Wb", k, biases[: 3 * n])
        self._gates = self._learned("Rzr", k, u[: 2 * n])
        self._gates_bias = self._learned("Rbzr", k, biases[3 * n : 5 * n])
        self._u = self._learned("Rh", k, u[2 * n :])
        self._u_bias = self._learned("Rbh", k, biases[5 * n :])

    def _learned(self, name: str, k: int, value: Any) -> Tensor:
        return self._call.parameter(f"{self._call.title}_{name}{k}", np.ascontiguousarray(value))

    def after(self, projected: Tensor, old: Tensor) -> Tensor:
        """Return the next state ``n + z * (h - n)``, where ``n = tanh(W x + U (r * h) + b)``."""
        call, n = self._call, self.hidden
        of_x = call.ops("SliceChannel", projected, num_outputs=3, axis=1)
        gates = call.op("FullyConnected", old, self._gates, self._gates_bias, num_hidden=2 * n)
        of_h = call.ops("SliceChannel", gates, num_outputs=2, axis=1)
        z, r = (
            call.op("sigmoid", call.op("elemwise_add", a, b))
            for a, b in zip(of_x, of_h, strict=False)
        )
        part = call.op("elemwise_mul", r, old)
        part = call.op("FullyConnected", part, self._u, self._u_bias, num_hidden=n)
        new = call.op("tanh", call.op("elemwise_add", of_x[2], part))
        rest = call.op("elemwise_mul", z, call.op("elemwise_sub", old, new))
        return call.op("elemwise_add", new, rest)
