"""Steps of optimizers on many weights in one launch.

Programs share the blocks of all weights. Where the arrays of a weight lie is read from a table: an
entry of it is the weight's size, the number of its first block, and the addresses of its arrays.
A block that is full is read and written without a mask, in vectors.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import largest, smallest, widened

_HEAD = tl.constexpr(2)


@triton.jit
def _entry(table_ptr, owner_ptr, ENTRY: tl.constexpr):
    """Where the entry of the program's weight is."""
    return table_ptr + tl.load(owner_ptr + tl.program_id(0)).to(tl.int64) * ENTRY


@triton.jit
def _array(entry, k: tl.constexpr, TYPE: tl.constexpr, ALIGNED: tl.constexpr):
    """The address of an array of the weight."""
    address = tl.load(entry + _HEAD + k).to(tl.pointer_type(TYPE))
    if ALIGNED:
        address = tl.multiple_of(address, 16)
    return address


@triton.jit
def _first(entry, BLOCK: tl.constexpr):
    """Where in the weight the program's block begins."""
    return (tl.program_id(0) - tl.load(entry + 1)) * BLOCK


@triton.jit
def _read(ptr, at, size, WHOLE: tl.constexpr):
    if WHOLE:
        return widened(tl.load(ptr + at))
    return widened(tl.load(ptr + at, at < size, other=0.0))


@triton.jit
def _write(ptr, at, size, x, WHOLE: tl.constexpr):
    x = x.to(ptr.dtype.element_ty)
    if WHOLE:
        tl.store(ptr + at, x)
    else:
        tl.store(ptr + at, x, at < size)


@triton.jit
def _bounded(g, bound, HAS_BOUND: tl.constexpr):
    """Within the bounds; nan stays."""
    if HAS_BOUND:
        g = smallest(largest(g, -bound), bound)
    return g


@triton.jit
def _sgd(w, g, m, at, size, lr, wd, momentum, factor, bound, HAS_BOUND: tl.constexpr,
         HAS_MOMENTUM: tl.constexpr, WHOLE: tl.constexpr):  # fmt: skip
    x = _read(w, at, size, WHOLE)
    slope = _bounded(_read(g, at, size, WHOLE) * factor, bound, HAS_BOUND) + wd * x
    if HAS_MOMENTUM:
        step = momentum * _read(m, at, size, WHOLE) - lr * slope
        _write(m, at, size, step, WHOLE)
        x += step
    else:
        x -= lr * slope
    _write(w, at, size, x, WHOLE)


@triton.jit
def sgd_steps(
    table_ptr,  # [weights, 2 + ARRAYS], int64, with addresses of weight, gradient and velocity
    owner_ptr,  # [blocks], int32: the weight of each
    lr,
    wd,
    momentum,  # read if HAS_MOMENTUM
    factor,  # of the gradients
    bound,  # of the gradients, read if HAS_BOUND
    HAS_BOUND: tl.constexpr,
    HAS_MOMENTUM: tl.constexpr,
    TYPE: tl.constexpr,  # of all arrays
    ALIGNED: tl.constexpr,  # whether all addresses are multiples of 16
    ENTRY: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Bytes: reads weight, gradient and velocity once, writes weight and velocity once."""
    entry = _entry(table_ptr, owner_ptr, ENTRY)
    w, g = _array(entry, 0, TYPE, ALIGNED), _array(entry, 1, TYPE, ALIGNED)
    m = _array(entry, 2, TYPE, ALIGNED) if HAS_MOMENTUM else w
    first, size = _first(entry, BLOCK), tl.load(entry)
    at = first + tl.arange(0, BLOCK)
    if first + BLOCK <= size:
        _sgd(w, g, m, at, size, lr, wd, momentum, factor, bound, HAS_BOUND, HAS_MOMENTUM, True)
    else:
        _sgd(w, g, m, at, size, lr, wd, momentum, factor, bound, HAS_BOUND, HAS_MOMENTUM, False)


@triton.jit
def _adam(w, g, m, v, at, size, lr, wd, factor, bound, BETA1: tl.constexpr, BETA2: tl.constexpr,
          EPSILON: tl.constexpr, HAS_BOUND: tl.constexpr, WHOLE: tl.constexpr):  # fmt: skip
    x = _read(w, at, size, WHOLE)
    slope = _bounded(_read(g, at, size, WHOLE) * factor + wd * x, bound, HAS_BOUND)
    mean = _read(m, at, size, WHOLE) * BETA1 + slope * (1.0 - BETA1)
    square = _read(v, at, size, WHOLE) * BETA2 + slope * slope * (1.0 - BETA2)
    _write(m, at, size, mean, WHOLE)
    _write(v, at, size, square, WHOLE)
    _write(w, at, size, x - lr * mean / (tl.sqrt(square) + EPSILON), WHOLE)


@triton.jit
def adam_steps(
    table_ptr,  # [weights, 6], int64, with addresses of weight, gradient, mean and variance
    owner_ptr,  # [blocks], int32: the weight of each
    lr,
    wd,
    factor,  # of the gradients
    bound,  # of the gradients with the decay, read if HAS_BOUND
    BETA1: tl.constexpr,
    BETA2: tl.constexpr,
    EPSILON: tl.constexpr,
    HAS_BOUND: tl.constexpr,
    TYPE: tl.constexpr,  # of all arrays
    ALIGNED: tl.constexpr,  # whether all addresses are multiples of 16
    ENTRY: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Bytes: reads weight, gradient, mean and variance once, writes all but the gradient once."""
    entry = _entry(table_ptr, owner_ptr, ENTRY)
    w, g = _array(entry, 0, TYPE, ALIGNED), _array(entry, 1, TYPE, ALIGNED)
    m, v = _array(entry, 2, TYPE, ALIGNED), _array(entry, 3, TYPE, ALIGNED)
    first, size = _first(entry, BLOCK), tl.load(entry)
    at = first + tl.arange(0, BLOCK)
    if first + BLOCK <= size:
        _adam(w, g, m, v, at, size, lr, wd, factor, bound, BETA1, BETA2, EPSILON, HAS_BOUND, True)
    else:
        _adam(w, g, m, v, at, size, lr, wd, factor, bound, BETA1, BETA2, EPSILON, HAS_BOUND, False)


@triton.jit
def _direction(x, mean, square, wd, left1, left2, EPSILON: tl.constexpr):
    """Where a step of LAMB goes."""
    return mean / left1 / (tl.sqrt(square / left2) + EPSILON) + wd * x


@triton.jit
def lamb_moments(
    table_ptr,  # [weights, 6], int64, with addresses of weight, gradient, mean and variance
    owner_ptr,  # [blocks], int32: the weight of each
    part_ptr,  # [blocks, 2], float32: sums of squares of the weight and of the direction
    wd,
    factor,  # of the gradients
    bound,  # of the gradients, read if HAS_BOUND
    left1,  # 1 - beta1^t, what corrects the mean
    left2,  # 1 - beta2^t, what corrects the variance
    BETA1: tl.constexpr,
    BETA2: tl.constexpr,
    EPSILON: tl.constexpr,
    HAS_BOUND: tl.constexpr,
    TYPE: tl.constexpr,  # of all arrays
    ALIGNED: tl.constexpr,  # whether all addresses are multiples of 16
    ENTRY: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Bytes: reads weight, gradient, mean and variance once, writes mean and variance once."""
    entry = _entry(table_ptr, owner_ptr, ENTRY)
    w, g = _array(entry, 0, TYPE, ALIGNED), _array(entry, 1, TYPE, ALIGNED)
    m, v = _array(entry, 2, TYPE, ALIGNED), _array(entry, 3, TYPE, ALIGNED)
    size = tl.load(entry)
    at = _first(entry, BLOCK) + tl.arange(0, BLOCK)
    x = _read(w, at, size, False)
    slope = _bounded(_read(g, at, size, False) * factor, bound, HAS_BOUND)
    mean = _read(m, at, size, False) * BETA1 + slope * (1.0 - BETA1)
    square = _read(v, at, size, False) * BETA2 + slope * slope * (1.0 - BETA2)
    _write(m, at, size, mean, False)
    _write(v, at, size, square, False)
    step = _direction(x, mean, square, wd, left1, left2, EPSILON)
    part = part_ptr + 2 * tl.program_id(0)
    tl.store(part, tl.sum(x * x, 0))
    tl.store(part + 1, tl.sum(step * step, 0))


@triton.jit
def lamb_ratios(
    table_ptr,  # [weights, 6], int64
    part_ptr,  # [blocks, 2], float32: sums of squares of the weight and of the direction
    ratio_ptr,  # [weights], float32, becomes the factors of the rates
    lower,  # bound of the weight's length, if not negative
    upper,  # likewise
    ENTRY: tl.constexpr,
    BLOCK: tl.constexpr,
    PARTS: tl.constexpr,
):
    """Bytes: reads two numbers a block, writes one a weight."""
    entry = table_ptr + tl.program_id(0).to(tl.int64) * ENTRY
    blocks = tl.cdiv(tl.load(entry), BLOCK)
    begin = part_ptr + 2 * tl.load(entry + 1)
    weight = tl.zeros((PARTS,), tl.float32)
    step = tl.zeros((PARTS,), tl.float32)
    for first in range(0, blocks, PARTS):
        at = first + tl.arange(0, PARTS)
        weight += tl.load(begin + 2 * at, at < blocks, other=0.0)
        step += tl.load(begin + 2 * at + 1, at < blocks, other=0.0)
    long = tl.sqrt(tl.sum(weight, 0))
    far = tl.sqrt(tl.sum(step, 0))
    if lower >= 0:
        long = largest(long, lower)
    if upper >= 0:
        long = smallest(long, upper)
    none = (long == 0) | (far == 0)
    tl.store(ratio_ptr + tl.program_id(0), tl.where(none, 1.0, long / tl.where(none, 1.0, far)))


@triton.jit
def lamb_steps(
    table_ptr,  # [weights, 6], int64, with addresses of weight, gradient, mean and variance
    owner_ptr,  # [blocks], int32: the weight of each
    ratio_ptr,  # [weights], float32: factors of the rate
    lr,
    wd,
    left1,  # 1 - beta1^t, what corrects the mean
    left2,  # 1 - beta2^t, what corrects the variance
    EPSILON: tl.constexpr,
    TYPE: tl.constexpr,  # of all arrays
    ALIGNED: tl.constexpr,  # whether all addresses are multiples of 16
    ENTRY: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Bytes: reads weight, mean and variance once, writes the weight once."""
    entry = _entry(table_ptr, owner_ptr, ENTRY)
    w = _array(entry, 0, TYPE, ALIGNED)
    m, v = _array(entry, 2, TYPE, ALIGNED), _array(entry, 3, TYPE, ALIGNED)
    size = tl.load(entry)
    at = _first(entry, BLOCK) + tl.arange(0, BLOCK)
    x, mean = _read(w, at, size, False), _read(m, at, size, False)
    step = _direction(x, mean, _read(v, at, size, False), wd, left1, left2, EPSILON)
    rate = lr * tl.load(ratio_ptr + tl.load(owner_ptr + tl.program_id(0)))
    _write(w, at, size, x - rate * step, False)
