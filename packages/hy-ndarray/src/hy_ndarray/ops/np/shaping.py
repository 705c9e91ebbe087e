"""Reshaping and broadcasting by NumPy's rules, and by the codes of ``npx.reshape``."""

from collections.abc import Sequence
from math import prod
from typing import Any

from hy_ndarray._errors import ShapeError, UnsupportedError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.elementwise.broadcast import sum_like
from hy_ndarray.ops.np._rules import axes_of
from hy_ndarray.ops.record.params import Count, Shape
from hy_ndarray.ops.record.rules import numbered
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import VIEW
from hy_ndarray.ops.record.types import PartialShape, TensorType, element_count, show
from hy_ndarray.ops.shaping.reshape import reshape_like


def _as_before(saved: Saved, dy: Any) -> tuple[Any]:
    return (reshape_like(dy, saved.inputs[0]),)


def _completed_shape(data: TensorType, target: Sequence[int | None], codes: Shape) -> PartialShape:
    """Return ``target`` with its None replaced by the size that the element count implies."""
    assert data.shape is not None
    total = element_count(data.shape)
    rest = prod(n for n in target if n is not None)
    if total is None:
        return tuple(target)
    if None in target and rest and total % rest == 0:
        return tuple(total // rest if n is None else n for n in target)
    if None in target or rest != total:
        raise ShapeError(
            f"cannot reshape {data.label}{show(data.shape)} ({total} elements) by newshape={codes}"
        )
    return tuple(target)


def _back_size(inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params) -> None:
    """Infer the one unknown size of the input from the number of elements of the result."""
    data, output = inputs[0], outputs[0]
    if data.shape is None or output.sizes is None or data.shape.count(None) != 1:
        return
    rest = prod(n for n in data.shape if n is not None)
    if rest and prod(output.sizes) % rest == 0:
        missing = prod(output.sizes) // rest
        data.set_shape([missing if n is None else n for n in data.shape])


@operator("_np_reshape", grad=_as_before, back=_back_size, traits=VIEW)
def np_reshape(a: TensorType, *, newshape: Shape, order: str = "C") -> TensorType:
    """Return ``a`` reshaped.

    Args:
        a: ``[*sizes]``, any dtype.
        newshape: The sizes; one of them may be -1, which is inferred from the number of elements.
        order: Only ``"C"``, row-major.

    Raises:
        ShapeError: The number of elements differs, or ``order`` is not ``"C"``.
    """
    if order != "C":
        raise UnsupportedError(f"order={order!r} is not supported; use 'C'")
    if sum(n == -1 for n in newshape) > 1 or any(n < -1 for n in newshape):
        raise ShapeError(f"newshape={newshape} may contain one -1, but no other negative size")
    target = [None if n == -1 else n for n in newshape]
    return a.with_shape(target if a.shape is None else _completed_shape(a, target, newshape))


class _Codes:
    """Interpreter of the codes of ``npx.reshape``: computes the new shape from the input's."""

    def __init__(self, codes: Shape, sizes: PartialShape) -> None:
        self.codes = codes
        self.sizes = sizes
        self.at = 0
        self.result: list[int | None] = []

    def take(self, code: int) -> int | None:
        """Return the next input size, which ``code`` consumes."""
        if self.at >= len(self.sizes):
            raise ShapeError(
                f"code {code} in newshape={self.codes} needs axis {self.at}, but the input has "
                f"only {len(self.sizes)} axes"
            )
        self.at += 1
        return self.sizes[self.at - 1]

    def skip(self) -> None:
        """Consume an input axis, which must have size 1, without output (code -3)."""
        size = self.take(-3)
        if size not in (1, None):
            raise ShapeError(
                f"code -3 in newshape={self.codes} drops an axis of size 1, but axis {self.at - 1} "
                f"has size {size}"
            )

    def merge(self) -> None:
        """Append the product of the next two input sizes to the result (code -5)."""
        a, b = self.take(-5), self.take(-5)
        self.result.append(None if a is None or b is None else a * b)

    def divide(self, first: int, second: int) -> None:
        """Split the next input axis into two sizes, one of which may be -1 (code -6)."""
        size = self.take(-6)
        known = second if first == -1 else first
        if known <= 0 or (size is not None and size % known):
            raise ShapeError(
                f"newshape={self.codes} cannot split an axis of size {size} by {known}"
            )
        other = None if size is None else size // known
        parts = (other if first == -1 else first, other if second == -1 else second)
        if size is not None and prod(n or 0 for n in parts) != size:
            raise ShapeError(
                f"newshape={self.codes} cannot split an axis of size {size} into {parts}"
            )
        self.result.extend(parts)

    def walk(self) -> list[int | None]:
        """Interpret all codes and return the new shape, with None for -1."""
        codes = iter(self.codes)
        open_sizes = 0
        for code in codes:
            if code >= 0 or code == -1:
                open_sizes += code == -1
                self.result.append(None if code == -1 else code)
                self.at += 1
            elif code == -2:
                self.result.append(self.take(-2))
            elif code == -3:
                self.skip()
            elif code == -4:
                self.result.extend(self.sizes[self.at :])
                self.at = len(self.sizes)
            elif code == -5:
                self.merge()
            elif code == -6:
                self.divide(next(codes, 0), next(codes, 0))
            else:
                raise ShapeError(f"newshape={self.codes} contains an unknown code, {code}")
        if open_sizes > 1:
            raise ShapeError(f"newshape={self.codes} contains more than one -1")
        return self.result


@operator("_npx_reshape", "_npi_reshape", grad=_as_before, back=_back_size, traits=VIEW)
def npx_reshape(
    a: TensorType, *, newshape: Shape, reverse: bool = False, order: str = "C"
) -> TensorType:
    """Return ``a`` reshaped to a shape given by codes.

    Args:
        a: ``[*sizes]``, any dtype.
        newshape: The new sizes. Negative codes: -1 is inferred from the number of elements; -2
            copies the input's size of this axis; -3 drops an input axis of size 1; -4 copies all
            remaining sizes; -5 merges two consecutive axes; -6 splits an axis into the two sizes
            that follow, one of which may be -1.
        reverse: Match ``newshape`` against the input sizes from the last axis on; -6 is then
            written after its two sizes.
        order: Only ``"C"``, row-major.

    Raises:
        ShapeError: A code finds no axis, an axis cannot be divided, or the number of elements
            differs.

    Example:
        >>> from hy_ndarray import np, npx
        >>> npx.reshape(np.zeros((2, 3, 8)), (-5, -6, 2, -1)).shape
        (6, 2, 4)
    """
    if order != "C":
        raise UnsupportedError(f"order={order!r} is not supported; use 'C'")
    if a.shape is None:
        return a.with_shape(None)
    if reverse:
        target = _Codes(newshape[::-1], a.shape[::-1]).walk()[::-1]
    else:
        target = _Codes(newshape, a.shape).walk()
    if newshape.count(-1) == 0 and None in target:
        return a.with_shape(target)
    return a.with_shape(_completed_shape(a, target, newshape))


@operator("_np_squeeze", grad=_as_before, traits=VIEW)
def np_squeeze(a: TensorType, *, axis: Shape | None = None) -> TensorType:
    """Return the array with axes of size 1 removed.

    Args:
        a: ``[*shape]``, any dtype.
        axis: The axes to remove; None for all axes of size 1.

    Raises:
        ShapeError: An axis is out of range, or not of size 1.
    """
    if a.shape is None or (axis is None and None in a.shape):
        return a.with_shape(None)
    if axis is None:
        return a.with_shape(n for n in a.shape if n != 1)
    squeezed = axes_of(axis, a) if axis else ()
    assert squeezed is not None
    for i in squeezed:
        if a.shape[i] not in (1, None):
            raise ShapeError(f"axis={axis} of {show(a.shape)} must have size 1, got {a.shape[i]}")
    return a.with_shape(n for i, n in enumerate(a.shape) if i not in squeezed)


@operator("_npi_broadcast_to", grad=lambda saved, dy: (sum_like(dy, saved.inputs[0]),))
def np_broadcast_to(array: TensorType, *, shape: Shape = ()) -> TensorType:
    """Return ``array`` broadcast to a shape.

    Args:
        array: ``[*sizes]``, any dtype.
        shape: Shape of the result; -2 keeps the size of the input.

    Raises:
        ShapeError: The array does not broadcast to ``shape``.
    """
    own = array.shape
    if own is None:
        return array.with_shape(n if n >= 0 else None for n in shape)
    if len(own) > len(shape):
        raise ShapeError(f"{show(own)} has more axes than shape={shape}")
    padded = (1,) * (len(shape) - len(own)) + own
    target = [size if n == -2 else n for size, n in zip(padded, shape, strict=True)]
    for size, n in zip(padded, target, strict=True):
        if size not in (1, n, None):
            raise ShapeError(f"{show(own)} cannot be broadcast to {shape}")
    return array.with_shape(target)


def _output_names(params: Params) -> tuple[str, ...]:
    count = params["num_args"]
    return ("output",) if count == 1 else numbered(count)


def _grad_atleast(saved: Saved, *dys: Any) -> tuple[Any, ...]:
    return tuple(reshape_like(dy, x) for dy, x in zip(dys, saved.inputs, strict=True))


@operator("_np_atleast_1d", outputs=_output_names, grad=_grad_atleast)
def np_atleast_1d(*arys: TensorType, num_args: Count) -> Any:
    """Return the arrays with at least one axis."""
    return tuple(x.with_shape(None if x.shape is None else x.shape or (1,)) for x in arys)


@operator("_np_atleast_2d", outputs=_output_names, grad=_grad_atleast)
def np_atleast_2d(*arys: TensorType, num_args: Count) -> Any:
    """Return the arrays with at least two axes; new axes come first."""

    def shape(own: PartialShape) -> PartialShape:
        return (1,) * (2 - len(own)) + own

    return tuple(x.with_shape(None if x.shape is None else shape(x.shape)) for x in arys)


@operator("_np_atleast_3d", outputs=_output_names, grad=_grad_atleast)
def np_atleast_3d(*arys: TensorType, num_args: Count) -> Any:
    """Return the arrays with at least three axes: ``[N]`` becomes ``[1, N, 1]``."""

    def shape(own: PartialShape) -> PartialShape:
        return ((1, 1, 1), (1, *own, 1), (*own, 1))[len(own)] if len(own) < 3 else own

    return tuple(x.with_shape(None if x.shape is None else shape(x.shape)) for x in arys)
