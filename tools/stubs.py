"""Writes the stubs from which editors and type checkers know the operators.

At run time a namespace makes an operator's function on first use. The stubs say the
same beforehand: ``nd/_operators/*.pyi``, ``npx/_operators/*.pyi``, ``sym/_operators/*.pyi``, and
``fluent.pyi`` for the methods that arrays and symbols share. Run with ``hatch run stubs``; a test
compares.
"""

import ast
import inspect
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import hy_gluon.files  # noqa: F401  # extends nd
from hy_ndarray import namespaces, ops
from hy_ndarray.array.fluent import Fluent
from hy_ndarray.ops import Operator
from hy_ndarray.ops.record.params import (
    REQUIRED,
    Count,
    Ctx,
    Dims,
    DType,
    Floats,
    Pairs,
    Param,
    Shape,
)
from tools.examples import example

PACKAGES = Path(__file__).parents[1] / "packages"
WIDTH = 100  # characters of a line, as the formatter's
HEAD = "# Written by `hatch run stubs` from the operator catalogue.\n"
OTHER_SECTIONS = ("Raises:", "Gradient:", "Source:", "Example:", "    >>>")
MAIN, OP, INTERNAL = "", "op", "_internal"
SPACES = tuple(dict.fromkeys(space for _, space in namespaces.NAMESPACES))

_KINDS: dict[Any, str] = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    Shape: "int | Sequence[int]",
    Count: "int",
    Dims: "int | None | Sequence[int | None]",
    Floats: "float | Sequence[float]",
    Pairs: "Sequence[Sequence[int]]",
    DType: "npt.DTypeLike",
    Ctx: "Context | str",
}


class Argument(NamedTuple):
    """One argument of a function in a stub."""

    name: str
    annotation: str
    default: str | None = None
    required_annotation: str = ""
    """The annotation where it must be given, if that is another one."""

    def required(self) -> "Argument":
        """Return the argument without its default."""
        return Argument(self.name, self.required_annotation or self.annotation)

    def __str__(self) -> str:
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.name}: {self.annotation}{default}"


@dataclass(frozen=True)
class FrontEnd:
    """Operators on arrays, or on symbols: how their functions differ."""

    package: str
    operand: str
    home: str
    """The module of the operand's class."""
    graphs: bool

    @property
    def folder(self) -> Path:
        """Return the folder of its stubs."""
        distribution = self.package.partition(".")[0].replace("_", "-")
        return PACKAGES.joinpath(distribution, "src", *self.package.split("."), "_operators")

    @property
    def options(self) -> tuple[Argument, ...]:
        """Keyword arguments that every function takes beside the operator's own."""
        name = Argument("name", "str | None", default="None")
        if self.graphs:
            return name, Argument("attr", "Mapping[str, str] | None", default="None")
        outputs = f"{self.operand} | Sequence[{self.operand}] | None"
        return Argument("out", outputs, default="None"), name

    def returned(self, op: Operator) -> str:
        """Return the annotation of the result of a function of ``op``."""
        if self.graphs:
            return self.operand
        count = visible_count(op)
        if count is None:
            return "Any"
        return self.operand if count == 1 else f"list[{self.operand}]"


NDARRAY = "hy_ndarray.array.ndarray."
ARRAYS = FrontEnd("hy_ndarray.nd", operand="NDArray", home=NDARRAY.removesuffix("."), graphs=False)
SYMBOLS = FrontEnd("hy_symbol.sym", operand="Symbol", home="hy_symbol.symbol.symbol", graphs=True)
NUMPY = FrontEnd("hy_ndarray.npx", operand="ndarray", home="hy_ndarray.np.multiarray", graphs=False)
FOLDERS = (ARRAYS.folder, SYMBOLS.folder, NUMPY.folder)


def visible_count(op: Operator) -> int | None:
    """Return the number of outputs that a user sees; None where parameters decide."""
    if op.visible is not None:
        return None if callable(op.visible) else op.visible
    return None if callable(op.outputs) else len(op.outputs)


# --- one function ----------------------------------------------------------------------------


def annotation(kind: Any) -> str:
    """Return the annotation of an argument for a parameter of that kind."""
    if kind in _KINDS:
        return _KINDS[kind]
    if get_origin(kind) is Literal:
        return f"Literal[{', '.join(map(literal, get_args(kind)))}]"
    assert get_origin(kind) in (Union, UnionType), kind
    (inner,) = (arg for arg in get_args(kind) if arg is not type(None))
    shown = annotation(inner)
    return shown if "| None" in shown else f"{shown} | None"


def literal(value: Any) -> str:
    """Return a value as source text."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def parameter(param: Param) -> Argument:
    """Return a parameter of an operator as an argument."""
    default = None if param.default is REQUIRED else literal(param.default)
    return Argument(param.name, annotation(param.annotation), default=default)


def arranged(arguments: Sequence[Argument]) -> list[str]:
    """Positional arguments, from the first required one behind an optional one on by keyword."""
    shown = list(map(str, arguments))
    optional = False
    for i, argument in enumerate(arguments):
        if optional and argument.default is None:
            return [*shown[:i], "*", *shown[i:]]
        optional |= argument.default is not None
    return shown


def all_required(arguments: Sequence[Argument]) -> list[Argument]:
    """Return arguments in which all up to the last required one are required."""
    last = max(i for i, a in enumerate(arguments) if a.default is None)
    return [a.required() if i < last else a for i, a in enumerate(arguments)]


def signatures(
    inputs: Sequence[Argument], op: Operator, options: Sequence[Argument]
) -> list[list[str]]:
    """Return the ways to call a function: two where a required argument follows an optional one."""
    params = [parameter(param) for param in op.params.values()]
    by_keyword = list(map(str, options))
    if op.variadic:
        if op.count is not None and op.count not in op.params:
            params.insert(0, Argument(op.count, "int", default="..."))
        return [[*map(str, inputs), *map(str, params), *by_keyword]]
    arguments = [*inputs, *params]
    ways = [arranged(arguments)]
    if "*" in ways[0]:
        ways.insert(0, [str(a) for a in all_required(arguments)])
    return [way + (by_keyword if "*" in way else ["*", *by_keyword]) for way in ways]


def inputs_of(op: Operator, operand: str, *, graphs: bool) -> list[Argument]:
    """Return the inputs of an operator as arguments; in graphs, those left out become variables."""
    if op.variadic:
        return [Argument(f"*{op.inputs[0]}", f"{operand} | Sequence[{operand}]")]
    return [
        Argument(
            name,
            f"{operand} | None",
            default="None",
            required_annotation="" if name in op.optional else operand,
        )
        if graphs or name in op.optional
        else Argument(name, operand)
        for name in op.inputs
    ]


def definition(name: str, arguments: Sequence[str], returned: str, doc: str = "") -> str:
    """Return a function without a body; its arguments fill the lines, each one whole."""
    lines = [f"def {name}("]
    pieces = [f"{argument}," for argument in arguments[:-1]] + list(arguments[-1:])
    pieces.append(f") -> {returned}:{'' if doc else ' ...'}")
    for piece in pieces:
        space = "" if lines[-1].endswith("(") or piece.startswith(")") else " "
        if len(lines[-1]) + len(space) + len(piece) > WIDTH and not piece.startswith(")"):
            lines.append(" " * 8 + piece)
        else:
            lines[-1] += space + piece
    head = "\n".join(lines)
    return f"{head}\n{textwrap.indent(doc, '    ')}" if doc else head


def function(name: str, ways: Sequence[Sequence[str]], returned: str, doc: str) -> str:
    """Return a function, overloaded if there are two ways to call it."""
    if len(ways) == 1:
        return definition(name, ways[0], returned, doc)
    docs = [doc, *[""] * (len(ways) - 1)]
    return "\n".join(
        f"@overload\n{definition(name, way, returned, text)}"
        for way, text in zip(ways, docs, strict=True)
    )


def documentation(op: Operator, called: str = "") -> str:
    """Return what an editor shows: what the operator does, takes and returns.

    Args:
        op: The operator.
        called: What programs call it, for the example; empty: the summary is all.
    """
    summary, *sections = inspect.cleandoc(op.doc).split("\n\n")
    text = summary
    if called:
        own = next((s for s in sections if s.startswith("Example:") and f" {called}(" in s), "")
        sections = [s for s in sections if not s.startswith(OTHER_SECTIONS)]
        text = "\n\n".join(filter(None, [summary, *sections, own or example(op, called)]))
    end = "\n" if "\n" in text else ""
    prefix = "r" if "\\" in text else ""
    return f'{prefix}"""{text}{end}"""' if text else ""


# --- modules ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Location:
    """A name in a module of the stubs."""

    module: str
    name: str


class Modules:
    """All names of a front end by module, each with its operator."""

    def __init__(self, front_end: FrontEnd) -> None:
        self.front_end = front_end
        self.members: dict[str, dict[str, Operator]] = {
            module: {} for module in (MAIN, OP, INTERNAL, *SPACES)
        }
        self._by_hand = {
            space: names_by_hand(f"{front_end.package}.{space}".removesuffix("."))
            for space in (MAIN, *SPACES)
        }
        for full in ops.names():
            if not full.startswith(namespaces.NUMPY_OPERATORS):
                self._place(full)

    def _place(self, full: str) -> None:
        location = self._location_of(full)
        op = ops.find(full)
        if location.module in SPACES:
            if location.name in self._by_hand[location.module]:
                return
            actual = namespaces.full_name(location.name, location.module)
            assert actual is not None
            op = ops.find(actual)  # two names may come to one, as random's do
        self.members[location.module][location.name] = op

    def _location_of(self, full: str) -> Location:
        space, name = namespaces.split_name(full)
        if space:
            return Location(space, name)
        if name.startswith("_"):
            return Location(INTERNAL, name)
        return Location(OP if name in self._by_hand[MAIN] else MAIN, name)

    def home(self, op: Operator) -> Location:
        """Return the path at which an operator is written out; its other names refer to it."""
        locations = [self._location_of(full) for full in (op.name, *op.aliases)]
        homes = [p for p in locations if self.members[p.module].get(p.name) is op]
        return next((p for p in homes if p.module not in (OP, INTERNAL)), homes[0])

    def text(self, module: str) -> str:
        """Return the stub of one module."""
        imports, functions, aliases = set(), [], []
        for name, op in sorted(self.members[module].items()):
            home = self.home(op)
            if home == Location(module, name):
                functions.append(self._function(f"{module}.{name}".lstrip("."), op))
            elif home.module == module:
                aliases.append(f"{name} = {home.name}")
            else:  # a stub shows to others what it imports only if it keeps the name
                shown = f"_{home.module or 'main'}"
                imports.add(self._import(home.module, shown))
                aliases.append(f"{name} = {shown}.{home.name}")
        if module == OP:
            imports.add(f"from {self.front_end.package}._operators import *")
        if module == MAIN and not self.front_end.graphs:
            functions += extensions("nd")
        body = "\n".join(functions) + ("\n\n" + "\n".join(aliases) if aliases else "")
        exported = ""
        if module == INTERNAL:
            listed = "".join(f'    "{name}",\n' for name in sorted(self.members[module]))
            exported = f"__all__ = [\n{listed}]\n\n"
        return assembled(sorted(imports), self.front_end, exported + body.strip("\n"))

    def _import(self, module: str, shown: str) -> str:
        if module == MAIN:
            return f"from {self.front_end.package} import _operators as {shown}"
        return f"from {self.front_end.package}._operators import {module} as {shown}"

    def _function(self, path: str, op: Operator) -> str:
        front_end, name = self.front_end, path.rpartition(".")[2]
        inputs = inputs_of(op, front_end.operand, graphs=front_end.graphs)
        ways = signatures(inputs, op, front_end.options)
        public = not name.startswith("_")
        called = "" if front_end.graphs else f"nd.{path}"
        doc = documentation(op, called) if public else ""
        return function(name, ways, front_end.returned(op), doc)


def names_by_hand(module: str) -> frozenset[str]:
    """Return names that a namespace module defines or imports itself."""
    spec = inspect.getsourcefile(import_module(module))
    assert spec is not None
    defined: set[str] = set()
    for node in ast.parse(Path(spec).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            defined.add(node.name)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            defined |= {alias.asname or alias.name for alias in node.names}
    return frozenset(defined)


def extensions(front_end: str) -> list[str]:
    """Return what packages built on hy-ndarray add to a namespace."""
    added = []
    for name, value in sorted(namespaces.extensions(front_end).items()):
        if inspect.isclass(value) or inspect.ismodule(value):
            added.append(f"{name}: Any")
            continue
        signature = inspect.signature(value)
        arguments = [str(p).replace(NDARRAY, "") for p in signature.parameters.values()]
        returned = inspect.formatannotation(signature.return_annotation)
        doc = f'"""{(inspect.getdoc(value) or "").splitlines()[0]}"""'
        shown = [text.replace("collections.abc.", "") for text in arguments]
        added.append(definition(name, shown, returned.replace(NDARRAY, ""), doc))
    return added


def assembled(imports: Sequence[str], front_end: FrontEnd, body: str) -> str:
    """Return a stub: what it imports of others, what its text needs, the text."""
    sources = {
        "collections.abc": {"Mapping": "Mapping[", "Sequence": "Sequence["},
        "typing": {"Any": " Any", "Literal": "Literal[", "overload": "@overload"},
        "hy_ndarray": {"Context": "Context |"},
        front_end.home: {front_end.operand: front_end.operand},
    }
    lines = ["import numpy.typing as npt"] if "npt." in body else []
    for source, names in sources.items():
        used = [name for name, text in names.items() if text in body]
        if used:
            lines.append(f"from {source} import {', '.join(used)}")
    return HEAD + "\n".join([*lines, *imports]) + f"\n\n{body}".rstrip("\n") + "\n"


def numpy_extensions(space: str) -> str:
    """Return the stub of ``npx``, or of a namespace in it: each operator on arrays of ``np``."""
    by_hand = names_by_hand(f"hy_ndarray.{space}")
    functions = []
    for name in namespaces.names(space):
        full = namespaces.full_name(name, space)
        if name in by_hand or full is None:
            continue
        op = ops.find(full)
        ways = signatures(inputs_of(op, "ndarray", graphs=False), op, NUMPY.options)
        doc = documentation(op, f"{space}.{name}")
        functions.append(function(name, ways, NUMPY.returned(op), doc))
    functions += extensions(space) if space == "npx" else []
    text = "\n".join(functions).replace(f"{NUMPY.home}.", "")
    return assembled([], NUMPY, text)


# --- methods ---------------------------------------------------------------------------------


def fluent() -> str:
    """Return the stub of hy_ndarray.array.fluent."""
    methods = []
    options = (
        Argument("out", "Any", default="None"),
        Argument("name", "str | None", default="None"),
        Argument("attr", "Mapping[str, str] | None", default="None"),
    )
    for name, value in sorted(vars(Fluent).items()):
        if name.startswith("__") or name == "call_operator" or not callable(value):
            continue
        op = ops.find(name)
        others = inputs_of(op, "Self", graphs=False)[1:]
        ways = [["self", *way] for way in signatures(others, op, options)]
        returned = "Self" if visible_count(op) == 1 else "Any"
        methods.append(function(name, ways, returned, documentation(op)))
    text = textwrap.indent("\n".join(methods), "    ")
    return _FLUENT_HEAD + text + "\n"


_FLUENT_HEAD = f"""{HEAD}from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self, overload

import numpy.typing as npt
from hy_ndarray.ops import Operator

__all__ = ["Fluent"]

class Fluent:
    __slots__ = ()

    @classmethod
    def call_operator(
        cls, op: Operator, name: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any: ...
"""


# --- files -----------------------------------------------------------------------------------


def stubs() -> dict[Path, str]:
    """Return the text of every stub, by file."""
    texts = {PACKAGES / "hy-ndarray" / "src" / "hy_ndarray" / "array" / "fluent.pyi": fluent()}
    for front_end in (ARRAYS, SYMBOLS):
        modules = Modules(front_end)
        for module in modules.members:
            file = f"{module or '__init__'}.pyi"
            texts[front_end.folder / file] = modules.text(module)
    texts[NUMPY.folder / "__init__.pyi"] = numpy_extensions("npx")
    texts[NUMPY.folder / "image.pyi"] = numpy_extensions("npx.image")
    return texts


def main() -> None:
    """Write the stubs, and remove obsolete ones."""
    texts = stubs()
    for folder in FOLDERS:
        for old in set(folder.glob("*.pyi")) - set(texts):
            old.unlink()
    for file, text in texts.items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
