"""Metrics: the quality of predictions, accumulated over batches."""

from hy_gluon.metric.base import (
    EvalMetric as EvalMetric,
    MetricError as MetricError,
    alias as alias,
    check_label_shapes as check_label_shapes,
    create as create,
    register as register,
    registered as registered,
)
from hy_gluon.metric.classification import (
    Accuracy as Accuracy,
    TopKAccuracy as TopKAccuracy,
)
from hy_gluon.metric.composite import CompositeEvalMetric as CompositeEvalMetric
from hy_gluon.metric.confusion import (
    F1 as F1,
    MCC as MCC,
    PCC as PCC,
)
from hy_gluon.metric.custom import CustomMetric as CustomMetric, np as np
from hy_gluon.metric.likelihood import (
    CrossEntropy as CrossEntropy,
    NegativeLogLikelihood as NegativeLogLikelihood,
    Perplexity as Perplexity,
)
from hy_gluon.metric.losses import Caffe as Caffe, Loss as Loss, Torch as Torch
from hy_gluon.metric.regression import (
    MAE as MAE,
    MSE as MSE,
    RMSE as RMSE,
    PearsonCorrelation as PearsonCorrelation,
)
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
