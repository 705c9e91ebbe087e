"""Writes the calls, usual ones and their neighbours: ``python -m tests.pairs.generate > calls``.

It runs with hy's packages, whose catalogue knows the arguments of each operator. The answers are
recorded from these lines under MXNet by ``tests.pairs.record``.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.pairs import operators
from tests.pairs.mutations import neighbours

__all__ = ["every_call", "usual"]

USUAL = Path(__file__).parent / "usual"
_COUNTS = {"nd": 4, "npx": 5, "sym": 2, "np": 4}
_OTHERS = 6
"""How many neighbours a usual call has, by family."""


def usual() -> Iterator[tuple[str, str]]:
    """Families and usual calls: of operators by their rows, of all else by the lists of calls."""
    yield from operators.calls()
    yield from (("sym", text) for text in operators.graphs())
    for file in sorted(USUAL.glob("*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                yield file.stem, line


def every_call() -> Iterator[tuple[str, str]]:
    """Usual calls and their neighbours, each once."""
    seen: set[tuple[str, str]] = set()
    for family, text in usual():
        count = _COUNTS.get(family.split("_")[0], _OTHERS)
        for call in (text, *neighbours(text, count)):
            if (family, call) not in seen:
                seen.add((family, call))
                yield family, call


if __name__ == "__main__":
    for family, call in every_call():
        sys.stdout.write(f"{family}\t{call}\n")
