"""Notes added to errors: the path of the block in which an error was raised."""

from collections.abc import Sequence

from hy_gluon.trace.scope_path import Scoped, child_name
from hy_ndarray import HyError

__all__ = ["note_path"]


def note_path(error: HyError, block: Scoped) -> None:
    """Add the path of a block, such as ``in block net.features.4``, to an error's notes."""
    # The note is rewritten at each level, so the message has one path and not one line a block.
    passed: list[Scoped] = error.__dict__.setdefault("blocks", [])
    notes: list[str] = error.__dict__.setdefault("__notes__", [])
    old = _path_note(passed)
    if old in notes:
        notes.remove(old)
    passed.append(block)
    error.add_note(_path_note(passed))


def _path_note(passed: Sequence[Scoped]) -> str:
    """Return the text of a note: the path from the outermost block (last) to the innermost."""
    parts = [passed[-1].name] if passed else []
    for inner, outer in zip(reversed(passed[:-1]), reversed(passed[1:]), strict=True):
        parts.append(child_name(outer, inner))
    return f"in block {'.'.join(parts)}"
