"""Models from symbols: checkpoints, FeedForward, and helpers of training loops."""

from hy_gluon import kvstore as kvs, metric, optimizer as opt
from hy_gluon.batches import DataDesc
from hy_gluon.initializer import Uniform
from hy_gluon.optimizer import get_updater
from hy_ndarray import Context, cpu, nd
from hy_ndarray.suggestion import suggest_members as _suggest_members
from hy_symbol import sym
from mxnet import io
from mxnet._checkpoint import (
    BatchEndParam,
    BatchEndParams,
    load_checkpoint,
    load_params,
    save_checkpoint,
)
from mxnet._feed_forward import FeedForward
from mxnet._updating import (
    create_kvstore as _create_kvstore,
    initialize_kvstore as _initialize_kvstore,
    update_params as _update_params,
    update_params_on_kvstore as _update_params_on_kvstore,
)
from mxnet.base import mx_real_t
from mxnet.callback import LogValidationMetricsCallback
from mxnet.executor_manager import DataParallelExecutorManager

__all__ = [
    "BASE_ESTIMATOR",
    "SKLEARN_INSTALLED",
    "BatchEndParam",
    "BatchEndParams",
    "Context",
    "DataDesc",
    "DataParallelExecutorManager",
    "FeedForward",
    "LogValidationMetricsCallback",
    "Uniform",
    "_create_kvstore",
    "_initialize_kvstore",
    "_update_params",
    "_update_params_on_kvstore",
    "cpu",
    "get_updater",
    "io",
    "kvs",
    "load_checkpoint",
    "load_params",
    "metric",
    "mx_real_t",
    "nd",
    "opt",
    "save_checkpoint",
    "sym",
]

BASE_ESTIMATOR = object
"""What :class:`FeedForward` derives from: it is no estimator of scikit-learn's."""
SKLEARN_INSTALLED = False

_suggest_members(globals())
