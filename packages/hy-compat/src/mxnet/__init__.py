"""MXNet's name over the hy packages: ``import mxnet as mx``."""

from hy_ndarray import (
    Context as Context,
    HyError as MXNetError,
    autograd as autograd,
    cpu as cpu,
    cpu_pinned as cpu_pinned,
    current_context as current_context,
    gpu as gpu,
    nd as nd,
    num_gpus as num_gpus,
    random as random,
)

__all__ = ["MXNetError"]
__version__ = "1.9.1"
