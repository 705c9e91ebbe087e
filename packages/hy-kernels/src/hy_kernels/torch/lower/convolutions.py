"""Two-dimensional convolutions for prediction on ``[N, H, W, C]``, fused with their activation."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hy_kernels.channels_last import ChannelsLast
from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.record import Type
from hy_kernels.torch.lower._activations import NONE, activation_of
from hy_kernels.torch.nn.convolution import select
from hy_kernels.torch.runtime._onednn import has_fast_blas
from hy_kernels.windows import filled, geometry_by_axis, window_counts
from hy_kernels.winograd import TILES

__all__ = ["with_channels_last_convolutions"]

_GEOMETRY = ("stride", "dilate", "pad", "num_group")
_DTYPES = ("float32", "float16", "bfloat16")
# 6 by 6 elements of the transform for tiles of 4 by 4 results.
_PLANES = (TILES["winograd4"].size + 2) ** 2


def _convolution_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    ((n, *size, _), dtype), ((filters, _, *kernel), _) = types[:2]
    geometry = geometry_by_axis(2, params["stride"], params["dilate"], params["pad"])
    return (n, *window_counts(tuple(size), tuple(kernel), *geometry), filters), dtype


def _winograd_weight_type(types: Sequence[Type], _: Mapping[str, Any]) -> Type:
    shape, dtype = types[0]
    return (_PLANES * shape[0], shape[1], 1, 1), dtype


def _planar_weight_type(types: Sequence[Type], _: Mapping[str, Any]) -> Type:
    shape, dtype = types[0]
    return (_PLANES, shape[1], shape[0]), dtype


def _winograd_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    return _filtered_type(types[0], types[1][0][0] // _PLANES, params)


def _planar_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    return _filtered_type(types[0], types[1][0][2], params)


def _filtered_type(data: Type, filters: int, params: Mapping[str, Any]) -> Type:
    (n, *size, _), dtype = data
    number = [w + 2 * p - 2 for w, p in zip(size, filled(params["pad"], 0, 2), strict=True)]
    return (n, *number, filters), dtype


def _pointwise_weight_type(types: Sequence[Type], _: Mapping[str, Any]) -> Type:
    shape, dtype = types[0]
    return shape[:2], dtype


def _pointwise_type(types: Sequence[Type], _: Mapping[str, Any]) -> Type:
    shape, dtype = types[0]
    return (*shape[:-1], types[1][0][0]), dtype


def _inputs(params: Mapping[str, Any]) -> tuple[str, ...]:
    more = (name for name in ("bias", "addend") if params[f"with_{name}"])
    return ("data", "weight", *more)


_WEIGHT = PrivateOperator(
    name="_channels_last_weight",
    kernel="channels_last_weight",
    inputs=("weight",),
    infer=lambda types, _: types[0],
)
_layer_operator = partial(
    PrivateOperator,
    inputs=("data", "weight", "bias", "addend"),
    active=_inputs,
    batched=("data", "addend"),
)
_LAYER = _layer_operator(
    "_channels_last_convolution", "channels_last_convolution", infer=_convolution_type
)
_WINOGRAD_WEIGHT = PrivateOperator(
    name="_winograd_weight",
    kernel="winograd_weight",
    inputs=("weight",),
    infer=_winograd_weight_type,
)
_WINOGRAD = _layer_operator("_winograd_convolution", "winograd_convolution", infer=_winograd_type)
_PLANAR_WEIGHT = PrivateOperator(
    name="_planar_winograd_weight",
    kernel="planar_winograd_weight",
    inputs=("weight",),
    infer=_planar_weight_type,
)
_PLANAR = _layer_operator(
    "_planar_winograd_convolution", "planar_winograd_convolution", infer=_planar_type
)
_POINTWISE_WEIGHT = PrivateOperator(
    name="_pointwise_weight",
    kernel="pointwise_weight",
    inputs=("weight",),
    infer=_pointwise_weight_type,
)
_POINTWISE = _layer_operator(
    "_pointwise_convolution", "pointwise_convolution", infer=_pointwise_type
)
_LAYERS = {each.name: each for each in (_LAYER, _WINOGRAD, _PLANAR, _POINTWISE)}


def with_channels_last_convolutions(graph: Graph, *, for_onednn: bool = True) -> Graph:
    """Return the graph with convolutions on ``[N, H, W, C]``, fastest in oneDNN and cuDNN.

    Weights are prepared once; a sum and an activation after a convolution are fused with it.

    Args:
        graph: The graph.
        for_onednn: Whether to use Winograd's algorithm, and matrix products for 1 by 1 kernels,
            where they are faster on CPUs.
    """
    return _Plan(graph, _DTYPES, for_onednn).rewritten()


class _Plan(ChannelsLast):
    """Rewriting of one graph to channels-last convolutions by several algorithms."""

    def __init__(self, graph: Graph, dtypes: Sequence[str], for_onednn: bool) -> None:
        super().__init__(graph, dtypes)
        self._for_onednn = for_onednn
        self._by_blas = has_fast_blas()

    def convolution(self, node: Node, inputs: tuple[Value, ...]) -> Node | None:
        graph, params = self.graph, self.graph.params(node)
        images = [self.image(value) for value in graph.inputs(node)[:2]]
        if None in images or params["layout"] not in (None, "NCHW"):
            return None
        data, weight, *bias = inputs
        more = {"activation": NONE.name, "scalars": (), "with_addend": False}
        private = _WEIGHT, _LAYER
        geometry = {each: params[each] for each in _GEOMETRY}
        known = {**geometry, "size": images[0]}
        # Chosen by known sizes; a layer of open sizes stays with what torch selects.
        algorithm, rows = self._selected(node)
        if algorithm == "winograd4":
            private, geometry = (_WINOGRAD_WEIGHT, _WINOGRAD), {"pad": params["pad"]}
            known = {**geometry, "size": images[0]}
            # Planes in front suit BLAS's batched product, planes inside of a tile oneDNN's grouped
            # convolution.
            if self._by_blas:
                private, known = (_PLANAR_WEIGHT, _PLANAR), {}
        elif algorithm == "product":
            private, geometry, known = (_POINTWISE_WEIGHT, _POINTWISE), {}, {"rows": rows}
        added = graph.add(
            private[0],
            [weight],
            known,
            name=f"{graph.name(node)}_weight",
            like=node,
            replaces=False,
        )
        (prepared,) = graph.values(added)
        # Prepared values are computed once, not at each call.
        graph.prepare(prepared)
        return graph.add(
            private[1],
            [self.last(data), prepared, *bias],
            {**geometry, **more, "with_bias": bool(bias)},
            name=graph.name(node),
            like=node,
        )

    def _selected(self, node: Node) -> tuple[select.Algorithm, int]:
        """Return a convolution's algorithm and the rows of its product; unknown sizes: torch's."""
        params, graph = self.graph.params(node), self.graph
        data, weight = (self.image(value) for value in graph.inputs(node)[:2])
        type_ = graph.type(graph.inputs(node)[0])
        if not self._for_onednn or data is None or weight is None or type_ is None:
            return "torch", 0
        ones = all(k == 1 for name in ("stride", "dilate") for k in params[name])
        if not ones or params["num_group"] != 1 or type_[1] != "float32":
            return "torch", 0
        rows = data[0] * data[2] * data[3]
        return select.prepared(data, weight, params["pad"], by_blas=self._by_blas), rows

    def fused_layer(self, node: Node, value: Value, addend: Value | None = None) -> Node | None:
        graph, layer = self.graph, self.graph.source(value)
        private = _LAYERS.get(graph.op(layer))
        # Fused only if nobody else reads the plain result.
        if private is None or not self.used_once(layer):
            return None
        params, result = graph.params(layer), NONE
        if params["activation"] != NONE.name:
            return None
        values = [*graph.inputs(layer)]
        if addend is None:
            activation = activation_of(graph, node)
            if activation is None:
                return None
            result = activation
        elif params["with_addend"]:
            return None
        else:
            values.append(addend)
        more = {"activation": result.name, "scalars": result.scalars}
        more["with_addend"] = len(values) > 2 + params["with_bias"]
        return graph.add(private, values, {**params, **more}, name=graph.name(node), like=node)
