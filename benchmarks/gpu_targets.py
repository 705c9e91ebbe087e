"""Targets: what kernels of the Triton table, and small nets, are to reach on an H200."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchmarks.gpu_nets import SMALL
from benchmarks.gpu_session import Result

__all__ = ["REPLAY", "TARGETS", "Target", "lines"]

_LARGE = 64 << 20  # bytes moved, above any cache
_SHARE = "share of the peak"
_RATIO = "torch / ours"
REPLAY = 5.0
"""How much longer PyTorch takes, eager, for a small net than the replay of its graph."""


class Target(NamedTuple):
    """A least share or ratio of the kernels' cases whose names match."""

    pattern: str
    minimum: float
    of: str = _RATIO
    """Column of the results."""
    moved: int = 0
    """Bytes that a case has to move to be meant."""

    def is_of(self, name: str, moved: int) -> bool:
        """Whether it is about a case of that name, which moves so many bytes."""
        return bool(re.match(self.pattern, name)) and moved >= self.moved


TARGETS = (
    Target(
        r"multiply, gelu, add|exp, cast|square, sum|(layer|group|instance|rms)_norm|batch_norm"
        r"|softmax ",
        minimum=0.9,
        of=_SHARE,
        moved=_LARGE,
    ),
    Target(r"tiles alone bfloat16 (4096x4096x4096|8192x8192x8192)", 0.9),
    Target(r"product b?float\d+ (4096x4096x4096|8192x8192x8192)", 1.0),
    Target(r"convolution (to data |to weight )?b?float\d+ ", 1.0),
    Target(r"attention (backward )?b?float16 ", 0.9),
    Target(r"log_softmax_(pick|dot) (float32|float16|bfloat16)", 2.0),
    Target(r"multi_adam_update", 1.0),
)


def lines(items: Mapping[str, Result]) -> list[str]:
    """Return lines that say which targets were reached, and of which nothing was measured."""
    return [*_of_kernels(items), *_of_small_nets(items)]


def _of_kernels(items: Mapping[str, Result]) -> Iterator[str]:
    measured = [each for each in items.values() if each["stage"] == "Kernels" and "ms" in each]
    for target in TARGETS:
        own = [each for each in measured if target.is_of(each["name"], each["bytes"])]
        if not own:
            yield f"- `{target.pattern}`: nothing was measured"
        for each in own:
            yield _line(each["name"], target.of, each[target.of], target.minimum)


def _of_small_nets(items: Mapping[str, Result]) -> Iterator[str]:
    measured = [each for each in items.values() if "ms" in each]
    for stage in (f"{name}, {mode}" for name in SMALL for mode in ("prediction", "training")):
        times = {each["name"]: each["ms"] for each in measured if each["stage"] == stage}
        eager = times.get("PyTorch, eager")
        hy = [ms for way, ms in times.items() if way.startswith("hy") and "plain" not in way]
        if eager is None or not hy:
            yield f"- {stage}: nothing was measured"
        else:
            yield _line(stage, "PyTorch, eager / replay", eager / min(hy), REPLAY)


def _line(name: str, what: str, value: float, minimum: float) -> str:
    verdict = "reached" if value >= minimum else "missed"
    return f"- {name}: {what} {value:.2f} of {minimum:.2f}, {verdict}"
