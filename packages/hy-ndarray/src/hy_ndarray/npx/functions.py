"""Functions of ``npx`` composed of several operators, on arrays and on symbols."""

from typing import Any

from hy_ndarray.np.calls import A, call, sizes_of
from hy_ndarray.np.elementwise import where
from hy_ndarray.np.shaping import moveaxis, tile

__all__ = [
    "constraint_check",
    "digamma",
    "group_norm",
    "index_add",
    "index_update",
    "masked_log_softmax",
    "masked_softmax",
    "nonzero",
    "reshape",
    "scaled_dot_product_attention",
    "stop_gradient",
]

_FAR = 1e4
"""Distance of masked logits below all others: exp(-_FAR) is 0, and float16 can hold it."""


def reshape(a: A, newshape: Any, reverse: bool = False, order: str = "C") -> A:
    """Return the elements in the shape given by sizes and codes.

    Args:
        a: The array.
        newshape: Sizes, or codes: -1 is inferred from the number of elements; -2 copies the
            input's size; -3 drops an axis of size 1; -4 copies all remaining sizes; -5 merges two
            axes; -6 splits an axis into the two sizes that follow.
        reverse: Match the sizes from the last axis.
        order: ``"C"``.
    """
    return call("_npx_reshape", a, newshape=sizes_of(newshape), reverse=reverse, order=order)


def nonzero(a: A, **unknown: Any) -> A:
    """Return the int64 indices of nonzero elements, one row ``[rank]`` per element."""
    return call("_npx_nonzero", a, **unknown)


def constraint_check(x: A, msg: str = "Constraint violated.") -> A:
    """Return True if all elements are true, else raise an error.

    Raises:
        ArgumentError: An element is false; ``msg`` is the message.
    """
    return call("_npx_constraint_check", x, msg=msg)


def stop_gradient(data: A) -> A:
    """Return the same values, without gradient flow."""
    return call("BlockGrad", data)


def masked_softmax(data: A, mask: A, axis: int = -1, temperature: float | None = None) -> A:
    """Return the softmax along ``axis`` over the elements where the mask is true.

    Args:
        data: ``[*shape]``, floating.
        mask: Booleans or numbers, nonzero for elements to include; broadcast to ``[*shape]``.
        axis: The axis.
        temperature: Divisor of ``data``; 1 if None.

    Returns:
        ``[*shape]``; 0 where the mask is false, also if it is false all along the axis.

    Example:
        >>> from hy_ndarray import np
        >>> masked_softmax(np.array([[1.0, 5.0, 1.0]]), np.array([[1, 0, 1]]))
        array([[0.5, 0. , 0.5]])
    """
    return where(mask, _softmax_of(data, mask, axis, temperature, "softmax"), 0)


def masked_log_softmax(data: A, mask: A, axis: int = -1, temperature: float | None = None) -> A:
    """Return the logarithm of :func:`masked_softmax`; -inf where the mask is false.

    Args:
        data: ``[*shape]``, floating.
        mask: As for :func:`masked_softmax`.
        axis: The axis.
        temperature: Divisor of ``data``; 1 if None.
    """
    logarithms = _softmax_of(data, mask, axis, temperature, "log_softmax")
    return where(mask, logarithms, float("-inf"))


def _softmax_of(data: A, mask: A, axis: int, temperature: float | None, operator: str) -> A:
    """Return a softmax in which masked elements have weight 0.

    Masked logits are far below all others, but finite: if all along the axis are masked, gradients
    are then 0 instead of nan.
    """
    lowest: Any = call("min", data, axis=axis, keepdims=True)
    far = lowest - _FAR * (1 if temperature is None else temperature)
    return call(operator, where(mask, data, far), axis=axis, temperature=temperature)


def index_update(a: A, ind: A, val: Any) -> A:
    """Return a copy of ``a`` with the slices at coordinates replaced by ``val``.

    Args:
        a: ``[*sizes]``.
        ind: ``[M, *I]``, coordinates along the first ``M`` axes of ``a``.
        val: Broadcast to ``[*I, *rest]``, where ``rest`` are the sizes of the axes of ``a`` after
            the first ``M``. For duplicate coordinates it is unspecified which slice is written.

    Example:
        >>> from hy_ndarray import np
        >>> index_update(np.zeros((2, 2)), np.array([[0, 1], [1, 0]]), np.array([5.0, 6.0]))
        array([[0., 5.],
               [6., 0.]])
    """
    return call("_set_slices", a, _slices(a, ind, val), ind)


def index_add(a: A, ind: A, val: Any) -> A:
    """Return a copy of ``a`` with ``val`` added to slices at coordinates; duplicates accumulate.

    Args:
        a: ``[*sizes]``.
        ind: As for :func:`index_update`.
        val: As for :func:`index_update`.
    """
    return call("_npi_add", a, call("_gather_nd_backward", _slices(a, ind, val), a, ind))


def _slices(a: A, ind: A, val: Any) -> A:
    """Return ``val`` broadcast to the shape of the slices of ``a`` at coordinates ``ind``."""
    slices = call("gather_nd", a, ind)
    return where(call("zeros_like", slices), slices, val)


def digamma(data: A) -> A:
    """Return the digamma function, the derivative of ``gammaln``.

    Args:
        data: ``[*shape]``, floating.
    """
    return call("_digamma", data)


def group_norm(data: A, gamma: A, beta: A, num_groups: int = 1, eps: float = 1e-3) -> A:
    """Return group normalization: mean 0 and variance 1 by group, then scale and shift by channel.

    In contrast, ``nd.GroupNorm``, as in MXNet 1.9, scales and shifts by group.

    Args:
        data: ``[batch, channels, *sizes]``.
        gamma: ``[channels]``, the scale of each channel.
        beta: ``[channels]``, the shift of each channel.
        num_groups: The number of groups.
        eps: Added to the variance.

    Example:
        >>> from hy_ndarray import np
        >>> x = np.array([[[0.0, 2], [4, 6]]])
        >>> group_norm(x, np.array([1.0, 10]), np.zeros((2,)), num_groups=2, eps=0).round()
        array([[[ -1.,   1.],
                [-10.,  10.]]])
    """
    first: Any = call("slice_axis", gamma, axis=0, begin=0, end=1)
    ones: Any = call("ones_like", tile(first, num_groups))
    normal: Any = call("GroupNorm", data, ones, ones * 0, num_groups=num_groups, eps=eps)
    channels: Any = moveaxis(normal, 1, -1)
    result: A = moveaxis(channels * gamma + beta, -1, 1)
    return result


def scaled_dot_product_attention(
    query: A,
    key: A,
    value: A,
    mask: A | None = None,
    bias: A | None = None,
    *,
    causal: bool = False,
    scale: float | None = None,
    kv_repeat: int = 1,
    layout: str = "BHLD",
) -> A:
    """Compute ``softmax(query · keyᵀ · scale + bias) · value`` for each head.

    Args:
        query: ``[B, H, L, D]``, floating: batch, heads, positions, elements; axes as in ``layout``.
        key: ``[B, G, S, D]``, the dtype of ``query``.
        value: Shape and dtype as ``key``.
        mask: Nonzero where a query attends to a key; any dtype; broadcast to ``[B, H, L, S]``.
        bias: Added to the scores; the dtype of ``query``; broadcast like ``mask``.
        causal: Mask keys after ``i + S - L`` for query ``i``; the last query attends to all keys.
        scale: Factor of the products; ``1 / sqrt(D)`` if None.
        kv_repeat: Number of query heads that share a key and value head: ``H = G * kv_repeat``.
        layout: The order of the axes of queries, keys, values and the result; ``D`` is last.

    Returns:
        The shape and dtype of ``query``; 0 for a query without keys.

    Raises:
        ShapeError: The shapes of the operands do not match.

    Source:
        Vaswani et al. 2017, arXiv:1706.03762, eq. 1; grouped queries: Ainslie et al. 2023,
        arXiv:2305.13245.

    Example:
        >>> from hy_ndarray import np
        >>> x = np.array([1.0, 2.0, 3.0]).reshape(1, 1, 3, 1)
        >>> seen = np.array([[1, 1, 0]])
        >>> scaled_dot_product_attention(x, x, x, mask=seen, scale=0).reshape(-1)
        array([1.5, 1.5, 1.5])
    """
    if mask is not None:
        seen: Any = call("_not_equal_scalar", call("_cast_like", mask, query), scalar=0)
        hidden: Any = stop_gradient(call("log", seen))
        bias = hidden if bias is None else call("broadcast_add", bias, hidden)
    operands = (query, key, value) if bias is None else (query, key, value, bias)
    options = {"causal": causal, "scale": scale, "kv_repeat": kv_repeat, "layout": layout}
    return call("_contrib_scaled_dot_product_attention", *operands, **options)
