"""Activations of cells, given by name, as a block or as a function."""

from typing import Any

from hy_gluon.block import Block
from hy_gluon.nn import LeakyReLU

__all__ = ["activate"]

_FUNCTIONS = ("tanh", "relu", "sigmoid", "softsign")


def activate(F: Any, x: Any, activation: Any, **kwargs: Any) -> Any:
    """``activation`` of ``x``; it is a name, a block, or a function.

    Args:
        F: The namespace of operators.
        x: What it is applied to.
        activation: Name of an activation, a LeakyReLU, another block, or a function.
        kwargs: ``name`` of the node.
    """
    if isinstance(activation, str):
        if activation in _FUNCTIONS:
            return getattr(F, activation)(x, **kwargs)
        return F.Activation(x, act_type=activation, **kwargs)
    if isinstance(activation, LeakyReLU):
        return F.LeakyReLU(x, act_type="leaky", slope=activation._alpha, **kwargs)
    if isinstance(activation, Block):
        return activation(x)
    return activation(x, **kwargs)
