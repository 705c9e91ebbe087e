"""Chapters 12 and 13: several devices, data sets of pictures, detection, segmentation."""

import io
import random
from pathlib import Path
from typing import Any
from unittest import mock

import numpy
from d2l import mxnet as d2l
from PIL import Image

import mxnet as mx
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn
from tests.clients.formula import filled, words
from tests.clients.program import Checks
from tests.clients.programs.d2l.made import array, curves, downloaded, ids, in_turn

DEVICES = [mx.cpu(0), mx.cpu(1)]
SOFTMAX = gluon.loss.SoftmaxCrossEntropyLoss()


def checks(side: str) -> Checks:
    """Two devices are two names of the processor: batches are divided, gradients added."""
    del side
    return {
        "residual network on two devices": residual_network,
        "training on two devices": on_two_devices,
        "clothes": clothes,
        "bananas": bananas,
        "segmented pictures": segmented,
        "sorted files": sorted_files,
        "detector": detector,
        "segmentation": segmentation,
    }


def residual_network() -> Any:
    """The 18 layers of chapter 13, and a step on the halves of a batch."""
    net = filled(d2l.resnet18(10), ctx=DEVICES)
    x, y = array("x", 4, 3, 32, 32), ids("y", 4)
    eager = net(x)
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1e-3})
    stepped = d2l.train_batch_ch13(net, x, y, SOFTMAX, trainer, DEVICES)
    return [eager, *stepped, net(x)]


def on_two_devices() -> Any:
    """The loop of chapter 13 with residual blocks, and the accuracy on both devices."""
    net = nn.Sequential()
    net.add(
        nn.Conv2D(8, kernel_size=3, padding=1), nn.BatchNorm(), nn.Activation("relu"),
        d2l.Residual(8), d2l.Residual(12, use_1x1conv=True, strides=2),
        nn.GlobalAvgPool2D(), nn.Dense(4),
    )  # fmt: skip
    filled(net, ctx=DEVICES)
    x, y = array("x", 48, 3, 8, 8), ids("y", 48, count=4)
    batches = in_turn(x, y, size=8)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})
    found = curves(d2l.train_ch13, net, batches, batches, SOFTMAX, trainer, 2, DEVICES)
    return [found, d2l.evaluate_accuracy_gpus(net, batches), net[0].weight.data(mx.cpu(1))]


def png(pixels: Any) -> bytes:
    """A picture of these pixels, in a file."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def pixels(name: str, height: int, width: int) -> Any:
    """Three colours by formula."""
    return words(name, (height, width, 3), 256).astype(numpy.uint8)


class Clothes(gluon.data.ArrayDataset):
    """In place of the data set that would be downloaded."""

    def __init__(self, train: bool) -> None:
        count = 12 if train else 4
        pictures = np.array(words("clothes", (count, 28, 28, 1), 256), dtype="uint8")
        super().__init__(pictures, words("kinds", (count,), 10))


def clothes() -> Any:
    """Fashion-MNIST's loaders, whose four processes enlarge the pictures."""
    numpy.random.seed(5)  # noqa: NPY002  # the order of the batches
    with mock.patch.object(gluon.data.vision, "FashionMNIST", Clothes):
        train, test = d2l.load_data_fashion_mnist(4, resize=32)
        plain, _ = d2l.load_data_fashion_mnist(4)
        found = [[*test], [y for _, y in train], [*plain]]
    return [found, numpy.array(d2l.get_fashion_mnist_labels([0, 9, 3]))]


def bananas() -> Any:
    """Pictures with one box each."""
    files: dict[str, str | bytes] = {}
    for part in ("bananas_train", "bananas_val"):
        rows = [f"{i}.png,0,{16 * i},32,{16 * i + 64},128" for i in range(3)]
        files[f"{part}/label.csv"] = "\n".join(["img_name,label,xmin,ymin,xmax,ymax", *rows])
        for i in range(3):
            files[f"{part}/images/{i}.png"] = png(pixels(f"{part} {i}", 16, 16))
    numpy.random.seed(6)  # noqa: NPY002  # the order of the batches
    with downloaded(files):
        train, validation = d2l.load_data_bananas(2)
        return [[*train], [*validation]]


def labelled() -> dict[str, str | bytes]:
    """Pictures, some of them too small, and the classes of their pixels as colours."""
    sizes = (12, 16), (16, 12), (6, 16), (12, 14)
    names = "\n".join(f"picture{i}" for i in range(len(sizes)))
    inside = "VOCdevkit/VOC2012"
    files: dict[str, str | bytes] = {
        f"{inside}/ImageSets/Segmentation/{part}.txt": names for part in ("train", "val")
    }
    colours = numpy.array(d2l.VOC_COLORMAP, numpy.uint8)
    for i, (height, width) in enumerate(sizes):
        classes = words(f"classes {i}", (height, width), 21)
        files[f"{inside}/JPEGImages/picture{i}.jpg"] = png(pixels(f"voc {i}", height, width))
        files[f"{inside}/SegmentationClass/picture{i}.png"] = png(colours[classes])
    return files


def segmented() -> Any:
    """Windows of pictures and of their labels, cut out at the same place."""
    with downloaded(labelled()) as folder:
        dataset = d2l.VOCSegDataset(True, (8, 10), str(Path(folder, "VOCdevkit/VOC2012")))
        random.seed(7)
        windows = [dataset[i] for i in range(len(dataset))]
        whole, _ = d2l.load_data_voc(1, (12, 12))
        shapes = [x.shape for batch in whole for x in batch]
    return [windows, shapes, len(dataset)]


def sorted_files() -> Any:
    """Kaggle's pictures, copied into folders by their labels."""
    files: dict[str, str | bytes] = {
        f"{part}/{i}.png": png(pixels("one", 4, 4)) for part in ("train", "test") for i in range(6)
    }
    rows = [f"{i},{'cat' if i % 2 else 'dog'}" for i in range(6)]
    with downloaded({"labels.csv": "\n".join(["id,label", *rows]), **files}) as folder:
        labels = d2l.read_csv_labels(str(Path(folder, "labels.csv")))
        count = d2l.reorg_train_valid(folder, labels, 0.4)
        d2l.reorg_test(folder)
        inside = Path(folder, "train_valid_test")
        trained = gluon.data.vision.ImageFolderDataset(str(inside / "train_valid"))
        classes = numpy.array(trained.synsets)
        found = {part.name: len([*part.rglob("*.png")]) for part in inside.iterdir()}
        return [count, found, classes, [trained[i] for i in (0, 5)]]


def detector() -> Any:
    """A small detector: anchors of two scales, a step of training, boxes that are found."""
    body, scores, boxes = nn.Conv2D(8, 3, 2, 1), nn.Conv2D(4 * 2, 3, 1, 1), nn.Conv2D(16, 3, 1, 1)
    parts = [filled(part) for part in (body, scores, boxes)]
    x = array("x", 2, 3, 12, 12)
    truth = np.array([[[0, 0.1, 0.1, 0.5, 0.6]], [[0, 0.4, 0.3, 0.9, 0.8]]])
    parameters: Any = {}
    for part in parts:
        parameters.update(part.collect_params())
    trainer = gluon.Trainer(parameters, "sgd", {"learning_rate": 0.1, "wd": 5e-4})
    values: list[Any] = []
    anchors: Any = None
    classes: Any = None
    offsets: Any = None
    for _ in range(2):
        with autograd.record():
            found = npx.relu(body(x))
            anchors = d2l.multibox_prior(found, sizes=[0.3, 0.5, 0.7], ratios=[1, 2])
            classes = npx.batch_flatten(scores(found).transpose(0, 2, 3, 1)).reshape(2, -1, 2)
            offsets = npx.batch_flatten(boxes(found).transpose(0, 2, 3, 1))
            with autograd.pause():
                wanted, masks, labels = d2l.multibox_target(anchors, truth)
            cost = SOFTMAX(classes, labels) + gluon.loss.L1Loss()(offsets * masks, wanted * masks)
        cost.backward()
        trainer.step(2)
        values.append(cost)
    kept = d2l.multibox_detection(npx.softmax(classes).transpose(0, 2, 1), offsets, anchors)
    corners = np.array([[0.1, 0.2, 0.5, 0.7]])
    centers = d2l.box_corner_to_center(corners)
    return [values, kept[0, :3], centers, d2l.box_center_to_corner(centers)]


def segmentation() -> Any:
    """Transposed convolution from bilinear weights, trained by the loop of chapter 13."""
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, kernel_size=3, strides=2, padding=1, activation="relu"),
        nn.Conv2D(4, kernel_size=1),
        nn.Conv2DTranspose(4, kernel_size=4, padding=1, strides=2),
    )
    x, y = array("x", 20, 3, 8, 8), ids("y", 20, 8, 8, count=4)
    filled(net)(x)
    net[2].initialize(init.Bilinear(), force_reinit=True)
    net.hybridize()
    batches = in_turn(x, y, size=4)
    cost = gluon.loss.SoftmaxCrossEntropyLoss(axis=1)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "wd": 1e-3})
    before = net[2].weight.data().copy()
    found = curves(d2l.train_ch13, net, batches, batches, cost, trainer, 2, [mx.cpu()])
    return [before, found, net(x[:2]), net[2].weight.data()]
