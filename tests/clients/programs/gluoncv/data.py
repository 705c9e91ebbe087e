"""GluonCV's data sets on made-up files, its transforms, batches, metrics and files of weights."""

import random
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gluoncv import data, model_zoo, nn, utils
from gluoncv.data import batchify
from gluoncv.data.market1501.data_read import ImageTxtDataset
from gluoncv.data.market1501.label_read import LabelList
from gluoncv.data.transforms import bbox as boxes, image as images, mask as masks, pose
from gluoncv.data.transforms.block import RandomCrop, RandomErasing
from gluoncv.data.transforms.presets import rcnn, ssd, yolo
from gluoncv.utils import metrics
from PIL import Image

import mxnet as mx
from tests.clients.formula import filled, uniform
from tests.clients.program import Checks

ANNOTATION = """<annotation><size><width>40</width><height>30</height><depth>3</depth></size>
<object><name>dog</name><difficult>0</difficult>
<bndbox><xmin>4</xmin><ymin>6</ymin><xmax>21</xmax><ymax>25</ymax></bndbox></object></annotation>"""


def checks(side: str) -> Checks:
    """Everything that is not left to chance."""
    found: Checks = {
        "voc": voc,
        "list and record files": lists,
        "people seen again": people,
        "presets": presets,
        "images": transformed_images,
        "boxes": transformed_boxes,
        "poses": poses,
        "layers of boxes": box_layers,
        "batches": batches,
        "metrics": measured,
        "writes": partial(written, side),
    }
    sides = [other for other in ("hy", "mxnet") if Path(f"{other}.params").exists()]
    return found | {f"reads {other}": partial(read, other) for other in sides}


def picture(name: str, height: int = 30, width: int = 40) -> np.ndarray[Any, Any]:
    """An image of bytes."""
    return ((uniform(name, (height, width, 3)) + 1) * 127).astype(np.uint8)


def voc() -> Any:
    """Detection and segmentation sets in the folders of Pascal VOC."""
    with tempfile.TemporaryDirectory() as root:
        base = Path(root) / "VOC2007"
        for name in ("ImageSets/Main", "ImageSets/Segmentation", "Annotations", "JPEGImages"):
            (base / name).mkdir(parents=True)
        (base / "ImageSets/Main/trainval.txt").write_text("one\ntwo\n")
        for name in ("one", "two"):
            # An image of one colour is the same after any decoder.
            Image.new("RGB", (40, 30), (10, 200, 90)).save(base / f"JPEGImages/{name}.jpg")
            (base / f"Annotations/{name}.xml").write_text(ANNOTATION)
        found = data.VOCDetection(root=root, splits=((2007, "trainval"),))
        both = batchify.Tuple(batchify.Stack(), batchify.Pad(pad_val=-1))
        loader = mx.gluon.data.DataLoader(
            found.transform(ssd.SSDDefaultValTransform(32, 32)), 2, batchify_fn=both
        )
        image, label = found[1]
        return [len(found), image.shape, label, *loader]


def lists() -> Any:
    """The same images in a list file and in a record file."""
    with tempfile.TemporaryDirectory() as root:
        base = Path(root)
        lines = []
        record = mx.recordio.MXIndexedRecordIO(str(base / "a.idx"), str(base / "a.rec"), "w")
        for i in range(3):
            pixels = picture(f"image {i}")
            Image.fromarray(pixels).save(base / f"{i}.png")
            label = [4, 5, 40, 30, i, 0.1, 0.2, 0.6, 0.9]
            lines.append("\t".join([str(i), *map(str, label), f"{i}.png"]))
            header = mx.recordio.IRHeader(0, label, i, 0)
            buffer = (base / f"{i}.png").read_bytes()
            record.write_idx(i, mx.recordio.pack(header, buffer))
        record.close()
        (base / "a.lst").write_text("\n".join(lines) + "\n")
        listed = data.LstDetection(str(base / "a.lst"), root=root)
        recorded = data.RecordFileDetection(str(base / "a.rec"))
        return [[*listed[2]], [*recorded[2]], len(listed), len(recorded)]


def people() -> Any:
    """Market-1501: its list, shuffled and split, and its images, cropped and erased."""
    random.seed(1)
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "Market-1501-v15.09.15"
        (folder / "bounding_box_train").mkdir(parents=True)
        names = [f"{i:04}_c1s1.png" for i in range(8)]
        for name in names:
            Image.fromarray(picture(name, 16, 8)).save(folder / "bounding_box_train" / name)
        lines = [f"{name} {i // 2}\n" for i, name in enumerate(names)]
        (folder / "train.txt").write_text("".join(lines))
        train, valid = LabelList(ratio=0.75, root=root)
        found, gray = ImageTxtDataset(train, transform=varied), ImageTxtDataset(valid, flag=0)
        loader = mx.gluon.data.DataLoader(found, 3, last_batch="discard")
        return [[label for _, label in train], [*loader], len(gray), *gray[1]]


def varied(image: Any) -> Any:
    """An image for training, channels first."""
    cut = RandomCrop((8, 16), pad=2)(image)
    return mx.nd.image.to_tensor(RandomErasing(probability=0.9)(cut))


def presets() -> Any:
    """What makes a network's input of an image."""
    image = mx.nd.array(picture("preset"), dtype="uint8")
    label = np.array([[4.0, 6, 21, 25, 3]])
    return [
        [transform.transform_test(image, short=24) for transform in (ssd, yolo, rcnn)],
        [
            transform(image, label)
            for transform in (
                ssd.SSDDefaultValTransform(32, 24),
                yolo.YOLO3DefaultValTransform(32, 24),
                rcnn.FasterRCNNDefaultValTransform(24, 40),
            )
        ],
    ]


def transformed_images() -> Any:
    """Resizing, cropping, padding, flipping."""
    image = mx.nd.array(picture("image"), dtype="uint8")
    return [
        images.imresize(image, 20, 16, interp=1),
        images.resize_short_within(image, 20, 25),
        images.random_flip(image, px=1)[0],
        masks.flip([np.array([[1.0, 2, 8, 3]])], (30, 40), flip_x=True),
    ]


def transformed_boxes() -> Any:
    """Boxes that follow their image."""
    label = np.array([[4.0, 6, 21, 25, 3], [0, 0, 10, 12, 1]])
    return [
        boxes.crop(label, (2, 3, 18, 20), allow_outside_center=False),
        boxes.flip(label, (40, 30), flip_x=True),
        boxes.resize(label, (40, 30), (20, 60)),
        boxes.translate(label, 2, 3),
        utils.bbox.bbox_iou(label[:, :4], label[::-1, :4]),
        utils.bbox.bbox_xyxy_to_xywh(label[:, :4]),
    ]


def poses() -> Any:
    """Joints read from heat maps."""
    maps = mx.nd.array(uniform("maps", (1, 17, 16, 16)))
    center, scale = [np.array([20.0, 15.0])], [np.array([0.3, 0.4])]
    return [
        pose.get_max_pred(maps),
        pose.get_final_preds(maps, center, scale),
        pose.get_affine_transform(center[0], scale[0], 0, (16, 16)),
    ]


def box_layers() -> Any:
    """Conversions, overlaps, encoders and matchers."""
    corners = mx.nd.array([[[4.0, 6, 21, 25], [0, 0, 10, 12], [3, 3, 20, 20]]])
    overlap = nn.bbox.BBoxBatchIOU()(corners, corners[:, :2])
    matches = nn.matcher.CompositeMatcher(
        [nn.matcher.BipartiteMatcher(), nn.matcher.MaximumMatcher(0.3)]
    )(overlap)
    centers = nn.bbox.BBoxCornerToCenter()(corners)
    samples = nn.sampler.NaiveSampler()(matches)
    ids = mx.nd.array([[1.0, 2.0]])
    encoded = nn.coder.NormalizedBoxCenterEncoder()(
        samples, mx.nd.maximum(matches, 0), corners, corners[:, :2]
    )
    return [
        overlap,
        matches,
        centers,
        nn.bbox.BBoxArea()(corners),
        nn.bbox.BBoxClipToImage()(corners * 2, mx.nd.zeros((1, 3, 30, 30))),
        encoded,
        nn.coder.MultiClassEncoder()(samples, mx.nd.maximum(matches, 0), ids),
        nn.coder.NormalizedBoxCenterDecoder(convert_anchor=True)(corners / 20, corners[0:1]),
        nn.coder.MultiClassDecoder()(mx.nd.softmax(mx.nd.array(uniform("c", (1, 3, 4))))),
    ]


def batches() -> Any:
    """Samples of unequal lengths in one array."""
    parts = [mx.nd.array(uniform(str(n), (n, 3))) for n in (2, 4, 3)]
    return [
        batchify.Pad(pad_val=-1)(parts),
        batchify.Append()(parts),
        batchify.Stack()([parts[0]] * 2),
    ]


def measured() -> Any:
    """Mean average precision, and pixels."""
    mean = metrics.VOC07MApMetric(0.5, ["a", "b"])
    found = mx.nd.array([[[4.0, 6, 21, 25], [1, 1, 5, 5]]])
    ids, scores = mx.nd.array([[[0.0], [1.0]]]), mx.nd.array([[[0.9], [0.6]]])
    mean.update(found, ids, scores, found + 1, ids)
    pixels = metrics.SegmentationMetric(4)
    pixels.update(mx.nd.array([[[0, 1], [2, 3]]]), mx.nd.array(uniform("pixels", (1, 4, 2, 2))))
    return [list(mean.get()[1]), *pixels.get()]


def small() -> Any:
    """A network whose weights go through files."""
    return model_zoo.get_model("cifar_resnet20_v1", classes=10)


def output(net: Any) -> Any:
    """What it gives for an image."""
    return net(mx.nd.array(uniform("cifar", (1, 3, 32, 32))))


def written(side: str) -> Any:
    """Weights, exported files and a trainer's states, in the current folder."""
    net = filled(small())
    net.hybridize()
    result = output(net)
    net.save_parameters(f"{side}.params")
    utils.export_block(f"{side}-block", net, data_shape=(32, 32, 3), preprocess=True)
    return result


def read(side: str) -> Any:
    """What the files of one side give."""
    net = small()
    net.load_parameters(f"{side}.params")
    imported = mx.gluon.SymbolBlock.imports(
        f"{side}-block-symbol.json", ["data"], f"{side}-block-0000.params"
    )
    pixels = mx.nd.array(picture("export", 32, 32)).expand_dims(0)
    return [output(net), imported(pixels)]
