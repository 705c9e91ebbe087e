"""The LSTM over a whole sequence by oneDNN: one call forward, one backward.

It takes half the time of a loop over torch's functions. OneDNN's workspace for the gradient has a
layout and size that only oneDNN knows, so it is kept outside of the reserve, which holds a number
that identifies it. If the workspace has been dropped, the gradient runs the layer again.
"""

from typing import Any

import torch

from hy_kernels.recurrent_stack import Weights
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.nn.recurrent._run import Run
from hy_kernels.torch.nn.recurrent._workspaces import Workspaces
from hy_kernels.torch.runtime._onednn import has_onednn

_aten: Any = torch.ops.aten
_MODE = 2  # what torch calls an LSTM
_workspaces = Workspaces(COSTS.memory.lstm)


def supports(run: Run, x: Tensor) -> bool:
    """Return whether to compute this layer by oneDNN; forward and backward must agree."""
    if torch.compiler.is_exporting():  # exported programs consist of PyTorch's plain operators
        return False
    plain = run.mode == "lstm" and run.weights.projection is None and run.invalid is None
    is_profitable = x.shape[0] * x.shape[1] >= COSTS.recurrent.fused_rows
    return plain and run.clip[:2] == (None, None) and is_profitable and has_onednn(x)


def _forward(run: Run, x: Tensor, *, keep: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return results, last state and memory, and oneDNN's workspace (empty without ``keep``)."""
    weights = run.weights
    four = weights.inputs, weights.hidden, weights.input_bias, weights.hidden_bias
    backwards = run.order.step < 0
    settings = backwards, (), _MODE, run.size, 1, True, False, False
    with torch.set_grad_enabled(keep):  # without, torch keeps nothing, whatever it is asked
        result: tuple[Tensor, Tensor, Tensor, Tensor] = _aten.mkldnn_rnn_layer.default(
            x, *four, run.state, run.memory, *settings, keep
        )
    return result


def fused_lstm(run: Run, x: Tensor, *, is_train: bool) -> tuple[Tensor, Tensor]:
    """Compute ``run.results`` from ``x [T, N, I]``; return state and memory after the last step."""
    y, state, memory, keep = _forward(run, x.contiguous(), keep=is_train)
    run.results.copy_(y)
    # Zeros, so that predictions are deterministic; 0 is never the number of a workspace.
    run.saved.zero_()
    if is_train:
        run.saved[0] = _workspaces.keep((state, memory, keep))
    return state, memory


def fused_lstm_backward(
    run: Run, x: Tensor, dy: Tensor, ends: tuple[Tensor, Tensor], dweights: Weights
) -> Tensor:
    """Return the gradient to ``x``, and write the others; see :func:`backward` of the cells."""
    x, y, dh, dc = x.contiguous(), run.results, *ends
    stored = _workspaces.take(int(run.saved[0]))
    # The number is not known any more if newer layers took the memory: the layer runs again.
    state, memory, saved = stored or _forward(run, x, keep=True)[1:]
    weights = run.weights
    four = weights.inputs, weights.hidden, weights.input_bias, weights.hidden_bias
    operands = x, *four, run.state, run.memory, y, state, memory
    settings = run.order.step < 0, _MODE, run.size, 1, True, True, False, (), False
    gradients = _aten.mkldnn_rnn_layer_backward.default(
        *operands, dy.contiguous(), dh, dc, *settings, saved
    )
    dx: Tensor = gradients[0]
    targets = dweights.inputs, dweights.hidden, dweights.input_bias, dweights.hidden_bias, dh, dc
    for target, value in zip(targets, gradients[1:], strict=True):
        target.copy_(value)
    return dx
