"""Recurrent cells over a whole sequence: plain, GRU and LSTM, and their gradients.

All that does not depend on the previous step is computed for all steps at once: the products with
the inputs before the loop over time, those for gradients of weights and inputs after it.
"""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, out_buffer, shaped
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.recurrent._gru import gru, gru_backward
from hy_kernels.numpy.nn.recurrent._lstm import halves, lstm, lstm_backward
from hy_kernels.numpy.nn.recurrent._plain import plain, plain_backward
from hy_kernels.numpy.nn.recurrent._run import Run
from hy_kernels.numpy.runtime._product import product
from hy_kernels.recurrent_stack import Weights


def forward(run: Run, x: Array) -> tuple[Array, Array | None]:
    """Compute ``run.results`` from ``x [T, N, I]``; return the states after the last step."""
    gates, weights = run.gates, run.weights
    matrix, bias = weights.inputs, weights.input_bias + weights.hidden_bias
    if run.mode == "lstm":
        # sigmoid(a) = (1 + tanh(a / 2)) / 2: the inner factor 1/2 is folded into the weights.
        scale = halves(run)
        scaled = workspace("scaled weights", matrix.shape, matrix.dtype)
        matrix = np.multiply(matrix, scale[:, None], out=scaled)
        bias *= scale
    elif run.mode == "gru":
        # In cuDNN's and MXNet's GRU, the reset gate multiplies the recurrent product and its bias.
        bias[2 * run.size :] = weights.input_bias[2 * run.size :]
    product(x.reshape(-1, x.shape[2]), matrix.T, out=gates.reshape(-1, gates.shape[2]))
    gates += bias
    if run.mode == "lstm":
        return lstm(run)
    return (gru if run.mode == "gru" else plain)(run), None


def backward(
    run: Run,
    x: Array,
    dy: Array,
    ends: tuple[Array, Array | None],
    dweights: Weights,
    dx: Array | None,
    out: OutBuffers,
) -> Array:
    """Compute the gradients of :func:`forward`.

    Args:
        run: The run after :func:`forward`.
        x: ``[T, N, I]``, the input.
        dy: ``[T, N, R]``, the gradient of the results.
        ends: The gradients of the last states; overwritten by those of the initial states.
        dweights: The gradients of the weights, to fill.
        dx: ``[T, N, I]``, the gradient to the input from the other direction, to add to; or None.
        out: Out buffer for the gradient to the input, if ``dx`` is None.

    Returns:
            ``[T, N, I]``, the gradient to the input, including ``dx``.
    """
    if run.mode == "lstm":
        outer, first = lstm_backward(run, dy, ends, dweights)
        inner = outer
    elif run.mode == "gru":
        outer, inner, first = gru_backward(run, dy, ends[0])
    else:
        outer, first = plain_backward(run, dy, ends[0])
        inner = outer
    ends[0][...] = first
    rows = x.reshape(-1, x.shape[2])
    before = run.before(run.results, run.state)
    _weight_gradients(outer, rows, dweights.inputs, dweights.input_bias)
    states = before.reshape(-1, before.shape[2])
    _weight_gradients(inner, states, dweights.hidden, dweights.hidden_bias)
    flat, matrix = outer.reshape(-1, outer.shape[2]), run.weights.inputs
    if dx is None:
        return product(flat, matrix, out=out_buffer(shaped(out, rows.shape))).reshape(x.shape)
    dx += product(flat, matrix).reshape(x.shape)
    return dx


def _weight_gradients(gates: Array, rows: Array, matrix: Array, bias: Array) -> None:
    """Compute the gradients of a weight and its bias into ``matrix`` and ``bias``.

    ``gates`` is the gradient of the products, ``rows`` their inputs.
    """
    flat = gates.reshape(-1, gates.shape[2])
    product(flat.T, rows, out=matrix)
    np.matmul(np.ones(len(flat), flat.dtype), flat, out=bias)
