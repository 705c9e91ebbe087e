"""The LSTM over a whole sequence by oneDNN: one call forward, one back.

It takes half the time of a loop over torch's own functions. What oneDNN keeps for the gradient is
in an order and of a size that only it knows, and nothing of it in the reserve: the gradient runs
the layer again, which takes less than a third of its time.
"""

from typing import Any

import torch

from hy_kernels.recurrent_stack import Weights
from hy_kernels.torch._onednn import has_onednn
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn.recurrent._run import Run

__all__ = ["fused_lstm", "fused_lstm_backward", "suits"]

_LEAST = 4  # rows of all steps together that are worth the packing of weights
_aten: Any = torch.ops.aten
_MODE = 2  # what torch calls an LSTM


def suits(run: Run, x: Tensor) -> bool:
    """Whether oneDNN has such a layer, and is worth it; forward and back have to agree on it."""
    plain = run.mode == "lstm" and run.weights.projection is None and run.invalid is None
    rows = x.shape[0] * x.shape[1]
    return plain and run.clip[:2] == (None, None) and rows >= _LEAST and has_onednn(x)


def _forward(run: Run, x: Tensor, *, keep: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Results, the last states, and if asked for what oneDNN keeps."""
    weights = run.weights
    four = weights.inputs, weights.hidden, weights.input_bias, weights.hidden_bias
    backwards = run.order.step < 0
    how = backwards, (), _MODE, run.size, 1, True, False, False
    found: tuple[Tensor, Tensor, Tensor, Tensor] = _aten.mkldnn_rnn_layer.default(
        x, *four, run.state, run.memory, *how, keep
    )
    return found


def fused_lstm(run: Run, x: Tensor) -> tuple[Tensor, Tensor]:
    """Fill ``run.results`` from ``x [T, N, I]``; the last states."""
    y, state, memory, _ = _forward(run, x.contiguous(), keep=False)
    run.results.copy_(y)
    run.kept.zero_()  # the same in each call
    return state, memory


def fused_lstm_backward(
    run: Run, x: Tensor, dy: Tensor, ends: tuple[Tensor, Tensor], dweights: Weights
) -> Tensor:
    """Gradients of :func:`fused_lstm`; as those of :func:`backward`, which calls it."""
    x, dh, dc = x.contiguous(), *ends
    with torch.enable_grad():  # without, torch keeps nothing, whatever it is asked
        y, state, memory, kept = _forward(run, x, keep=True)
    weights = run.weights
    four = weights.inputs, weights.hidden, weights.input_bias, weights.hidden_bias
    made = x, *four, run.state, run.memory, y, state, memory
    how = run.order.step < 0, _MODE, run.size, 1, True, True, False, (), False
    found = _aten.mkldnn_rnn_layer_backward.default(*made, dy.contiguous(), dh, dc, *how, kept)
    dx: Tensor = found[0]
    targets = dweights.inputs, dweights.hidden, dweights.input_bias, dweights.hidden_bias, dh, dc
    for target, value in zip(targets, found[1:], strict=True):
        target.copy_(value)
    return dx
