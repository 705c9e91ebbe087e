"""MXFusion: inference of a normal distribution, the kernel of a Gaussian process."""

from typing import Any

from mxfusion.components.distributions.gp.kernels import RBF
from mxfusion.inference import MAP, GradBasedInference

import mxnet as mx
from tests.clients.programs.mxfusion import models


def training() -> Any:
    """Five iterations."""
    model, values = models.gaussian(), models.data()
    inference = GradBasedInference(MAP(model=model, observed=[model.y]))
    return lambda: inference.run(y=values, learning_rate=0.1, max_iter=5, verbose=False)


def prediction() -> Any:
    """Covariances of 12 places."""
    kernel, x = RBF(1), models.array(models.RISING[None])
    values = {name: models.array([[0.7]]) for name, _ in kernel.parameters.items()}
    return lambda: kernel.K(mx.nd, x, **values)
