"""The command ``hy-io``: shows, verifies and converts files of arrays and records."""

import argparse
import atexit
import gc
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from hy_io._cli_convert import WRITTEN_AS, Conversion
from hy_io._cli_formats import Rows, contents, form_of, verify
from hy_io._cli_im2rec import add_im2rec_arguments, make_lists, pack_lists
from hy_io._cli_records import extract, list_records, record_info, reindex
from hy_io._errors import FileFormatError, HyError
from hy_io._sync import no_sync
from hy_io._transfer import written_bytes_to
from hy_io.commands import add_input_argument, find_command, installed_commands, open_shape

__all__ = ["main"]

OK, BROKEN, USAGE = 0, 1, 2
_REPORTED = (HyError, OSError, ValueError, TypeError, KeyError, ImportError, AssertionError)
_SHOWN_BYTES = 1 << 24
_NEEDS = {"info": "hy-symbol", "verify": "hy-gluon"}
"""Packages that provide ``info`` and ``verify`` of graphs; hy-io has these commands for arrays."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command ``hy-io`` and return its exit status.

    Args:
        arguments: Command-line arguments; None for those of the process.

    Returns:
        0 on success, 1 if a file is damaged, missing or cannot be converted, 2 if the arguments are
        invalid.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None and words[:1] == ["convert"]:
        # Cyclic garbage collection walks every object that is alive; in a process that ends after
        # one conversion all of them are.
        gc.disable()  # imports and graphs make objects that all stay until the process ends,
        atexit.register(gc.freeze)  # which then need not be looked through
    options = _parser(words).parse_args(words)
    try:
        code: int = options.run(options)
    except FileFormatError as error:
        return _fail(options, str(error), error)
    except _REPORTED as error:
        notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
        return _fail(options, f"{error}{notes}", error)
    return code


def _fail(options: argparse.Namespace, message: str, error: BaseException) -> int:
    fields = ("path", "offset", "field", "expected", "found", "remedy")
    details = {name: getattr(error, name) for name in fields if hasattr(error, name)}
    if options.json:
        print(json.dumps({"ok": False, "error": message, **details}))  # noqa: T201  # a program
    else:
        print(f"hy-io: {message}", file=sys.stderr)  # noqa: T201
    return BROKEN


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Return the argument parser, with other packages' subcommands only if the call needs them."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print JSON")
    own = argparse.ArgumentParser(add_help=False, parents=[common])
    own.add_argument("--quiet", action="store_true", help="no progress")
    parser = argparse.ArgumentParser(prog="hy-io", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[Any], int], text: str, group: Any = commands) -> Any:
        added = group.add_parser(name, parents=[own], help=text, description=text)
        added.set_defaults(run=run)
        return added

    is_model = _is_of_model(words)
    if not is_model:
        _add_reading(command)
    _add_conversion(command)
    making = command("im2rec", _im2rec, "Make lists of images, and record files of lists.")
    add_im2rec_arguments(making)
    _add_index_arguments(command("rec2idx", _rec_reindex, "Rebuild the index of a record file."))
    records = commands.add_parser("rec", help="Work on record files.").add_subparsers(
        required=True, metavar="COMMAND"
    )
    command("info", _rec_info, "Count records and damage.", records).add_argument("file")
    listing = command("list", _rec_list, "List records: offset, bytes, header.", records)
    listing.add_argument("file")
    taking = command("extract", _rec_extract, "Write the records into files.", records)
    taking.add_argument("file")
    taking.add_argument("folder")
    taking.add_argument("--raw", action="store_true", help="whole records, headers included")
    text = "Rebuild the index of a record file."
    _add_index_arguments(command("reindex", _rec_reindex, text, records))
    # Entry points take 10 ms to list, so only words that are no command of this package ask for
    # them.
    if is_model or not words or words[0] not in commands.choices:
        _add_installed(words, commands, common)
    return parser


def _is_of_model(words: Sequence[str]) -> bool:
    """Return whether the call is ``info`` or ``verify`` of a graph, not of a file of arrays."""
    return words[:1] in (["info"], ["verify"]) and any(
        word.endswith(".json") or word.startswith(("--input", "--params")) for word in words
    )


def _add_installed(words: Sequence[str], commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the called subcommand of another package, or all of them if the call names none."""
    names = [name for name in installed_commands() if name not in commands.choices]
    for name in words[:1] if words[:1] and words[0] in names else names:
        try:
            command = find_command(name)
        except ImportError as error:
            _add_unusable(commands, name, ImportError(f"cannot load: {error}"))
            continue
        added = commands.add_parser(
            name, parents=[common], help=command.text, description=command.text
        )
        command.add_arguments(added)
        added.set_defaults(run=_installed, command=command)
    if _is_of_model(words) and words[0] not in names:
        why = f"{words[0]} of a graph needs {_NEEDS[words[0]]}, which is not installed"
        _add_unusable(commands, words[0], ImportError(why))


def _add_unusable(commands: Any, name: str, why: ImportError) -> None:
    """Add a subcommand that takes any arguments and raises the error ``why``."""
    text = str(why).replace("%", "%%")
    # ``prefix_chars``: no option begins with NUL, so that "--json" arrives as a word.
    added = commands.add_parser(name, help=text, add_help=False, prefix_chars="\0")
    added.add_argument("words", nargs="*")  # options among them, as none begins with a NUL
    added.set_defaults(run=_unusable, why=why)


def _installed(options: argparse.Namespace) -> int:
    return _report(options, *options.command.run(options))


def _unusable(options: argparse.Namespace) -> int:
    options.json = "--json" in options.words
    raise options.why


def _add_reading(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the subcommands ``info`` and ``verify`` of files of arrays."""
    info = command("info", _info, "Show the arrays of a file: shapes, dtypes, bytes, sha256.")
    info.add_argument("file")
    info.add_argument("--no-sha", action="store_true", help="read the headers only")
    check = command("verify", _verify, "Read a whole file and check all of it.")
    check.add_argument("file")
    check.add_argument("--sha256", metavar="DIGEST", help="compare the digest of the file")
    _add_expansion(info)
    _add_expansion(check)


def _add_conversion(command: Callable[..., argparse.ArgumentParser]) -> None:
    change = command("convert", _convert, "Convert a file; the endings of both say the formats.")
    change.add_argument("source", help=".params, .safetensors, .npz, .pt …, or optimizer states")
    change.add_argument("target", help="likewise; beside net-0000.params goes net-symbol.json")
    change.add_argument(
        "--symbol", metavar="FILE", help="the graph, or where to write that of the source"
    )
    for way, what in (("from", "source"), ("to", "target")):
        text = f"whose names the {what} has; default: torch for .pt and .pth"
        names = ["mxnet", "torch", *(WRITTEN_AS if way == "to" else ())]
        change.add_argument(f"--{way}", choices=names, dest=f"{way}_", help=text)
    text = "shape of an input, such as data=N,3,224,224 where a model of ONNX takes any number"
    add_input_argument(change, open_shape, text)
    change.add_argument("--allow-pickle", action="store_true", help="read MXNet's pickled states")
    change.add_argument("--no-sync", action="store_true", help="do not wait for the disk, as cp")
    _add_expansion(change)


def _add_expansion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-expansion",
        type=int,
        metavar="BYTES",
        help="how much more than the file its arrays may take (HY_MAX_FILE_EXPANSION, 4 GiB)",
    )


def _add_index_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file")
    parser.add_argument("index", nargs="?", help="default: FILE with the ending .idx")
    parser.add_argument("--key", choices=["order", "id"], default="order")


def _info(options: argparse.Namespace) -> int:
    rows = contents(
        options.file,
        sha=not options.no_sha,
        progress=_progress(options),
        max_expansion=options.max_expansion,
    )
    summary = {
        "path": options.file,
        "format": form_of(options.file).name,
        "file_bytes": os.path.getsize(options.file),  # noqa: PTH202  # a text, for messages
        "arrays": rows,
    }
    if options.json:
        print(json.dumps(summary))  # noqa: T201
        return OK
    print(f"{options.file}: {summary['format']}, {len(rows)} arrays, {_total_bytes(rows)} bytes")  # noqa: T201
    _table(rows)
    return OK


def _total_bytes(rows: Rows) -> int:
    return sum(int(row["bytes"]) for row in rows)


def _convert(options: argparse.Namespace) -> int:
    conversion = Conversion(
        options.source,
        options.target,
        symbol=options.symbol,
        names=(options.from_, options.to_),
        inputs=dict(options.input),
        allow_pickle=options.allow_pickle,
        max_expansion=options.max_expansion,
    )
    # Only on a terminal: in a log each "\r" would be a line's worth of noise.
    shown = sys.stderr.isatty() and not options.quiet
    with (
        no_sync() if options.no_sync else nullcontext(),
        written_bytes_to(_WrittenBytes().add) if shown else nullcontext(),
    ):
        done = conversion.run()
    return _report(options, done, f"{', '.join(done['files'])}: {done['arrays']} arrays")


class _WrittenBytes:
    """Progress display of a conversion: prints the written bytes to stderr every 16 MB."""

    def __init__(self) -> None:
        self._bytes = self._shown = 0

    def add(self, count: int) -> None:
        self._bytes += count
        if self._bytes - self._shown >= _SHOWN_BYTES:
            self._shown = self._bytes
            text = f"\r{self._bytes / 1e6:.0f} MB"
            print(text, end="\r", file=sys.stderr, flush=True)  # noqa: T201


def _verify(options: argparse.Namespace) -> int:
    done = verify(
        options.file,
        options.sha256,
        progress=_progress(options),
        max_expansion=options.max_expansion,
    )
    broken = done["damages"]
    text = f"{options.file}: {'damaged' if broken else 'whole'}, {done['format']}, {done['sha256']}"
    _report(options, done, text)
    return BROKEN if broken else OK


def _im2rec(options: argparse.Namespace) -> int:
    if options.list:
        done = make_lists(options)
        lines = [f"{folder} {label}" for folder, label in done["folders"].items()]
        lines.append(f"{', '.join(done['lists'])}: {done['images']} images")
        return _report(options, done, "\n".join(lines))
    done = pack_lists(options, _progress(options))
    lines = [f"{', '.join(done['files'])}: {done['records']} records"]
    lines += [f"  left out {error}" for error in done["left_out"]]
    _report(options, done, "\n".join(lines))
    return BROKEN if done["left_out"] else OK


def _rec_info(options: argparse.Namespace) -> int:
    return _scanned(options, record_info(options.file, _progress(options)))


def _rec_reindex(options: argparse.Namespace) -> int:
    return _scanned(options, reindex(options.file, options.index, options.key))


def _rec_extract(options: argparse.Namespace) -> int:
    done = extract(options.file, options.folder, raw=options.raw, progress=_progress(options))
    return _scanned(options, done)


def _scanned(options: argparse.Namespace, done: dict[str, Any]) -> int:
    text = f"{options.file}: {done['records']} records, {len(done['damages'])} damaged ranges"
    for damage in done["damages"]:
        text += f"\n  byte {damage['offset']}: {damage['bytes']} bytes skipped, {damage['reason']}"
    _report(options, done, text)
    return BROKEN if done["damages"] else OK


def _rec_list(options: argparse.Namespace) -> int:
    rows, damages = list_records(options.file, _progress(options))
    if options.json:
        print(json.dumps({"path": options.file, "records": rows, "damages": damages}))  # noqa: T201
    else:
        _table(rows)
    return BROKEN if damages else OK


def _report(options: argparse.Namespace, done: dict[str, Any], text: str) -> int:
    print(json.dumps({"ok": True, **done}) if options.json else text)  # noqa: T201
    return OK


def _table(rows: Rows) -> None:
    if not rows:
        return
    texts = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(len(line[column]) for line in texts) for column in range(len(texts[0]))]
    for line in texts:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(cells).rstrip())  # noqa: T201


def _cell(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    # Shapes are shown as 3x224x224, labels as 1.0, 2.0.
    joint = "x" if all(isinstance(item, int) for item in value) else ", "
    return joint.join(map(str, value)) or "()"


def _progress(options: argparse.Namespace) -> Callable[..., Iterator[Any]]:
    """Return a wrapper of iterables that shows progress on a terminal, by tqdm or plain text."""
    shown = sys.stderr.isatty() and not options.quiet

    def bar(items: Any, total: int | None = None) -> Iterator[Any]:
        if not shown:
            return iter(items)
        try:
            from tqdm import tqdm  # noqa: PLC0415  # an extra
        except ImportError:
            return _plain_bar(items, total)
        return iter(tqdm(items, total=total, leave=False))

    return bar


def _plain_bar(items: Any, total: int | None) -> Iterator[Any]:
    # A hundred updates, however many items there are.
    step = max((total or 1000) // 100, 1)
    for index, item in enumerate(items):
        if index % step == 0:
            of = f" of {total}" if total else ""
            print(f"\r{index}{of}", end="", file=sys.stderr, flush=True)  # noqa: T201
        yield item
    print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
