"""Cases of the likelihood of events under self-exciting processes."""

from math import exp, log
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _likelihood(lda: Any, alpha: Any, beta: Any, state: Any, lags: Any, marks: Any,
                valid_length: Any, max_time: Any) -> Any:  # fmt: skip
    total, left = np.zeros(len(lda)), np.zeros_like(state)
    for n, (end, count) in enumerate(zip(max_time, valid_length, strict=True)):
        times = np.cumsum(lags[n])[: int(count)]
        for k, (mu, a, b) in enumerate(zip(lda[n], alpha, beta, strict=True)):
            events = [t for t, m in zip(times, marks[n], strict=False) if m == k]
            for t in events:
                memory = state[n, k] * exp(-b * t) + sum(exp(-b * (t - s)) for s in events if s < t)
                total[n] += log(mu + a * b * memory)
            sources = [(1.0, s) for s in events] + [(state[n, k], 0.0)]
            total[n] -= mu * end + a * sum(w * (1 - exp(-b * (end - s))) for w, s in sources)
            left[n, k] = sum(w * exp(-b * (end - s)) for w, s in sources)
    return total, left


def _operands(samples: int, kinds: int, events: int) -> dict[int, Any]:
    """Return the values of ``state`` and of the inputs that have no gradient, by position."""
    rng = np.random.default_rng(samples)
    lags = rng.uniform(0.1, 1, (samples, events))
    marks = rng.integers(0, kinds, (samples, events)).astype(np.int32)
    return {3: rng.uniform(0, 1, (samples, kinds)), 4: lags, 5: marks,
            6: np.arange(samples) + events - samples + 1.0, 7: lags.sum(1) + 0.3}  # fmt: skip


SHAPES = ((2, 3), (3,), (3,), (2, 3), (2, 5), (2, 5), (2,), (2,))
ONE = ((1, 1), (1,), (1,), (1, 1), (1, 1), (1, 1), (1,), (1,))
NONE = ((2, 2), (2,), (2,), (2, 2), (2, 0), (2, 0), (2,), (2,))
NO_EVENTS = {**_operands(2, 2, 0), 6: np.zeros(2)}

CASES = (
    OpCase("_contrib_hawkesll", SHAPES, _likelihood, inputs=_operands(2, 3, 5), low=0.2, high=0.9,
           check_grad=False),
    OpCase("_contrib_hawkesll", ONE, _likelihood, inputs=_operands(1, 1, 1), low=0.2, high=0.9,
           check_grad=False),
    OpCase("_contrib_hawkesll", NONE, _likelihood, inputs=NO_EVENTS, low=0.2, high=0.9,
           check_grad=False),
    OpCase("_hawkesll_backward", ((2,), *SHAPES), None,
           inputs={k + 1: v for k, v in _operands(2, 3, 5).items()}, low=0.2, high=0.9),
)  # fmt: skip
