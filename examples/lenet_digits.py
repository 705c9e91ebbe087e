"""LeNet on handwritten digits: train eagerly, hybridize, export, load again.

The 1,797 digits of 8x8 pixels that ship inside scikit-learn are shown to the net as 28x28 images.
Run it with ``hatch run demo``; the pictures it draws are in ``demo-output/``.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits
from tqdm import tqdm

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.data import ArrayDataset, DataLoader

BATCH = 64  # images of a step
CLASSES = 10  # the digits
TEST = 360
"""How many of the digits are kept for the test."""
ENOUGH = 0.97
"""The accuracy on them that the demo promises."""

NEXT = """
What to look at next
  training.png, network.svg    in {folder}/: loss and accuracy, and the net as a graph
  lenet-symbol.json            beside them, with lenet-0001.params: any program can load them
  hatch run hy-io info {folder}/lenet-0001.params
  hatch run demo-rows          an LSTM and a transformer block on the same digits
  docs/start.md                ten minutes from arrays to an exported net
  notebooks/                   hybridize, symbols, transfer learning"""


class Net(gluon.HybridBlock):
    """Two convolutions with pooling, two dense layers, and a product with a weight of its own."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.conv1 = nn.Conv2D(6, kernel_size=5)
            self.pool1 = nn.MaxPool2D(pool_size=2)
            self.conv2 = nn.Conv2D(16, kernel_size=5)
            self.pool2 = nn.MaxPool2D(pool_size=2)
            self.fc1 = nn.Dense(120)
            self.fc2 = nn.Dense(84)
            self.fc3_weight = self.params.get("fc3_weight", shape=(CLASSES, 84))

    def hybrid_forward(self, F: Any, x: Any, fc3_weight: Any) -> Any:
        """Scores ``[N, 10]`` of images ``[N, 1, 28, 28]``."""
        x = self.pool1(F.relu(self.conv1(x)))
        x = self.pool2(F.relu(self.conv2(x)))
        x = x.reshape((0, -1))
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return F.dot(x, fc3_weight, transpose_b=True)


@dataclass
class Curve:
    """Losses, accuracies and times of a training run, for the picture."""

    losses: list[float] = field(default_factory=list)
    accuracies: list[float] = field(default_factory=list)
    milliseconds: dict[str, float] = field(default_factory=dict)


def digits() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Images ``[1797, 1, 28, 28]`` with values from 0 to 1, shuffled, and their labels."""
    data = load_digits()
    images = np.kron(data.images / 16, np.ones((3, 3)))  # 8x8 -> 24x24
    images = np.pad(images, ((0, 0), (2, 2), (2, 2)))[:, None].astype(np.float32)
    order = np.random.default_rng(0).permutation(len(images))
    return images[order], data.target[order].astype(np.float32)


def accuracy(net: gluon.HybridBlock, loader: Any) -> float:
    """Return the share of images whose highest score is at their label."""
    right = total = 0
    for x, label in loader:
        right += int((net(x).argmax(axis=1) == label).sum().asscalar())
        total += len(label)
    return right / total


def train_epoch(
    net: gluon.HybridBlock, loader: Any, trainer: gluon.Trainer, title: str
) -> Iterator[tuple[float, float]]:
    """Train on all images once; yield loss and seconds of each step."""
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    for x, label in tqdm(loader, desc=title, unit="step", leave=False):
        started = time.perf_counter()
        with autograd.record():
            loss = loss_of(net(x), label)
        loss.backward()
        trainer.step(len(label))
        value = float(loss.mean().asscalar())
        yield value, time.perf_counter() - started


def train(net: gluon.HybridBlock, train_set: Any, test_set: Any, epochs: int) -> Curve:
    """Train one epoch operator by operator, the others as one traced graph; return the curve."""
    schedule = mx.lr_scheduler.CosineScheduler(epochs * len(train_set), base_lr=0.004)
    options = {"learning_rate": 0.004, "lr_scheduler": schedule}
    trainer = gluon.Trainer(net.collect_params(), "adam", options)
    curve = Curve()
    for epoch in range(epochs):
        mode = "eager" if epoch == 0 else "hybrid"
        if epoch == 1:
            net.hybridize(static_alloc=True, static_shape=True)
        steps = list(train_epoch(net, train_set, trainer, f"epoch {epoch + 1}/{epochs} {mode}"))
        curve.losses += [loss for loss, _ in steps]
        curve.milliseconds[mode] = 1000 * float(np.median([seconds for _, seconds in steps]))
        curve.accuracies.append(accuracy(net, test_set))
        print(
            f"epoch {epoch + 1:2} {mode:6}  loss {np.mean([loss for loss, _ in steps]):.3f}  "
            f"test accuracy {curve.accuracies[-1]:.1%}"
        )
    return curve


def draw(net: gluon.HybridBlock, curve: Curve, folder: Path) -> None:
    """Draw the training curve as PNG and the network as SVG."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415  # the backend has to be chosen first

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    left.plot(curve.losses)
    left.set(title="cross-entropy", xlabel="step", yscale="log")
    right.plot(range(1, len(curve.accuracies) + 1), curve.accuracies, marker="o")
    right.set(title="test accuracy", xlabel="epoch")
    figure.tight_layout()
    figure.savefig(folder / "training.png", dpi=120)
    plt.close(figure)
    shapes = {"data": (BATCH, 1, 28, 28)}
    picture = mx.viz.svg(net(mx.sym.var("data")), shape=shapes)
    (folder / "network.svg").write_text(picture, encoding="utf-8")


def export_and_reload(net: gluon.HybridBlock, x: nd.NDArray, folder: Path) -> float:
    """Largest difference between the net and what is loaded from its exported files."""
    symbol_file, params_file = net.export(str(folder / "lenet"), epoch=1)
    again = gluon.SymbolBlock.imports(symbol_file, ["data"], params_file)
    return float((again(x) - net(x)).abs().max().asscalar())


def main() -> None:
    """Train, measure, export, reload, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=24, help="2 or more; the first one is eager")
    parser.add_argument("--output", type=Path, default=Path("demo-output"))
    options = parser.parse_args()
    if options.epochs <= 1:
        parser.error("--epochs must be at least 2: one eager, one hybridized")
    options.output.mkdir(parents=True, exist_ok=True)
    np.random.seed(42)  # noqa: NPY002  # what the sampler of the loader shuffles with
    mx.random.seed(42)
    images, labels = digits()
    train_set = DataLoader(
        ArrayDataset(images[TEST:], labels[TEST:]), BATCH, shuffle=True, last_batch="discard"
    )
    test_set = DataLoader(ArrayDataset(images[:TEST], labels[:TEST]), BATCH)
    net = Net(prefix="lenet_")
    net.initialize(mx.init.Xavier())
    x = nd.array(images[:BATCH])
    net.summary(x)
    curve = train(net, train_set, test_set, options.epochs)
    difference = export_and_reload(net, x, options.output)
    draw(net, curve, options.output)
    eager, hybrid = curve.milliseconds["eager"], curve.milliseconds["hybrid"]
    print(f"\ntraining step of {BATCH} images: eager {eager:.1f} ms, hybrid {hybrid:.1f} ms")
    print(f"test accuracy: {curve.accuracies[-1]:.1%}")
    print(f"largest difference after export and import: {difference:.1e}")
    print(NEXT.format(folder=options.output))
    if curve.accuracies[-1] < ENOUGH:
        raise SystemExit(f"the net did not reach {ENOUGH:.0%}")


if __name__ == "__main__":
    main()
