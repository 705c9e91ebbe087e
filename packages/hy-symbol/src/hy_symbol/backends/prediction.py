"""The backends that are used for prediction by default."""

from collections.abc import Collection, Sequence

from hy_symbol.backends.optimization import Choice
from hy_symbol.backends.parameters import computes_from
from hy_symbol.graph.node import Graph

__all__ = ["FOLD", "PREDICTION", "PREPARE", "prediction_choices"]

FOLD: Choice = ("fold_batch_norm", {})
"""The backend for executors, which do not know which variables are parameters."""
PREPARE: Choice = ("prepare_parameters", {})
"""The backend for nets that compute values from parameters only."""
PREDICTION: Sequence[Choice] = (FOLD, ("channels_last", {}), PREPARE)
"""The backends for nets with convolutions, which also gain from another layout."""

_CONVOLUTIONS = "Convolution", "_contrib_quantized_conv"


def prediction_choices(graph: Graph, parameters: Collection[str] = ()) -> Sequence[Choice]:
    """Return the backends that make predictions of a graph faster, in order.

    Args:
        graph: The graph.
        parameters: Names of the variables that seldom change, as far as they are known.

    Example:
        >>> from hy_symbol import sym
        >>> net = sym.Convolution(sym.var("x"), kernel=(3, 3), num_filter=8)
        >>> [name for name, _ in prediction_choices(net.graph)]
        ['fold_batch_norm', 'channels_last', 'prepare_parameters']
        >>> prediction_choices(sym.relu(net).graph) == prediction_choices(net.graph)
        True
        >>> prediction_choices(sym.relu(sym.var("x")).graph)
        ()
    """
    # Convolutions gain from lowering to other layouts; other nets only from values that follow from
    # parameters.
    if graph.has_op(*_CONVOLUTIONS):
        return PREDICTION
    return (PREPARE,) if computes_from(graph, parameters) else ()
