"""The smallest network of each of GluonCV's constructors, in all the ways a block is run."""

import re
from functools import partial
from typing import Any

from gluoncv import model_zoo
from gluoncv.model_zoo.action_recognition.actionrec_inceptionv1 import ActionRecInceptionV1
from gluoncv.model_zoo.action_recognition.actionrec_inceptionv3 import ActionRecInceptionV3
from gluoncv.model_zoo.action_recognition.actionrec_resnetv1b import ActionRecResNetV1b
from gluoncv.model_zoo.action_recognition.actionrec_vgg16 import ActionRecVGG16

import mxnet as mx
from tests.clients.forms import in_all_forms
from tests.clients.formula import PERIOD, filled, uniform
from tests.clients.program import Checks

IMAGES = (
    ("^cifar", 32),
    ("^inceptionv3", 299),
    ("^(densenet|googlenet|inceptionv1|residualattention|squeezenet)", 224),
    ("^xception$", 71),
    ("^(ssd_300_vgg16|ssd_300_resnet)", 300),
    ("^ssd_512_vgg16", 512),
    ("^ssd", 256),
    ("rcnn", 128),
    ("", 64),
)
"""By the first pattern that a name matches: how wide an image is, as small as the network takes."""
VIDEOS = (
    ("^c3d", (16, 112)),
    ("^p3d", (16, 64)),
    ("^i3d_inceptionv3", (8, 75)),
    ("^(i3d_inceptionv1|i3d_nl|i3d_resnet|r2plus1d)", (8, 32)),
    ("^i3d_slow", (16, 32)),
    ("^slowfast_4x16", (36, 32)),
    ("^slowfast_8x8", (40, 32)),
    ("^slowfast_16x8", (80, 32)),
)
"""The same: how many frames, and how wide they are."""
SIZED = "^(danet|deeplab|fastscnn|fcn|icnet|psp)"
"""Which networks are told how large images are."""

SMALLEST = (
    # classification
    "alexnet", "cifar_residualattentionnet56", "cifar_resnet20_v1", "cifar_resnet20_v2",
    "cifar_resnext29_32x4d", "cifar_wideresnet16_10", "darknet53", "densenet121", "dla34",
    "googlenet", "hrnet_w18_small_v1_c", "inceptionv3", "mobilenet0.25", "mobilenetv2_0.25",
    "mobilenetv3_small", "nasnet_4_1056", "residualattentionnet56", "resnest14", "resnet18_v1",
    "resnet18_v1b", "resnet18_v1b_0.89", "resnet18_v2", "resnet50_v1c",
    "resnet50_v1d_0.11", "resnet50_v1e", "resnet50_v1s", "resnext50_32x4d", "se_resnet18_v1",
    "se_resnet18_v2", "se_resnext50_32x4d", "senet_154", "shufflenet_v1", "shufflenet_v2",
    "squeezenet1.1", "vgg11_bn", "xception", "xception71",
    # segmentation
    "danet_resnet50_citys", "deeplab_resnest50_ade", "deeplab_resnet50_citys",
    "deeplab_v3b_plus_wideresnet_citys", "fastscnn_citys", "fcn_resnet50_voc",
    "hrnet_w18_small_v1_s", "icnet_resnet50_citys", "psp_resnet50_ade",
    # detection
    "center_net_mobilenetv3_small_duc_voc", "center_net_resnet18_v1b_dcnv2_voc",
    "ssd_300_mobilenet0.25_voc", "ssd_300_vgg16_atrous_voc", "ssd_512_resnet18_v1_voc",
    "yolo3_darknet53_voc", "yolo3_mobilenet0.25_voc",
    # poses
    "alpha_pose_resnet101_v1b_coco", "mobile_pose_mobilenetv3_small", "simple_pose_resnet18_v1b",
    # videos
    "c3d_kinetics400", "i3d_inceptionv1_kinetics400", "i3d_inceptionv3_kinetics400",
    "i3d_nl5_resnet50_v1_kinetics400", "i3d_resnet50_v1_kinetics400",
    "i3d_slow_resnet101_f16s4_kinetics700", "p3d_resnet50_kinetics400",
    "r2plus1d_resnet18_kinetics400", "slowfast_4x16_resnet50_kinetics400",
    # depth: their outputs are mappings, which MXNet does not export
    "monodepth2_resnet18_kitti_stereo_640x192", "monodepth2_resnet18_posenet_kitti_mono_640x192",
)  # fmt: skip
REGIONS = (
    "doublehead_rcnn_resnet50_v1b_voc", "faster_rcnn_fpn_resnet50_v1b_coco",
    "faster_rcnn_resnet50_v1b_voc", "mask_rcnn_fpn_resnet18_v1b_coco",
    "mask_rcnn_resnet18_v1b_coco",
)  # fmt: skip
SEGMENTS = {
    "resnet18_v1b": partial(ActionRecResNetV1b, 18, 400, partial_bn=True),
    "resnet50_v1b": partial(ActionRecResNetV1b, 50, 51),
    "vgg16": partial(ActionRecVGG16, 101),
    "inceptionv1": partial(ActionRecInceptionV1, 174),
    "inceptionv3": partial(ActionRecInceptionV3, 400),
}
"""Networks of temporal segments; functions of the zoo give them with downloaded weights alone."""


def checks(side: str) -> Checks:
    """Each network builds without a download and computes the same in all forms."""
    del side
    found: Checks = {name: partial(in_forms, name) for name in SMALLEST}
    found |= {name: partial(static_regions, name) for name in REGIONS}
    found |= {f"segments of {name}": partial(segments, name) for name in SEGMENTS}
    return found | {"siamrpn_alexnet_v2_otb15": tracker}


def in_forms(name: str) -> Any:
    """A network by its name."""
    return in_all_forms(built(name), picture(name), exported=not name.startswith("monodepth"))


def built(name: str, **options: Any) -> Any:
    """A network with no weights from elsewhere; some families know no `pretrained_base`."""
    if re.match(SIZED, name):
        options = {"crop_size": 64, "base_size": 64, "aux": False} | options
    try:
        net = model_zoo.get_model(name, pretrained=False, pretrained_base=False, **options)
    except (TypeError, Warning):
        net = model_zoo.get_model(name, pretrained=False, **options)
    return filled(net, period=PERIOD)


def picture(name: str) -> Any:
    """What the network of this name is given: an image, or a video."""
    for pattern, (frames, size) in VIDEOS:
        if re.search(pattern, name):
            return mx.nd.array(uniform(name, (1, 3, frames, size, size)))
    size = next(size for pattern, size in IMAGES if re.search(pattern, name))
    return mx.nd.array(uniform(name, (1, 3, size, size)))


def static_regions(name: str) -> Any:
    """A detector of regions by its name, three times."""
    net = few_regions(built(name))
    net.hybridize(static_alloc=True, static_shape=True)
    return [regions(net, picture(name)) for _ in range(3)]


def few_regions(net: Any) -> Any:
    """The network, looking at few proposed regions: hundreds take minutes."""
    net.rpn._test_pre_nms, net.rpn._test_post_nms = 60, 16
    net._rpn_test_post_nms, net._rcnn_max_dets = 16, 4
    return net


def regions(net: Any, image: Any) -> Any:
    """What is found; on a pyramid of features its shapes, and what leads to it.

    MXNet leaves features of masked regions as memory was, so what is behind them is left to chance.
    """
    found = net(image)
    if net.num_stages == 1:
        return found
    features = net.features(image)
    scores, _ = net.rpn(mx.nd.zeros_like(image), *features)
    pooled = mx.nd.array(uniform("pooled", (4, 256, *net._roi_size)))
    top = net.top_features(pooled) if net.top_features is not None else pooled
    boxes = net.box_features(top)
    masks = [net.mask(top)] if hasattr(net, "mask") else []
    heads = [net.class_predictor(boxes), net.box_predictor(boxes), *masks]
    return [[array.shape for array in found], features, scores, heads]


def segments(name: str) -> Any:
    """Three frames of a video, whose features are averaged."""
    net = filled(SEGMENTS[name](pretrained_base=False, num_segments=3), period=PERIOD)
    size = picture(name).shape[2]
    return in_all_forms(net, mx.nd.array(uniform(name, (3, 3, size, size))))


def tracker() -> Any:
    """Siamese tracking: two images, a template and where to search it."""
    net = built("siamrpn_alexnet_v2_otb15")
    images = [mx.nd.array(uniform(str(size), (1, 3, size, size))) for size in (127, 287)]
    return in_all_forms(net, *images, exported=False)
