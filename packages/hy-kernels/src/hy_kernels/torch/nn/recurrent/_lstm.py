"""The LSTM's loop over time, and its gradient."""

import torch

from hy_kernels.recurrent_stack import Clip, Weights
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn.recurrent._run import Run
from hy_kernels.torch.nn.recurrent._step_product import StepProduct


def lstm(run: Run) -> tuple[Tensor, Tensor]:
    """Run an LSTM over time and return its last state and memory.

    ``run.gates`` holds the products of the inputs, and is overwritten with the activated gates.
    """
    size, gates, projection = run.size, run.gates, run.weights.projection
    # Gates lie as MXNet and cuDNN have them: input, forget, new, output.
    h, c = run.state, run.memory
    through = StepProduct(run.weights.hidden, len(h), len(run.order))
    assert c is not None
    m = torch.empty_like(c)
    i, f, g, o = (each.unbind(0) for each in gates.chunk(4, -1))
    both = gates[..., : 2 * size].unbind(0)
    whole, memory, results = gates.unbind(0), run.extra.unbind(0), run.results.unbind(0)
    for t in run.order:
        through.add_to(whole[t], h)
        # Input and forget gate lie side by side, so they are one call.
        both[t].sigmoid_()
        g[t].tanh_()
        o[t].sigmoid_()
        torch.mul(f[t], c, out=memory[t]).addcmul_(i[t], g[t])
        _clip(memory[t], run.clip)
        run.keep(memory[t], c, t)
        torch.tanh(memory[t], out=m)
        if projection is None:
            torch.mul(m, o[t], out=results[t])
        else:
            torch.mm(m.mul_(o[t]), projection.t(), out=results[t])
        run.keep(results[t], h, t)
        h, c = results[t], memory[t]
    return h, c


def _clip(memory: Tensor, clip: Clip) -> None:
    low, high, also_nan = clip
    if low is None or high is None:
        return
    if also_nan:
        # As MXNet: clipping with "nan" replaces NaN by the lower end first.
        memory.nan_to_num_(low, torch.inf, -torch.inf)
    memory.clamp_(low, high)


def _unclipped_mask(memory: Tensor, clip: Clip) -> Tensor | None:
    """Return a mask of the memory cells that were not clipped; None if there is no clipping."""
    low, high, _ = clip
    if low is None or high is None:
        return None
    return (memory > low) & (memory < high)


def _gate_derivatives(run: Run, tanh_memory: Tensor) -> tuple[Tensor, Tensor]:
    """Return the local derivatives of the gates, and the derivative of the result by the memory."""
    assert run.memory is not None
    i, _, g, o = run.gates.chunk(4, -1)
    # The derivatives of all steps at once, before the loop: s (1 - s) of sigmoids, 1 - t² of tanh.
    d = torch.rsub(run.gates, 1).mul_(run.gates)
    to_input, to_forget, to_new, to_output = d.chunk(4, -1)
    torch.square(g, out=to_new).neg_().add_(1).mul_(i)
    to_input.mul_(g)
    to_forget.mul_(run.before(run.extra, run.memory))
    to_output.mul_(tanh_memory)
    return d, torch.square(tanh_memory).neg_().add_(1).mul_(o)


def lstm_backward(
    run: Run, dy: Tensor, ends: tuple[Tensor, Tensor], dweights: Weights
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of the gates before activation, and of the first state and memory.

    Also writes the gradient of the projection.
    """
    size, projection = run.size, run.weights.projection
    dh, dc = ends
    through_gates = StepProduct(run.weights.hidden.t(), len(dh), len(run.order))
    tanh_memory = torch.tanh(run.extra)
    derivatives, to_memory = _gate_derivatives(run, tanh_memory)
    inside = _unclipped_mask(run.extra, run.clip)
    dresults = None if projection is None else torch.empty_like(run.results)
    three = derivatives.view(*derivatives.shape[:2], 4, size)[:, :, :3].unbind(0)
    last, forget = derivatives[..., 3 * size :].unbind(0), run.gates[..., size : 2 * size].unbind(0)
    whole, shares, gradients = derivatives.unbind(0), to_memory.unbind(0), dy.unbind(0)
    for t in reversed(run.order):
        through, past = run.split(t, dh + gradients[t])
        if projection is not None and dresults is not None:
            dresults[t] = through
            through = through @ projection
        through_memory, past_memory = run.split(t, dc)
        change = torch.addcmul(through_memory, through, shares[t])
        if inside is not None:
            change.mul_(inside[t])
        last[t].mul_(through)
        three[t].mul_(change[:, None])
        dc = torch.mul(change, forget[t])
        dh = through_gates(whole[t])
        if past is not None and past_memory is not None:
            dh += past
            dc += past_memory
    if dresults is not None and dweights.projection is not None:
        tanh_memory.mul_(run.gates[..., 3 * size :])
        flat = dresults.view(-1, dresults.shape[2])
        torch.mm(flat.t(), tanh_memory.view(-1, size), out=dweights.projection)
    return derivatives, dh, dc
