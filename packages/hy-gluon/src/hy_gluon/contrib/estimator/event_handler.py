"""MXNet's module ``event_handler``, with all event handlers."""

from hy_gluon.contrib.estimator.checkpoint import CheckpointHandler
from hy_gluon.contrib.estimator.events import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    EventHandler,
    TrainBegin,
    TrainEnd,
)
from hy_gluon.contrib.estimator.logs import LoggingHandler
from hy_gluon.contrib.estimator.metrics import MetricHandler
from hy_gluon.contrib.estimator.stopping import EarlyStoppingHandler, StoppingHandler
from hy_gluon.contrib.estimator.updates import GradientUpdateHandler
from hy_gluon.contrib.estimator.validation import ValidationHandler

__all__ = [
    "BatchBegin",
    "BatchEnd",
    "CheckpointHandler",
    "EarlyStoppingHandler",
    "EpochBegin",
    "EpochEnd",
    "EventHandler",
    "GradientUpdateHandler",
    "LoggingHandler",
    "MetricHandler",
    "StoppingHandler",
    "TrainBegin",
    "TrainEnd",
    "ValidationHandler",
]
