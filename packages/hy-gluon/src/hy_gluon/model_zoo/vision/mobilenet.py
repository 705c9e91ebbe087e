"""MobileNet and MobileNetV2, with 1, 0.75, 0.5 and 0.25 of the channels."""

from collections.abc import Sequence
from typing import Any

from hy_gluon import nn
from hy_gluon.block import HybridBlock
from hy_gluon.model_zoo.model_store import ROOT, load_pretrained
from hy_gluon.model_zoo.vision._classifier import Classifier, normalized, stacked
from hy_ndarray import Context

__all__ = [
    "MobileNet",
    "MobileNetV2",
    "get_mobilenet",
    "get_mobilenet_v2",
    "mobilenet0_5",
    "mobilenet0_25",
    "mobilenet0_75",
    "mobilenet1_0",
    "mobilenet_v2_0_5",
    "mobilenet_v2_0_25",
    "mobilenet_v2_0_75",
    "mobilenet_v2_1_0",
]

_LAYERS = (
    (64, 1),
    (128, 2),
    (128, 1),
    (256, 2),
    (256, 1),
    (512, 2),
    *[(512, 1)] * 5,
    (1024, 2),
    (1024, 1),
)
"""MobileNet: channels and strides of each layer after the first."""

_BOTTLENECKS = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""MobileNetV2: expansion, channels, number, and strides of the first, of each group."""


class MobileNet(Classifier):
    """MobileNet: depthwise convolutions, each followed by a pointwise convolution.

    Args:
        multiplier: Factor of all numbers of channels.
        classes: Number of classes.

    Source:
        Howard et al., MobileNets: Efficient Convolutional Neural Networks for Mobile Vision
        Applications, arXiv:1704.04861.
    """

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            channels = int(32 * multiplier)
            self.features = stacked()
            self._add(channels, 3, strides=2, padding=1)
            for full, strides in _LAYERS:
                # As many groups as channels: each is convolved alone, and 1 x 1 windows mix them
                # after.
                self._add(channels, 3, strides=strides, padding=1, groups=channels)
                channels = int(full * multiplier)
                self._add(channels, 1)
            self.features.add(nn.GlobalAvgPool2D(), nn.Flatten())
            self.output = nn.Dense(classes)

    def _add(self, channels: int, kernel: int, **kwargs: int) -> None:
        self.features.add(*normalized(channels, kernel, **kwargs), nn.Activation("relu"))


class RELU6(HybridBlock):
    """Activation ``min(max(x, 0), 6)``."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return ``x`` clipped to 0 and 6."""
        return F.clip(x, a_min=0, a_max=6, name="relu6")


class LinearBottleneck(HybridBlock):
    """Inverted residual: expands the channels, convolves depthwise, and projects back.

    Args:
        in_channels: Channels of the input.
        channels: Channels of the output.
        t: Ratio of hidden channels to input channels.
        stride: Stride of the convolution; with 1 and equal channels, the input is added.
    """

    def __init__(self, in_channels: int, channels: int, t: int, stride: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_shortcut = stride == 1 and in_channels == channels
        wide = in_channels * t
        with self.name_scope():
            self.out = stacked(
                *normalized(wide, 1),
                RELU6(),
                *normalized(wide, 3, strides=stride, padding=1, groups=wide),
                RELU6(),
                *normalized(channels, 1),
            )

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the block's output for ``x``."""
        out = self.out(x)
        return F.elemwise_add(out, x) if self.use_shortcut else out


class MobileNetV2(Classifier):
    """MobileNetV2: inverted bottlenecks, with few channels between blocks and many inside.

    Args:
        multiplier: Factor of all numbers of channels.
        classes: Number of classes.

    Source:
        Sandler, Howard, Zhu, Zhmoginov, Chen, MobileNetV2: Inverted Residuals and Linear
        Bottlenecks, arXiv:1801.04381.
    """

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="features_")
            with self.features.name_scope():
                self._add_features(multiplier)
            self.output = nn.HybridSequential(prefix="output_")
            with self.output.name_scope():
                self.output.add(nn.Conv2D(classes, 1, use_bias=False, prefix="pred_"), nn.Flatten())

    def _add_features(self, multiplier: float) -> None:
        before = int(32 * multiplier)
        self.features.add(*normalized(before, 3, strides=2, padding=1), RELU6())
        for t, full, number, first in _BOTTLENECKS:
            channels = int(full * multiplier)
            for i in range(number):
                self.features.add(LinearBottleneck(before, channels, t=t, stride=1 if i else first))
                before = channels
        # Sandler et al. 2018: smaller nets keep the last layer's width.
        last = int(1280 * multiplier) if multiplier > 1 else 1280
        self.features.add(*normalized(last, 1), RELU6(), nn.GlobalAvgPool2D())


def _multiplier_text(multiplier: float) -> str:
    """Return a multiplier as in file names: two decimals, or one if the second is 0."""
    return f"{multiplier:.2f}".removesuffix("0")


def get_mobilenet(
    multiplier: float,
    pretrained: bool = False,
    ctx: Context | Sequence[Context] | None = None,
    root: str = ROOT,
    **kwargs: Any,
) -> MobileNet:
    """Return a MobileNet.

    Args:
        multiplier: Factor of all numbers of channels.
        pretrained: Load parameters trained on ImageNet.
        ctx: Contexts of the parameters.
        root: Folder of the parameter file.
        kwargs: Arguments of :class:`MobileNet`.
    """
    net = MobileNet(multiplier, **kwargs)
    if pretrained:
        load_pretrained(net, f"mobilenet{_multiplier_text(multiplier)}", ctx, root)
    return net


def get_mobilenet_v2(
    multiplier: float,
    pretrained: bool = False,
    ctx: Context | Sequence[Context] | None = None,
    root: str = ROOT,
    **kwargs: Any,
) -> MobileNetV2:
    """Return a MobileNetV2.

    Args:
        multiplier: Factor of all numbers of channels.
        pretrained: Load parameters trained on ImageNet.
        ctx: Contexts of the parameters.
        root: Folder of the parameter file.
        kwargs: Arguments of :class:`MobileNetV2`.
    """
    net = MobileNetV2(multiplier, **kwargs)
    if pretrained:
        load_pretrained(net, f"mobilenetv2_{_multiplier_text(multiplier)}", ctx, root)
    return net


def mobilenet1_0(**kwargs: Any) -> MobileNet:
    """Return MobileNet with all channels; arguments of :func:`get_mobilenet`."""
    return get_mobilenet(1.0, **kwargs)


def mobilenet0_75(**kwargs: Any) -> MobileNet:
    """Return MobileNet with 3/4 of the channels; arguments of :func:`get_mobilenet`."""
    return get_mobilenet(0.75, **kwargs)


def mobilenet0_5(**kwargs: Any) -> MobileNet:
    """Return MobileNet with half of the channels; arguments of :func:`get_mobilenet`."""
    return get_mobilenet(0.5, **kwargs)


def mobilenet0_25(**kwargs: Any) -> MobileNet:
    """Return MobileNet with 1/4 of the channels; arguments of :func:`get_mobilenet`."""
    return get_mobilenet(0.25, **kwargs)


def mobilenet_v2_1_0(**kwargs: Any) -> MobileNetV2:
    """Return MobileNetV2 with all channels; arguments of :func:`get_mobilenet_v2`."""
    return get_mobilenet_v2(1.0, **kwargs)


def mobilenet_v2_0_75(**kwargs: Any) -> MobileNetV2:
    """Return MobileNetV2 with 3/4 of the channels; arguments of :func:`get_mobilenet_v2`."""
    return get_mobilenet_v2(0.75, **kwargs)


def mobilenet_v2_0_5(**kwargs: Any) -> MobileNetV2:
    """Return MobileNetV2 with half of the channels; arguments of :func:`get_mobilenet_v2`."""
    return get_mobilenet_v2(0.5, **kwargs)


def mobilenet_v2_0_25(**kwargs: Any) -> MobileNetV2:
    """Return MobileNetV2 with 1/4 of the channels; arguments of :func:`get_mobilenet_v2`."""
    return get_mobilenet_v2(0.25, **kwargs)
