"""Inputs that every version of numpy draws alike, named so that they can be written into rows."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = [
    "Values",
    "bits",
    "chances",
    "classes",
    "counts",
    "distinct",
    "generator",
    "given",
    "normal",
    "positive",
    "signs",
    "sizes",
]

LEGACY = np.random.RandomState  # its stream never changes, other than that of default_rng


@dataclass(frozen=True)
class Values:
    """An array to be drawn; integers and given values have no gradient."""

    kind: str
    shape: tuple[int, ...]
    option: Any = None

    @property
    def differentiable(self) -> bool:
        return self.kind in ("normal", "positive", "distinct", "scores")

    def array(self, rng: Any) -> Any:
        """The values, float32."""
        return np.asarray(_KINDS[self.kind](rng, self.shape, self.option), np.float32)


def generator(title: str) -> Any:
    """A generator of random numbers for a row of this title."""
    return LEGACY(zlib.crc32(title.encode()))


def _normal(rng: Any, shape: Any, option: Any) -> Any:
    return np.round(rng.standard_normal(shape) * 64) / 64


def _positive(rng: Any, shape: Any, option: Any) -> Any:
    return rng.randint(10, 60, shape) / 64


def _distinct(rng: Any, shape: Any, option: Any) -> Any:
    count = int(np.prod(shape))
    return (rng.permutation(count) - count // 2).reshape(shape) / 16


def _chances(rng: Any, shape: Any, option: Any) -> Any:
    raw = rng.uniform(0.1, 1, shape)
    return raw / raw.sum(axis=1, keepdims=True)


_KINDS: dict[str, Any] = {
    "normal": _normal,
    "positive": _positive,
    "distinct": _distinct,
    "chances": _chances,
    "scores": _chances,
    "signs": lambda rng, shape, _: rng.randint(0, 2, shape) * 2 - 1,
    "bits": lambda rng, shape, _: rng.randint(0, 2, shape),
    "classes": lambda rng, shape, option: rng.randint(0, option, shape),
    "counts": lambda rng, shape, _: rng.randint(1, 6, shape),
    "given": lambda rng, shape, option: option,
}


def normal(*shape: int) -> Values:
    """Normally distributed, multiples of 1/64."""
    return Values("normal", shape)


def positive(*shape: int) -> Values:
    """Between 0.1 and 1."""
    return Values("positive", shape)


def distinct(*shape: int) -> Values:
    """All different, so that a maximum has one place."""
    return Values("distinct", shape)


def chances(*shape: int, learned: bool = False) -> Values:
    """Positive, and 1 in sum along axis 1."""
    return Values("scores" if learned else "chances", shape)


def signs(*shape: int) -> Values:
    """-1 and 1."""
    return Values("signs", shape)


def bits(*shape: int) -> Values:
    """0 and 1."""
    return Values("bits", shape)


def counts(*shape: int) -> Values:
    """1 to 5."""
    return Values("counts", shape)


def classes(count: int, *shape: int) -> Values:
    """Whole numbers below ``count``."""
    return Values("classes", shape, count)


def given(values: Sequence[Any]) -> Values:
    """These."""
    return Values("given", np.shape(values), values)


def sizes(values: Sequence[int]) -> Values:
    """Lengths of sequences."""
    return given(values)
