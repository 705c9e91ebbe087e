"""The LSTM's loop over time, and its gradient.

The sigmoid is computed as ``tanh(x / 2) / 2 + 1 / 2``, so that all four gates of a step take one
``tanh``; the inner factors 1/2 are folded into the weights. The memory is the cell state.
"""

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.recurrent._run import Run
from hy_kernels.numpy.nn.recurrent._step_product import StepProduct
from hy_kernels.numpy.runtime._product import product
from hy_kernels.recurrent_stack import Clip, Weights


def halves(run: Run) -> Array:
    """Return ``[4 H]``, inner factors of the gates: 1/2 for the three sigmoids, 1 for the tanh."""
    scale = np.full(4 * run.size, 0.5, run.results.dtype)
    scale[2 * run.size : 3 * run.size] = 1
    return scale


def _four(gates: Array) -> tuple[Array, ...]:
    """Return views of the input, forget, new and output gates."""
    size = gates.shape[-1] // 4
    return tuple(gates[..., k * size : (k + 1) * size] for k in range(4))


def lstm(run: Run) -> tuple[Array, Array]:
    """Run an LSTM over time and return the last state and memory.

    ``run.gates`` holds the inputs' products times :func:`halves`.
    """
    gates, results, projection = run.gates, run.results, run.weights.projection
    h, c, m = run.state, run.memory, np.empty_like(run.memory)
    assert c is not None
    scale = halves(run)
    offset = np.where(scale == 1, 0, scale)
    through = StepProduct(run.weights.hidden.T, len(h), scale)
    steps = (gates, *_four(gates), run.extra, results)
    # Iterating over the arrays creates a step's views in C; indexing them would take longer than
    # the arithmetic of a small step.
    for t, a, i, f, g, o, memory, result in zip(
        run.order, *(x[:: run.order.step] for x in steps), strict=True
    ):
        np.add(through(h), a, out=a)
        np.tanh(a, out=a)
        np.multiply(a, scale, out=a)
        np.add(a, offset, out=a)
        np.multiply(f, c, out=memory)
        np.multiply(i, g, out=m)
        np.add(memory, m, out=memory)
        _clip(memory, run.clip)
        run.keep(memory, c, t)
        np.tanh(memory, out=m)
        if projection is None:
            np.multiply(m, o, out=result)
        else:
            m *= o
            np.matmul(m, projection.T, out=result)
        run.keep(result, h, t)
        h, c = result, memory
    return h, c


def _clip(memory: Array, clip: Clip) -> None:
    low, high, also_nan = clip
    if low is None or high is None:
        return
    # If the memory is nan, fmax and fmin return the bound; maximum and minimum return nan.
    lower, upper = (np.fmax, np.fmin) if also_nan else (np.maximum, np.minimum)
    lower(memory, memory.dtype.type(low), out=memory)
    upper(memory, memory.dtype.type(high), out=memory)


def _inside(memory: Array, clip: Clip) -> Array | None:
    """Return a mask of the elements of memory that were not clipped, or None without bounds."""
    low, high, _ = clip
    if low is None or high is None:
        return None
    return np.asarray((memory > low) & (memory < high))


def _gate_derivatives(gates: Array, tanh_memory: Array, d: Array) -> Array:
    """Compute the local derivative of each gate, a factor of its gradient, into ``d``.

    That of the forget gate still lacks the factor of the previous memory.

    Returns:
        The derivative of the result with respect to the memory.
    """
    i, _, g, o = _four(gates)
    to_input, _, to_new, to_output = _four(d)
    np.subtract(1, gates, out=d)
    d *= gates
    np.multiply(g, g, out=to_new)
    np.subtract(1, to_new, out=to_new)
    to_input *= g
    to_new *= i
    to_output *= tanh_memory
    to_memory = tanh_memory * tanh_memory
    np.subtract(1, to_memory, out=to_memory)
    to_memory *= o
    return to_memory


def lstm_backward(
    run: Run, dy: Array, ends: tuple[Array, Array | None], dweights: Weights
) -> tuple[Array, Array]:
    """Return the gradients of an LSTM's pre-activations and initial state.

    The gradient of the projection is written to ``dweights``, and the memory's in ``ends`` is
    overwritten by that of the initial memory. The gradient of the pre-activations is scratch
    memory.
    """
    size, projection = run.size, run.weights.projection
    gates, memory = run.gates, run.extra
    dh, dc = ends
    assert dc is not None
    assert run.memory is not None
    derivatives = workspace("derivatives", gates.shape, gates.dtype)
    tanh_memory = workspace("tanh_memory", memory.shape, memory.dtype)
    three = derivatives[..., : 3 * size].reshape(*derivatives.shape[:2], 3, size)
    unclipped = _inside(memory, run.clip)
    through_gates = StepProduct(run.weights.hidden, len(dh))
    dresults = None if projection is None else np.empty_like(run.results)
    change = np.empty_like(dc)
    for chunk in run.chunks():
        part = slice(min(chunk), max(chunk) + 1)
        np.tanh(memory[part], out=tanh_memory[part])
        to_memory = _gate_derivatives(gates[part], tanh_memory[part], derivatives[part])
        for t in chunk:
            dh += dy[t]
            through, past = run.split(t, dh)
            if projection is not None and dresults is not None:
                dresults[t] = through
                through = through @ projection
            through_memory, past_memory = run.split(t, dc)
            np.multiply(through, to_memory[t - part.start], out=change)
            change += through_memory
            if unclipped is not None:
                change *= unclipped[t]
            d = derivatives[t]
            d[:, 3 * size :] *= through
            d[:, size : 2 * size] *= run.earlier(memory, run.memory, t)
            three[t] *= change[:, None]
            np.multiply(change, gates[t, :, size : 2 * size], out=dc)
            dh = through_gates(d)
            if past is not None and past_memory is not None:
                dh += past
                dc += past_memory
    if dresults is not None and dweights.projection is not None:
        tanh_memory *= gates[..., 3 * size :]
        flat = dresults.reshape(-1, dresults.shape[2])
        product(flat.T, tanh_memory.reshape(-1, size), out=dweights.projection)
    return derivatives, dh
