"""The commands of ``hy``, and their arguments."""

import argparse
import atexit
import gc
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hy_cli.fitting import check_fit, from_torch, read_graph, to_torch
from hy_cli.formats import load, save
from hy_cli.models import ModelFiles, find_model
from hy_cli.onnx_files import ONNX
from hy_cli.weights import Weights, endings, names_of
from hy_io import FileFormatError, no_sync

if TYPE_CHECKING:
    from hy_gluon.models import Model

__all__ = ["main"]

OK, BROKEN = 0, 1
_OF_FILES = {
    "rec": "Tell, list, index or extract records.",
    "im2rec": "Pack a folder of images into records.",
    "rec2idx": "Write the index of a file of records.",
}
"""Commands of ``hy-io``, word by word."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: Its arguments; None takes those of the process.

    Returns:
        0 if all is well, 1 if a file is damaged, missing or cannot be converted, 2 if the
        arguments are wrong.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None and words[:1] == ["convert"]:
        gc.disable()  # imports and graphs make objects that all stay until the process ends,
        atexit.register(gc.freeze)  # which then need not be looked through
    if _is_of_files(words):
        from hy_io.cli import main as hy_io  # noqa: PLC0415  # not needed for models

        return hy_io(words, program="hy")
    options = _parser().parse_args(words)
    try:
        done, text = options.run(options)
    except Exception as error:
        if not _is_told(error):
            raise
        if options.json:
            print(json.dumps({"ok": False, "error": str(error)}))  # noqa: T201  # a program
        else:
            print(f"hy: {error}", file=sys.stderr)  # noqa: T201
        return BROKEN
    print(json.dumps({"ok": True, **done}) if options.json else text)  # noqa: T201
    return OK


def _is_told(error: Exception) -> bool:
    """Whether it is told in a line: errors of the files, and of what is asked for."""
    if isinstance(error, FileFormatError | OSError | ValueError | ImportError | AssertionError):
        return True
    from hy_ndarray import HyError  # noqa: PLC0415  # slow, and not needed for files of arrays

    return isinstance(error, HyError)


def _is_of_files(words: Sequence[str]) -> bool:
    """Whether a command is about files of arrays, records or images alone, as ``hy-io`` has it."""
    if not words or words[0] in _OF_FILES:
        return bool(words)
    if words[0] not in ("convert", "info", "verify"):
        return False
    if words[0] == "convert":
        return any(word.endswith(".states") for word in words)
    files = [word for word in words[1:] if not word.startswith("-")]
    asks = any(word.startswith(("--input", "--params")) for word in words)
    return not asks and not any(word.endswith((".json", ONNX)) for word in files)


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print JSON")
    parser = argparse.ArgumentParser(
        prog="hy",
        description="Tell, check, convert, draw and time models and their files.",
        epilog="info and verify of files of arrays and records are those of hy-io, too.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[Any], Any], text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, parents=[common], help=text, description=text)
        added.set_defaults(run=run)
        return added

    change = command("convert", _convert, "Convert parameters; endings say the formats.")
    change.add_argument("source", help=", ".join((*endings(), ONNX)))
    change.add_argument("target", help="likewise; beside net-0000.params goes net-symbol.json")
    change.add_argument("--symbol", metavar="FILE", help="the graph; default: that of the source")
    change.add_argument("--no-sync", action="store_true", help="do not wait for the disk, as cp")
    for way, what in (("from", "source"), ("to", "target")):
        text = f"whose names the {what} has; default: torch for {', '.join(endings('torch'))}"
        change.add_argument(f"--{way}", choices=["mxnet", "torch"], dest=f"{way}_", help=text)
    tell = command("info", _info, "Show the layers of a graph, or the arrays of a file.")
    check = command("verify", _verify, "Check that parameters fit, and all ways to run agree.")
    draw = command("draw", _draw, "Draw a graph as an SVG file.")
    bench = command("bench", _bench, "Time calls of a model on random numbers.")
    for one in (tell, check, draw, bench):
        one.add_argument("model", help="net-symbol.json, or a .safetensors or .onnx file")
        one.add_argument("--params", metavar="FILE", help="default: the newest beside the graph")
    for one in (tell, check, draw, bench, change):
        one.add_argument(
            "--input",
            metavar="NAME=SHAPE",
            action="append",
            type=_open_input if one is change else _input,
            default=[],
            help="shape of an input, such as data=1,3,224,224"
            + (", or data=N,3,224,224 where an ONNX model takes any" if one is change else ""),
        )
    draw.add_argument("target", nargs="?", help="default: the model with the ending .svg")
    bench.add_argument("--calls", type=_count, default=20, help="how many are timed (20)")
    for name, text in _OF_FILES.items():  # for the list alone: `main` hands them on
        commands.add_parser(name, help=text)
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"must be a number of 1 or more, got {text!r}")
    return int(text)


def _input(text: str) -> tuple[str, tuple[int, ...]]:
    name, sizes = _open_input(text)
    if names := [size for size in sizes if isinstance(size, str)]:
        raise argparse.ArgumentTypeError(f"{text!r}: give a number in the place of {names[0]}")
    return name, tuple(map(int, sizes))


def _open_input(text: str) -> tuple[str, tuple[int | str, ...]]:
    name, _, sizes = text.partition("=")
    words = sizes.split(",")
    if not name or not all(word.isdecimal() or word.isidentifier() for word in words):
        raise argparse.ArgumentTypeError(
            f"{text!r}: give a name and sizes, such as data=1,3,224,224"
        )
    return name, tuple(int(word) if word.isdecimal() else word for word in words)


def _model(options: argparse.Namespace) -> "tuple[Model, ModelFiles]":
    from hy_gluon.models import Model  # noqa: PLC0415  # slow, and conversions do not need it

    files = find_model(options.model, options.params)
    symbol = read_graph(files.graph, files.path)
    return Model(files.path, symbol, dict(options.input)), files


def _convert(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    found = load(options.source)
    graph = found.graph
    if options.symbol is not None:
        graph = Path(options.symbol).read_text(encoding="utf-8")
    source, target = (
        way or names_of(path)
        for way, path in ((options.from_, options.source), (options.to_, options.target))
    )
    arrays: Any = found.arrays
    symbol = None
    if graph is not None and "mxnet" in (source, target):
        symbol = read_graph(graph, options.symbol or options.source)
    if source == "torch" != target:
        arrays = from_torch(arrays, symbol)
    inputs = dict(options.input)
    if symbol is not None:
        known = {n: tuple(d if isinstance(d, int) else 0 for d in s) for n, s in inputs.items()}
        check_fit(arrays, symbol, known)
    if target == "torch" != source:
        arrays, graph = to_torch(Weights(arrays)), None
    with no_sync() if options.no_sync else nullcontext():
        files = save(options.target, Weights(arrays, graph), inputs)
    return {"files": files, "arrays": len(arrays)}, f"{', '.join(files)}: {len(arrays)} arrays"


def _info(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    model, files = _model(options)
    symbol = model.symbol
    done = {
        "inputs": symbol.list_arguments(),
        "states": symbol.list_auxiliary_states(),
        "outputs": symbol.list_outputs(),
        "params": files.params,
    }
    text = model.summary()
    if not model.inputs and symbol.list_inputs():
        text += f"\nnot all sizes are known: give those of each input, such as {model.example}"
    return done, text


def _verify(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    model, files = _model(options)
    arrays = files.arrays()
    check_fit(arrays, model.symbol, model.inputs)
    differences = model.verify(arrays) if model.inputs else {}
    lines = [f"{files.params}: {len(arrays)} arrays, all fit {files.path}"]
    lines += [f"  {name}: {value:.2g}" for name, value in differences.items()]
    return {"arrays": len(arrays), "differences": differences}, "\n".join(lines)


def _draw(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    target = options.target or str(Path(options.model).with_suffix(".svg"))
    if not target.lower().endswith(".svg"):
        raise ValueError(f"{target}: the ending must be .svg, the format of drawings")
    _model(options)[0].draw(target)
    return {"files": [target]}, target


def _bench(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    model, files = _model(options)
    arrays = files.arrays()
    check_fit(arrays, model.symbol, model.inputs)
    done = model.bench(arrays, options.calls)
    text = (
        f"{done['median_ms']:.2f} ms for each call (fastest {done['fastest_ms']:.2f}), "
        f"{done['items_per_second']:.0f} items each second, on {done['context']}"
    )
    return done, text
