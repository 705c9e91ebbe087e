"""Export of scaled dot-product attention, by operators of all opsets."""

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []

_FAR = -6e4
"""A score at or below which a key is hidden; float16 has it."""


def _repeated_heads(call: Call, i: int, order: list[int]) -> str:
    """Return input ``i``, keys or values, as ``[B, H, S, D]`` with shared heads repeated."""
    repeats = call.params["kv_repeat"]
    x = call.transpose(call.name(i), *order)
    if repeats == 1:
        return x
    batch, groups, length, size = (call.dims(i)[axis] for axis in order)
    heads = call.number(groups) * repeats
    wide = call.expand(call.unsqueeze(x, 2), (batch, groups, repeats, length, size))
    return call.reshape(wide, (batch, heads, length, size))


def _is_later(call: Call, order: list[int]) -> str:
    """Return the causal mask ``[L, S]``: true where a key is later than a query.

    Queries and keys are aligned at their ends, so that the last query sees all keys.
    """
    ends = []
    for i in (1, 0):  # keys, queries
        indices = call.positions(order[2], call.dtype(), i)
        ends.append(call.op("Sub", call.reduce("ReduceMax", indices, [0], keepdims=True), indices))
    return call.op("Less", ends[0], call.unsqueeze(ends[1], 1))


@converter("_contrib_scaled_dot_product_attention")
def _attention(call: Call) -> list[str]:
    params = call.params
    order = [params["layout"].index(axis) for axis in "BHLD"]
    size = call.number(call.dims()[order[3]])
    scale = size**-0.5 if params["scale"] is None else params["scale"]
    query = call.op("Mul", call.transpose(call.x, *order), call.like(scale))
    key = call.transpose(_repeated_heads(call, 1, order), 0, 1, 3, 2)
    scores = call.op("MatMul", query, key)
    if call.has(3):
        scores = call.op("Add", scores, call.name(3))
    if params["causal"]:
        scores = call.op("Where", _is_later(call, order), call.like(_FAR), scores)
    # Hidden keys weigh exactly 0, also where a query sees none.
    is_visible = call.cast(call.op("Greater", scores, call.like(_FAR)), call.dtype())
    scores = call.op("Max", scores, call.like(_FAR))
    weights = call.op("Mul", call.op("Softmax", scores, axis=-1), is_visible)
    y = call.op("MatMul", weights, _repeated_heads(call, 2, order))
    sums = call.reduce("ReduceLogSumExp", scores, [3], keepdims=False)
    return [call.transpose(y, *(order.index(axis) for axis in range(4))), sums]


@converter("_contrib_rms_norm")
def _rms_norm(call: Call) -> list[str]:
    x, axis = call.x, call.rank() - 1
    square = call.reduce("ReduceMean", call.op("Mul", x, x), [axis], keepdims=True)
    root = call.op("Sqrt", call.op("Add", square, call.like(call.params["eps"])))
    y = call.op("Mul", call.op("Div", x, root), call.name(1))
    return [y, call.op("Reciprocal", root)]


@converter("_contrib_rotary_embedding")
def _rotary_embedding(call: Call) -> str:
    # ONNX's RotaryEmbedding, of opset 23, has one of two layouts and half of each factor.
    axis = call.rank() - 1
    half = call.size(0, axis) // 2
    first, second = call.split(call.x, axis, [half, half])
    swapped = call.op("Concat", second, first, axis=axis)
    return call.op(
        "Add", call.op("Mul", call.x, call.name(1)), call.op("Mul", swapped, call.name(2))
    )
