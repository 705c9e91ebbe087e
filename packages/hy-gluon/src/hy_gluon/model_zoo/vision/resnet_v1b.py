"""ResNet V1b: bottlenecks with the stride in the 3 by 3 convolution, as in most checkpoints."""

from collections.abc import Sequence
from typing import Any

from hy_gluon import nn
from hy_gluon.block import HybridBlock
from hy_gluon.model_zoo.model_store import ModelError

__all__ = ["ResNetV1b"]


class _ConvNorm(HybridBlock):
    """Convolution with batch normalization and, optionally, ReLU."""

    def __init__(
        self,
        before: int,
        after: int,
        kernel: int,
        stride: int = 1,
        *,
        relu: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._relu = relu
        with self.name_scope():
            self.conv = nn.Conv2D(
                after,
                kernel_size=kernel,
                strides=stride,
                padding=kernel // 2,
                use_bias=False,
                in_channels=before,
            )
            self.norm = nn.BatchNorm(in_channels=after)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the layers' output for ``x``."""
        y = self.norm(self.conv(x))
        return F.relu(y) if self._relu else y


class _Residual(HybridBlock):
    """Residual block: convolutions, with a sum and ReLU at the end."""

    def __init__(
        self, before: int, after: int, stride: int, *, bottleneck: bool, early: bool, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        inner = after // 4
        with self.name_scope():
            self.body = nn.HybridSequential()
            if bottleneck:
                # A stride in the 1 x 1 convolution skips three quarters of the input.
                first, middle = (stride, 1) if early else (1, stride)
                self.body.add(
                    _ConvNorm(before, inner, kernel=1, stride=first),
                    _ConvNorm(inner, inner, kernel=3, stride=middle),
                    _ConvNorm(inner, after, kernel=1, relu=False),
                )
            else:
                self.body.add(
                    _ConvNorm(before, after, kernel=3, stride=stride),
                    _ConvNorm(after, after, kernel=3, relu=False),
                )
            differs = before != after or stride != 1
            self.shortcut = (
                _ConvNorm(before, after, kernel=1, stride=stride, relu=False) if differs else None
            )

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the block's output for ``x``."""
        return F.relu(self.body(x) + (x if self.shortcut is None else self.shortcut(x)))


class ResNetV1b(HybridBlock):
    """ResNet V1b, an image classifier.

    Args:
        classes: Number of classes; 0 to return the averages of the last channels.
        depths: Number of blocks of each stage.
        widths: Channels after each stage.
        channels: Channels of the images.
        entry_width: Channels before the first stage.
        kind: Kind of blocks: ``"bottleneck"`` or ``"basic"``.
        stride_first: Whether the first stage also halves height and width.
        stride_early: Whether bottlenecks stride in their first convolution.

    Raises:
        ModelError: The kind is unknown, or ``widths`` and ``depths`` differ in length.

    Source:
        He, Zhang, Ren, Sun 2015, arXiv:1512.03385; strides in the middle: Goyal et al. 2017,
        arXiv:1706.02677, section 5.1.

    Example:
        >>> net = ResNetV1b(10, [1, 1], [8, 16], entry_width=4)
        >>> net.initialize()
        >>> net(nd.ones((2, 3, 32, 32))).shape
        (2, 10)
    """

    def __init__(
        self,
        classes: int = 1000,
        depths: Sequence[int] = (3, 4, 6, 3),
        widths: Sequence[int] = (256, 512, 1024, 2048),
        *,
        channels: int = 3,
        entry_width: int = 64,
        kind: str = "bottleneck",
        stride_first: bool = False,
        stride_early: bool = False,
        **kwargs: Any,
    ) -> None:
        self.settings = {name: value for name, value in locals().items() if name in _SETTINGS}
        super().__init__(**kwargs)
        if kind not in ("basic", "bottleneck"):
            raise ModelError(f"ResNet: kind={kind!r} must be 'basic' or 'bottleneck'")
        if len(depths) != len(widths):
            raise ModelError(f"ResNet: {len(depths)} depths, but {len(widths)} widths")
        shared = {"bottleneck": kind == "bottleneck", "early": stride_early}
        with self.name_scope():
            self.entry = _ConvNorm(channels, entry_width, kernel=7, stride=2)
            self.pool = nn.MaxPool2D(pool_size=3, strides=2, padding=1)
            self.stages = nn.HybridSequential()
            before = entry_width
            for k, (depth, width) in enumerate(zip(depths, widths, strict=True)):
                stage, stride = nn.HybridSequential(), 2 if k or stride_first else 1
                for _ in range(depth):
                    stage.add(_Residual(before, width, stride, **shared))
                    before, stride = width, 1
                self.stages.add(stage)
            self.mean = nn.GlobalAvgPool2D()
            self.head = nn.Dense(classes, in_units=before) if classes else nn.Flatten()

    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
        """Return the class scores of ``x``."""
        return self.head(self.mean(self.stages(self.pool(self.entry(x)))))


_SETTINGS = frozenset(
    (
        "classes",
        "depths",
        "widths",
        "channels",
        "entry_width",
        "kind",
        "stride_first",
        "stride_early",
    )
)
"""Arguments that say what net it is."""
