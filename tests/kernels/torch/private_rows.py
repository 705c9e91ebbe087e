"""Calls of the kernels that only lowered graphs call: one row of types and parameters for each."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hy_kernels import dense_activation
from hy_kernels.lowering import PrivateOperator
from hy_kernels.torch.lower import attention, convolutions, dense, nhwc, quantized, transposed

__all__ = ["INT8", "INT8_ROWS", "PRIVATE", "ROWS", "SELF_ATTENTION", "Types", "operands"]

Types = Sequence[tuple[tuple[int, ...], str]]
"""Shape and dtype of each operand."""


class Row(NamedTuple):
    """Shapes of the operands, and parameters."""

    shapes: Sequence[tuple[int, ...]]
    params: Mapping[str, Any]

    def types(self, dtype: str) -> Types:
        """Types of operands that are all of one dtype."""
        return [(shape, dtype) for shape in self.shapes]


def _private(*modules: Any) -> dict[str, PrivateOperator]:
    every = [each for module in modules for each in vars(module).values()]
    return {each.name: each for each in every if isinstance(each, PrivateOperator)}


PRIVATE = _private(attention, convolutions, dense, dense_activation, nhwc, transposed)
"""Operators of graphs of floats, by name."""
INT8 = _private(quantized)
"""Operators of graphs of integers, by name."""
SELF_ATTENTION: dict[str, Any] = {
    "heads": 2,
    "parts": tuple((2, 3, k) for k in range(3)),
    "scale": 0.5,
    "mask": "none",
    "fill": 0.0,
    "binary": False,
}
_GEOMETRY = {"stride": (2, 1), "dilate": (), "pad": (1, 0), "num_group": 1}
_LAYER = {"activation": "relu", "scalars": (), "with_bias": True, "with_addend": False}
ROWS: Mapping[str, Row] = {
    "_channels_last_convolution": Row([(2, 5, 6, 3), (4, 3, 3, 2), (4,)], {**_GEOMETRY, **_LAYER}),
    "_channels_last_weight": Row([(4, 3, 3, 2)], {**_GEOMETRY, "size": (2, 3, 5, 6)}),
    "FullyConnected+Activation": Row(
        [(2, 3, 5), (4, 15), (4,)],
        {"num_hidden": 4, "no_bias": False, "flatten": True, "act_type": "softsign"},
    ),
    "_dense_layer": Row(
        [(2, 3, 5), (4, 15)], {"flatten": True, "activation": "none", "scalars": ()}
    ),
    "_dense_layer_weight": Row([(4, 15)], {"rows": 2}),
    "_nhwc_convolution": Row([(2, 5, 6, 3), (4, 3, 3, 2), (4,)], _GEOMETRY),
    "_nhwc_convolution_backward_data": Row([(2, 3, 5, 4), (4, 3, 3, 2), (2, 5, 6, 3)], _GEOMETRY),
    "_nhwc_convolution_backward_weight": Row([(2, 3, 5, 4), (2, 5, 6, 3), (4, 3, 3, 2)], _GEOMETRY),
    "_pointwise_convolution": Row([(2, 5, 6, 3), (4, 3), (4,)], _LAYER),
    "_pointwise_weight": Row([(4, 3, 1, 1)], {"rows": 5}),
    "_winograd_convolution": Row(
        [(2, 5, 6, 3), (36 * 4, 3, 1, 1), (4,)], {"pad": (1, 0), **_LAYER}
    ),
    "_planar_winograd_convolution": Row(
        [(2, 5, 6, 3), (36, 3, 4), (4,)], {"pad": (1, 0), **_LAYER}
    ),
    "_planar_winograd_weight": Row([(4, 3, 3, 3)], {}),
    "_winograd_weight": Row([(4, 3, 3, 3)], {"pad": (1, 0), "size": (2, 3, 5, 6)}),
    "_dot_product_attention": Row([(3, 2, 12)] * 3, SELF_ATTENTION),
    "_dot_product_attention_backward": Row(
        [(3, 2, 4), *[(3, 2, 12)] * 3, (3, 2, 4), (4, 3)], SELF_ATTENTION
    ),
    "_dot_product_attention_with_sums": Row([(3, 2, 12)] * 3, SELF_ATTENTION),
    "_transposed_dense_weight": Row([(4, 24)], {"size": (2, 3, 4)}),
}

_SIZE, _PARTS = (2, 4, 6, 5), 2
_ENDS = [((1,), "float32")] * 4
_DATA, _WEIGHT = (_SIZE, "int8"), ((3, 4, 3, 2), "int8")
_FILTERS, _MAGNITUDES = ((6, 2, 3, 2), "int8"), ((3,), "int32")
INT8_ROWS: Mapping[str, tuple[Types, Mapping[str, Any]]] = {
    "_int8_filters": ([_WEIGHT], {**_GEOMETRY, "size": _SIZE, "kind": "int8", "parts": _PARTS}),
    "_int8_magnitudes": ([_WEIGHT], {}),
    "_int8_convolution": (
        [_DATA, _FILTERS, _MAGNITUDES, *_ENDS],
        {**_GEOMETRY, "parts": _PARTS, "no_bias": True},
    ),
    "_int8_convolution_range": ([_DATA, _MAGNITUDES, *_ENDS], {"no_bias": True}),
}


def operands(
    operator: PrivateOperator, tensors: Sequence[Any], params: Mapping[str, Any]
) -> list[Any]:
    """Operands of the kernel: None for those that a node with these parameters does not have."""
    if operator.active is None:
        return [*tensors]
    given = dict(zip(operator.active(params), tensors, strict=True))
    return [given.get(name) for name in operator.inputs]
