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
from hy_io import IRHeader, MXIndexedRecordIO, MXRecordIO, pack, save_ndarrays

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
_TRAINING = """
import mxnet as mx
from mxnet import autograd, gluon
net = gluon.model_zoo.vision.resnet18_v1(classes=10)
net.initialize(mx.init.Xavier())
net.hybridize(static_alloc=True, static_shape=True)
loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
loss_of.hybridize(static_alloc=True, static_shape=True)
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})
metric = mx.metric.Accuracy()
def learn(x, y):
    xs, ys = (gluon.utils.split_and_load(values, [mx.cpu()]) for values in (x, y))
    with autograd.record():
        scores = [net(part) for part in xs]
        losses = [loss_of(part, label) for part, label in zip(scores, ys)]
    autograd.backward(losses)
    trainer.step(len(x))
    metric.update(ys, scores)
for _ in range(3): learn(mx.nd.ones((32, 3, 64, 64)), mx.nd.zeros((32,)))
mx.nd.waitall()
"""
"""A net that trains, ready."""
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
os.posix_fadvise = lambda *arguments: None
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
    "epoch": (
        f"""{_TRAINING}
batches = mx.io.ImageRecordIter(
    path_imgrec="many.rec", data_shape=(3, 64, 64), batch_size=32, resize=72, shuffle=True,
    rand_crop=True, rand_mirror=True, mean_r=124, mean_g=116, mean_b=104, std_r=58, std_g=57,
    std_b=57, verbose=False)
""",
        """
for batch in batches: learn(batch.data[0], batch.label[0])
mx.nd.waitall()
""",
    ),
    "epoch_loader": (
        f"""{_TRAINING}
from mxnet.gluon.data.vision import ImageRecordDataset, transforms
change = transforms.Compose([
    transforms.Resize(72), transforms.RandomResizedCrop(64), transforms.RandomFlipLeftRight(),
    transforms.ToTensor(), transforms.Normalize((0.48, 0.45, 0.4), (0.23, 0.22, 0.22))])
images = ImageRecordDataset("many.rec").transform_first(change)
batches = gluon.data.DataLoader(images, 32, shuffle=True, num_workers=2)
""",
        """
for x, y in batches: learn(x, y)
mx.nd.waitall()
""",
    ),
}
_PHOTOGRAPHS = 2000  # images, as a folder of them
OTHER = {"load_mapped": "load", "save_no_fsync": "save"}
"""What MXNet is measured by where it has no such work."""
GOALS = {
    "load": 0.5,
    "load_mapped": 0.05,
    "save_no_fsync": 1.0,
    "records_read": 0.5,
    "images": 1.11,
    "epoch": 1.0,
    "epoch_loader": 1.0,
}


def prepare(folder: Path, photographs: int = 0) -> None:
    """Write 100 MB in 25 arrays, 100,000 records of 60 bytes with an index, and photographs.

    There are 512 of these in a file, and as many as are asked for in another.
    """
    values = np.random.default_rng(0).random((25, 1000, 1000), np.float32)
    save_ndarrays(folder / "big.params", {f"w{index}": values[index] for index in range(25)})
    save_ndarrays(folder / "small.params", {f"w{index}": values[index, :2] for index in range(25)})
    with MXRecordIO(folder / "small.rec", "w") as records:
        for index in range(100_000):
            records.write(b"%060d" % index)
    with (folder / "small.idx").open("w", encoding="utf-8") as lines:
        lines.writelines(f"{index}\t{index * 68}\n" for index in range(100_000))
    for name, count in (("images", 512), ("many", photographs)):
        indexed = MXIndexedRecordIO(folder / f"{name}.idx", folder / f"{name}.rec", "w")
        with indexed as records:
            for index in range(count):
                content = pack(
                    IRHeader(flag=0, label=float(index % 10), id=index, id2=0), photograph(index)
                )
                records.write_idx(index, content)


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
        names = options.names or list(WORK)
        prepare(folder, _PHOTOGRAPHS if any("epoch" in name for name in names) else 0)
        print(f"{'work':16} {'hy ms':>9} {'MXNet ms':>9} {'ratio':>7} {'goal':>6}")
        for name in names:
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
