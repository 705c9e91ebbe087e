"""SqueezeNet 1.0 and 1.1."""

from collections.abc import Sequence
from typing import Any

from hy_gluon import nn
from hy_gluon.model_zoo.model_store import ROOT, ModelError, load_pretrained
from hy_gluon.model_zoo.vision._classifier import Classifier, stacked
from hy_ndarray import Context

__all__ = ["SqueezeNet", "squeezenet1_0", "squeezenet1_1"]

_STAGES: dict[str, tuple[tuple[int, ...], ...]] = {
    "1.0": ((16, 16, 32), (32, 48, 48, 64), (64,)),
    "1.1": ((16, 16), (32, 32), (48, 48, 64, 64)),
}
"""Channels that the fire blocks squeeze to; there is a pooling between stages."""

_FIRST = {"1.0": (96, 7), "1.1": (64, 3)}
"""Channels and window of the first convolution."""


def conv(channels: int, kernel_size: int, padding: int = 0) -> nn.HybridSequential:
    """Return a convolution followed by ReLU."""
    return stacked(nn.Conv2D(channels, kernel_size, padding=padding), nn.Activation("relu"))


def fire(
    squeeze_channels: int, expand1x1_channels: int, expand3x3_channels: int
) -> nn.HybridSequential:
    """Return a fire block: reduces the channels, and expands them by two convolutions."""
    first = conv(squeeze_channels, 1)
    paths = nn.HybridConcurrent(axis=1, prefix="")
    paths.add(conv(expand1x1_channels, 1), conv(expand3x3_channels, 3, padding=1))
    return stacked(first, paths)


def _pool() -> nn.MaxPool2D:
    # Rounded up, as in Caffe, for which the net was published.
    return nn.MaxPool2D(3, strides=2, ceil_mode=True)


class SqueezeNet(Classifier):
    """SqueezeNet: a network of fire blocks, with few parameters.

    Args:
        version: ``"1.0"``, or ``"1.1"``, which is as accurate with less computation.
        classes: Number of classes.

    Raises:
        ModelError: There is no such version.

    Source:
        Iandola et al., SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and <0.5MB
        model size, arXiv:1602.07360.
    """

    def __init__(self, version: str, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if version not in _STAGES:
            raise ModelError(f"SqueezeNet: version must be '1.0' or '1.1', not {version!r}")
        channels, kernel = _FIRST[version]
        with self.name_scope():
            self.features = stacked(
                nn.Conv2D(channels, kernel, strides=2), nn.Activation("relu"), _pool()
            )
            for i, stage in enumerate(_STAGES[version]):
                if i:
                    self.features.add(_pool())
                for squeeze in stage:
                    self.features.add(fire(squeeze, 4 * squeeze, 4 * squeeze))
            self.features.add(nn.Dropout(0.5))
            self.output = stacked(
                nn.Conv2D(classes, 1), nn.Activation("relu"), nn.AvgPool2D(13), nn.Flatten()
            )


def _get(
    version: str,
    pretrained: bool = False,
    ctx: Context | Sequence[Context] | None = None,
    root: str = ROOT,
    **kwargs: Any,
) -> SqueezeNet:
    net = SqueezeNet(version, **kwargs)
    if pretrained:
        load_pretrained(net, f"squeezenet{version}", ctx, root)
    return net


def squeezenet1_0(**kwargs: Any) -> SqueezeNet:
    """Return SqueezeNet 1.0.

    Args:
        kwargs: ``pretrained``, ``ctx`` and ``root`` of :func:`alexnet`; arguments of
            :class:`SqueezeNet`.
    """
    return _get("1.0", **kwargs)


def squeezenet1_1(**kwargs: Any) -> SqueezeNet:
    """Return SqueezeNet 1.1.

    Args:
        kwargs: ``pretrained``, ``ctx`` and ``root`` of :func:`alexnet`; arguments of
            :class:`SqueezeNet`.
    """
    return _get("1.1", **kwargs)
