"""Connectionist temporal classification (Graves et al., 2006), for all sequences at once.

A sequence of ``L`` labels has ``S = 2 L + 1`` states: blanks between the labels and around them.
``alpha[t, s]`` is the probability of all paths up to step ``t`` that end in state ``s``,
``beta[t, s]`` that of all paths from there to the end. Betas are the alphas of the reversed
sequence, so that the gradient computes both in one loop. The batch is the last axis.
"""

import math
from typing import NamedTuple

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._requirements import require
from hy_kernels.torch._tensor import OutBuffers, Tensor, stored
from hy_kernels.torch.nn._ctc_of_cpus import Sequences


class _Problem(NamedTuple):
    """Operands of the forward and backward recursions."""

    emitted: Tensor
    """``[T, S, N]``, log probability of each state's symbol."""
    states: Tensor
    """``[S, N]``, the symbol of each state."""
    skips: Tensor
    """``[S, N]``: 0 where a state may follow the one two before it, else minus infinity."""
    start: Tensor
    """``[S, N]``: 0 where a path may begin, else minus infinity."""
    steps: Tensor
    """``[N]``, the number of steps of each sequence."""
    last: Tensor
    """``[1, N]``, the last state: the blank after the last label."""


def _log_probabilities(data: Tensor) -> Tensor:
    # Logarithms in float32: products of hundreds of probabilities underflow.
    return torch.log_softmax(data.to(accumulator(data.dtype)), -1)


def _integer_lengths(lengths: Tensor, limit: int, name: str, what: str) -> Tensor:
    """Return sequence lengths as int64, after checking that they are between 0 and ``limit``."""
    # NaN fails both comparisons, so it is refused as well.
    inside = (lengths >= 0) & (lengths <= limit)

    def error() -> IndexError:
        row = int(torch.nonzero(~inside)[0])
        number = float(lengths[row])
        return IndexError(f"{name}[{row}] is {number:g}, not from 0 to {limit}, the {what}")

    require(inside, error)
    return lengths.to(torch.int64)


def _problem(
    log_p: Tensor,
    label: Tensor,
    data_lengths: Tensor | None,
    label_lengths: Tensor | None,
    blank_label: str,
) -> "Sequences | _Problem":
    steps, _, classes = log_p.shape
    first = blank_label == "first"
    symbols = label.to(torch.int64)
    if symbols.shape[1] > steps:
        raise ValueError(f"{symbols.shape[1]} labels do not fit {steps} steps")
    if label_lengths is None:
        # cumprod stops at the first padding label, whatever follows.
        present = symbols != (0 if first else -1)
        counts = torch.cumprod(present.to(torch.int64), 1).sum(1)
    else:
        counts = _integer_lengths(
            label_lengths, symbols.shape[1], "label_lengths", "number of labels"
        )
    if data_lengths is not None:
        data_lengths = _integer_lengths(data_lengths, steps, "data_lengths", "number of steps")
    blank = 0 if first else classes - 1
    # torch's own kernels on CPUs where they mean the same, else all sequences at once.
    return Sequences.of(log_p, symbols, data_lengths, counts, blank) or _states(
        log_p, symbols, data_lengths, counts, blank
    )


def _states(
    log_p: Tensor, symbols: Tensor, data_lengths: Tensor | None, counts: Tensor, blank: int
) -> _Problem:
    steps, batch, classes = log_p.shape
    device, size = log_p.device, symbols.shape[1]
    states = torch.full((2 * size + 1, batch), blank, dtype=torch.int64, device=device)
    states[1::2] = symbols.clamp(0, classes - 1).T
    skips = torch.full(states.shape, -math.inf, dtype=log_p.dtype, device=device)
    # A label may follow its equal neighbour only through a blank (Graves et al. 2006).
    skips[3::2].masked_fill_((symbols[:, 1:] != symbols[:, :-1]).T, 0)
    start = torch.full_like(skips, -math.inf)
    start[:2] = 0
    # Emissions are gathered once: the loop over time then adds only.
    emitted = torch.gather(log_p.transpose(1, 2), 1, states.expand(steps, -1, -1))
    whole = torch.full((batch,), steps, dtype=torch.int64, device=device)
    ends = whole if data_lengths is None else data_lengths
    return _Problem(
        emitted=emitted,
        states=states,
        skips=skips,
        start=start,
        steps=ends,
        last=2 * counts.to(torch.int64)[None],
    )


def _shifted(alpha: Tensor, by: int) -> Tensor:
    """Return ``alpha`` shifted by ``by`` states, with -inf in the first ones."""
    missing = alpha.new_full((min(by, len(alpha)), alpha.shape[1]), -math.inf)
    return torch.cat([missing, alpha[: len(alpha) - len(missing)]])


def _paths(emitted: Tensor, skips: Tensor, start: Tensor, begins: Tensor, ends: Tensor) -> Tensor:
    """Return log alphas ``[T, S, N]`` of sequences that begin and end at the given steps."""
    alpha = torch.full_like(start, -math.inf)
    lowest = torch.finfo(emitted.dtype).min
    result = []
    for t, own in enumerate(emitted):
        terms = torch.stack([alpha, _shifted(alpha, 1), _shifted(alpha, 2) + skips])
        # exp(-inf - -inf) is NaN; the lowest finite number in place of a peak of -inf gives 0.
        peak = torch.clamp_min(terms.amax(0), lowest)  # infinities have no difference
        total = torch.exp(terms - peak).sum(0).log() + peak + own
        # A sequence that has ended keeps its alphas; one that begins later starts at its own step.
        total = torch.where((ends <= t) & (t > 0), alpha, total)
        alpha = torch.where(begins == t, start + own, total)
        result.append(alpha)
    return torch.stack(result) if result else torch.empty_like(emitted)


def _alphas_and_betas(problem: _Problem) -> tuple[Tensor, Tensor]:
    """Return log alphas and betas; betas exclude the emission at their own step."""
    emitted, skips = problem.emitted, problem.skips
    steps, states, batch = emitted.shape
    positions = torch.arange(states, device=emitted.device).flip(0)[:, None]
    final = (positions == problem.last) | (positions == problem.last - 1)
    reverse = torch.full_like(skips, -math.inf)
    reverse[2:] = skips[2:].flip(0)
    ends = torch.where(final, 0.0, -math.inf).to(skips.dtype)
    none = torch.zeros_like(problem.steps)
    # Forward and backward variables in one loop: the reversed sequences are more columns of the
    # batch.
    both = _paths(
        torch.cat([emitted, emitted.flip(0, 1)], 2),
        torch.cat([skips, reverse], 1),
        torch.cat([problem.start, ends], 1),
        torch.cat([none, steps - problem.steps]),
        torch.cat([problem.steps, none + steps]),
    )
    beta = both[:, :, batch:].flip(0, 1) - emitted
    # -inf - -inf of impossible states is NaN, and means -inf.
    return both[:, :, :batch], torch.where(torch.isnan(beta), -math.inf, beta)


def _likelihood(problem: _Problem, alpha: Tensor) -> Tensor:
    """Return ``[N]``, the log probability of the labels, from the log alphas."""
    last = problem.last
    at_end = torch.gather(alpha[-1], 0, last)
    before = torch.gather(alpha[-1], 0, torch.clamp_min(last - 1, 0))
    return torch.where(last > 0, torch.logaddexp(at_end, before), at_end)[0]


@kernel(out="apart")
@with_integer_fallback()
def ctc_loss(
    data: Tensor,
    label: Tensor,
    data_lengths: Tensor | None = None,
    label_lengths: Tensor | None = None,
    *,
    use_data_lengths: bool,
    use_label_lengths: bool,
    blank_label: str,
    out: OutBuffers = None,
) -> Tensor:
    """Return minus the log probability of the labels; 0 where they are impossible."""
    log_p = _log_probabilities(data)
    problem = _problem(log_p, label, data_lengths, label_lengths, blank_label)
    if isinstance(problem, Sequences):
        loss, _ = problem.loss()
    else:
        begins = torch.zeros_like(problem.steps)
        alphas = _paths(problem.emitted, problem.skips, problem.start, begins, problem.steps)
        loss = -_likelihood(problem, alphas)
    # MXNet's loss of impossible labels is 0, torch's infinite.
    return stored(torch.where(loss == math.inf, 0, loss).to(data.dtype), out)


@kernel(out="apart")
@with_integer_fallback()
def ctc_loss_backward(
    dy: Tensor,
    data: Tensor,
    label: Tensor,
    data_lengths: Tensor | None = None,
    label_lengths: Tensor | None = None,
    *,
    use_data_lengths: bool,
    use_label_lengths: bool,
    blank_label: str,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``dy (p - q)``: each symbol's probability less its posterior given the labels."""
    log_p = _log_probabilities(data)
    problem = _problem(log_p, label, data_lengths, label_lengths, blank_label)
    if isinstance(problem, Sequences):
        return stored(problem.gradient(dy.to(log_p.dtype)).to(data.dtype), out)
    alpha, beta = _alphas_and_betas(problem)
    result = _likelihood(problem, alpha)
    # Occupation probabilities of states (Graves et al. 2006, equation 16).
    shares = torch.exp(alpha + beta - result).transpose(1, 2)
    states_of_step = problem.states.T.expand(shares.shape)
    per_symbol = torch.zeros_like(log_p).scatter_add_(2, states_of_step, shares)
    dx = (torch.exp(log_p) - per_symbol) * dy.to(log_p.dtype)[:, None]
    step = torch.arange(len(dx), device=dx.device)[:, None]
    counts = (step < problem.steps) & (result != -math.inf)
    return stored(torch.where(counts[:, :, None], dx, 0).to(data.dtype), out)
