"""Cases of recurrent layers: types, gradients and lengths; golden files hold most values."""

from typing import Any

import numpy as np

from hy_ndarray import kernel_table, ops
from hy_ndarray.testing.op_case import OpCase

_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "gru": 3, "lstm": 4}


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _cell(mode: str, x: Any, h: Any, c: Any, bounds: tuple[float, float]) -> tuple[Any, Any]:
    """Return the next state and cell state, given the products of input and state by gate."""
    if mode == "lstm":
        i, f, g, o = (x + h).reshape(4, -1)
        c = np.clip(_sigmoid(f) * c + _sigmoid(i) * np.tanh(g), *bounds)
        return _sigmoid(o) * np.tanh(c), c
    return (np.tanh(x + h) if mode == "rnn_tanh" else np.maximum(x + h, 0)), c


def _gru(x: Any, u: Any, h: Any) -> Any:
    (xr, xz, xn), (ur, uz, un) = x.reshape(3, -1), u.reshape(3, -1)
    z = _sigmoid(xz + uz)
    return (1 - z) * np.tanh(xn + _sigmoid(xr + ur) * un) + z * h


def _rnn(
    data: Any,
    parameters: Any,
    state: Any,
    *more: Any,
    state_size: int,
    num_layers: int,
    mode: str,
    bidirectional: bool = False,
    state_outputs: bool = False,
    projection_size: int | None = None,
    use_sequence_length: bool = False,
    lstm_state_clip_min: float = -np.inf,
    lstm_state_clip_max: float = np.inf,
    **_: Any,
) -> Any:
    """Return the results of recurrent layers, one sequence, direction and step at a time."""
    steps, batch = data.shape[:2]
    bounds = (lstm_state_clip_min, lstm_state_clip_max)
    lengths = more[-1] if use_sequence_length else np.full(batch, steps)
    memory = more[0] if mode == "lstm" else np.zeros_like(state)
    rows, size = _GATES[mode] * state_size, projection_size or state_size
    directions = 2 if bidirectional else 1
    at = 0

    def take(*shape: int) -> Any:
        nonlocal at
        at += int(np.prod(shape))
        return parameters[at - int(np.prod(shape)) : at].reshape(shape)

    layers = range(num_layers * directions)
    weights = []
    for k in layers:
        inputs = data.shape[2] if k < directions else directions * size
        pair = take(rows, inputs), take(rows, size)
        weights.append((*pair, take(size, state_size) if projection_size else np.eye(size)))
    biases = [(take(rows), take(rows)) for _ in layers]
    ends, memories = state.copy(), memory.copy()
    x = data
    for layer in range(num_layers):
        y = np.zeros((steps, batch, directions * size))
        for d in range(directions):
            k = layer * directions + d
            (w, u, p), (b, e) = weights[k], biases[k]
            for n in range(batch):
                h, c = state[k, n], memory[k, n]
                for t in range(int(lengths[n]))[:: -1 if d else 1]:
                    if mode == "gru":
                        h = _gru(w @ x[t, n] + b, u @ h + e, h)
                    else:
                        m, c = _cell(mode, w @ x[t, n] + b, u @ h + e, c, bounds)
                        h = p @ m
                    y[t, n, d * size : (d + 1) * size] = h
                ends[k, n], memories[k, n] = h, c
        x = y
    if not state_outputs:
        return x
    return (x, ends, memories) if mode == "lstm" else (x, ends)


def _case(
    mode: str,
    *,
    layers: int = 1,
    both: bool = False,
    projection: int | None = None,
    lengths: bool = False,
    states: bool = True,
    batch: int = 2,
    **more: Any,
) -> OpCase:
    steps, features, hidden = 3, 2, 3
    directions = 2 if both else 1
    size, rows = projection or hidden, _GATES[mode] * hidden
    count = 0
    for layer in range(layers):
        inputs = directions * size if layer else features
        count += directions * (rows * (inputs + size + 2) + (size * hidden if projection else 0))
    state = (layers * directions, batch, size)
    params = {
        "state_size": hidden,
        "num_layers": layers,
        "mode": mode,
        "bidirectional": both,
        "state_outputs": states,
        "projection_size": projection,
        "use_sequence_length": lengths,
        **more,
    }
    return OpCase(
        "RNN",
        (
            (steps, batch, features),
            (count,),
            state,
            (layers * directions, batch, hidden) if mode == "lstm" else None,
            None,
        ),
        _rnn,
        params,
        inputs={4: np.array([3.0, 1.0])} if lengths else {},
        is_train=True,
    )


def _backward_case() -> OpCase:
    """Return a case of ``_rnn_backward`` whose reserve space comes from a training pass."""
    rng = np.random.default_rng(8)
    options = {"state_size": 4, "num_layers": 1, "mode": "rnn_tanh"}
    inputs = [rng.uniform(-2, 2, shape) for shape in ((3, 2, 2), (32,), (1, 2, 4))]
    layer = ops.find("RNN")
    kernel = kernel_table("numpy").find(layer.kernel)
    assert kernel is not None
    params = layer.parse(options)
    _, reserve = kernel.function(*inputs, None, None, **params, is_train=True, rng=None)
    operands = dict(enumerate([*inputs, reserve], start=1))
    shapes = ((3, 2, 4), *(value.shape for value in operands.values()), *(None,) * 4)
    return OpCase("_rnn_backward", shapes, None, options, inputs=operands)


CASES = (
    *(_case(mode) for mode in _GATES),
    *(_case(mode, layers=2, both=True, states=False) for mode in _GATES),
    *(_case(mode, layers=2, both=True, lengths=True) for mode in _GATES),
    _case("lstm", projection=2),
    _case("lstm", projection=2, layers=2, both=True, lengths=True),
    _case("lstm", lstm_state_clip_min=-0.3, lstm_state_clip_max=0.4),
    _case("gru", batch=0),
    _backward_case(),
)
