"""AlexNet."""

from collections.abc import Sequence
from typing import Any

from hy_gluon import nn
from hy_gluon.model_zoo.model_store import ROOT, load_pretrained
from hy_gluon.model_zoo.vision._classifier import Classifier, stacked
from hy_ndarray import Context

__all__ = ["AlexNet", "alexnet"]


class AlexNet(Classifier):
    """AlexNet: five convolutions and three dense layers, for images of 224 x 224.

    Args:
        classes: Number of classes.

    Source:
        Krizhevsky, One weird trick for parallelizing convolutional neural networks,
        arXiv:1404.5997.
    """

    def __init__(self, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stacked(
                nn.Conv2D(64, 11, strides=4, padding=2, activation="relu"),
                nn.MaxPool2D(3, strides=2),
                nn.Conv2D(192, 5, padding=2, activation="relu"),
                nn.MaxPool2D(3, strides=2),
                nn.Conv2D(384, 3, padding=1, activation="relu"),
                nn.Conv2D(256, 3, padding=1, activation="relu"),
                nn.Conv2D(256, 3, padding=1, activation="relu"),
                nn.MaxPool2D(3, strides=2),
                nn.Flatten(),
                nn.Dense(4096, activation="relu"),
                nn.Dropout(0.5),
                nn.Dense(4096, activation="relu"),
                nn.Dropout(0.5),
            )
            self.output = nn.Dense(classes)


def alexnet(
    pretrained: bool = False,
    ctx: Context | Sequence[Context] | None = None,
    root: str = ROOT,
    **kwargs: Any,
) -> AlexNet:
    """Return AlexNet.

    Args:
        pretrained: Load parameters trained on ImageNet.
        ctx: Contexts of the parameters.
        root: Folder of the parameter file.
        kwargs: Arguments of :class:`AlexNet`.
    """
    net = AlexNet(**kwargs)
    if pretrained:
        load_pretrained(net, "alexnet", ctx, root)
    return net
