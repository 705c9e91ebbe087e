"""Folders and records of images, their transforms, loaders and steps of training."""

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from autogluon.mxnet.task.dataset import (
    ImageFolderDataset,
    NativeImageFolderDataset,
    RecordDataset,
    get_dataset,
)
from autogluon.mxnet.task.utils import (
    default_batch_fn,
    default_train_fn,
    default_val_fn,
    get_data_loader,
)
from autogluon.mxnet.utils import DataLoader, SampledDataset, SplitSampler, pil_transforms
from PIL import Image

import mxnet as mx
from tests.clients.formula import filled, uniform, words
from tests.clients.program import Checks

FOLDER = Path("images")


def checks(_: str) -> Checks:
    """Data first, then training."""
    found: Checks = {
        "folder": folder,
        "folder to test": folder_to_test,
        "table of labels": table_of_labels,
        "record": record,
        "transforms": transforms,
        "transforms by chance": chance,
        "loaders": loaders,
        "split": split,
    }
    kinds = {
        "step": {},
        "step with mixed examples": {"mixup": True},
        "step with soft labels": {"label_smoothing": True},
        "step with both": {"mixup": True, "label_smoothing": True},
    }
    return found | {name: partial(step, **options) for name, options in kinds.items()}


def made() -> Path:
    """A folder with a folder of each of two classes."""
    if not FOLDER.is_dir():
        for kind in ("cat", "dog"):
            (FOLDER / kind).mkdir(parents=True)
            for i in range(4):
                image(f"{kind}{i}").save(FOLDER / kind / f"{i}.png")
    return FOLDER


def image(name: str) -> Any:
    """A smooth picture: codecs and resizing lose nothing that matters."""
    corners = words(name, (4, 4, 3), 256).astype(np.uint8)
    return Image.fromarray(corners).resize((48, 40), Image.Resampling.BICUBIC)


def folder() -> Any:
    """As they are."""
    path = str(made())
    native, own = NativeImageFolderDataset(path).init(), ImageFolderDataset(path).init()
    return [
        [native[i] for i in range(len(native))],
        native.classes,
        [np.asarray(own[i][0]) for i in range(len(own))],
        own.classes,
    ]


def folder_to_test() -> Any:
    """Resized, cut and normalized, as AutoGluon does for validation."""
    data = get_dataset(str(made() / "cat"), train=False, input_size=32).init()
    return [data[i] for i in range(len(data))]


def table_of_labels() -> Any:
    """A file of names and labels beside the images."""
    root = Path("listed")
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for i in range(3):
        image(f"listed{i}").save(root / f"{i}.png")
    (root / "labels.csv").write_text("id,label\n0,a\n1,a\n2,a\n", encoding="utf-8")
    data = get_dataset(
        str(root), label_file=str(root / "labels.csv"), extension=".png", input_size=32
    ).init()
    return [data.classes, data[0][0].shape, [data[i][1] for i in range(3)]]


def record() -> Any:
    """A file of MXNet's records."""
    writer = mx.recordio.MXIndexedRecordIO("images.idx", "images.rec", "w")
    for i in range(3):
        header = mx.recordio.IRHeader(0, np.array([i % 2]), i, 0)
        writer.write_idx(
            i, mx.recordio.pack_img(header, np.array(image(f"record{i}")), img_fmt=".png")
        )
    writer.close()
    data = RecordDataset("images.rec").init()
    return [data.num_classes, data.classes, [data[i] for i in range(len(data))]]


def transforms() -> Any:
    """Those without chance, of Pillow's images."""
    picture = image("transformed")
    composed = pil_transforms.Compose(
        [pil_transforms.Resize(36), pil_transforms.CenterCrop(32), pil_transforms.ToTensor()]
    )
    changes = ("brightness", "contrast", "saturation")
    changed = [
        np.asarray(getattr(pil_transforms, f"adjust_{name}")(picture, 1.3)) for name in changes
    ]
    array = pil_transforms.ToNDArray()(picture)
    back = pil_transforms.ToPIL()(array.astype("uint8"))
    return [composed(picture), changed, array, np.asarray(back)]


def chance() -> Any:
    """The others, by shape."""
    drawing = (
        pil_transforms.RandomResizedCrop(24),
        pil_transforms.RandomHorizontalFlip(),
        pil_transforms.ColorJitter(0.4, 0.4, 0.4),
    )
    shapes = [np.asarray(transform(image("chance"))).shape for transform in drawing]
    training = get_dataset(str(made()), input_size=32).init()
    return [shapes, training[0][0].shape]


def loaders() -> Any:
    """Batches of a data set, with workers and without."""
    data = mx.gluon.data.ArrayDataset(
        mx.nd.array(uniform("data", (10, 3))), mx.nd.array(np.arange(10))
    )
    alone = list(DataLoader(data, batch_size=4))
    several = list(DataLoader(data, batch_size=4, num_workers=2, last_batch="discard"))
    chosen = SampledDataset(data, SplitSampler([3]))
    return [alone, several, len(chosen), chosen[0]]


def split() -> Any:
    """Rows for training and for validation, by chance."""
    data = mx.gluon.data.ArrayDataset(mx.nd.array(np.arange(20)), mx.nd.array(np.arange(20)))
    training, validation, batches_of, count = get_data_loader(data, 32, 4, 0, False, 0.8)
    rows = [
        batches_of(batch, [mx.cpu()])[0][0] for loader in (training, validation) for batch in loader
    ]
    seen = np.concatenate([batch.asnumpy() for batch in rows])
    return [count, np.sort(seen)]


def step(**options: Any) -> Any:
    """AutoGluon's own step, its metrics before and after."""
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Conv2D(4, 3, in_channels=3, activation="relu"), mx.gluon.nn.Dense(3))
    filled(net)
    net.hybridize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    batch = mx.nd.array(uniform("batch", (6, 3, 8, 8))), mx.nd.array(words("labels", (6,), 3))
    before, after = mx.metric.RMSE(), mx.metric.Accuracy()
    np.random.seed(1)  # noqa: NPY002  # what mixes examples
    dense = options.get("mixup") or options.get("label_smoothing")
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss(sparse_label=not dense)
    default_train_fn(
        0, 1, net, batch, 6, loss, trainer, default_batch_fn, [mx.cpu()],
        classes=3, metric=before if options.get("mixup") else mx.metric.Accuracy(), **options,
    )  # fmt: skip
    default_val_fn(net, batch, default_batch_fn, after, [mx.cpu()])
    return [net(batch[0]), [p.data() for p in net.collect_params().values()], after.get()[1]]
