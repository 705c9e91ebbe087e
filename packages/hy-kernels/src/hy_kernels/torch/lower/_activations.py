"""Activations that can be fused into the layer before them."""

from typing import NamedTuple

from hy_kernels.lowering import Graph, Node


class Activation(NamedTuple):
    """Activation by its name in oneDNN, with its scalar parameters."""

    name: str
    scalars: tuple[float, ...] = ()


NONE = Activation("none")
_NAMES = ("relu", "sigmoid", "tanh")


def activation_of(graph: Graph, node: Node) -> Activation | None:
    """Return the activation that a node computes, or None."""
    op, params = graph.op(node), graph.params(node)
    name = params["act_type"] if op in ("Activation", "LeakyReLU") else op
    if op == "clip":
        return Activation("hardtanh", (params["a_min"], params["a_max"]))
    if op == "LeakyReLU":
        # Of MXNet's LeakyReLU only these two have a name in oneDNN.
        result = {"leaky": Activation("leaky_relu", (params["slope"],)), "gelu": Activation("gelu")}
        return result.get(name)
    return Activation(name) if name in _NAMES else None
