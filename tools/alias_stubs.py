"""Writes the stubs of hy-compat: for each path of MXNet's, what type checkers find there.

At run time the paths lead to the modules of hy themselves (``mxnet._aliases``), which no type
checker can follow. Run with ``hatch run alias-stubs``; a test compares.
"""

import pkgutil
from importlib import import_module
from pathlib import Path

from hy_ndarray import namespaces
from mxnet._aliases import ALIASES

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

PACKAGE = Path(__file__).parents[1] / "packages" / "hy-compat" / "src" / "mxnet"


def targets() -> dict[str, str]:
    """Every MXNet path that can be imported, and the hy module behind it."""
    found = dict(ALIASES)
    rest = list(ALIASES.items())
    while rest:
        path, target = rest.pop()
        for info in pkgutil.iter_modules(getattr(import_module(target), "__path__", [])):
            if info.name in SUBMODULES:
                below = f"{path}.{info.name}", f"{target}.{info.name}"
                rest.append(below)
                found.setdefault(*below)
    return found


def stub(target: str) -> str:
    """The text of a stub that shows what ``target`` has."""
    lines = [f"from {target} import *"]
    module = import_module(target)
    if hasattr(module, "__all__") and hasattr(module, "__getattr__"):  # also has operators
        operators = set(namespaces.names(target.rpartition(".")[2])) - set(module.__all__)
        lines += [f"from {target} import {name} as {name}" for name in sorted(operators)]
    return "\n".join(lines) + "\n"


def stubs() -> dict[Path, str]:
    """The text of every stub, by file."""
    paths = targets()
    texts = {}
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
