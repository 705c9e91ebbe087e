"""Image classification models."""

from collections.abc import Callable
from typing import Any

from hy_gluon.block import HybridBlock
from hy_gluon.model_zoo.model_store import ModelError
from hy_gluon.model_zoo.vision.alexnet import (
    AlexNet as AlexNet,
    alexnet as alexnet,
)
from hy_gluon.model_zoo.vision.densenet import (
    DenseNet as DenseNet,
    densenet121 as densenet121,
    densenet161 as densenet161,
    densenet169 as densenet169,
    densenet201 as densenet201,
)
from hy_gluon.model_zoo.vision.inception import (
    Inception3 as Inception3,
    inception_v3 as inception_v3,
)
from hy_gluon.model_zoo.vision.mobilenet import (
    MobileNet as MobileNet,
    MobileNetV2 as MobileNetV2,
    get_mobilenet as get_mobilenet,
    get_mobilenet_v2 as get_mobilenet_v2,
    mobilenet0_5 as mobilenet0_5,
    mobilenet0_25 as mobilenet0_25,
    mobilenet0_75 as mobilenet0_75,
    mobilenet1_0 as mobilenet1_0,
    mobilenet_v2_0_5 as mobilenet_v2_0_5,
    mobilenet_v2_0_25 as mobilenet_v2_0_25,
    mobilenet_v2_0_75 as mobilenet_v2_0_75,
    mobilenet_v2_1_0 as mobilenet_v2_1_0,
)
from hy_gluon.model_zoo.vision.resnet import (
    BasicBlockV1 as BasicBlockV1,
    BasicBlockV2 as BasicBlockV2,
    BottleneckV1 as BottleneckV1,
    BottleneckV2 as BottleneckV2,
    ResNetV1 as ResNetV1,
    ResNetV2 as ResNetV2,
    get_resnet as get_resnet,
    resnet18_v1 as resnet18_v1,
    resnet18_v2 as resnet18_v2,
    resnet34_v1 as resnet34_v1,
    resnet34_v2 as resnet34_v2,
    resnet50_v1 as resnet50_v1,
    resnet50_v2 as resnet50_v2,
    resnet101_v1 as resnet101_v1,
    resnet101_v2 as resnet101_v2,
    resnet152_v1 as resnet152_v1,
    resnet152_v2 as resnet152_v2,
)
from hy_gluon.model_zoo.vision.squeezenet import (
    SqueezeNet as SqueezeNet,
    squeezenet1_0 as squeezenet1_0,
    squeezenet1_1 as squeezenet1_1,
)
from hy_gluon.model_zoo.vision.vgg import (
    VGG as VGG,
    get_vgg as get_vgg,
    vgg11 as vgg11,
    vgg11_bn as vgg11_bn,
    vgg13 as vgg13,
    vgg13_bn as vgg13_bn,
    vgg16 as vgg16,
    vgg16_bn as vgg16_bn,
    vgg19 as vgg19,
    vgg19_bn as vgg19_bn,
)
from hy_ndarray.suggestion import hint, suggest_members as _suggest_members

_MODELS: dict[str, Callable[..., HybridBlock]] = {
    "alexnet": alexnet,
    "inceptionv3": inception_v3,
    "densenet121": densenet121,
    "densenet161": densenet161,
    "densenet169": densenet169,
    "densenet201": densenet201,
    "mobilenet0.25": mobilenet0_25,
    "mobilenetv2_0.25": mobilenet_v2_0_25,
    "mobilenet0.5": mobilenet0_5,
    "mobilenetv2_0.5": mobilenet_v2_0_5,
    "mobilenet0.75": mobilenet0_75,
    "mobilenetv2_0.75": mobilenet_v2_0_75,
    "mobilenet1.0": mobilenet1_0,
    "mobilenetv2_1.0": mobilenet_v2_1_0,
    "resnet18_v1": resnet18_v1,
    "resnet34_v1": resnet34_v1,
    "resnet50_v1": resnet50_v1,
    "resnet101_v1": resnet101_v1,
    "resnet152_v1": resnet152_v1,
    "resnet18_v2": resnet18_v2,
    "resnet34_v2": resnet34_v2,
    "resnet50_v2": resnet50_v2,
    "resnet101_v2": resnet101_v2,
    "resnet152_v2": resnet152_v2,
    "squeezenet1.0": squeezenet1_0,
    "squeezenet1.1": squeezenet1_1,
    "vgg11": vgg11,
    "vgg11_bn": vgg11_bn,
    "vgg13": vgg13,
    "vgg13_bn": vgg13_bn,
    "vgg16": vgg16,
    "vgg16_bn": vgg16_bn,
    "vgg19": vgg19,
    "vgg19_bn": vgg19_bn,
}


def get_model(name: str, **kwargs: Any) -> HybridBlock:
    """Return a model by its name.

    Args:
        name: Name such as ``"resnet18_v1"``, in any case.
        kwargs: ``pretrained``: load parameters trained on ImageNet; ``ctx``: their contexts;
            ``root``: folder of the parameter file; ``classes`` and other arguments of the model.

    Raises:
        ModelError: There is no model of this name; lists all names.

    Example:
        >>> net = get_model("resnet18_v1", classes=10)
        >>> net.output
        Dense(512 -> 10, linear)
    """
    make = _MODELS.get(name.lower())
    if make is None:
        raise ModelError(
            f"there is no model {name!r}; there are {', '.join(sorted(_MODELS))}"
            f"{hint(name, _MODELS)}"
        )
    return make(**kwargs)


_suggest_members(globals())
