"""RoIAlign of Mask R-CNN (He et al., 2017): regions of interest, sampled between pixels."""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import to_accumulator_dtype


@triton.jit
def _extent(roi_ptr, near, parts, SCALE: tl.constexpr, SAMPLES: tl.constexpr,
            ALIGNED: tl.constexpr):  # fmt: skip
    """Return the start of a region along an axis, the length of a part, and its sample count."""
    start = to_accumulator_dtype(tl.load(roi_ptr + near)) * SCALE
    end = to_accumulator_dtype(tl.load(roi_ptr + near + 2)) * SCALE
    if ALIGNED:
        start -= 0.5
        length = end - 0.5 - start
    else:
        length = tl.maximum(end - start, 1.0)
    part = length / parts
    number = SAMPLES if SAMPLES > 0 else tl.ceil(part).to(tl.int32)
    return start, part, number


@triton.jit
def _between(start, part, bins, sample, number, size):
    """Return the two pixels around a sample, the weight of the second, and whether it counts."""
    position = start + bins * part + (sample + 0.5) * part / number
    counts = (position >= -1) & (position <= size)
    # Samples up to one pixel outside count as at the border, as in the reference code of the paper;
    # those farther away count as zeros.
    position = tl.minimum(tl.maximum(position, 0.0), size - 1.0)
    low = tl.floor(position).to(tl.int32)
    return low, tl.minimum(low + 1, size - 1), position - low, counts


@triton.jit
def aligned_regions(
    x_ptr,  # [images, channels, height, width], the input, or if BACK its gradient, zeros
    roi_ptr,  # [regions, 5], the image, and the corners x1, y1, x2, y2
    y_ptr,  # [regions, outputs, rows, columns], the result, or if BACK its gradient
    images, channels, height, width,  # of x
    outputs, rows, columns,  # of y
    SCALE: tl.constexpr,  # of the corners
    SAMPLES: tl.constexpr,  # along each axis of a part; 0: as many as it has pixels
    ALIGNED: tl.constexpr,  # whether pixels' centers are at halves
    OWN_CHANNELS: tl.constexpr,  # whether each part has channels of its own
    BACK: tl.constexpr,  # whether gradients go to the data
    BLOCK: tl.constexpr,  # elements of a program
):  # fmt: skip
    """Compute the mean of samples in each part of each region, or if BACK the gradient.

    Bytes: reads four pixels a sample, mostly from the cache, writes y once. Backward: reads y once,
    adds to four pixels a sample.
    """
    region = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    exists = at < outputs * rows * columns
    q, p, c = at % columns, at // columns % rows, at // (columns * rows)
    roi = roi_ptr + region * 5
    image = to_accumulator_dtype(tl.load(roi)).to(tl.int32)
    image += tl.zeros((BLOCK,), tl.int32)  # the interpreter has no masks of scalars
    inside = exists & (image >= 0) & (image < images)
    top, bin_height, many_rows = _extent(roi, 2, rows, SCALE, SAMPLES, ALIGNED)
    left, bin_width, many_columns = _extent(roi, 1, columns, SCALE, SAMPLES, ALIGNED)
    channel = (c * rows + p) * columns + q if OWN_CHANNELS else c
    picture = x_ptr + (image.to(tl.int64) * channels + channel) * height * width
    ptrs = y_ptr + region * outputs * rows * columns + at
    total = tl.zeros((BLOCK,), tl.float64 if y_ptr.dtype.element_ty == tl.float64 else tl.float32)
    if BACK:
        total += to_accumulator_dtype(tl.load(ptrs, inside, other=0.0)) / (many_rows * many_columns)
    for i in range(many_rows):
        y0, y1, v, row_counts = _between(top, bin_height, p, i, many_rows, height)
        for j in range(many_columns):
            x0, x1, h, column_counts = _between(left, bin_width, q, j, many_columns, width)
            seen = inside & row_counts & column_counts
            a, b = picture + y0 * width, picture + y1 * width
            if BACK:
                # Regions overlap as they like, so gradients of pixels are added atomically, in
                # whatever order: results of two runs may differ in the last bits, here alone.
                # Torch's own does the same.
                tl.atomic_add(a + x0, total * (1 - v) * (1 - h), seen)
                tl.atomic_add(a + x1, total * (1 - v) * h, seen)
                tl.atomic_add(b + x0, total * v * (1 - h), seen)
                tl.atomic_add(b + x1, total * v * h, seen)
            else:
                upper = to_accumulator_dtype(tl.load(a + x0, seen, other=0.0)) * (1 - h)
                upper += to_accumulator_dtype(tl.load(a + x1, seen, other=0.0)) * h
                lower = to_accumulator_dtype(tl.load(b + x0, seen, other=0.0)) * (1 - h)
                lower += to_accumulator_dtype(tl.load(b + x1, seen, other=0.0)) * h
                total += upper * (1 - v) + lower * v
    if not BACK:
        total = total / tl.maximum(many_rows * many_columns, 1)
        tl.store(ptrs, total.to(y_ptr.dtype.element_ty), exists)
