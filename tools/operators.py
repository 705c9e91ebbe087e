"""Writes docs/operators.md: every operator of the catalogue, by family.

What it says about gradients is found by differentiating the rows of `hy_ndarray.testing.cases`. Run
with ``hatch run operators``; a test compares.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

from hy_ndarray import namespaces, ops
from hy_ndarray.ops import Operator
from hy_ndarray.testing.cases import CASES
from tests.ops.derivatives import Kind, gradient_kind

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "operators.md"
DIFFERENCES = ROOT / "docs" / "differences.md"
KERNELS = ROOT / "packages" / "hy-kernels" / "src" / "hy_kernels"
_BY_NAME = ("GRADIENTS", "REDUCTIONS", "RULES", "SOFTMAXES", "_ALIASES")
"""Mappings in which the Triton table has kernels by name."""

_ON_HOST = "numpy's, on the CPU"
_BORROWED = {
    "numpy_on_cpus": "on CPUs numpy's",
    "with_integer_fallback": f"of integers {_ON_HOST}",
    "of_integers": f"of integers {_ON_HOST}",
}
"""What the torch table leaves to numpy's kernels, by the function that says so."""

_STRONGEST: tuple[Kind, ...] = ("once", "twice", "zero", "no")
"""Which kind an operator is if its rows are of several: one row that fails counts."""

_HEAD = """\
# Operators

Every operator of the catalogue, by family: `hatch run operators` writes this page.

- **Operator**: MXNet's canonical name, as files have it. `_contrib_x` is called as `nd.contrib.x`
  or `sym.contrib.x`; `linalg`, `image`, `random` (also for `_sample_x`) and `sparse` likewise;
  other names that begin with an underscore are in `nd._internal` and `sym._internal`.
- **Inputs**: in their order; `?` marks optional ones, `*` any number of them, `=` auxiliary states.
- **Kernels**: the tables of hy-kernels that have one of their own; in brackets what numpy's kernel
  computes for the torch table.
- **Gradient**: *twice*: there are first and second gradients, which tests compare with numerical
  derivatives; *once*: the gradient cannot be differentiated again, which is an `AutogradError`;
  *zero*: the operator is constant almost everywhere, so its gradients are zeros; *no*: a gradient
  cannot pass, which is an `AutogradError`.
- **Differs**: where [differences from MXNet](differences.md) name it.
"""


def family_of(op: Operator) -> str:
    """Return the module that declares an operator, below ``hy_ndarray.ops``."""
    return op.rule.__module__.removeprefix("hy_ndarray.ops.")


def gradient_kinds() -> dict[str, Kind]:
    """Return how often each operator can be differentiated, by canonical name."""
    kinds_by_name: dict[str, set[Kind]] = {op.name: set() for op in ops.operators()}
    for case in CASES:
        kind = gradient_kind(case)
        if kind is not None:
            kinds_by_name[ops.find(case.op).name].add(kind)
    return {
        name: next((kind for kind in _STRONGEST if kind in kinds), "no")
        for name, kinds in kinds_by_name.items()
    }


def kernel_tables() -> dict[str, frozenset[str]]:
    """Return the names of each table's kernels, read without importing."""
    tables = {
        path.parent.name: frozenset(_indexed(path)) for path in sorted(KERNELS.glob("*/_index.py"))
    }
    theirs, ours = tables["torch"] | tables["numpy"], set(overlaid())
    tables["triton"] = frozenset(theirs & ours)
    return tables


def _indexed(path: Path) -> Iterator[str]:
    """Yield names of the kernels that a table lists by module."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MODULES":
            assert isinstance(node.value, ast.Call)
            words = ast.literal_eval(node.value.args[1]).split()
            yield from (word for word in words if not word.endswith(":"))


def borrowed() -> dict[str, str]:
    """Return what numpy's kernels compute for the torch table, by name of the kernel."""
    notes: dict[str, str] = {}
    for path in sorted((KERNELS / "torch").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            notes |= _borrowed_by(node)
    return notes


def _borrowed_by(node: ast.AST) -> dict[str, str]:
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "HOST":
        return dict.fromkeys(ast.literal_eval(node.value), _ON_HOST)
    if isinstance(node, ast.FunctionDef):
        calls = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
        notes = [_BORROWED[name] for name in map(ast.unparse, calls) if name in _BORROWED]
        return dict.fromkeys([node.name], "; ".join(notes)) if notes else {}
    if isinstance(node, ast.Call) and ast.unparse(node.func) in _BORROWED and node.args:
        names = (each.value for each in node.args if isinstance(each, ast.Constant))
        return {str(name): _BORROWED[ast.unparse(node.func)] for name in names}
    return {}


def overlaid() -> Iterator[str]:
    """Yield names of the Triton table's kernels, whose files differ from the catalogue's."""
    folder = KERNELS / "triton"
    for path in folder.rglob("*.py"):
        if path.parent.name == "device":  # what runs on the device, but the functions below
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                yield from _overlaid_by(node)
            elif isinstance(node, ast.AnnAssign) and ast.unparse(node.target) in _BY_NAME:
                yield from _keys(node)
    for name in ("bits", "choosing", "compare", "curves", "pointwise", "special"):
        for node in ast.parse((folder / "device" / f"{name}.py").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                yield node.name


def _overlaid_by(node: ast.FunctionDef) -> Iterator[str]:
    for each in node.decorator_list:
        if isinstance(each, ast.Call) and ast.unparse(each.func) == "overlay":
            yield from map(ast.literal_eval, each.args) if each.args else [node.name]


def _keys(node: ast.AnnAssign) -> Iterator[str]:
    if isinstance(node.value, ast.Dict):
        yield from (ast.literal_eval(key) for key in node.value.keys if key is not None)


def differences() -> dict[str, list[str]]:
    """Return by operator the sections of docs/differences.md that name it."""
    short = {namespaces.split_name(name)[1]: name for name in ops.names()}
    sections_by_name: dict[str, list[str]] = {}
    section = ""
    for line in DIFFERENCES.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        if not line.startswith("| "):
            continue
        where = line.split("|")[1]
        for token in re.findall(r"`(\w+)[^`]*`", where):
            name = token if ops.exists(token) else short.get(token)
            sections = sections_by_name.setdefault(ops.find(name).name, []) if name else []
            if section not in sections:
                sections.append(section)
    return sections_by_name


def _inputs(op: Operator) -> str:
    if op.variadic:
        return f"\\*{op.inputs[0]}"
    marked = [
        f"{name}{'?' if name in op.optional else ''}{'=' if name in op.aux else ''}"
        for name in op.inputs
    ]
    return ", ".join(marked)


def _row(
    op: Operator,
    kind: Kind,
    tables: Mapping[str, frozenset[str]],
    numpy_notes: Mapping[str, str],
    sections: Iterable[str],
) -> str:
    having = [name for name, kernels in tables.items() if op.kernel in kernels]
    if op.kernel in numpy_notes:
        having = [name for name in having if name != "torch"]
        having.insert(1, f"torch ({numpy_notes[op.kernel]})")
    links = [f"[{section.lower()}](differences.md#{_anchor(section)})" for section in sections]
    cells = (
        f"`{op.name}`",
        ", ".join(f"`{name}`" for name in op.aliases),
        _inputs(op),
        ", ".join(having),
        kind,
        ", ".join(links),
    )
    return f"| {' | '.join(cells)} |"


def _anchor(title: str) -> str:
    return re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))


def _families() -> dict[str, list[Operator]]:
    """Operators by family; in each, those for users first."""
    families: dict[str, list[Operator]] = {}
    for op in sorted(ops.operators(), key=lambda op: (op.name.startswith("_"), op.name.lower())):
        families.setdefault(family_of(op), []).append(op)
    return dict(sorted(families.items()))


def _heading(op: Operator) -> str:
    return (import_module(op.rule.__module__).__doc__ or "").splitlines()[0].removesuffix(".")


def page() -> str:
    """Return the text of docs/operators.md."""
    kinds, tables, named = gradient_kinds(), kernel_tables(), differences()
    numpy_notes = borrowed()
    counts = ", ".join(
        f"{sum(k == kind for k in kinds.values())} {kind}"
        for kind in ("twice", "once", "zero", "no")
    )
    total = f"{len(kinds)} operators under {len(ops.names())} names; gradients: {counts}."
    lines = [_HEAD, total]
    for family, members in _families().items():
        lines += ["", f"## {family}: {_heading(members[0])}", ""]
        lines.append("| Operator | Also | Inputs | Kernels | Gradient | Differs |")
        lines.append("|---|---|---|---|---|---|")
        lines += [
            _row(op, kinds[op.name], tables, numpy_notes, named.get(op.name, ())) for op in members
        ]
    return "\n".join(lines) + "\n"


def claims(text: str) -> dict[str, str]:
    """Return what a page says about gradients, by operator."""
    rows = (line.split(" | ") for line in text.splitlines() if line.startswith("| `"))
    return {cells[0].strip("|` "): cells[4] for cells in rows}


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
