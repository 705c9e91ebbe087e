"""Refuse coined identifiers, docstrings without a subject and constants without a unit.

``hatch run lint`` runs this over the packages, tools, benchmarks and examples:

- a bound identifier (function, class, parameter, variable, attribute) contains no word of
  ``COINED``: docs/glossary.md has the field's term for each idea;
- a docstring says what is done or returned, so it begins with no word of ``OPENERS``, and that of a
  function with a verb rather than a word of ``NOMINAL``; what a property is, a noun says as well;
- a number that a module names in capitals has a unit in its name, or a comment beside it.
"""

import ast
import re
import sys
import tokenize
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOTS = ("packages", "tools", "benchmarks", "examples", "tests")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What the code said before it used the field's words; docs/glossary.md says which these are.
COINED = _words("""
    afters alike befores behind bent chosen dotted few forgetful found given handed heat heavy held
    kept lacking least lying made meet meeting meets met most nearness pay pays piled placed
    rectified remade said skinny sliver sloped solid squashed suits told turned twins unframed usual
    voted weighs widened worth
""")
# Identifiers that contain such a word in its ordinary sense.
ORDINARY = re.compile(
    r"not_?(found|given)|at_?(least|most)|(inner|outer|left|right)_?most|most_(common|recent)|least_squares",
    re.IGNORECASE,
)
# Public names, which stay: MXNet's, and fields of errors that programs read.
PUBLIC = frozenset(
    {
        ("hy_io/_errors.py", "found"),
        ("data/vocabulary.py", "most_freq_count"),
        ("_private/module_members.py", "most_freq_count"),
        ("hy_ndarray/limits.py", "most"),
        ("tools/fuzz_symbols.py", "most"),
        ("np/counting.py", "to_begin_arr_given"),
        ("np/counting.py", "to_end_arr_given"),
        ("compositions/differences.py", "to_begin_arr_given"),
        ("compositions/differences.py", "to_end_arr_given"),
    }
)

OPENERS = _words("What How As Of Which Those By For Where They It")
NOMINAL = _words("A An The One Whether Why Names All None Each Every Both Only")
# Docstrings of rules describe operators by the noun of the algorithm; those of workloads, what
# is timed.
NOUNS_MAY_BEGIN = ("hy_ndarray/ops/optimizer/", "benchmarks/")

UNITS = _words("""
    ATTEMPTS AXES BITS BYTES CALLS CHANNELS CHARACTERS CHUNKS COLUMNS COUNT DAYS DEPTH DIGITS
    DIMENSIONS ELEMENTS ENTRIES FACTOR FILES FLOPS FRACTION GIB IMAGES ITEMS KEYS KIB LANES LEVELS
    LINES MIB MILLISECONDS MS NODES NS OFFSET OPERATORS OPSET PARAMETERS PIXELS PORT RANK RATIO
    RECORDS ROWS RUNS SEED SECONDS SIZE STEPS TASKS THREADS TIMES TOKENS US VALUES VERSION WARPS
""")


class Problem(NamedTuple):
    """One refusal: where it stands, and what is wrong there."""

    path: Path
    line: int
    kind: str
    message: str


def words_of(identifier: str) -> list[str]:
    """Return the lower-case words of an identifier in snake case or camel case."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", identifier)
    return [word.lower() for word in spaced.split("_") if word]


def is_coined(identifier: str) -> bool:
    """Return whether an identifier contains a word that the glossary replaces."""
    return not ORDINARY.search(identifier) and not COINED.isdisjoint(words_of(identifier))


def bound_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield each identifier that a module binds, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name, node.lineno


def _identifiers(path: Path, tree: ast.AST) -> Iterator[Problem]:
    seen: set[str] = set()
    for name, line in bound_names(tree):
        public = ("/".join(path.parts[-2:]), name) in PUBLIC
        if name not in seen and is_coined(name) and not public:
            seen.add(name)
            yield Problem(
                path, line, "identifier", f"{name}: see docs/glossary.md for the field's term"
            )


def _is_action(node: ast.AST) -> bool:
    """Return whether a definition is a function that is called as one: no property, no rule."""
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not any(
        "property" in ast.unparse(decorator) or "setter" in ast.unparse(decorator)
        for decorator in node.decorator_list
    )


def _docstrings(path: Path, tree: ast.AST) -> Iterator[Problem]:
    verbs = path.parts[0] != "tests" and not any(f in path.as_posix() for f in NOUNS_MAY_BEGIN)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        text = ast.get_docstring(node)
        opener = re.match(r"[A-Za-z]+", text) if text else None
        refused = OPENERS | NOMINAL if verbs and _is_action(node) else OPENERS
        if opener and opener.group() in refused:
            assert text is not None
            line = node.body[0].lineno
            yield Problem(
                path, line, "docstring", f"begins with {opener.group()!r}: {text.splitlines()[0]}"
            )


def _is_number(node: ast.expr) -> bool:
    """Return whether an expression is made of numbers alone, such as ``1 << 20``."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    return isinstance(node, ast.UnaryOp) and _is_number(node.operand)


def _constants(
    path: Path, tree: ast.Module, lines: list[str], comments: set[int]
) -> Iterator[Problem]:
    for statement, following in pairwise([*tree.body, ast.Pass()]):
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, number = statement.targets[0], statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            target, number = statement.target, statement.value
        else:
            continue
        if not isinstance(target, ast.Name) or not target.id.isupper() or not _is_number(number):
            continue
        described = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        line = statement.lineno
        above = line - 1
        while above > 0 and above not in comments and lines[above - 1].strip():
            above -= 1  # a comment may stand above a block of constants
        if described or line in comments or above in comments or UNITS & set(target.id.split("_")):
            continue
        yield Problem(
            path, line, "constant", f"{target.id} has neither a unit in its name nor a comment"
        )


def problems(path: Path) -> Iterator[Problem]:
    """Yield what one Python file has to have put right."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    lines = text.splitlines()
    with path.open("rb") as stream:
        comments = {
            token.start[0]
            for token in tokenize.tokenize(stream.readline)
            if token.type == tokenize.COMMENT
        }
    yield from _identifiers(path, tree)
    yield from _docstrings(path, tree)
    yield from _constants(path, tree, lines, comments)


def main(arguments: list[str]) -> int:
    """Print the problems of the given files and folders; return 1 if there are any."""
    roots = [Path(name) for name in arguments or ROOTS]
    files = (
        file
        for root in roots
        for file in ([root] if root.is_file() else sorted(root.rglob("*.py")))
    )
    count = 0
    for file in files:
        for problem in problems(file):
            count += 1
            print(f"{problem.path}:{problem.line}: {problem.kind}: {problem.message}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
