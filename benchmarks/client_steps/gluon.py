"""Steps that the clients built from Gluon blocks share."""

from collections.abc import Callable
from typing import Any

import mxnet as mx

__all__ = ["step"]


def step(net: Any, loss: Callable[[], Any], optimizer: str = "sgd", **options: Any) -> Any:
    """A step of training, to be called again and again."""
    settings = {"learning_rate": 1e-3, **options}
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer, settings)

    def run() -> Any:
        with mx.autograd.record():
            value = loss()
        value.backward()
        trainer.step(1, ignore_stale_grad=True)
        return value

    return run
