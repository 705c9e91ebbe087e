"""Estimator: a training loop that is extended by event handlers."""

from hy_gluon.contrib.estimator import (
    batch_processor as batch_processor,
    estimator as estimator,
    event_handler as event_handler,
    events as events,
    utils as utils,
)
from hy_gluon.contrib.estimator._errors import EstimatorError as EstimatorError
from hy_gluon.contrib.estimator.batch_processor import BatchProcessor as BatchProcessor
from hy_gluon.contrib.estimator.checkpoint import CheckpointHandler as CheckpointHandler
from hy_gluon.contrib.estimator.estimator import Estimator as Estimator
from hy_gluon.contrib.estimator.events import (
    BatchBegin as BatchBegin,
    BatchEnd as BatchEnd,
    EpochBegin as EpochBegin,
    EpochEnd as EpochEnd,
    EventHandler as EventHandler,
    TrainBegin as TrainBegin,
    TrainEnd as TrainEnd,
)
from hy_gluon.contrib.estimator.experiments import (
    MLflowHandler as MLflowHandler,
    WandbHandler as WandbHandler,
)
from hy_gluon.contrib.estimator.logs import LoggingHandler as LoggingHandler
from hy_gluon.contrib.estimator.metrics import MetricHandler as MetricHandler
from hy_gluon.contrib.estimator.progress import ProgressBarHandler as ProgressBarHandler
from hy_gluon.contrib.estimator.stopping import (
    EarlyStoppingHandler as EarlyStoppingHandler,
    StoppingHandler as StoppingHandler,
)
from hy_gluon.contrib.estimator.tensorboard import TensorBoardHandler as TensorBoardHandler
from hy_gluon.contrib.estimator.tracking import TrackingHandler as TrackingHandler
from hy_gluon.contrib.estimator.updates import GradientUpdateHandler as GradientUpdateHandler
from hy_gluon.contrib.estimator.validation import ValidationHandler as ValidationHandler
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
