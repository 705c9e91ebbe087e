"""The GRU's loop over time, and its gradient."""

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn.recurrent._run import Run
from hy_kernels.torch.nn.recurrent._step_product import StepProduct


def gru(run: Run) -> Tensor:
    """Run a GRU over time and return its last state.

    ``run.gates`` holds the products of the inputs, and is overwritten with the activated gates.
    """
    size, gates = run.size, run.gates
    h, bias = run.state, run.weights.hidden_bias[2 * size :]
    through = StepProduct(run.weights.hidden, len(h), len(run.order))
    both, new = gates[..., : 2 * size].unbind(0), gates[..., 2 * size :].unbind(0)
    reset, update = gates[..., :size].unbind(0), gates[..., size : 2 * size].unbind(0)
    extra, results = run.extra.unbind(0), run.results.unbind(0)
    for t in run.order:
        b = through(h)
        torch.add(b[:, 2 * size :], bias, out=extra[t])
        both[t].add_(b[:, : 2 * size]).sigmoid_()
        new[t].addcmul_(reset[t], extra[t]).tanh_()
        torch.lerp(new[t], h, update[t], out=results[t])  # (1 - z) n + z h
        run.keep(results[t], h, t)
        h = results[t]
    return h


def _gate_derivatives(run: Run, before: Tensor) -> Tensor:
    """Return the local derivative of each gate for all steps, ``[T, N, 3 H]``.

    ``before`` are the states before each step.
    """
    size, gates = run.size, run.gates
    # The derivatives of all steps at once, before the loop: s (1 - s) of sigmoids, 1 - t² of tanh.
    d = torch.rsub(gates, 1)
    to_reset, to_update, to_new = d.chunk(3, -1)
    new = gates[..., 2 * size :]
    torch.square(new, out=to_new).neg_().add_(1).mul_(to_update)
    d[..., : 2 * size].mul_(gates[..., : 2 * size])
    to_reset.mul_(run.extra)
    to_update.mul_(before - new)
    return d


def gru_backward(run: Run, dy: Tensor, dh: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of the gates before activation, and of the state before the first step.

    The gates' gradients are two: of the products of the inputs, and of the recurrent products.
    """
    size = run.size
    through_gates = StepProduct(run.weights.hidden.t(), len(dh), len(run.order))
    outer = _gate_derivatives(run, run.before(run.results, run.state))
    inner = torch.empty_like(outer)
    reset, update = (run.gates[..., k * size : (k + 1) * size] for k in (0, 1))
    steps = outer.unbind(0), inner.unbind(0), reset.unbind(0), update.unbind(0)
    for t in reversed(run.order):
        d, e, r, z = (each[t] for each in steps)
        through, past = run.split(t, dh + dy[t])
        d.view(len(d), 3, size)[:, 1:].mul_(through[:, None])
        d[:, :size].mul_(d[:, 2 * size :])
        e.copy_(d)
        e[:, 2 * size :].mul_(r)
        dh = through_gates.add_to(through * z, e)
        if past is not None:
            dh += past
    return outer, inner, dh
