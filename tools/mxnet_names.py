"""Compares hy's names and signatures with MXNet 1.9.1's.

``tests/compat/names/mxnet.txt`` lists MXNet's, ``exceptions.txt`` those that hy leaves out, with
reasons, and ``missing.txt`` those that are still to come. ``hatch run names`` prints counts and
writes ``missing.txt``; a test fails where that file is not true.
"""

import inspect
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from inspect import Parameter
from pathlib import Path
from typing import Any

__all__ = [
    "Name",
    "accepts",
    "exceptions",
    "gaps",
    "has",
    "names",
    "parameters",
]

FOLDER = Path(__file__).parents[1] / "tests" / "compat" / "names"

POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True)
class Name:
    """A name of a module of MXNet's, or a member of a class in it: ``Block.forward``."""

    module: str
    name: str
    signature: tuple[str, ...] | None
    by_star: bool

    @property
    def full(self) -> str:
        """The path that people write."""
        return f"{self.module}.{self.name}"


def _lines(file: str) -> Iterator[str]:
    for line in (FOLDER / file).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


@cache
def names() -> dict[str, tuple[Name, ...]]:
    """MXNet's names, by module."""
    names_by_module: dict[str, list[Name]] = {}
    module = ""
    for line in _lines("mxnet.txt"):
        if line.startswith("["):
            module = line[1:-1]
            names_by_module[module] = []
            continue
        name, opened, rest = line.lstrip("-").partition("(")
        signature = tuple(part for part in rest[:-1].split(", ") if part) if opened else None
        by_star = not line.startswith("-") and "." not in name
        names_by_module[module].append(Name(module, name, signature, by_star))
    return {module: tuple(listed) for module, listed in names_by_module.items()}


@cache
def exceptions() -> dict[str, str]:
    """Patterns of names that hy leaves out, or calls otherwise (``signature``), and the reason."""
    split = (line.partition(": ") for line in _lines("exceptions.txt"))
    return {pattern: reason for pattern, _, reason in split}


def _is_excepted(line: str) -> bool:
    return any(fnmatchcase(line, pattern) for pattern in exceptions())


def parameters(target: Any) -> list[Parameter] | None:
    """Parameters of what can be called, None where Python cannot tell."""
    try:
        return list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        return None


def accepts(accepted: Iterable[Parameter], wanted: Iterable[str]) -> bool:
    """Return whether every call that fits MXNet's parameters fits these as well.

    What ``*args, **kwargs`` together stand for is not known: MXNet's function hands them on.
    """
    accepted, wanted = list(accepted), list(wanted)
    hands_on = "*args" in wanted and "**kwargs" in wanted
    kinds = {parameter.kind for parameter in accepted}
    ordered = [parameter for parameter in accepted if parameter.kind in POSITIONAL]
    by_name = {
        parameter.name: parameter
        for parameter in accepted
        if parameter.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    }
    takes_more = Parameter.VAR_POSITIONAL in kinds
    seen = set()
    by_position = True
    for i, text in enumerate(wanted):
        name = text.rstrip("=")
        if name.startswith("**"):
            continue
        if name.startswith("*"):
            by_position = False
            if name != "*" and not takes_more and not hands_on:
                return False
            continue
        if i == 0 and name in ("self", "cls") and ordered:
            seen.add(ordered[0].name)
            continue
        parameter = by_name.get(name)
        if parameter is None and Parameter.VAR_KEYWORD not in kinds:
            return False
        in_place = ordered[i].name == name if i < len(ordered) else takes_more
        if by_position and not in_place:
            return False
        if parameter is not None and text.endswith("=") and parameter.default is Parameter.empty:
            return False
        seen.add(name)
    return hands_on or all(
        parameter.default is not Parameter.empty
        for parameter in [*ordered, *by_name.values()]
        if parameter.name not in seen
    )


def has(name: Name) -> bool:
    """Return whether hy has a name of MXNet's."""
    try:
        _resolve(import_module(name.module), name.name)
    except (ModuleNotFoundError, AttributeError):
        return False
    return True


def _star(module: str) -> set[str]:
    """Return what ``from module import *`` binds."""
    bound: dict[str, Any] = {}
    exec(f"from {module} import *", bound)  # noqa: S102  # nothing else tells it truly
    return set(bound)


def _resolve(module: Any, name: str) -> Any:
    """Return the object of a name: of a module, or as a class holds its member."""
    first, *rest = name.split(".")
    value = getattr(module, first)
    for part in rest:
        value = getattr(value, part)
    return value


def gaps() -> set[str]:
    """Return what hy misses of MXNet's: ``absent``, ``star`` or ``signature``, and the name.

    Call it in a fresh process: other imports may bind a name that is missing otherwise.
    """
    lines: set[str] = set()
    for module, listed in names().items():
        required = [name for name in listed if not _is_excepted(name.full)]
        try:
            imported = import_module(module)
        except ModuleNotFoundError:
            missing = [] if _is_excepted(module) else [module]
            lines.update(f"absent {full}" for full in (*missing, *(name.full for name in required)))
        else:
            lines.update(_gaps_of(imported, required))
    return lines


def _gaps_of(module: Any, listed: list[Name]) -> list[str]:
    star = _star(listed[0].module) if listed else set()
    lines = []
    for name in listed:
        try:
            value = _resolve(module, name.name)
        except AttributeError:
            lines.append(f"absent {name.full}")
            continue
        if name.by_star and name.name not in star:
            lines.append(f"star {name.full}")
        accepted = parameters(value) if name.signature is not None else None
        line = f"signature {name.full}"
        if accepted is not None and not accepts(accepted, name.signature or ()):
            lines += [] if _is_excepted(line) else [line]
    return lines


def main() -> int:
    """Print how much is missing, and write the list, or with ``--check`` compare with it."""
    warnings.simplefilter("ignore", DeprecationWarning)  # of names that are asked for
    lines = gaps()
    if "--check" in sys.argv:
        listed = set(_lines("missing.txt"))
        differences = [f"not there: {line}" for line in sorted(lines - listed)]
        differences += [f"there, but listed as missing: {line}" for line in sorted(listed - lines)]
        sys.stdout.write("".join(f"{line}\n" for line in differences))
        return 1 if differences else 0
    counts = Counter(line.partition(" ")[0] for line in lines)
    summary = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    count = sum(map(len, names().values()))
    sys.stdout.write(f"{count} names in {len(names())} modules: {summary or 'all there'}\n")
    head = "# What is still to come of MXNet's names: python -m tools.mxnet_names\n\n"
    text = head + "".join(f"{line}\n" for line in sorted(lines))
    (FOLDER / "missing.txt").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
