"""Tests of random generators against distributions."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray import ArgumentError, NDArray

__all__ = [
    "chi_square_check",
    "gen_buckets_probs_with_ppf",
    "mean_check",
    "var_check",
    "verify_generator",
]

Generator: TypeAlias = Callable[[int], Any]
"""Function that returns a given number of samples."""


def gen_buckets_probs_with_ppf(
    ppf: Callable[[float], float], nbuckets: int
) -> tuple[list[tuple[float, float]], list[float]]:
    """Return ``nbuckets`` intervals of equal probability, and their probabilities.

    Args:
        ppf: Inverse of the cumulative distribution.
        nbuckets: Number of intervals.

    Example:
        >>> gen_buckets_probs_with_ppf(lambda q: 2 * q, 2)
        ([(0.0, 1.0), (1.0, 2.0)], [0.5, 0.5])
    """
    edges = [ppf(i / nbuckets) for i in range(nbuckets + 1)]
    return list(pairwise(edges)), [1 / nbuckets] * nbuckets


def _samples(generator: Generator, nsamples: int) -> npt.NDArray[Any]:
    drawn = generator(nsamples)
    values = np.ravel(drawn.asnumpy() if isinstance(drawn, NDArray) else np.asarray(drawn))
    if values.size != nsamples:
        raise ArgumentError(f"generator({nsamples}) gave {values.size} numbers")
    return values


def mean_check(generator: Generator, mu: float, sigma: float, nsamples: int = 1000000) -> bool:
    """Return whether the mean of samples is within three standard errors of ``mu``."""
    bound = 3 * sigma / math.sqrt(nsamples)
    return bool(abs(_samples(generator, nsamples).mean() - mu) < bound)


def var_check(generator: Generator, sigma: float, nsamples: int = 1000000) -> bool:
    """Return whether the variance of normal samples is within three standard errors."""
    variance = _samples(generator, nsamples).var(ddof=1)
    bound = 3 * math.sqrt(2 * sigma**4 / (nsamples - 1))
    return bool(abs(variance - sigma**2) < bound)


def _survival(statistic: float, freedom: int) -> float:
    """Return the probability that a chi-square variable exceeds ``statistic``.

    Computed as a finite sum for integer degrees of freedom (Abramowitz and Stegun, 26.4.4 and
    26.4.5).
    """
    # scipy.stats.chi2.sf, without the dependency.
    half = statistic / 2
    if freedom % 2 == 0:
        orders = range(freedom // 2) if half else ()
        # In logarithms, since factorials overflow from 171 on.
        logs = [k * math.log(half) - math.lgamma(k + 1) - half for k in orders]
        return sum(map(math.exp, logs)) if half else 1.0
    total = math.erfc(math.sqrt(half))
    if half:
        terms = (
            math.exp((k - 0.5) * math.log(half) - math.lgamma(k + 0.5) - half)
            for k in range(1, (freedom - 1) // 2 + 1)
        )
        total += sum(terms)
    return total


def chi_square_check(
    generator: Generator,
    buckets: Sequence[Any],
    probs: Sequence[float],
    nsamples: int = 1000000,
) -> tuple[float, npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the p-value of the chi-square test of samples against a distribution.

    Args:
        generator: Function that returns samples of a given size.
        buckets: ``[K]``: half-open intervals ``(low, high)``, or single values.
        probs: ``[K]``: probability of each bucket.
        nsamples: Number of samples.

    Returns:
        The p-value of Pearson's chi-square test, and the actual and expected counts of the buckets.

    Raises:
        ArgumentError: ``probs`` and ``buckets`` differ in length, or kinds of buckets are mixed.
    """
    if len(buckets) != len(probs) or not buckets:
        raise ArgumentError(
            f"chi_square_check: {len(buckets)} buckets need as many probs, not {len(probs)}"
        )
    intervals = [isinstance(bucket, list | tuple) for bucket in buckets]
    if any(intervals) != all(intervals):
        raise ArgumentError("chi_square_check: buckets must be all intervals, or all values")
    values = _samples(generator, nsamples)
    observed = np.array(
        [
            np.count_nonzero((values >= bucket[0]) & (values < bucket[1]))
            if is_interval
            else np.count_nonzero(values == bucket)
            for bucket, is_interval in zip(buckets, intervals, strict=True)
        ]
    )
    exact = nsamples * np.asarray(probs, np.float64)
    statistic = float(np.sum((observed - exact) ** 2 / exact))
    # One degree of freedom less than buckets, as the counts add up to nsamples.
    p = _survival(statistic, len(buckets) - 1)
    return p, observed, exact.astype(np.int32)


def verify_generator(
    generator: Generator,
    buckets: Sequence[Any],
    probs: Sequence[float],
    nsamples: int = 1000000,
    nrepeat: int = 5,
    success_rate: float = 0.2,
    alpha: float = 0.05,
) -> list[float]:
    """Raise AssertionError if too few of several chi-square tests succeed; return the p-values.

    Args:
        generator: Function that returns samples of a given size.
        buckets: ``[K]`` intervals, or values.
        probs: ``[K]``: probability of each bucket.
        nsamples: Number of samples of each test.
        nrepeat: Number of tests.
        success_rate: Share of tests that must succeed.
        alpha: A test succeeds if its p-value is above this.

    Returns:
        The p-value of each test.
    """
    results = [chi_square_check(generator, buckets, probs, nsamples) for _ in range(nrepeat)]
    # p-values of a right generator are uniform: a share alpha of the runs fails by chance.
    p_values = [p for p, _, _ in results]
    if sum(p > alpha for p in p_values) < nrepeat * success_rate:
        raise AssertionError(
            f"Generator test fails, Chi-square p={p_values}, "
            f"obs_freq={[observed for _, observed, _ in results]}, "
            f"expected_freq={[expected for _, _, expected in results]}.\n"
            f"buckets={buckets}, probs={probs}"
        )
    return p_values
