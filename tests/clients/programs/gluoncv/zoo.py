"""One model of each family of GluonCV's zoo, in all the ways a block is run."""

from functools import partial
from typing import Any

from gluoncv import model_zoo

import mxnet as mx
from tests.clients.forms import in_all_forms
from tests.clients.formula import filled, uniform
from tests.clients.program import Checks

SMALL, MIDDLE, LARGE = (1, 3, 64, 64), (1, 3, 128, 128), (1, 3, 224, 224)
CLASSIFICATION = {
    SMALL: (
        "alexnet", "dla34", "hrnet_w18_small_v1_c", "mobilenet0.25",
        "mobilenetv2_0.25", "mobilenetv3_small", "resnest14", "resnet18_v1", "resnet18_v1b",
        "resnet18_v1b_0.89", "resnet18_v2", "resnet50_v1c", "resnet50_v1d_0.11",
        "resnet50_v1e", "resnet50_v1s", "resnext50_32x4d", "se_resnet18_v1", "se_resnet18_v2",
        "shufflenet_v1", "vgg11_bn",
    ),
    LARGE: ("densenet121", "googlenet", "squeezenet1.1", "nasnet_4_1056", "shufflenet_v2",
            "residualattentionnet56"),
    (1, 3, 299, 299): ("inceptionv3", "xception"),
    (1, 3, 32, 32): (
        "cifar_resnet20_v1", "cifar_resnet20_v2", "cifar_residualattentionnet56",
        "cifar_resnext29_32x4d", "cifar_wideresnet16_10",
    ),
}  # fmt: skip
"""Models by the shape of an image."""
SEGMENTATION = (
    "danet_resnet50_citys", "deeplab_resnet50_citys", "fastscnn_citys", "fcn_resnet50_voc",
    "icnet_resnet50_citys", "psp_resnet50_ade", "deeplab_resnest50_ade",
)  # fmt: skip
DETECTION = {
    "center_net_resnet18_v1b_dcnv2_voc": SMALL,
    "center_net_mobilenetv3_small_duc_voc": SMALL,
    "ssd_300_mobilenet0.25_voc": (1, 3, 256, 256),
    "ssd_512_resnet18_v1_voc": (1, 3, 256, 256),
    "yolo3_mobilenet0.25_voc": SMALL,
    "yolo3_darknet53_voc": SMALL,
}
REGIONS = (
    "faster_rcnn_resnet50_v1b_voc", "doublehead_rcnn_resnet50_v1b_voc",
    "mask_rcnn_resnet18_v1b_coco",
)  # fmt: skip
PYRAMIDS = ("faster_rcnn_fpn_resnet50_v1b_coco", "mask_rcnn_fpn_resnet18_v1b_coco")
"""MXNet leaves their features of masked regions as memory was: only shapes can be compared."""
POSE = ("simple_pose_resnet18_v1b", "mobile_pose_mobilenetv3_small")
VIDEO = {
    "i3d_inceptionv1_kinetics400": (1, 3, 16, 64, 64),
    "i3d_resnet50_v1_kinetics400": (1, 3, 16, 64, 64),
    "r2plus1d_resnet18_kinetics400": (1, 3, 16, 112, 112),
    "slowfast_4x16_resnet50_kinetics400": (1, 3, 36, 64, 64),
}
DEPTH = (
    "monodepth2_resnet18_kitti_stereo_640x192",
    "monodepth2_resnet18_posenet_kitti_mono_640x192",
)


def checks(side: str) -> Checks:
    """Each model builds without a download and computes the same in all forms."""
    del side
    by_shape = [(name, shape) for shape, names in CLASSIFICATION.items() for name in names]
    found = {name: partial(model, name, shape) for name, shape in by_shape}
    sized: dict[str, Any] = {"crop_size": 64, "base_size": 64, "aux": False}
    found |= {name: partial(model, name, SMALL, **sized) for name in SEGMENTATION}
    found |= {name: partial(model, name, shape) for name, shape in DETECTION.items()}
    found |= {name: partial(regions, name) for name in REGIONS}
    found |= {name: partial(pyramid, name) for name in PYRAMIDS}
    found |= {name: partial(model, name, SMALL) for name in POSE}
    found |= {name: partial(model, name, shape) for name, shape in VIDEO.items()}
    found |= {name: partial(model, name, SMALL, exported=False) for name in DEPTH}
    return found | {"siamrpn_alexnet_v2_otb15": tracker}


def model(name: str, shape: tuple[int, ...], exported: bool = True, **options: Any) -> Any:
    """A model by its name, its backbone untrained too."""
    net = filled(built(name, **options))
    return in_all_forms(net, mx.nd.array(uniform(name, shape)), exported=exported)


def built(name: str, **options: Any) -> Any:
    """A model without any weights from the network; some families know no `pretrained_base`."""
    try:
        return model_zoo.get_model(name, pretrained=False, pretrained_base=False, **options)
    except (TypeError, Warning):
        return model_zoo.get_model(name, pretrained=False, **options)


def regions(name: str) -> Any:
    """Scores of detection in few proposed regions: hundreds take minutes.

    Boxes with nearly equal scores may change places; the scores may not.
    """
    net = filled(built(name))
    net.rpn._test_pre_nms, net.rpn._test_post_nms = 60, 16
    net._rpn_test_post_nms = 16
    net.hybridize(static_alloc=True, static_shape=True)
    image = mx.nd.array(uniform(name, MIDDLE))
    return [net(image)[1].max(axis=1) for _ in range(3)]


def pyramid(name: str) -> Any:
    """A detector on a pyramid of features."""
    return [array.shape for array in regions(name)]


def tracker() -> Any:
    """Siamese tracking: two images, a template and where to search it."""
    net = filled(built("siamrpn_alexnet_v2_otb15"))
    images = [mx.nd.array(uniform(str(size), (1, 3, size, size))) for size in (127, 287)]
    return in_all_forms(net, *images, exported=False)
