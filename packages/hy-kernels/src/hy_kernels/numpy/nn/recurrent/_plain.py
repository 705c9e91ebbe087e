"""The loop over time of plain cells with tanh or ReLU, and its gradient."""

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn.recurrent._run import Run
from hy_kernels.numpy.nn.recurrent._step_product import StepProduct


def plain(run: Run) -> Array:
    """Run a plain cell over time; return the last state. ``run.gates`` holds inputs' products."""
    h, gates = run.state, run.gates
    through = StepProduct(run.weights.hidden.T, len(h))
    for t in run.order:
        a = gates[t]
        a += through(h)
        if run.mode == "rnn_tanh":
            np.tanh(a, out=a)
        else:
            np.maximum(a, 0, out=a)
        run.results[t] = a
        run.keep(run.results[t], h, t)
        h = run.results[t]
    return h


def plain_backward(run: Run, dy: Array, dh: Array) -> tuple[Array, Array]:
    """Return the gradients of a plain cell's pre-activations and initial state."""
    gates = run.gates
    # From the results: tanh' = 1 - tanh², and ReLU' is 1 where ReLU is positive.
    derivative = 1 - gates * gates if run.mode == "rnn_tanh" else (gates > 0).astype(gates.dtype)
    through_gates = StepProduct(run.weights.hidden, len(dh))
    for t in reversed(run.order):
        dh += dy[t]
        through, past = run.split(t, dh)
        derivative[t] *= through
        dh = through_gates(derivative[t])
        if past is not None:
            dh += past
    return derivative, dh
