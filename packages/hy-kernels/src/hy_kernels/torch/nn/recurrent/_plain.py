"""The plain cell's loop over time, and its gradient."""

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn.recurrent._run import Run
from hy_kernels.torch.nn.recurrent._step_product import StepProduct


def plain(run: Run) -> Tensor:
    """Run a plain cell over time and return its last state.

    ``run.gates`` holds the products of the inputs, and is overwritten with the activated gates.
    """
    h = run.state
    through = StepProduct(run.weights.hidden, len(h), len(run.order))
    gates, results = run.gates.unbind(0), run.results.unbind(0)
    function = torch.tanh_ if run.mode == "rnn_tanh" else torch.relu_
    for t in run.order:
        function(through.add_to(gates[t], h))
        results[t].copy_(gates[t])
        run.keep(results[t], h, t)
        h = results[t]
    return h


def plain_backward(run: Run, dy: Tensor, dh: Tensor) -> tuple[Tensor, Tensor]:
    """Return gradients of the gates before activation, and of the state before the first step."""
    gates = run.gates
    tanh = run.mode == "rnn_tanh"
    derivative = torch.square(gates).neg_().add_(1) if tanh else (gates > 0).to(gates.dtype)
    derivatives = derivative.unbind(0)
    through_gates = StepProduct(run.weights.hidden.t(), len(dh), len(run.order))
    for t in reversed(run.order):
        through, past = run.split(t, dh + dy[t])
        dh = through_gates(derivatives[t].mul_(through))
        if past is not None:
            dh += past
    return derivative, dh
