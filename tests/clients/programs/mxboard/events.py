"""mxboard's writer: what TensorBoard finds in its files."""

import json
import shutil
import struct
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from mxboard import SummaryWriter
from mxboard.proto import event_pb2

import mxnet as mx
from tests.clients.formula import filled, uniform
from tests.clients.program import Checks


def checks(side: str) -> Checks:
    """All kinds of summaries."""
    kinds = {
        "scalars": scalars,
        "histograms": histograms,
        "images": images,
        "audio": audio,
        "text": text,
        "embedding": embedding,
        "precision and recall": curve,
        "graph of a block": graph,
        "graph of a symbol": symbol,
        "training": training,
    }
    return {name: partial(written, side, name, add) for name, add in kinds.items()}


def written(side: str, name: str, add: Callable[[Any], None]) -> Any:
    """What is read of the file afterwards."""
    folder = Path(f"{side}-{name.replace(' ', '-')}")
    shutil.rmtree(folder, ignore_errors=True)
    with SummaryWriter(logdir=str(folder), flush_secs=5, verbose=False) as writer:
        add(writer)
    others = [json.dumps(path.read_text()) for path in sorted(folder.glob("**/*.tsv"))]
    files = sorted(folder.glob("events*"))  # an embedding has files of its own
    return [[[read(event) for event in events(file)] for file in files], others]


def events(file: Path) -> Iterator[Any]:
    """The records of a file: length, its checksum, bytes, their checksum."""
    content = file.read_bytes()
    while content:
        (length,) = struct.unpack("<Q", content[:8])
        event = event_pb2.Event()
        event.ParseFromString(content[12 : 12 + length])
        content = content[16 + length :]
        yield event


def read(event: Any) -> Any:
    """Numbers and names of an event, but the time of day."""
    found: list[Any] = [event.step, event.file_version]
    for value in event.summary.value:
        found += [
            value.tag,
            value.simple_value,
            list(value.histo.bucket),
            list(value.histo.bucket_limit),
        ]
        found += [value.image.height, value.image.width, value.audio.length_frames]
        found += [list(value.tensor.string_val), list(value.tensor.float_val)]
    return [*found, len(event.graph_def)]


def array(name: str, *shape: int) -> Any:
    """Values by formula."""
    return mx.nd.array(uniform(name, shape))


def scalars(writer: Any) -> None:
    """Numbers of Python and arrays of one; several at once; their export."""
    for step in range(3):
        writer.add_scalar("loss", 1 / (step + 1), step)
        writer.add_scalar("array", array(f"scalar {step}", 1).asscalar(), step)
        writer.add_scalar("both", {"a": step, "b": step + 0.5}, step)
    writer.export_scalars(str(Path(writer.get_logdir()) / "scalars.json"))


def histograms(writer: Any) -> None:
    """Bins that follow the values, and those that are given."""
    writer.add_histogram("default", array("values", 50), 1)
    writer.add_histogram("ten", array("values", 5, 10), 2, bins=10)


def images(writer: Any) -> None:
    """Grey and coloured ones, batches in rows."""
    for shape in ((8, 8), (3, 8, 8), (4, 3, 8, 8), (4, 1, 6, 6)):
        writer.add_image(f"image {len(shape)} {shape[0]}", (array(str(shape), *shape) + 1) / 2, 0)
    writer.add_image("bytes", (array("bytes", 3, 8, 8) * 100 + 100).astype("uint8"))


def audio(writer: Any) -> None:
    """A second of noise."""
    writer.add_audio("noise", array("noise", 1, 800), sample_rate=800)


def text(writer: Any) -> None:
    """A line."""
    writer.add_text("note", "the time machine", 3)


def embedding(writer: Any) -> None:
    """Vectors with labels and pictures."""
    pictures = (array("pictures", 5, 3, 4, 4) + 1) / 2
    writer.add_embedding("words", array("vectors", 5, 3), mx.nd.arange(5), pictures)


def curve(writer: Any) -> None:
    """Precision and recall at thresholds."""
    labels = (array("labels", 30) > 0).astype("int32")
    writer.add_pr_curve("curve", labels, (array("guesses", 30) + 1) / 2, 11, global_step=1)


def network() -> Any:
    """A small convolutional net."""
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(mx.gluon.nn.Conv2D(4, 3), mx.gluon.nn.BatchNorm(), mx.gluon.nn.Dense(3))
    return filled(net)


def graph(writer: Any) -> None:
    """A hybridized block."""
    net = network()
    net.hybridize()
    net(array("picture", 1, 3, 8, 8))
    writer.add_graph(net)


def symbol(writer: Any) -> None:
    """A symbol."""
    writer.add_graph(mx.sym.softmax(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3)))


def training(writer: Any) -> None:
    """Losses, gradients and weights of a few steps."""
    net = network()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    x, label = array("batch", 4, 3, 8, 8), mx.nd.array([0, 1, 2, 0])
    cost = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    for step in range(2):
        with mx.autograd.record():
            loss = cost(net(x), label).mean()
        loss.backward()
        writer.add_scalar("loss", loss.asscalar(), step)
        writer.add_histogram("gradient", net[2].weight.grad(), step, bins=5)
        trainer.step(1)
