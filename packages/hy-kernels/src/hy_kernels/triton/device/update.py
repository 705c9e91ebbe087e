"""Optimizer steps on many weights in one launch.

Programs share the blocks of all weights. A table has an entry for each weight: its size, the number
of its first block, and the addresses of its arrays, those that are read and then those that are
written. A full block is read and written without a mask, in vectors. The rules are those of Adam
(Kingma and Ba, 2015), AdamW (Loshchilov and Hutter, 2019) and LAMB (You et al., 2020); one launch
for all weights is as in NVIDIA's Apex (2018).
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import largest, smallest, to_accumulator_dtype

_HEAD = tl.constexpr(2)
_WEIGHT = tl.constexpr(0)
_GRAD = tl.constexpr(1)
_FIRST = tl.constexpr(2)  # state
_SECOND = tl.constexpr(3)


@triton.jit
def _entry(table_ptr, weight, ARRAYS: tl.constexpr):
    """Return a pointer to a weight's entry in the table."""
    return table_ptr + weight.to(tl.int64) * (_HEAD + 2 * ARRAYS)


@triton.jit
def _first(entry, BLOCK: tl.constexpr):
    """Return the index in the weight at which the program's block begins."""
    return (tl.program_id(0) - tl.load(entry + 1)) * BLOCK


@triton.jit
def _array(entry, k: tl.constexpr, TYPE: tl.constexpr, ALIGNED: tl.constexpr):
    """Return a pointer to array ``k`` of the weight."""
    address = tl.load(entry + _HEAD + k).to(tl.pointer_type(TYPE))
    if ALIGNED:
        address = tl.multiple_of(address, 16)
    return address


@triton.jit
def _read(entry, k: tl.constexpr, at, size, TYPE: tl.constexpr, ALIGNED: tl.constexpr,
          WHOLE: tl.constexpr):  # fmt: skip
    ptr = _array(entry, k, TYPE, ALIGNED)
    if WHOLE:
        return to_accumulator_dtype(tl.load(ptr + at))
    return to_accumulator_dtype(tl.load(ptr + at, at < size, other=0.0))


@triton.jit
def _write(entry, k: tl.constexpr, at, size, x, TYPE: tl.constexpr, ALIGNED: tl.constexpr,
           ARRAYS: tl.constexpr, WHOLE: tl.constexpr):  # fmt: skip
    ptr = _array(entry, ARRAYS + k, TYPE, ALIGNED)
    if WHOLE:
        tl.store(ptr + at, x.to(TYPE))
    else:
        tl.store(ptr + at, x.to(TYPE), at < size)


@triton.jit
def _write_weight(entry, at, size, x, MASTER: tl.constexpr, TYPE: tl.constexpr,
                  NARROW: tl.constexpr, ALIGNED: tl.constexpr, ARRAYS: tl.constexpr,
                  WHOLE: tl.constexpr):  # fmt: skip
    """Write the new weight, and its 16-bit copy if there is a float32 master weight."""
    _write(entry, MASTER, at, size, x, TYPE, ALIGNED, ARRAYS, WHOLE)
    if MASTER != _WEIGHT:
        _write(entry, _WEIGHT, at, size, x, NARROW, ALIGNED, ARRAYS, WHOLE)


@triton.jit
def _number(x, k, DOUBLE: tl.constexpr, LOADED: tl.constexpr):
    """Return the scalar ``x``, or element ``k`` of the array ``x`` if LOADED."""
    if LOADED:
        x = tl.load(x + k).to(tl.float64 if DOUBLE else tl.float32)
    return x


@triton.jit
def _bounded(g, bound, HAS_BOUND: tl.constexpr):
    """Return ``g`` clipped to ``[-bound, bound]`` if HAS_BOUND; nan stays."""
    if HAS_BOUND:
        g = smallest(largest(g, -bound), bound)
    return g


@triton.jit
def _sgd(entry, at, size, lr, wd, momentum, factor, bound, HAS_BOUND: tl.constexpr,
         HAS_MOMENTUM: tl.constexpr, MASTER: tl.constexpr, TYPE: tl.constexpr,
         NARROW: tl.constexpr, ALIGNED: tl.constexpr, ARRAYS: tl.constexpr,
         WHOLE: tl.constexpr):  # fmt: skip
    x = _read(entry, MASTER, at, size, TYPE, ALIGNED, WHOLE)
    gradient = _read(entry, _GRAD, at, size, NARROW, ALIGNED, WHOLE) * factor
    gradient = _bounded(gradient, bound, HAS_BOUND) + wd * x
    if HAS_MOMENTUM:
        step = momentum * _read(entry, _FIRST, at, size, TYPE, ALIGNED, WHOLE) - lr * gradient
        _write(entry, _FIRST, at, size, step, TYPE, ALIGNED, ARRAYS, WHOLE)
        x += step
    else:
        x -= lr * gradient
    _write_weight(entry, at, size, x, MASTER, TYPE, NARROW, ALIGNED, ARRAYS, WHOLE)


@triton.jit
def sgd_steps(
    table_ptr,  # [weights, 2 + 2 ARRAYS], int64, with addresses of weight, gradient and velocity
    owner_ptr,  # [blocks], int32: the weight of each
    lr,  # of all weights, or if LOADED [weights]
    wd,  # likewise
    momentum,  # read if HAS_MOMENTUM; of float64 [1], as the others
    factor,  # of the gradients
    bound,  # of the gradients, read if HAS_BOUND
    LOADED: tl.constexpr,  # whether rates are arrays
    HAS_BOUND: tl.constexpr,  # whether gradients have one
    HAS_MOMENTUM: tl.constexpr,  # whether there is a velocity
    MASTER: tl.constexpr,  # which array is the weight that is stepped: 0, or that in float32
    TYPE: tl.constexpr,  # of the arrays that are stepped
    DOUBLE: tl.constexpr,  # whether that is float64
    NARROW: tl.constexpr,  # of weight and gradient
    ALIGNED: tl.constexpr,  # whether all addresses are multiples of 16
    ARRAYS: tl.constexpr,  # of a weight
    BLOCK: tl.constexpr,  # elements of a program
):
    """Take a step of gradient descent, with or without momentum.

    Bytes: reads weight, gradient and velocity once, writes weight and velocity once.

    A float32 master weight is read in place of the 16-bit weight, and both are written.
    """
    # A table, not a search: which weight a block is of follows from one load, at the same cost for
    # three weights and for three hundred.
    owner = tl.load(owner_ptr + tl.program_id(0))
    entry = _entry(table_ptr, owner, ARRAYS)
    lr, wd = _number(lr, owner, DOUBLE, LOADED), _number(wd, owner, DOUBLE, LOADED)
    momentum = _number(momentum, 0, DOUBLE, DOUBLE)
    factor = _number(factor, 0, DOUBLE, DOUBLE)
    bound = _number(bound, 0, DOUBLE, DOUBLE)
    first, size = _first(entry, BLOCK), tl.load(entry)
    at = first + tl.arange(0, BLOCK)
    if first + BLOCK <= size:
        _sgd(entry, at, size, lr, wd, momentum, factor, bound, HAS_BOUND, HAS_MOMENTUM, MASTER,
             TYPE, NARROW, ALIGNED, ARRAYS, True)  # fmt: skip
    else:
        _sgd(entry, at, size, lr, wd, momentum, factor, bound, HAS_BOUND, HAS_MOMENTUM, MASTER,
             TYPE, NARROW, ALIGNED, ARRAYS, False)  # fmt: skip


@triton.jit
def _usable(factor):
    """Return whether a factor is finite and not 0."""
    return (factor != 0) & (tl.abs(factor) < float("inf"))


@triton.jit
def _adam(entry, at, size, lr, wd, epsilon, factor, bound, BESIDE: tl.constexpr,
          BETA1: tl.constexpr, BETA2: tl.constexpr, HAS_BOUND: tl.constexpr,
          MASTER: tl.constexpr, TYPE: tl.constexpr, NARROW: tl.constexpr, ALIGNED: tl.constexpr,
          ARRAYS: tl.constexpr, WHOLE: tl.constexpr):  # fmt: skip
    x = _read(entry, MASTER, at, size, TYPE, ALIGNED, WHOLE)
    gradient = _read(entry, _GRAD, at, size, NARROW, ALIGNED, WHOLE) * factor
    if not BESIDE:
        gradient += wd * x
    gradient = _bounded(gradient, bound, HAS_BOUND)
    old_mean = _read(entry, _FIRST, at, size, TYPE, ALIGNED, WHOLE)
    old_square = _read(entry, _SECOND, at, size, TYPE, ALIGNED, WHOLE)
    # Betas are constants of the code, as nobody changes them between steps; rates and epsilon are
    # passed, as schedules and corrections change them at every one, and a launch must not be
    # compiled for each.
    mean = old_mean * BETA1 + gradient * (1.0 - BETA1)
    square = old_square * BETA2 + gradient * gradient * (1.0 - BETA2)
    new = x - lr * mean / (tl.sqrt(square) + epsilon)
    if BESIDE:
        # A loss scale that overflowed makes the factor 0, nan or infinite: then the step leaves all
        # as it was, which the GPU sees for itself; a host that asked would wait for it.
        usable = _usable(factor)
        new = tl.where(usable, new - wd * x, x)
        mean = tl.where(usable, mean, old_mean)
        square = tl.where(usable, square, old_square)
    _write(entry, _FIRST, at, size, mean, TYPE, ALIGNED, ARRAYS, WHOLE)
    _write(entry, _SECOND, at, size, square, TYPE, ALIGNED, ARRAYS, WHOLE)
    _write_weight(entry, at, size, new, MASTER, TYPE, NARROW, ALIGNED, ARRAYS, WHOLE)


@triton.jit
def adam_steps(
    table_ptr,  # [weights, 2 + 2 ARRAYS], int64: addresses of weight, gradient, mean and variance
    owner_ptr,  # [blocks], int32: the weight of each
    lr,  # of all weights, or if LOADED [weights]
    wd,  # likewise
    epsilon,  # likewise, added to roots of variances
    factor,  # of the gradients; if BESIDE, or of float64, [1]
    bound,  # of the gradients with the decay, read if HAS_BOUND; of float64 [1]
    LOADED: tl.constexpr,  # whether rates are arrays
    BESIDE: tl.constexpr,  # whether the decay is no part of the gradient, and nothing changes
    #                        where the factor is 0 or not finite
    BETA1: tl.constexpr,  # decay of the mean
    BETA2: tl.constexpr,  # decay of the variance
    HAS_BOUND: tl.constexpr,  # whether gradients have one
    MASTER: tl.constexpr,  # which array is the weight that is stepped: 0, or that in float32
    TYPE: tl.constexpr,  # of the arrays that are stepped
    DOUBLE: tl.constexpr,  # whether that is float64
    NARROW: tl.constexpr,  # of weight and gradient
    ALIGNED: tl.constexpr,  # whether all addresses are multiples of 16
    ARRAYS: tl.constexpr,  # of a weight
    BLOCK: tl.constexpr,  # elements of a program
):
    """Take a step of Adam, or if BESIDE of AdamW.

    Bytes: reads weight, gradient, mean and variance once, writes all but the gradient once.

    A float32 master weight is read in place of the 16-bit weight, and both are written.
    """
    owner = tl.load(owner_ptr + tl.program_id(0))
    entry = _entry(table_ptr, owner, ARRAYS)
    lr, wd = _number(lr, owner, DOUBLE, LOADED), _number(wd, owner, DOUBLE, LOADED)
    epsilon = _number(epsilon, owner, DOUBLE, LOADED)
    factor = _number(factor, 0, DOUBLE, BESIDE or DOUBLE)
    bound = _number(bound, 0, DOUBLE, DOUBLE)
    first, size = _first(entry, BLOCK), tl.load(entry)
    at = first + tl.arange(0, BLOCK)
    if first + BLOCK <= size:
        _adam(entry, at, size, lr, wd, epsilon, factor, bound, BESIDE, BETA1, BETA2, HAS_BOUND,
              MASTER, TYPE, NARROW, ALIGNED, ARRAYS, True)  # fmt: skip
    else:
        _adam(entry, at, size, lr, wd, epsilon, factor, bound, BESIDE, BETA1, BETA2, HAS_BOUND,
              MASTER, TYPE, NARROW, ALIGNED, ARRAYS, False)  # fmt: skip


@triton.jit
def _direction(x, mean, square, wd, left1, left2, EPSILON: tl.constexpr):
    """Return the direction of a LAMB step: Adam's, plus the decayed weight."""
    return mean / left1 / (tl.sqrt(square / left2) + EPSILON) + wd * x


@triton.jit
def _lamb_moments(entry, at, size, part, wd, left1, left2, factor, bound, BETA1: tl.constexpr,
                  BETA2: tl.constexpr, EPSILON: tl.constexpr, HAS_BOUND: tl.constexpr,
                  MASTER: tl.constexpr, TYPE: tl.constexpr, NARROW: tl.constexpr,
                  ALIGNED: tl.constexpr, ARRAYS: tl.constexpr, WHOLE: tl.constexpr):  # fmt: skip
    x = _read(entry, MASTER, at, size, TYPE, ALIGNED, WHOLE)
    gradient = _read(entry, _GRAD, at, size, NARROW, ALIGNED, WHOLE) * factor
    gradient = _bounded(gradient, bound, HAS_BOUND)
    mean = _read(entry, _FIRST, at, size, TYPE, ALIGNED, WHOLE) * BETA1 + gradient * (1.0 - BETA1)
    square = _read(entry, _SECOND, at, size, TYPE, ALIGNED, WHOLE) * BETA2
    square += gradient * gradient * (1.0 - BETA2)
    _write(entry, _FIRST, at, size, mean, TYPE, ALIGNED, ARRAYS, WHOLE)
    _write(entry, _SECOND, at, size, square, TYPE, ALIGNED, ARRAYS, WHOLE)
    step = _direction(x, mean, square, wd, left1, left2, EPSILON)
    # LAMB's ratio is of the weights that the net computes with; the ones in float32 are stepped.
    if MASTER != _WEIGHT:
        x = _read(entry, _WEIGHT, at, size, NARROW, ALIGNED, WHOLE)
    tl.store(part, tl.sum(x * x, 0))
    tl.store(part + 1, tl.sum(step * step, 0))


@triton.jit
def lamb_moments(
    table_ptr,  # [weights, 2 + 2 ARRAYS], int64: addresses of weight, gradient, mean and variance
    owner_ptr,  # [blocks], int32: the weight of each
    part_ptr,  # [blocks, 2], float32 or float64: sums of squares of the weight and of the direction
    wd,  # of all weights, or if LOADED [weights]
    left1,  # likewise, 1 - beta1^t, what corrects the mean
    left2,  # likewise, 1 - beta2^t, what corrects the variance
    factor,  # of the gradients; of float64 [1], as the bound
    bound,  # of the gradients, read if HAS_BOUND
    LOADED: tl.constexpr,  # whether rates are arrays
    BETA1: tl.constexpr,  # decay of the mean
    BETA2: tl.constexpr,  # decay of the variance
    EPSILON: tl.constexpr,  # added to roots of variances
    HAS_BOUND: tl.constexpr,  # whether gradients have one
    MASTER: tl.constexpr,  # which array is the weight that is stepped: 0, or that in float32
    TYPE: tl.constexpr,  # of the arrays that are stepped
    DOUBLE: tl.constexpr,  # whether that is float64
    NARROW: tl.constexpr,  # of weight and gradient
    ALIGNED: tl.constexpr,  # whether all addresses are multiples of 16
    ARRAYS: tl.constexpr,  # of a weight
    BLOCK: tl.constexpr,  # elements of a program
):
    """Update mean and variance of LAMB, and sum the squares of weight and direction by block.

    Bytes: reads weight, gradient, mean and variance once, writes mean and variance once.

    The norm is that of the 16-bit weight, which is read beside the float32 master weight.
    """
    owner = tl.load(owner_ptr + tl.program_id(0))
    entry = _entry(table_ptr, owner, ARRAYS)
    wd = _number(wd, owner, DOUBLE, LOADED)
    left1, left2 = _number(left1, owner, DOUBLE, LOADED), _number(left2, owner, DOUBLE, LOADED)
    factor = _number(factor, 0, DOUBLE, DOUBLE)
    bound = _number(bound, 0, DOUBLE, DOUBLE)
    first, size = _first(entry, BLOCK), tl.load(entry)
    at = first + tl.arange(0, BLOCK)
    part = part_ptr + 2 * tl.program_id(0)
    if first + BLOCK <= size:
        _lamb_moments(entry, at, size, part, wd, left1, left2, factor, bound, BETA1, BETA2, EPSILON,
                      HAS_BOUND, MASTER, TYPE, NARROW, ALIGNED, ARRAYS, True)  # fmt: skip
    else:
        _lamb_moments(entry, at, size, part, wd, left1, left2, factor, bound, BETA1, BETA2, EPSILON,
                      HAS_BOUND, MASTER, TYPE, NARROW, ALIGNED, ARRAYS, False)  # fmt: skip


@triton.jit
def lamb_ratios(
    table_ptr,  # [weights, 2 + 2 ARRAYS], int64
    part_ptr,  # [blocks, 2], float32 or float64: sums of squares of weight and direction
    ratio_ptr,  # [weights], likewise, becomes the factors of the rates
    LOWER: tl.constexpr,  # bound of the weight's length, if not negative
    UPPER: tl.constexpr,  # likewise
    ARRAYS: tl.constexpr,  # of a weight
    BLOCK: tl.constexpr,  # elements of a program
    PARTS: tl.constexpr,  # of a tile
):
    """Compute LAMB's trust ratio of each weight from its blocks' sums.

    Bytes: reads two numbers a block, writes one a weight.
    """
    entry = _entry(table_ptr, tl.program_id(0), ARRAYS)
    blocks = tl.cdiv(tl.load(entry), BLOCK)
    begin = part_ptr + 2 * tl.load(entry + 1)
    weight = tl.zeros((PARTS,), part_ptr.dtype.element_ty)
    step = tl.zeros((PARTS,), part_ptr.dtype.element_ty)
    # Sums of blocks are added up in a fixed order by one program a weight: the same in every run.
    for first in range(0, blocks, PARTS):
        at = first + tl.arange(0, PARTS)
        weight += tl.load(begin + 2 * at, at < blocks, other=0.0)
        step += tl.load(begin + 2 * at + 1, at < blocks, other=0.0)
    long = tl.sqrt(tl.sum(weight, 0))
    far = tl.sqrt(tl.sum(step, 0))
    if LOWER >= 0:
        long = largest(long, LOWER)
    if UPPER >= 0:
        long = smallest(long, UPPER)
    # A weight of zeros, or a step of zeros, has a ratio of 1: so the paper's first steps move.
    none = (long == 0) | (far == 0)
    tl.store(ratio_ptr + tl.program_id(0), tl.where(none, 1.0, long / tl.where(none, 1.0, far)))


@triton.jit
def _lamb(entry, at, size, step, wd, left1, left2, EPSILON: tl.constexpr, MASTER: tl.constexpr,
          TYPE: tl.constexpr, NARROW: tl.constexpr, ALIGNED: tl.constexpr, ARRAYS: tl.constexpr,
          WHOLE: tl.constexpr):  # fmt: skip
    x = _read(entry, MASTER, at, size, TYPE, ALIGNED, WHOLE)
    mean = _read(entry, ARRAYS + _FIRST, at, size, TYPE, ALIGNED, WHOLE)
    square = _read(entry, ARRAYS + _SECOND, at, size, TYPE, ALIGNED, WHOLE)
    x -= step * _direction(x, mean, square, wd, left1, left2, EPSILON)
    _write_weight(entry, at, size, x, MASTER, TYPE, NARROW, ALIGNED, ARRAYS, WHOLE)


@triton.jit
def lamb_steps(
    table_ptr,  # [weights, 2 + 2 ARRAYS], int64: addresses of weight, gradient, mean and variance
    owner_ptr,  # [blocks], int32: the weight of each
    ratio_ptr,  # [weights], float32 or float64: factors of the rates
    lr,  # of all weights, or if LOADED [weights]
    wd,  # likewise
    left1,  # likewise, 1 - beta1^t, what corrects the mean
    left2,  # likewise, 1 - beta2^t, what corrects the variance
    LOADED: tl.constexpr,  # whether rates are arrays
    EPSILON: tl.constexpr,  # added to roots of variances
    MASTER: tl.constexpr,  # which array is the weight that is stepped: 0, or that in float32
    TYPE: tl.constexpr,  # of the arrays that are stepped
    DOUBLE: tl.constexpr,  # whether that is float64
    NARROW: tl.constexpr,  # of weight and gradient
    ALIGNED: tl.constexpr,  # whether all addresses are multiples of 16
    ARRAYS: tl.constexpr,  # of a weight
    BLOCK: tl.constexpr,  # elements of a program
):
    """Take LAMB's steps, scaled by the trust ratios.

    Bytes: reads weight, mean and variance once, writes the weight once.

    A float32 master weight is read in place of the 16-bit weight, and both are written.
    """
    owner = tl.load(owner_ptr + tl.program_id(0))
    entry = _entry(table_ptr, owner, ARRAYS)
    lr, wd = _number(lr, owner, DOUBLE, LOADED), _number(wd, owner, DOUBLE, LOADED)
    left1, left2 = _number(left1, owner, DOUBLE, LOADED), _number(left2, owner, DOUBLE, LOADED)
    step = lr * tl.load(ratio_ptr + owner)
    first, size = _first(entry, BLOCK), tl.load(entry)
    at = first + tl.arange(0, BLOCK)
    if first + BLOCK <= size:
        _lamb(entry, at, size, step, wd, left1, left2, EPSILON, MASTER, TYPE, NARROW, ALIGNED,
              ARRAYS, True)  # fmt: skip
    else:
        _lamb(entry, at, size, step, wd, left1, left2, EPSILON, MASTER, TYPE, NARROW, ALIGNED,
              ARRAYS, False)  # fmt: skip
