"""Gives hy damaged files: ``hatch run fuzz-files [--count N] [--seed N] [FORMAT ...]``.

Every file must be read, or refused with `FileFormatError` or an error of hy, within two seconds
and 300 MiB; `tools.fuzz_child` sees to that. What goes wrong is printed with its seed.
With an interpreter that has MXNet 1.9.1, the formats that it reads are given to it, too.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools.fuzz_child import fuzz
from tools.fuzz_formats import DATA, corpus

MXNET = {"params", "records", "index"}


def of_mxnet(name: str, wholes: list[bytes], options: Any) -> dict[str, Any]:
    """Return what MXNet does with the same inputs."""
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


def main(arguments: list[str] | None = None) -> int:
    """Fuzz, print a row for each format, and return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="hatch run fuzz-files", description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT")
    parser.add_argument("--count", type=int, default=200_000, help="files of each format")
    parser.add_argument("--seed", type=int, default=0, help="of the first file")
    parser.add_argument("--mxnet", metavar="PYTHON", help="interpreter that has MXNet 1.9.1")
    parser.add_argument("--mxnet-count", type=int, default=20_000, help="at most so many for it")
    options = parser.parse_args(arguments)
    wrong = 0.0
    with TemporaryDirectory() as text:
        folder = Path(text)
        formats = corpus(folder)
        unknown = set(options.formats) - set(formats)
        if unknown:
            parser.error(f"unknown format {', '.join(unknown)}; known: {', '.join(formats)}")
        for name in options.formats or formats:
            begin = time.perf_counter()
            row = fuzz(name, formats[name], folder, options.seed, options.count)
            row["seconds"] = round(time.perf_counter() - begin)
            wrong += row["other"] + row["slow"] + row["ended"]
            print(f"{name:14} hy     {json.dumps(row)}", flush=True)
            if options.mxnet and name in MXNET:
                counts = of_mxnet(name, formats[name].wholes, options)
                print(f"{name:14} MXNet  {json.dumps(counts)}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
