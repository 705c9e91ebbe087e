"""AutoGluon: its network for tables, one epoch on 2,000 rows, and probabilities of 100."""

from typing import Any

from autogluon.tabular.models.tabular_nn.tabular_nn_model import TabularNeuralNetModel

from tests.clients.programs.autogluon.made import labels, table
from tests.clients.programs.autogluon.tabular import features

COUNT = 2000


def trained() -> Any:
    """A network of the size that AutoGluon chooses."""
    options = {"num_epochs": 1, "seed_value": 1}
    net = TabularNeuralNetModel(
        path="net/", name="net", problem_type="binary", hyperparameters=options
    )
    net.fit(X=features(count=COUNT), y=labels(table(COUNT), "binary"), verbosity=0)
    return net


def training() -> Any:
    """The epoch, with what is done to the rows before."""
    return trained


def prediction() -> Any:
    """Probabilities."""
    net, rows = trained(), features(count=COUNT)[:100]
    return lambda: net.predict_proba(rows)
