"""Questions that the site has to answer, and where: ``tests/data/questions.txt``."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FILE", "Question", "read_questions"]

FILE = Path(__file__).parents[1] / "tests" / "data" / "questions.txt"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the words to search for, and the addresses in the site that answer it."""

    text: str
    search: str
    answers: tuple[str, ...]

    def answered_by(self, results: Sequence[str]) -> bool:
        """Return whether an answer is among the results."""
        return any(
            result == answer or result.partition("#")[0] == answer
            for result in results
            for answer in self.answers
        )


def read_questions(file: Path = FILE) -> list[Question]:
    """Return the questions of a file, one on each line."""
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    return [Question(text, search, tuple(where.split(", "))) for text, search, where in rows]
