"""Reshaping, and shapes and sizes as arrays."""

from collections.abc import Sequence
from math import prod
from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.rules import check_axis
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import BY_TYPES, VIEW, Quantized, Traits, rows_of_batch
from hy_ndarray.ops.record.types import PartialShape, TensorType, element_count, show
from hy_ndarray.ops.shaping.creation import zero_gradient


def _complete_shape(shape: PartialShape, other: PartialShape) -> PartialShape:
    """Return ``shape`` with its one unknown size computed from the elements of ``other``."""
    total = element_count(other)
    if total is None or shape.count(None) != 1:
        return shape
    rest = prod(n for n in shape if n is not None)
    if total == rest == 0:  # axes of size 0 on both sides: the others correspond
        total, rest = prod(n for n in other if n), prod(n for n in shape if n)
    if rest == 0 or total % rest:
        raise ShapeError(f"cannot reshape {total} elements into {show(shape)}")
    return tuple(total // rest if n is None else n for n in shape)


class _Codes:
    """Interpreter of the codes of ``Reshape``: computes the new shape from the input's."""

    def __init__(self, codes: Shape, sizes: PartialShape) -> None:
        self.codes = codes
        self.sizes = sizes
        self.at = 0
        self.result: list[int | None] = []
        self.inferred: int | None = None

    def take(self, code: int) -> int | None:
        """Return the next input size, which ``code`` consumes."""
        if self.at >= len(self.sizes):
            raise ShapeError(
                f"code {code} in shape={self.codes} needs axis {self.at}, but the input has only "
                f"{len(self.sizes)} axes"
            )
        self.at += 1
        return self.sizes[self.at - 1]

    def infer(self) -> None:
        """Append a size to be inferred from the number of elements (code -1)."""
        if self.inferred is not None:
            raise ShapeError(f"shape={self.codes} contains more than one -1")
        self.inferred = len(self.result)
        self.result.append(None)
        self.at += 1

    def merge(self) -> None:
        """Append the product of the next two input sizes to the result (code -3)."""
        a, b = self.take(-3), self.take(-3)
        self.result.append(None if a is None or b is None else a * b)

    def divide(self, first: int, second: int) -> None:
        """Split the next input axis into two sizes, one of which may be -1 (code -4)."""
        size = self.take(-4)
        if first == -1 and second == -1:
            raise ShapeError(f"shape={self.codes} cannot split an axis into -1 and -1")
        known = second if first == -1 else first
        if size is not None and (known <= 0 or size % known):
            raise ShapeError(f"shape={self.codes} cannot split an axis of size {size} by {known}")
        other = None if size is None else size // known
        parts = (other if first == -1 else first, other if second == -1 else second)
        if size is not None and prod(n or 0 for n in parts) != size:
            raise ShapeError(f"shape={self.codes} cannot split an axis of size {size} into {parts}")
        self.result.extend(parts)

    def walk(self) -> tuple[int | None, ...]:
        """Interpret all codes and return the new shape, with None for -1."""
        codes = iter(self.codes)
        for code in codes:
            if code > 0:
                self.result.append(code)
                self.at += 1
            elif code == 0:
                self.result.append(self.take(0))
            elif code == -1:
                self.infer()
            elif code == -2:
                self.result.extend(self.sizes[self.at :])
                self.at = max(self.at, len(self.sizes))
            elif code == -3:
                self.merge()
            elif code == -4:
                pair = next(codes, None), next(codes, None)
                if pair[0] is None or pair[1] is None:
                    raise ShapeError(f"shape={self.codes} needs two sizes after -4")
                self.divide(pair[0], pair[1])
            else:
                raise ShapeError(f"shape={self.codes} contains an unknown code, {code}")
        return tuple(self.result)


def coded_shape(sizes: PartialShape, params: Params) -> PartialShape:
    """Return the shape that the parameters of ``Reshape`` give for ``sizes``, with None for -1.

    The number of elements is not checked.

    Raises:
        ShapeError: A code finds no axis, or an axis cannot be divided.

    Example:
        >>> from hy_ndarray.ops import find
        >>> coded_shape((2, 3, 4), find("Reshape").parse({"shape": (-3, -1)}))
        (6, None)
    """
    shape, old = params["shape"], params["target_shape"]
    if not shape and old:  # the form of MXNet 0.8, where 0 is what -1 is now
        codes = tuple(n or -1 for n in old)
        if params["keep_highest"]:
            codes = (0, *codes[1:])
        return _Codes(codes, sizes).walk()
    if params["reverse"]:
        return _Codes(shape[::-1], sizes[::-1]).walk()[::-1]
    return _Codes(shape, sizes).walk()


def _same_size(data: TensorType, output: TensorType) -> None:
    """Infer one unknown size of input or output, as both have the same number of elements."""
    if data.shape is None or output.shape is None:
        return
    output.set_shape(_complete_shape(output.shape, data.shape))
    if 0 not in data.shape:
        data.set_shape(_complete_shape(data.shape, output.shape))
    before, after = element_count(data.shape), element_count(output.shape)
    if before is not None and after is not None and before != after:
        raise ShapeError(
            f"cannot reshape {data.label}{show(data.shape)} ({before} elements) into "
            f"{show(output.shape)} ({after} elements)"
        )


def _back_size(inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params) -> None:
    _same_size(inputs[0], outputs[0])


def _as_before(saved: Saved, dy: Any) -> tuple[Any]:
    return (reshape_like(dy, saved.inputs[0]),)


@operator("Reshape", "reshape", grad=_as_before, back=_back_size, traits=VIEW)
def reshape(
    data: TensorType,
    *,
    shape: Shape = (),
    reverse: bool = False,
    target_shape: Shape = (),
    keep_highest: bool = False,
) -> TensorType:
    """Return ``data`` reshaped; negative codes and 0 in ``shape`` refer to the sizes of ``data``.

    Args:
        data: ``[*sizes]``, any dtype.
        shape: The new sizes, positive or codes: 0 copies the input's size of this axis; -1 is
            inferred from the number of elements; -2 copies all remaining sizes; -3 merges two
            consecutive axes; -4 splits an axis into the two sizes that follow, one of which may
            be -1.
        reverse: Match ``shape`` against the input sizes from the last axis on; -4 is then written
            after its two sizes.
        target_shape: Older form of ``shape``, where 0 is inferred.
        keep_highest: With ``target_shape``, keep the first size of the input.

    Returns:
        The new shape, the dtype of ``data``.

    Raises:
        ShapeError: A code finds no axis, an axis cannot be divided, or the number of elements
            differs.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.zeros((2, 3, 4))
        >>> nd.reshape(x, shape=(-3, 0)).shape, nd.reshape(x, shape=(0, -4, -1, 3, -2)).shape
        ((6, 4), (2, 1, 3, 4))
    """
    if data.shape is None:
        return data.with_shape(None)
    params = {
        "shape": shape,
        "reverse": reverse,
        "target_shape": target_shape,
        "keep_highest": keep_highest,
    }
    output = data.with_shape(coded_shape(data.shape, params))
    _same_size(data, output)
    return output


def _span(begin: int | None, end: int | None, which: TensorType, rank: int) -> tuple[int, int]:
    """Return the axes ``begin:end`` as non-negative numbers."""
    first = 0 if begin is None else begin + rank if begin < 0 else begin
    last = rank if end is None else end + rank if end < 0 else end
    if not 0 <= first < last <= rank:
        raise ShapeError(
            f"axes {begin}:{end} must be one or more of the {rank} axes of "
            f"{which.label}{show(which.shape)}"
        )
    return first, last


def _grad_reshape_like(saved: Saved, dy: Any) -> tuple[Any, None]:
    return reshape_like(dy, saved.inputs[0]), None


@operator(
    "reshape_like", "_npx_reshape_like", grad=_grad_reshape_like, back=_back_size, traits=VIEW
)
def reshape_like(
    lhs: TensorType,
    rhs: TensorType,
    *,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
) -> TensorType:
    """Return ``lhs`` in the shape of ``rhs``, or with some axes reshaped to some axes of ``rhs``.

    Args:
        lhs: ``[*sizes]``, any dtype.
        rhs: Only its shape is used.
        lhs_begin: First axis of ``lhs`` to replace; 0 if None.
        lhs_end: End of the axes to replace, exclusive; None for all following axes.
        rhs_begin: First axis of ``rhs`` to use; 0 if None.
        rhs_end: End of the axes to use, exclusive; None for all following axes.

    Raises:
        ShapeError: The number of elements differs, or there are no such axes.

    Example:
        >>> from hy_ndarray import nd
        >>> x, like = nd.zeros((6, 5)), nd.zeros((2, 3, 4))
        >>> nd.reshape_like(x, like, lhs_end=1, rhs_end=2).shape
        (2, 3, 5)
    """
    if (lhs_begin, lhs_end, rhs_begin, rhs_end) == (None, None, None, None):
        output = lhs.with_shape(rhs.shape)
    elif lhs.shape is None or rhs.shape is None:
        return lhs.with_shape(None)
    else:
        first, last = _span(lhs_begin, lhs_end, lhs, len(lhs.shape))
        start, stop = _span(rhs_begin, rhs_end, rhs, len(rhs.shape))
        output = lhs.with_shape((*lhs.shape[:first], *rhs.shape[start:stop], *lhs.shape[last:]))
    _same_size(lhs, output)
    return output


def _back_flatten(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    data, output = inputs[0], outputs[0]
    if data.shape and output.shape:
        data.set_shape((output.shape[0], *[None] * (len(data.shape) - 1)))


@operator(
    "Flatten",
    "flatten",
    "_npx_batch_flatten",
    grad=_as_before,
    back=_back_flatten,
    traits=Traits(view=True, rows=rows_of_batch, quantized=Quantized("_contrib_quantized_flatten")),
)
def flatten(data: TensorType) -> TensorType:
    """Return the array as a matrix, with all axes except the first merged.

    Args:
        data: ``[N, *rest]``, any dtype.

    Returns:
        ``[N, the product of rest]``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.flatten(nd.zeros((2, 3, 4))).shape
        (2, 12)
    """
    if data.shape is None:
        return data.with_shape((None, None))
    if not data.shape:
        raise ShapeError("data () must have at least one axis")
    return data.with_shape((data.shape[0], element_count(data.shape[1:])))


def _inserted(axis: int, rank: int) -> int:
    """Return the position of a new axis in an array of ``rank`` axes, as a non-negative number."""
    if not -rank - 1 <= axis <= rank:
        raise ShapeError(f"axis={axis} is outside the {rank + 1} axes of the result")
    return axis % (rank + 1)


def _back_expand_dims(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    shape = outputs[0].shape
    if shape:
        at = _inserted(params["axis"], len(shape) - 1)
        inputs[0].set_shape(shape[:at] + shape[at + 1 :])


@operator("expand_dims", "_npi_expand_dims", grad=_as_before, back=_back_expand_dims, traits=VIEW)
def expand_dims(data: TensorType, *, axis: int) -> TensorType:
    """Return the array with a new axis of size 1.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: Position of the new axis in the result; a negative one counts from the end.

    Raises:
        ShapeError: The result has no such axis.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.expand_dims(nd.zeros((2, 3)), axis=1).shape
        (2, 1, 3)
    """
    if data.shape is None:
        return data.with_shape(None)
    at = _inserted(axis, len(data.shape))
    return data.with_shape((*data.shape[:at], 1, *data.shape[at:]))


@operator("squeeze", grad=_as_before, traits=VIEW)
def squeeze(data: TensorType, *, axis: Shape | None = None) -> TensorType:
    """Return the array with axes of size 1 removed.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axes to remove; None for all of size 1. At least one axis is kept.

    Raises:
        ShapeError: An axis does not exist, is named twice, or is not of size 1.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.squeeze(nd.zeros((1, 3, 1))).shape, nd.squeeze(nd.zeros((1, 3, 1)), axis=0).shape
        ((3,), (3, 1))
    """
    shape = data.shape
    if shape is None:
        return data.with_shape(None)
    if axis is None:
        if None in shape:
            return data.with_shape(None)
        left = tuple(n for n in shape if n != 1)
    else:
        removed = [check_axis(i, data) for i in axis]
        if len(set(removed)) != len(removed):
            raise ShapeError(f"axis={axis} repeats an axis of {data.label}{show(shape)}")
        data.set_shape(tuple(1 if i in removed else n for i, n in enumerate(shape)))
        left = tuple(n for i, n in enumerate(shape) if i not in removed)
    return data.with_shape(left or shape[:1])


@operator("shape_array", "_npx_shape_array", grad=zero_gradient, traits=BY_TYPES)
def shape_array(data: TensorType) -> TensorType:
    """Return the shape of ``data`` as an int64 vector.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.shape_array(nd.zeros((2, 3))).asnumpy()
        array([2, 3])
    """
    return TensorType((data.rank,), "int64")


@operator("size_array", grad=zero_gradient, traits=BY_TYPES)
def size_array(data: TensorType) -> TensorType:
    """Return the number of elements of ``data`` as an int64 vector of length 1.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.size_array(nd.zeros((2, 3))).asnumpy()
        array([6])
    """
    return TensorType((1,), "int64")
