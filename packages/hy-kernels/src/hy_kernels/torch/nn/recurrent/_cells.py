"""Recurrent cells over a whole sequence: plain, GRU and LSTM, and their gradients.

What does not depend on the previous step is computed for all steps at once: the product with the
inputs before the loop over time, and the gradients to weights and inputs after it.
"""

import torch

from hy_kernels.recurrent_stack import Weights
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn.recurrent._fused_lstm import fused_lstm, fused_lstm_backward, supports
from hy_kernels.torch.nn.recurrent._gru import gru, gru_backward
from hy_kernels.torch.nn.recurrent._lstm import lstm, lstm_backward
from hy_kernels.torch.nn.recurrent._plain import plain, plain_backward
from hy_kernels.torch.nn.recurrent._run import Run
from hy_kernels.torch.runtime._onednn import product


def _as_matrix(x: Tensor) -> Tensor:
    """Return the inputs of all steps as rows, ``[T N, I]``."""
    return x.reshape(x.shape[0] * x.shape[1], x.shape[2])


def _fill(out: Tensor, a: Tensor, b: Tensor, bias: Tensor | None = None) -> None:
    """Write ``a · b + bias`` to ``out``, which may be a slice."""
    result = product(a, b, bias, out)
    if result is not out:
        out.copy_(result)


def forward(run: Run, x: Tensor, *, is_train: bool) -> tuple[Tensor, Tensor | None]:
    """Compute ``run.results`` from ``x [T, N, I]``; return state and memory after the last step."""
    if supports(run, x):
        return fused_lstm(run, x, is_train=is_train)
    gates, weights = run.gates, run.weights
    bias = weights.input_bias + weights.hidden_bias
    if run.mode == "gru":  # the reset gate works on the recurrent part and its bias
        bias[2 * run.size :] = weights.input_bias[2 * run.size :]
    # The inputs of all steps are one product, outside of the loop.
    _fill(_as_matrix(gates), _as_matrix(x), weights.inputs.t(), bias)
    if run.mode == "lstm":
        return lstm(run)
    return (gru if run.mode == "gru" else plain)(run), None


def backward(
    run: Run, x: Tensor, dy: Tensor, ends: tuple[Tensor, Tensor | None], dweights: Weights
) -> Tensor:
    """Return the gradient to the input, and write the other gradients of :func:`forward`.

    Args:
        run: The run of :func:`forward`.
        x: Its input, ``[T, N, I]``.
        dy: Gradient of its results, ``[T, N, R]``.
        ends: Gradients of the states after the last step; overwritten with those before the first.
        dweights: Memory for the gradients of the weights.

    Returns:
        ``[T, N, I]``.
    """
    dh, dc = ends
    if run.mode == "lstm":
        assert dc is not None
        if supports(run, x):
            return fused_lstm_backward(run, x, dy, (dh, dc), dweights)
        outer, first, first_memory = lstm_backward(run, dy, (dh, dc), dweights)
        dc.copy_(first_memory)
        inner = outer
    elif run.mode == "gru":
        outer, inner, first = gru_backward(run, dy, dh)
    else:
        outer, first = plain_backward(run, dy, dh)
        inner = outer
    dh.copy_(first)
    _weights(outer, x, dweights.inputs, dweights.input_bias)
    before = run.before(run.results, run.state)
    _weights(inner, before, dweights.hidden, dweights.hidden_bias)
    return product(_as_matrix(outer), run.weights.inputs).view(x.shape)


def _weights(gates: Tensor, x: Tensor, matrix: Tensor, bias: Tensor) -> None:
    """Write the gradients of a weight and bias, from those of ``gates`` and the inputs ``x``."""
    flat = _as_matrix(gates)
    _fill(matrix, flat.t(), _as_matrix(x))
    torch.sum(flat, 0, out=bias)
