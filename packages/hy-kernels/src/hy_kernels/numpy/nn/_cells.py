"""Recurrent cells over a whole sequence: plain, GRU and LSTM, and their gradients.

Shapes: ``T`` steps, ``N`` sequences, ``I`` inputs, ``H`` the hidden size, ``R`` the size of a
result (``H``, or that of an LSTM's projection), ``G`` gates. Gates lie in MXNet's order: input,
forget, new, output in an LSTM; reset, update, new in a GRU.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = ["GATES", "KEPT", "Clip", "Run", "Weights", "backward", "forward"]

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "gru": 3, "lstm": 4}
KEPT = {"rnn_relu": 1, "rnn_tanh": 1, "gru": 4, "lstm": 5}
"""The gates, and what else gradients need: a GRU's recurrent part, an LSTM's memory."""

Clip: TypeAlias = tuple[float | None, float | None, bool]
"""Bounds of an LSTM's memory, and whether they also catch nan."""


class Weights(NamedTuple):
    """Views of the parameters of one layer and direction."""

    inputs: Array
    """``[G H, I]``."""
    hidden: Array
    """``[G H, R]``."""
    projection: Array | None
    """``[R, H]``."""
    input_bias: Array
    """``[G H]``."""
    hidden_bias: Array
    """``[G H]``."""


class Run(NamedTuple):
    """One layer and direction over its sequence."""

    mode: str
    weights: Weights
    state: Array
    """``[N, R]``, before the first step."""
    memory: Array | None
    """``[N, H]`` of an LSTM, before the first step."""
    kept: Array
    """``T N KEPT H`` numbers."""
    results: Array
    """``[T, N, R]``; behind the end of a sequence its last state."""
    order: range
    """The steps in the order they are taken."""
    invalid: Array | None
    """``[T, N, 1]``: where a sequence has ended."""
    clip: Clip

    @property
    def size(self) -> int:
        """H."""
        return len(self.weights.input_bias) // GATES[self.mode]

    @property
    def gates(self) -> Array:
        """``[T, N, G H]``."""
        steps, batch = self.results.shape[:2]
        width = len(self.weights.input_bias)
        return self.kept[: steps * batch * width].reshape(steps, batch, width)

    @property
    def extra(self) -> Array:
        """``[T, N, H]``: the memory of an LSTM, the recurrent part of a GRU."""
        steps, batch = self.results.shape[:2]
        width = len(self.weights.input_bias)
        return self.kept[steps * batch * width :].reshape(steps, batch, self.size)

    def before(self, values: Array, first: Array) -> Array:
        """``values`` as they were one step earlier, ``first`` before all."""
        result = np.empty_like(values)
        if self.order.step > 0:
            result[:1], result[1:] = first, values[:-1]
        else:
            result[-1:], result[:-1] = first, values[1:]
        return result


def forward(run: Run, x: Array) -> tuple[Array, Array | None]:
    """Fill ``run.results`` from ``x [T, N, I]``; the states after the last step."""
    gates = run.gates
    width = gates.shape[2]
    np.matmul(x.reshape(-1, x.shape[2]), run.weights.inputs.T, out=gates.reshape(-1, width))
    bias = run.weights.input_bias + run.weights.hidden_bias
    if run.mode == "gru":  # the reset gate works on the recurrent part and its bias
        bias[2 * run.size :] = run.weights.input_bias[2 * run.size :]
    gates += bias
    if run.mode == "lstm":
        return _lstm(run, gates)
    return (_gru if run.mode == "gru" else _plain)(run, gates), None


def _keep(target: Array, before: Array, run: Run, t: int) -> None:
    """Where a sequence has ended, its state stays."""
    if run.invalid is not None:
        np.copyto(target, before, where=run.invalid[t])


def _plain(run: Run, gates: Array) -> Array:
    recurrent = run.weights.hidden.T
    h = run.state
    through = np.empty_like(h)
    for t in run.order:
        a = gates[t]
        np.matmul(h, recurrent, out=through)
        a += through
        if run.mode == "rnn_tanh":
            np.tanh(a, out=a)
        else:
            np.maximum(a, 0, out=a)
        run.results[t] = a
        _keep(run.results[t], h, run, t)
        h = run.results[t]
    return h


def _sigmoid(x: Array) -> None:
    """In place, as half a hyperbolic tangent of the half."""
    x *= 0.5
    np.tanh(x, out=x)
    x *= 0.5
    x += 0.5


def _gru(run: Run, gates: Array) -> Array:
    size = run.size
    recurrent, bias = run.weights.hidden.T, run.weights.hidden_bias[2 * size :]
    h, extra = run.state, run.extra
    through = np.empty(gates.shape[1:], gates.dtype)
    for t in run.order:
        a, m, result = gates[t], extra[t], run.results[t]
        np.matmul(h, recurrent, out=through)
        np.add(through[:, 2 * size :], bias, out=m)
        both, new = a[:, : 2 * size], a[:, 2 * size :]
        both += through[:, : 2 * size]
        _sigmoid(both)
        np.multiply(both[:, :size], m, out=result)
        new += result
        np.tanh(new, out=new)
        np.subtract(h, new, out=result)  # (1 - z) n + z h
        result *= both[:, size:]
        result += new
        _keep(result, h, run, t)
        h = result
    return h


def _lstm(run: Run, gates: Array) -> tuple[Array, Array]:
    size = run.size
    recurrent, projection = run.weights.hidden.T, run.weights.projection
    h, c, extra = run.state, run.memory, run.extra
    assert c is not None
    through, m = np.empty(gates.shape[1:], gates.dtype), np.empty_like(c)
    half = np.full(4 * size, 0.5, gates.dtype)  # sigmoid(x) = tanh(x / 2) / 2 + 1 / 2
    half[2 * size : 3 * size] = 1
    offset = np.where(half == 1, 0, half)
    for t in run.order:
        a, memory = gates[t], extra[t]
        np.matmul(h, recurrent, out=through)
        a += through
        a *= half
        np.tanh(a, out=a)
        a *= half
        a += offset
        np.multiply(a[:, size : 2 * size], c, out=memory)
        np.multiply(a[:, :size], a[:, 2 * size : 3 * size], out=m)
        memory += m
        _clip(memory, run.clip)
        _keep(memory, c, run, t)
        np.tanh(memory, out=m)
        m *= a[:, 3 * size :]
        if projection is None:
            run.results[t] = m
        else:
            np.matmul(m, projection.T, out=run.results[t])
        _keep(run.results[t], h, run, t)
        h, c = run.results[t], memory
    return h, c


def _clip(memory: Array, clip: Clip) -> None:
    low, high, also_nan = clip
    if low is None or high is None:
        return
    lower, upper = (np.fmax, np.fmin) if also_nan else (np.maximum, np.minimum)
    lower(memory, memory.dtype.type(low), out=memory)
    upper(memory, memory.dtype.type(high), out=memory)


def backward(
    run: Run,
    x: Array,
    dy: Array,
    ends: tuple[Array, Array | None],
    dweights: Weights,
    dx: Array,
) -> None:
    """Gradients of :func:`forward`.

    Args:
        run: What was run.
        x: ``[T, N, I]``, its input.
        dy: ``[T, N, R]``, gradient of its results.
        ends: Gradients of the states after the last step; replaced by those before the first.
        dweights: Filled.
        dx: ``[T, N, I]``; the gradient is added.
    """
    if run.mode == "lstm":
        outer = inner = _lstm_backward(run, dy, ends, dweights)
    elif run.mode == "gru":
        outer, inner = _gru_backward(run, dy, ends[0])
    else:
        outer = inner = _plain_backward(run, dy, ends[0])
    flat, width = outer.reshape(-1, outer.shape[2]), outer.shape[2]
    rows = x.reshape(-1, x.shape[2])
    np.matmul(flat.T, rows, out=dweights.inputs)
    np.sum(flat, axis=0, out=dweights.input_bias)
    dx += (flat @ run.weights.inputs).reshape(dx.shape)
    before = run.before(run.results, run.state)
    np.matmul(inner.reshape(-1, width).T, before.reshape(-1, before.shape[2]), out=dweights.hidden)
    np.sum(inner.reshape(-1, width), axis=0, out=dweights.hidden_bias)


def _valid(run: Run, t: int, dh: Array) -> tuple[Array, Array | None]:
    """The part of a state's gradient that goes through step ``t``, and that which passes by it."""
    if run.invalid is None:
        return dh, None
    zero = dh.dtype.type(0)
    return np.where(run.invalid[t], zero, dh), np.where(run.invalid[t], dh, zero)


def _plain_backward(run: Run, dy: Array, dh: Array) -> Array:
    gates, recurrent = run.gates, run.weights.hidden
    slope = 1 - gates * gates if run.mode == "rnn_tanh" else (gates > 0).astype(gates.dtype)
    for t in reversed(run.order):
        dh += dy[t]
        through, past = _valid(run, t, dh)
        slope[t] *= through
        np.matmul(slope[t], recurrent, out=dh)
        if past is not None:
            dh += past
    return slope


def _gru_backward(run: Run, dy: Array, dh: Array) -> tuple[Array, Array]:
    """Gradients of the gates before their functions: of the input's part, and the recurrent one."""
    size = run.size
    gates, extra, recurrent = run.gates, run.extra, run.weights.hidden
    before = run.before(run.results, run.state)
    r, z, n = gates[..., :size], gates[..., size : 2 * size], gates[..., 2 * size :]
    outer = np.empty_like(gates)
    np.multiply(extra * r, 1 - r, out=outer[..., :size])
    np.multiply((before - n) * z, 1 - z, out=outer[..., size : 2 * size])
    np.multiply(1 - z, 1 - n * n, out=outer[..., 2 * size :])
    inner = np.empty_like(gates)
    for t in reversed(run.order):
        dh += dy[t]
        through, past = _valid(run, t, dh)
        d, e = outer[t], inner[t]
        d[:, 2 * size :] *= through
        d[:, size : 2 * size] *= through
        d[:, :size] *= d[:, 2 * size :]
        e[:, : 2 * size] = d[:, : 2 * size]
        np.multiply(d[:, 2 * size :], r[t], out=e[:, 2 * size :])
        through = through * z[t]
        np.matmul(e, recurrent, out=dh)
        dh += through
        if past is not None:
            dh += past
    return outer, inner


def _lstm_slopes(run: Run) -> tuple[Array, Array, Array]:
    """What each gate's gradient is multiplied by, tanh of the memory, and its part in dh to dc."""
    size = run.size
    gates, memory = run.gates, run.extra
    assert run.memory is not None
    i, f = gates[..., :size], gates[..., size : 2 * size]
    g, o = gates[..., 2 * size : 3 * size], gates[..., 3 * size :]
    slopes = np.empty_like(gates)
    np.multiply(g * i, 1 - i, out=slopes[..., :size])
    np.multiply(run.before(memory, run.memory) * f, 1 - f, out=slopes[..., size : 2 * size])
    np.multiply(i, 1 - g * g, out=slopes[..., 2 * size : 3 * size])
    bent = np.tanh(memory)
    np.multiply(bent * o, 1 - o, out=slopes[..., 3 * size :])
    to_memory = 1 - bent * bent
    to_memory *= o
    return slopes, bent, to_memory


def _lstm_backward(
    run: Run, dy: Array, ends: tuple[Array, Array | None], dweights: Weights
) -> Array:
    """Gradients of the gates before their functions."""
    size = run.size
    gates, recurrent, projection = run.gates, run.weights.hidden, run.weights.projection
    dh, dc = ends
    assert dc is not None
    slopes, bent, to_memory = _lstm_slopes(run)
    unclipped = _inside(run.extra, run.clip)
    results = np.empty_like(run.results) if projection is not None else None
    for t in reversed(run.order):
        dh += dy[t]
        through, past = _valid(run, t, dh)
        if projection is not None:
            assert results is not None
            results[t] = through
            through = through @ projection
        d = slopes[t]
        d[:, 3 * size :] *= through
        through_memory, past_memory = _valid(run, t, dc)
        through_memory = through_memory + through * to_memory[t]
        if unclipped is not None:
            through_memory *= unclipped[t]
        d[:, : 3 * size].reshape(len(d), 3, size)[...] *= through_memory[:, None]
        np.multiply(through_memory, gates[t, :, size : 2 * size], out=dc)
        np.matmul(d, recurrent, out=dh)
        if past is not None and past_memory is not None:
            dh += past
            dc += past_memory
    if results is not None and dweights.projection is not None:
        bent *= gates[..., 3 * size :]
        flat = results.reshape(-1, results.shape[2])
        np.matmul(flat.T, bent.reshape(-1, size), out=dweights.projection)
    return slopes


def _inside(memory: Array, clip: Clip) -> Array | None:
    """Where the memory was not clipped."""
    low, high, _ = clip
    if low is None or high is None:
        return None
    return np.asarray((memory > low) & (memory < high))
