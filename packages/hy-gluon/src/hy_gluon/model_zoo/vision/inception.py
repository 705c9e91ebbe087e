"""Inception v3."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from hy_gluon import nn
from hy_gluon.block import HybridBlock
from hy_gluon.model_zoo.model_store import ROOT, load_pretrained
from hy_gluon.model_zoo.vision._classifier import Classifier, stacked
from hy_ndarray import Context

__all__ = ["Inception3", "inception_v3"]

_Size: TypeAlias = int | tuple[int, int]


def conv(channels: int, kernel: _Size, padding: _Size = 0, strides: int = 1) -> nn.HybridSequential:
    return stacked(
        nn.Conv2D(channels, kernel, strides, padding, use_bias=False),
        # TensorFlow's, in which the net was trained.
        nn.BatchNorm(epsilon=0.001),
        nn.Activation("relu"),
    )


def _row_conv(channels: int, width: int) -> nn.HybridSequential:
    return conv(channels, (1, width), (0, width // 2))


def _column_conv(channels: int, height: int) -> nn.HybridSequential:
    return conv(channels, (height, 1), (height // 2, 0))


def average() -> nn.AvgPool2D:
    return nn.AvgPool2D(3, strides=1, padding=1)


def block_a(channels: int) -> tuple[HybridBlock, ...]:
    """Return the branches of Inception block A: windows of 1, 5, and twice 3."""
    return (
        stacked(conv(64, 1)),
        stacked(conv(48, 1), conv(64, 5, 2)),
        stacked(conv(64, 1), conv(96, 3, 1), conv(96, 3, 1)),
        stacked(average(), conv(channels, 1)),
    )


def block_b() -> tuple[HybridBlock, ...]:
    """Return the branches of Inception block B, which halves height and width."""
    return (
        stacked(conv(384, 3, strides=2)),
        stacked(conv(64, 1), conv(96, 3, 1), conv(96, 3, strides=2)),
        stacked(nn.MaxPool2D(3, strides=2)),
    )


def block_c(channels: int) -> tuple[HybridBlock, ...]:
    """Return the branches of Inception block C: windows of 7, factored into rows and columns."""
    return (
        stacked(conv(192, 1)),
        stacked(conv(channels, 1), _row_conv(channels, 7), _column_conv(192, 7)),
        stacked(
            conv(channels, 1),
            _column_conv(channels, 7),
            _row_conv(channels, 7),
            _column_conv(channels, 7),
            _row_conv(192, 7),
        ),
        stacked(average(), conv(192, 1)),
    )


def block_d() -> tuple[HybridBlock, ...]:
    """Return the branches of Inception block D, which halves height and width."""
    return (
        stacked(conv(192, 1), conv(320, 3, strides=2)),
        stacked(conv(192, 1), _row_conv(192, 7), _column_conv(192, 7), conv(192, 3, strides=2)),
        stacked(nn.MaxPool2D(3, strides=2)),
    )


def block_e() -> tuple[HybridBlock, ...]:
    """Return the branches of Inception block E: row and column windows in parallel."""
    return (
        stacked(conv(320, 1)),
        stacked(stacked(conv(384, 1)), _cross()),
        stacked(stacked(conv(448, 1), conv(384, 3, 1)), _cross()),
        stacked(average(), conv(192, 1)),
    )


def _cross() -> nn.HybridConcurrent:
    both = nn.HybridConcurrent(axis=1, prefix="")
    both.add(stacked(_row_conv(384, 3)), stacked(_column_conv(384, 3)))
    return both


_BLOCKS: tuple[tuple[str, Callable[[], tuple[HybridBlock, ...]]], ...] = (
    ("A1_", lambda: block_a(32)),
    ("A2_", lambda: block_a(64)),
    ("A3_", lambda: block_a(64)),
    ("B_", block_b),
    ("C1_", lambda: block_c(128)),
    ("C2_", lambda: block_c(160)),
    ("C3_", lambda: block_c(160)),
    ("C4_", lambda: block_c(192)),
    ("D_", block_d),
    ("E1_", block_e),
    ("E2_", block_e),
)
"""Prefix and branches of each block."""


def concurrent(prefix: str, branches: Callable[[], tuple[HybridBlock, ...]]) -> nn.HybridConcurrent:
    """Return a block of branches, which are created in its name scope."""
    block = nn.HybridConcurrent(axis=1, prefix=prefix)
    with block.name_scope():
        block.add(*branches())
    return block


class Inception3(Classifier):
    """Inception v3: blocks of parallel windows of different sizes, for images of 299 x 299.

    Args:
        classes: Number of classes.

    Source:
        Szegedy, Vanhoucke, Ioffe, Shlens, Wojna, Rethinking the Inception Architecture for
        Computer Vision, arXiv:1512.00567.
    """

    def __init__(self, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stacked(
                conv(32, 3, strides=2),
                conv(32, 3),
                conv(64, 3, 1),
                nn.MaxPool2D(3, strides=2),
                conv(80, 1),
                conv(192, 3),
                nn.MaxPool2D(3, strides=2),
            )
            for prefix, branches in _BLOCKS:
                self.features.add(concurrent(prefix, branches))
            self.features.add(nn.AvgPool2D(8), nn.Dropout(0.5))
            self.output = nn.Dense(classes)


def inception_v3(
    pretrained: bool = False,
    ctx: Context | Sequence[Context] | None = None,
    root: str = ROOT,
    **kwargs: Any,
) -> Inception3:
    """Return Inception v3.

    Args:
        pretrained: Load parameters trained on ImageNet.
        ctx: Contexts of the parameters.
        root: Folder of the parameter file.
        kwargs: Arguments of :class:`Inception3`.
    """
    net = Inception3(**kwargs)
    if pretrained:
        load_pretrained(net, "inceptionv3", ctx, root)
    return net
