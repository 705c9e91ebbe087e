"""Time hy-io against MXNet 1.9.1, in turn: ``hatch run bench-io [--mxnet PYTHON]``.

Each measurement is a process of its own, A B A B, that does its work once, as programs do: a load
gets memory that no earlier load left behind. Files are in the page cache. The medians count.
"""

import argparse
import json
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from benchmarks.sides import environment, interpreter
from hy_io import IRHeader, MXRecordIO, pack, save_ndarrays

PREPARE = {
    "hy": """
import os, sys, time
import numpy as np
from hy_io import MXIndexedRecordIO, MXRecordIO, load_ndarrays, open_ndarrays, save_ndarrays
load, save = load_ndarrays, save_ndarrays
def one(path):
    with open_ndarrays(path) as arrays:
        return np.array(arrays["w12"])
load("small.params"); one("small.params"); save("out.params", load("small.params"))
""",
    "mxnet": """
import os, sys, time
import numpy as np
from mxnet import nd
from mxnet.recordio import MXIndexedRecordIO, MXRecordIO
def load(path):
    arrays = nd.load(path)
    nd.waitall()
    return arrays
def one(path):
    return load(path)["w12"].asnumpy()
save = nd.save
load("small.params"); save("out.params", load("small.params"))
""",
}
WORK = {
    "load": ("", "load('big.params')"),
    "load_mapped": ("", "load('big.params', copy=False)"),
    "load_one_of_25": ("", "one('big.params')"),
    "save": (
        "arrays = load('big.params'); os.path.exists('new') and os.remove('new')",
        "save('new', arrays)",
    ),
    "save_no_fsync": (
        """
arrays = load('big.params'); os.path.exists('new') and os.remove('new')
os.fsync = lambda descriptor: None
""",
        "save('new', arrays)",
    ),
    "records_read": (
        "records = MXRecordIO('small.rec', 'r')",
        "while records.read() is not None: pass",
    ),
    "records_write": (
        "records = MXRecordIO('out.rec', 'w')",
        "for _ in range(100_000): records.write(b'x' * 60)\nrecords.close()",
    ),
    "records_random": (
        """
records = MXIndexedRecordIO('small.idx', 'small.rec', 'r')
keys = np.random.RandomState(0).permutation(records.keys).tolist()
""",
        "for key in keys[:20_000]: records.read_idx(key)",
    ),
    "images": (
        """
import mxnet as mx
batches = mx.io.ImageRecordIter(
    path_imgrec="images.rec", data_shape=(3, 224, 224), batch_size=32, shuffle=True, verbose=False,
    rand_crop=True, rand_mirror=True, mean_r=124, mean_g=116, mean_b=104, std_r=58, std_g=57,
    std_b=57)
for batch in batches: batch.data[0].wait_to_read()
""",
        """
for _ in range(4):
    batches.reset()
    for batch in batches: batch.data[0].wait_to_read()
""",
    ),
}
OTHER = {"load_mapped": "load", "save_no_fsync": "save"}
"""What MXNet is measured by where it has no such work."""
GOALS = {
    "load": 0.5,
    "load_mapped": 0.05,
    "save_no_fsync": 1.0,
    "records_read": 0.5,
    "images": 1.11,
}


def prepare(folder: Path) -> None:
    """Write 100 MB in 25 arrays, 100,000 records of 60 bytes with an index, and 512 photographs."""
    values = np.random.default_rng(0).random((25, 1000, 1000), np.float32)
    save_ndarrays(folder / "big.params", {f"w{index}": values[index] for index in range(25)})
    save_ndarrays(folder / "small.params", {f"w{index}": values[index, :2] for index in range(25)})
    with MXRecordIO(folder / "small.rec", "w") as records:
        for index in range(100_000):
            records.write(b"%060d" % index)
    with (folder / "small.idx").open("w", encoding="utf-8") as lines:
        lines.writelines(f"{index}\t{index * 68}\n" for index in range(100_000))
    with MXRecordIO(folder / "images.rec", "w") as records:
        for index in range(512):
            records.write(pack(IRHeader(0, float(index % 10), index, 0), photograph(index)))


def photograph(seed: int) -> bytes:
    """A JPEG of 256 x 256 pixels and some 27 kB: smooth shapes and some noise."""
    rng = np.random.default_rng(seed)
    coarse = Image.fromarray(rng.integers(0, 256, (32, 32, 3), dtype=np.uint8))
    smooth = np.asarray(coarse.resize((256, 256), Image.Resampling.BICUBIC))
    noisy = np.clip(smooth + rng.normal(0, 6, smooth.shape), 0, 255).astype(np.uint8)
    content = BytesIO()
    Image.fromarray(noisy).save(content, "JPEG", quality=90)
    return content.getvalue()


def seconds(python: str, side: str, name: str, folder: Path) -> float:
    """Seconds of one work in a fresh process."""
    before, work = WORK[name]
    script = (
        f"{PREPARE[side]}\n{before}\nbegin = time.perf_counter()\n{work}\n"
        "print('seconds', time.perf_counter() - begin)"
    )
    done = subprocess.run(  # noqa: S603  # our own script
        [*interpreter(python), "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment(os.cpu_count() or 1),
    )
    if done.returncode:
        raise RuntimeError(f"{side} {name} failed:\n{done.stderr}")
    return float(done.stdout.split()[-1])


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="hatch run bench-io", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="WORK", help=f"of: {', '.join(WORK)}")
    parser.add_argument("--mxnet", metavar="PYTHON", help="interpreter that has MXNet 1.9.1")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in WORK]
    if unknown:
        parser.error(f"unknown work {', '.join(unknown)}; known: {', '.join(WORK)}")
    results = {}
    with TemporaryDirectory() as text:
        folder = Path(text)
        prepare(folder)
        print(f"{'work':16} {'hy ms':>9} {'MXNet ms':>9} {'ratio':>7} {'goal':>6}")
        for name in options.names or WORK:
            ours, theirs = [], []
            for _ in range(options.rounds):
                ours.append(seconds(sys.executable, "hy", name, folder) * 1e3)
                if options.mxnet:
                    other = OTHER.get(name, name)
                    theirs.append(seconds(options.mxnet, "mxnet", other, folder) * 1e3)
            line = f"{name:16} {median(ours):9.2f}"
            if theirs:
                ratio = median(ours) / median(theirs)
                line += f" {median(theirs):9.2f} {ratio:7.3f} {GOALS.get(name, ''):>6}"
            print(line, flush=True)
            results[name] = {"hy_ms": ours, "mxnet_ms": theirs}
    output = Path(__file__).parents[1] / "bench-output"
    output.mkdir(exist_ok=True)
    (output / "io.json").write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
