"""InsightFace: steps and embeddings of a recognition network, through `Module`."""

from pathlib import Path
from typing import Any

import mxnet as mx
from tests.clients.formula import uniform
from tests.clients.programs.insightface import models

FOLDER = Path(__file__).parents[2] / "bench-output" / "insightface"
"""For the checkpoint that is read, whatever the current folder is."""


def training() -> Any:
    """Four faces."""
    symbol = mx.sym.SoftmaxOutput(models.residual(10, dropout=0.0), name="softmax")
    module = mx.mod.Module(symbol)
    module.bind([("data", (4, 3, 112, 112))], [("softmax_label", (4,))])
    module.init_params(mx.init.Xavier())
    module.init_optimizer(optimizer="sgd", optimizer_params={"momentum": 0.9})
    faces = mx.nd.array(uniform("faces", (4, 3, 112, 112)))
    batch = mx.io.DataBatch([faces], [mx.nd.arange(4)])

    def run() -> Any:
        module.forward_backward(batch)
        module.update()
        return module.get_outputs()

    return run


def prediction() -> Any:
    """One face."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    model = models.recognizer(models.put(models.residual(32), str(FOLDER / "recognition")))
    face = models.image("face")
    return lambda: model.get_embedding(face)
