"""Export of preprocessing of channels-last images: resizing, normalisation, layout."""

import numpy as np

from hy_ndarray import nd
from hy_onnx.model import Array
from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []

_NEAREST, _AREA = 0, 3
"""Numbers of MXNet's interpolation methods."""


@converter("_image_normalize")
def _normalize(call: Call) -> str:
    channels = call.size(0, -3)
    dtype = call.dtype() if call.is_floating() else "float32"
    x = call.cast_from(call.x, call.dtype(), dtype)
    for op, values in (("Sub", call.params["mean"]), ("Div", call.params["std"])):
        numbers = values if len(values) == channels else values[:1]
        x = call.op(op, x, call.constant(np.reshape(numbers, (-1, 1, 1)), dtype))
    return call.cast_from(x, dtype, call.dtype())


@converter("_image_resize", "_cvimresize")
def _resize(call: Call) -> str:
    """Resize images by products with interpolation matrices."""
    rank, method = call.rank(), call.params["interp"]
    sizes = call.shape_of(0, (rank - 3, rank - 2))
    wanted = call.out_shape_of((rank - 3, rank - 2))
    if sizes == wanted:
        return call.x
    down = _resize_matrix(sizes[0], wanted[0], sizes[1], wanted[1], method, axis=0)
    right = _resize_matrix(sizes[1], wanted[1], sizes[0], wanted[0], method, axis=1)
    if method == _NEAREST:
        x = call.op("Gather", call.x, call.constant(down.argmax(1), "int64"), axis=rank - 3)
        return call.op("Gather", x, call.constant(right.argmax(1), "int64"), axis=rank - 2)
    if not call.is_floating():
        raise call.refused(
            f"{call.dtype()} pixels, whose sums are rounded where ONNX does not round; make "
            "them floating first, by to_tensor or cast, or use interp=0"
        )
    leading = range(rank - 3)
    x = call.transpose(call.x, *leading, rank - 1, rank - 3, rank - 2)
    x = call.op("MatMul", call.constant(down, call.dtype()), x)
    x = call.op("MatMul", x, call.constant(right.T, call.dtype()))
    return call.transpose(x, *leading, rank - 2, rank - 1, rank - 3)


def _resize_matrix(
    size: int, wanted: int, other: int, other_wanted: int, method: int, axis: int
) -> Array:
    """Return the interpolation matrix ``[wanted, size]`` of an axis, by resizing the identity.

    The interpolation can depend on how the other axis is scaled (``other`` to ``other_wanted``), so
    the identity is scaled in the same way there.
    """
    small, result = (
        (1, 1) if other == other_wanted
        else (2, 1) if other == 2 * other_wanted
        else (3, 1) if other > other_wanted
        else (1, 2)
    )  # fmt: skip
    line = np.eye(size, dtype=np.float32)
    shape = (size, 1, size) if axis == 0 else (1, size, size)
    image = np.repeat(line.reshape(shape), small, axis=1 - axis)
    height, width = (wanted, result) if axis == 0 else (result, wanted)
    y = nd.image.resize(nd.array(image), size=(width, height), interp=method).asnumpy()
    shares: Array = y[:, 0] if axis == 0 else y[0]
    return shares
