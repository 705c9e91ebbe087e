"""Connectionist temporal classification, in logarithms, all sequences of a batch at once.

Between the labels of a sequence and around them are blanks: ``S = 2 L + 1`` states. ``alpha[t, s]``
is the probability of all beginnings that end at step ``t`` in state ``s``, ``beta[t, s]`` that of
all continuations.
"""

from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy.nn._window import narrow, wide

__all__ = ["ctc_loss", "ctc_loss_backward"]


class _Problem(NamedTuple):
    """What both directions work on."""

    emitted: Array
    """``[T, N, S]``, log probability of each state's symbol."""
    states: Array
    """``[N, S]``, symbols."""
    skips: Array
    """``[N, S]``: 0 where a state may follow the one two before it, else minus infinity."""
    steps: Array
    """``[N]``, how many steps each sequence has."""
    last: Array
    """``[N]``, the state behind the last label."""


def _log_softmax(x: Array) -> Array:
    y: Array = x - x.max(axis=2, keepdims=True)
    y -= np.log(np.exp(y).sum(axis=2, keepdims=True))
    return y


def _label_lengths(label: Array, blank_first: bool) -> Array:
    """The number of labels before the first that is padding."""
    padding = label == (0 if blank_first else -1)
    ends = np.where(padding.any(axis=1), padding.argmax(axis=1), label.shape[1])
    return np.asarray(ends)


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
    states = np.full((batch, 2 * symbols.shape[1] + 1), 0 if first else classes - 1)
    states[:, 1::2] = np.clip(symbols, 0, classes - 1)
    skips = np.full(states.shape, -np.inf, log_p.dtype)
    skips[:, 3::2][symbols[:, 1:] != symbols[:, :-1]] = 0
    emitted = np.take_along_axis(log_p, states[None], axis=2)
    ends = np.full(batch, steps) if data_lengths is None else data_lengths.astype(np.int64)
    return _Problem(emitted, states, skips, ends, 2 * counts.astype(np.int64))


def _shifted(values: Array, by: int) -> Array:
    """The values of the states ``by`` before, minus infinity where there are none."""
    result = np.full_like(values, -np.inf)
    if by > 0:
        result[:, by:] = values[:, :-by]
    else:
        result[:, :by] = values[:, -by:]
    return result


def _alphas(problem: _Problem) -> Array:
    emitted = problem.emitted
    alpha = np.full_like(emitted, -np.inf)
    if len(alpha):
        alpha[0, :, :2] = emitted[0, :, :2]
    for t in range(1, len(alpha)):
        before = alpha[t - 1]
        total = np.logaddexp(before, _shifted(before, 1))
        if before.shape[1] > 2:
            total = np.logaddexp(total, _shifted(before, 2) + problem.skips)
        alpha[t] = np.where((t < problem.steps)[:, None], total + emitted[t], before)
    return alpha


def _betas(problem: _Problem) -> Array:
    emitted = problem.emitted
    beta = np.full_like(emitted, -np.inf)
    place = np.arange(emitted.shape[2])
    last = problem.last[:, None]
    final = np.where((place == last) | (place == last - 1), 0, -np.inf).astype(beta.dtype)
    allowed = _shifted(problem.skips, -2) if emitted.shape[2] > 2 else None
    ahead = final
    for t in range(len(beta) - 1, -1, -1):
        if t + 1 < len(beta):
            after = ahead + emitted[t + 1]
            ahead = np.logaddexp(after, _shifted(after, -1))
            if allowed is not None:
                ahead = np.logaddexp(ahead, _shifted(after, -2) + allowed)
        ahead = np.where((t >= problem.steps - 1)[:, None], final, ahead)
        beta[t] = ahead
    return beta


def _likelihood(problem: _Problem, alpha: Array) -> Array:
    """``[N]``, the logarithm of the probability of the labels."""
    last = problem.last[:, None]
    at_end = np.take_along_axis(alpha[-1], last, axis=1)
    before = np.take_along_axis(alpha[-1], np.maximum(last - 1, 0), axis=1)
    return np.asarray(np.where(last > 0, np.logaddexp(at_end, before), at_end)[:, 0])


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
) -> Array:
    """Minus the log probability of the labels; 0 where they are impossible."""
    log_p = _log_softmax(wide(data))
    problem = _problem(log_p, label, data_lengths, label_lengths, blank_label)
    found = _likelihood(problem, _alphas(problem))
    return narrow(np.where(np.isneginf(found), 0, -found), data.dtype)


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
) -> Array:
    """``dy`` times the probability of each symbol less its share in the labels' paths."""
    log_p = _log_softmax(wide(data))
    problem = _problem(log_p, label, data_lengths, label_lengths, blank_label)
    alpha = _alphas(problem)
    found = _likelihood(problem, alpha)
    alpha += _betas(problem)
    alpha -= found[:, None]
    shares = np.exp(alpha, out=alpha).transpose(1, 0, 2)
    symbols = problem.states[:, :, None] == np.arange(log_p.shape[2])
    per_symbol = np.matmul(shares, symbols.astype(shares.dtype)).transpose(1, 0, 2)
    dx = np.exp(log_p, out=log_p)
    dx -= per_symbol
    dx *= wide(dy)[:, None]
    counts = (np.arange(len(dx))[:, None] < problem.steps) & ~np.isneginf(found)
    np.copyto(dx, 0, where=~counts[:, :, None])
    return narrow(dx, data.dtype)
