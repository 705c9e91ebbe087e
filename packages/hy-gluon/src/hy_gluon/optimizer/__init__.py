"""Optimizers: how weights follow their gradients."""

from hy_gluon.optimizer import contrib as contrib
from hy_gluon.optimizer.adam import (
    FTML as FTML,
    Adam as Adam,
    Adamax as Adamax,
    AdamW as AdamW,
    Nadam as Nadam,
)
from hy_gluon.optimizer.adaptive import (
    AdaDelta as AdaDelta,
    AdaGrad as AdaGrad,
    Ftrl as Ftrl,
    RMSProp as RMSProp,
)
from hy_gluon.optimizer.large_batch import LAMB as LAMB, LARS as LARS, LBSGD as LBSGD
from hy_gluon.optimizer.optimizer import (
    Optimizer as Optimizer,
    OptimizerError as OptimizerError,
    create as create,
    register as register,
)
from hy_gluon.optimizer.sgd import (
    DCASGD as DCASGD,
    NAG as NAG,
    SGD as SGD,
    SGLD as SGLD,
    Signum as Signum,
    Test as Test,
    ccSGD as ccSGD,
)
from hy_gluon.optimizer.states import StatesError as StatesError
from hy_gluon.optimizer.updater import Updater as Updater, get_updater as get_updater
from hy_ndarray import nd as _nd

NDabs = _nd.abs
