"""Padded sequences of different lengths: masking, last elements, reversal."""

from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import TensorType, show


def _inputs(params: Params) -> tuple[str, ...]:
    return ("data", "sequence_length") if params["use_sequence_length"] else ("data",)


def _check_lengths(data: TensorType, sequence_length: TensorType | None, axis: int) -> None:
    """Check that ``sequence_length`` is ``[B]``, and infer its shape if unknown."""
    if axis not in (0, 1):
        raise ShapeError(f"axis={axis} must be 0 or 1")
    if data.shape is None:
        return
    if len(data.shape) < 2:
        raise ShapeError(
            f"{data.label}{show(data.shape)} must have at least 2 axes, time and batch"
        )
    if sequence_length is not None:
        sequence_length.set_shape((data.shape[1 - axis],))


def _grad_sequence_mask(saved: Saved, dy: Any) -> tuple[Any, None]:
    params = {**saved.params, "value": 0.0}
    return sequence_mask(dy, saved.inputs[1], **params), None


@operator("SequenceMask", "_npx_sequence_mask", active=_inputs, grad=_grad_sequence_mask)
def sequence_mask(
    data: TensorType,
    sequence_length: TensorType | None = None,
    *,
    use_sequence_length: bool = False,
    value: float = 0.0,
    axis: int = 0,
) -> TensorType:
    """Return sequences with the elements after their ends replaced by ``value``.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; lengths above ``T`` are treated as ``T``.
        use_sequence_length: Whether ``sequence_length`` is given; else nothing is masked.
        value: The replacement.
        axis: The time axis, 0 or 1.

    Raises:
        ShapeError: ``sequence_length`` is not ``[B]``, or there are fewer than two axes.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2], [3, 4]])
        >>> nd.SequenceMask(x, nd.array([1, 2]), use_sequence_length=True).asnumpy()
        array([[1., 2.],
               [0., 4.]], dtype=float32)
    """
    _check_lengths(data, sequence_length, axis)
    return data


def _last(data: TensorType, axis: int) -> TensorType:
    if data.shape is None:
        return data.with_shape(None)
    if data.shape[axis] == 0:
        raise ShapeError(
            f"cannot take the last element of {data.label}{show(data.shape)}: axis {axis} is empty"
        )
    return data.with_shape(data.shape[:axis] + data.shape[axis + 1 :])


@operator("SequenceLast", active=_inputs, grad=gradient_by("_sequence_last_backward", 0, 1))
def sequence_last(
    data: TensorType,
    sequence_length: TensorType | None = None,
    *,
    use_sequence_length: bool = False,
    axis: int = 0,
) -> TensorType:
    """Return the last element of each sequence.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; lengths are clipped to 1 … T.
        use_sequence_length: Whether ``sequence_length`` is given; else all lengths are ``T``.
        axis: The time axis, 0 or 1.

    Returns:
        ``[B, *rest]``.

    Raises:
        ShapeError: ``sequence_length`` is not ``[B]``, or there are fewer than two axes.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2], [3, 4]])
        >>> nd.SequenceLast(x, nd.array([1, 2]), use_sequence_length=True).asnumpy()
        array([1., 4.], dtype=float32)
    """
    _check_lengths(data, sequence_length, axis)
    return _last(data, axis)


@operator(
    "_sequence_last_backward",
    active=lambda params: ("dy", *_inputs(params)),
    grad=gradient_by("SequenceLast", 2),
    params_of=sequence_last,
)
def sequence_last_backward(
    dy: TensorType, data: TensorType, sequence_length: TensorType | None = None, **params: Any
) -> TensorType:
    """Return zeros in the shape of ``data`` with ``dy`` at the last element of every sequence."""
    _check_lengths(data, sequence_length, params["axis"])
    dy.set_shape(_last(data, params["axis"]).shape)
    return data.with_dtype(dy.dtype)


@operator("SequenceReverse", active=_inputs, grad=gradient_by("SequenceReverse", 1))
def sequence_reverse(
    data: TensorType,
    sequence_length: TensorType | None = None,
    *,
    use_sequence_length: bool = False,
    axis: int = 0,
) -> TensorType:
    """Return each sequence reversed up to its length; padding stays in place.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; lengths above ``T`` are treated as ``T``.
        use_sequence_length: Whether ``sequence_length`` is given; else all lengths are ``T``.
        axis: The time axis, 0 or 1.

    Raises:
        ShapeError: ``sequence_length`` is not ``[B]``, or there are fewer than two axes.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2], [3, 4], [5, 6]])
        >>> nd.SequenceReverse(x, nd.array([2, 3]), use_sequence_length=True).asnumpy()
        array([[3., 6.],
               [1., 4.],
               [5., 2.]], dtype=float32)
    """
    _check_lengths(data, sequence_length, axis)
    return data
