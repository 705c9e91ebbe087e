"""Forward-backward sums of CTC as scaled probabilities, not logarithms (Rabiner, 1989, V.A).

Sums are in float64 and are divided by their total every few steps. If one may underflow, the
functions return None, and the caller computes with logarithms.
"""

from math import log
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn._workspace import workspace

_TINY = 1e-300  # smaller sums may have underflowed
_DROP = 1e-60  # smallest factor by which sums may shrink between two divisions
_MAX_STEPS = 64  # steps between two divisions
_JOINT = 1e-250  # smaller products of both directions may have underflowed
_DOUBLE = np.dtype(np.float64)


class Sums(NamedTuple):
    """Forward probabilities by step and state, in scratch memory that the next call overwrites."""

    values: Array
    """``[T, S, N]``, the scaled probabilities."""
    logarithms: Array
    """``[T, N]``, the logarithms of the scales that each step was divided by."""


def sums(parts: list[Array], skips: Array, start: Array, begins: Array) -> Sums | None:
    """Return the scaled forward probabilities of sequences that begin at steps ``begins``.

    Args:
        parts: ``[T, S, n]`` each, together ``[T, S, N]``: the probability of each state's symbol.
        skips: ``[S, N]``: 1 where a path may skip the state before, a blank, else 0.
        start: ``[S, N]``: 1 in states where a path may begin, else 0.
        begins: ``[N]``, the first step of each sequence.

    Returns:
        The probabilities, or None if some may underflow.
    """
    steps, (states, batch) = len(parts[0]), skips.shape
    # The other part, of the reversed sequences, has the same probabilities.
    lowest = float(parts[0].min(initial=1))
    if not lowest > _DROP:
        return None
    # The least likely symbol shrinks a sum by at most _DROP in this many steps.
    interval = min(int(log(_DROP) / log(lowest)), _MAX_STEPS) if lowest < 1 else _MAX_STEPS
    lowest = _TINY / lowest**interval
    emitted = workspace("ctc emitted", (steps, states, batch), _DOUBLE)
    np.concatenate(parts, axis=2, out=emitted)
    padded = workspace("ctc sums", (steps, states + 2, batch), _DOUBLE)
    # Two states of probability 0 are prepended, so that every state has two predecessors.
    padded[:, :2] = 0
    values = padded[:, 2:]
    skipped = np.empty((states, batch))
    logarithms, logarithm = np.zeros((steps, batch)), np.zeros(batch)
    last_begin = begins.max(initial=0)
    for t in range(steps):
        total = values[t]
        if t:
            np.add(values[t - 1], padded[t - 1, 1:-1], out=total)
            np.multiply(padded[t - 1, :-2], skips, out=skipped)
            np.add(total, skipped, out=total)
        else:
            total.fill(0)
        if t <= last_begin:
            np.add(total, start, out=total, where=begins == t)
        np.multiply(total, emitted[t], out=total)
        if t % interval == interval - 1:
            of_all = total.sum(axis=0)
            of_all[of_all == 0] = 1
            total /= of_all
            if ((total < lowest) & (total > 0)).any():
                return None
            logarithm = logarithm + np.log(of_all)
        logarithms[t] = logarithm
    return Sums(values, logarithms)


def shares(alpha: Array, beta: Array, emitted: Array, counts: Array) -> Array | None:
    """Return ``[T, S, N]``, the posterior probability of each state at each step.

    Args:
        alpha: ``[T, S, N]``, forward sums; overwritten.
        beta: ``[T, S, N]``, backward sums.
        emitted: ``[T, S, N]``, the probability of the state's symbol, a factor of both sums.
        counts: ``[T, N]``, True for the steps of a sequence, False for its padding.

    Returns:
        The probabilities, or None if some may underflow.
    """
    joint = np.multiply(alpha, beta, out=alpha)
    joint /= emitted
    total = joint.sum(axis=1)
    if ((total < _JOINT) & counts).any():
        return None
    total[~counts] = np.inf
    joint /= total[:, None]
    return joint
