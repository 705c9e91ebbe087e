"""Scaled dot-product attention as one operator, and its gradients."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.elementwise.broadcast import broadcast_add, sum_like
from hy_ndarray.ops.elementwise.casting import cast, cast_like
from hy_ndarray.ops.elementwise.compare import broadcast_greater_equal
from hy_ndarray.ops.elementwise.scalar import maximum_scalar
from hy_ndarray.ops.elementwise.unary import div_sqrt_dim
from hy_ndarray.ops.linalg.products import batch_dot
from hy_ndarray.ops.nn.softmax import axis_total, softmax, softmax_backward
from hy_ndarray.ops.record.ranges import Positive
from hy_ndarray.ops.record.rules import broadcast_shapes, expect_rank, floating
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType, merge_shapes, show
from hy_ndarray.ops.shaping.axes import reverse, transpose
from hy_ndarray.ops.shaping.creation import arange_like
from hy_ndarray.ops.shaping.expanding import repeat, repeat_backward
from hy_ndarray.ops.shaping.reshape import expand_dims

_AXES = "BHLD"
_MIN_SCORE = -6e4
"""Score at or below which a key is masked in composed gradients; float16 ends at -65504."""


def _layout_axes(layout: str) -> tuple[int, ...]:
    """Return the axes of batch, heads, positions and elements in ``layout``.

    Raises:
        ArgumentError: ``layout`` has other letters, or ``D`` is not the last.
    """
    if sorted(layout) != sorted(_AXES) or layout[-1] != "D":
        raise ArgumentError(f"layout={layout!r} must be a permutation of B, H and L, followed by D")
    return tuple(layout.index(axis) for axis in _AXES)


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(order.index(axis) for axis in range(len(order)))


def _permuted(shape: PartialShape, order: tuple[int, ...]) -> PartialShape:
    return tuple(shape[axis] for axis in order)


# --- gradients -------------------------------------------------------------------------------


class _Composed:
    """Intermediate values of attention, composed of operators; used for second derivatives.

    Args:
        inputs: Queries, keys and values.
        bias: The bias of the scores; empty or None if there is none.
        params: Parameters of the operator.
    """

    def __init__(self, inputs: Sequence[Any], bias: Sequence[Any], params: Params) -> None:
        query, key, value = inputs
        self._params = params
        self._layout_axes = _layout_axes(params["layout"])
        self.query = self._scaled(self.by_head(query))
        self.key, self.value = self.by_head(key, repeated=True), self.by_head(value, repeated=True)
        scores = batch_dot(self.query, self.key, transpose_b=True)
        if _has_bias(bias):
            scores = broadcast_add(scores, bias[0])
        if params["causal"]:
            scores = broadcast_add(scores, self._causal_mask(scores) * (2 * _MIN_SCORE))
        # softmax of a query that sees no key would be nan with scores of -inf: they are clamped to
        # a finite one, and the weights of hidden keys set to 0.
        visible = scores > _MIN_SCORE
        self.weights = softmax(maximum_scalar(scores, scalar=_MIN_SCORE)) * visible

    @staticmethod
    def _causal_mask(scores: Any) -> Any:
        """Return a mask with 1 where a key comes after its query, aligned at the ends."""
        # float16 has not all integers above 2,048. Counted from the end, where both sequences
        # align.
        like = cast(scores, dtype="float32")
        key, query = (reverse(arange_like(like, axis=axis), axis=(0,)) for axis in (-1, -2))
        return cast_like(1 - broadcast_greater_equal(key, expand_dims(query, axis=1)), scores)

    def _scaled(self, x: Any) -> Any:
        """Return ``x`` times the scale of the scores, ``1 / sqrt(D)`` by default."""
        scale = self._params["scale"]
        return div_sqrt_dim(x) if scale is None else x * scale

    def by_head(self, x: Any, *, repeated: bool = False, scaled: bool = False) -> Any:
        """Return ``x`` transposed to ``[B, H, L, D]``, with heads repeated if ``repeated``."""
        x = transpose(x, axes=self._layout_axes)
        if repeated and self._params["kv_repeat"] > 1:
            x = repeat(x, repeats=self._params["kv_repeat"], axis=1)
        return self._scaled(x) if scaled else x

    def queries(self, x: Any) -> Any:
        """Return ``x``, ``[B, H, L, D]``, transposed to the layout of the operands."""
        return transpose(x, axes=_inverse(self._layout_axes))

    def keys(self, x: Any, like: Any) -> Any:
        """Return the gradient ``x`` summed over repeated heads, in the layout of ``like``."""
        repeats = self._params["kv_repeat"]
        if repeats > 1:
            x = repeat_backward(x, transpose(like, axes=self._layout_axes), repeats=repeats, axis=1)
        return self.queries(x)

    def score_gradients(self, dy: Any) -> tuple[Any, Any]:
        """Return the gradients of weights and scores, given ``dy`` as ``[B, H, L, D]``."""
        dweights = batch_dot(dy, self.value, transpose_b=True)
        return dweights, softmax_backward(dweights, self.weights, self.weights)

    def scaled(self, x: Any) -> Any:
        """Return the gradient of unscaled queries, given the gradient ``x`` of scaled ones."""
        return self._scaled(x)


def _has_bias(bias: Sequence[Any]) -> bool:
    """Return whether the optional bias is given; it may be left out or None."""
    return any(x is not None for x in bias)


def _grad(saved: Saved, dy: Any) -> tuple[Any, ...]:
    arrays, bias = saved.inputs[:3], saved.inputs[3:]
    gradients = scaled_dot_product_attention_backward(
        dy, *arrays, *saved.outputs, *bias, **saved.params
    )
    # The kernel has no gradient to the bias, which few programs learn: it is composed, of all
    # scores.
    if _has_bias(bias) and saved.wants(3):
        steps = _Composed(arrays, bias, saved.params)
        return *gradients, sum_like(steps.score_gradients(steps.by_head(dy))[1], bias[0])
    return *gradients, *[None] * len(bias)


def _grad_backward(saved: Saved, dquery: Any, dkey: Any, dvalue: Any) -> tuple[Any, ...]:
    """Return the gradients of :func:`scaled_dot_product_attention_backward`.

    With weights ``P`` and scores ``S``, ``dP = dy Vᵀ`` and ``dS = P (dP - Σ P dP)``. The gradients
    that are differentiated here are ``dS K``, ``dSᵀ Q`` and ``Pᵀ dy``.
    """
    dy, query, key, value, _, _, *bias = saved.inputs
    steps = _Composed((query, key, value), bias, saved.params)
    dy_by_head, weights = steps.by_head(dy), steps.weights
    along_q = steps.by_head(dquery, scaled=True)
    along_k, along_v = (steps.by_head(x, repeated=True) for x in (dkey, dvalue))
    dweights, dscores = steps.score_gradients(dy_by_head)
    to_dscores = batch_dot(along_q, steps.key, transpose_b=True)
    to_dscores = to_dscores + batch_dot(steps.query, along_k, transpose_b=True)
    to_dweights = softmax_backward(to_dscores, weights, weights)
    mean, other = (axis_total(weights * x, axis=-1) for x in (dweights, to_dscores))
    to_weights = to_dscores * dweights - to_dscores * mean - dweights * other
    to_weights = to_weights + batch_dot(dy_by_head, along_v, transpose_b=True)
    to_scores = softmax_backward(to_weights, weights, weights)
    to_dy = batch_dot(to_dweights, steps.value) + batch_dot(weights, along_v)
    to_query = steps.scaled(batch_dot(to_scores, steps.key) + batch_dot(dscores, along_k))
    to_key = batch_dot(to_scores, steps.query, transpose_a=True)
    to_key = to_key + batch_dot(dscores, along_q, transpose_a=True)
    to_value = batch_dot(to_dweights, dy_by_head, transpose_a=True)
    to_bias = [sum_like(to_scores, bias[0])] if _has_bias(bias) else [None] * len(bias)
    return (
        steps.queries(to_dy),
        steps.queries(to_query),
        steps.keys(to_key, key),
        steps.keys(to_value, value),
        None,
        None,
        *to_bias,
    )


# --- the operators ---------------------------------------------------------------------------


def _operand_types(
    query: TensorType,
    key: TensorType,
    value: TensorType,
    bias: TensorType | None,
    kv_repeat: int,
    layout: str,
) -> tuple[TensorType, TensorType]:
    order = _layout_axes(layout)
    dtype = floating(query, key, value)
    for data in (query, key, value):
        expect_rank(data, len(_AXES))
    if bias is not None:
        bias.set_dtype(dtype)
    key.set_shape(value.shape)
    value.set_shape(key.shape)
    if query.shape is None or key.shape is None:
        return query, query.with_shape(None)
    batch, heads, rows, size = _permuted(query.shape, order)
    _, groups, columns, _ = _permuted(key.shape, order)
    if heads is not None and heads % kv_repeat:
        raise ShapeError(
            f"query {show(query.shape)} has {heads} heads, which is not a multiple of "
            f"kv_repeat={kv_repeat}"
        )
    fewer = None if heads is None else heads // kv_repeat
    try:
        key.set_shape(_permuted((batch, fewer, columns, size), _inverse(order)))
    except ShapeError:
        raise ShapeError(
            f"query {show(query.shape)} and key {show(key.shape)} do not match in layout {layout}: "
            f"batch and head size must be equal, and query must have kv_repeat={kv_repeat} times "
            "the heads of key"
        ) from None
    heads = groups * kv_repeat if heads is None and groups is not None else heads
    _check_bias(bias, (batch, heads, rows, columns))
    # The logarithm of each row's sum of exponentials: from it backward computes the weights again,
    # block by block (Dao et al. 2022).
    sums = query.with_shape((batch, heads, rows))
    return query, sums.with_dtype("float32") if dtype in ("float16", "bfloat16") else sums


def _check_bias(bias: TensorType | None, scores: PartialShape) -> None:
    if bias is None or bias.shape is None:
        return
    try:
        fits = merge_shapes(broadcast_shapes(bias.shape, scores), scores) is not None
    except ShapeError:
        fits = False
    if not fits:
        raise ShapeError(
            f"bias {show(bias.shape)} cannot be broadcast to the scores {show(scores)}"
        )


@operator(
    "_contrib_scaled_dot_product_attention",
    outputs=("output", "sums"),
    visible=1,
    grad=_grad,
)
def scaled_dot_product_attention(
    query: TensorType,
    key: TensorType,
    value: TensorType,
    bias: TensorType | None = None,
    *,
    causal: bool = False,
    scale: float | None = None,
    kv_repeat: Positive = 1,
    layout: str = "BHLD",
) -> tuple[TensorType, TensorType]:
    """Return ``softmax(query · keyᵀ · scale + bias) · value`` for each head.

    Args:
        query: ``[B, H, L, D]``, floating: batch, heads, positions, elements; or as in ``layout``.
        key: ``[B, G, S, D]``, the dtype of ``query``.
        value: Same shape and dtype as ``key``.
        bias: Added to the scores; same dtype as ``query``, broadcast to ``[B, H, L, S]``. Minus
            infinity masks a key for a query.
        causal: Mask keys after ``i + S - L`` for query ``i``. The last query attends to all keys,
            so that the queries may be the last ones of a sequence.
        scale: Factor of ``query · keyᵀ``; ``1 / sqrt(D)`` if None.
        kv_repeat: Number of adjacent query heads that share a head of keys and values:
            ``H = G * kv_repeat`` (grouped queries; with one group, multi-query attention).
        layout: The order of the axes of ``query``, ``key``, ``value`` and the result; ``D`` is
            last.

    Returns:
        The type of ``query``; 0 for a query with all keys masked.

    Raises:
        ShapeError: The operands are incompatible.
        ArgumentError: ``layout`` is invalid.

    Source:
        Vaswani et al. 2017, arXiv:1706.03762, eq. 1; grouped queries: Ainslie et al. 2023,
        arXiv:2305.13245; blocks in place of all scores: Dao et al. 2022, arXiv:2205.14135.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([1, 2, 3]).reshape((1, 1, 3, 1))
        >>> nd.contrib.scaled_dot_product_attention(x, x, x, causal=True, scale=0).reshape(-1)
        <BLANKLINE>
        [1.  1.5 2. ]
        <NDArray 3 @cpu(0)>
    """
    return _operand_types(query, key, value, bias, kv_repeat, layout)


@operator(
    "_scaled_dot_product_attention_backward",
    outputs=("query", "key", "value"),
    grad=_grad_backward,
    params_of=scaled_dot_product_attention,
)
def scaled_dot_product_attention_backward(
    dy: TensorType,
    query: TensorType,
    key: TensorType,
    value: TensorType,
    output: TensorType,
    sums: TensorType,
    bias: TensorType | None = None,
    **params: Any,
) -> tuple[TensorType, TensorType, TensorType]:
    """Return the gradients of ``_contrib_scaled_dot_product_attention``."""
    like, more = _operand_types(query, key, value, bias, params["kv_repeat"], params["layout"])
    for data in (dy, output):
        data.set_shape(like.shape)
    floating(dy, output, query)
    sums.set_shape(more.shape)
    return query, key, value
