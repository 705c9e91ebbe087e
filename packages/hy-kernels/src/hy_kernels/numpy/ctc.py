"""Connectionist temporal classification, in logarithms, all sequences of a batch at once.

Between the labels of a sequence and around them are blanks: ``S = 2 L + 1`` states. ``alpha[t, s]``
is the probability of all beginnings that end at step ``t`` in state ``s``, ``beta[t, s]`` that of
all continuations that begin there. Seen from the end, with the states in reverse, betas are alphas:
the gradient finds both in one loop. The batch is the last axis, so that the states before another
are contiguous, too.
"""

from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, Places, place, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn._window import narrow, wide
from hy_kernels.numpy.nn.softmax import log_softmax_of

__all__ = ["ctc_loss", "ctc_loss_backward"]


class _Problem(NamedTuple):
    """What both directions work on."""

    emitted: Array
    """``[T, S, N]``, log probability of each state's symbol."""
    states: Array
    """``[S, N]``, symbols."""
    skips: Array
    """``[S, N]``: 0 where a state may follow the one two before it, else minus infinity."""
    start: Array
    """``[S, N]``: 0 where a path may begin, else minus infinity."""
    steps: Array
    """``[N]``, how many steps each sequence has."""
    last: Array
    """``[1, N]``, the state behind the last label."""


def _label_lengths(label: Array, blank_first: bool) -> Array:
    """The number of labels before the first that is padding."""
    present = label != (0 if blank_first else -1)
    return np.asarray(np.logical_and.accumulate(present, axis=1).sum(axis=1))


def _problem(
    log_p: Array,
    label: Array,
    data_lengths: Array | None,
    label_lengths: Array | None,
    blank_label: str,
) -> _Problem:
    steps, batch, classes = log_p.shape
    first = blank_label == "first"
    symbols = label.astype(np.int64)
    if symbols.shape[1] > steps:
        raise ValueError(f"{symbols.shape[1]} labels for {steps} steps")
    counts = _label_lengths(symbols, first) if label_lengths is None else label_lengths
    states = np.full((2 * symbols.shape[1] + 1, batch), 0 if first else classes - 1)
    states[1::2] = np.clip(symbols, 0, classes - 1).T
    skips = np.full(states.shape, -np.inf, log_p.dtype)
    skips[3::2][(symbols[:, 1:] != symbols[:, :-1]).T] = 0
    start = np.full_like(skips, -np.inf)
    start[:2] = 0
    place = states + np.arange(batch) * classes
    emitted = log_p.reshape(steps, batch * classes).take(place.ravel(), axis=1)
    ends = np.full(batch, steps) if data_lengths is None else data_lengths.astype(np.int64)
    last = 2 * counts.astype(np.int64)[None]
    return _Problem(emitted.reshape(steps, *states.shape), states, skips, start, ends, last)


def _paths(emitted: Array, skips: Array, start: Array, begins: Array, ends: Array) -> Array:
    """``[T, S, N]``, the alphas of sequences that last from ``begins`` to ``ends``."""
    steps, states, batch = emitted.shape
    padded = np.empty((steps, states + 2, batch), emitted.dtype)
    padded[:, :2] = -np.inf  # so that each state has two before
    alpha = padded[:, 2:]
    alpha[:1] = -np.inf
    terms, peak = np.empty((3, states, batch), emitted.dtype), np.empty_like(skips)
    lowest = np.finfo(emitted.dtype).min
    last_begin, first_end = begins.max(initial=0), ends.min(initial=steps)
    for t in range(steps):
        total = alpha[t]
        if t:
            same, one, two = alpha[t - 1], padded[t - 1, 1:-1], padded[t - 1, :-2]
            np.add(two, skips, out=terms[2])
            np.maximum(same, one, out=peak)
            np.maximum(peak, terms[2], out=peak)
            np.maximum(peak, lowest, out=peak)  # infinities have no difference
            np.subtract(same, peak, out=terms[0])
            np.subtract(one, peak, out=terms[1])
            np.subtract(terms[2], peak, out=terms[2])
            np.exp(terms, out=terms)
            np.add(terms[0], terms[1], out=total)
            total += terms[2]
            np.log(total, out=total)
            total += peak
            total += emitted[t]
            if t >= first_end:
                np.copyto(total, same, where=ends <= t)
        if t <= last_begin:
            np.add(start, emitted[t], out=total, where=begins == t)
    return alpha


def _alphas(problem: _Problem) -> Array:
    none = np.zeros_like(problem.steps)
    return _paths(problem.emitted, problem.skips, problem.start, none, problem.steps)


def _alphas_and_betas(problem: _Problem) -> tuple[Array, Array]:
    """Both; betas without the probability of their own step."""
    emitted, skips = problem.emitted, problem.skips
    steps, states, batch = emitted.shape
    place = np.arange(states)[::-1, None]
    final = (place == problem.last) | (place == problem.last - 1)
    reverse = np.full_like(skips, -np.inf)
    reverse[2:] = skips[2:][::-1]
    none = np.zeros_like(problem.steps)
    both = _paths(
        np.concatenate([emitted, emitted[::-1, ::-1]], axis=2),
        np.concatenate([skips, reverse], axis=1),
        np.concatenate([problem.start, np.where(final, 0, reverse.dtype.type(-np.inf))], axis=1),
        np.concatenate([none, steps - problem.steps]),
        np.concatenate([problem.steps, none + steps]),
    )
    beta = both[::-1, ::-1, batch:] - emitted
    return both[..., :batch], np.fmax(beta, -np.inf, out=beta)  # nan where nothing is emitted


def _likelihood(problem: _Problem, alpha: Array) -> Array:
    """``[N]``, the logarithm of the probability of the labels."""
    last = problem.last
    at_end = np.take_along_axis(alpha[-1], last, axis=0)
    before = np.take_along_axis(alpha[-1], np.maximum(last - 1, 0), axis=0)
    return np.asarray(np.where(last > 0, np.logaddexp(at_end, before), at_end)[0])


@kernel(out="apart")
@quiet
def ctc_loss(
    data: Array,
    label: Array,
    data_lengths: Array | None = None,
    label_lengths: Array | None = None,
    *,
    use_data_lengths: bool,
    use_label_lengths: bool,
    blank_label: str,
    out: Places = None,
) -> Array:
    """Minus the log probability of the labels; 0 where they are impossible."""
    log_p = log_softmax_of(wide(data))
    problem = _problem(log_p, label, data_lengths, label_lengths, blank_label)
    found = _likelihood(problem, _alphas(problem))
    loss = np.negative(found, out=place(out))
    np.copyto(loss, 0, where=np.isposinf(loss))
    return narrow(loss, data.dtype)


@kernel(out="apart")
@quiet
def ctc_loss_backward(
    dy: Array,
    data: Array,
    label: Array,
    data_lengths: Array | None = None,
    label_lengths: Array | None = None,
    *,
    use_data_lengths: bool,
    use_label_lengths: bool,
    blank_label: str,
    out: Places = None,
) -> Array:
    """``dy`` times the probability of each symbol less its share in the labels' paths."""
    log_p = log_softmax_of(wide(data), out=out)
    problem = _problem(log_p, label, data_lengths, label_lengths, blank_label)
    alpha, beta = _alphas_and_betas(problem)
    found = _likelihood(problem, alpha)
    beta += alpha
    beta -= found
    shares = np.ascontiguousarray(np.exp(beta, out=beta).transpose(2, 0, 1))
    symbols = problem.states.T[:, :, None] == np.arange(log_p.shape[2])
    per_symbol = np.matmul(shares, symbols.astype(shares.dtype)).transpose(1, 0, 2)
    dx = np.exp(log_p, out=log_p)
    dx -= per_symbol
    dx *= wide(dy)[:, None]
    counts = (np.arange(len(dx))[:, None] < problem.steps) & ~np.isneginf(found)
    np.copyto(dx, 0, where=~counts[:, :, None])
    return narrow(dx, data.dtype)
