"""Sums of squares of many arrays, or tests that they are finite, in two launches.

The first reduces the blocks of all arrays, the second the results of each array's blocks. Programs
share the blocks of all arrays, as in :mod:`hy_kernels.triton.device.update`, which describes the
tables, and in NVIDIA's Apex (2018).
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import to_accumulator_dtype

_ENTRY = tl.constexpr(4)  # size, number of the first block, and the address twice
_ADDRESS = tl.constexpr(2)


@triton.jit
def block_totals(
    table_ptr,  # [arrays, 4], int64: size, number of the first block, and address of each
    owner_ptr,  # [blocks], int32: the array of each
    part_ptr,  # [blocks], float32, becomes sums of squares, or if FINITE whether all are that
    FINITE: tl.constexpr,  # whether it is asked if all are finite
    TYPE: tl.constexpr,  # of the arrays
    ALIGNED: tl.constexpr,  # whether all addresses are multiples of 16
    BLOCK: tl.constexpr,  # elements of a program
):
    """Compute the sum of squares of each block, or if FINITE whether all its elements are finite.

    Bytes: reads all arrays once, writes one number a block.
    """
    owner = tl.load(owner_ptr + tl.program_id(0))
    entry = table_ptr + owner.to(tl.int64) * _ENTRY
    first = (tl.program_id(0) - tl.load(entry + 1)) * BLOCK
    x_ptr = tl.load(entry + _ADDRESS).to(tl.pointer_type(TYPE))
    if ALIGNED:
        x_ptr = tl.multiple_of(x_ptr, 16)
    at, size = first + tl.arange(0, BLOCK), tl.load(entry)
    # As in the steps of optimizers: a full block needs no mask, and is read in vectors.
    if first + BLOCK <= size:
        x = tl.load(x_ptr + at)
    else:
        x = tl.load(x_ptr + at, at < size, other=0.0)
    if FINITE:
        # A comparison with infinity is false for nan, too: one instruction asks for both.
        result = tl.min((tl.abs(to_accumulator_dtype(x)) < float("inf")).to(tl.float32), 0)
    else:
        x = x.to(tl.float32)
        result = tl.sum(x * x, 0)
    tl.store(part_ptr + tl.program_id(0), result)


@triton.jit
def array_totals(
    table_ptr,  # [arrays, 4], int64
    part_ptr,  # [blocks], float32: sums of each
    y_ptr,  # [arrays], float32, becomes sums of these
    BLOCK: tl.constexpr,  # elements of a block
    PARTS: tl.constexpr,  # of a tile
):
    """Compute the sum of the blocks' results of each array.

    Bytes: reads one number a block, writes one an array.
    """
    entry = table_ptr + tl.program_id(0).to(tl.int64) * _ENTRY
    blocks = tl.cdiv(tl.load(entry), BLOCK)
    begin = part_ptr + tl.load(entry + 1)
    total = tl.zeros((PARTS,), tl.float32)
    for first in range(0, blocks, PARTS):
        at = first + tl.arange(0, PARTS)
        total += tl.load(begin + at, at < blocks, other=0.0)
    tl.store(y_ptr + tl.program_id(0), tl.sum(total, 0))
