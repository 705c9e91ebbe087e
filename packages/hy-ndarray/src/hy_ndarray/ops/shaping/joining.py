"""Concatenation, stacking and splitting of arrays."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.params import Count, Shape
from hy_ndarray.ops.record.rules import check_axis, like_result, numbered, same_dtype, same_shape
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Quantized, Traits
from hy_ndarray.ops.record.types import PartialShape, TensorType, show
from hy_ndarray.ops.shaping.reshape import reshape_like


def _with_size(shape: PartialShape, axis: int, size: int | None) -> PartialShape:
    """Return ``shape`` with the size of ``axis`` replaced."""
    return (*shape[:axis], size, *shape[axis + 1 :])


def _grad_concat(saved: Saved, dy: Any) -> tuple[Any, ...]:
    count = len(saved.inputs)
    parts = concat_backward(dy, *saved.inputs, dim=saved.params["dim"], parts=count)
    return (parts,) if count == 1 else tuple(parts[i] for i in range(count))


def _back_concat(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    shape = outputs[0].shape
    axis = check_axis(params["dim"], outputs[0])
    if shape is None or axis is None:
        return
    for t in inputs:
        t.set_shape(_with_size(shape, axis, None))
    sizes = [t.shape[axis] for t in inputs if t.shape is not None]
    length = shape[axis]
    if length is not None and sizes.count(None) == 1:
        left = length - sum(n for n in sizes if n is not None)
        if left < 0:
            raise ShapeError(
                f"the inputs have more elements along axis {axis} than the output {show(shape)}"
            )
        inputs[sizes.index(None)].set_shape(_with_size(shape, axis, left))


def _rows(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    return range(len(ranks)) if axis != params["dim"] % ranks[0] else ()


@operator(
    "Concat",
    "concat",
    "_sparse_concat",
    count="num_args",
    grad=_grad_concat,
    back=_back_concat,
    traits=Traits(rows=_rows, quantized=Quantized("_contrib_quantized_concat")),
)
def concat(*data: TensorType, dim: int = 1) -> TensorType:
    """Return the arrays concatenated along an existing axis.

    Args:
        data: ``[*left, n_i, *right]`` with ``n_i`` at ``dim``; all of one dtype.
        dim: The axis; a negative one counts from the end.

    Returns:
        ``[*left, the sum of n_i, *right]``.

    Raises:
        ShapeError: The other axes differ, or there is no axis ``dim``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.concat(nd.array([[1, 2]]), nd.array([[3]]), dim=1).asnumpy()
        array([[1., 2., 3.]], dtype=float32)
    """
    return _concatenated(data, dim)


def _concatenated(data: Sequence[TensorType], dim: int) -> TensorType:
    if not data:
        raise ArgumentError("Concat: no arrays given")
    same_dtype(*data)
    known = next((t for t in data if t.shape is not None), None)
    if known is None or known.shape is None:
        return data[0].with_shape(None)
    axis = check_axis(dim, known)
    assert axis is not None
    others = data[0].with_shape([None] * len(known.shape))
    for t in data:
        if t.shape is not None:
            if t.rank != known.rank:
                raise ShapeError(
                    f"all inputs must have the same number of axes, got {show(known.shape)} and "
                    f"{show(t.shape)}"
                )
            try:
                others.set_shape(_with_size(t.shape, axis, None))
            except ShapeError:
                raise ShapeError(
                    f"{show(known.shape)} and {show(t.shape)} must agree in all axes except "
                    f"dim={axis}"
                ) from None
    shared = others.shape
    assert shared is not None
    total: int | None = 0
    for t in data:
        t.set_shape(_with_size(shared, axis, None))
        size = None if t.shape is None else t.shape[axis]
        total = None if total is None or size is None else total + size
    return data[0].with_shape(_with_size(shared, axis, total))


def _back_rnn_param_concat(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    """Infer unknown sizes of weights, taken to be equal, from the size of the result."""
    _back_concat(inputs, outputs, params)
    shape = outputs[0].shape
    if not shape:
        return
    axis = params["dim"] % len(shape)
    unknown = [t for t in inputs if t.shape is not None and t.shape[axis] is None]
    if shape[axis] is None or not unknown:
        return
    known = [t.shape[axis] for t in inputs if t.shape is not None]
    left = shape[axis] - sum(n for n in known if n is not None)
    if left < 0 or left % len(unknown):
        raise ShapeError(
            f"cannot infer {len(unknown)} unknown weights: the remaining {left} elements cannot be "
            "divided equally"
        )
    for t in unknown:
        t.set_shape(_with_size(shape, axis, left // len(unknown)))


@operator(
    "_rnn_param_concat",
    "_npi_rnn_param_concat",
    count="num_args",
    grad=_grad_concat,
    back=_back_rnn_param_concat,
)
def rnn_param_concat(*data: TensorType, dim: int = 1) -> TensorType:
    """Return ``Concat`` of the flattened parameters of a recurrent network."""
    return _concatenated(data, dim)


def _grad_concat_backward(saved: Saved, *dparts: Any) -> tuple[Any, ...]:
    return concat(*dparts, dim=saved.params["dim"]), *[None] * (len(saved.inputs) - 1)


@operator(
    "_concat_backward", outputs=lambda params: numbered(params["parts"]), grad=_grad_concat_backward
)
def concat_backward(dy: TensorType, *data: TensorType, dim: int, parts: Count) -> Any:
    """Return ``dy`` split along ``dim`` into arrays of the shapes of ``data``."""
    same_dtype(dy, *data)
    like_result(dy, concat, *data, dim=dim)
    return tuple(t.with_dtype(dy.dtype) for t in data)


def _grad_stack(saved: Saved, dy: Any) -> tuple[Any, ...]:
    count = len(saved.inputs)
    parts = slice_channel(dy, num_outputs=count, axis=saved.params["axis"], squeeze_axis=True)
    if count == 1:
        return (parts,)
    return tuple(_in_shape_of(parts[i], x) for i, x in enumerate(saved.inputs))


def _in_shape_of(part: Any, data: Any) -> Any:
    """Return ``part``, the gradient of one input, reshaped to the shape of ``data``."""
    same = hasattr(data, "shape") and data.shape == part.shape  # nodes of graphs have no shape
    return part if same else reshape_like(part, data)


def _back_stack(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    shape = outputs[0].shape
    if shape:
        axis = params["axis"] % len(shape)
        one = shape[:axis] + shape[axis + 1 :]
        inputs[0].set_shape(one)
        for t in inputs[1:]:
            if not _may_match(t.shape, one):
                t.set_shape(one)


def _may_match(shape: PartialShape | None, other: PartialShape | None) -> bool:
    """Return whether shapes differ at most in axes of size 1.

    False for an unknown shape; if a size is unknown, whether the ranks differ.
    """
    if shape is None or other is None:
        return False
    if None in shape or None in other:
        return len(shape) != len(other)
    return [n for n in shape if n != 1] == [n for n in other if n != 1]


@operator("stack", count="num_args", grad=_grad_stack, back=_back_stack)
def stack(*data: TensorType, axis: int = 0) -> TensorType:
    """Return arrays of one shape stacked along a new axis.

    Args:
        data: ``[*sizes]`` each, of one dtype. Arrays whose shape differs from the first only in
            axes of size 1 are reshaped.
        axis: Position of the new axis in the result; a negative one counts from the end.

    Raises:
        ShapeError: The shapes differ, or the result has no such axis.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.stack(nd.array([1, 2]), nd.array([3, 4]), axis=1).asnumpy()
        array([[1., 3.],
               [2., 4.]], dtype=float32)
    """
    if not data:
        raise ArgumentError("stack: no arrays given")
    same_shape(data[0], *(t for t in data if not _may_match(t.shape, data[0].shape)))
    same_dtype(*data)
    shape = data[0].shape
    if shape is None:
        return data[0].with_shape(None)
    rank = len(shape) + 1
    if not -rank <= axis < rank:
        raise ShapeError(f"axis={axis} is outside the {rank} axes of the result")
    at = axis % rank
    return data[0].with_shape((*shape[:at], len(data), *shape[at:]))


def _joined_gradient(saved: Saved, dys: Sequence[Any], count: int) -> Any:
    axis = saved.params["axis"]
    if saved.params["squeeze_axis"]:
        return stack(*dys, axis=axis)
    return concat(*dys, dim=axis)


def _grad_slice_channel(saved: Saved, *dys: Any) -> tuple[Any]:
    return (_joined_gradient(saved, dys, len(dys)),)


def _channels(params: Params) -> tuple[str, ...]:
    return numbered(params["num_outputs"])


def _back_pieces(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    """Infer the sizes of the input from those of the parts, except along ``axis``."""
    for piece in outputs:
        shape = piece.shape
        if shape is None:
            continue
        rank = len(shape) + params["squeeze_axis"]
        axis = params["axis"]
        if not -rank <= axis < rank:
            continue
        at = axis % rank
        after = shape[at:] if params["squeeze_axis"] else shape[at + 1 :]
        inputs[0].set_shape((*shape[:at], None, *after))


@operator("SliceChannel", "split", outputs=_channels, grad=_grad_slice_channel, back=_back_pieces)
def slice_channel(
    data: TensorType, *, num_outputs: Count, axis: int = 1, squeeze_axis: bool = False
) -> Any:
    """Return an array split along an axis into equal parts.

    Args:
        data: ``[*left, C, *right]`` with ``C`` at ``axis``, any dtype.
        num_outputs: Number of parts; divides ``C``.
        axis: The axis; a negative one counts from the end.
        squeeze_axis: Remove the axis from the parts, where it must have size 1.

    Returns:
        ``num_outputs`` arrays ``[*left, C / num_outputs, *right]``.

    Raises:
        ShapeError: ``num_outputs`` does not divide ``C``, or there is no axis ``axis``.

    Example:
        >>> from hy_ndarray import nd
        >>> a, b = nd.split(nd.array([[1, 2, 3, 4]]), num_outputs=2)
        >>> a.asnumpy(), b.asnumpy()
        (array([[1., 2.]], dtype=float32), array([[3., 4.]], dtype=float32))
    """
    if num_outputs < 1:
        raise ShapeError(f"num_outputs={num_outputs} must be positive")
    at = check_axis(axis, data)
    if data.shape is None or at is None:
        return tuple(data.with_shape(None) for _ in range(num_outputs))
    size = data.shape[at]
    if size is not None and size % num_outputs:
        raise ShapeError(
            f"axis {axis} of {data.label}{show(data.shape)} cannot be divided "
            f"into {num_outputs} equal parts"
        )
    part = None if size is None else size // num_outputs
    shape = _with_size(data.shape, at, part)
    if squeeze_axis:
        if part not in (1, None):
            raise ShapeError(
                f"squeeze_axis=True needs parts of size 1 along axis {axis}, got {part}"
            )
        data.set_shape(_with_size(data.shape, at, num_outputs))
        shape = shape[:at] + shape[at + 1 :]
    return tuple(data.with_shape(shape) for _ in range(num_outputs))


def _pieces(params: Params) -> tuple[str, ...]:
    count = params["sections"] or len(params["indices"])
    return ("output",) if count == 1 else numbered(count)


@operator("_split_v2", "_npi_split", outputs=_pieces, grad=_grad_slice_channel, back=_back_pieces)
def split_v2(
    data: TensorType,
    *,
    indices: Shape,
    axis: int = 1,
    squeeze_axis: bool = False,
    sections: Count = 0,
) -> Any:
    """Return an array split along an axis, at indices or into a number of parts.

    Args:
        data: ``[*left, C, *right]`` with ``C`` at ``axis``, any dtype.
        indices: Start index of each part; the first is 0.
        axis: The axis; a negative one counts from the end.
        squeeze_axis: Remove the axis from the parts, where it must have size 1.
        sections: Number of parts, instead of ``indices``; 0 if ``indices`` is given. If it does not
            divide ``C``, the first parts are larger by one.

    Raises:
        ShapeError: There is no axis ``axis``, or there are no parts.
    """
    at = check_axis(axis, data)
    count = sections or len(indices)
    if count < 1:
        raise ShapeError(
            f"indices={indices} and sections={sections} define no parts; pass one of them"
        )
    if data.shape is None or at is None:
        return tuple(data.with_shape(None) for _ in range(count))
    size = data.shape[at]
    if sections:
        small, larger = (None, 0) if size is None else divmod(size, sections)
        parts = [small if small is None else small + (i < larger) for i in range(sections)]
    else:
        ends = (*indices[1:], size)
        parts = [
            None if end is None else _piece_length(begin, end, size)
            for begin, end in zip(indices, ends, strict=True)
        ]
    shapes = [_with_size(data.shape, at, part) for part in parts]
    if squeeze_axis:
        if any(part not in (1, None) for part in parts):
            raise ShapeError(
                f"squeeze_axis=True needs parts of size 1 along axis {axis}, got {parts}"
            )
        shapes = [shape[:at] + shape[at + 1 :] for shape in shapes]
    return tuple(data.with_shape(shape) for shape in shapes)


def _piece_length(begin: int, end: int, size: int | None) -> int | None:
    """Return the length of the part ``begin:end`` of an axis; 0 beyond its end."""
    if size is None:
        return None
    return max(0, min(end, size) - min(begin, size))
