"""Functions of ``npx`` that are more than one operator, on arrays and on symbols."""

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
"""How much less excluded elements are: e to the minus of it is 0, and float16 has it."""


def reshape(a: A, newshape: Any, reverse: bool = False, order: str = "C") -> A:
    """Return the elements in the shape that codes describe.

    Args:
        a: The array.
        newshape: Sizes, or codes: -1 is decided by the number of elements; -2 copies the size
            here; -3 leaves out an axis of size 1; -4 copies all further sizes; -5 multiplies two
            sizes; -6 divides a size into the two that follow.
        reverse: Match the sizes from the last axis.
        order: ``"C"``.
    """
    return call("_npx_reshape", a, newshape=sizes_of(newshape), reverse=reverse, order=order)


def nonzero(a: A, **unknown: Any) -> A:
    """Return int64 indices of nonzero elements, one row for each."""
    return call("_npx_nonzero", a, **unknown)


def constraint_check(x: A, msg: str = "Constraint violated.") -> A:
    """Return whether all elements are true; raise an error if not.

    Raises:
        ArgumentError: One is not; ``msg`` is the message.
    """
    return call("_npx_constraint_check", x, msg=msg)


def stop_gradient(data: A) -> A:
    """Return the same values without a gradient."""
    return call("BlockGrad", data)


def masked_softmax(data: A, mask: A, axis: int = -1, temperature: float | None = None) -> A:
    """Return the softmax along ``axis`` over the elements that a mask keeps.

    Args:
        data: ``[*shape]``, floating.
        mask: Booleans, or numbers other than 0 where elements count; broadcast to ``[*shape]``.
        axis: The axis.
        temperature: What ``data`` is divided by; 1 if None.

    Returns:
        ``[*shape]``; 0 where the mask is false, so all along an axis without a true one.

    Example:
        >>> from hy_ndarray import np
        >>> masked_softmax(np.array([[1.0, 5.0, 1.0]]), np.array([[1, 0, 1]]))
        array([[0.5, 0. , 0.5]])
    """
    return where(mask, _softmax_of(data, mask, axis, temperature, "softmax"), 0)


def masked_log_softmax(data: A, mask: A, axis: int = -1, temperature: float | None = None) -> A:
    """Return the logarithm of :func:`masked_softmax`: -inf where the mask is false.

    Args:
        data: ``[*shape]``, floating.
        mask: As for :func:`masked_softmax`.
        axis: The axis.
        temperature: What ``data`` is divided by.
    """
    logarithms = _softmax_of(data, mask, axis, temperature, "log_softmax")
    return where(mask, logarithms, float("-inf"))


def _softmax_of(data: A, mask: A, axis: int, temperature: float | None, operator: str) -> A:
    """Return a softmax in which masked elements have no weight.

    It is far below everything, but finite: an axis without any other element has gradients of 0
    then, not of no number.
    """
    lowest: Any = call("min", data, axis=axis, keepdims=True)
    far = lowest - _FAR * (1 if temperature is None else temperature)
    return call(operator, where(mask, data, far), axis=axis, temperature=temperature)


def index_update(a: A, ind: A, val: Any) -> A:
    """Return a copy of ``a`` with slices replaced at coordinates.

    Args:
        a: ``[*sizes]``.
        ind: ``[M, *I]``: coordinates on the first ``M`` axes of ``a``.
        val: Broadcast to ``[*I, *rest]``, where ``rest`` are the sizes of ``a`` after the first
            ``M``. Which slice counts where several have the same coordinates is not said.

    Example:
        >>> from hy_ndarray import np
        >>> index_update(np.zeros((2, 2)), np.array([[0, 1], [1, 0]]), np.array([5.0, 6.0]))
        array([[0., 5.],
               [6., 0.]])
    """
    return call("_set_slices", a, _slices(a, ind, val), ind)


def index_add(a: A, ind: A, val: Any) -> A:
    """Return a copy of ``a`` with slices added at coordinates, repeatedly for duplicates.

    Args:
        a: ``[*sizes]``.
        ind: As for :func:`index_update`.
        val: As for :func:`index_update`.
    """
    return call("_npi_add", a, call("_gather_nd_backward", _slices(a, ind, val), a, ind))


def _slices(a: A, ind: A, val: Any) -> A:
    """Return ``val`` in the shape of the slices of ``a`` at coordinates."""
    slices = call("gather_nd", a, ind)
    return where(call("zeros_like", slices), slices, val)


def digamma(data: A) -> A:
    """Return the derivative of ``gammaln``.

    Args:
        data: ``[*shape]``, floating.
    """
    return call("_digamma", data)


def group_norm(data: A, gamma: A, beta: A, num_groups: int = 1, eps: float = 1e-3) -> A:
    """Return group normalisation: mean 0 and variance 1 by group, then scale and shift.

    ``nd.GroupNorm``, as MXNet 1.9 has it, scales and shifts groups.

    Args:
        data: ``[batch, channels, *sizes]``.
        gamma: ``[channels]``, what channels are multiplied by.
        beta: ``[channels]``, what is added.
        num_groups: How many groups.
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
    """Return ``softmax(query · keyᵀ · scale + bias) · value`` for each head.

    Args:
        query: ``[B, H, L, D]``, floating: batch, heads, positions, elements; or as ``layout`` says.
        key: ``[B, G, S, D]``, the dtype of ``query``.
        value: As ``key``.
        mask: Not 0 where a query sees a key; any dtype; broadcast to ``[B, H, L, S]``.
        bias: Added to scores; the dtype of ``query``; broadcast likewise.
        causal: Query ``i`` sees no key after ``i + S - L``: the last query sees all keys.
        scale: Of the products; ``1 / sqrt(D)`` if None.
        kv_repeat: Heads of queries that share a head of keys and values: ``H = G * kv_repeat``.
        layout: The order of the axes of queries, keys, values and the result; ``D`` is last.

    Returns:
        As ``query``; 0 for a query that sees no key.

    Raises:
        ShapeError: The operands do not fit one another.

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
