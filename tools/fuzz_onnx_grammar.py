"""Draws ONNX files from a grammar: ``python -m tools.fuzz_onnx_grammar [--count N] [--seed N]``.

Each is imported and asked for its inputs. It must be read, or refused with one of hy's errors,
within two seconds and 300 MiB. ``--seed N --count 1`` draws one again.
"""

import argparse
import os
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from hy_gluon import onnx
from hy_ndarray import HyError
from tools.fuzz_cases import fuzz
from tools.fuzz_formats import EXPANSION
from tools.onnx_grammar import model_of

__all__ = ["check", "main", "prepared"]

SECONDS, MEBIBYTES = 2.0, 300


def prepared(folder: Path) -> Path:
    """Return a model's path; beside it lie files that its weights must not be read from."""
    models = folder / "models"
    (models / "sub").mkdir(parents=True)
    for path in (folder / "w.bin", models / "w.bin"):
        path.write_bytes(b"\0" * 24)
    (models / "link.bin").symlink_to(folder / "w.bin")
    os.mkfifo(models / "fifo")
    return models / "model.onnx"


def check(seed: int, path: Path) -> str:
    """Write a seed's model to a path, and import it; return whether it was read or refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path.write_bytes(model_of(seed).SerializeToString())
        try:
            onnx.get_model_metadata(path)
            onnx.import_to_gluon(path)
        except HyError:
            return "refused"
        return "read"


def main() -> int:
    """Fuzz, print the outcomes, and return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="hatch run fuzz-onnx", description=__doc__)
    parser.add_argument("--count", type=int, default=50_000, help="files")
    parser.add_argument("--seed", type=int, default=0, help="of the first one")
    options = parser.parse_args()
    os.environ["HY_MAX_FILE_EXPANSION"] = str(EXPANSION)
    with TemporaryDirectory() as text:
        path = prepared(Path(text))
        for seed in range(20):  # whatever is loaded once is loaded now
            check(seed, path)
        report = fuzz(
            lambda seed: check(seed, path),
            options.seed, options.count, seconds=SECONDS, mebibytes=MEBIBYTES,
        )  # fmt: skip
    print(f"onnx: {report}")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
