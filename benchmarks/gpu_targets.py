"""Targets: what kernels of the Triton table are to reach on an H200."""

import re
from typing import NamedTuple

from benchmarks.gpu_case import Case

__all__ = ["TARGETS", "Reached", "Target"]

_LARGE = 64 << 20  # bytes moved, above any cache


class Reached(NamedTuple):
    """Measured bandwidth and ratio of a case."""

    case: Case
    share: float
    """Of the bandwidth of a copy."""
    ratio: float
    """How much longer torch takes."""


class Target(NamedTuple):
    """A least share or ratio of the cases whose names match."""

    pattern: str
    minimum: float
    of: str = "ratio"
    moved: int = 0
    """Bytes that a case has to move to be meant."""

    def is_of(self, case: Case) -> bool:
        """Whether it is about a case."""
        return bool(re.match(self.pattern, case.name)) and case.moved >= self.moved

    def line(self, reached: Reached) -> str:
        """Return a line that says what was reached, and whether that is enough."""
        value = reached.share if self.of == "share" else reached.ratio
        verdict = "reached" if value >= self.minimum else "missed"
        return f"- {reached.case.name}: {self.of} {value:.2f} of {self.minimum:.2f}, {verdict}"


TARGETS = (
    Target(
        r"multiply, gelu, add|square, sum|(layer|group|instance|rms)_norm|batch_norm|softmax ",
        minimum=0.85,
        of="share",
        moved=_LARGE,
    ),
    Target(r"tiles alone bfloat16 (4096x4096x4096|8192x8192x8192)", 0.9),
    Target(r"product bfloat16 (4096x4096x4096|8192x8192x8192)", 1.0),
    Target(r"attention (b?float16) ", 0.8),
    Target(r"log_softmax_(pick|dot) (float32|float16|bfloat16)", 2.0),
    Target(r"multi_adam_update", 1.0),
)
