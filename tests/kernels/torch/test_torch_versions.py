"""What the packages use of torch exists in the version that is installed, on GPUs, too."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import torch

ROOT = Path(__file__).parents[3]


def dotted(node: ast.expr) -> list[str]:
    """Return the parts of a dotted name; none if it is another expression."""
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return [*before, node.attr] if before else []
    return [node.id] if isinstance(node, ast.Name) else []


def used(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield modules of torch and the names that a file takes of them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and (names := dotted(node))[:1] == ["torch"]:
            yield "torch", names[1:]
        elif isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("torch."):
            yield from ((node.module or "", [alias.name]) for alias in node.names)


def has(module: str, names: list[str]) -> bool:
    value = import_module(module)
    for name in names:
        if not hasattr(value, name):
            return False
        value = getattr(value, name)
    return True


def test_every_name_of_torch_exists() -> None:
    import_module("torch.utils.dlpack")
    files = [p for p in ROOT.glob("packages/*/src/**/*.py") if "torch" in p.read_text("utf-8")]
    names = {(module, *parts) for path in files for module, parts in used(path)}
    assert len(names) > 300
    missing = [".".join(name) for name in names if not has(name[0], [*name[1:]])]
    assert missing == [], f"not in torch {torch.__version__}"
