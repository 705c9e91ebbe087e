"""Log likelihood of events under Hawkes processes (Hawkes, 1971), for all samples at once."""

from collections.abc import Iterator
from typing import NamedTuple

import torch

from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import real, to_storage_dtype
from hy_kernels.torch._tensor import Tensor


class _Step(NamedTuple):
    """Interval since the last event of a kind, for ``M`` kinds of each sample.

    In it the intensity is ``lda + alpha beta memory exp(-beta t)``.
    """

    kinds: Tensor
    """``[N, M]``, indices of the kinds."""
    has_event: Tensor
    """``[N, 1]``, True for samples that have this step; others contribute nothing."""
    time: Tensor
    """``[N, M]``, length of the interval."""
    decay: Tensor
    """``[N, M]``, ``exp(-beta time)``."""
    memory: Tensor
    """``[N, M]``, memory of past events at the beginning."""
    derivative: Tensor
    """``[N, M]``, derivative of the memory with respect to ``beta``."""
    ends_with_event: bool


def _steps(
    beta: Tensor, state: Tensor, lags: Tensor, marks: Tensor, valid_length: Tensor, max_time: Tensor
) -> Iterator[_Step]:
    """Yield an interval per event, and one to ``max_time`` for all kinds; update ``state``."""
    count, kinds = state.shape
    last, derivative = torch.zeros_like(state), torch.zeros_like(state)
    now = state.new_zeros((count, 1))

    def step(where: Tensor, has_event: Tensor, time: Tensor, event: bool) -> _Step:
        # Hawkes process with exponential kernel (Hawkes 1971): the memory of past events decays.
        decay = torch.exp(-beta[where] * time)
        return _Step(
            kinds=where,
            has_event=has_event,
            time=time,
            decay=decay,
            memory=state.gather(1, where),
            derivative=derivative.gather(1, where),
            ends_with_event=event,
        )

    for i in range(lags.shape[1]):
        alive = (i < valid_length).reshape(count, 1)
        # Samples that have ended compute with kind 0 and are masked: no branches on the device.
        where = torch.where(alive, marks[:, i : i + 1].to(torch.int64), 0)
        now = torch.where(alive, now + lags[:, i : i + 1], now)
        result = step(where, alive, now - last.gather(1, where), event=True)
        yield result
        # The derivative of the memory follows the same recursion.
        falling = (result.derivative - result.memory * result.time) * result.decay
        derivative.scatter_(1, where, torch.where(alive, falling, result.derivative))
        after = 1 + result.memory * result.decay
        state.scatter_(1, where, torch.where(alive, after, result.memory))
        last.scatter_(1, where, torch.where(alive, now, last.gather(1, where)))
    everywhere = torch.arange(kinds, device=state.device).expand(count, kinds)
    always = torch.ones((count, 1), dtype=torch.bool, device=state.device)
    result = step(everywhere, always, max_time[:, None] - last, event=False)
    yield result
    # The state at the end of time is the next interval's beginning.
    state.copy_(result.memory * result.decay)


@kernel()
def hawkesll(
    lda: Tensor,
    alpha: Tensor,
    beta: Tensor,
    state: Tensor,
    lags: Tensor,
    marks: Tensor,
    valid_length: Tensor,
    max_time: Tensor,
) -> tuple[Tensor, Tensor]:
    """Return the log likelihood of each sample, and the memory at the end."""
    rate, a, b, memory = real(lda), real(alpha), real(beta), real(state).clone()
    total = rate.new_zeros(len(rate))
    for step in _steps(b, memory, real(lags), marks, valid_length, real(max_time)):
        base, own = rate.gather(1, step.kinds), a[step.kinds] * step.memory
        gain = -base * step.time - own * (1 - step.decay)
        if step.ends_with_event:
            gain += torch.log(base + b[step.kinds] * own * step.decay)
        total += torch.where(step.has_event, gain, 0).sum(1)
    return to_storage_dtype(total, lda.dtype), to_storage_dtype(memory, state.dtype)


@kernel()
def hawkesll_backward(
    dy: Tensor,
    lda: Tensor,
    alpha: Tensor,
    beta: Tensor,
    state: Tensor,
    lags: Tensor,
    marks: Tensor,
    valid_length: Tensor,
    max_time: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients to ``lda``, ``alpha`` and ``beta``."""
    rate, a, b, g = real(lda), real(alpha), real(beta), real(dy)[:, None]
    # Sums over events in float64: sequences have thousands of them.
    dtype = widest(lda.device)
    drate, dalpha, dbeta = (torch.zeros_like(x, dtype=dtype) for x in (rate, a, b))
    memory = real(state).clone()
    for step in _steps(b, memory, real(lags), marks, valid_length, real(max_time)):
        own = a[step.kinds]
        falling = (step.derivative - step.memory * step.time) * step.decay
        of_rate = -step.time
        of_alpha = -step.memory * (1 - step.decay)
        of_beta = own * (falling - step.derivative)
        if step.ends_with_event:
            beta_of = b[step.kinds]
            seen = step.memory * step.decay
            inverse = 1 / (rate.gather(1, step.kinds) + own * beta_of * seen)
            of_rate = of_rate + inverse
            of_alpha += beta_of * seen * inverse
            of_beta += own * (seen + beta_of * falling) * inverse
        weighted = [
            torch.where(step.has_event, g * x, 0).to(dtype) for x in (of_rate, of_alpha, of_beta)
        ]
        drate.scatter_add_(1, step.kinds, weighted[0])
        flat = step.kinds.reshape(-1)
        dalpha.index_add_(0, flat, weighted[1].reshape(-1))
        dbeta.index_add_(0, flat, weighted[2].reshape(-1))
    return drate.to(lda.dtype), dalpha.to(alpha.dtype), dbeta.to(beta.dtype)
