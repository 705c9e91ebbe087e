"""Writes the stubs of hy-compat: for each path of MXNet's, what type checkers find there.

At run time the paths lead to the modules of hy themselves (``mxnet._aliases``), and some names are
made or loaded on first use; type checkers can follow neither. Run with
``hatch run alias-stubs``; a test compares.
"""

import ast
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import mxnet
from mxnet import contrib
from mxnet._aliases import ALIASES
from mxnet._binding import added_to_star, own_names

SUBMODULES = frozenset(
    (
        "basic_layers",
        "batch_processor",
        "block",
        "cnn",
        "contrib",
        "conv_layers",
        "conv_rnn_cell",
        "data",
        "dataloader",
        "dataset",
        "datasets",
        "estimator",
        "event_handler",
        "image",
        "linalg",
        "lists",
        "loss",
        "loss_scaler",
        "model_store",
        "model_zoo",
        "nn",
        "op",
        "parameter",
        "random",
        "rnn",
        "rnn_cell",
        "rnn_layer",
        "sampler",
        "sparse",
        "symbol_bf16",
        "symbol_fp16",
        "text",
        "trainer",
        "transforms",
        "utils",
        "vision",
    )
)
"""Modules of hy below an alias that have the same place in MXNet."""

LEAVES = frozenset(
    (
        "mxnet.gluon.parameter",
        "mxnet.image.image",
        "mxnet.img",
        "mxnet.init",
        "mxnet.initializer",
        "mxnet.nd.ndarray",
        "mxnet.nd.utils",
        "mxnet.ndarray.ndarray",
        "mxnet.ndarray.utils",
        "mxnet.np_symbol",
        "mxnet.numpy.arrayprint",
        "mxnet.numpy.fallback",
        "mxnet.numpy.function_base",
        "mxnet.numpy.io",
        "mxnet.numpy.multiarray",
        "mxnet.numpy.stride_tricks",
        "mxnet.numpy.utils",
        "mxnet.numpy_extension.utils",
        "mxnet.sym.symbol",
        "mxnet.symbol.numpy._symbol",
        "mxnet.symbol.symbol",
    )
)
"""Paths without modules below them in MXNet, though the modules of hy behind them have some."""

SEED = "from hy_ndarray.random import seed as seed\n"
"""What ``mxnet.random`` has beside the functions of ``mxnet.nd.random``."""

PACKAGE = Path(__file__).parents[1] / "packages" / "hy-compat" / "src" / "mxnet"


def is_internal(path: str) -> bool:
    """Return whether a path is internal to MXNet, and so without a stub."""
    parts = path.split(".")
    marks = ("gen_", "register", "space")
    return any(part.startswith("_") and part != "_symbol" for part in parts) or (
        parts[-1].startswith(marks) or "onnx2mx" in parts
    )


def targets() -> dict[str, str]:
    """Return every MXNet path that programs write, and the hy module behind it."""
    targets_by_path = {path: target for path, target in ALIASES.items() if not is_internal(path)}
    rest = list(targets_by_path.items())
    while rest:
        path, target = rest.pop()
        if path in LEAVES:
            continue
        for info in pkgutil.iter_modules(getattr(import_module(target), "__path__", [])):
            if info.name in SUBMODULES:
                below = f"{path}.{info.name}", f"{target}.{info.name}"
                rest.append(below)
                targets_by_path.setdefault(*below)
    return targets_by_path


def _source_tree(module: str) -> ast.Module:
    """Return the syntax tree of a module, or of its stub; some have only a stub."""
    root = Path(str(import_module(module.partition(".")[0]).__file__)).parents[1]
    path = root.joinpath(*module.split("."))
    files = (
        path / "__init__.py",
        path.with_suffix(".py"),
        path / "__init__.pyi",
        Path(f"{path}.pyi"),
    )
    return ast.parse(next(file for file in files if file.exists()).read_text(encoding="utf-8"))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _statements([*statement.body, *statement.orelse])
        else:
            yield statement


def _bound_by(statement: ast.stmt) -> Iterator[tuple[str, bool]]:
    """Yield the names a statement binds, and whether it shows them to type checkers."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, True
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            yield name, True
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from ((alias.asname or alias.name, alias.asname == alias.name) for alias in names)
        case _:
            pass


def _list_of(statements: list[ast.stmt]) -> list[str]:
    """Return the literal ``__all__`` of a module; empty where it is computed."""
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=listed)):
                return [str(name.value) for name in listed if isinstance(name, ast.Constant)]
            case _:
                pass
    return []


def _computed_list(module: str) -> list[str]:
    """Return what star imports of a module bind, without names added for MXNet's paths alone."""
    names = import_module(module).__all__
    return [name for name in names if name not in added_to_star(module)]


def written(module: str) -> dict[str, bool]:
    """Return names that a module's text and its star imports bind, and whether it shows each."""
    statements = list(_statements(_source_tree(module).body))
    bound_names = {name: shown for statement in statements for name, shown in _bound_by(statement)}
    if "__all__" in bound_names:
        listed = _list_of(statements) or _computed_list(module)
        return {name: name in listed for name in bound_names if name != "*"} | dict.fromkeys(
            listed, True
        )
    for statement in statements:
        match statement:
            case ast.ImportFrom(module=str(source), names=[ast.alias(name="*")]):
                bound_names |= {name: shown for name, shown in written(source).items() if shown}
            case _:
                pass
    return bound_names


def computed_attributes(target: str) -> dict[str, Any]:
    """Return attributes by name that a module computes on demand; without other modules."""
    module = import_module(target)
    names = set(own_names(module) or ()) - set(written(target))
    attributes = {name: getattr(module, name) for name in sorted(names) if not name.startswith("_")}
    return {name: value for name, value in attributes.items() if not isinstance(value, ModuleType)}


def offered(target: str) -> set[str]:
    """Return the public names of a module: those it binds, and those it computes on demand."""
    shown = {name for name, is_shown in written(target).items() if is_shown}
    return {
        name for name in shown | set(computed_attributes(target)) if not name.startswith("_")
    } - {"*"}


def line(target: str, name: str, value: Any) -> str:
    """Return the stub's line for a name that a module computes on demand."""
    home = getattr(value, "__module__", target)
    defined = {
        node.name
        for node in _source_tree(home).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    if value.__name__ in defined:
        return f"from {home} import {value.__name__} as _{name}\n{name} = _{name}"
    return f"from {target} import {name} as {name}"


def stub(target: str) -> str:
    """Return the text of a stub that shows what ``target`` has."""
    if target.startswith("mxnet._private."):
        return f"from {target} import *\n"
    lines = [line(target, name, value) for name, value in computed_attributes(target).items()]
    return "\n".join([f"from {target} import *", *lines]) + "\n"


def lazy_stub(module: ModuleType) -> str:
    """Return the text of a stub for a module of hy-compat that loads its names on demand."""
    members: dict[str, str] = getattr(module, "_MEMBERS", {})
    shown = {name: f"{module.__name__}.{where}" for name, where in members.items()}
    shown |= dict.fromkeys(module._MODULES, module.__name__)
    lines = []
    for statement in _source_tree(module.__name__).body:
        match statement:
            case ast.ImportFrom(module=str(source), names=names):
                reexported = (alias.name for alias in names if alias.asname == alias.name)
                shown |= dict.fromkeys(reexported, source)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=value)):
                lines.append(f"{name}: {type(value).__name__}")
            case _:
                pass
    lines += [f"from {source} import {name} as {name}" for name, source in sorted(shown.items())]
    return "\n".join(lines) + "\n"


def stubs() -> dict[Path, str]:
    """Return the text of every stub, by file."""
    paths = targets()
    texts = {
        PACKAGE / "random.pyi": stub("hy_ndarray.nd.random") + SEED,
        PACKAGE / "__init__.pyi": lazy_stub(mxnet),
        PACKAGE / "contrib" / "__init__.pyi": lazy_stub(contrib),
    }
    for path, target in paths.items():
        parts = path.split(".")[1:]
        is_package = any(other.startswith(path + ".") for other in paths)
        file = PACKAGE.joinpath(*parts) / "__init__.pyi" if is_package else None
        texts[file or PACKAGE.joinpath(*parts).with_suffix(".pyi")] = stub(target)
    return texts


def main() -> None:
    """Write them, and delete those of paths that are no more."""
    texts = stubs()
    for stale in set(PACKAGE.rglob("*.pyi")) - set(texts):
        stale.unlink()
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
