"""A small problem for estimators, and a handler that notes what happens.

The numbers that the tests expect of it are those of MXNet 1.9.1.
"""

import logging
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from hy_gluon import Trainer, nn
from hy_gluon.contrib.estimator import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    Estimator,
    TrainBegin,
    TrainEnd,
)
from hy_gluon.data import ArrayDataset, DataLoader
from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_gluon.metric import EvalMetric
from hy_ndarray import Context, nd

TWO_EPOCHS = [[-0.0517689, -0.6726845, 0.1435772], [0.0517696, 0.7226852, 0.2064217]]
"""The weights after two epochs."""


def loader(examples: int = 10, batch_size: int = 4) -> DataLoader:
    """Up to 10 examples of 3 numbers, and whether their sum is positive."""
    x = ((np.arange(30) * 7 % 30 - 14.5) / 10).reshape(10, 3).astype(np.float32)[:examples]
    label = (x.sum(axis=1) > 0).astype(np.float32)
    return DataLoader(ArrayDataset(x, label), batch_size=batch_size)


def net(ctx: Any = None) -> nn.Dense:
    """A linear classifier with fixed parameters."""
    dense = nn.Dense(2, in_units=3)
    dense.initialize(ctx=ctx)
    dense.weight.set_data(nd.array([[0.1, -0.2, 0.3], [-0.1, 0.25, 0.05]]))
    return dense


def trainer(of: nn.Block) -> Trainer:
    return Trainer(of.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})


def estimator(
    *, ctx: Context | list[Context] | None = None, hybrid: bool = False, **kwargs: Any
) -> Estimator:
    """An estimator of that classifier."""
    dense = kwargs.pop("net", None) or net(ctx)
    if hybrid:
        dense.hybridize()
    kwargs.setdefault("trainer", trainer(dense))
    return Estimator(dense, kwargs.pop("loss", SoftmaxCrossEntropyLoss()), context=ctx, **kwargs)


def quiet(**kwargs: Any) -> Estimator:
    """The same without lines in the log."""
    made = estimator(**kwargs)
    made.logger.setLevel(logging.WARNING)
    return made


def weight(trained: Estimator) -> Any:
    """The weights of the classifier, ``[2, 3]``."""
    dense = trained.net
    assert isinstance(dense, nn.Dense)
    return dense.weight.data(trained.context[0]).asnumpy()


def timeless(text: str) -> list[str]:
    """The lines of a log, with seconds written as ``_``."""
    return re.sub(r"\d+\.\d{3}s", "_", text).splitlines()


class Recorder(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    """Notes every event, under its own name."""

    def __init__(
        self, name: str = "", priority: float = 0, notes: list[str] | None = None, stop: str = ""
    ) -> None:
        self.name, self.priority, self.stop = name, priority, stop
        self.notes = [] if notes is None else notes
        self.told: dict[str, dict[str, Any]] = {}

    def _note(self, event: str, kwargs: dict[str, Any]) -> bool:
        self.notes.append(f"{self.name} {event}".strip())
        self.told[event] = kwargs
        return event == self.stop

    def train_begin(self, *args: Any, **kwargs: Any) -> None:
        self._note("train_begin", kwargs)

    def train_end(self, *args: Any, **kwargs: Any) -> None:
        self._note("train_end", kwargs)

    def epoch_begin(self, *args: Any, **kwargs: Any) -> None:
        self._note("epoch_begin", kwargs)

    def epoch_end(self, *args: Any, **kwargs: Any) -> bool:
        return self._note("epoch_end", kwargs)

    def batch_begin(self, *args: Any, **kwargs: Any) -> None:
        self._note("batch_begin", kwargs)

    def batch_end(self, *args: Any, **kwargs: Any) -> bool:
        return self._note("batch_end", kwargs)


class Scripted(EvalMetric, EpochEnd):
    """A metric that says in each epoch what it was told to; as a handler it turns the page."""

    def __init__(self, values: Iterable[float], name: str = "scripted") -> None:
        self.values = list(values)
        self.page = -1
        self.priority = -5
        super().__init__(name)

    def epoch_end(self, *args: Any, **kwargs: Any) -> bool:
        self.page += 1
        return False

    def get(self) -> tuple[str, float]:
        return self.name, self.values[min(self.page, len(self.values) - 1)]
