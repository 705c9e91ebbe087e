"""Training with stochastic variance reduced gradients."""

from mxnet.contrib.svrg_optimization import (
    svrg_module as svrg_module,
    svrg_optimizer as svrg_optimizer,
)
