"""A table made up, and AutoGluon's network for tables with weights by formula."""

from typing import Any

import numpy as np
import pandas as pd
from autogluon.tabular.models.tabular_nn.tabular_nn_model import TabularNeuralNetModel

from tests.clients.formula import prescribed, uniform, words

__all__ = ["SMALL", "Ruled", "labels", "table"]

SMALL = {
    "layers": [16, 8],
    "numeric_embed_dim": 8,
    "dropout_prob": 0.0,
    "num_epochs": 3,
    "batch_size": 32,
    "learning_rate": 0.01,
    "seed_value": 3,
}
"""Hyperparameters of a small network without chance; the seed is numpy's, which shuffles rows."""


class Ruled(TabularNeuralNetModel):  # type: ignore[misc]  # AutoGluon has no types
    """The network, its first weights by formula."""

    def get_net(self, train_dataset: Any, params: Any) -> None:
        """Make it."""
        super().get_net(train_dataset, params)
        prescribed(self.model)


def table(count: int) -> Any:
    """Numbers, some of them missing, and categories: two that are few, one that is embedded."""
    a, b = uniform("a", (count,)), np.exp(3 * uniform("b", (count,)))
    a[::17] = np.nan
    columns = {"a": a, "b": b, "flag": words("flag", (count,), 2)}
    for name, letters in {"few": "klm", "many": "tuvwxyz"}.items():
        columns[name] = np.array(list(letters))[words(name, (count,), len(letters))]
    return pd.DataFrame(columns)


def labels(rows: Any, kind: str) -> Any:
    """What is to be predicted of each row: what follows from its columns."""
    value = np.nan_to_num(rows["a"]) + (rows["many"] == "u") + rows["flag"] - 0.5
    if kind == "regression":
        return value.astype("float64")
    bounds = [0.5] if kind == "binary" else [0.0, 0.7]
    return pd.Series(np.digitize(value, bounds))
