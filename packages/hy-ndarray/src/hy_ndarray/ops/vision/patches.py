"""Sliding windows as columns of a matrix (im2col), and their sum to images (col2im)."""

from math import prod
from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import Linear
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.ranges import NonNegatives, Positives
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType, element_count, show


def _steps(
    sizes: PartialShape, kernel: Shape, stride: Shape, dilate: Shape, pad: Shape
) -> PartialShape:
    """Return the number of windows along each axis."""
    rank = len(kernel)
    if (
        not len(sizes)
        == rank
        == len(stride or kernel)
        == len(dilate or kernel)
        == len(pad or kernel)
    ):
        raise ShapeError(
            f"kernel={kernel}, stride={stride}, dilate={dilate} and pad={pad} must have "
            f"{len(sizes)} numbers each"
        )
    strides, steps, pads = stride or (1,) * rank, dilate or (1,) * rank, pad or (0,) * rank
    counts: list[int | None] = []
    for n, k, s, d, p in zip(sizes, kernel, strides, steps, pads, strict=True):
        reach = d * (k - 1) + 1
        if n is not None and reach > n + 2 * p:
            raise ShapeError(
                f"kernel size {reach} (with dilation) exceeds the padded image size {n + 2 * p}"
            )
        counts.append(None if n is None else (n + 2 * p - reach) // s + 1)
    return tuple(counts)


def _columns(
    data: TensorType, kernel: Shape, stride: Shape, dilate: Shape, pad: Shape
) -> PartialShape:
    """Return the shape of ``im2col``'s result, ``[N, C * the product of kernel, windows]``."""
    shape = data.shape
    if shape is None:
        return (None, None, None)
    if len(shape) != len(kernel) + 2:
        raise ShapeError(
            f"{data.label}{show(shape)} must have {len(kernel) + 2} axes for kernel={kernel}"
        )
    counts = _steps(shape[2:], kernel, stride, dilate, pad)
    return (shape[0], element_count((shape[1], *kernel)), element_count(counts))


_IM2COL = Linear()


@operator("im2col", grad=_IM2COL.grad)
def im2col(
    data: TensorType,
    *,
    kernel: Positives,
    stride: Positives = (),
    dilate: Positives = (),
    pad: NonNegatives = (),
) -> TensorType:
    """Return the sliding windows of an image as columns of a matrix.

    Args:
        data: ``[N, C, *sizes]``, any dtype.
        kernel: Size of the windows along each axis.
        stride: Step between windows; 1 if empty.
        dilate: Step between the elements of a window; 1 if empty.
        pad: Zeros added at both ends of each axis; none if empty.

    Returns:
        ``[N, C * the product of kernel, the number of windows]``.

    Raises:
        ShapeError: The window is larger than the padded image.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[[[1, 2, 3], [4, 5, 6]]]])
        >>> nd.im2col(x, kernel=(2, 2)).asnumpy()
        array([[[1., 2.],
                [2., 3.],
                [4., 5.],
                [5., 6.]]], dtype=float32)
    """
    return data.with_shape(_columns(data, kernel, stride, dilate, pad))


im2col_backward = _IM2COL.gradient_of(im2col, "im2col_backward")


def _grad_col2im(saved: Saved, dy: Any) -> tuple[Any]:
    params = {name: value for name, value in saved.params.items() if name != "output_size"}
    return (im2col(dy, **params),)


@operator("col2im", grad=_grad_col2im)
def col2im(
    data: TensorType,
    *,
    output_size: Shape,
    kernel: Positives,
    stride: Positives = (),
    dilate: Positives = (),
    pad: NonNegatives = (),
) -> TensorType:
    """Return images to which columns are added at the positions of their windows.

    Args:
        data: ``[N, C * the product of kernel, the number of windows]``, any dtype.
        output_size: Sizes of the images.
        kernel: Size of the windows along each axis.
        stride: Step between windows; 1 if empty.
        dilate: Step between the elements of a window; 1 if empty.
        pad: Elements removed at both ends of each axis; none if empty.

    Returns:
        ``[N, C, *output_size]``.

    Raises:
        ShapeError: ``data`` does not have one column per window.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.col2im(nd.ones((1, 4, 2)), output_size=(2, 3), kernel=(2, 2)).asnumpy()
        array([[[[1., 2., 1.],
                 [1., 2., 1.]]]], dtype=float32)
    """
    data.set_shape((None, None, element_count(_steps(output_size, kernel, stride, dilate, pad))))
    assert data.shape is not None
    rows, each = data.shape[1], prod(kernel)
    if rows is not None and rows % each:
        raise ShapeError(
            f"the second axis of {data.label}{show(data.shape)} must be a multiple of {each}, the "
            "elements of a patch"
        )
    channels = None if rows is None else rows // each
    return data.with_shape((data.shape[0], channels, *output_size))
