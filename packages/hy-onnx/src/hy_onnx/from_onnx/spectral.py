"""Import of Fourier transforms; the last axis holds real numbers or (real, imaginary)."""

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.registry import reader
from hy_onnx.from_onnx.value import Tensor, whole_numbers

__all__: list[str] = []


@reader("DFT")
def _transform(call: Call) -> Tensor:
    axis, x = _axis(call), call.x
    inverse, half = bool(call.attr("inverse", 0)), bool(call.attr("onesided", 0))
    size = whole_numbers(call.known(1, "dft_length"))[0] if call.has(1) else None
    if inverse and half:
        if size is None:
            size = 2 * (_known_size(call, x, axis) - 1)
        x = _mirrored(call, _cropped_or_padded(call, x, axis, size // 2 + 1), axis, size)
    count = _known_size(call, x, axis) if size is None else size
    y = _complex_pairs(call, _cropped_or_padded(call, x, axis, count), axis, inverse=inverse)
    if inverse:
        y = call.op("_div_scalar", y, scalar=float(count), is_int=False)
    if half and inverse:
        return call.op("slice_axis", y, axis=y.rank - 1, begin=0, end=1)
    return call.op("slice_axis", y, axis=axis, begin=0, end=count // 2 + 1) if half else y


def _axis(call: Call) -> int:
    # The axis became an input with opset 20.
    if call.opset < 20:  # noqa: PLR2004
        axis = call.attr("axis", 1)
    else:
        axis = whole_numbers(call.known(2, "axis"))[0] if call.has(2) else -2
    normalized = call.axis(axis)
    if normalized == call.x.rank - 1:
        raise call.refused(f"axis={axis}, which is that of real and imaginary part")
    return normalized


def _known_size(call: Call, x: Tensor, axis: int) -> int:
    """Return the size of an axis, which must not be open."""
    size = x.dims[axis]
    if not isinstance(size, int):
        raise call.refused(f"a transform along an open size, {size}; export it with a fixed one")
    return size


def _cropped_or_padded(call: Call, x: Tensor, axis: int, count: int) -> Tensor:
    """Crop or zero-pad an axis to ``count`` elements."""
    size = _known_size(call, x, axis)
    if size > count:
        return call.op("slice_axis", x, axis=axis, begin=0, end=count)
    if size == count:
        return x
    first = call.op("slice_axis", x, axis=axis, begin=0, end=1)
    reps = [1] * x.rank
    reps[axis] = count - size
    zeros = call.op("tile", call.op("zeros_like", first), reps=tuple(reps))
    return call.op("Concat", x, zeros, dim=axis)


def _mirrored(call: Call, x: Tensor, axis: int, size: int) -> Tensor:
    """Return the full spectrum of a real signal, of ``size`` elements, from its first half."""
    count = _known_size(call, x, axis)
    # Hermitian symmetry: the second half is the conjugate of the first, reversed.
    inner = call.op("slice_axis", x, axis=axis, begin=1, end=count - 1 + size % 2)
    real, imaginary = _real_and_imaginary(call, call.op("reverse", inner, axis=(axis,)))
    other = call.op("stack", real, call.op("negative", imaginary), axis=-1)
    return call.op("Concat", x, other, dim=axis)


def _real_and_imaginary(call: Call, x: Tensor) -> list[Tensor]:
    """Split pairs on the last axis into real and imaginary parts."""
    return call.ops("SliceChannel", x, num_outputs=2, axis=x.rank - 1, squeeze_axis=True)


def _complex_pairs(call: Call, x: Tensor, axis: int, *, inverse: bool) -> Tensor:
    """Return the unscaled transform as (real, imaginary) pairs on the last axis."""
    rank = x.rank - 1
    if x.shapes[0][-1] == 1:
        real, imaginary = _of_real(call, call.op("squeeze", x, axis=(rank,)), axis)
    else:
        # By linearity: F(a + ib) = F(a) + i F(b), from two transforms of real numbers.
        whole, swapped = (_of_real(call, part, axis) for part in _real_and_imaginary(call, x))
        real = call.op("elemwise_sub", whole[0], swapped[1])
        imaginary = call.op("elemwise_add", whole[1], swapped[0])
    y = call.op("stack", real, imaginary, axis=-1)
    if not inverse:
        return y
    # the inverse has the same coefficients in reverse order, but for the first one
    first = call.op("slice_axis", y, axis=axis, begin=0, end=1)
    rest = call.op("slice_axis", y, axis=axis, begin=1, end=None)
    return call.op("Concat", first, call.op("reverse", rest, axis=(axis,)), dim=axis)


def _of_real(call: Call, x: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Return the real and the imaginary part of the transform of a real signal."""
    order = [i for i in range(x.rank) if i != axis] + [axis]
    back = sorted(range(x.rank), key=order.__getitem__)
    y = call.op("_contrib_fft", call.transpose(x, *order))
    pairs = call.op("Reshape", y, shape=(*[0] * (x.rank - 1), -4, -1, 2))
    real, imaginary = (call.transpose(part, *back) for part in _real_and_imaginary(call, pairs))
    return real, imaginary
