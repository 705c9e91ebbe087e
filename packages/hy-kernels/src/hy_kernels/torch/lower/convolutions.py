"""Two-dimensional convolutions for prediction on ``[N, H, W, C]``, and layers as one step."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_kernels.channels_last import ChannelsLast
from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.record import Type
from hy_kernels.torch.lower._activations import NONE, activation_of
from hy_kernels.torch.nn._window import full

__all__ = ["with_channels_last_convolutions"]

_GEOMETRY = ("stride", "dilate", "pad", "num_group")
_DTYPES = ("float32", "float16", "bfloat16")


def _same(types: Sequence[Type], _: Mapping[str, Any]) -> Type:
    return types[0]


def _convolved(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    ((n, *size, _), dtype), ((filters, _, *kernel), _) = types[:2]
    stride, dilate, pad = (
        full(params[name], 2, default)
        for name, default in (("stride", 1), ("dilate", 1), ("pad", 0))
    )
    each = zip(size, kernel, stride, dilate, pad, strict=True)
    number = [(w + 2 * p - d * (k - 1) - 1) // s + 1 for w, k, s, d, p in each]
    return (n, *number, filters), dtype


def _inputs(params: Mapping[str, Any]) -> tuple[str, ...]:
    more = (name for name in ("bias", "addend") if params[f"with_{name}"])
    return ("data", "weight", *more)


_WEIGHT = PrivateOperator("_channels_last_weight", "channels_last_weight", ("weight",), _same)
_LAYER = PrivateOperator(
    "_channels_last_convolution",
    "channels_last_convolution",
    ("data", "weight", "bias", "addend"),
    _convolved,
    active=_inputs,
    batched=("data", "addend"),
)


def with_channels_last_convolutions(graph: Graph) -> Graph:
    """The graph with its convolutions on ``[N, H, W, C]``, as oneDNN and cuDNN are fastest on.

    Weights are prepared once; a sum and an activation behind a convolution become part of it.
    """
    return _Plan(graph, _DTYPES).rewritten()


class _Plan(ChannelsLast):
    """One rewriting, with layers that are one call each."""

    def convolution(self, node: Node, inputs: tuple[Value, ...]) -> Node | None:
        graph, params = self.graph, self.graph.params(node)
        images = [self.image(value) for value in graph.inputs(node)[:2]]
        if None in images or params["layout"] not in (None, "NCHW"):
            return None
        data, weight, *bias = inputs
        geometry = {each: params[each] for each in _GEOMETRY}
        weighing = graph.add(
            _WEIGHT,
            [weight],
            {**geometry, "size": images[0]},
            name=f"{graph.name(node)}_weight",
            like=node,
            replaces=False,
        )
        (prepared,) = graph.values(weighing)
        graph.prepare(prepared)
        more = {"activation": NONE.name, "scalars": (), "with_addend": False}
        return graph.add(
            _LAYER,
            [self.last(data), prepared, *bias],
            {**geometry, **more, "with_bias": bool(bias)},
            name=graph.name(node),
            like=node,
        )

    def joined(self, node: Node, value: Value, addend: Value | None = None) -> Node | None:
        graph, layer = self.graph, self.graph.source(value)
        if graph.op(layer) != _LAYER.name or not self.used_once(layer):
            return None
        params, found = graph.params(layer), NONE
        if params["activation"] != NONE.name:
            return None
        values = [*graph.inputs(layer)]
        if addend is None:
            activation = activation_of(graph, node)
            if activation is None:
                return None
            found = activation
        elif params["with_addend"]:
            return None
        else:
            values.append(addend)
        more = {"activation": found.name, "scalars": found.scalars}
        more["with_addend"] = len(values) > 2 + params["with_bias"]
        return graph.add(_LAYER, values, {**params, **more}, name=graph.name(node), like=node)
