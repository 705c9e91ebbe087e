"""Activations of cells, given by name, as a block or as a function."""

from typing import Any

from hy_gluon.block import Block
from hy_gluon.nn import LeakyReLU
from hy_gluon.nn._arguments import check_act_type

_FUNCTIONS = ("tanh", "relu", "sigmoid", "softsign")


def activate(F: Any, x: Any, activation: Any, **kwargs: Any) -> Any:
    """Return ``activation`` (a name, a block, or a function) of ``x``.

    Args:
        F: Namespace of operators.
        x: Input of the activation.
        activation: Name of an activation, a LeakyReLU, another block, or a function.
        kwargs: ``name`` of the node.
    """
    if isinstance(activation, str):
        if activation in _FUNCTIONS:
            return getattr(F, activation)(x, **kwargs)
        return F.Activation(x, act_type=activation, **kwargs)
    if isinstance(activation, LeakyReLU):
        # MXNet writes the slope of a leaky ReLU into the operator.
        return F.LeakyReLU(x, act_type="leaky", slope=activation._alpha, **kwargs)
    if isinstance(activation, Block):
        return activation(x)
    return activation(x, **kwargs)


def check_activation(activation: Any) -> None:
    """Raise an error if ``activation`` is an unknown name.

    Raises:
        ArgumentError: ``activation`` is an unknown name.
    """
    if isinstance(activation, str) and activation not in _FUNCTIONS:
        check_act_type(activation)
