"""Convolutions that train on ``[N, H, W, C]``, the fastest layout of oneDNN and tensor cores.

In oneDNN it is the fastest if weights are small. GPU kernels for 16-bit floats read contiguous
channels: with channels first, cuDNN makes a copy before each convolution, and one after it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hy_kernels.convolution_order import ConvolutionOrder, counterparts, operands
from hy_kernels.lowering import Graph, Node
from hy_kernels.record import Type
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.nn.convolution import select
from hy_kernels.windows import Sizes, geometry_by_axis, window_counts

__all__ = ["with_nhwc_convolutions"]

_HALF_DTYPES = ("float16", "bfloat16")

_RANK = 4
_GEOMETRY = ("stride", "dilate", "pad", "num_group")


def _convolution_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    ((n, *size, _), dtype), (weight, _) = types[:2]
    return (n, *_window_counts(size, weight, params), weight[0]), dtype


def _window_counts(size: Sequence[int], weight: Sequence[int], params: Mapping[str, Any]) -> Sizes:
    """Return the number of windows along each spatial axis."""
    geometry = geometry_by_axis(2, params["stride"], params["dilate"], params["pad"])
    return window_counts(tuple(size), tuple(weight[2:]), *geometry)


_CONVOLUTION, _TO_DATA, _TO_WEIGHT = counterparts("nhwc", _convolution_type)


def with_nhwc_convolutions(graph: Graph, *, on_gpu: bool = False) -> Graph:
    """Return the graph with light convolutions, and the nodes between them, on ``[N, H, W, C]``.

    A convolution is light if its weight is small for its number of windows; on GPUs every
    convolution of 16-bit floats is. Gradients are rewritten likewise. Convolutions that are matrix
    products are included if there are at least as many of them as heavy convolutions. The graph is
    returned unchanged if too many elements would be transposed.
    """
    result = [(node, _weight_class(graph, node, on_gpu)) for node in graph.nodes]
    count = Counter(kind for _, kind in result)
    there = {"light", "product"} if count["product"] >= count["heavy"] else {"light"}
    convolutions = [node for node, kind in result if kind in there]
    if not convolutions:
        return graph
    private = _CONVOLUTION, _TO_DATA, _TO_WEIGHT
    plan = ConvolutionOrder(
        graph=graph,
        convolutions=convolutions,
        there=(0, 2, 3, 1),
        back=(0, 3, 1, 2),
        private=private,
        geometry=_GEOMETRY,
    )
    rewritten = plan.rewritten()
    return rewritten if plan.transposes_at_most(COSTS.nhwc.moved) else graph


def _weight_class(graph: Graph, node: Node, on_gpu: bool) -> str:
    """Return the class of a convolution or gradient, see :func:`select.nhwc_order`; else ``""``."""
    types = operands(graph, node)
    if types is None:
        return ""
    ((data, dtype), (weight, _)), params = types, graph.params(node)
    dtypes = _HALF_DTYPES if on_gpu else ("float32",)
    if dtype not in dtypes or len(data) != _RANK or params["layout"] not in (None, "NCHW"):
        return ""
    if on_gpu:
        return "light"
    number = _window_counts(data[2:], weight, params)
    return select.nhwc_order(data, weight, number, params["num_group"])
