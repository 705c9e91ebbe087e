"""Normalisation of rows (layer, group, instance, root mean square) and of channels (batch).

Means and squared deviations of parts are merged by the formula of Chan, Golub and LeVeque,
"Updating formulae and a pairwise algorithm for computing sample variances", 1979; the gradient of
rows keeps its sums for gamma and beta in registers over the rows of a program, as in Triton's
tutorial "Layer normalization".
"""

import triton
import triton.language as tl

from hy_kernels.triton.device import pointwise
from hy_kernels.triton.device.rows import (
    aligned_starts,
    in_row,
    load_row,
    store_row,
    to_accumulator_dtype,
)


@triton.jit
def _activated(y, ACTIVATION: tl.constexpr):
    if ACTIVATION == "none":
        return y
    elif ACTIVATION == "gelu":
        return pointwise.leaky_relu(y, "gelu", 0.0)
    else:
        return pointwise.activation(y, ACTIVATION)


@triton.jit
def normalize_rows(
    x_ptr,  # [rows, columns], the input
    gamma_ptr,  # [columns] if BY_COLUMN, else [groups], of which row r has r % groups
    beta_ptr,  # as gamma
    y_ptr,  # [rows, columns], the result
    mean_ptr,  # [rows], means
    deviation_ptr,  # [rows], deviations
    rows,  # how many there are
    columns,  # of a row
    groups,  # elements of gamma, unless BY_COLUMN
    EPS: tl.constexpr,  # added to variances
    BY_COLUMN: tl.constexpr,  # whether gamma has an element for each column
    CENTERED: tl.constexpr,  # else the mean is taken for 0, and there is no beta: RMSNorm
    ACTIVATION: tl.constexpr,  # of the result, "none" among them
    WHOLE: tl.constexpr,  # whether a row fits a tile
    ALIGN: tl.constexpr,  # a factor of columns
    VECTOR: tl.constexpr,  # elements at whose multiples tiles begin, or 1: where rows do
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Normalise rows, with scale, shift and activation; write means and deviations too.

    Bytes: reads x once (twice unless WHOLE) and gamma and beta, writes y once.
    """
    columns = columns // ALIGN * ALIGN
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    base, lead = aligned_starts(row * columns, VECTOR)
    base, lead, present = base[:, None], lead[:, None], exists[:, None]
    at = tl.arange(0, COLUMNS)[None, :]
    x = to_accumulator_dtype(load_row(x_ptr, base, at, lead, columns, present, 1, VECTOR))
    inside = present & in_row(at, lead, columns, VECTOR)
    # The first tile has fewer elements of a row where it begins before that.
    seen = tl.minimum(COLUMNS - lead, columns).to(x.dtype)
    mean = tl.sum(tl.where(inside, x, 0.0), 1)[:, None] / seen
    if not CENTERED:
        mean = mean * 0.0
    centered = tl.where(inside, x - mean, 0.0)
    square = tl.sum(centered * centered, 1)[:, None]
    if not WHOLE:
        for first in range(COLUMNS, columns + (VECTOR - 1), COLUMNS):
            at = first + tl.arange(0, COLUMNS)[None, :]
            x = to_accumulator_dtype(load_row(x_ptr, base, at, lead, columns, present, 1, VECTOR))
            inside = present & in_row(at, lead, columns, VECTOR)
            more = tl.minimum(tl.maximum(lead + columns - first, 0), COLUMNS).to(x.dtype)
            if CENTERED:
                center = tl.sum(tl.where(inside, x, 0.0), 1)[:, None] / tl.maximum(more, 1.0)
            else:
                center = mean
            centered = tl.where(inside, x - center, 0.0)
            # Chan, Golub and LeVeque: two parts' squared deviations add up to that of both with the
            # square of the step between their means. A difference of squares would cancel in
            # float32.
            step = center - mean
            share = more / (seen + more)
            square += tl.sum(centered * centered, 1)[:, None] + step * step * share * seen
            mean += step * share
            seen += more
    deviation = tl.sqrt(square / columns + EPS)
    offset = row[:, None]
    tl.store(mean_ptr + offset, mean.to(mean_ptr.dtype.element_ty), present)
    tl.store(deviation_ptr + offset, deviation.to(deviation_ptr.dtype.element_ty), present)
    # One division a row; two roundings in place of one are within half a unit of 16 bits.
    inverse = 1.0 / deviation
    for first in range(0, columns + (VECTOR - 1), COLUMNS):
        at = first + tl.arange(0, COLUMNS)[None, :]
        if not WHOLE:
            x = to_accumulator_dtype(load_row(x_ptr, base, at, lead, columns, present, 1, VECTOR))
        y = (x - mean) * inverse
        if BY_COLUMN:
            column, within = at - lead, in_row(at, lead, columns, VECTOR)
            y = y * to_accumulator_dtype(tl.load(gamma_ptr + column, within, other=0.0))
            if CENTERED:
                y += to_accumulator_dtype(tl.load(beta_ptr + column, within, other=0.0))
        else:
            gamma = to_accumulator_dtype(tl.load(gamma_ptr + offset % groups, present, other=0.0))
            beta = to_accumulator_dtype(tl.load(beta_ptr + offset % groups, present, other=0.0))
            y = y * gamma + beta
        y = _activated(y, ACTIVATION)
        store_row(y_ptr, base, at, lead, columns, present, 1, y, VECTOR)


@triton.jit
def normalize_rows_backward(
    dy_ptr,  # [rows, columns], the gradient of the result
    x_ptr,  # [rows, columns], the input
    gamma_ptr,  # [columns] if BY_COLUMN, else [groups]
    mean_ptr,  # [rows], means
    deviation_ptr,  # [rows], deviations
    dx_ptr,  # [rows, columns], becomes the gradient of the input
    dgamma_ptr,  # [programs, columns] if BY_COLUMN, else [rows]: parts of that of gamma
    dbeta_ptr,  # as dgamma
    rows,  # how many there are
    columns,  # of a row
    groups,  # elements of gamma, unless BY_COLUMN
    each,  # rows of a program
    BY_COLUMN: tl.constexpr,  # whether gamma has an element for each column
    CENTERED: tl.constexpr,  # else means are taken for 0
    ALIGN: tl.constexpr,  # a factor of columns
    VECTOR: tl.constexpr,  # elements at whose multiples tiles begin, or 1: where rows do
    COLUMNS: tl.constexpr,  # of a tile
):
    """Compute the gradient of normalised rows that fit a tile.

    Bytes: reads dy and x once, writes dx once, and parts of the gradients of gamma and beta.
    """
    columns = columns // ALIGN * ALIGN
    # Rows of a program are VECTOR apart: all of them begin at the same place of a vector, so that
    # what they give to gamma and beta is added up where it lies in the tile.
    block, place = tl.program_id(0) // VECTOR, tl.program_id(0) % VECTOR
    first = block.to(tl.int64) * each * VECTOR + place
    lead = aligned_starts(first * columns, VECTOR)[1]
    at = tl.arange(0, COLUMNS)
    inside = in_row(at, lead, columns, VECTOR)
    if BY_COLUMN:
        scale = to_accumulator_dtype(tl.load(gamma_ptr + at - lead, inside, other=0.0))
        to_gamma = scale * 0.0
        to_beta = scale * 0.0
    # It is written once a program: 512 rows of parts, not one for each row of x.
    for k in range(tl.minimum(each, (rows - first + (VECTOR - 1)) // VECTOR)):
        row = first + k * VECTOR
        base = row * columns // VECTOR * VECTOR
        x = to_accumulator_dtype(load_row(x_ptr, base, at, lead, columns, True, 1, VECTOR))
        dy = to_accumulator_dtype(load_row(dy_ptr, base, at, lead, columns, True, 1, VECTOR))
        if VECTOR > 1:
            dy = tl.where(inside, dy, 0.0)
        mean = to_accumulator_dtype(tl.load(mean_ptr + row))
        inverse = 1.0 / to_accumulator_dtype(tl.load(deviation_ptr + row))
        # Beyond the row x is 0, and what is normalised is not: it would be part of both sums.
        hat = tl.where(inside, (x - mean) * inverse, 0.0)
        if BY_COLUMN:
            to_gamma += dy * hat
            to_beta += dy
            p = dy * scale
        else:
            tl.store(dgamma_ptr + row, tl.sum(dy * hat, 0).to(dgamma_ptr.dtype.element_ty))
            tl.store(dbeta_ptr + row, tl.sum(dy, 0).to(dbeta_ptr.dtype.element_ty))
            p = dy * to_accumulator_dtype(tl.load(gamma_ptr + row % groups))
        dx = p - hat * (tl.sum(p * hat, 0) / columns)
        if CENTERED:
            dx -= tl.sum(p, 0) / columns
        store_row(dx_ptr, base, at, lead, columns, True, 1, dx * inverse, VECTOR)
    if BY_COLUMN:
        offset = tl.program_id(0).to(tl.int64) * columns + at - lead
        tl.store(dgamma_ptr + offset, to_gamma.to(dgamma_ptr.dtype.element_ty), inside)
        tl.store(dbeta_ptr + offset, to_beta.to(dbeta_ptr.dtype.element_ty), inside)


@triton.jit
def normalize_long_rows_backward(
    dy_ptr,  # [rows, columns], the gradient of the result
    x_ptr,  # [rows, columns], the input
    gamma_ptr,  # [columns] if BY_COLUMN, else [groups], of which row r has r % groups
    mean_ptr,  # [rows], means
    deviation_ptr,  # [rows], deviations
    dx_ptr,  # [rows, columns], becomes the gradient of the input
    dgamma_ptr,  # [rows], becomes the part of each in that of gamma, unless BY_COLUMN
    dbeta_ptr,  # as dgamma
    columns,  # of a row
    groups,  # of gamma, unless BY_COLUMN
    BY_COLUMN: tl.constexpr,  # whether gamma has an element for each column
    CENTERED: tl.constexpr,  # else the mean is taken for 0
    ALIGN: tl.constexpr,  # a factor of columns
    VECTOR: tl.constexpr,  # elements at whose multiples tiles begin, or 1: where the row does
    COLUMNS: tl.constexpr,  # of a tile
):
    """Compute the gradient to x of normalised rows longer than a tile, a program for each row.

    Bytes: reads dy and x twice, writes dx once.
    """
    columns = columns // ALIGN * ALIGN
    row = tl.program_id(0).to(tl.int64)
    base, lead = aligned_starts(row * columns, VECTOR)
    offsets = tl.arange(0, COLUMNS)
    mean = to_accumulator_dtype(tl.load(mean_ptr + row))
    inverse = 1.0 / to_accumulator_dtype(tl.load(deviation_ptr + row))
    along = tl.zeros((COLUMNS,), mean.dtype)
    total = tl.zeros((COLUMNS,), mean.dtype)
    for first in range(0, columns + (VECTOR - 1), COLUMNS):
        at = first + offsets
        inside = in_row(at, lead, columns, VECTOR)
        x = to_accumulator_dtype(load_row(x_ptr, base, at, lead, columns, True, 1, VECTOR))
        p = to_accumulator_dtype(load_row(dy_ptr, base, at, lead, columns, True, 1, VECTOR))
        if BY_COLUMN:
            p = p * to_accumulator_dtype(tl.load(gamma_ptr + at - lead, inside, other=0.0))
        along += tl.where(inside, p * ((x - mean) * inverse), 0.0)
        total += tl.where(inside, p, 0.0)
    to_gamma = tl.sum(along, 0)
    to_beta = tl.sum(total, 0)
    scale = inverse * 0.0 + 1.0
    if not BY_COLUMN:
        tl.store(dgamma_ptr + row, to_gamma.to(dgamma_ptr.dtype.element_ty))
        tl.store(dbeta_ptr + row, to_beta.to(dbeta_ptr.dtype.element_ty))
        scale = to_accumulator_dtype(tl.load(gamma_ptr + row % groups))
    for first in range(0, columns + (VECTOR - 1), COLUMNS):
        at = first + offsets
        inside = in_row(at, lead, columns, VECTOR)
        x = to_accumulator_dtype(load_row(x_ptr, base, at, lead, columns, True, 1, VECTOR))
        p = to_accumulator_dtype(load_row(dy_ptr, base, at, lead, columns, True, 1, VECTOR))
        if BY_COLUMN:
            p = p * to_accumulator_dtype(tl.load(gamma_ptr + at - lead, inside, other=0.0))
        dx = p - (x - mean) * inverse * (to_gamma / columns)
        if CENTERED:
            dx -= to_beta / columns
        dx = dx * (inverse * scale)
        store_row(dx_ptr, base, at, lead, columns, True, 1, dx, VECTOR)


@triton.jit
def normalize_long_rows_to_gamma(
    dy_ptr,  # [rows, columns], the gradient of the result
    x_ptr,  # [rows, columns], the input
    mean_ptr,  # [rows], means
    deviation_ptr,  # [rows], deviations
    dgamma_ptr,  # [parts, columns], becomes parts of the gradient of gamma
    dbeta_ptr,  # as dgamma
    rows,  # how many there are
    columns,  # of a row
    each,  # rows of a part
    ALIGN: tl.constexpr,  # a factor of columns
    VECTOR: tl.constexpr,  # elements at whose multiples tiles begin, or 1: where rows do
    COLUMNS: tl.constexpr,  # of a tile
):
    """Compute parts of the gradients to gamma and beta, for rows longer than a tile.

    Bytes: reads dy and x once, writes the parts.
    """
    columns = columns // ALIGN * ALIGN
    at = tl.program_id(0).to(tl.int64) * COLUMNS + tl.arange(0, COLUMNS)
    # Rows of a part are VECTOR apart; see normalize_rows_backward.
    block, place = tl.program_id(1) // VECTOR, tl.program_id(1) % VECTOR
    first = block.to(tl.int64) * each * VECTOR + place
    lead = aligned_starts(first * columns, VECTOR)[1]
    inside = in_row(at, lead, columns, VECTOR)
    to_gamma = tl.zeros((COLUMNS,), dgamma_ptr.dtype.element_ty)
    to_beta = tl.zeros((COLUMNS,), dgamma_ptr.dtype.element_ty)
    for k in range(tl.minimum(each, (rows - first + (VECTOR - 1)) // VECTOR)):
        row = first + k * VECTOR
        base = row * columns // VECTOR * VECTOR
        x = to_accumulator_dtype(load_row(x_ptr, base, at, lead, columns, True, 1, VECTOR))
        dy = to_accumulator_dtype(load_row(dy_ptr, base, at, lead, columns, True, 1, VECTOR))
        mean = to_accumulator_dtype(tl.load(mean_ptr + row))
        to_gamma += dy * ((x - mean) / to_accumulator_dtype(tl.load(deviation_ptr + row)))
        to_beta += dy
    offset = tl.program_id(1).to(tl.int64) * columns + at - lead
    tl.store(dgamma_ptr + offset, to_gamma, inside)
    tl.store(dbeta_ptr + offset, to_beta, inside)


@triton.jit
def channel_statistics(
    x_ptr,  # [outer, channels, inner], the input
    mean_ptr,  # [parts, channels], means of parts
    square_ptr,  # [parts, channels], sums of squared deviations from these
    channels,  # of x
    inner,  # how far apart elements of a row are
    elements,  # outer * inner, those of a channel
    part,  # elements of a part, a multiple of ELEMENTS
    CHANNELS: tl.constexpr,  # of a tile
    ELEMENTS: tl.constexpr,  # of a tile
):
    """Compute the mean and the sum of squared deviations of each part of a channel.

    Bytes: reads x once.
    """
    channel = tl.program_id(0) * CHANNELS + tl.arange(0, CHANNELS)
    exists = channel < channels
    begin = tl.program_id(1).to(tl.int64) * part
    end = tl.minimum(begin + part, elements)
    mean = tl.zeros((CHANNELS,), mean_ptr.dtype.element_ty)
    square = tl.zeros((CHANNELS,), mean_ptr.dtype.element_ty)
    for first in range(begin, end, ELEMENTS):
        at = first + tl.arange(0, ELEMENTS).to(tl.int64)
        inside = exists[:, None] & (at < end)[None, :]
        # Elements of a channel are rows of inner ones: with the channels first these are whole
        # planes, and vectors lie within them where their size is a multiple of 16.
        where = (at // inner) * channels * inner + at % inner
        ptrs = x_ptr + where[None, :] + channel.to(tl.int64)[:, None] * inner
        x = to_accumulator_dtype(tl.load(ptrs, inside, other=0.0))
        more = (tl.minimum(first + ELEMENTS, end) - first).to(x.dtype)
        before = (first - begin).to(x.dtype)
        center = tl.sum(x, 1) / more
        centered = tl.where(inside, x - center[:, None], 0.0)
        step = center - mean
        share = more / (before + more)
        square += tl.sum(centered * centered, 1) + step * step * share * before
        mean += step * share
    offset = tl.program_id(1).to(tl.int64) * channels + channel
    tl.store(mean_ptr + offset, mean, exists)
    tl.store(square_ptr + offset, square, exists)


@triton.jit
def channel_statistics_merged(
    mean_part_ptr,  # [parts, channels], means of parts
    square_part_ptr,  # [parts, channels], sums of squared deviations from these
    moving_mean_ptr,  # [channels], before
    moving_var_ptr,  # [channels], before
    mean_ptr,  # [channels], becomes the means
    inverse_ptr,  # [channels], becomes one over the deviations
    new_mean_ptr,  # [channels], becomes the moving mean
    new_var_ptr,  # [channels], becomes the moving variance
    channels,  # of x
    parts,  # of a channel
    part,  # elements of a part
    elements,  # outer * inner, those of a channel
    EPS: tl.constexpr,  # added to variances
    MOMENTUM: tl.constexpr,  # share of the old moving ones
    PARTS: tl.constexpr,  # parts, up to the next power of 2
    CHANNELS: tl.constexpr,  # of a program
):
    """Merge the statistics of the parts of a channel, and update the moving ones.

    Bytes: reads and writes a few vectors ``[channels]``, little compared with the input.
    """
    channel = tl.program_id(0) * CHANNELS + tl.arange(0, CHANNELS)
    exists = channel < channels
    at = tl.arange(0, PARTS)[:, None]
    inside = (at < parts) & exists[None, :]
    offset = at.to(tl.int64) * channels + channel[None, :]
    # A program has all parts of its channels: it waits for no other, where a calls tree would have
    # to. Parts are behind each other, so that a vector is of neighbouring channels.
    means = tl.load(mean_part_ptr + offset, inside, other=0.0)
    squares = tl.load(square_part_ptr + offset, inside, other=0.0)
    left = elements - at.to(tl.int64) * part
    sizes = tl.where(at < parts, tl.minimum(left, part), 0).to(means.dtype)
    mean = tl.sum(means * sizes, 0) / elements
    step = means - mean[None, :]
    variance = tl.sum(tl.where(inside, squares + step * step * sizes, 0.0), 0) / elements
    tl.store(mean_ptr + channel, mean.to(mean_ptr.dtype.element_ty), exists)
    inverse = 1.0 / tl.sqrt(variance + EPS)
    tl.store(inverse_ptr + channel, inverse.to(inverse_ptr.dtype.element_ty), exists)
    before = to_accumulator_dtype(tl.load(moving_mean_ptr + channel, exists, other=0.0))
    after = mean + (before - mean) * MOMENTUM
    tl.store(new_mean_ptr + channel, after.to(new_mean_ptr.dtype.element_ty), exists)
    before = to_accumulator_dtype(tl.load(moving_var_ptr + channel, exists, other=0.0))
    after = variance + (before - variance) * MOMENTUM
    tl.store(new_var_ptr + channel, after.to(new_var_ptr.dtype.element_ty), exists)


@triton.jit
def channel_gradients(
    dy_ptr,  # [outer, channels, inner], the gradient of the result
    x_ptr,  # [outer, channels, inner], the input
    mean_ptr,  # [channels]
    inverse_ptr,  # [channels], one over the deviations
    gamma_ptr,  # [channels], which is read if there is something BEFORE
    beta_ptr,  # [channels], likewise
    dgamma_ptr,  # [channels, parts], parts of that of gamma
    dbeta_ptr,  # [channels, parts], parts of that of beta
    channels,  # of x
    inner,  # how far apart elements of a row are
    elements,  # outer * inner
    part,  # elements of a part, a multiple of ELEMENTS
    CHANNELS: tl.constexpr,  # of a tile
    ELEMENTS: tl.constexpr,  # of a tile
    BEFORE: tl.constexpr,  # from dy and the normalised value to the gradient of that; None: dy
):
    """Compute parts of the gradients to gamma and beta, sums over a channel.

    Bytes: reads dy and x once.
    """
    channel = tl.program_id(0) * CHANNELS + tl.arange(0, CHANNELS)
    exists = channel < channels
    begin = tl.program_id(1).to(tl.int64) * part
    end = tl.minimum(begin + part, elements)
    mean = to_accumulator_dtype(tl.load(mean_ptr + channel, exists, other=0.0))
    inverse = to_accumulator_dtype(tl.load(inverse_ptr + channel, exists, other=0.0))
    if BEFORE is not None:
        gamma = to_accumulator_dtype(tl.load(gamma_ptr + channel, exists, other=0.0))
        beta = to_accumulator_dtype(tl.load(beta_ptr + channel, exists, other=0.0))
    to_gamma = tl.zeros((CHANNELS, ELEMENTS), mean.dtype)
    to_beta = tl.zeros((CHANNELS, ELEMENTS), mean.dtype)
    for first in range(begin, end, ELEMENTS):
        at = first + tl.arange(0, ELEMENTS).to(tl.int64)
        inside = exists[:, None] & (at < end)[None, :]
        where = (at // inner) * channels * inner + at % inner
        offset = where[None, :] + channel.to(tl.int64)[:, None] * inner
        x = to_accumulator_dtype(tl.load(x_ptr + offset, inside, other=0.0))
        dy = to_accumulator_dtype(tl.load(dy_ptr + offset, inside, other=0.0))
        hat = (x - mean[:, None]) * inverse[:, None]
        if BEFORE is not None:
            dy = tl.where(inside, BEFORE(dy, hat * gamma[:, None] + beta[:, None]), 0.0)
        to_gamma += dy * hat
        to_beta += dy
    offset = channel.to(tl.int64) * tl.num_programs(1) + tl.program_id(1)
    tl.store(dgamma_ptr + offset, tl.sum(to_gamma, 1).to(dgamma_ptr.dtype.element_ty), exists)
    tl.store(dbeta_ptr + offset, tl.sum(to_beta, 1).to(dbeta_ptr.dtype.element_ty), exists)
