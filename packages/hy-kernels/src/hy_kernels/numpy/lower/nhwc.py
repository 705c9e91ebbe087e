"""Rewrite convolutions for prediction to ``[N, H, W, C]``, fused with bias, sum and bounds."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from hy_kernels.channels_last import ChannelsLast
from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.numpy._bounds import Bounds
from hy_kernels.numpy.nn._window import windows_of
from hy_kernels.numpy.nn.convolution.select import Problem, nhwc
from hy_kernels.record import Type

__all__ = ["with_nhwc_convolutions"]

_GEOMETRY = ("kernel", "stride", "dilate", "pad")
_FLOATS = ("float32", "float64")
_PLANES = {"winograd2": 16, "winograd4": 36}  # (m + 2)² elements of a tile


def _weight_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    """Return the type of a weight ``[O, C, kh, kw]`` after its preparation for a method."""
    ((filters, channels, kh, kw), dtype) = types[0]
    method = params["method"]
    if method == "direct":
        return (channels * kh * kw, filters), dtype
    if method == "depthwise":
        return (kh, kw, filters), dtype
    return (_PLANES[method], channels, filters), dtype


def _convolution_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    (shape, dtype), (weight, _) = types[:2]
    windows = windows_of(shape[1:3], *(params[name] for name in _GEOMETRY))
    return (shape[0], *windows.number, weight[-1]), dtype


def _pair_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    shape, dtype = _convolution_type(types, params)
    return (*shape[:-1], types[3][0][-1]), dtype


def _inputs(params: Mapping[str, Any]) -> tuple[str, ...]:
    more = (name for name in ("bias", "addend") if params[f"with_{name}"])
    return ("data", "weight", *more)


_WEIGHT = PrivateOperator(
    name="_nhwc_weight", kernel="nhwc_weight", inputs=("weight",), infer=_weight_type
)
_LAYER = PrivateOperator(
    name="_nhwc_convolution",
    kernel="nhwc_convolution",
    inputs=("data", "weight", "bias", "addend"),
    infer=_convolution_type,
    active=_inputs,
    batched=("data", "addend"),
)
_PAIR_INPUTS = ("data", "weight", "bias", "then_weight", "then_bias", "addend")
_PAIR = PrivateOperator(
    name="_nhwc_pair",
    kernel="nhwc_pair",
    inputs=_PAIR_INPUTS,
    infer=_pair_type,
    active=lambda params: _PAIR_INPUTS if params["with_addend"] else _PAIR_INPUTS[:-1],
    batched=("data", "addend"),
)
_LAYERS = {each.name: each for each in (_LAYER, _PAIR)}


def with_nhwc_convolutions(graph: Graph) -> Graph:
    """Return the graph with its convolutions on ``[N, H, W, C]`` and prepared weights.

    Weights are prepared once for the fastest method for their sizes; a sum, and a ReLU or
    clip, after a convolution are fused with it. Pooling, concatenation, normalisation and
    elementwise operators keep this layout; before all other operators, values are transposed back.
    """
    return _Plan(graph, _FLOATS).rewritten()


class _Plan(ChannelsLast):
    """One rewriting of a graph to channels last, with the convolutions of this table."""

    def _bounds(self, node: Node) -> Bounds:
        """Return the least and greatest result of a ReLU or of ``clip``; None of other nodes."""
        op, params = self.graph.op(node), self.graph.params(node)
        if op == "clip":
            return params["a_min"], params["a_max"]
        is_relu = op == "relu" or (op == "Activation" and params["act_type"] == "relu")
        return (0.0, inf) if is_relu else None

    def _method(self, node: Node) -> str | None:
        """Return the name of a convolution's method, or None to leave it unchanged."""
        params, inputs = self.graph.params(node), self.graph.inputs(node)
        data, weight = (self.image(value) for value in inputs[:2])
        if data is None or weight is None or params["layout"] not in (None, "NCHW"):
            return None
        algorithm = nhwc(Problem.of(data, weight, params))
        return "direct" if algorithm in ("im2col", "product") else algorithm

    # --- convolutions -----------------------------------------------------------------------

    def convolution(self, node: Node, inputs: tuple[Value, ...]) -> Node | None:
        method = self._method(node)
        if method is None:
            return None
        graph, (data, weight, *bias) = self.graph, inputs
        name = graph.name(node)
        # Computed once and cached until the parameter is overwritten, see ``prepare`` below.
        weight_node = graph.add(
            _WEIGHT, [weight], {"method": method}, name=f"{name}_weight", like=node, replaces=False
        )
        (prepared,) = graph.values(weight_node)
        graph.prepare(prepared)
        inner = self._inner(node, data) if bias else None
        if inner is not None:
            return self._pair(node, inner, [prepared, *bias])
        geometry = {each: graph.params(node)[each] for each in _GEOMETRY}
        params = {
            **geometry,
            "method": method,
            "with_bias": bool(bias),
            "with_addend": False,
            "bounds": None,
        }
        values = [self.last(data), prepared, *bias]
        return graph.add(_LAYER, values, params, name=name, like=node)

    def _inner(self, node: Node, data: Value) -> Node | None:
        """Return the layer to fuse with a 1 by 1 convolution, its only user, or None."""
        graph, params = self.graph, self.graph.params(node)
        # Such a layer reads each pixel once, so that it can follow strip by strip in the cache.
        is_dense = not any(params["pad"]) and all(n == 1 for n in params["stride"])
        if any(n != 1 for n in params["kernel"]) or not is_dense:
            return None
        layer = graph.source(data)
        if graph.op(layer) != _LAYER.name or not self.used_once(layer):
            return None
        layer_params = graph.params(layer)
        # nhwc_pair has no addend between its two layers.
        return layer if layer_params["with_bias"] and not layer_params["with_addend"] else None

    def _pair(self, node: Node, inner: Node, more: Sequence[Value]) -> Node:
        graph = self.graph
        layer_params = graph.params(inner)
        params = {
            **{each: layer_params[each] for each in (*_GEOMETRY, "method")},
            "bounds_between": layer_params["bounds"],
            "with_addend": False,
            "bounds": None,
        }
        values = [*graph.inputs(inner), *more]
        return graph.add(_PAIR, values, params, name=graph.name(node), like=node)

    def fused_layer(self, node: Node, value: Value, addend: Value | None = None) -> Node | None:
        graph, layer = self.graph, self.graph.source(value)
        private = _LAYERS.get(graph.op(layer))
        bounds = self._bounds(node) if addend is None else None
        if private is None or (addend is None and bounds is None) or not self.used_once(layer):
            return None
        params = graph.params(layer)
        if params["bounds"] is not None or (addend is not None and params["with_addend"]):
            return None
        values = [*graph.inputs(layer), *([] if addend is None else [addend])]
        more = {"bounds": bounds, "with_addend": params["with_addend"] or addend is not None}
        return graph.add(private, values, {**params, **more}, name=graph.name(node), like=node)
