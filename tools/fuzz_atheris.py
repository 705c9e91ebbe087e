"""Guided fuzzing of one format: ``python -m tools.fuzz_atheris FORMAT [CORPUS] [-runs=N]``.

Needs ``pip install atheris``. The formats are those of `tools.fuzz_formats`, whose whole files are
the first inputs; whatever a reader raises besides its errors ends the run.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris  # installed by hand

with atheris.instrument_imports(include=["hy_io"]):
    from tools.fuzz_formats import REFUSALS, corpus


def main() -> None:
    """Fuzz until an input fails, or as long as libFuzzer's options say."""
    with TemporaryDirectory() as text:
        folder = Path(text)
        form = corpus(folder)[sys.argv.pop(1)]
        seeds = folder / "seeds"
        seeds.mkdir()
        for index, content in enumerate(form.wholes):
            (seeds / str(index)).write_bytes(content)
        path = folder / "damaged"

        def one(content: bytes) -> None:
            path.write_bytes(form.seal(content))
            try:
                form.read(path)
            except REFUSALS:
                return

        atheris.Setup([*sys.argv, str(seeds)], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
