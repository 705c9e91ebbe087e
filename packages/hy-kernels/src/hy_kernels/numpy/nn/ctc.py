"""Connectionist temporal classification (Graves et al., 2006), all sequences of a batch at once.

Blanks precede, separate and follow the labels of a sequence: ``S = 2 L + 1`` states.
``alpha[t, s]`` is the total probability of the path prefixes that end at step ``t`` in state ``s``,
``beta[t, s]`` that of the path suffixes that begin there. With steps and states reversed, betas are
alphas, so that the gradient computes both in one loop. The batch is the last axis, so that shifts
by a state are contiguous.

Sums over paths are computed as scaled probabilities if their range suffices, see :mod:`._ctc_sums`,
and else as logarithms, which takes several times as long.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, out_buffer, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._ctc_sums import shares, sums
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.nn.softmax import log_softmax_of, softmax_of


class _Problem(NamedTuple):
    """Operands of the sums over paths, for a batch of ``N`` sequences."""

    emitted: Array
    """``[T, S, N]``, the probability of each state's symbol, or its logarithm."""
    states: Array
    """``[S, N]``, the symbol of each state."""
    skips: Array
    """``[S, N]``: 0 where a path may skip the state before, a blank, else minus infinity."""
    start: Array
    """``[S, N]``: 0 in states where a path may begin, else minus infinity."""
    steps: Array
    """``[N]``, the number of steps of each sequence."""
    last: Array
    """``[1, N]``, the state of the blank after the last label."""


def _as_integers(lengths: Array, limit: int, name: str, what: str) -> Array:
    """Return ``lengths`` of sequences as integers.

    Raises:
        IndexError: A length is negative or above ``limit``.
    """
    wrong = np.flatnonzero(~((lengths >= 0) & (lengths <= limit)))
    if wrong.size:
        row = wrong[0]
        raise IndexError(f"{name}[{row}] is {lengths[row]:g}, not from 0 to {limit}, the {what}")
    return lengths.astype(np.int64)


def _problem(
    p: Array,
    label: Array,
    data_lengths: Array | None,
    label_lengths: Array | None,
    blank_label: str,
) -> _Problem:
    """Return the operands for ``p [T, N, C]``, probabilities of symbols or their logarithms."""
    steps, batch, classes = p.shape
    first = blank_label == "first"
    symbols = label.astype(np.int64)
    if symbols.shape[1] > steps:
        raise ValueError(f"{symbols.shape[1]} labels do not fit {steps} steps")
    if label_lengths is None:
        # The number of labels before the first padding.
        present = symbols != (0 if first else -1)
        counts = np.asarray(np.logical_and.accumulate(present, axis=1).sum(axis=1))
    else:
        counts = _as_integers(label_lengths, symbols.shape[1], "label_lengths", "number of labels")
    states = np.full((2 * symbols.shape[1] + 1, batch), 0 if first else classes - 1)
    states[1::2] = np.clip(symbols, 0, classes - 1).T
    skips = np.full(states.shape, -np.inf, p.dtype)
    # A blank between two labels may be skipped, unless they are equal: they would merge.
    skips[3::2][(symbols[:, 1:] != symbols[:, :-1]).T] = 0
    start = np.full_like(skips, -np.inf)
    start[:2] = 0
    flat = states + np.arange(batch) * classes
    emitted = p.reshape(steps, batch * classes).take(flat.ravel(), axis=1)
    ends = np.full(batch, steps)
    if data_lengths is not None:
        ends = _as_integers(data_lengths, steps, "data_lengths", "number of steps")
    last = 2 * counts.astype(np.int64)[None]
    return _Problem(
        emitted=emitted.reshape(steps, *states.shape),
        states=states,
        skips=skips,
        start=start,
        steps=ends,
        last=last,
    )


def _paths(emitted: Array, skips: Array, start: Array, begins: Array, ends: Array) -> Array:
    """Return the log alphas ``[T, S, N]`` of sequences from step ``begins`` to ``ends``."""
    steps, states, batch = emitted.shape
    padded = np.empty((steps, states + 2, batch), emitted.dtype)
    # Two impossible states are prepended, so that every state has two predecessors.
    padded[:, :2] = -np.inf
    alpha = padded[:, 2:]
    alpha[:1] = -np.inf
    terms, peak = np.empty((3, states, batch), emitted.dtype), np.empty_like(skips)
    lowest = np.finfo(emitted.dtype).min
    last_begin, first_end = begins.max(initial=0), ends.min(initial=steps)
    for t in range(steps):
        total = alpha[t]
        if t:
            # A log-sum-exp of three terms, in place: the same state, the state before, and the
            # state before a skipped blank.
            same, one, two = alpha[t - 1], padded[t - 1, 1:-1], padded[t - 1, :-2]
            np.add(two, skips, out=terms[2])
            np.maximum(same, one, out=peak)
            np.maximum(peak, terms[2], out=peak)
            # -inf - -inf would be nan.
            np.maximum(peak, lowest, out=peak)
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


def _alphas_and_betas(problem: _Problem) -> tuple[Array, Array]:
    """Return log alphas and log betas; betas exclude the probability of their first step."""
    emitted, batch = problem.emitted, len(problem.steps)
    none = np.zeros_like(problem.steps)
    # Betas are the alphas of reversed sequences: one loop over time computes 2 N sequences.
    both = _paths(
        np.concatenate([emitted, emitted[::-1, ::-1]], axis=2),
        *_both_ways(problem),
        np.concatenate([none, len(emitted) - problem.steps]),
        np.concatenate([problem.steps, none + len(emitted)]),
    )
    beta = both[::-1, ::-1, batch:] - emitted
    # fmax replaces nan, from a symbol of probability 0, by -inf.
    return both[..., :batch], np.fmax(beta, -np.inf, out=beta)


def _both_ways(problem: _Problem) -> tuple[Array, Array]:
    """Return ``skips`` and ``start``, ``[S, 2 N]``, of all sequences and of the reversed ones."""
    skips, last = problem.skips, problem.last
    position = np.arange(len(skips))[::-1, None]
    final = (position == last) | (position == last - 1)
    reverse = np.full_like(skips, -np.inf)
    reverse[2:] = skips[2:][::-1]
    ends = np.where(final, 0, reverse.dtype.type(-np.inf))
    return np.concatenate([skips, reverse], 1), np.concatenate([problem.start, ends], 1)


def _likelihood(problem: _Problem, alpha: Array) -> Array:
    """Return ``[N]``, the log probability of the labels, from log alphas."""
    last = problem.last
    at_end = np.take_along_axis(alpha[-1], last, axis=0)
    before = np.take_along_axis(alpha[-1], np.maximum(last - 1, 0), axis=0)
    return np.asarray(np.where(last > 0, np.logaddexp(at_end, before), at_end)[0])


def _sum_over_paths(problem: _Problem, values: Array) -> Array:
    """Return ``[N]``, the sum of ``values [T, S, N]`` over each sequence's two final states."""
    each, last = np.arange(len(problem.steps)), problem.last[0]
    at_end = values[problem.steps - 1, last, each]
    before = values[problem.steps - 1, np.maximum(last - 1, 0), each]
    return np.asarray(np.where(last > 0, at_end + before, at_end))


def _are_whole(problem: _Problem) -> bool:
    """Return whether all sequences have at least one step and at most ``T``."""
    steps = problem.steps
    return bool(((steps > 0) & (steps <= len(problem.emitted))).all())


def _likelihood_by_sums(problem: _Problem) -> Array | None:
    """Return the result of :func:`_likelihood` from probabilities in place of their logarithms.

    Args:
        problem: Operands whose ``emitted`` holds probabilities.

    Returns:
        None if a sum may underflow in float64, or a sequence does not have 1 to ``T`` steps.
    """
    if not _are_whole(problem):
        return None
    skips, start = np.exp(problem.skips), np.exp(problem.start)
    result = sums([problem.emitted], skips, start, np.zeros_like(problem.steps))
    if result is None:
        return None
    each = np.arange(len(problem.steps))
    return np.asarray(
        np.log(_sum_over_paths(problem, result.values)) + result.logarithms[problem.steps - 1, each]
    )


_Shares: TypeAlias = tuple[Array, Array]
"""``[T, S, N]``, the posterior probability of each state; ``[N]``, whether a path exists."""


def _shares_by_sums(problem: _Problem) -> _Shares | None:
    """Return the result of :func:`_shares` from probabilities in place of their logarithms.

    Args:
        problem: Operands whose ``emitted`` holds probabilities.

    Returns:
        None if a sum may underflow in float64, or a sequence does not have 1 to ``T`` steps.
    """
    if not _are_whole(problem):
        return None
    emitted, batch = problem.emitted, len(problem.steps)
    skips, start = (np.exp(part) for part in _both_ways(problem))
    begins = np.concatenate([np.zeros_like(problem.steps), len(emitted) - problem.steps])
    result = sums([emitted, emitted[::-1, ::-1]], skips, start, begins)
    if result is None:
        return None
    alpha, beta = result.values[..., :batch], result.values[::-1, ::-1, batch:]
    possible = _sum_over_paths(problem, alpha) > 0
    counts = (np.arange(len(emitted))[:, None] < problem.steps) & possible
    parts = shares(alpha, beta, emitted, counts)
    return None if parts is None else (parts, possible)


def _shares(problem: _Problem) -> _Shares:
    """Return the posterior probability of each state at each step, and whether a path exists.

    Args:
        problem: Operands whose ``emitted`` holds logarithms of probabilities, so that no sum
            underflows.
    """
    alpha, beta = _alphas_and_betas(problem)
    result = _likelihood(problem, alpha)
    beta += alpha
    beta -= result
    return np.exp(beta, out=beta), ~np.isneginf(result)


def _subtract(dx: Array, parts: Array, states: Array) -> None:
    """Subtract ``parts [T, S, N]`` of states from the symbols of these in ``dx [T, N, C]``."""
    # With many symbols, few occur in the labels: only these are visited.
    if dx.shape[2] > COSTS.rows.sparse_symbols * len(states):
        each = np.arange(dx.shape[1])
        dx[:, each, states[0]] -= parts[:, ::2].sum(axis=1)  # all blanks
        for part, symbols in zip(parts.swapaxes(0, 1)[1::2], states[1::2], strict=True):
            dx[:, each, symbols] -= part
        return
    # Else a product with a matrix of zeros and ones, which sums the states of each symbol.
    symbols = states.T[:, :, None] == np.arange(dx.shape[2])
    own = np.empty((dx.shape[1], *parts.shape[:2]), dx.dtype)
    np.copyto(own, parts.transpose(2, 0, 1), casting="same_kind")
    dx -= np.matmul(own, symbols.astype(dx.dtype)).transpose(1, 0, 2)


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
    out: OutBuffers = None,
) -> Array:
    """Return ``[N]``, the negative log probability of the labels; 0 if they are impossible."""
    labels = label, data_lengths, label_lengths, blank_label
    x = to_compute_dtype(data)
    result = _likelihood_by_sums(_problem(softmax_of(x, -1), *labels))
    if result is None:
        problem = _problem(log_softmax_of(x), *labels)
        begins = np.zeros_like(problem.steps)
        alphas = _paths(problem.emitted, problem.skips, problem.start, begins, problem.steps)
        result = _likelihood(problem, alphas)
    result = result.astype(x.dtype, copy=False)
    loss = np.negative(result, out=out_buffer(out))
    np.copyto(loss, 0, where=np.isposinf(loss))
    return to_storage_dtype(loss, data.dtype)


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
    out: OutBuffers = None,
) -> Array:
    """Return the gradient to the data, ``[T, N, C]``.

    It is ``dy`` times the softmax minus the posterior probability of each symbol given the labels.
    """
    labels = label, data_lengths, label_lengths, blank_label
    x = to_compute_dtype(data)
    dx = softmax_of(x, -1, out=out)
    problem = _problem(dx, *labels)
    result = _shares_by_sums(problem)
    if result is None:
        result = _shares(_problem(log_softmax_of(x), *labels))
    parts, possible = result
    _subtract(dx, parts, problem.states)
    dx *= to_compute_dtype(dy)[:, None]
    counts = (np.arange(len(dx))[:, None] < problem.steps) & possible
    np.copyto(dx, 0, where=~counts[:, :, None])
    return to_storage_dtype(dx, data.dtype)
