"""keras-mxnet: batches and predictions of a convolutional network."""

from typing import Any

from keras import applications

from tests.clients.formula import uniform
from tests.clients.programs.keras import models


def training() -> Any:
    """32 images of 8 by 8."""
    network = models.small()
    x, y = uniform("x", (32, 6, 6, 2)), uniform("y", (32, 3))
    return lambda: network.train_on_batch(x, y)


def prediction() -> Any:
    """MobileNet on two images of 64 by 64."""
    network = applications.MobileNet(weights=None, classes=7, input_shape=(64, 64, 3))
    x = uniform("x", (2, 64, 64, 3))
    return lambda: network.predict(x)
