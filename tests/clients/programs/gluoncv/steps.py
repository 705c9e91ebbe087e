"""One training step of Mask R-CNN, videos, depth and segmentation; trackers of several objects."""

import random
from contextlib import suppress
from typing import Any
from unittest.mock import patch

import numpy as np
from gluoncv import loss as losses
from gluoncv.data.batchify import MaskRCNNTrainBatchify
from gluoncv.data.transforms.presets.rcnn import FasterRCNNDefaultTrainTransform
from gluoncv.model_zoo.action_recognition.actionrec_resnetv1b import ActionRecResNetV1b
from gluoncv.model_zoo.action_recognition.i3d_inceptionv1 import I3D_InceptionV1
from gluoncv.model_zoo.monodepthv2.layers import (
    SSIM,
    BackprojectDepth,
    Project3D,
    disp_to_depth,
    get_smooth_loss,
    transformation_from_parameters,
)
from gluoncv.model_zoo.rcnn.mask_rcnn.data_parallel import ForwardBackwardTask
from gluoncv.model_zoo.smot.presets import ssd_300_mobilenet0_25_coco
from gluoncv.model_zoo.smot.smot_tracker import SMOTTracker
from gluoncv.model_zoo.smot.tracktors import BaseAnchorBasedTracktor

import mxnet as mx
from tests.clients.formula import PERIOD, filled, uniform
from tests.clients.program import Checks
from tests.clients.programs.gluoncv.training import image, step
from tests.clients.programs.gluoncv.zoo import built, few_regions

BOXES = np.array([[16.0, 20, 80, 100, 1], [40, 8, 120, 60, 0]], np.float32)
"""Corners and classes of two objects in an image of 128 x 128."""


def checks(side: str) -> Checks:
    """Losses, and weights after the step."""
    del side
    return {
        "mask_rcnn": mask_rcnn,
        "segments of a video": segments,
        "video": video,
        "depth": depth,
        "poses of cameras": cameras,
        "segmentation": segmentation,
        "segmentation in several sizes": several_sizes,
        "smot network": smot_network,
        "smot tracker": smot_tracker,
    }


def mask_rcnn() -> Any:
    """GluonCV's own task: five losses of one image, few regions sampled in a made-up order."""
    net = few_regions(built("mask_rcnn_resnet18_v1b_coco"))
    net(image("regions", 128))
    net.rpn._train_pre_nms, net.rpn._train_post_nms = 200, 64
    sampler = net.sampler
    net._num_sample = sampler._num_sample = 16
    sampler._num_proposal, sampler._max_pos = 64, 4
    net.reset_class(["dog", "cat"])
    filled(net, period=PERIOD)
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002  # what GluonCV draws from
    transform = FasterRCNNDefaultTrainTransform(128, 128, net, num_sample=32)
    pixels = mx.nd.array((uniform("regions", (128, 128, 3)) + 1) * 127, dtype="uint8")
    masks = mx.nd.array(np.stack([inside(box) for box in BOXES]))
    batch = MaskRCNNTrainBatchify(net)([(*transform(pixels, BOXES), masks)])
    parts = [part[0] if isinstance(part, tuple) else part for part in batch]  # of one device
    trainer = mx.gluon.Trainer(net.collect_train_params(), "sgd", {"learning_rate": 0.01})
    costs = mx.gluon.loss
    binary = [costs.SigmoidBinaryCrossEntropyLoss(from_sigmoid=False) for _ in range(2)]
    smooth = [costs.HuberLoss(rho=rho) for rho in (1 / 9, 1.0)]
    classes = costs.SoftmaxCrossEntropyLoss()
    task = ForwardBackwardTask(
        net, trainer, binary[0], smooth[0], classes, smooth[1], binary[1], amp_enabled=False
    )
    with patch.object(mx.nd.random, "uniform", ordered), patch.object(mx.nd, "argsort", sorting):
        found = task.forward_backward(parts)
    trainer.step(1)
    return [parts, found, net.mask.mask.weight.data(), net.rpn.score.weight.data()]


def ordered(low: float, high: float, shape: tuple[int, ...]) -> Any:
    """In the place of random numbers."""
    del low, high
    return mx.nd.array(uniform("order", shape))


def sorting(data: Any, axis: int = -1, is_ascend: bool = True) -> Any:
    """As ``argsort``, with equal elements in their order, which MXNet gives in any."""
    values = data.asnumpy()
    return mx.nd.array(np.argsort(values if is_ascend else -values, axis, "stable"))


def inside(box: Any) -> Any:
    """The mask of an ellipse that fills a box."""
    x0, y0, x1, y1 = box[:4]
    y, x = np.mgrid[:128, :128]
    far = ((2 * x - x0 - x1) / (x1 - x0)) ** 2 + ((2 * y - y0 - y1) / (y1 - y0)) ** 2
    return (far < 1).astype(np.float32)


def segments() -> Any:
    """Two videos of three frames each, all but the first batch normalization frozen."""
    options = {"dropout_ratio": 0, "num_segments": 3, "partial_bn": True}
    net = filled(ActionRecResNetV1b(18, 5, pretrained_base=False, **options))
    cost, labels = mx.gluon.loss.SoftmaxCrossEntropyLoss(), mx.nd.array([1, 4])
    x = image("segments", 64, 6)
    return step(net, lambda: cost(net(x), labels).sum(), 2, "nag", momentum=0.9, wd=1e-4)


# Two of its activations are within a rounding of each other: which is larger decides where a part
# of the first convolution's gradient goes, 4e-4 of its largest number.
segments.tolerance = 1e-3  # type: ignore[attr-defined]  # read by the program


def video() -> Any:
    """Inflated convolution over frames; MXNet gives the loss, and fails when a weight is read."""
    net = filled(I3D_InceptionV1(nclass=5, pretrained_base=False, dropout_ratio=0))
    cost, labels = mx.gluon.loss.SoftmaxCrossEntropyLoss(), mx.nd.array([2, 3])
    x = mx.nd.array(uniform("frames", (2, 3, 16, 64, 64)))
    value = step(net, lambda: cost(net(x), labels).sum(), 2, momentum=0.9)[0].asnumpy()
    with suppress(mx.base.MXNetError):  # else the next check would meet it
        mx.nd.waitall()
    return value


def depth() -> Any:
    """Disparities from which one image of a stereo pair is made of the other one."""
    net = built("monodepth2_resnet18_kitti_stereo_640x192")
    size, focus = 64, np.eye(4, dtype=np.float32)
    focus[:2, :3] = [[40, 0, 32], [0, 40, 32]]
    left, right = (mx.nd.array(uniform(side, (2, 3, size, size))) for side in ("left", "right"))
    beside = mx.nd.array(np.eye(4)).expand_dims(0).repeat(2, axis=0)
    beside[:, 0, 3] = 0.1
    lens, inverse = (
        mx.nd.array(matrix).expand_dims(0).repeat(2, axis=0)
        for matrix in (focus, np.linalg.inv(focus))
    )
    points, project, likeness = BackprojectDepth(2, size, size), Project3D(2, size, size), SSIM()

    def total() -> Any:
        disparity = net(left)[-1]
        _, distance = disp_to_depth(disparity, 0.1, 100)
        places = project(points(distance, inverse), lens, beside)
        made = mx.nd.BilinearSampler(right, places)
        error = 0.85 * likeness(made, left).mean() + 0.15 * (made - left).abs().mean()
        return error + 0.001 * get_smooth_loss(disparity, left)

    return step(net, total, 2, "adam")


def cameras() -> Any:
    """How a camera moved between two images, and its gradients."""
    turned, moved = (mx.nd.array(uniform(name, (2, 1, 3))) for name in ("turned", "moved"))
    for array in (turned, moved):
        array.attach_grad()
    with mx.autograd.record():
        found = transformation_from_parameters(turned, moved, invert=True)
        value = (found * mx.nd.array(uniform("pose", (2, 4, 4)))).sum()
    value.backward()
    return [found, turned.grad, moved.grad]


def pixels(classes: int) -> Any:
    """Labels of two images of 64 x 64, -1: none."""
    return mx.nd.array(uniform("labels", (2, 64, 64)) * (classes // 2) + classes // 2).floor() - 1


def segmentation() -> Any:
    """A network with an auxiliary head, hybridized."""
    net = built("fcn_resnet50_voc", aux=True)
    net.apply(without_chance)
    net.hybridize()
    cost = losses.MixSoftmaxCrossEntropyLoss(aux=True, aux_weight=0.4)
    x, label = image("pixels", 64, 2), pixels(21)
    value, _, last = step(net, lambda: cost(*net(x), label).sum(), 2, momentum=0.9, wd=1e-4)
    return [
        value,
        last,
    ]  # rounding of so many statistics is in the third digit of the first weights


def without_chance(block: Any) -> None:
    """Drop nothing."""
    if isinstance(block, mx.gluon.nn.Dropout):
        block._rate = 0


def several_sizes() -> Any:
    """Losses of networks that answer several times: ICNet and DANet."""
    full, label = mx.nd.array(uniform("scores", (2, 19, 64, 64)) * 3), pixels(19)
    small = mx.nd.array(uniform("small", (2, 19, 16, 16)))
    full.attach_grad()
    small.attach_grad()
    with mx.autograd.record():
        sizes = losses.ICNetLoss(crop_size=64)(full, small, small, small, label)
        heads = losses.SegmentationMultiLosses()(full, full * 2, full / 2, label)
        value = sizes.sum() + heads.sum()
    value.backward()
    return [sizes, heads, full.grad, small.grad]


def smot_network() -> Any:
    """A detector that also finds the objects of the frame before, which it is told by anchors."""
    net = filled(ssd_300_mobilenet0_25_coco(pretrained_base=False))
    frame = image("frame", 256)
    anchors, weights = mx.nd.array([[7, 900], [40, 41]]), mx.nd.array([[0.5, 0.5], [0.8, 0.2]])
    found = net(frame, anchors, weights)
    net.hybridize(static_alloc=True)
    return [found, net(frame, anchors, weights)]


class Seen(BaseAnchorBasedTracktor):  # type: ignore[misc]  # GluonCV has no types
    """Detects two objects that move apart, and finds those that are tracked where they are."""

    def __init__(self) -> None:
        corners = [(x, y) for y in range(0, 80, 4) for x in range(0, 80, 4)]
        self._anchors = mx.nd.array([[x, y, x + 20, y + 20] for x, y in corners])
        self._count = 0

    def anchors(self) -> Any:
        return self._anchors

    def prepare_for_frame(self, frame: Any) -> None:
        del frame

    def detect_and_track(self, frame: Any, indices: Any, weights: Any, classes: Any) -> Any:
        del frame, classes
        moved = 2.0 * self._count
        self._count += 1
        one = [20.3 - moved, 21.1, 42.7 - moved, 41.9, 0.9, 0]
        other = [50.2 + moved, 50.9, 72.3 + moved, 71.6, 0.8, 0]
        tracked = np.array([])
        if len(indices):
            boxes = self._anchors.asnumpy()[np.asarray(indices, int)]
            mean = (boxes * np.asarray(weights)[..., None]).sum(axis=1)
            tracked = np.concatenate([mean, np.full((len(mean), 1), 0.7)], axis=1)
        return np.array([one, other]), np.array([[0, 1, 2], [3, 4, 5]]), tracked, {}

    def clean_up(self) -> None:
        self._count = 0


def smot_tracker() -> Any:
    """Four frames: objects are born, matched to anchors and followed; on a CPU."""
    tracker = SMOTTracker(tracking_classes=["person"], use_motion=False)
    tracker.mx_ctx = mx.cpu()
    frames = ((i, np.zeros((100, 100, 3), np.uint8)) for i in range(4))
    results = [result for _, result in tracker.process_frame_sequence(frames, Seen())]
    return [[[track["track_id"], *track["bbox"].values()] for track in frame] for frame in results]
