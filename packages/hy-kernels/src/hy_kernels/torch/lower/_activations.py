"""Activations that become part of the layer in front of them."""

from typing import NamedTuple

from hy_kernels.lowering import Graph, Node

__all__ = ["NONE", "Activation", "activation_of"]


class Activation(NamedTuple):
    """A function by oneDNN's name, and its numbers."""

    name: str
    scalars: tuple[float, ...] = ()


NONE = Activation("none")
_NAMES = ("relu", "sigmoid", "tanh")


def activation_of(graph: Graph, node: Node) -> Activation | None:
    """The function that a node applies to each element; None if it is none of these."""
    op, params = graph.op(node), graph.params(node)
    name = params["act_type"] if op in ("Activation", "LeakyReLU") else op
    if op == "clip":
        return Activation("hardtanh", (params["a_min"], params["a_max"]))
    if op == "LeakyReLU":
        # Of MXNet's LeakyReLU only these two have a name in oneDNN.
        result = {"leaky": Activation("leaky_relu", (params["slope"],)), "gelu": Activation("gelu")}
        return result.get(name)
    return Activation(name) if name in _NAMES else None
