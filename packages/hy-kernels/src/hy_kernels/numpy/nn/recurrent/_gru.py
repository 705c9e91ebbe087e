"""The GRU's loop over time, and its gradient."""

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn.recurrent._run import Run
from hy_kernels.numpy.nn.recurrent._step_product import StepProduct


def _sigmoid(x: Array) -> None:
    """Compute the sigmoid in place as ``tanh(x / 2) / 2 + 1 / 2``, which cannot overflow."""
    x *= 0.5
    np.tanh(x, out=x)
    x *= 0.5
    x += 0.5


def gru(run: Run) -> Array:
    """Run a GRU over time and return the last state; ``run.gates`` holds the inputs' products."""
    size, gates = run.size, run.gates
    bias = run.weights.hidden_bias[2 * size :]
    h, extra = run.state, run.extra
    through = StepProduct(run.weights.hidden.T, len(h))
    for t in run.order:
        a, m, result = gates[t], extra[t], run.results[t]
        b = through(h)
        # As in cuDNN and MXNet, the reset gate multiplies the recurrent product and its bias, not
        # the state, so that all three gates take one product.
        np.add(b[:, 2 * size :], bias, out=m)
        both, new = a[:, : 2 * size], a[:, 2 * size :]
        both += b[:, : 2 * size]
        _sigmoid(both)
        np.multiply(both[:, :size], m, out=result)
        new += result
        np.tanh(new, out=new)
        np.subtract(h, new, out=result)  # (1 - z) n + z h
        result *= both[:, size:]
        result += new
        run.keep(result, h, t)
        h = result
    return h


def _gate_derivatives(gates: Array, extra: Array, before: Array, d: Array) -> None:
    """Compute the local derivative of each gate, a factor of its gradient, into ``d``.

    ``before`` holds the states before each step.
    """
    size = extra.shape[-1]
    new = gates[..., 2 * size :]
    to_reset, to_update, to_new = (d[..., k * size : (k + 1) * size] for k in range(3))
    # Of h = (1 - z) n + z before and n = tanh(a + r m): (1 - z) (1 - n²) for the new gate,
    # z (1 - z) (before - n) for the update gate, r (1 - r) m for the reset gate, within n.
    np.subtract(1, gates, out=d)
    np.multiply(new, new, out=to_new)
    np.subtract(1, to_new, out=to_new)
    to_new *= to_update
    d[..., : 2 * size] *= gates[..., : 2 * size]
    to_reset *= extra
    to_update *= before - new


def gru_backward(run: Run, dy: Array, dh: Array) -> tuple[Array, Array, Array]:
    """Return the gradients of a GRU's pre-activations and initial state.

    Returns:
        The gradients of the inputs' products, of the recurrent products, and of the initial state.
    """
    size, gates, extra = run.size, run.gates, run.extra
    before = run.before(run.results, run.state)
    outer, inner = np.empty_like(gates), np.empty_like(gates)
    through_gates = StepProduct(run.weights.hidden, len(dh))
    for chunk in run.chunks():
        part = slice(min(chunk), max(chunk) + 1)
        # All that does not need the gradient of a later step is computed for a chunk of steps that
        # fits in the cache.
        _gate_derivatives(gates[part], extra[part], before[part], outer[part])
        for t in chunk:
            dh += dy[t]
            through, past = run.split(t, dh)
            a, d, e = gates[t], outer[t], inner[t]
            d[:, 2 * size :] *= through
            d[:, size : 2 * size] *= through
            d[:, :size] *= d[:, 2 * size :]
            e[:, : 2 * size] = d[:, : 2 * size]
            np.multiply(d[:, 2 * size :], a[:, :size], out=e[:, 2 * size :])
            through = through * a[:, size : 2 * size]
            dh = through_gates(e)
            dh += through
            if past is not None:
                dh += past
    return outer, inner, dh
