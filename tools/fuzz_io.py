"""Gives hy-io damaged files: ``hatch run fuzz [--count N] [--mxnet PYTHON] [FORMAT ...]``.

Every input must be read, or refused with `FileFormatError`, within a second and with bounded
memory. With an interpreter that has MXNet 1.9.1, the formats that it reads are given to it, too.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from hy_io import (
    FileFormatError,
    IRHeader,
    MXIndexedRecordIO,
    MXRecordIO,
    load_checkpoint,
    load_ndarrays,
    load_safetensors,
    load_states,
    open_ndarrays,
    pack,
    read_pickled_states,
    save_safetensors,
    save_states,
    scan_records,
    unpack,
)
from tools.fuzz_inputs import damaged

DATA = Path(__file__).parents[1] / "tests" / "io" / "data"
SECONDS, MEBIBYTES = 1.0, 64
_LARGE = 8000  # bytes, from which on damage mostly hits values
MXNET = {"params", "records", "index"}
Read = Callable[[Path], object]


def read_params(path: Path) -> None:
    """All at once, and one array after another."""
    try:
        load_ndarrays(path)
    finally:
        with open_ndarrays(path) as file:
            for key in file:
                file[key]


def read_records(path: Path) -> None:
    """Strictly; the scan must not raise at all."""
    for _ in scan_records(path):
        pass
    with MXRecordIO(path, "r") as file:
        for record in file:
            try:
                unpack(record)
            except FileFormatError:
                continue


def read_index(path: Path) -> None:
    """Every key of a damaged index to a whole file."""
    with MXIndexedRecordIO(path, DATA / "recordio" / "packed.rec", "r") as file:
        for key in file.keys:
            file.read_idx(key)


def read_pickle(path: Path) -> None:
    """MXNet's states."""
    read_pickled_states(path.read_bytes(), str(path))


def read_manifest(path: Path) -> None:
    """A damaged manifest of a whole checkpoint."""
    (path.parent / "net-0000.sha256").write_bytes(path.read_bytes())
    load_checkpoint(path.parent / "net", 0)


def corpus(folder: Path) -> dict[str, tuple[list[bytes], Read]]:
    """Whole files of each format, and what reads them."""
    scratch = folder / "whole"
    save_safetensors(
        scratch,
        {
            "a": np.arange(6.0).reshape(2, 3),
            "b": np.ones(3, np.float16),
            "c": np.zeros((0, 2), bool),
        },
        symbol='{"nodes": []}',
    )
    tensors = scratch.read_bytes()
    save_states(scratch, {"states": {0: (np.ones(3), None), 1: [np.zeros(2)]}, "optimizer": None})
    states = scratch.read_bytes()
    (folder / "net-0000.params").write_bytes((DATA / "block.params").read_bytes())
    names = ("*.nd", "*.params", "*.v0")
    params = [path.read_bytes() for name in names for path in sorted(DATA.glob(name))]
    records = [(DATA / "recordio" / f"{n}.rec").read_bytes() for n in ("packed", "indexed", "raw")]
    pickles = [path.read_bytes() for path in sorted((DATA / "states").glob("*.states"))]
    digest = b"ab" * 32 + b"  net-0000.params\n"
    return {
        "params": ([content for content in params if len(content) < _LARGE], read_params),
        "records": (records, read_records),
        "index": ([(DATA / "recordio" / "packed.idx").read_bytes()], read_index),
        "packed": ([pack(IRHeader(0, [1, 2, 3], 7, 0), b"body")], lambda p: unpack(p.read_bytes())),
        "safetensors": ([tensors], load_safetensors),
        "states": ([states], load_states),
        "pickle": (pickles, read_pickle),
        "manifest": ([digest], read_manifest),
    }


def memory() -> float:
    """The largest memory so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def fuzz(name: str, wholes: list[bytes], read: Read, folder: Path, options: Any) -> dict[str, Any]:
    """Give one reader its inputs; the first failure of each kind is printed."""
    path = folder / "damaged"
    counts = {"read": 0, "refused": 0, "other": 0, "slow": 0}
    slowest, before = 0.0, memory()
    for content in damaged(wholes, options.seed, options.count):
        path.write_bytes(content)
        begin = time.perf_counter()
        try:
            read(path)
            counts["read"] += 1
        except FileFormatError:
            counts["refused"] += 1
        except Exception:  # noqa: BLE001, RUF100  # that is what is looked for
            if not counts["other"]:
                traceback.print_exc()
                print(f"{name}: {content.hex()}", flush=True)
            counts["other"] += 1
        taken = time.perf_counter() - begin
        slowest = max(slowest, taken)
        counts["slow"] += taken > SECONDS
    return {**counts, "slowest_ms": round(slowest * 1e3, 1), "grown_mib": round(memory() - before)}


def of_mxnet(name: str, wholes: list[bytes], options: Any) -> dict[str, Any]:
    """What MXNet does with the same inputs."""
    request = {
        "form": name,
        "wholes": [content.hex() for content in wholes],
        "record": (DATA / "recordio" / "packed.rec").read_bytes().hex(),
        "seed": options.seed,
        "count": min(options.count, options.mxnet_count),
    }
    done = subprocess.run(  # noqa: S603  # our own script
        [options.mxnet, "-W", "ignore", str(Path(__file__).with_name("fuzz_mxnet.py"))],
        input=json.dumps(request) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    counts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return counts


def main() -> int:
    """Fuzz, print a table, and return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="hatch run fuzz", description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT")
    parser.add_argument("--count", type=int, default=200_000, help="inputs of each format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mxnet", metavar="PYTHON", help="interpreter that has MXNet 1.9.1")
    parser.add_argument("--mxnet-count", type=int, default=20_000, help="at most so many for it")
    options = parser.parse_args()
    wrong = 0
    with TemporaryDirectory() as text:
        folder = Path(text)
        formats = corpus(folder)
        unknown = set(options.formats) - set(formats)
        if unknown:
            parser.error(f"unknown format {', '.join(unknown)}; known: {', '.join(formats)}")
        for name in options.formats or formats:
            wholes, read = formats[name]
            row = fuzz(name, wholes, read, folder, options)
            wrong += row["other"] + row["slow"] + (row["grown_mib"] > MEBIBYTES)
            print(f"{name:12} hy-io  {json.dumps(row)}", flush=True)
            if options.mxnet and name in MXNET:
                print(f"{name:12} MXNet  {json.dumps(of_mxnet(name, wholes, options))}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
