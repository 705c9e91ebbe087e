"""Log likelihood of events under Hawkes processes (Hawkes, 1971), and its gradient."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype


def _to_real(array: Array) -> Array:
    """Convert to a floating dtype to compute in: integers to float64, 16-bit floats to float32."""
    return array.astype(np.float64) if array.dtype.kind in "biu" else to_compute_dtype(array)


class _Step(NamedTuple):
    """The time between two events of a kind, for ``M`` samples (or pairs of sample and kind).

    The intensity ``lda + alpha beta memory exp(-beta t)`` decays during a step.
    """

    where: tuple[Array, Array]
    """``[M]`` each, the indices of samples and kinds."""
    time: Array
    """``[M]``, the duration of the step."""
    decay: Array
    """``[M]``, ``exp(-beta time)``."""
    memory: Array
    """``[M]``, the memory at the beginning of the step."""
    derivative: Array
    """``[M]``, the derivative of that memory with respect to ``beta``."""
    ends_with_event: bool


def _steps(
    beta: Array, state: Array, lags: Array, marks: Array, valid_length: Array, max_time: Array
) -> Iterator[_Step]:
    """Yield a step up to each event, then one up to the end for all kinds; updates ``state``."""
    count, kinds = state.shape
    last, derivative = np.zeros_like(state), np.zeros_like(state)
    now = np.zeros(count, state.dtype)
    samples = np.arange(count)
    for i in range(lags.shape[1]):
        alive = i < valid_length
        where = samples[alive], marks[alive, i].astype(np.intp)
        now[alive] += lags[alive, i]
        yield (step := _step(beta, state, derivative, where, now[alive] - last[where], event=True))
        derivative[where] = (step.derivative - step.memory * step.time) * step.decay
        state[where] = 1 + step.memory * step.decay
        last[where] = now[alive]
    where = np.repeat(samples, kinds), np.tile(np.arange(kinds), count)
    rest = (max_time[:, None] - last).ravel()
    yield (step := _step(beta, state, derivative, where, rest, event=False))
    state[where] = step.memory * step.decay


def _step(
    beta: Array,
    state: Array,
    derivative: Array,
    where: tuple[Array, Array],
    time: Array,
    *,
    event: bool,
) -> _Step:
    return _Step(
        where=where,
        time=time,
        decay=np.exp(-beta[where[1]] * time),
        memory=state[where],
        derivative=derivative[where],
        ends_with_event=event,
    )


@kernel()
@quiet
def hawkesll(
    lda: Array,
    alpha: Array,
    beta: Array,
    state: Array,
    lags: Array,
    marks: Array,
    valid_length: Array,
    max_time: Array,
) -> tuple[Array, Array]:
    """Return the log likelihood of each sample, and the memory of each kind at the end."""
    rate, a, b, memory = _to_real(lda), _to_real(alpha), _to_real(beta), _to_real(state).copy()
    total = np.zeros(len(rate), rate.dtype)
    for step in _steps(b, memory, _to_real(lags), marks, valid_length, _to_real(max_time)):
        n, k = step.where
        own = a[k] * step.memory
        # Minus the integral of the intensity over the step, plus the log intensity at an event.
        gain = -rate[step.where] * step.time - own * (1 - step.decay)
        if step.ends_with_event:
            gain += np.log(rate[step.where] + b[k] * own * step.decay)
        total += np.bincount(n, gain, len(total)).astype(total.dtype)
    return to_storage_dtype(total, lda.dtype), to_storage_dtype(memory, state.dtype)


@kernel()
@quiet
def hawkesll_backward(
    dy: Array,
    lda: Array,
    alpha: Array,
    beta: Array,
    state: Array,
    lags: Array,
    marks: Array,
    valid_length: Array,
    max_time: Array,
) -> tuple[Array, Array, Array]:
    """Return the gradients of ``hawkesll`` to ``lda``, ``alpha`` and ``beta``."""
    rate, a, b, g = _to_real(lda), _to_real(alpha), _to_real(beta), _to_real(dy)
    drate = np.zeros(rate.shape)
    dalpha, dbeta = np.zeros(a.shape), np.zeros(b.shape)
    memory = _to_real(state).copy()
    for step in _steps(b, memory, _to_real(lags), marks, valid_length, _to_real(max_time)):
        n, k = step.where
        falling = (step.derivative - step.memory * step.time) * step.decay
        of_rate = -step.time
        of_alpha = -step.memory * (1 - step.decay)
        of_beta = a[k] * (falling - step.derivative)
        if step.ends_with_event:
            seen = step.memory * step.decay
            inverse = 1 / (rate[step.where] + a[k] * b[k] * seen)
            of_rate = of_rate + inverse
            of_alpha += b[k] * seen * inverse
            of_beta += a[k] * (seen + b[k] * falling) * inverse
        drate[step.where] += g[n] * of_rate
        dalpha += np.bincount(k, g[n] * of_alpha, len(a))
        dbeta += np.bincount(k, g[n] * of_beta, len(b))
    return drate.astype(lda.dtype), dalpha.astype(alpha.dtype), dbeta.astype(beta.dtype)
