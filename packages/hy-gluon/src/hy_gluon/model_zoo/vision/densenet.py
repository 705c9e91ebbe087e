"""DenseNet: 121, 161, 169 and 201 layers."""

from collections.abc import Sequence
from typing import Any

from hy_gluon import nn
from hy_gluon.model_zoo.model_store import ROOT, load_pretrained
from hy_gluon.model_zoo.vision._classifier import Classifier, normalized, stacked
from hy_ndarray import Context

__all__ = ["DenseNet", "densenet121", "densenet161", "densenet169", "densenet201", "densenet_spec"]

densenet_spec = {
    121: (64, 32, [6, 12, 24, 16]),
    161: (96, 48, [6, 12, 36, 24]),
    169: (64, 32, [6, 12, 32, 32]),
    201: (64, 32, [6, 12, 48, 32]),
}
"""Channels at the beginning, channels that each layer adds, layers of each stage."""


def _conv(channels: int, kernel: int, padding: int = 0) -> nn.Conv2D:
    return nn.Conv2D(channels, kernel, padding=padding, use_bias=False)


def _make_dense_layer(growth_rate: int, bn_size: int, dropout: float) -> nn.HybridConcurrent:
    """Return a layer that appends ``growth_rate`` channels to its input."""
    new = stacked(
        nn.BatchNorm(),
        nn.Activation("relu"),
        _conv(bn_size * growth_rate, 1),
        nn.BatchNorm(),
        nn.Activation("relu"),
        _conv(growth_rate, 3, padding=1),
    )
    if dropout:
        new.add(nn.Dropout(dropout))
    layer = nn.HybridConcurrent(axis=1, prefix="")
    layer.add(nn.Identity(), new)
    return layer


def _make_transition(num_output_features: int) -> nn.HybridSequential:
    """Return a layer that halves height and width, and has ``num_output_features`` channels."""
    return stacked(
        nn.BatchNorm(),
        nn.Activation("relu"),
        _conv(num_output_features, 1),
        nn.AvgPool2D(2, strides=2),
    )


def _make_dense_block(
    num_layers: int, bn_size: int, growth_rate: int, dropout: float, stage_index: int
) -> nn.HybridSequential:
    """Return a stage of ``num_layers`` layers, each of which adds ``growth_rate`` channels."""
    stage = nn.HybridSequential(prefix=f"stage{stage_index}_")
    with stage.name_scope():
        for _ in range(num_layers):
            stage.add(_make_dense_layer(growth_rate, bn_size, dropout))
    return stage


class DenseNet(Classifier):
    """DenseNet: within a stage, each layer gets the outputs of all previous layers.

    Args:
        num_init_features: Channels of the first convolution.
        growth_rate: Channels that each layer adds.
        block_config: Number of layers of each stage.
        bn_size: Channels inside a layer, in units of ``growth_rate``.
        dropout: Rate of the dropout after each layer.
        classes: Number of classes.

    Source:
        Huang, Liu, van der Maaten, Weinberger, Densely Connected Convolutional Networks,
        arXiv:1608.06993.
    """

    def __init__(
        self,
        num_init_features: int,
        growth_rate: int,
        block_config: Sequence[int],
        bn_size: int = 4,
        dropout: float = 0,
        classes: int = 1000,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stacked(
                *normalized(num_init_features, 7, strides=2, padding=3),
                nn.Activation("relu"),
                nn.MaxPool2D(3, strides=2, padding=1),
            )
            channels = num_init_features
            for i, layers in enumerate(block_config):
                if i:
                    channels //= 2
                    self.features.add(_make_transition(channels))
                self.features.add(_make_dense_block(layers, bn_size, growth_rate, dropout, i + 1))
                channels += layers * growth_rate
            self.features.add(nn.BatchNorm(), nn.Activation("relu"), nn.AvgPool2D(7), nn.Flatten())
            self.output = nn.Dense(classes)


def _get(
    num_layers: int,
    pretrained: bool = False,
    ctx: Context | Sequence[Context] | None = None,
    root: str = ROOT,
    **kwargs: Any,
) -> DenseNet:
    net = DenseNet(*densenet_spec[num_layers], **kwargs)
    if pretrained:
        load_pretrained(net, f"densenet{num_layers}", ctx, root)
    return net


def densenet121(**kwargs: Any) -> DenseNet:
    """Return DenseNet of 121 layers.

    Args:
        kwargs: ``pretrained``, ``ctx`` and ``root`` of :func:`alexnet`; ``bn_size``,
            ``dropout``, ``classes`` of :class:`DenseNet`.
    """
    return _get(121, **kwargs)


def densenet161(**kwargs: Any) -> DenseNet:
    """Return DenseNet of 161 layers; see the arguments of :func:`densenet121`."""
    return _get(161, **kwargs)


def densenet169(**kwargs: Any) -> DenseNet:
    """Return DenseNet of 169 layers; see the arguments of :func:`densenet121`."""
    return _get(169, **kwargs)


def densenet201(**kwargs: Any) -> DenseNet:
    """Return DenseNet of 201 layers; see the arguments of :func:`densenet121`."""
    return _get(201, **kwargs)
