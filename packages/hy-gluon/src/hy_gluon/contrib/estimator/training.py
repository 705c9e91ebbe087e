"""Training: the interface of an estimator that handlers and batch processors use."""

import logging
from typing import Protocol

from hy_gluon.block import Block
from hy_gluon.loss import Loss
from hy_gluon.metric import EvalMetric
from hy_gluon.trainer import Trainer
from hy_ndarray import Context

__all__ = ["Training"]


class Training(Protocol):
    """Interface of a running training; see :class:`Estimator`, which implements it."""

    net: Block
    loss: Loss
    val_net: Block
    val_loss: Loss
    trainer: Trainer
    context: list[Context]
    logger: logging.Logger
    max_epoch: int | None
    max_batch: int | None
    batch_axis: int
    batches_per_epoch: int | None
    current_epoch: int
    trained_epochs: int
    trained_batches: int

    @property
    def train_metrics(self) -> list[EvalMetric]:
        """The metrics of training."""

    @property
    def val_metrics(self) -> list[EvalMetric]:
        """The metrics of validation."""
