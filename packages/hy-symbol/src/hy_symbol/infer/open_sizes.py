"""Inputs with unknown sizes, for which MXNet infers less than the operators' rules.

Observed by running MXNet 1.9.1 on each operator with each size unknown: most of the following
operators then infer nothing about their outputs, some reject such inputs, and others infer nothing
from their outputs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from hy_ndarray import Params
from hy_ndarray.ops import PartialShape

__all__ = ["FORWARD_ONLY", "waits_for", "wanted_size"]

Shapes: TypeAlias = Sequence[PartialShape | None]

_FORWARD_ONLY = """
Dropout GroupNorm InstanceNorm L2Normalization LRN LayerNorm LeakyReLU SVMOutput SequenceMask
SequenceReverse SoftmaxOutput SwapAxis log_softmax softmax softmin
"""
FORWARD_ONLY = frozenset(_FORWARD_ONLY.split())
"""Operators for which MXNet infers outputs from inputs, but no inputs from outputs."""

_COMPLETE: Mapping[str, int] = {
    **dict.fromkeys(("LRN", "argmax", "argmin", "broadcast_axis", "norm", "one_hot"), 1),
    # MXNet's tile waits as well, for which Keras's recurrent layers fail after one another.
    "squeeze": 1,
    **dict.fromkeys(("_contrib_AdaptiveAvgPooling2D", "_contrib_BilinearResize2D"), 1),
    **dict.fromkeys(("LinearRegressionOutput", "LogisticRegressionOutput"), 1),
    "MAERegressionOutput": 1,
    "gather_nd": 2,
    "where": 1,
}
"""Number of leading inputs of which every size must be known before outputs are inferred."""

_RANKED = ("SliceChannel", "_split_v2")
"""Operators that infer nothing until the rank of the first input is known."""


def waits_for(name: str, params: Params, shapes: Shapes) -> bool:
    """Return whether MXNet infers nothing about an operator's outputs from these inputs.

    Args:
        name: Name of the operator.
        params: Parameters of the operator.
        shapes: Known shapes of the inputs, with None for unknown parts.
    """
    if name == "batch_dot":
        inner = _inner(params, shapes, batch=True)
        return inner is not None and inner[0] != inner[1] and None in inner
    if name in _RANKED and shapes[0] is None:
        return True
    first = shapes[1:2] if name == "take" else shapes[: _COMPLETE.get(name, 0)]
    return any(shape is None or None in shape for shape in first)


def wanted_size(name: str, params: Params, shapes: Shapes) -> str | None:
    """Name the unknown sizes that MXNet rejects, for a message; None if there are none.

    Args:
        name: Name of the operator.
        params: Parameters of the operator.
        shapes: Known shapes of the inputs, with None for unknown parts.
    """
    rule = _REFUSED.get(name)
    axes = [] if rule is None or shapes[0] is None else rule(params, shapes)
    return None if not axes else ", ".join(f"size {axis} of input {i}" for i, axis in axes)


_Axes: TypeAlias = list[tuple[int, int]]
"""Pairs of an input's position and an axis of that input."""


def _inner(
    params: Params, shapes: Shapes, batch: bool = False
) -> tuple[int | None, int | None] | None:
    """Return the contracted axis' size in both operands of a product; None if a rank is unknown."""
    lhs, rhs = shapes[:2]
    if not lhs or not rhs or (batch and len(lhs) != len(rhs)):
        return None
    # The contracted axes: lhs's last and rhs's second last, or first for ``dot``.
    left, right = (-1, -2) if batch else (-1, 0)
    if params["transpose_a"]:
        left = -2 if batch else 0
    if params["transpose_b"]:
        right = -1
    return lhs[left], rhs[right]


def _open_inner(params: Params, shapes: Shapes) -> _Axes:
    inner = _inner(params, shapes)
    if inner is None or inner[0] == inner[1] or None not in inner:
        return []
    left, right = 0 if params["transpose_a"] else -1, -1 if params["transpose_b"] else 0
    return [(0, left)] if inner[0] is None else [(1, right)]


def _open_inner_of_matrices(params: Params, shapes: Shapes) -> _Axes:
    inner = _inner(params, shapes, batch=True)
    open_inner = inner is not None and inner[0] != inner[1] and None in inner
    return [(inner.index(None), -1)] if open_inner and inner is not None else []


def _open_batch(params: Params, shapes: Shapes) -> _Axes:
    lhs, rhs = shapes[:2]
    inner = _inner(params, shapes, batch=True)
    if inner is None or inner[0] != inner[1] or not lhs or not rhs:
        return []
    return [(0 if lhs[0] is None else 1, 0)] if (lhs[0] is None) != (rhs[0] is None) else []


def _open_at(*axes: int) -> Callable[[Params, Shapes], _Axes]:
    """Return a function that lists unknown sizes of the first input on ``axes``, or on all."""

    def open_axes_of(_: Params, shapes: Shapes) -> _Axes:
        shape = shapes[0] or ()
        return [(0, k) for k in axes or range(len(shape)) if k < len(shape) and shape[k] is None]

    return open_axes_of


def _open_axis(params: Params, shapes: Shapes) -> _Axes:
    """Return the parameter ``axis``, or all axes if None, where the size is unknown."""
    axis, shape = params["axis"], shapes[0] or ()
    if axis is None:
        return _open_at()(params, shapes)
    return [(0, axis)] if -len(shape) <= axis < len(shape) and shape[axis] is None else []


def _open_window(params: Params, shapes: Shapes) -> _Axes:
    """Return the spatial axes of unknown size that a pooling window slides along."""
    if params["global_pool"] or str(params.get("layout") or "NC")[1] != "C":
        return []
    pads = params["pad"] or (0,) * len(params["kernel"])
    windows = enumerate(zip(params["kernel"], pads, strict=False), 2)
    shape = shapes[0] or ()
    return [
        (0, k) for k, (n, pad) in windows if k < len(shape) and shape[k] is None and n > 2 * pad
    ]


_REFUSED: Mapping[str, Callable[[Params, Shapes], _Axes]] = {
    "Pooling": _open_window,
    "SliceChannel": _open_axis,
    "UpSampling": _open_at(2, 3),
    "_linalg_gemm2": _open_inner_of_matrices,
    "_split_v2": _open_axis,
    "batch_dot": _open_batch,
    "depth_to_space": _open_at(1, 2, 3),
    "diag": _open_at(),
    "dot": _open_inner,
    "repeat": _open_axis,
    "slice_like": _open_at(),
    "softmax_cross_entropy": _open_at(0),
    "space_to_depth": _open_at(1, 2, 3),
}
