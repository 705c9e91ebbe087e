"""VGG: 11, 13, 16 and 19 layers, with and without batch normalization."""

from collections.abc import Sequence
from typing import Any

from hy_gluon import nn
from hy_gluon.initializer import Xavier
from hy_gluon.model_zoo.model_store import ROOT, ModelError, load_pretrained
from hy_gluon.model_zoo.vision._classifier import Classifier, stacked
from hy_ndarray import Context

__all__ = [
    "VGG",
    "get_vgg",
    "vgg11",
    "vgg11_bn",
    "vgg13",
    "vgg13_bn",
    "vgg16",
    "vgg16_bn",
    "vgg19",
    "vgg19_bn",
    "vgg_spec",
]

_FILTERS = [64, 128, 256, 512, 512]
vgg_spec = {
    11: ([1, 1, 2, 2, 2], _FILTERS),
    13: ([2, 2, 2, 2, 2], _FILTERS),
    16: ([2, 2, 3, 3, 3], _FILTERS),
    19: ([2, 2, 4, 4, 4], _FILTERS),
}
"""By layers: convolutions of each stage, and their channels."""


class VGG(Classifier):
    """VGG: stages of 3 by 3 convolutions with a pooling, followed by three dense layers.

    Args:
        layers: Number of convolutions of each stage.
        filters: Number of channels of each stage.
        classes: Number of classes.
        batch_norm: Normalize after each convolution.

    Raises:
        ModelError: ``layers`` and ``filters`` differ in length.

    Source:
        Simonyan, Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition,
        arXiv:1409.1556.
    """

    def __init__(
        self,
        layers: Sequence[int],
        filters: Sequence[int],
        classes: int = 1000,
        batch_norm: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if len(layers) != len(filters):
            raise ModelError(f"VGG: {len(layers)} stages of layers, {len(filters)} of filters")
        with self.name_scope():
            self.features = stacked()
            for count, channels in zip(layers, filters, strict=True):
                for _ in range(count):
                    self._add_convolution(channels, batch_norm)
                self.features.add(nn.MaxPool2D(strides=2))
            for _ in range(2):
                self.features.add(
                    nn.Dense(4096, activation="relu", weight_initializer="normal"),
                    nn.Dropout(rate=0.5),
                )
            self.output = nn.Dense(classes, weight_initializer="normal")

    def _add_convolution(self, channels: int, batch_norm: bool) -> None:
        # He et al. 2015 by outputs: normal with the variance 2 / fan_out.
        init = Xavier(rnd_type="gaussian", factor_type="out", magnitude=2)
        self.features.add(nn.Conv2D(channels, 3, padding=1, weight_initializer=init))
        if batch_norm:
            self.features.add(nn.BatchNorm())
        self.features.add(nn.Activation("relu"))


def get_vgg(
    num_layers: int,
    pretrained: bool = False,
    ctx: Context | Sequence[Context] | None = None,
    root: str = ROOT,
    **kwargs: Any,
) -> VGG:
    """Return a VGG of 11, 13, 16 or 19 layers.

    Args:
        num_layers: Number of layers.
        pretrained: Load parameters trained on ImageNet.
        ctx: Contexts of the parameters.
        root: Folder of the parameter file.
        kwargs: Arguments of :class:`VGG`.

    Raises:
        ModelError: ``num_layers`` is another number.
    """
    if num_layers not in vgg_spec:
        raise ModelError(f"VGG: num_layers={num_layers} must be one of {list(vgg_spec)}")
    net = VGG(*vgg_spec[num_layers], **kwargs)
    if pretrained:
        suffix = "_bn" if kwargs.get("batch_norm") else ""
        load_pretrained(net, f"vgg{num_layers}{suffix}", ctx, root)
    return net


def vgg11(**kwargs: Any) -> VGG:
    """Return VGG of 11 layers; arguments of :func:`get_vgg`."""
    return get_vgg(11, **kwargs)


def vgg13(**kwargs: Any) -> VGG:
    """Return VGG of 13 layers; arguments of :func:`get_vgg`."""
    return get_vgg(13, **kwargs)


def vgg16(**kwargs: Any) -> VGG:
    """Return VGG of 16 layers; arguments of :func:`get_vgg`."""
    return get_vgg(16, **kwargs)


def vgg19(**kwargs: Any) -> VGG:
    """Return VGG of 19 layers; arguments of :func:`get_vgg`."""
    return get_vgg(19, **kwargs)


def vgg11_bn(**kwargs: Any) -> VGG:
    """Return VGG of 11 layers with batch normalization; arguments of :func:`get_vgg`."""
    return get_vgg(11, **(kwargs | {"batch_norm": True}))


def vgg13_bn(**kwargs: Any) -> VGG:
    """Return VGG of 13 layers with batch normalization; arguments of :func:`get_vgg`."""
    return get_vgg(13, **(kwargs | {"batch_norm": True}))


def vgg16_bn(**kwargs: Any) -> VGG:
    """Return VGG of 16 layers with batch normalization; arguments of :func:`get_vgg`."""
    return get_vgg(16, **(kwargs | {"batch_norm": True}))


def vgg19_bn(**kwargs: Any) -> VGG:
    """Return VGG of 19 layers with batch normalization; arguments of :func:`get_vgg`."""
    return get_vgg(19, **(kwargs | {"batch_norm": True}))
