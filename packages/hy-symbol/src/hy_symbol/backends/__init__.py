"""Backends: rewrite graphs for prediction, or run parts of graphs by other engines.

``docs/graphs.md`` describes how to write a backend.
"""

from hy_symbol.backends.batch_norm import FoldBatchNorm as FoldBatchNorm
from hy_symbol.backends.channels_last import ChannelsLast as ChannelsLast
from hy_symbol.backends.optimization import (
    Choice as Choice,
    optimize as optimize,
    optimized_graph as optimized_graph,
)
from hy_symbol.backends.parameters import PrepareParameters as PrepareParameters
from hy_symbol.backends.prediction import (
    FOLD as FOLD,
    PREDICTION as PREDICTION,
    prediction_choices as prediction_choices,
)
from hy_symbol.backends.torch_compile import TorchCompile as TorchCompile
from hy_symbol.passes.backends import Optimized as Optimized
from hy_symbol.regions.protocols import (
    Backend as Backend,
    Facts as Facts,
    Reasoning as Reasoning,
    Rewriter as Rewriter,
    Rewritten as Rewritten,
    Run as Run,
    Runner as Runner,
)
from hy_symbol.regions.registry import (
    find_backend as find_backend,
    find_runner as find_runner,
    installed_backends as installed_backends,
    known_backends as known_backends,
    register_backend as register_backend,
    unregister_backend as unregister_backend,
)

register_backend("channels_last", ChannelsLast())
register_backend("fold_batch_norm", FoldBatchNorm())
register_backend("prepare_parameters", PrepareParameters())
register_backend("torch_compile", TorchCompile())
