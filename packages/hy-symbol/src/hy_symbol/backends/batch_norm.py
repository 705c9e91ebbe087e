"""The backend ``fold_batch_norm``: batch normalisation folded into the layer before it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hy_ndarray import ArgumentError
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import is_op, new_node, rewrite
from hy_symbol.regions.protocols import Facts, Rewritten

__all__ = ["FoldBatchNorm"]

_NORMS = (
    "BatchNorm",
    "BatchNorm_v1",
    "_contrib_BatchNormWithReLU",
    "_contrib_SyncBatchNorm",
)
_LAYERS = ("Convolution", "Convolution_v1", "Deconvolution", "FullyConnected")
_HALF = ("float16", "bfloat16")


class FoldBatchNorm:
    """Folds batch normalisation into the weight and bias of the layer before it, for prediction.

    In prediction ``BatchNorm`` multiplies each channel by ``s = gamma / sqrt(var + eps)`` and adds
    ``beta - mean · s``. After a convolution, deconvolution or dense layer, the result equals that
    of the layer with weight ``s · weight`` and bias ``s · bias + beta - mean · s``; nothing else
    may use the layer's output. New nodes compute the new weight and bias, once where the parameters
    are known. 16-bit weights are folded in float32, then rounded.
    """

    def rewrite(self, graph: Graph, facts: Facts, options: Mapping[str, Any]) -> Rewritten:
        """Return the graph with batch normalisations folded into layers where possible.

        Raises:
            ArgumentError: An option is given.
        """
        if options:
            raise ArgumentError(f"fold_batch_norm: unknown option {next(iter(options))!r}")
        foldable = set(_foldable(graph, facts))

        once: list[Entry] = []

        def folded(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
            if node not in foldable:
                return None
            return [(_Fold(node, inputs, facts, once).node(), 0)]

        return Rewritten(rewrite(graph, folded), once=once)


def _foldable(graph: Graph, facts: Facts) -> list[Node]:
    foldable = []
    for node in graph.nodes:
        # Mean and variance as outputs need the operator itself.
        if not is_op(node, *_NORMS) or node.params["output_mean_var"]:
            continue
        if any(graph.uses((node, i)) for i in range(1, node.num_outputs)):
            continue
        layer = node.inputs[0][0]
        alone = graph.uses(node.inputs[0]) == 1
        if is_op(layer, *_LAYERS) and alone and _along_channels(node, layer, facts):
            foldable.append(node)
    return foldable


def _along_channels(norm: Node, layer: Node, facts: Facts) -> bool:
    """Return whether a normalisation's axis is the channel axis of its layer."""
    axis: int = norm.params.get("axis", 1)
    params = layer.params
    if is_op(layer, "FullyConnected"):
        shape = facts.types.shape((layer, 0))
        rank = 2 if params["flatten"] else None if shape is None else len(shape)
        # The channels of a dense layer are its last axis, whose index depends on the rank.
        return axis == -1 or (rank is not None and axis == rank - 1)
    rank = len(params["kernel"]) + 2
    layout: str = params["layout"] or "NCDHW"[:rank]
    return axis % rank == (1 if layout[1] == "C" else rank - 1)


class _Fold(NamedTuple):
    """One batch normalisation to fold, with the layer before it."""

    norm: Node
    inputs: tuple[Entry, ...]
    facts: Facts
    once: list[Entry]
    """The new weight and bias are appended here."""

    @property
    def layer(self) -> Node:
        return self.inputs[0][0]

    def new(self, what: str, op: str, *inputs: Entry, **params: Any) -> Entry:
        """Return the output of a new node ``<layer>_folded_<what>`` of operator ``op``."""
        name = f"{self.layer.name}_folded_{what}"
        return new_node(op, inputs, name=name, beside=self.norm, **params), 0

    def node(self) -> Node:
        """Return the layer with the normalisation folded in, under the normalisation's name."""
        _, gamma, beta, mean, var = self.inputs
        data, weight, *bias = self.layer.inputs
        params = self.norm.params
        shifted = self.new("variance", "_plus_scalar", var, scalar=params["eps"])
        scale = self.new("scale", "rsqrt", shifted)
        if not params["fix_gamma"]:
            scale = self.new("scale", "elemwise_mul", scale, gamma)
        # Statistics of 16-bit layers are float32; the fold is rounded once.
        dtype = self.half()
        if bias:
            wide = self.cast("bias", bias[0], "float32") if dtype else bias[0]
            mean = self.new("mean", "elemwise_sub", mean, wide)
        shift = self.new("shift", "elemwise_mul", mean, scale)
        offset = self.new("bias", "elemwise_sub", beta, shift)
        scaled = self.scaled(self.cast("weight", weight, "float32") if dtype else weight, scale)
        if dtype:
            scaled = self.cast("weight", scaled, dtype)
            offset = self.cast("bias", offset, dtype)
        self.once.extend((scaled, offset))
        layer = self.layer.copy(name=self.norm.name, inputs=(data, scaled, offset))
        return self.with_bias(layer)

    def half(self) -> str | None:
        """Return the dtype of the data if it is a 16-bit float, else None."""
        dtype = self.facts.types.dtype((self.norm.inputs[0][0], 0))
        return dtype if dtype in _HALF else None

    def cast(self, what: str, value: Entry, dtype: str) -> Entry:
        return self.new(what, "Cast", value, dtype=dtype)

    def scaled(self, weight: Entry, scale: Entry) -> Entry:
        """Return the weight with each output channel multiplied by its scale."""
        layer = self.layer
        if is_op(layer, "FullyConnected"):
            column = self.new("column", "Reshape", scale, shape=(-1, 1))
            return self.new("weight", "broadcast_mul", weight, column)
        ones = (1,) * len(layer.params["kernel"])
        if not is_op(layer, "Deconvolution"):  # [filters, ...]
            column = self.new("column", "Reshape", scale, shape=(-1, 1, *ones))
            return self.new("weight", "broadcast_mul", weight, column)
        # A deconvolution's weight has the input channels first, and filters by group.
        groups = layer.params["num_group"]  # [channels, filters / groups, ...]
        tail = (*ones, -1) if self.channels_last() else (-1, *ones)
        column = self.new("column", "Reshape", scale, shape=(groups, 1, *tail))
        split = self.new("groups", "Reshape", weight, shape=(-4, groups, -1, -2))
        product = self.new("product", "broadcast_mul", split, column)
        return self.new("weight", "Reshape", product, shape=(-3, -2))

    def channels_last(self) -> bool:
        layout: str | None = self.layer.params["layout"]
        return layout is not None and layout[1] != "C"

    def with_bias(self, layer: Node) -> Node:
        """Return the layer with its bias enabled, followed by the normalisation's ReLU, if any."""
        op = layer.op
        assert op is not None
        attrs = {**layer.attrs, "no_bias": "False"}
        params = {**layer.params, "no_bias": False}
        name = self.norm.name
        relu = is_op(self.norm, "_contrib_BatchNormWithReLU")
        title = f"{name}_linear" if relu else name
        biased = Node(op, title, layer.inputs, attrs, params, beside=layer)
        if not relu:
            return biased
        return new_node("Activation", [(biased, 0)], name=name, like=self.norm, act_type="relu")
