"""One training step of GluonCV's detectors, classifiers, segmentation and pose."""

from typing import Any

import numpy as np
from gluoncv import loss as losses, model_zoo
from gluoncv.data.transforms.presets import yolo
from gluoncv.model_zoo.center_net.target_generator import CenterNetTargetGenerator
from gluoncv.model_zoo.ssd.target import SSDTargetGenerator
from gluoncv.utils import LRScheduler, LRSequential, freeze_bn

import mxnet as mx
from tests.clients.formula import filled, uniform
from tests.clients.program import Checks

BOX = [[[8.0, 10.0, 40.0, 50.0], [20.0, 4.0, 60.0, 30.0]]]


def checks(side: str) -> Checks:
    """Losses, and weights after the step."""
    del side
    return {
        "classifier": classifier,
        "distillation": distillation,
        "ssd": ssd,
        "yolo3": yolo3,
        "faster_rcnn": faster_rcnn,
        "center_net": center,
        "segmentation": segmentation,
        "pose": pose,
        "schedule": schedule,
    }


def zoo(name: str, **options: Any) -> Any:
    """A model of the zoo, its weights by formula."""
    return filled(model_zoo.get_model(name, pretrained_base=False, **options))


def image(name: str, size: int, count: int = 1) -> Any:
    """A batch of images."""
    return mx.nd.array(uniform(name, (count, 3, size, size)))


def step(net: Any, total: Any, batch: int = 1, optimizer: str = "sgd", **options: Any) -> Any:
    """Update by a recorded sum of losses; give that sum, and the first and last weights."""
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.01, **options})
    with mx.autograd.record():
        value = total()
    value.backward()
    trainer.step(batch, ignore_stale_grad=True)
    parameters = [p for p in net.collect_params().values() if p.grad_req != "null"]
    return [value, parameters[0].data(), parameters[-1].data()]


def classifier() -> Any:
    """CIFAR ResNet with mixed labels, hybridized, Nesterov momentum."""
    net = filled(model_zoo.get_model("cifar_resnet20_v1", classes=10))
    net.hybridize()
    x = image("cifar", 32, 4)
    labels = mx.nd.one_hot(mx.nd.array([1, 2, 3, 4]), 10) * 0.7 + 0.03
    cost = mx.gluon.loss.SoftmaxCrossEntropyLoss(sparse_label=False)
    return step(net, lambda: cost(net(x), labels).sum(), 4, "nag", momentum=0.9, wd=1e-4)


def distillation() -> Any:
    """A teacher's probabilities beside the labels."""
    net = filled(model_zoo.get_model("mobilenet0.25", classes=5))
    cost = losses.DistillationSoftmaxCrossEntropyLoss(temperature=2, hard_weight=0.4)
    x, label = image("distilled", 64, 2), mx.nd.array([1, 4])
    soft = mx.nd.softmax(mx.nd.array(uniform("teacher", (2, 5))))
    return step(net, lambda: cost(net(x), label, soft).sum(), 2)


def ssd() -> Any:
    """Anchors matched to boxes, hard negatives mined."""
    net = zoo("ssd_300_mobilenet0.25_voc", pretrained=False)
    x = image("ssd", 256, 2)
    with mx.autograd.train_mode():
        scores, _, anchors = net(x)
    generate = SSDTargetGenerator(negative_mining_ratio=-1)
    targets = generate(anchors, scores.transpose((0, 2, 1)), mx.nd.array(BOX * 2) * 4, ids(2))
    cost = losses.SSDMultiBoxLoss()

    def total() -> Any:
        scores, boxes, _ = net(x)
        sums, _, _ = cost(scores, boxes, *targets[:2])
        return mx.nd.add_n(*sums).sum()

    value, _, last = step(net, total, momentum=0.9)
    return [*targets, value, last]  # statistics of two pixels make other gradients ill-conditioned


def ids(count: int = 1) -> Any:
    """Classes of the two boxes of each image."""
    return mx.nd.array([[[3.0], [7.0]]] * count)


def yolo3() -> Any:
    """Targets prefetched in the transform, as the data loader does."""
    net = zoo("yolo3_mobilenet0.25_voc", pretrained=False)
    freeze_bn(net)  # the last maps are of four pixels
    transform = yolo.YOLO3DefaultTrainTransform(64, 64, net)
    x = image("yolo", 64)
    maps = [mx.nd.zeros((1, 1, size, size)) for size in (2, 4, 8)]
    targets = transform._target_generator(  # what the transform itself calls
        transform._fake_x,
        maps,
        transform._anchors,
        transform._offsets,
        mx.nd.array(BOX),
        ids(),
        None,
    )
    return [
        *targets,
        *step(net, lambda: mx.nd.add_n(*net(x, mx.nd.array(BOX), *targets)).sum(), momentum=0.9),
    ]


def faster_rcnn() -> Any:
    """Region proposals and the head's targets; which regions are sampled is left to chance."""
    net = zoo("faster_rcnn_fpn_resnet50_v1b_coco", pretrained=False)
    x = image("rcnn", 128)

    def total() -> Any:
        outputs = net(x, mx.nd.array(BOX) * 2, ids())
        return outputs[0].square().mean() + outputs[1].square().mean()

    value, *_ = step(net, total)
    return [value.shape]


def center() -> Any:
    """Heat maps, sizes and offsets of centers."""
    net = zoo("center_net_resnet18_v1b_voc", pretrained=False)
    x = image("centers", 64)
    generate = CenterNetTargetGenerator(20, 16, 16)
    boxes, classes = np.array(BOX[0], np.float32) / 4, np.array([3, 7])
    targets = [mx.nd.array(target).expand_dims(0) for target in generate(boxes, classes)]
    heat, size, size_mask, offset, offset_mask = targets
    focal, masked = losses.HeatmapFocalLoss(from_logits=True), losses.MaskedL1Loss()

    def total() -> Any:
        maps, sizes, offsets = net(x)
        parts = masked(sizes, size, size_mask) * 0.1, masked(offsets, offset, offset_mask)
        return focal(maps, heat).sum() + parts[0].sum() + parts[1].sum()

    return [*targets, *step(net, total, optimizer="adam")]


def segmentation() -> Any:
    """A network with an auxiliary head, some pixels ignored."""
    net = zoo("fcn_resnet50_voc", pretrained=False, crop_size=64, base_size=64, aux=True)
    net.hybridize()
    cost = losses.MixSoftmaxCrossEntropyLoss(aux=True, aux_weight=0.4, ignore_label=-1)
    x = image("pixels", 64)
    label = mx.nd.array(uniform("labels", (1, 64, 64)) * 11 + 10).floor() - 1
    with mx.autograd.pause(train_mode=False):
        plain = net(x)
    value = cost(*plain, label)
    return [value, *plain]


def pose() -> Any:
    """Heat maps of joints."""
    net = zoo("simple_pose_resnet18_v1b", pretrained=False)
    x, target = image("joints", 64), mx.nd.array(uniform("heat", (1, 17, 16, 16)))
    weight = mx.nd.ones((1, 17, 1, 1))
    cost = mx.gluon.loss.L2Loss()
    return step(net, lambda: cost(net(x), target, weight).sum(), optimizer="adam", wd=1e-4)


def schedule() -> Any:
    """Warm-up, then a cosine and steps."""
    parts = [
        LRScheduler("linear", base_lr=0, target_lr=0.1, nepochs=2, iters_per_epoch=5),
        LRScheduler("cosine", base_lr=0.1, target_lr=0, nepochs=3, iters_per_epoch=5),
        LRScheduler("step", base_lr=0.1, nepochs=3, iters_per_epoch=5, step_epoch=[1, 2]),
    ]
    rates = LRSequential(parts)
    return [rates(i) for i in range(40)]
