"""ResNet V1 and V2: 18, 34, 50, 101 and 152 layers."""

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

from hy_gluon import nn
from hy_gluon.block import HybridBlock
from hy_gluon.model_zoo.model_store import ROOT, ModelError, load_pretrained
from hy_gluon.model_zoo.vision._classifier import Classifier, normalized, stacked
from hy_ndarray import Context

__all__ = [
    "BasicBlockV1",
    "BasicBlockV2",
    "BottleneckV1",
    "BottleneckV2",
    "ResNetV1",
    "ResNetV2",
    "get_resnet",
    "resnet18_v1",
    "resnet18_v2",
    "resnet34_v1",
    "resnet34_v2",
    "resnet50_v1",
    "resnet50_v2",
    "resnet101_v1",
    "resnet101_v2",
    "resnet152_v1",
    "resnet152_v2",
    "resnet_block_versions",
    "resnet_net_versions",
    "resnet_spec",
]

resnet_spec = {
    18: ("basic_block", [2, 2, 2, 2], [64, 64, 128, 256, 512]),
    34: ("basic_block", [3, 4, 6, 3], [64, 64, 128, 256, 512]),
    50: ("bottle_neck", [3, 4, 6, 3], [64, 256, 512, 1024, 2048]),
    101: ("bottle_neck", [3, 4, 23, 3], [64, 256, 512, 1024, 2048]),
    152: ("bottle_neck", [3, 8, 36, 3], [64, 256, 512, 1024, 2048]),
}
"""By layers: the kind of blocks, blocks of each stage, channels before and after each stage."""


def _conv3x3(channels: int, stride: int, in_channels: int) -> nn.Conv2D:
    return nn.Conv2D(
        channels, kernel_size=3, strides=stride, padding=1, use_bias=False, in_channels=in_channels
    )


def _conv1x1(channels: int, stride: int, in_channels: int = 0) -> nn.Conv2D:
    return nn.Conv2D(channels, 1, stride, use_bias=False, in_channels=in_channels)


class _BlockV1(HybridBlock):
    """Residual block with ReLU after the sum (V1)."""

    body: nn.HybridSequential
    downsample: nn.HybridSequential | None

    def _shortcut(self, wanted: bool, channels: int, stride: int, in_channels: int) -> None:
        self.downsample = None
        if wanted:
            self.downsample = stacked(_conv1x1(channels, stride, in_channels), nn.BatchNorm())


class BasicBlockV1(_BlockV1):
    """Two convolutions with a residual connection (V1).

    Args:
        channels: Channels of the output.
        stride: Stride of the first convolution.
        downsample: Whether the residual connection has a convolution, to change size or channels.
        in_channels: Channels of the input; 0 to infer them from the first input.

    Source:
        He, Zhang, Ren, Sun, Deep Residual Learning for Image Recognition, arXiv:1512.03385.
    """

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.body = stacked(
            _conv3x3(channels, stride, in_channels),
            nn.BatchNorm(),
            nn.Activation("relu"),
            _conv3x3(channels, 1, channels),
            nn.BatchNorm(),
        )
        self._shortcut(downsample, channels, stride, in_channels)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the block's output for ``x``."""
        residual = x if self.downsample is None else self.downsample(x)
        return F.Activation(residual + self.body(x), act_type="relu")


class BottleneckV1(_BlockV1):
    """Three convolutions, the middle one with a quarter of the channels, and a residual connection.

    Args:
        channels: Channels of the output.
        stride: Stride of the first convolution.
        downsample: Whether the residual connection has a convolution, to change size or channels.
        in_channels: Channels of the input; 0 to infer them from the first input.

    Source:
        He, Zhang, Ren, Sun, Deep Residual Learning for Image Recognition, arXiv:1512.03385.
    """

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        inner = channels // 4
        self.body = stacked(
            # With a bias though a normalization follows: published parameters have it.
            nn.Conv2D(inner, 1, stride),
            nn.BatchNorm(),
            nn.Activation("relu"),
            _conv3x3(inner, 1, inner),
            nn.BatchNorm(),
            nn.Activation("relu"),
            nn.Conv2D(channels, 1),
            nn.BatchNorm(),
        )
        self._shortcut(downsample, channels, stride, in_channels)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the block's output for ``x``."""
        residual = x if self.downsample is None else self.downsample(x)
        return F.Activation(self.body(x) + residual, act_type="relu")


class BasicBlockV2(HybridBlock):
    """Two convolutions after normalization and activation, with a residual connection (V2).

    Args:
        channels: Channels of the output.
        stride: Stride of the first convolution.
        downsample: Whether the residual connection has a convolution, to change size or channels.
        in_channels: Channels of the input; 0 to infer them from the first input.

    Source:
        He, Zhang, Ren, Sun, Identity Mappings in Deep Residual Networks, arXiv:1603.05027.
    """

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.bn1 = nn.BatchNorm()
        self.conv1 = _conv3x3(channels, stride, in_channels)
        self.bn2 = nn.BatchNorm()
        self.conv2 = _conv3x3(channels, 1, channels)
        self.downsample = _conv1x1(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the block's output for ``x``."""
        y = F.Activation(self.bn1(x), act_type="relu")
        residual = x if self.downsample is None else self.downsample(y)
        y = F.Activation(self.bn2(self.conv1(y)), act_type="relu")
        return self.conv2(y) + residual


class BottleneckV2(HybridBlock):
    """Three convolutions after normalization and activation, with a residual connection (V2).

    Args:
        channels: Channels of the output.
        stride: Stride of the middle convolution.
        downsample: Whether the residual connection has a convolution, to change size or channels.
        in_channels: Channels of the input; 0 to infer them from the first input.

    Source:
        He, Zhang, Ren, Sun, Identity Mappings in Deep Residual Networks, arXiv:1603.05027.
    """

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        inner = channels // 4
        self.bn1 = nn.BatchNorm()
        self.conv1 = _conv1x1(inner, 1)
        self.bn2 = nn.BatchNorm()
        self.conv2 = _conv3x3(inner, stride, inner)
        self.bn3 = nn.BatchNorm()
        self.conv3 = _conv1x1(channels, 1)
        self.downsample = _conv1x1(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the block's output for ``x``."""
        y = F.Activation(self.bn1(x), act_type="relu")
        residual = x if self.downsample is None else self.downsample(y)
        y = F.Activation(self.bn2(self.conv1(y)), act_type="relu")
        y = F.Activation(self.bn3(self.conv2(y)), act_type="relu")
        return self.conv3(y) + residual


_AnyBlock: TypeAlias = type[BasicBlockV1 | BottleneckV1 | BasicBlockV2 | BottleneckV2]


def _stages(block: _AnyBlock, layers: Sequence[int], channels: Sequence[int]) -> list[HybridBlock]:
    """Return the stages; all except the first halve height and width."""
    if len(layers) != len(channels) - 1:
        raise ModelError(
            f"ResNet: {len(layers)} stages need {len(layers) + 1} numbers of channels, "
            f"not {len(channels)}"
        )
    stages: list[HybridBlock] = []
    for i, count in enumerate(layers):
        before, after = channels[i], channels[i + 1]
        stage = nn.HybridSequential(prefix=f"stage{i + 1}_")
        with stage.name_scope():
            first = block(after, 2 if i else 1, after != before, in_channels=before, prefix="")
            stage.add(first)
            for _ in range(count - 1):
                stage.add(block(after, 1, in_channels=after, prefix=""))
        stages.append(stage)
    return stages


def _entry(channels: int, thumbnail: bool) -> list[HybridBlock]:
    """Return the layers before the stages, which do not reduce thumbnails in size."""
    if thumbnail:
        return [_conv3x3(channels, 1, 0)]
    return [
        *normalized(channels, 7, strides=2, padding=3),
        nn.Activation("relu"),
        nn.MaxPool2D(3, strides=2, padding=1),
    ]


class ResNetV1(Classifier):
    """ResNet V1: residual blocks with ReLU after the sum.

    Args:
        block: Class of the blocks: :class:`BasicBlockV1` or :class:`BottleneckV1`.
        layers: Number of blocks of each stage.
        channels: Channels before the first stage, and after each stage.
        classes: Number of classes.
        thumbnail: Whether images are small, so that the first layers keep their size.

    Raises:
        ModelError: ``channels`` is not one longer than ``layers``.

    Source:
        He, Zhang, Ren, Sun, Deep Residual Learning for Image Recognition, arXiv:1512.03385.
    """

    def __init__(
        self,
        block: type[BasicBlockV1 | BottleneckV1],
        layers: Sequence[int],
        channels: Sequence[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stacked(
                *_entry(channels[0], thumbnail),
                *_stages(block, layers, channels),
                nn.GlobalAvgPool2D(),
            )
            self.output = nn.Dense(classes, in_units=channels[-1])


class ResNetV2(Classifier):
    """ResNet V2: pre-activation residual blocks.

    Args:
        block: Class of the blocks: :class:`BasicBlockV2` or :class:`BottleneckV2`.
        layers: Number of blocks of each stage.
        channels: Channels before the first stage, and after each stage.
        classes: Number of classes.
        thumbnail: Whether images are small, so that the first layers keep their size.

    Raises:
        ModelError: ``channels`` is not one longer than ``layers``.

    Source:
        He, Zhang, Ren, Sun, Identity Mappings in Deep Residual Networks, arXiv:1603.05027.
    """

    def __init__(
        self,
        block: type[BasicBlockV2 | BottleneckV2],
        layers: Sequence[int],
        channels: Sequence[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stacked(
                # Normalizes the images themselves, as in MXNet.
                nn.BatchNorm(scale=False, center=False),
                *_entry(channels[0], thumbnail),
                *_stages(block, layers, channels),
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.GlobalAvgPool2D(),
                nn.Flatten(),
            )
            self.output = nn.Dense(classes, in_units=channels[-1])


_BLOCKS_V1: dict[str, type[BasicBlockV1 | BottleneckV1]] = {
    "basic_block": BasicBlockV1,
    "bottle_neck": BottleneckV1,
}
_BLOCKS_V2: dict[str, type[BasicBlockV2 | BottleneckV2]] = {
    "basic_block": BasicBlockV2,
    "bottle_neck": BottleneckV2,
}
_Net = TypeVar("_Net", bound=ResNetV1 | ResNetV2)
resnet_net_versions: list[type[ResNetV1 | ResNetV2]] = [ResNetV1, ResNetV2]
"""The nets of version 1 and 2, for programs that build others of them."""
resnet_block_versions: list[Any] = [_BLOCKS_V1, _BLOCKS_V2]
"""Their blocks, by the kinds of :data:`resnet_spec`."""


def _get(
    net: type[_Net],
    num_layers: int,
    pretrained: bool = False,
    ctx: Context | Sequence[Context] | None = None,
    root: str = ROOT,
    **kwargs: Any,
) -> _Net:
    kind, layers, channels = resnet_spec[num_layers]
    version = 1 if issubclass(net, ResNetV1) else 2
    model = net(resnet_block_versions[version - 1][kind], layers, channels, **kwargs)
    if pretrained:
        load_pretrained(model, f"resnet{num_layers}_v{version}", ctx, root)
    return model


def get_resnet(
    version: int,
    num_layers: int,
    pretrained: bool = False,
    ctx: Context | Sequence[Context] | None = None,
    root: str = ROOT,
    **kwargs: Any,
) -> ResNetV1 | ResNetV2:
    """Return a ResNet.

    Args:
        version: 1 or 2.
        num_layers: 18, 34, 50, 101 or 152.
        pretrained: Load parameters trained on ImageNet.
        ctx: Contexts of the parameters.
        root: Folder of the parameter file.
        kwargs: ``classes`` and ``thumbnail`` of :class:`ResNetV1` or :class:`ResNetV2`.

    Raises:
        ModelError: There is no ResNet of that version and number of layers.
    """
    if num_layers not in resnet_spec:
        raise ModelError(f"ResNet: num_layers={num_layers} must be one of {list(resnet_spec)}")
    if version not in (1, 2):
        raise ModelError(f"ResNet: version={version} must be 1 or 2")
    net = resnet_net_versions[version - 1]
    return _get(net, num_layers, pretrained, ctx, root, **kwargs)


def resnet18_v1(**kwargs: Any) -> ResNetV1:
    """Return ResNet V1 of 18 layers; arguments of :func:`get_resnet`."""
    return _get(ResNetV1, 18, **kwargs)


def resnet34_v1(**kwargs: Any) -> ResNetV1:
    """Return ResNet V1 of 34 layers; arguments of :func:`get_resnet`."""
    return _get(ResNetV1, 34, **kwargs)


def resnet50_v1(**kwargs: Any) -> ResNetV1:
    """Return ResNet V1 of 50 layers; arguments of :func:`get_resnet`."""
    return _get(ResNetV1, 50, **kwargs)


def resnet101_v1(**kwargs: Any) -> ResNetV1:
    """Return ResNet V1 of 101 layers; arguments of :func:`get_resnet`."""
    return _get(ResNetV1, 101, **kwargs)


def resnet152_v1(**kwargs: Any) -> ResNetV1:
    """Return ResNet V1 of 152 layers; arguments of :func:`get_resnet`."""
    return _get(ResNetV1, 152, **kwargs)


def resnet18_v2(**kwargs: Any) -> ResNetV2:
    """Return ResNet V2 of 18 layers; arguments of :func:`get_resnet`."""
    return _get(ResNetV2, 18, **kwargs)


def resnet34_v2(**kwargs: Any) -> ResNetV2:
    """Return ResNet V2 of 34 layers; arguments of :func:`get_resnet`."""
    return _get(ResNetV2, 34, **kwargs)


def resnet50_v2(**kwargs: Any) -> ResNetV2:
    """Return ResNet V2 of 50 layers; arguments of :func:`get_resnet`."""
    return _get(ResNetV2, 50, **kwargs)


def resnet101_v2(**kwargs: Any) -> ResNetV2:
    """Return ResNet V2 of 101 layers; arguments of :func:`get_resnet`."""
    return _get(ResNetV2, 101, **kwargs)


def resnet152_v2(**kwargs: Any) -> ResNetV2:
    """Return ResNet V2 of 152 layers; arguments of :func:`get_resnet`."""
    return _get(ResNetV2, 152, **kwargs)
