"""Predictors, networks and data sets as files, from either side."""

from pathlib import Path
from typing import Any

from autogluon.tabular import TabularPredictor
from autogluon.tabular.models.tabular_nn.embednet import EmbedNet

import mxnet as mx
from tests.clients.exchange import exchanged
from tests.clients.formula import filled
from tests.clients.program import Checks
from tests.clients.programs.autogluon.made import SMALL, table
from tests.clients.programs.autogluon.tabular import ROWS, whole
from tests.clients.programs.autogluon.text import columns, head


def checks(side: str) -> Checks:
    """Pickles of MXNet 1.9.1 are read by hy as well, not the other way round."""
    return exchanged(side, written, read, resumed)


def written(folder: Path) -> Any:
    """A predictor's folder; a network and a data set by themselves."""
    made, rows = whole(str(folder / "predictor"), save_space=True)
    net = made._trainer.load_model(made.get_model_names()[0])
    net.model.save_parameters(str(folder / "net.params"))
    data = net.process_test_data(net.preprocess(made.transform_features(rows)), 50, 0)
    mx.nd.save(str(folder / "rows.npz"), data.dataset._data)
    return [made.predict_proba(rows), text_written(folder / "text.params")]


@mx.util.use_np
def text_written(path: Path) -> Any:
    """A network for text and columns."""
    net = head("concat")
    scores = net(columns())
    net.save_parameters(str(path))
    return scores


def read(folder: Path) -> Any:
    """The network's parameters and the rows, which MXNet's formats hold."""
    rows: Any = mx.nd.load(str(folder / "rows.npz"))
    params = {**SMALL, "activation": "relu", "use_batchnorm": True, "y_range": None}
    description = {
        "has_vector_features": True,
        "has_embed_features": True,
        "has_language_features": False,
        "params": {**params, "network_type": "widedeep"},
        "num_net_outputs": 3,
        "from_logits": False,
        "num_categs_per_feature": [8],
        "embed_dims": [5],
    }
    net = EmbedNet(architecture_desc=description, ctx=mx.cpu())
    filled(net)
    net.load_parameters(str(folder / "net.params"))
    return [net({"vector": rows[0], "embed": rows[1:]}), text_read(folder / "text.params")]


@mx.util.use_np
def text_read(path: Path) -> Any:
    """The same from its file."""
    net = head("concat")
    net.load_parameters(str(path))
    return net(columns())


def resumed(folder: Path) -> Any:
    """The predictor as the other side pickled it."""
    return TabularPredictor.load(str(folder / "predictor")).predict_proba(table(ROWS))
