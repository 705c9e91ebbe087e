"""Writes the tables of docs/onnx.md: which operators go to ONNX, and which come from there.

Run with ``hatch run onnx-operators``; a test compares.
"""

from pathlib import Path

from hy_ndarray import ops
from hy_onnx import get_operator_support
from hy_onnx.from_onnx import folding
from hy_onnx.from_onnx.constants.plan import PLANNERS
from hy_onnx.from_onnx.registry import READERS
from hy_onnx.to_onnx.registry import CONVERTERS, converter_of
from hy_symbol.graph.control import CONTROL

__all__ = ["PAGE", "page"]

PAGE = Path(__file__).parents[1] / "docs" / "onnx.md"

MARK = "<!-- Written by `hatch run onnx-operators`; a test compares. -->\n"


def _families(names: dict[str, str]) -> list[str]:
    """Return a row for each file, with the names that it converts."""
    names_by_family: dict[str, list[str]] = {}
    for name, module in names.items():
        names_by_family.setdefault(module.rpartition(".")[2], []).append(f"`{name}`")
    return [
        f"| {family} | {', '.join(sorted(names_by_family[family]))} |"
        for family in sorted(names_by_family)
    ]


def _written() -> dict[str, str]:
    """Return the module of each operator's converter; names of MXNet's users, without twins."""
    module_of = {}
    for name in get_operator_support():
        op = ops.find(name)
        converter = converter_of(op)
        if not op.synonym_of:
            module_of[name] = "compositions" if converter is None else converter.__module__
    return {**module_of, **{name: CONVERTERS[name].__module__ for name in CONTROL}}


def page() -> str:
    """Return the text of the page."""
    text = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    out, come = _written(), {name: read.__module__ for name, read in READERS.items()}
    come |= dict.fromkeys(("Constant", "Shape"), folding.__name__)
    lines = [
        f"## Operators that are written: {len(get_operator_support()) + len(CONTROL)}",
        "",
        "With the names of `mx.np` that are the same operator.",
        "",
        "| Family | Operators |",
        "|---|---|",
        *_families(out),
        "",
        f"## Operators that are read: {len(come)}",
        "",
        "| Family | Operators |",
        "|---|---|",
        *_families(come),
        "",
        f"## Operators that are computed while a model is read: {len(PLANNERS)}",
        "",
        "Of constants and sizes, besides `Constant` and `Shape`.",
        "",
        "| Family | Operators |",
        "|---|---|",
        *_families({name: plan.__module__ for name, plan in PLANNERS.items()}),
    ]
    return f"{text}{MARK}\n" + "\n".join(lines) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
