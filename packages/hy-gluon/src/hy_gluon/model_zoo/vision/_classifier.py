"""Classifier: base class of image classifiers; and common convolution blocks."""

from typing import Any

from hy_gluon import nn
from hy_gluon.block import Block, HybridBlock


class Classifier(HybridBlock):
    """Base class of image classifiers: ``features``, followed by the ``output`` layer."""

    features: nn.HybridSequential
    output: HybridBlock

    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
        """Return scores ``[N, classes]`` of images ``[N, 3, height, width]``."""
        return self.output(self.features(x))


def stacked(*blocks: Block, prefix: str = "") -> nn.HybridSequential:
    """Return a container that runs blocks one after another."""
    stack = nn.HybridSequential(prefix=prefix)
    stack.add(*blocks)
    return stack


def normalized(
    channels: int,
    kernel: int | tuple[int, int],
    strides: int = 1,
    padding: int | tuple[int, int] = 0,
    groups: int = 1,
) -> tuple[nn.Conv2D, nn.BatchNorm]:
    """Return a convolution without bias, followed by batch normalization."""
    conv = nn.Conv2D(channels, kernel, strides, padding, groups=groups, use_bias=False)
    return conv, nn.BatchNorm()
