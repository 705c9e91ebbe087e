"""The backend ``channels_last``: images with the channels innermost, and layers as one step."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_ndarray import ArgumentError
from hy_symbol.backend_protocols import Facts, Rewritten
from hy_symbol.graph import Entry, Graph, Node
from hy_symbol.reordering import Reordering
from hy_symbol.rewriting import is_op, new_node, rewrite

__all__ = ["ChannelsLast"]

_LAYERS = ("_channels_last_convolution", "_channels_last_pair")
_GEOMETRY = ("kernel", "stride", "dilate", "pad")
_RANK = 4
_FLOATS = ("float32", "float64")
_RUN = 64  # elements of a window in one run of memory, below which copying them is slow, but
_SHORT, _MANY = 8, 1024  # shorter ones are still worth it where there are many windows
_METHODS = {"direct": 1, "minimal2": 2, "minimal4": 4}
"""Of 3 by 3 kernels, with the side of the tiles whose results come from one product."""
_LOAD = 20  # what it costs to bring in an element of the weight, in multiplications
_COPY = 12  # what it costs to copy an element of the windows
_TRANSFORM = 20  # what it costs to gather, transform and scatter one


def _cost(method: str, channels: int, result: tuple[int, int, int, int]) -> int:
    """What a convolution with 3 by 3 kernels costs, in multiplications."""
    n, filters, height, width = result
    side = _METHODS[method]
    tiles = n * -(-height // side) * -(-width // side)
    if side == 1:
        return 9 * channels * (filters * (tiles + _LOAD) + tiles * _COPY)
    planes = (side + 2) ** 2
    moved = planes * (channels + filters) + side**2 * filters
    return planes * channels * filters * (tiles + _LOAD) + tiles * moved * _TRANSFORM


class ChannelsLast:
    """Plans two-dimensional convolutional nets for prediction on the CPU.

    Convolutions run on ``[N, H, W, C]``, where windows are long runs of memory, with weights
    prepared once for the method that suits their sizes; a sum and a rectifier behind a convolution
    become part of it. Pooling, concatenation, normalisation and elementwise operators between them
    stay in that order of axes; elsewhere it is changed back.
    """

    def rewrite(self, graph: Graph, facts: Facts, options: Mapping[str, Any]) -> Rewritten:
        """The graph with its convolutions in that order of axes.

        Raises:
            ArgumentError: An option is given; there is none.
        """
        if options:
            raise ArgumentError(f"channels_last: unknown option {next(iter(options))!r}")
        plan = _Plan(graph, facts)
        body = rewrite(graph, plan.rule)
        outputs = tuple(plan.first(entry) for entry in body.outputs)
        return Rewritten(Graph(outputs, body.first), once=plan.once)


class _Plan(Reordering):
    """One rewriting: which entries are held with the channels last, and in what form."""

    def __init__(self, graph: Graph, facts: Facts) -> None:
        super().__init__((0, 2, 3, 1), (0, 3, 1, 2))
        self.facts = facts
        self.once: list[Entry] = []
        self._graph = graph
        self._replaced: dict[Node, Node] = {}
        """By new node, the one of the graph whose place it takes."""

    # --- the rule ---------------------------------------------------------------------------

    def rule(self, node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if is_op(node, "Convolution") and self._method(node) is not None:
            return self._convolution(node, inputs)
        found = self._followed(node, inputs) if any(map(self.is_last, inputs)) else None
        return found or self.settled(node, inputs)

    def _followed(self, node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        """The node between entries with the channels last, if it can be there."""
        if is_op(node, "Activation", "relu") and self._rectifies(node):
            fused = self._fused(node, inputs[0], rectify=True)
            if fused is not None:
                return fused
        if self._is_pointwise(node):
            return self._pointwise(node, inputs)
        found: Node | None = None
        if is_op(node, "Pooling") and self._poolable(node):
            found = self._remade(node, inputs, {**node.params, "layout": "NHWC"})
        elif is_op(node, "Concat") and node.params["dim"] == 1 and self._all_images(node):
            found = self._remade(node, [*map(self.last, inputs)], {"dim": 3})
        elif is_op(node, "BatchNorm") and self.is_last(inputs[0]) and self._plain_norm(node):
            found = self._remade(node, inputs, {**node.params, "axis": 3})
        return None if found is None else self.held_last(found)

    def _remade(
        self,
        node: Node,
        inputs: Sequence[Entry],
        params: Mapping[str, Any],
        layer: Node | None = None,
    ) -> Node:
        """A node in the place of ``node``: its operator, or that of ``layer``."""
        op = (layer or node).op
        assert op is not None
        given = {name: value for name, value in params.items() if value is not None}
        return new_node(op.name, inputs, name=node.name, like=node, **given)

    # --- what nodes are ---------------------------------------------------------------------

    def _image(self, entry: Entry) -> tuple[int, int, int, int] | None:
        """The whole shape of an entry of four axes and a float dtype, if it is known."""
        shape, dtype = self.facts.types.get(entry)
        if shape is None or len(shape) != _RANK or dtype not in _FLOATS:
            return None
        n, c, h, w = shape
        return None if n is None or c is None or h is None or w is None else (n, c, h, w)

    def _all_images(self, node: Node) -> bool:
        return all(self._image(entry) is not None for entry in node.inputs)

    def _used_once(self, made: Node) -> bool:
        return self._graph.uses((self._replaced.get(made, made), 0)) == 1

    def _is_pointwise(self, node: Node) -> bool:
        """Whether the order of the axes is nothing to a node, whose operands are of one shape."""
        op = node.op
        if op is None or not op.is_pointwise(node.params) or node.num_visible != 1:
            return False
        if op.updates is not None or op.draws(node.params, False):
            return False
        shapes = {self.facts.types.shape(entry) for entry in (*node.inputs, (node, 0))}
        return len(shapes) == 1

    def _plain_norm(self, node: Node) -> bool:
        """Whether a normalisation is along the channels, and nobody asks for its statistics."""
        seen = any(self._graph.uses((node, i)) for i in (1, 2))
        return node.params["axis"] == 1 and not seen

    def _rectifies(self, node: Node) -> bool:
        return is_op(node, "relu") or node.params["act_type"] == "relu"

    def _poolable(self, node: Node) -> bool:
        params = node.params
        layout_fits = params["layout"] in (None, "NCHW")
        return layout_fits and params["pool_type"] in ("max", "avg") and self._all_images(node)

    def _method(self, node: Node) -> str | None:
        """How a convolution is computed; None where it stays as it is."""
        params = node.params
        data, weight = (self._image(entry) for entry in node.inputs[:2])
        result = self._image((node, 0))
        if (
            data is None
            or weight is None
            or result is None
            or params["layout"] not in (None, "NCHW")
        ):
            return None
        groups, filters, channels = params["num_group"], weight[0], data[1]
        if groups > 1:
            return "depthwise" if groups == filters == channels else None
        run = channels * weight[3]
        if run < _SHORT or (run < _RUN and result[2] * result[3] < _MANY):
            return None
        ones = all(n == 1 for n in (*params["stride"], *params["dilate"]))
        if weight[2:] != (3, 3) or not ones:
            return "direct"
        return min(_METHODS, key=lambda method: _cost(method, channels, result))

    # --- convolutions -----------------------------------------------------------------------

    def _convolution(self, node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry]:
        data, weight, *bias = inputs
        method = self._method(node)
        prepared = new_node(
            "_channels_last_weight", [weight], name=f"{node.name}_weight", method=method
        )
        self.once.append((prepared, 0))
        inner = self._inner(node, data) if bias else None
        if inner is not None:
            made = self._pair(node, inner, [(prepared, 0), *bias])
        else:
            made = new_node(
                "_channels_last_convolution",
                [self.last(data), (prepared, 0), *bias],
                name=node.name,
                like=node,
                method=method,
                with_bias=bool(bias),
                **{name: node.params[name] for name in _GEOMETRY},
            )
        self._replaced[made] = node
        return self.held_last(made)

    def _inner(self, node: Node, data: Entry) -> Node | None:
        """The layer that a layer with 1 by 1 kernels can be computed with: it alone uses it."""
        layer, params = data[0], node.params
        still = not any(params["pad"]) and all(n == 1 for n in params["stride"])
        if any(n != 1 for n in params["kernel"]) or not still:
            return None
        if not is_op(layer, "_channels_last_convolution") or not self._used_once(layer):
            return None
        fits = layer.params["with_bias"] and not layer.params["with_addend"]
        return layer if fits else None

    def _pair(self, node: Node, inner: Node, more: Sequence[Entry]) -> Node:
        return new_node(
            "_channels_last_pair",
            [*inner.inputs, *more],
            name=node.name,
            like=node,
            method=inner.params["method"],
            rectify_between=inner.params["rectify"],
            **{name: inner.params[name] for name in _GEOMETRY},
        )

    def _fused(
        self, node: Node, entry: Entry, *, rectify: bool = False, addend: Entry | None = None
    ) -> Sequence[Entry] | None:
        """A convolution that nobody else uses, with what follows it as part of it."""
        layer = entry[0]
        if not is_op(layer, *_LAYERS) or not self._used_once(layer):
            return None
        params = layer.params
        if params["rectify"] or (addend is not None and params["with_addend"]):
            return None
        inputs = [*layer.inputs, *([] if addend is None else [addend])]
        more = {"rectify": rectify, "with_addend": params["with_addend"] or addend is not None}
        made = self._remade(node, inputs, {**params, **more}, layer)
        self._replaced[made] = node
        return self.held_last(made)

    def _pointwise(self, node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry]:
        lasts = tuple(map(self.last, inputs))
        if is_op(node, "elemwise_add"):
            left, right = lasts
            for one, other in ((left, right), (right, left)):
                fused = None if one == other else self._fused(node, one, addend=other)
                if fused is not None:
                    return fused
        return self.held_last(node.copy(inputs=lasts))
